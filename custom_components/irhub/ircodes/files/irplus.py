"""irplus's XML: `<device manufacturer=… model=… format=…>` with `<button label=…>` and its code.

PRONTO_HEX         Pronto
WINLIRC_RAW        microseconds, mark first
WINLIRC_NEC1, …    two words, leading bits and code, or the code alone, highest bit first, sent
                   according to the device's attributes (`header-pulse`, `one-space`, `bits`, …);
                   without these, as NEC or RC-5

A label may be a symbol of the font that irplus uses, or empty if a button has only a colour; such
buttons are named after the symbol or the colour.

Read: these. Ignored: toggle bits and repeats of the attributes; buttons without a code, which are
headings.
"""

from collections.abc import Mapping
from functools import partial
import re
from typing import Final

from ..packet.text_forms import from_pronto, from_raw
from ..reasons import RefusedError
from . import lirc
from .by_protocol import by_data, number
from .imported import Collector, Packets, required_name
from .labels import name_of
from .notation import read_xml

NAME: Final = "irplus"
SUFFIXES: Final = (".irplus", ".xml")
_FIRST: Final = re.compile(r"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<irplus\b", re.DOTALL)
_PAIRS: Final = ("header", "one", "zero")
_ENCODINGS: Final = {"RC5": "RC5", "RC6": "RC6", "SPACEENC": "SPACE_ENC", "NEC1": "SPACE_ENC"}
"""Format after WINLIRC_ → LIRC's flag."""
_BITS: Final = {"NEC1": 32, "RC5": 13}
"""Number of bits of formats that do not need durations."""


def fits(text: str) -> bool:
    """Return whether a text is irplus's XML."""
    return _FIRST.match(text) is not None


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add the buttons of all devices. Raise ValueError if the text is not valid XML."""
    for node in read_xml(text).iter("device"):
        manufacturer, model = node.get("manufacturer", ""), node.get("model", "")
        collector.manufacturer = manufacturer or collector.manufacturer
        collector.models = [*collector.models, *([model] if model else [])]
        name = required_name(device or f"{manufacturer} {model}".strip())
        for button in node.iter("button"):
            if code := (button.text or "").strip():
                collector.count(len(code))
                collector.add(name, name_of(button.attrib), partial(_packets, node.attrib, code))


def _packets(device: Mapping[str, str], code: str) -> Packets:
    encoding = device.get("format", "").upper()
    if encoding == "PRONTO_HEX":
        return [from_pronto(code)]
    encoding = encoding.removeprefix("WINLIRC_")
    if encoding == "RAW":
        return [from_raw(code)]
    if encoding not in _ENCODINGS:
        raise RefusedError("encoding", encoding=encoding)
    *leading, word = code.split()
    if "one-pulse" in device:
        return lirc.encoded(_settings(device, _ENCODINGS[encoding], leading), word)
    if encoding not in _BITS:
        raise RefusedError("no_parameter", parameter="one-pulse")
    data = number(word)
    for leading_word in leading:
        data |= number(leading_word) << number(device.get("bits") or "16")
    return by_data(encoding.removesuffix("1"), data=data, bits=_BITS[encoding])


def _settings(device: Mapping[str, str], flag: str, leading: list[str]) -> dict[str, list[str]]:
    """Return the device's attributes as settings of an lircd.conf."""
    settings = {
        name: [device.get(f"{name}-pulse", "0"), device.get(f"{name}-space", "0")]
        for name in _PAIRS
    }
    settings |= {
        "flags": [flag],
        "bits": [device.get("bits", "0")],
        "ptrail": [device.get("gap-pulse", "0")],
        "gap": [device.get("gap-space", "0")],
    }
    if leading:
        settings |= {"pre_data_bits": [device.get("pre-bits", "0")], "pre_data": leading[-1:]}
    return settings
