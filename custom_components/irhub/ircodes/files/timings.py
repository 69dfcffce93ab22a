"""Durations of a packet for formats without the hub's repeats."""

from ..packet.packet import MAX_PACKET, kind, to_timings
from ..reasons import RefusedError


def timings_of(packet: bytes) -> list[int]:
    """Return signed microseconds with the hub's repeats expanded. Raise RefusedError for radio."""
    if kind(packet) != "ir":
        raise RefusedError("radio")
    timings, copies = to_timings(packet), 1 + packet[1]
    if copies > 1 and timings[-1] > 0:
        raise RefusedError("not_in_format")
    if len(timings) * copies > MAX_PACKET:
        raise RefusedError("not_in_format")
    return timings * copies
