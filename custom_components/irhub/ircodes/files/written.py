"""A packet's durations as other programs want to have them."""

from ..packet.packet import MAX_PACKET, kind, to_timings
from ..reasons import RefusedError


def timings_of(packet: bytes) -> list[int]:
    """Return signed microseconds, the hub's own repeats written out. Raise ValueError for radio."""
    if kind(packet) != "ir":
        raise RefusedError("radio")
    timings, copies = to_timings(packet), 1 + packet[1]
    if copies > 1 and timings[-1] > 0:
        raise RefusedError("not_in_format")
    if len(timings) * copies > MAX_PACKET:
        raise RefusedError("not_in_format")
    return timings * copies
