"""Off is asked for early, and again later: a single press may have been another button."""

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher, Verdict

from . import remotes
from .lessons import assert_right, rule_of
from .remotes import RemoteControl


def asked_for(control: RemoteControl) -> list[State | Off]:
    """Press what is asked for, to the end; return what that was."""
    teacher, asked = Teacher(control.capabilities), list[State | Off]()
    while (ask := teacher.ask) is not None:
        asked.append(ask)
        teacher.take(control.press(ask))
    return asked


def test_off_is_asked_for_third_and_later_once_more() -> None:
    for make in (remotes.two_modes, remotes.rolling_bit, remotes.sum_over_two_frames):
        asked = asked_for(make())
        assert asked[2] is OFF
        assert asked.count(OFF) == 2
        assert asked[3:].index(OFF) > 5


@pytest.mark.parametrize(
    "pressed",
    [("off", "a state", "off"), ("a lamp", "off", "off")],
    ids=["the second press is a state", "the first press is of a lamp"],
)
def test_another_button_instead_of_off_is_found(pressed: tuple[str, ...]) -> None:
    """What was pressed twice counts. The state has the layout of off."""
    control = remotes.two_modes()
    lamp = RemoteControl(control.remote, lambda _state, _presses: [[0x23, 9, 9, 9, 0x3E]])
    packets = {
        "off": control.packet(OFF),
        "a state": control.packet(State(mode="cool", fan="low", temperature=20.0)),
        "a lamp": lamp.packet(OFF),
    }
    teacher, verdicts, buttons = Teacher(control.capabilities), list[Verdict](), iter(pressed)
    while (ask := teacher.ask) is not None:
        verdict = teacher.take(packets[next(buttons)] if ask is OFF else control.press(ask))
        if ask is OFF:
            verdicts.append(verdict)
    assert verdicts == [Verdict.ACCEPTED, Verdict.CONTRADICTS, Verdict.ACCEPTED]
    rule = rule_of(teacher)
    assert rule.off is not None
    assert read(rule.off).key == read(packets["off"]).key


@pytest.mark.parametrize("skipped", [OFF, State(mode="cool", fan="auto", temperature=23.0)])
def test_what_is_asked_for_again_can_be_missing(skipped: State | Off) -> None:
    """What was received for it was something else; it is not asked for a third time."""
    control = remotes.two_modes()
    teacher, asked = Teacher(control.capabilities), list[State | Off]()
    while (ask := teacher.ask) is not None:
        asked.append(ask)
        if ask == skipped and asked.count(ask) == 2:
            teacher.skip()
            assert all(press.state != skipped for press in teacher.record.presses)
        else:
            teacher.take(control.press(ask))
    assert asked.count(skipped) == 2
    rule = rule_of(teacher)
    assert_right(rule, control)
    assert rule.can_turn_off == (skipped is not OFF)
    assert {*rule.states} == {*control.capabilities.states()}
