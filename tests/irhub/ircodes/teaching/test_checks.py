"""Checks of messages: which bits confirm the others."""

from random import Random

import pytest

from custom_components.irhub.ircodes.states.checks import Check, Unit
from custom_components.irhub.ircodes.teaching.check_search import find_checks
from custom_components.irhub.ircodes.teaching.evidence import Evidence

from .remotes import two_modes


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


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("msb", [False, True])
@pytest.mark.parametrize("frames", [(56,), (24, 32), (52,)])
def test_the_xor_of_bytes_or_of_half_bytes(frames: tuple[int, ...], width: int, msb: bool) -> None:
    """Whether a frame has whole bytes or not; the last bits of the message are the check."""
    random, length = Random(width), sum(frames)
    target = Unit(length - width, width)
    check = Check(kind="xor", target=target, start=0, end=target.start, msb=msb, target_msb=msb)
    for _ in range(20):
        data = random.getrandbits(target.start)
        expected = 0
        for start in range(0, target.start, width):
            expected ^= data >> start & (1 << width) - 1
        assert check.compute(data, frames) == data | expected << target.start


def counted(data: int) -> int:
    """Return a message of seven bytes; the high half of the second one is less with each one."""
    data &= ~0xF000
    return data | (12 - data.bit_count()) % 16 << 12


def test_half_a_byte_in_a_frame_may_count_the_ones() -> None:
    """The count is in no byte of its own, and goes on at 0 after 15."""
    random = Random(7)
    varied = random.getrandbits(56)
    received = [counted(varied & random.getrandbits(56)) for _ in range(12)]
    [[check]] = find_checks(tuple(received), (56,))
    assert check.target == Unit(12, 4)
    for _ in range(20):
        message = counted(varied & random.getrandbits(56))
        assert check.compute(message ^ 0x5000, (56,)) == message


@pytest.mark.parametrize(("times", "count"), [(1, 1), (2, 0)])
def test_a_message_received_twice_refutes_a_check(times: int, count: int) -> None:
    """One that was received once may have been received badly."""
    states = [*two_modes().capabilities.states()]
    received = [(state, summed(0x23 | index * 0x0301_00, 24)) for index, state in enumerate(states)]
    other, message = received[4]
    received[4:5] = [(other, message ^ 0x1100_0000)] * times
    evidence = Evidence(received[:12], (32,), two_modes().capabilities)
    assert len(evidence.checks) == count
