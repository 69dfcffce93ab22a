"""Packets: the hub's transmission format, as bytes and as durations.

A packet, little-endian:

    0     type: 0x26 infrared; anything else radio, mostly 0xB_ (433 MHz), 0xD_ or 0x78 (315 MHz)
    1     number of repeats by the hub; 0xC0 in an RM4 pro's radio capture, where it is no count
    2-3   length of the rest
    4-7   only in a radio capture of an RM4 pro (0xC0 at 1): the carrier in kHz
    4-    (8- after a carrier) durations, marks and spaces alternating, in ticks of 8192/269 µs:
          one byte, or 00 and two bytes, big-endian, from 256 ticks on

Functions that parse raise `RefusedError`, a ValueError that quotes the beginning of the value.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from ..reasons import RefusedError

MAX_PACKET: Final = 8192
"""Bytes that a hub accepts. The longest captures are a tenth of it."""
MAX_MISSING: Final = 15
"""Bytes that may be missing at the end: the cipher pads the last block with zeros."""
MAX_REPEATS: Final = 0xFF

TICK_US: Final = 8192 / 269
MAX_TICKS: Final = 0xFFFF

INFRARED: Final = 0x26
"""Type byte of an infrared packet."""
_TYPE_TC2: Final = 0xE9
"""Type byte of Broadlink's own wall switches (TC2)."""
TYPES: Final = frozenset({INFRARED, _TYPE_TC2, *range(0xB0, 0xC0), *range(0xD0, 0xE0)})
"""Common type bytes. The list is not complete: radio types vary with model and firmware. Any other
type is radio if the length in the header matches the data.
"""
BANDS_HZ: Final = {0xB2: (433_050_000, 434_790_000), 0xD7: (314_950_000, 315_250_000)}
"""Packet type → lowest and highest carrier in Hz that a hub transmits with it. For 315 MHz the
protocol's public description names 0xD7; core writes 0xB4, captures of an RM4 pro have 0x78.
"""
HEADER: Final = 4
"""Bytes before the durations or the carrier."""
_LONG_DURATION: Final = b"\0"
"""Prefix of a two-byte duration."""
_CARRIER_HEADER: Final = 8
_CARRIER_MARK: Final = 0xC0
_CARRIERS_KHZ: Final = range(100_000, 1_000_001)
_ONE_BYTE_TICKS: Final = 256
MAX_AIR_TIME_S: Final = MAX_PACKET * (_ONE_BYTE_TICKS - 1) * TICK_US / 1e6
"""Seconds (64) of a packet of MAX_PACKET bytes with only one-byte durations."""
_MAX_QUOTED_US: Final = 10**12
"""Errors show longer durations as this value."""
_LONG_GAP_TICKS: Final = 100
"""About 3 ms: longer than data pulses, shorter than gaps between frames."""
_GAPS: Final = 2
_GAP_SHARE: Final = 0.75
"""Minimum ratio of the gaps of one capture to its longest duration."""
FORMS: Final = "Base64/hex/Pronto/Tuya"
"""Text forms of a packet, as named in errors."""
_MAX_QUOTED: Final = 8
"""Characters of a packet's text quoted in errors: the header in hex."""


def from_bytes(data: bytes) -> bytes:
    """Return the packet at the beginning of `data`. Raise RefusedError if there is none.

    Bytes after the announced length are dropped: captures have remnants of earlier data there,
    converters a closing 0d 05. Up to MAX_MISSING bytes may be missing, and the last duration may be
    incomplete; the packet is transmitted as it is. A type that is not in TYPES is radio if at most
    MAX_MISSING bytes follow the announced length.
    """
    if len(data) < HEADER:
        raise RefusedError("not_whole", text=short(data.hex()))
    length = int.from_bytes(data[2:HEADER], "little")
    if data[0] not in TYPES and abs(HEADER + length - len(data)) > MAX_MISSING:
        raise RefusedError("no_form", form=FORMS, text=short(data.hex()))
    packet = data[: HEADER + length]
    if len(packet) > MAX_PACKET:
        raise RefusedError("long_packet", limit=MAX_PACKET)
    if HEADER + length - len(packet) > MAX_MISSING:
        raise RefusedError("not_whole", text=short(packet.hex()))
    ticks = to_ticks(packet)
    if not ticks:
        raise RefusedError("no_durations")
    if 0 in ticks:
        raise _refused_duration(ticks.index(0) + 1, 0)
    return packet


