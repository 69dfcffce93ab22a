"""lirc2xml's XML: an lircd.conf whose codes are rendered as signals.

`<lircremotes>` contains `<remote name=…>`, which contains `<code name=…>` with `<ccf>`: Pronto,
whose words are decimal in older versions and may include an extra last gap. A code may also have
the output of a decoder: `<decoding protocol=… device=… subdevice=… obc=…/>`.

Read: the first of these that is valid. `<failedcode>`, which lirc2xml could not render, is refused.
"""

from functools import partial
import re
from typing import Final
from xml.etree.ElementTree import Element  # nosec B405  (a type)

from ..packet.text_forms import from_pronto
from ..reasons import RefusedError
from .by_protocol import by_parameters, number
from .imported import Collector, Packets, required_name
from .notation import read_xml

NAME: Final = "lirc2xml"
SUFFIXES: Final = (".xml",)
_FIRST: Final = re.compile(r"(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<lircremotes\b", re.DOTALL)
_HEADER_WORDS: Final = 4
_MOST: Final = 0xFFFF
_PARAMETERS: Final = {"D": "device", "S": "subdevice", "F": "obc"}
"""IRP parameter → attribute; -1 means that the protocol does not have it."""


def fits(text: str) -> bool:
    """Return whether a text is lirc2xml's XML."""
    return _FIRST.match(text) is not None


def read(text: str, device: str | None, collector: Collector) -> None:
    """Add the codes of all remotes. Raise ValueError if the text is not valid XML."""
    for remote in read_xml(text).iter("remote"):
        name = required_name(device or remote.get("name"))
        for code in remote.iter():
            if code.tag in {"code", "failedcode"}:
                collector.count(len(code.findtext("ccf") or ""))
                collector.add(name, code.get("name"), partial(_packets, code))


def _packets(code: Element) -> Packets:
    errors: list[ValueError] = []
    if (ccf := code.findtext("ccf")) is not None:
        try:
            return [from_pronto(_in_hex(ccf))]
        except ValueError as err:
            errors.append(err)
    for decoding in code.iterfind("decoding"):
        values = {
            name: number(text)
            for name, key in _PARAMETERS.items()
            if (text := decoding.get(key, "-1")) != "-1"
        }
        try:
            return by_parameters(decoding.get("protocol", ""), values)
        except ValueError as err:
            errors.append(err)
    raise errors[0] if errors else RefusedError("no_code")


def _in_hex(text: str) -> str:
    """Return the Pronto words in hex, limited to the number that their header announces."""
    words = text.split()
    if any(len(word) != _HEADER_WORDS for word in words):  # a decimal 0 has one digit
        numbers = [number(word) for word in words]
        words = [f"{min(value, _MOST):04X}" for value in numbers]
    try:
        pairs = sum(int(word, 16) for word in words[2:_HEADER_WORDS])
    except ValueError as err:
        raise RefusedError("no_form", form="Pronto", text=repr(text[:16])) from err
    return " ".join(words[: _HEADER_WORDS + 2 * pairs])
