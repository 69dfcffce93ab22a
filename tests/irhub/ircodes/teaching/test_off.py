"""Off is asked for early, and again later: a single press may have been another button."""

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher, Verdict

from . import remotes
from .lessons import rule_of
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


def test_what_is_not_the_same_off_is_asked_for_again() -> None:
    """It has the layout of a state, and is none."""
    control = remotes.two_modes()
    off = control.packet(OFF)
    other = control.packet(State(mode="cool", fan="low", temperature=20.0))
    teacher, verdicts, packets = Teacher(control.capabilities), list[Verdict](), [off, other, off]
    while (ask := teacher.ask) is not None:
        packet = control.press(ask)
        if ask is OFF:
            packet = packets.pop(0)
        verdict = teacher.take(packet)
        if ask is OFF:
            verdicts.append(verdict)
    assert verdicts == [Verdict.ACCEPTED, Verdict.CONTRADICTS, Verdict.ACCEPTED]
    rule = rule_of(teacher)
    assert rule.off is not None
    assert read(rule.off).key == read(off).key


def test_a_wrong_first_off_is_found() -> None:
    """A lamp was pressed first: what off is the second and third time counts."""
    control = remotes.two_modes()
    unlike = remotes.RemoteControl(control.remote, lambda _state, _presses: [[0x23, 9, 9, 9, 0x3E]])
    lamp, off = unlike.packet(OFF), control.packet(OFF)
    teacher, verdicts, packets = Teacher(control.capabilities), list[Verdict](), [lamp, off, off]
    while (ask := teacher.ask) is not None:
        packet = packets.pop(0) if ask is OFF else control.press(ask)
        verdict = teacher.take(packet)
        if ask is OFF:
            verdicts.append(verdict)
    assert verdicts == [Verdict.ACCEPTED, Verdict.CONTRADICTS, Verdict.ACCEPTED]
    rule = rule_of(teacher)
    assert rule.off is not None
    assert read(rule.off).key == read(off).key