def from_capture(data: bytes) -> bytes:
    """Return the packet of a capture, corrected if the hub began to record within a pulse.

    An RM4 pro sometimes does. Marks and spaces of such a radio capture are swapped, so that a hub
    would be silent where the remote control transmitted. It is recognized by two or more gaps
    between frames that are all at positions of marks; its first duration, the rest of the pulse, is
    removed. If frames begin with a long pulse, only the longest durations count as gaps. Raise
    RefusedError as `from_bytes` does.
    """
    packet = from_bytes(data)
    if not _has_carrier(packet):
        return packet
    ticks = to_ticks(packet)
    gaps = [index for index, duration in enumerate(ticks) if duration >= _LONG_GAP_TICKS]
    if len({index % 2 for index in gaps}) > 1:
        longest = max(ticks)
        gaps = [index for index in gaps if ticks[index] > longest * _GAP_SHARE]
    if len(gaps) < _GAPS or any(index % 2 for index in gaps):
        return packet
    first_size = 1 if packet[_CARRIER_HEADER] else 3
    body = packet[HEADER:_CARRIER_HEADER] + packet[_CARRIER_HEADER + first_size :]
    return packet[:2] + len(body).to_bytes(2, "little") + body


def from_timings(timings_us: Sequence[int], *, repeats: int = 0) -> bytes:
    """Return an infrared packet for durations in µs: marks positive, spaces negative.

    Durations below a tick become one tick. Neighbours with the same sign are added up; a space
    before the first mark is dropped. `repeats` (0 to 255) is how often the hub itself repeats the
    packet.
    """
    if 0 in timings_us:
        raise _refused_duration(timings_us.index(0) + 1, 0)
    if len(timings_us) > 1 and min(timings_us) > 0:
        raise RefusedError("no_microseconds", text=short(" ".join(map(str, timings_us))))
    if timings_us and min(timings_us[::2]) > 0 > max(timings_us[1::2], default=-1):
        return from_durations([*map(abs, timings_us)], repeats=repeats)
    durations = [
        (mark, abs(sum(group))) for mark, group in groupby(timings_us, lambda value: value > 0)
    ]
    if durations and not durations[0][0]:
        del durations[0]
    return from_durations([duration for _, duration in durations], repeats=repeats)


def from_radio_timings(timings_us: Sequence[int], *, frequency_hz: int, repeats: int = 0) -> bytes:
    """Return a radio packet for durations in µs: carrier on positive, off negative.

    Raise RefusedError for a frequency outside the hubs' bands, and as `from_timings` does.
    """
    for type_byte, (lowest, highest) in BANDS_HZ.items():
        if lowest <= frequency_hz <= highest:
            return bytes([type_byte]) + from_timings(timings_us, repeats=repeats)[1:]
    raise RefusedError("frequency", frequency=f"{frequency_hz / 1e6:g}")


def from_durations(durations_us: Sequence[float], *, repeats: int = 0) -> bytes:
    """Return an infrared packet for durations in µs, marks and spaces alternating."""
    if not durations_us:
        raise RefusedError("no_durations")
    if not 0 <= repeats <= MAX_REPEATS:
        raise RefusedError(
            "parameter", parameter="repeat_count", value=repeats, lowest=0, highest=MAX_REPEATS
        )
    if len(durations_us) > MAX_PACKET:
        raise RefusedError("long_packet", limit=MAX_PACKET)
    encoded: dict[float, bytes] = {}
    for number, duration in enumerate(durations_us, 1):
        if duration not in encoded:
            encoded[duration] = _encoded_duration(number, duration)
    body = b"".join([encoded[duration] for duration in durations_us])
    return from_bytes(bytes([INFRARED, repeats]) + len(body).to_bytes(2, "little") + body)


def _encoded_duration(number: int, duration_us: float) -> bytes:
    """Return the bytes of a duration; `number` is its position, for the error."""
    if duration_us >= (MAX_TICKS + 0.5) * TICK_US:  # an int may be too large for a float
        raise _refused_duration(number, duration_us)
    ticks = max(1, round(duration_us / TICK_US))
    return bytes([ticks]) if ticks < _ONE_BYTE_TICKS else _LONG_DURATION + ticks.to_bytes(2)


