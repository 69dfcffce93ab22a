"""Text forms of packets: Base64, hex, Pronto hex, microseconds, Global Caché.

Functions that parse raise `RefusedError`, a ValueError that quotes the beginning of the text.
"""

import base64
import binascii
from collections.abc import Callable
from functools import lru_cache
import re
from typing import Final

from ..reasons import RefusedError
from .packet import FORMS, MAX_PACKET, TYPES, from_bytes, from_durations, from_timings, short
from .tuya import from_plain, from_tuya

MAX_TEXT: Final = 32 * MAX_PACKET
"""Characters. A packet of MAX_PACKET bytes fits in any form, with room for trailing data."""
PRONTO_UNIT_US: Final = 1 / 4.145146
"""Unit of the carrier word: the period of the carrier is the word times this length."""
PRONTO_REPEATS: Final = 2
"""Repeats in a short press of a code with only a repeat sequence (Sony, RC-5), sent three times."""

GLOBAL_CACHE: Final = "Global Caché"
_SENDIR: Final = "sendir,"
_LETTERS: Final = 26
_MAX_NAME: Final = 32
"""Characters; a longer text is unlikely to be the name of a command."""
_SEPARATED_HEX: Final = re.compile(r"[0-9a-fA-F\s:,]+")
_SEPARATORS: Final = re.compile(r"[\s:,]+")
_HEX_PREFIX: Final = re.compile(r"(?<![0-9a-zA-Z])0[xX]")
_PRONTO: Final = re.compile(r"0[01]00")
_PRONTO_HEADER_WORDS: Final = 4
_HEADER: Final = 4
"""Bytes of a packet before its durations; the last two are the length."""
_NUMBER: Final = r"[+-]?[0-9]{1,9}"
_NUMBERS: Final = re.compile(
    rf"[\[({{]?\s*({_NUMBER}(?:(?:[\s,;]+|(?=[+-])){_NUMBER})*)[\s,;]*[\])}}]?"
)
_SIGNED: Final = re.compile(r"[+-]")
_UNSIGNED: Final = re.compile(r"(?:0|[1-9][0-9]*)(?:[\s,;]+[1-9][0-9]*){2,}")
"""Numbers without leading zeros. Hex has them: the length of a packet has one."""
_COMPACT: Final = re.compile(r"(?:[0-9]{1,6}\s*,\s*)?([+-][0-9]{1,9}(?:[+-][0-9]{1,9}|[A-Za-z])+)")
_COMPACT_PART: Final = re.compile(r"([+-][0-9]+)|([A-Z])|([a-z])")
_CARRIERS_HZ: Final = range(20_000, 100_001)
"""Of infrared. A list of Tasmota or ESPHome begins with one, or with 0 for the default; no mark is
that long.
"""
_OTHER_FORMATS: Final = {
    "Filetype: IR": "Flipper",
    "begin remote": "lircd.conf",
    "<": "XML (Girr)",
    "functionname,": "CSV (irdb)",
    "{": "JSON",
}
"""Beginning of a text in another format → name of the format."""
_XIAOMI: Final = (b"\x67\xa5", *(bytes([first]) for first in range(0x98, 0xA0)))
"""Beginnings of the packed codes of Xiaomi's remote (Chuangmi): `Z6…`, `mc…`, `nE…` in Base64."""
_GLOBAL_CACHE: Final = re.compile(
    r"sendir,[0-9:]{1,9},[0-9]{1,5},([0-9]{5,6}),([0-9]{1,2}),([0-9]{1,3}),([0-9A-Z,\s]+)",
    re.IGNORECASE,
)
"""Carrier in Hz, number of copies, number of the duration with which the second begins; durations
in periods of the carrier. A letter stands for the first (A), second (B), … distinct pair."""
_GLOBAL_CACHE_PAIR: Final = re.compile(r"\s*,?\s*(?:([1-9][0-9]{0,4}),([1-9][0-9]{0,4})|([A-Z]))")
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/]")


def parse_text(text: str) -> bytes:
    """Return the packet of a text in Base64, hex, Pronto hex, microseconds or Global Caché's form.

    A prefix (`b64:`, `hex:`, `pronto:`, `raw:`, `tuya:`) names the form. Without one it is
    detected:

    - Global Caché's command begins with `sendir,`.
    - Microseconds: numbers with signs, or three or more without leading zeros, unless they begin
      with 26 and are all of one even length.
    - Hex digits: Pronto if they begin with 0000 or 0100, else the bytes of the packet.
    - Base64: everything else. It cannot be confused with hex: Base64 of infrared begins with J, of
      433 MHz with s, of 315 MHz with 1 and, up to 63 repeats, w to z; of a TC2 with 6 and, up to
      159 repeats, Q to Z. For other types, the length read from the hex digits does not match.

    Base64 of an unknown type may be a code for Tuya's blasters, packed or plain. Data as long as
    its header announces is a packet, even if it could be a plain Tuya code.
    """
    text = text.strip()
    if not text:
        raise RefusedError("empty")
    if len(text) > MAX_TEXT:
        raise RefusedError("large", limit=MAX_TEXT)
    prefix, colon, rest = text.partition(":")
    if colon and (parser := PREFIXES.get(prefix.lower())):
        return parser(rest)
    if _is_microseconds(text):
        return from_raw(text)
    if text[: len(_SENDIR)].lower() == _SENDIR:
        return from_global_cache(text)
    if groups := _hex_groups(text):
        return from_pronto(text) if _PRONTO.match("".join(groups)) else from_hex(text)
    return _guessed_base64(text)


