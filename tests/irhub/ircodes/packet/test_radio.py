"""Radio packets of raw timings."""

import pytest

from custom_components.irhub.ircodes import to_timings
from custom_components.irhub.ircodes.packet import from_bytes, from_radio_timings, kind


@pytest.mark.parametrize(
    ("frequency_hz", "type_byte"),
    [(433_050_000, 0xB2), (433_920_000, 0xB2), (434_790_000, 0xB2), (315_000_000, 0xD7)],
)
def test_the_band_is_the_type(frequency_hz: int, type_byte: int) -> None:
    packet = from_radio_timings([350, -1050, 1050, -350], frequency_hz=frequency_hz, repeats=7)
    assert packet[:2] == bytes((type_byte, 7))
    assert from_bytes(packet) == packet
    assert kind(packet) == "rf"
    assert to_timings(packet) == [335, -1035, 1035, -335]


@pytest.mark.parametrize("frequency_hz", [0, 300_000_000, 433_049_999, 868_000_000])
def test_other_frequencies_are_named(frequency_hz: int) -> None:
    with pytest.raises(ValueError, match=f"^{frequency_hz / 1e6:g} MHz"):
        from_radio_timings([350, -1050], frequency_hz=frequency_hz)


def test_too_many_repeats_are_named() -> None:
    with pytest.raises(ValueError, match="repeat_count is 256, which is not within 0 to 255"):
        from_radio_timings([350, -1050], frequency_hz=433_920_000, repeats=256)
