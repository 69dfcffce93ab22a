"""What a hub transmits: packets, and the texts people write them in.

A packet, little-endian:

    0     type: 0x26 IR, 0xB2 RF 433 MHz, 0xD7 RF 315 MHz, 0xB1 capture of an RM4 pro
    1     how often the hub repeats it (in an 0xB1 capture: not a count)
    2-3   length of what follows
    4-7   only in an 0xB1 capture: the carrier in kHz
    4-    (8- in an 0xB1 capture) durations, mark and space by turns, in ticks of
          8192/269 µs: one byte, or 00 and two bytes, big-endian, from 256 ticks on

Every function that reads raises ValueError with a sentence that quotes the value's beginning.
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
import re
from typing import Literal

MAX_PACKET = 8192
"""Bytes; the longest captures are a tenth of it."""
MAX_TEXT = 8 * MAX_PACKET
"""Characters; a packet of MAX_PACKET bytes fits in any form."""

TICK_US = 8192 / 269
MAX_TICKS = 0xFFFF
MAX_REPEATS = 0xFF
PRONTO_UNIT_US = 1 / 4.145146
"""The word for the carrier counts units of this length."""

_TYPE_IR = 0x26
_TYPE_RM4_RF = 0xB1
_HEADER = 4
_SHOWN = 8
"""Characters of a packet's text that errors quote: those of the header, in hex."""
_LONG = 32
"""Characters; what is longer is hardly a name."""
_RM4_RF_HEADER = 8
_ONE_BYTE_TICKS = 256

_SEPARATED_HEX = re.compile(r"[0-9a-fA-F\s:,]+")
_SEPARATORS = re.compile(r"[\s:,]+")
_HEX_PREFIX = re.compile(r"(?<![0-9a-zA-Z])0[xX]")
_PRONTO = re.compile(r"0[01]00")
_PRONTO_HEADER_WORDS = 4
_NUMBER = r"[+-]?[0-9]{1,9}"
_NUMBERS = re.compile(rf"\[?\s*({_NUMBER}(?:[\s,]+{_NUMBER})*)[\s,]*\]?")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


def parse_text(text: str) -> bytes:
    """Read a packet from Base64, hex, Pronto hex or signed microseconds.

    A prefix (`b64:`, `hex:`, `pronto:`, `raw:`) says which it is. Without one
    the form is told by the text itself: numbers with signs are microseconds, hex
    digits are Pronto if they begin with 0000 or 0100 and else the packet's bytes,
    anything else is Base64. Base64 is no rival to hex: that of infrared begins with
    J, of 433 MHz with s, of 315 MHz with 1 and, up to 63 repeats, w to z.
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
        return _from_raw(text)
    if groups := _hex_groups(text):
        return from_pronto(text) if _PRONTO.match("".join(groups)) else from_hex(text)
    try:
        packet = _decode_base64(text)
    except ValueError as err:
        raise ValueError(f"not Base64, hex or Pronto: {err}") from err
    if not _is_type(packet[:1]):
        raise ValueError(f"not Base64, hex or Pronto of a packet: {short(text)}")
    return check(packet)


def from_base64(text: str) -> bytes:
    """Read Base64: padded or not, standard or URL-safe, with white space."""
    return check(_decode_base64(text))


def from_hex(text: str) -> bytes:
    """Read hex digits, with or without spaces, colons, commas and 0x."""
    if not (groups := _hex_groups(text)):
        raise ValueError(f"not hex: {short(text)}")
    if odd := next((group for group in groups if len(group) % 2), None):
        raise ValueError(f"an odd number of hex digits ({len(odd)}): {short(odd)}")
    return check(bytes.fromhex("".join(groups)))


def from_pronto(text: str) -> bytes:
    """Read a learned Pronto code: `0000 carrier once repeat`, then pairs of words.

    A word counts periods of the carrier. The once sequence is taken, or the
    repeat sequence where there is no other: what one short press transmits.
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
    return _encode([word * period_us for word in words[: 2 * (once or repeat)]])


def from_timings(timings_us: Sequence[int], *, repeats: int = 0) -> bytes:
    """Make an IR packet of microseconds: marks positive, spaces negative.

    What is shorter than a tick becomes one tick. Neighbours of one sign are one
    duration; a space before the first mark is left out. `repeats` (0 to 255) is
    how often the hub itself transmits the packet again.
    """
    if 0 in timings_us:
        raise ValueError("a duration of 0 µs")
    if len(timings_us) > 1 and min(timings_us) > 0:
        raise ValueError("no space (a negative number) between the marks")
    durations = [
        (mark, abs(sum(group))) for mark, group in groupby(timings_us, lambda value: value > 0)
    ]
    if durations and not durations[0][0]:
        del durations[0]
    return _encode([duration for _, duration in durations], repeats=repeats)