def _guessed_base64(text: str) -> bytes:
    """Return the packet of a Base64 text; errors name another format that it may be."""
    for beginning, name in _OTHER_FORMATS.items():
        if text.startswith(beginning):
            raise RefusedError("other_format", format=name, text=short(text))
    try:
        data = _decode_base64(text)
    except ValueError as err:
        if _is_of_a_hub(text):
            raise
        raise RefusedError("no_form", form=FORMS, text=short(text)) from err
    try:
        return _packet_of_bytes(data)
    except ValueError as err:
        if data and data[0] in TYPES:
            raise
        if len(text) > _MAX_NAME and data.startswith(_XIAOMI):
            raise RefusedError("xiaomi", text=short(text)) from err
        raise RefusedError("no_form", form=FORMS, text=short(text)) from err


def _packet_of_bytes(data: bytes) -> bytes:
    """Return the packet that some bytes contain: a hub's, or a code for Tuya's blasters.

    If both are possible, the length in the hub's header decides. Raise as `from_bytes` does.
    """
    length = int.from_bytes(data[2:4], "little")
    is_whole = len(data) >= _HEADER + length and not any(data[_HEADER + length :])
    if not is_whole and (packet := from_plain(data)) is not None:
        return packet
    try:
        return from_bytes(data)
    except ValueError:
        is_typed = bool(data) and data[0] in TYPES
        if data and not is_typed and (packet := from_tuya(data, guessed=True)) is not None:
            return packet
        raise


def _from_prefixed(text: str) -> bytes:
    """Read a text after `b64:`, a prefix that programs for Tuya's blasters use, too."""
    return _packet_of_bytes(_decode_base64(text))


def from_base64(text: str) -> bytes:
    """Read Base64: padded or not, standard or URL-safe, with white space allowed."""
    return from_bytes(_decode_base64(text))


def from_packed(text: str) -> bytes:
    """Read a code for Tuya's blasters, packed or plain."""
    data = _decode_base64(text)
    if (packet := from_tuya(data) or from_plain(data)) is None:
        raise RefusedError("no_form", form="Tuya", text=short(text))
    return packet


def from_hex(text: str) -> bytes:
    """Read hex digits, with or without spaces, colons, commas and 0x."""
    if not (groups := _hex_groups(text)):
        raise RefusedError("no_form", form="hex", text=short(text))
    if odd_group := next((group for group in groups if len(group) % 2), None):
        raise RefusedError("not_whole", text=short(odd_group))
    return from_bytes(bytes.fromhex("".join(groups)))


def from_pronto(text: str) -> bytes:
    """Read a learned Pronto code: `0000 carrier once repeat`, then pairs of words.

    A word counts periods of the carrier. The packet is that of a short press: the once sequence,
    or, without one, the repeat sequence and PRONTO_REPEATS repeats of it.
    """
    groups = _hex_groups(text)
    if not groups or any(len(group) % 4 for group in groups):
        raise RefusedError("no_form", form="Pronto", text=short(text))
    digits = "".join(groups)
    if not _PRONTO.match(digits):
        raise RefusedError("pronto_type", text=digits[:4])
    words = [int(digits[index : index + 4], 16) for index in range(0, len(digits), 4)]
    if len(words) < _PRONTO_HEADER_WORDS:
        raise RefusedError("not_whole", text=short(text))
    carrier, once, repeat = words[1:_PRONTO_HEADER_WORDS]
    if not carrier:
        raise RefusedError("pronto_type", text=f"{digits[:4]} {digits[4:8]}")
    words = words[_PRONTO_HEADER_WORDS:]
    if len(words) != 2 * (once + repeat):
        raise RefusedError("not_whole", text=short(text))
    period_us = carrier * PRONTO_UNIT_US
    durations = [word * period_us for word in words[: 2 * (once or repeat)]]
    return from_durations(durations, repeats=0 if once else PRONTO_REPEATS)


def from_global_cache(text: str) -> bytes:
    """Read a command for Global Caché's transmitters: `sendir,1:1,1,38000,1,1,342,171,21,64,…`."""
    if not (match := _GLOBAL_CACHE.fullmatch(text)) or not int(match[1]):
        raise RefusedError("no_form", form=GLOBAL_CACHE, text=short(text))
    copies, repeated_from = int(match[2]), int(match[3])
    periods = _global_cache_periods(match[4])
    if not copies or not repeated_from % 2 or repeated_from > len(periods):
        raise RefusedError("not_whole", text=short(text))
    if len(periods) * copies > MAX_PACKET:
        raise RefusedError("long_packet", limit=MAX_PACKET)
    periods += periods[repeated_from - 1 :] * (copies - 1)
    period_us = 1_000_000 / int(match[1])
    return from_durations([period * period_us for period in periods])


