"""Clocks that were captured with a code file: found, and let run."""

from collections.abc import Callable

import pytest

from benchmarks.recorded_clock import RecordedClock
from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.packet.packet import from_timings
from custom_components.irhub.ircodes.states import messages

FANS = ("low", "medium", "high", "highest", "auto", "quiet")
TEMPERATURES = range(16, 31)

type Body = list[int]
"""The bytes of a packet."""


def packet(body: Body) -> bytes:
    """Return the packet of some bytes."""
    timings = [4400, -4300]
    for byte in body:
        for index in range(8):
            timings += [550, -1600 if byte >> index & 1 else -530]
    return from_timings([*timings, 550, -20_000])


def with_sum(body: Body) -> Body:
    """Append the sum of all bytes."""
    return [*body, sum(body) & 0xFF]


def recorded(
    clock: Callable[[int], int], check: Callable[[Body], Body] = with_sum
) -> dict[State, bytes]:
    """Return a code file whose packets contain a clock, by the number of the recorded state."""
    codes: dict[State, bytes] = {}
    for fan in FANS:
        for temperature in TEMPERATURES:
            body = [0x23, 0x40 | FANS.index(fan), temperature - 16, clock(len(codes)), 0]
            state = State(mode="cool", fan=fan, temperature=float(temperature))
            codes[state] = packet(check(body))
    return codes


def decoded(code: bytes) -> tuple[messages.Layout, int]:
    """Return layout and message of a packet."""
    message = messages.read(code)
    assert message is not None
    return message


def body_of(code: bytes) -> Body:
    """Return the bytes of a packet."""
    _, message = decoded(code)
    return [*message.to_bytes(6, "little")]


def find(codes: dict[State, bytes]) -> RecordedClock | None:
    """Return the clock of a code file."""
    layout, _ = decoded(next(iter(codes.values())))
    return RecordedClock.find(codes, layout)


def every_fourth(number: int) -> int:
    """Return the minutes of a recording in which four states take one."""
    return 17 + number // 4


def last_button(number: int) -> int:
    """Return a bit that is set for some states, others in each column."""
    return 0x80 if number // 4 % 3 == 1 else 0


@pytest.mark.parametrize("clock", [every_fourth, last_button])
def test_a_clock_runs_as_it_was_recorded(clock: Callable[[int], int]) -> None:
    codes = recorded(clock)
    found = find(codes)
    assert found is not None
    first, *others = codes.values()
    assert found.bits & ~(0xFF << 24) == 0
    clock_bits, (*body, byte, empty, _) = found.bits >> 24, body_of(first)
    for press, other in enumerate(others, 1):
        later = byte & ~clock_bits | body_of(other)[3] & clock_bits
        assert body_of(found.at(first, press)) == with_sum([*body, later, empty])


def test_only_the_clock_may_differ() -> None:
    codes = recorded(every_fourth)
    found = find(codes)
    assert found is not None
    first, second, *_ = codes.values()
    (_, message), (_, other) = decoded(first), decoded(second)
    (_, later) = decoded(found.at(first, 40))
    assert later != message
    assert found.is_same(later, message)
    assert not found.is_same(other, message)
    wrong_check = later ^ 1 << 40
    assert not found.is_same(wrong_check, message)


def test_another_layout_is_sent_as_it_is() -> None:
    found = find(recorded(every_fourth))
    assert found is not None
    short = packet([0x23, 0x40])
    assert found.at(short, 5) == short


@pytest.mark.parametrize(
    ("clock", "check"),
    [
        (lambda _: 17, with_sum),
        (every_fourth, lambda body: [*body, 0]),
        (lambda number: number * 37 & 0xFF, with_sum),
    ],
    ids=["it stands", "no check confirms it", "it may be a check"],
)
def test_other_bytes_are_no_clock(
    clock: Callable[[int], int], check: Callable[[Body], Body]
) -> None:
    assert find(recorded(clock, check)) is None
