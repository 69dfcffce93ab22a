"""Remote controls that send a clock, a counter, a measured temperature or random bits.

These bits share bytes with bits of the state, and change with most presses or only once in a
lesson. They may be sent with any value; all other bits must be those of the state.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import xor
from random import Random

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.state import Off, State

from . import remotes
from .lessons import taught
from .remotes import Frames, RemoteControl

type Check = Callable[[Sequence[int]], int] | None
type Volatile = Callable[[int], int]
"""Number of the press → value of the volatile bits."""
type Place = Callable[[list[int], int], list[int]]
"""Bytes of the state and a volatile value → bytes of the packet, without a check."""


def _sum(body: Sequence[int]) -> int:
    return sum(body) & 0xFF


def _xor(body: Sequence[int]) -> int:
    return reduce(xor, body)


def _byte(body: list[int], value: int) -> list[int]:
    return [*body, value]


def _beside_a_copy(body: list[int], value: int) -> list[int]:
    """Four volatile bits in a byte with a copy of bits of the state."""
    return [*body, (value & 15) << 4 | body[1] & 15]


def _beside_what_nothing_explains(body: list[int], value: int) -> list[int]:
    """Four volatile bits in a byte with bits of the state that follow no rule."""
    degrees = body[2] & 0x0F
    return [*body, (value & 15) << 4 | (degrees * degrees * 7 + degrees * 13) % 31 & 15]


def _random(values: int) -> Volatile:
    return lambda press: Random(f"a remote control {press}").randrange(values)


def _clock(first: int, every: int) -> Volatile:
    """Return minutes that go on at a press, and then after some more each time."""
    return lambda press: 37 + (0 if press < first else 1 + (press - first) // every)


def _room(press: int) -> int:
    return (21, 22, 23, 24, 23, 22)[press // 6 % 6]


KINDS: dict[str, Volatile] = {
    "random bit": _random(2),
    "random digit": _random(16),
    "random byte": _random(256),
    "slow counter": lambda press: press // 4 % 8,
    "clock": _clock(1, 3),
    "clock that goes on once": _clock(12, 100),
    "room temperature": _room,
}


def with_volatile(
    control: RemoteControl, volatile: Volatile, place: Place, check: Check
) -> RemoteControl:
    """Return a remote control that sends volatile bits besides those of another one."""
    plain = control.says

    def says(state: State | Off, presses: int) -> Frames:
        [[*body, _]] = plain(state, 0)
        body = place(body, volatile(presses))
        return [body if check is None else [*body, check(body)]]

    return replace(control, says=says)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("make", "check"),
    [(remotes.two_modes, _xor), (remotes.crc_and_digits, _sum), (remotes.two_modes, None)],
    ids=["an XOR", "a sum", "no check"],
)
@pytest.mark.parametrize(
    "place",
    [_byte, _beside_a_copy, _beside_what_nothing_explains],
    ids=["a byte", "beside a copy", "beside what nothing explains"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_only_volatile_bits_are_sent_with_another_value(
    make: Callable[[], RemoteControl], check: Check, place: Place, kind: str
) -> None:
    control = with_volatile(make(), KINDS[kind], place, check)
    at_any_time = with_volatile(make(), lambda press: press, place, check)
    rule = taught(control).rule()
    assert rule is not None
    for state in Random(1).sample(sorted(rule.states, key=str), min(40, len(rule.states))):
        sent = read(rule.encode(state)).key
        possible = (at_any_time.packet(state, value) for value in range(256))
        assert any(read(packet).key == sent for packet in possible), state
