"""Lessons of virtual remote controls, and checks of their rules."""

from collections.abc import Callable
from functools import cache

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher

from . import remotes
from .remotes import RemoteControl

ALL = (
    remotes.sum_over_two_frames,
    remotes.bytes_by_mode,
    remotes.rolling_bit,
    remotes.crc_and_digits,
    remotes.clock_and_button,
    remotes.another_in_each_mode,
)


def taught(control: RemoteControl) -> Teacher:
    """Press the requested states until nothing more is requested."""
    teacher = Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        assert teacher.left <= PRESSES - teacher.asked
        teacher.take(control.press(ask))
    assert teacher.asked <= PRESSES
    return teacher


@cache
def after_lesson(make: Callable[[], RemoteControl]) -> Teacher:
    """Return the teacher after the lesson of a remote control that several tests use."""
    return taught(make())


def assert_right(rule: BitRule, control: RemoteControl) -> None:
    """Compare the packets of the rule with those of the remote control."""
    for state in rule.states:
        assert read(rule.encode(state)).key == read(control.packet(state)).key, state


def rule_of(teacher: Teacher) -> BitRule:
    """Return the rule."""
    rule = teacher.rule()
    assert rule is not None
    return rule
