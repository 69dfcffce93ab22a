"""Presses of remote controls are told from ambient infrared."""

from random import Random

import pytest

from benchmarks.ambient import KINDS
from benchmarks.measure_noise import marks_of, received_with_errors
from custom_components.irhub.ircodes.packet.noise import LIMITS, is_noise
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from virtual_home.hub.remote import noise

from ..captured import captured, lenient, more_types

INFRARED = [known for known in captured() if known.kind == "ir"]


def test_noise_is_single_short_pulses_far_from_each_other() -> None:
    assert all(is_noise(noise(Random(seed))) for seed in range(200))
    assert is_noise(from_timings([244, -101_500]))
    assert is_noise(from_timings([2100, -25_670, 240, -25_640, 610, -25_700]))
    assert is_noise(from_timings([244, -21_000, 244, -19_000, 244, -101_500]))
    assert not is_noise(from_timings([3000, -101_500]))  # of a leader


def test_no_packet_is_noise() -> None:
    """Nor what is left of one where a receiver hears but its end."""
    assert not any(is_noise(known.packet) for known in captured())
    assert not any(is_noise(known.packet) for known in [*lenient(), *more_types()])
    for known in INFRARED:
        timings = to_timings(known.packet)
        for begin in range(0, len(timings) - 4, 2):
            assert not is_noise(from_timings(timings[begin:]))


def test_radio_is_no_noise() -> None:
    heard = noise(Random(1))
    assert not is_noise(b"\xb2" + heard[1:])


@pytest.mark.parametrize("kind", KINDS)
def test_ambient_infrared_is_noise(kind: str) -> None:
    """A few pulses may look like a press by chance; many hardly ever do."""
    heard = [from_timings(KINDS[kind](Random(seed))) for seed in range(1000)]
    accepted = [packet for packet in heard if not is_noise(packet)]
    assert len(accepted) < 70
    assert sum(marks_of(packet) >= LIMITS.few for packet in accepted) < 60


def test_a_press_with_reception_errors_is_no_noise() -> None:
    random = Random(1)
    for known in INFRARED:
        assert not any(is_noise(received_with_errors(known.packet, random)) for _ in range(20)), (
            known.what
        )


def test_nec_repeats_alone_are_a_press() -> None:
    assert not is_noise(from_timings([9000, -2250, 560, -96_000]))
    assert not is_noise(from_timings([9000, -2250, 560, -96_000] * 3))


def test_four_lengths_of_spaces_are_a_press() -> None:
    """RC-MM has them, and few marks."""
    spaces = [-274, -457, -609, -792, -274, -457, -609]
    timings = [426, -274, *(us for space in spaces for us in (152, space)), 152, -23_000]
    assert not is_noise(from_timings(timings))


def test_short_biphase_codes_are_a_press() -> None:
    """Of a public collection: seven marks of three lengths, spaces of three."""
    timings = [487, -2497, 1492, -1005, 1005, -1005, 1005, -1005, 487, -487, 1005, -1005, 487]
    assert not is_noise(from_timings([*timings, -103_298]))


def test_few_pulses_far_apart_are_a_press_if_all_are_alike() -> None:
    """Of a public collection: six marks, whose spaces are the bits."""
    timings = [457, -10_994, 457, -7_370, 457, -10_994, 457, -7_370, 457, -10_994, 457, -23_206]
    assert not is_noise(from_timings(timings))


def test_what_is_read_as_bits_is_a_press_whatever_its_durations_are() -> None:
    """Biphase of many lengths is not regular."""
    timings = [1644, -822, 4903, -1644, 3259, -1644, 2467, -2467, 822, -822, 4903, -1644]
    assert not is_noise(from_timings([*timings, 822, -1644, 822, -1644, 1644, -52_197]))
