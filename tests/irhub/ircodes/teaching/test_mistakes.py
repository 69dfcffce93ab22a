"""A person presses another fan speed once: nothing wrong is offered, and the press is named."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.doubt import Doubt
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
    [(remotes.two_modes, 5), (remotes.bytes_by_mode, 6), (remotes.crc_and_digits, 7)],
)
def test_another_fan_speed_with_a_new_temperature_is_named(
    make: Callable[[], RemoteControl], wrong_at: int
) -> None:
    """Only that press has both: what the fan speed flips could be what the temperature does."""
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
