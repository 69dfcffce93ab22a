"""Radio packets of raw timings: as infrared ones, with the type of their band."""

from collections.abc import Mapping, Sequence
from typing import Final

from .packet import from_timings

TYPE_433: Final = 0xB2
TYPE_315: Final = 0xD7

BANDS_HZ: Final[Mapping[int, tuple[int, int]]] = {
    TYPE_433: (433_050_000, 434_790_000),
    TYPE_315: (314_950_000, 315_250_000),
}
"""Packet type → the lowest and highest carrier in Hz that a hub transmits it on."""


def radio_packet(timings_us: Sequence[int], *, frequency_hz: int, repeats: int = 0) -> bytes:
    """Make a radio packet of microseconds: carrier on positive, off negative.

    `repeats` (0 to 255) is how often the hub itself transmits it again. Raises
    ValueError for a frequency outside the hubs' bands, and as `from_timings` does.
    """
    for type_byte, (lowest, highest) in BANDS_HZ.items():
        if lowest <= frequency_hz <= highest:
            return bytes([type_byte]) + from_timings(timings_us, repeats=repeats)[1:]
    raise ValueError(f"{frequency_hz / 1e6:g} MHz is not within 433.05 to 434.79 or 315 ± 0.15 MHz")
