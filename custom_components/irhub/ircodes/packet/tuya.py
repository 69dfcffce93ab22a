"""Codes of Tuya's infrared blasters, plain and packed.

Plain codes (WiFi: tuya_local, tinytuya) are Base64 of durations in µs, two bytes each,
little-endian, mark first. Packed codes (Zigbee: ZS06, UFO-R11, MOES; as sent by MQTT and ZHA) are
Base64 of compressed blocks that unpack to the same. A block:

    000nnnnn                    n + 1 literal bytes follow
    lllddddd dddddddd           copy l + 2 bytes from d + 1 bytes back
    111ddddd llllllll dddddddd  copy l + 9 bytes, likewise
"""

import base64
from collections.abc import Sequence
import struct
from typing import Final

from .packet import MAX_PACKET, from_durations

LONGEST_US: Final = 0xFFFF
_LITERALS: Final = 32
"""Maximum number of literal bytes in a block."""
_SHORTEST: Final = 3
_LONGEST: Final = 0xFF + 9
_LONG: Final = 7
"""Value of the length bits which means that the length has a byte of its own."""
_WINDOW: Final = 1 << 13
_MAX_CANDIDATES: Final = 64
"""Maximum number of earlier matches that are compared, the latest ones."""
_MIN_PACKED: Final = 8
"""Minimum number of durations for a packed code to be recognized."""
_MARKS_US: Final = range(50, 20_000)
_MIN_PLAIN: Final = 20
"""Minimum number of durations for a plain code to be recognized; the shortest remote controls have
22.
"""
_DURATIONS_US: Final = range(100, LONGEST_US + 1)
_USUAL_MARKS_US: Final = range(150, 2_500)
_MAX_DEVIATION: Final = 0.4
_MIN_ALIKE: Final = 0.6
"""Minimum share of marks that differ from the median by at most `_MAX_DEVIATION`; in RC-5 a third
is twice as long."""


def from_tuya(data: bytes, *, guessed: bool = False) -> bytes | None:
    """Return the packet of a packed code; None if the bytes are not such a code.

    `guessed`: nothing indicates that they are. The check is then stricter, so that a name made of
    letters is not taken for a code.
    """
    unpacked = _unpacked(data)
    if not unpacked or len(unpacked) % 2:
        return None
    durations = struct.unpack(f"<{len(unpacked) // 2}H", unpacked)
    if guessed and (
        len(durations) < _MIN_PACKED or any(us not in _MARKS_US for us in durations[::2])
    ):
        return None
    return from_durations(durations) if all(durations) else None


def from_plain(data: bytes) -> bytes | None:
    """Return the packet of a plain code; None if its durations are not a remote control's."""
    if not data or len(data) % 2 or len(data) > 2 * MAX_PACKET:
        return None
    durations = struct.unpack(f"<{len(data) // 2}H", data)
    return from_durations(durations) if _is_likely(durations) else None


def _is_likely(durations: Sequence[int]) -> bool:
    """Return whether durations look like a remote control's: most marks have the same length."""
    marks = sorted(durations[2::2])  # after the leader
    if len(durations) < _MIN_PLAIN or any(us not in _DURATIONS_US for us in durations):
        return False
    usual = marks[len(marks) // 2]
    alike = sum(usual * (1 - _MAX_DEVIATION) <= us <= usual * (1 + _MAX_DEVIATION) for us in marks)
    return usual in _USUAL_MARKS_US and alike >= _MIN_ALIKE * len(marks)


def to_tuya(timings_us: Sequence[int]) -> str:
    """Return signed microseconds as a packed code. Durations are limited to LONGEST_US."""
    unpacked = b"".join(min(abs(us), LONGEST_US).to_bytes(2, "little") for us in timings_us)
    return base64.b64encode(_packed(unpacked)).decode()


def _unpacked(data: bytes) -> bytes | None:
    unpacked = bytearray()
    index = 0
    while index < len(data):
        length, distance = data[index] >> 5, data[index] & 0x1F
        index += 1
        if not length:
            block = data[index : index + distance + 1]
            if len(block) <= distance:
                return None
            unpacked += block
            index += len(block)
            continue
        has_length_byte = length == _LONG
        if index + has_length_byte >= len(data):
            return None
        length += 2 + (data[index] if has_length_byte else 0)
        start = len(unpacked) - (distance << 8 | data[index + has_length_byte]) - 1
        index += 1 + has_length_byte
        if start < 0 or len(unpacked) + length > 2 * MAX_PACKET:
            return None
        copied = unpacked[start : start + length]  # repeated below if shorter than `length`
        unpacked += (copied * (length // len(copied) + 1))[:length]
    return bytes(unpacked)


def _packed(unpacked: bytes) -> bytes:
    packed, literals = bytearray(), bytearray()
    positions: dict[bytes, list[int]] = {}
    index = 0
    while index < len(unpacked):
        beginning = unpacked[index : index + _SHORTEST]
        length, start = max(
            (
                (_match_length(unpacked, position, index), position)
                for position in positions.get(beginning, [])[-_MAX_CANDIDATES:]
                if index - position <= _WINDOW
            ),
            default=(1, 0),
        )
        if length < _SHORTEST:
            length = 1
            literals += unpacked[index : index + 1]
        else:
            packed += _literal_blocks(literals) + _copy_block(length, index - start - 1)
            literals.clear()
        for position in range(index, index + length):
            positions.setdefault(unpacked[position : position + _SHORTEST], []).append(position)
        index += length
    return bytes(packed + _literal_blocks(literals))


def _match_length(data: bytes, position: int, index: int) -> int:
    """Return the number of equal bytes from both positions on, at most _LONGEST."""
    limit = min(_LONGEST, len(data) - index)
    return next(
        (count for count in range(limit) if data[position + count] != data[index + count]), limit
    )


def _literal_blocks(literals: bytes | bytearray) -> bytes:
    blocks = (literals[start : start + _LITERALS] for start in range(0, len(literals), _LITERALS))
    return b"".join(bytes([len(block) - 1]) + block for block in blocks)


def _copy_block(length: int, distance: int) -> bytes:
    high, low = divmod(distance, 0x100)
    if length - 2 < _LONG:
        return bytes([length - 2 << 5 | high, low])
    return bytes([_LONG << 5 | high, length - 2 - _LONG, low])
