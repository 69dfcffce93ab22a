"""A person presses another fan speed once: nothing wrong is offered, and the press is named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.doubt import Doubt
from custom_components.irhub.ircodes.teaching.record import KeptPress, LessonRecord
from custom_components.irhub.ircodes.teaching.teacher import Teacher

from . import remotes
from .keyed import KeyedRemote, Person, differs_in_fan
from .lessons import assert_right
from .remotes import COMMON, Frames, RemoteControl


def fan_only_has_no_auto() -> RemoteControl:
    """Fan only sends low for auto, and one temperature; dry has one of both; a sum."""
    speeds = {"auto": 0, "low": 1, "medium": 2, "high": 5}
    modes = {"cool": 1, "heat": 4, "dry": 2, "fan_only": 3}

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0, 0, 0, 0x23]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        speed = speeds[state.fan or "auto"]
        speed = {"dry": 0, "fan_only": max(speed, 1)}.get(state.mode, speed)
        degrees = 8 if state.mode in ("dry", "fan_only") else round(state.temperature) - 16
        body = [0x23, modes[state.mode], degrees, speed]
        return [[*body, sum(body) & 0xFF]]

    return RemoteControl(dict.fromkeys(modes, COMMON), says)


@dataclass
class Taught:
    """A lesson, and the presses that it doubts."""

    teacher: Teacher
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def rule(self) -> BitRule:
        """Return what is taught."""
        rule = self.teacher.rule()
        assert rule is not None
        return rule

    def named(self, number: int) -> Doubt | None:
        """Return the doubt of a press."""
        return next((doubt for doubt in self.doubts if doubt.number == number), None)


def taught(control: RemoteControl, press: Callable[[State | Off, int], bytes]) -> Taught:
    """Press what is asked for to the end, with `press` (asked, number of the press)."""
    lesson = Taught(Teacher(control.capabilities))
    while (asked := lesson.teacher.ask) is not None:
        lesson.teacher.take(press(asked, lesson.teacher.asked + 1))
        if (doubt := lesson.teacher.doubt) is not None:
            lesson.doubts.append(doubt)
    return lesson


@pytest.mark.parametrize(
    ("make", "wrong_at"),
    [
        *((remotes.two_modes, number) for number in range(4, 11)),
        *((remotes.bytes_by_mode, number) for number in range(6, 12)),
        *((remotes.crc_and_digits, number) for number in range(4, 12)),
    ],
)
def test_another_fan_speed_with_a_new_value_is_named(
    make: Callable[[], RemoteControl], wrong_at: int
) -> None:
    """Only that press has both: what the fan speed flips could be what the new value does."""
    control = make()
    person, pressed = Person(KeyedRemote(make())), dict[int, State]()

    def press(asked: State | Off, number: int) -> bytes:
        is_wrong = number == wrong_at and differs_in_fan(person.remote, asked)
        packet = person.press(asked, wrong_fan=is_wrong)
        if is_wrong:
            pressed[number] = person.remote.shown
        return packet

    lesson = taught(control, press)
    assert_right(lesson.rule, control)
    assert {*lesson.rule.states} == {*control.capabilities.states()}
    doubt = lesson.named(wrong_at)
    assert doubt is not None
    assert doubt.looks_like == pressed[wrong_at]


@pytest.mark.parametrize("fan", ["auto", "low", "medium", "high"])
@pytest.mark.parametrize("wrong_at", [4, 5])
def test_a_temperature_that_a_single_press_shows_is_not_offered(wrong_at: int, fan: str) -> None:
    """These are the first presses of the lowest and of the highest temperature."""
    control = fan_only_has_no_auto()

    def press(asked: State | Off, number: int) -> bytes:
        if number == wrong_at and isinstance(asked, State):
            asked = replace(asked, fan=fan)
        return control.press(asked)

    assert_right(taught(control, press).rule, control)


@pytest.mark.parametrize("fan", ["auto", "low"])
@pytest.mark.parametrize("asked_for", ["medium", "high"])
def test_a_level_is_confirmed_by_a_second_press(asked_for: str, fan: str) -> None:
    """In a mode in which two fan speeds are alike a third one may be, or was not pressed."""
    control = fan_only_has_no_auto()
    wrong_at: list[int] = []

    def press(asked: State | Off, number: int) -> bytes:
        is_level = isinstance(asked, State) and (asked.mode, asked.fan) == ("fan_only", asked_for)
        if is_level and not wrong_at:
            assert isinstance(asked, State)
            wrong_at.append(number)
            asked = replace(asked, fan=fan)
        return control.press(asked)

    lesson = taught(control, press)
    assert_right(lesson.rule, control)
    assert {*lesson.rule.states} == {*control.capabilities.states()}
    assert lesson.named(wrong_at[0]) is not None


RECORDED_AS_ANOTHER: Sequence[tuple[str, int, str]] = (
    ("low", 86, "a18b78ffff71"),
    ("mid", 73, "a1936bffff7b"),
    ("high", 62, "a19b60ffff79"),
    ("mid", 63, "a19361ffff74"),
    ("low", 75, "a1a36dffff40"),
    ("low", 75, "a1a36dffff40"),
    ("low", 72, "a1a36affff46"),
    ("low", 72, "a1a36affff46"),
    ("low", 76, "a1a36effff42"),
    ("low", 71, "a1a369ffff44"),
    ("low", 77, "a1a36fffff43"),
    ("low", 70, "a1a368ffff45"),
    ("low", 78, "a1a370ffff55"),
)
"""Presses of *heat*, in °F: from 70 to 78 *low* sends what *auto* does."""
BEFORE: Sequence[tuple[str, int, str]] = (
    ("low", 74, "a1886cffff6c"),
    ("low", 74, "a1886cffff6c"),
    ("low", 62, "a18860ffff66"),
    ("low", 86, "a18878ffff72"),
    ("low", 69, "a19067ffff71"),
    ("low", 80, "a18872ffff78"),
    ("mid", 74, "a1906cffff7c"),
    ("high", 74, "a1986cffff74"),
    ("auto", 74, "a1a06cffff42"),
)
"""Presses of *cool*; the one of 69 is of *mid*."""


def test_a_temperature_is_compared_only_with_others() -> None:
    """Of a mode with temperatures of its own a single one was left that follows from no other."""
    levels = Levels(
        fans=("low", "mid", "high", "auto"), temperatures=[float(t) for t in range(62, 87)]
    )
    frames: dict[State | Off, str] = {OFF: "a1026cffffe0"}

    def says(state: State | Off, _: int) -> Frames:
        message = bytes.fromhex(frames[state])
        return [message, [byte ^ 0xFF for byte in message]]

    control = RemoteControl(dict.fromkeys(("cool", "heat"), levels), says, msb=True)
    presses: list[KeptPress] = []
    for mode, fan, degrees, message in (
        *(("cool", *press) for press in BEFORE),
        ("heat", "auto", 62, "a1a360ffff4d"),
        *(("heat", *press) for press in RECORDED_AS_ANOTHER),
    ):
        state = State(mode=mode, fan=fan, temperature=float(degrees))
        frames[state] = message
        is_again = any(press.state == state for press in presses) and len(presses) > 1
        presses.append(KeptPress(state=state, packet=control.packet(state), twice=is_again))
    presses.insert(2, KeptPress(state=OFF, packet=control.packet(OFF)))
    teacher = Teacher.resume(LessonRecord(capabilities=control.capabilities, presses=presses))
    rule = teacher.rule()
    assert rule is None or all(state.mode == "cool" or state in frames for state in rule.states)


def auto_is_low_in_fan_only() -> RemoteControl:
    """In fan_only, auto is sent like low, and natural like auto in other modes; a sum."""
    modes = {"cool": 1, "heat": 4, "dry": 2, "fan_only": 3, "auto": 0}
    fans = {"auto": 0, "low": 4, "medium": 8, "high": 10, "natural": 0}

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x01, 0xAF, 0x80, 0x41, 0xC0, 0x31]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        is_low = (state.mode, state.fan) == ("fan_only", "auto")
        speed = 4 if is_low else fans[state.fan or "auto"]
        swing = 0xAF if state.swing == "on" else 0xFF
        degrees = round(state.temperature) - 16 << 4
        body = [0x01, swing, degrees, modes[state.mode] << 4 | speed, 0xF0]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(
        fans=("auto", "low", "medium", "high"),
        swings=("off", "on"),
        temperatures=[float(t) for t in range(16, 28)],
    )
    remote = dict.fromkeys(modes, levels) | dict.fromkeys(("dry", "auto"), levels.without("fan"))
    remote["fan_only"] = replace(levels, fans=("auto", "medium", "high", "natural"))
    return RemoteControl(remote, says)


@pytest.mark.parametrize("wrong", range(4))
def test_a_single_press_shows_no_exception_of_two_values(wrong: int) -> None:
    """A term of auto without swing: the only press of auto with it was another button."""
    control = auto_is_low_in_fan_only()
    asked_for: list[State] = []

    def press(asked: State | Off, _: int) -> bytes:
        if isinstance(asked, State) and (asked.mode, asked.fan) == ("fan_only", "auto"):
            asked_for.append(asked)
            if len(asked_for) == wrong + 1:
                asked = replace(asked, fan="natural")
        return control.press(asked)

    assert_right(taught(control, press).rule, control)
