"""Remote controls that send a clock, a counter, a measured temperature or random bits.

These bits share bytes with bits of the state, and change with most presses or only once in a
lesson. They may be sent with any value; all other bits must be those of the state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import xor
from random import Random

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.capabilities import Capabilities, Levels
from custom_components.irhub.ircodes.states.state import Off, State
from custom_components.irhub.ircodes.teaching.evidence import Evidence
from custom_components.irhub.ircodes.teaching.record import KeptPress, LessonRecord
from custom_components.irhub.ircodes.teaching.teacher import Teacher

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


def by_fields(
    fields: Mapping[str, Sequence[int]], codes: Mapping[str, int], volatile: Volatile, check: Check
) -> RemoteControl:
    """Return a remote control with fields at any bits: temperature, mode, fan and clock.

    `codes` has the numbers of modes and fan speeds, also of a fan speed in one mode.
    """
    temperatures = [float(t) for t in range(16, 32)]

    def placed(name: str, number: int) -> int:
        return sum((number >> n & 1) << bit for n, bit in enumerate(fields[name]))

    def says(state: State | Off, press: int) -> Frames:
        message = 1 << fields["off"][0]
        if isinstance(state, State):
            fan = codes.get(f"{state.mode} {state.fan}", codes[str(state.fan)])
            message = placed("mode", codes[state.mode]) | placed("fan", fan)
            message |= placed("temperature", temperatures.index(state.temperature or 0))
        body = [*(message | placed("clock", volatile(press))).to_bytes(6, "little")]
        return [body if check is None else [*body, check(body)]]

    modes = [mode for mode in ("cool", "heat", "dry", "fan_only", "heat_cool") if mode in codes]
    fans = ("auto", "low", "medium", "high")
    return RemoteControl(dict.fromkeys(modes, Levels(fans=fans, temperatures=temperatures)), says)


def test_a_bit_of_the_mode_beside_a_clock_belongs_to_the_state() -> None:
    """The other bits of its half byte changed while the state was the same; this one did not."""
    control = by_fields(
        {
            "temperature": (47, 46, 45, 44),
            "clock": (29, 28, 27, 26, 25, 24, 23, 22),
            "mode": (30, 31, 32),
            "fan": (6, 7, 8),
            "off": (40,),
        },
        {
            "cool": 6, "auto": 5, "low": 4, "medium": 3, "high": 6,
            "heat": 0, "heat auto": 1, "heat low": 7, "heat medium": 5, "heat high": 4,
        },
        lambda press: 34 + press // 8,
        _sum,
    )  # fmt: skip
    assert_only_volatile(control, taught(control), 1 << 8)


def test_a_clock_in_two_half_bytes_hides_no_bit_of_the_temperature() -> None:
    """A clock of two bits lies beside bits of the temperature, and goes on slowly."""
    control = by_fields(
        {
            "temperature": (16, 17, 18, 9, 10, 11),
            "clock": (19, 8),
            "mode": (32, 33, 34),
            "fan": (4, 5, 6),
            "off": (40,),
        },
        {
            "cool": 1, "heat": 4, "dry": 7, "fan_only": 3, "heat_cool": 6,
            "auto": 0, "low": 3, "medium": 2, "high": 6,
        },
        lambda press: (2 + press // 8) % 4,
        _sum,
    )  # fmt: skip
    assert_only_volatile(control, taught(control), 4)


def test_a_bit_that_changed_in_another_state_was_no_mistake_in_the_first() -> None:
    """It differs in the first press alone of the first state: that looks like another button."""
    changes = (3, 1, 1, 0, 1, 0, 1, 1, 1, 3, 2, 1, 2, 3, 1, 2, 2, 0, 3, 1, 2, 0, 0, 2, 1)
    fans = {"auto": 2, "low": 3, "medium": 0}

    def says(state: State | Off, press: int) -> Frames:
        counter = changes[press % len(changes) - 1]
        low, high = (counter & 1) << 2, counter >> 1 << 7
        if isinstance(state, Off):
            body = [0x5C, 0xB4, 0x20 | low, 0x03 | high]
        else:
            assert state.temperature is not None
            is_heat = state.mode == "heat"
            degrees = round(state.temperature) - is_heat - 16
            fan = int(f"{fans[str(state.fan)]:02b}"[::-1], 2)
            first = 0x20 | low | fan | (degrees & 1) << 3
            body = [0x1C, 0xB4 | is_heat << 1, first, 0x03 | degrees % 16 >> 1 << 2 | high]
        return [[*body, _sum(body)]]

    levels = Levels(fans=tuple(fans), temperatures=[float(t) for t in range(17, 32)])
    control = RemoteControl(dict.fromkeys(("cool", "heat"), levels), says)
    teacher = taught(control)
    assert_only_volatile(control, teacher, 4)


@pytest.mark.parametrize(("times", "changing"), [(1, 0), (2, 0b1000)])
def test_a_late_change_is_volatile_if_it_was_received_twice(times: int, changing: int) -> None:
    """A single late press may have been a mistake."""
    control = remotes.two_modes()
    first, other, *_ = control.capabilities.states()
    received = [(first, 0b0001), (first, 0b0001), (other, 0b0010), *[(first, 0b1001)] * times]
    assert Evidence(received, (8,), control.capabilities).changing == changing


def test_a_state_whose_presses_differ_as_no_others_do_is_not_offered() -> None:
    """Of the two presses of *low, 19°* one may be a mistake: a byte changes with all of them."""
    levels = Levels(fans=("auto", "low", "medium"), temperatures=[float(t) for t in range(17, 33)])
    received = [
        ("low", 25, 0x95, 0x6B),
        ("medium", 25, 0xAD, 0x68),
        ("auto", 28, 0x9D, 0x99),
        ("auto", 21, 0x9D, 0x4B),
        ("low", 19, 0x95, 0x0B),
        ("low", 19, 0x9D, 0x0A),
        ("auto", 19, 0x9D, 0x09),
        ("medium", 28, 0xAD, 0x99),
    ]

    def press(fan: str, degrees: int, sent: int, changing: int) -> KeptPress:
        control = RemoteControl({}, lambda *_: [[0x8A, 0x5F, sent, 0x76, 0x4A, changing, 0x9F]])
        state = State(mode="cool", fan=fan, temperature=float(degrees))
        return KeptPress(state=state, packet=control.packet(state))

    record = LessonRecord(
        capabilities=Capabilities(modes={"cool": levels}),
        presses=[press(*values) for values in received],
    )
    rule = Teacher.resume(record).rule()
    assert rule is not None
    assert State(mode="cool", fan="medium", temperature=28.0) in rule.states
    assert State(mode="cool", fan="low", temperature=19.0) not in rule.states


def assert_only_volatile(control: RemoteControl, teacher: Teacher, values: int) -> None:
    """Compare the packets of the rule with those of the remote control at any time."""
    rule = teacher.rule()
    assert rule is not None
    for state in rule.states:
        sent = read(rule.encode(state)).key
        packets = (control.packet(state, press) for press in range(8 * values))
        assert any(read(packet).key == sent for packet in packets), state