def _global_cache_periods(text: str) -> list[int]:
    """Return durations in periods of the carrier; empty if one is incomplete."""
    known: list[tuple[int, int]] = []
    periods: list[int] = []
    place = 0
    while part := _GLOBAL_CACHE_PAIR.match(text, place):
        place = part.end()
        if part[3] is None:
            pair = int(part[1]), int(part[2])
            if len(known) < _LETTERS and pair not in known:
                known.append(pair)
        elif (index := ord(part[3]) - ord("A")) < len(known):
            pair = known[index]
        else:
            return []
        periods += pair
    return [] if text[place:].strip() else periods


def from_raw(text: str) -> bytes:
    """Read microseconds, marks and spaces alternating: `9000 -4500 560`, or without signs.

    Also reads Tasmota's `+9000-4500+560Cb`, where a letter refers to the first (A), second (B), …
    distinct duration: a capital for a mark, a small letter for a space. A leading carrier or 0 is
    ignored, because hubs use a fixed carrier.
    """
    text = text.strip()
    if match := _COMPACT.fullmatch(text):
        return from_timings(_uncompacted(match[1]))
    if not (match := _NUMBERS.fullmatch(text)):
        raise RefusedError("no_microseconds", text=short(text))
    numbers = [int(number) for number in re.findall(_NUMBER, match[1])]
    if len(numbers) > 1 and numbers[1] > 0 and (not numbers[0] or numbers[0] in _CARRIERS_HZ):
        del numbers[0]
    if not _SIGNED.search(text):
        numbers[1::2] = [-number for number in numbers[1::2]]
    return from_timings(numbers)


def _uncompacted(text: str) -> list[int]:
    """Return the durations of Tasmota's compact notation, where letters refer to earlier ones."""
    distinct: list[int] = []
    durations: list[int] = []
    for number, mark, space in _COMPACT_PART.findall(text):
        if number:
            durations.append(int(number))
            if abs(durations[-1]) not in distinct:
                distinct.append(abs(durations[-1]))
            continue
        index = ord(mark or space.upper()) - ord("A")
        if index >= len(distinct):
            raise RefusedError("no_microseconds", text=short(text))
        durations.append(distinct[index] if mark else -distinct[index])
    return durations


def _is_microseconds(text: str) -> bool:
    """Return whether a text is microseconds, not hex without letters."""
    if _COMPACT.fullmatch(text):
        return True
    if not _NUMBERS.fullmatch(text):
        return False
    if not text[0].isdecimal() or _SIGNED.search(text):  # signs, or brackets
        return True
    lengths = {len(group) for group in _SEPARATORS.split(text)}
    is_hex = text.startswith("26") and lengths in ({2}, {4}, {8})
    return not is_hex and _UNSIGNED.fullmatch(text) is not None


def to_base64(packet: bytes) -> str:
    """Return the packet as padded Base64, the form that every other tool reads."""
    return base64.b64encode(packet).decode("ascii")


def to_hex(packet: bytes) -> str:
    """Return the packet as hex digits, without separators."""
    return packet.hex()


def is_packet(text: str) -> bool:
    """Return whether a text can be read as a packet."""
    try:
        parse_text(text)
    except ValueError:
        return False
    return True


def is_meant_as_packet(text: str) -> bool:
    """Return whether a text is a packet or an attempt at one, not the name of a command."""
    return len(text) > _MAX_NAME or is_packet(text)


def _hex_groups(text: str) -> list[str]:
    """Return the groups of digits; empty if the text is not entirely hex."""
    text = _HEX_PREFIX.sub("", text)
    return [*filter(None, _SEPARATORS.split(text))] if _SEPARATED_HEX.fullmatch(text) else []


def _is_of_a_hub(text: str) -> bool:
    """Return whether a text is no name, and begins like the packet of a hub in Base64."""
    if len(text) <= _MAX_NAME or " " in text:
        return False
    try:
        data = binascii.a2b_base64(text[:4], strict_mode=True)
    except binascii.Error:
        return False
    return bool(data) and data[0] in TYPES


def _decode_base64(text: str) -> bytes:
    digits = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if invalid := _NOT_BASE64.search(digits):
        raise RefusedError("character", character=repr(invalid[0]), text=short(text))
    try:
        return binascii.a2b_base64(digits + "=" * (-len(digits) % 4))
    except binascii.Error as err:
        raise RefusedError("not_whole", text=short(text)) from err


PREFIXES: Final[dict[str, Callable[[str], bytes]]] = {
    "b64": _from_prefixed,
    "hex": from_hex,
    "pronto": from_pronto,
    "raw": from_raw,
    "tuya": from_packed,
}
"""Prefix → function that reads the text after it."""


read_packet = lru_cache(maxsize=128)(parse_text)
"""Cached `parse_text`, for texts that are read repeatedly."""
