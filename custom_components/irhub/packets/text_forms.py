"""The texts people write packets in: Base64, hex, Pronto hex, microseconds.

Every function that reads raises ValueError with a sentence that quotes the text's beginning.
"""

import base64
import binascii
from collections.abc import Callable
import re
from typing import Final

from .packet import (
    MAX_PACKET,
    TYPES,
    from_bytes,
    from_durations,
    from_timings,
    short,
    unknown_type,
)

MAX_TEXT: Final = 32 * MAX_PACKET
"""Characters; a packet of MAX_PACKET bytes fits in any form, with much behind its length."""
PRONTO_UNIT_US: Final = 1 / 4.145146
"""The word for the carrier counts units of this length."""
PRONTO_REPEATS: Final = 2
"""A short press of a remote that has only a repeat sequence (Sony, RC-5) sends it three times."""

_LONG: Final = 32
"""Characters; what is longer is hardly a name."""
_SEPARATED_HEX: Final = re.compile(r"[0-9a-fA-F\s:,]+")
_SEPARATORS: Final = re.compile(r"[\s:,]+")
_HEX_PREFIX: Final = re.compile(r"(?<![0-9a-zA-Z])0[xX]")
_PRONTO: Final = re.compile(r"0[01]00")
_PRONTO_HEADER_WORDS: Final = 4
_NUMBER: Final = r"[+-]?[0-9]{1,9}"
_NUMBERS: Final = re.compile(rf"\[?\s*({_NUMBER}(?:[\s,]+{_NUMBER})*)[\s,]*\]?")
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/]")


def parse_text(text: str) -> bytes:
    """Read a packet from Base64, hex, Pronto hex or signed microseconds.

    A prefix (`b64:`, `hex:`, `pronto:`, `raw:`) says which it is. Without one
    the form is told by the text itself: numbers with signs are microseconds, hex
    digits are Pronto if they begin with 0000 or 0100 and else the packet's bytes,
    anything else is Base64. Base64 is no rival to hex: that of infrared begins with
    J, of 433 MHz with s, of 315 MHz with 1 and, up to 63 repeats, w to z; of a TC2
    with 6 and, up to 159 repeats, Q to Z.
    """
    text = text.strip()
    if not text:
        raise ValueError("the packet is empty")
    if len(text) > MAX_TEXT:
        raise ValueError(f"a text of {len(text)} characters is longer than {MAX_TEXT}")
    prefix, colon, rest = text.partition(":")
    if colon and (parser := _PREFIXES.get(prefix.lower())):
        return parser(rest)
    if _NUMBERS.fullmatch(text) and re.search(r"[+-]", text):
        return from_raw(text)
    if groups := _hex_groups(text):
        return from_pronto(text) if _PRONTO.match("".join(groups)) else from_hex(text)
    try:
        data = _decode_base64(text)
    except ValueError as err:
        raise ValueError(f"not Base64, hex or Pronto: {err}") from err
    if data and data[0] not in TYPES:
        raise ValueError(
            f"not Base64, hex or Pronto of a packet: {short(text)}; {unknown_type(data[0])}"
        )
    return from_bytes(data)


def from_base64(text: str) -> bytes:
    """Read Base64: padded or not, standard or URL-safe, with white space."""
    return from_bytes(_decode_base64(text))


def from_hex(text: str) -> bytes:
    """Read hex digits, with or without spaces, colons, commas and 0x."""
    if not (groups := _hex_groups(text)):
        raise ValueError(f"not hex: {short(text)}")
    if odd := next((group for group in groups if len(group) % 2), None):
        raise ValueError(f"an odd number of hex digits ({len(odd)}): {short(odd)}")
    return from_bytes(bytes.fromhex("".join(groups)))


def from_pronto(text: str) -> bytes:
    """Read a learned Pronto code: `0000 carrier once repeat`, then pairs of words.

    A word counts periods of the carrier. What one short press transmits is taken: the once
    sequence, or, where there is none, the repeat sequence and PRONTO_REPEATS repeats of it.
    """
    groups = _hex_groups(text)
    if not groups or any(len(group) % 4 for group in groups):
        raise ValueError(f"not Pronto, which is words of four hex digits: {short(text)}")
    digits = "".join(groups)
    if not _PRONTO.match(digits):
        raise ValueError(
            f"Pronto of type {digits[:4]} is not supported, only learned codes (0000, 0100)"
        )
    words = [int(digits[index : index + 4], 16) for index in range(0, len(digits), 4)]
    if len(words) < _PRONTO_HEADER_WORDS:
        raise ValueError(f"Pronto: the first four words are not complete: {short(text)}")
    carrier, once, repeat = words[1:_PRONTO_HEADER_WORDS]
    if not carrier:
        raise ValueError("Pronto: the carrier (second word) is 0")
    words = words[_PRONTO_HEADER_WORDS:]
    if len(words) != 2 * (once + repeat):
        raise ValueError(
            f"Pronto: {once} + {repeat} pairs are announced, which is {2 * (once + repeat)}"
            f" words, but {len(words)} follow"
        )
    period_us = carrier * PRONTO_UNIT_US
    durations = [word * period_us for word in words[: 2 * (once or repeat)]]
    return from_durations(durations, repeats=0 if once else PRONTO_REPEATS)


def from_raw(text: str) -> bytes:
    """Read microseconds, marks positive, spaces negative: `9000 -4500 560`."""
    match = _NUMBERS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not microseconds such as 9000 -4500 560: {short(text)}")
    return from_timings([int(number) for number in re.split(r"[\s,]+", match[1])])


def to_base64(packet: bytes) -> str:
    """Return the packet as padded Base64, the form that every other tool reads."""
    return base64.b64encode(packet).decode("ascii")


def to_hex(packet: bytes) -> str:
    """Return the packet as hex digits, without separators."""
    return packet.hex()


def is_meant_as_packet(text: str) -> bool:
    """Tell a packet, or what was to be one, from the name of a command."""
    if len(text) > _LONG:
        return True
    try:
        parse_text(text)
    except ValueError:
        return False
    return True


def _hex_groups(text: str) -> list[str]:
    """Return the groups of digits of a text that is hex and nothing else."""
    text = _HEX_PREFIX.sub("", text)
    return [*filter(None, _SEPARATORS.split(text))] if _SEPARATED_HEX.fullmatch(text) else []


def _decode_base64(text: str) -> bytes:
    bare = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if wrong := _NOT_BASE64.search(bare):
        raise ValueError(f"character {wrong[0]!r} in {short(text)}")
    try:
        return binascii.a2b_base64(bare + "=" * (-len(bare) % 4))
    except binascii.Error as err:
        raise ValueError(
            f"{len(bare)} characters are one too many or too few: {short(text)}"
        ) from err


_PREFIXES: Final[dict[str, Callable[[str], bytes]]] = {
    "b64": from_base64,
    "hex": from_hex,
    "pronto": from_pronto,
    "raw": from_raw,
}