def join(packets: Sequence[bytes], *, gap_us: int | Sequence[int]) -> bytes:
    """Return one infrared packet that transmits several in order, at least `gap_us` apart.

    A sequence has the gap after each of the packets. Raise RefusedError for radio packets, and as
    `from_timings` does.
    """
    gaps_us = [gap_us] * len(packets) if isinstance(gap_us, int) else gap_us
    joined: list[int] = []
    for packet, gap in zip(packets, gaps_us, strict=True):
        if kind(packet) != "ir":
            raise RefusedError("radio_in_sequence")
        timings = to_timings(packet)
        last_space = timings.pop() if len(timings) % 2 == 0 else 0
        joined += [*timings, min(last_space, -gap)] * (1 + packet[1])
    return from_timings(joined)


def to_timings(packet: bytes) -> list[int]:
    """Return the durations in µs: marks positive, spaces negative."""
    ticks = to_ticks(packet)
    us = {length: round(length * TICK_US) for length in {*ticks}}
    timings = [us[length] for length in ticks]
    timings[1::2] = [-timing for timing in timings[1::2]]
    return timings


def to_ticks(packet: bytes) -> list[int]:
    """Return the durations in ticks, marks and spaces alternating, without an incomplete one."""
    ticks: list[int] = []
    start = _CARRIER_HEADER if _has_carrier(packet) else HEADER
    while (long := packet.find(_LONG_DURATION, start)) >= 0:
        ticks += packet[start:long]
        start = long + 3
        if start > len(packet):
            return ticks
        ticks.append(int.from_bytes(packet[long + 1 : start], "big"))
    ticks += packet[start:]
    return ticks


def kind(packet: bytes) -> Literal["ir", "rf"]:
    """Return whether a packet is infrared or radio."""
    return "ir" if packet[0] == INFRARED else "rf"


def carrier_mhz(packet: bytes) -> float | None:
    """Return the recorded carrier in MHz; None except in radio captures of an RM4 pro."""
    if not _has_carrier(packet):
        return None
    return int.from_bytes(packet[HEADER:_CARRIER_HEADER], "little") / 1000 or None


def repeats_of(packet: bytes) -> int | None:
    """Return how often the hub repeats a packet after the first time; None if it has no count."""
    return None if _has_carrier(packet) else packet[1]


def with_repeats(packet: bytes, repeats: int) -> bytes:
    """Return the packet with another count of repeats (0 to 255); unchanged if it has no count."""
    return packet if _has_carrier(packet) else bytes([packet[0], repeats, *packet[2:]])


@lru_cache(maxsize=128)
def air_time_s(packet: bytes) -> float:
    """Return how many seconds a transmission takes, including repeats.

    At most MAX_AIR_TIME_S, which limits the time that callers wait for the hub.
    """
    repeats = repeats_of(packet) or 0
    return min(MAX_AIR_TIME_S, sum(to_ticks(packet)) * TICK_US / 1e6 * (1 + repeats))


def _refused_duration(number: int, duration_us: float) -> RefusedError:
    """Return the error for a duration that does not fit in a packet."""
    return RefusedError(
        "duration",
        number=number,
        duration=f"{min(duration_us, _MAX_QUOTED_US):.0f}",
        limit=f"{MAX_TICKS * TICK_US:.0f}",
    )


def short(text: str) -> str:
    """Quote only the beginning: errors are logged, and a packet may open a garage door."""
    text = " ".join(text.split())
    if len(text) <= _MAX_QUOTED:
        return repr(text)
    return f"{text[:_MAX_QUOTED] + '…'!r} ({len(text)})"


def _has_carrier(packet: bytes) -> bool:
    """Return whether this is a capture with a carrier, not a packet repeated 0xC0 times.

    Durations are not mistaken for a carrier: its highest byte, 0, would be the prefix of a two-byte
    duration, which never follows a duration as short as the byte before it.
    """
    khz = int.from_bytes(packet[HEADER:_CARRIER_HEADER], "little")
    return khz in _CARRIERS_KHZ and packet[0] != INFRARED and packet[1] == _CARRIER_MARK
