"""Codings whose spaces have more than two lengths."""

from custom_components.irhub.ircodes.packet.packet import from_timings

RCMM_US = (278, 444, 611, 778)


def rcmm(number: int, *, bits: int, longer_us: int = 0) -> bytes:
    """Return an RC-MM signal as received: two bits per space."""
    spaces = [RCMM_US[number >> place & 3] for place in range(bits - 2, -1, -2)]
    frame = [417, -278, *(us for space in spaces for us in (167, -space)), 167, -27_000]
    return from_timings([us + longer_us for us in frame * 2])


def xmp(number: int, *, longer_us: int = 0) -> bytes:
    """Return an XMP signal as received: two frames of eight hexadecimal digits."""
    timings: list[int] = []
    for value, gap_us in ((number >> 28, 13_800), (number & 0xFFF_FFFF, 80_400)):
        digits = [value >> 4 * place & 15 for place in range(6, -1, -1)]
        spaces = [760 + 136 * digit for digit in (*digits, -sum(digits) % 16)]
        timings += [us for space in spaces for us in (210, -space)] + [210, -gap_us]
    return from_timings([us + longer_us for us in timings])
