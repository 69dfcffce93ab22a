"""lirc2xml's XML: Pronto in hex or in decimal, decodings, and codes that it could not write."""

import pytest

from custom_components.irhub.ircodes import meaning, read_codes, to_timings

from .imported import refusals

PRONTO = (
    "0000 006D 0022 0000 0157 00AC 0015 0016 0015 0016 0015 0041 0015 0016 0015 0016 0015 0016"
    " 0015 0016 0015 0016 0015 0041 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 0015 0041"
    " 0015 0041 0015 0016 0015 0016 0015 0016 0015 0041 0015 0016 0015 0016 0015 0016 0015 0016"
    " 0015 0041 0015 0041 0015 0041 0015 0016 0015 0041 0015 0041 0015 0041 0015 0041 0015 0602"
)
DECIMAL = " ".join(str(int(word, 16)) for word in PRONTO.split())
FILE = f"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- made by lirc2xml -->
<lircremotes creation-date="x" lirc2xml_version="0.1.3" configfile="tv.conf">
  <remote name="tv">
    <lircdata type="SPACE_ENC" bits="16" freq="38000"/>
    <code name="KEY_POWER" codeno="0x10"><ccf>{PRONTO}</ccf></code>
    <code name="KEY_DECIMAL" codeno="0x11">
      <decoding protocol="NEC1" device="4" subdevice="-1" obc="9"/>
      <ccf>{DECIMAL} 1234</ccf>
    </code>
    <code name="KEY_DECODED" codeno="0x12">
      <decoding protocol="Unheard" device="1" subdevice="-1" obc="1"/>
      <decoding protocol="NEC1" device="4" subdevice="-1" obc="9"/>
      <ccf>0000 006D 0002 0000 0157</ccf>
    </code>
    <failedcode name="KEY_FAILED" codeno="0x13" length="0"/>
    <code name="KEY_ODD" codeno="0x14"><ccf>a b</ccf></code>
  </remote>
  <remote name="radio"><code name="on" codeno="0x1"><ccf>{PRONTO}</ccf></code></remote>
</lircremotes>
"""


def test_lirc2xml() -> None:
    imported = read_codes(FILE)
    assert imported.format == "lirc2xml"
    assert {device: [*of] for device, of in imported.commands.items()} == {
        "tv": ["KEY_POWER", "KEY_DECIMAL", "KEY_DECODED"],
        "radio": ["on"],
    }
    texts = {
        name: meaning(packets[0]).text  # type: ignore[union-attr]
        for name, packets in imported.commands["tv"].items()
    }
    assert texts == {
        "KEY_POWER": "NEC 0x04/0x08",
        "KEY_DECIMAL": "NEC 0x04/0x08",
        "KEY_DECODED": "NEC 0x04/0x09",
    }
    tv = imported.commands["tv"]
    assert to_timings(tv["KEY_POWER"][0]) == to_timings(tv["KEY_DECIMAL"][0])
    assert refusals(imported) == {
        "tv → KEY_FAILED": "neither durations nor a protocol with its numbers",
        "tv → KEY_ODD": "not a number: 'a'",
    }
    assert imported.account.codes == 6


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<lircremotes><remote name='a'/></lircremotes>", "there are no commands"),
        ("<lircremotes><remote></remote></lircremotes>", "give the name of the device"),
        ("<lircremotes><remote name='a'>", "is not XML"),
    ],
)
def test_what_is_not_read(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_codes(text)