def to_timings(packet: bytes) -> list[int]:
    """Give the durations in microseconds: marks positive, spaces negative."""
    return [
        round(ticks * TICK_US) * (-1 if index % 2 else 1)
        for index, ticks in enumerate(_ticks(trim(packet)))
    ]


def to_base64(packet: bytes) -> str:
    """Give the packet as padded Base64, the form that every other tool reads."""
    return base64.b64encode(packet).decode("ascii")


def to_hex(packet: bytes) -> str:
    """Give the packet as hex digits, without separators."""
    return packet.hex()


def short(text: str) -> str:
    """Quote the beginning only: a packet may open a garage, and errors are logged."""
    text = " ".join(text.split())
    if len(text) <= _SHOWN:
        return repr(text)
    return f"{text[:_SHOWN] + '…'!r} ({len(text)} characters)"


def is_meant_as_packet(text: str) -> bool:
    """Tell a packet, or what was to be one, from the name of a command."""
    if len(text) > _LONG:
        return True
    try:
        parse_text(text)
    except ValueError:
        return False
    return True


def kind(packet: bytes) -> Literal["ir", "rf"]:
    """Tell infrared from radio, of a packet that `check` has passed."""
    return "ir" if packet[0] == _TYPE_IR else "rf"


def trim(packet: bytes) -> bytes:
    """Cut off what follows the length in the header: captures carry cipher padding."""
    if len(packet) < _HEADER:
        raise ValueError(f"{len(packet)} bytes are too few for a packet: {short(packet.hex())}")
    length = int.from_bytes(packet[2:4], "little")
    if len(packet) < _HEADER + length:
        raise ValueError(
            f"the header announces {length} bytes, but {len(packet) - _HEADER} follow:"
            f" the end is missing: {short(packet.hex())}"
        )
    return packet[: _HEADER + length]


def check(packet: bytes) -> bytes:
    """Give the packet trimmed, or say what is wrong with it."""
    if len(packet) > MAX_PACKET:
        raise ValueError(f"a packet of {len(packet)} bytes is longer than {MAX_PACKET}")
    if packet and not _is_type(packet[:1]):
        raise ValueError(
            f"type 0x{packet[0]:02x} is neither infrared (0x26) nor radio (0xb_, 0xd_):"
            f" {short(packet.hex())}"
        )
    trimmed = trim(packet)
    if rest := packet[len(trimmed) :].strip(b"\0"):
        raise ValueError(
            f"the header announces {len(trimmed) - _HEADER} bytes, but"
            f" {len(packet) - _HEADER} follow, up to 0x{rest[-1]:02x}: {short(packet.hex())}"
        )
    ticks = list(_ticks(trimmed))
    if not ticks:
        raise ValueError(f"no durations: {short(packet.hex())}")
    if 0 in ticks:
        raise ValueError(f"duration {ticks.index(0) + 1} is 0: {short(packet.hex())}")
    return trimmed


def _is_type(first: bytes) -> bool:
    # Hubs vary the low bits of the radio types with their firmware.
    return first == bytes([_TYPE_IR]) or first.hex()[:1] in {"b", "d"}


def _ticks(packet: bytes) -> Iterator[int]:
    index = _RM4_RF_HEADER if packet[0] == _TYPE_RM4_RF else _HEADER
    while index < len(packet):
        ticks = packet[index]
        index += 1
        if ticks == 0:
            if index + 2 > len(packet):
                raise ValueError(f"the last duration is cut off: {short(packet.hex())}")
            ticks = int.from_bytes(packet[index : index + 2], "big")
            index += 2
        yield ticks


def _encode(durations_us: Sequence[float], *, repeats: int = 0) -> bytes:
    if not durations_us:
        raise ValueError("no durations")
    if not 0 <= repeats <= MAX_REPEATS:
        raise ValueError(f"{repeats} repeats are not within 0 to {MAX_REPEATS}")
    if len(durations_us) > MAX_PACKET:
        raise ValueError(f"{len(durations_us)} durations are more than {MAX_PACKET}")
    body = bytearray()
    for duration in durations_us:
        ticks = max(1, round(duration / TICK_US))
        if ticks > MAX_TICKS:
            raise ValueError(f"{duration:.0f} µs is longer than {MAX_TICKS * TICK_US:.0f} µs")
        body += bytes([ticks]) if ticks < _ONE_BYTE_TICKS else b"\0" + ticks.to_bytes(2, "big")
    return check(bytes([_TYPE_IR, repeats]) + len(body).to_bytes(2, "little") + body)


def _from_raw(text: str) -> bytes:
    match = _NUMBERS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not microseconds such as 9000 -4500 560: {short(text)}")
    return from_timings([int(number) for number in re.split(r"[\s,]+", match[1])])


def _hex_groups(text: str) -> list[str]:
    """Give the groups of digits of a text that is hex and nothing else."""
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


_PREFIXES: dict[str, Callable[[str], bytes]] = {
    "b64": from_base64,
    "hex": from_hex,
    "pronto": from_pronto,
    "raw": _from_raw,
}
