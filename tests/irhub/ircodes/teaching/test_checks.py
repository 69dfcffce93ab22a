"""Checks of messages: which bits confirm the others."""

from random import Random

import pytest

from custom_components.irhub.ircodes.states.checks import Unit
from custom_components.irhub.ircodes.teaching.check_search import find_checks


def summed(data: int, length: int) -> int:
    """Return a message of so many bits of data, and of eight with the sum of its bytes."""
    parts = (data >> start & 0xFF for start in range(0, length, 8))
    return data | (sum(parts) & 0xFF) << length


@pytest.mark.parametrize("length", [34, 41, 56, 61, 82])
def test_a_sum_is_at_the_end_of_a_frame_of_any_length(length: int) -> None:
    """The last byte need not begin where bytes do that are counted from the first bit."""
    random = Random(length)
    frames = (length + 8,)
    varied = random.getrandbits(length)
    heard = [summed(varied & random.getrandbits(length), length) for _ in range(12)]
    found = find_checks(tuple(heard), frames)
    [alternatives] = [one for one in found if one[0].target == Unit(length, 8)]
    for _ in range(20):
        message = summed(varied & random.getrandbits(length), length)
        damaged = message ^ 1 << random.randrange(length, length + 8)
        assert {one.compute(damaged, frames) for one in alternatives} == {message}
