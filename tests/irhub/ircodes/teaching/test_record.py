"""A lesson is kept as data, and gone on with as if it had never been interrupted."""

from collections.abc import Callable
import json

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.state import OFF, State
from custom_components.irhub.ircodes.teaching.record import MAX_KEPT, KeptPress, LessonRecord
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher, Verdict

from . import remotes
from .lessons import assert_right, rule_of, taught
from .remotes import RemoteControl

LOW = State(mode="cool", fan="low", temperature=22.0)


def as_kept(teacher: Teacher) -> Teacher:
    """Return who goes on with a lesson after a restart."""
    text = json.dumps(teacher.record.as_data())
    return Teacher.resume(LessonRecord.from_data(json.loads(text)))


@pytest.mark.parametrize(
    "make", [remotes.bytes_by_mode, remotes.rolling_bit, remotes.another_in_each_mode]
)
def test_an_interrupted_lesson_goes_on_as_it_was(make: Callable[[], RemoteControl]) -> None:
    control = make()
    teacher = Teacher(control.capabilities)
    while (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
        resumed = as_kept(teacher)
        assert (resumed.ask, resumed.asked) == (teacher.ask, teacher.asked)
        assert resumed.can_go_back
    assert rule_of(as_kept(teacher)).as_data() == rule_of(teacher).as_data()


def test_what_is_missing_and_what_was_heard_twice_is_kept() -> None:
    control = remotes.two_modes()
    teacher = Teacher(control.capabilities)
    for _ in range(8):
        asked = teacher.ask
        assert asked is not None
        teacher.take(control.press(asked))
    wrong = control.press(OFF)  # which is doubted at any state
    assert teacher.take(wrong) is Verdict.CONTRADICTS
    assert teacher.take(wrong) is Verdict.ACCEPTED
    teacher.skip()
    resumed = as_kept(teacher)
    assert resumed.ask == teacher.ask
    assert [press.twice for press in resumed.record.presses].count(True) == 1
    assert [*resumed.record.missing] == [*teacher.record.missing] != []


def test_a_state_is_pressed_in_place_of_a_wrong_press() -> None:
    control = remotes.two_modes()
    teacher = taught(control)
    wrong = LessonRecord(
        capabilities=control.capabilities,
        presses=[
            KeptPress(state=press.state, packet=control.packet(OFF), twice=True)
            if press.state == teacher.record.presses[6].state
            else press
            for press in teacher.record.presses
        ],
        asked=PRESSES,
    )
    resumed = Teacher.resume(wrong)
    assert resumed.left == 0
    resumed.ask_for(state := wrong.presses[6].state)
    assert resumed.ask == state
    assert resumed.take(control.press(state)) is Verdict.ACCEPTED
    rule = rule_of(resumed)
    assert_right(rule, control)
    assert state in rule.states
    resumed.allow_more()
    assert resumed.asked < PRESSES
    with pytest.raises(ValueError, match="does not have"):
        resumed.ask_for(State(mode="dry"))


def test_off_takes_the_place_of_off() -> None:
    control = remotes.two_modes()
    record, packet = taught(control).record, control.packet(LOW)
    changed = record.in_place(KeptPress(state=OFF, packet=packet, twice=True))
    assert len(changed.presses) <= len(record.presses)
    rule = rule_of(Teacher.resume(changed))
    assert rule.off is not None
    assert read(rule.off).key == read(packet).key


def test_the_size_is_bounded() -> None:
    control = remotes.two_modes()
    presses = [KeptPress(state=LOW, packet=control.packet(LOW))] * (MAX_KEPT + 5)
    record = LessonRecord(capabilities=control.capabilities, presses=presses)
    assert len(LessonRecord.from_data(record.as_data()).presses) == MAX_KEPT


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"modes": {}, "presses": 3},
        {"modes": {"cool": {"fans": ["low"], "temperatures": ["x"]}}},
        {"modes": {"cool": {}}, "presses": [["nonsense", "off"]]},
        {"modes": {"cool": {"fans": [str(n) for n in range(30_000)]}}},
        {"modes": {"cool": {}}, "presses": [["JgA=", ["cool"]]]},
    ],
)
def test_what_is_no_lesson_is_named(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"not a lesson"):
        LessonRecord.from_data(data)
