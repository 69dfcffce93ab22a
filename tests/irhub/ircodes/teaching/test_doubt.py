"""A press that does not fit the others is named, with the state that it looks like."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.doubt import Doubt
from custom_components.irhub.ircodes.teaching.teacher import Teacher, Verdict

from . import remotes
from .remotes import RemoteControl

type Press = Callable[[State | Off, int], State | Off]
"""What is asked for, and the number of the press → what is pressed."""


def doubts_of(control: RemoteControl, press: Press) -> list[Doubt]:
    """Return what is doubted in a lesson, until nothing is asked for."""
    teacher = Teacher(control.capabilities)
    doubts: list[Doubt] = []
    while (asked := teacher.ask) is not None:
        teacher.take(control.press(press(asked, teacher.asked + 1)))
        if (doubt := teacher.doubt) is not None:
            assert teacher.ask in (doubt.asked, None)
            doubts.append(doubt)
    return doubts


def wrong_once(is_wrong: Callable[[State], bool], **instead: str) -> tuple[Press, list[Doubt]]:
    """Return who presses something else once, and the doubt that there should be of it."""
    expected: list[Doubt] = []

    def press(asked: State | Off, number: int) -> State | Off:
        if expected or not isinstance(asked, State) or not is_wrong(asked):
            return asked
        pressed = replace(asked, **instead)  # type: ignore[arg-type]  # names only
        expected.append(Doubt(number=number, asked=asked, looks_like=pressed))
        return pressed

    return press, expected


@pytest.mark.parametrize(
    "make", [remotes.two_modes, remotes.bytes_by_mode, remotes.sum_over_two_frames]
)
def test_nothing_is_doubted_without_a_mistake(make: Callable[[], RemoteControl]) -> None:
    assert doubts_of(make(), lambda asked, _: asked) == []


@pytest.mark.parametrize(
    "make", [remotes.two_modes, remotes.bytes_by_mode, remotes.sum_over_two_frames]
)
def test_another_fan_speed_is_named_when_the_right_one_is_pressed(
    make: Callable[[], RemoteControl],
) -> None:
    """Medium was pressed for low; when medium is asked for, both are asked for once more."""
    press, expected = wrong_once(lambda asked: asked.fan == "low", fan="medium")
    first, second, *_ = doubts_of(make(), press)
    [doubt] = expected
    assert isinstance(doubt.asked, State)
    assert (first.asked, first.looks_like) == (doubt.looks_like, doubt.asked)
    assert first.number == doubt.number + 1
    assert second == doubt


@pytest.mark.parametrize("mode", ["heat", "auto"])
def test_another_fan_speed_in_another_mode_is_named(mode: str) -> None:
    """The number is that of the press, which was a while ago."""
    press, expected = wrong_once(
        lambda asked: asked.mode == mode and asked.fan == "auto", fan="high"
    )
    assert doubts_of(remotes.sum_over_two_frames(), press) == expected


def test_a_mode_that_was_not_changed_is_named_at_once() -> None:
    press, expected = wrong_once(lambda asked: asked.mode == "heat", mode="cool")
    assert doubts_of(remotes.two_modes(), press) == expected


def test_what_was_not_pressed_looks_like_the_state_before() -> None:
    """Who sends the last state once more is told so, though it differs in everything."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    before: State | Off = OFF
    while (asked := teacher.ask) is not None:
        if isinstance(before, State) and isinstance(asked, State) and teacher.asked > 20:
            assert teacher.take(control.press(before)) is Verdict.CONTRADICTS
            assert teacher.doubt == Doubt(number=teacher.asked, asked=asked, looks_like=before)
            return
        teacher.take(control.press(asked))
        before = asked
    pytest.fail("the lesson was too short")


def test_off_for_a_state_and_a_state_for_off_are_named() -> None:
    """A press for off that sends the state again is a key that was pressed twice."""

    def press(asked: State | Off, number: int) -> State | Off:
        if number == 3:
            return State(mode="cool", fan="auto", temperature=23.0)
        return OFF if number == 5 else asked

    off, state = doubts_of(remotes.two_modes(), press)
    assert off == Doubt(
        number=3, asked=OFF, looks_like=State(mode="cool", fan="auto", temperature=23.0)
    )
    assert (state.number, state.looks_like) == (5, OFF)


def test_what_is_like_nothing_known_is_like_nothing() -> None:
    """Another remote control was pressed: nothing is guessed."""
    control, other = remotes.bytes_by_mode(), remotes.two_modes()
    teacher = Teacher(control.capabilities)
    while teacher.asked < 4 and (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
    asked = teacher.ask
    assert asked is not None
    teacher.take(other.press(State(mode="cool", fan="low", temperature=20.0)))
    assert teacher.doubt == Doubt(number=5, asked=asked, looks_like=None)


@pytest.mark.parametrize("is_back", [False, True], ids=["the right one", "a step back"])
def test_a_doubt_ends_with_the_next_press(is_back: bool) -> None:
    control = remotes.two_modes()
    teacher = Teacher(control.capabilities)
    while teacher.asked < 6 and (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
    teacher.take(control.press(OFF))
    assert teacher.doubt is not None
    if is_back:
        teacher.back()
    elif (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
    assert teacher.doubt is None
