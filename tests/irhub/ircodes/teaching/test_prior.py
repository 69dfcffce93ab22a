"""Lessons of remote controls whose protocol is known: a few presses prove it.

The packets are those of IRremoteESP8266's encoders (pyhvac).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
import json
from typing import Final

import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes import OFF, Capabilities, Levels, Off, State
from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.teaching.record import LessonRecord
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher, Verdict

from .lessons import rule_of

HAS: Final = Levels(
    fans=("auto", "low", "medium", "high"), temperatures=[float(t) for t in range(18, 31)]
)
COOLING: Final = Capabilities.alike(("cool", "heat"), HAS)

type Press = Callable[[State | Off], bytes]


def lesson(press: Press, capabilities: Capabilities) -> tuple[Teacher, Sequence[State | Off]]:
    """Press what is asked for until nothing is; return what was."""
    teacher, asked = Teacher(capabilities, KnownAirConditioners.shipped), list[State | Off]()
    while (ask := teacher.ask) is not None:
        asked.append(ask)
        teacher.take(press(ask))
    return teacher, asked


@pytest.mark.parametrize("protocol", ["COOLIX", "DAIKIN", "ELECTRA_AC", "MIDEA", "PANASONIC_AC"])
def test_a_known_remote_control_is_proven_with_few_presses(protocol: str) -> None:
    """Two modes, four fan speeds and thirteen temperatures are known after nine presses."""
    remote = VirtualRemote(protocol)
    teacher, asked = lesson(remote.packet, COOLING)
    assert len(asked) <= 9
    assert teacher.known is not None
    rule = rule_of(teacher)
    assert rule.states == {*COOLING.states()}
    for state in COOLING.states():
        assert rule.decode(remote.packet(state)) == state
        assert read(rule.encode(state)).key == read(remote.packet(state)).key
    assert rule.decode(remote.packet(OFF)) is OFF


def test_each_value_is_pressed_once() -> None:
    """What is offered was pressed: each mode and fan speed, both ends, and off."""
    _, asked = lesson(VirtualRemote("GREE").packet, COOLING)
    states = [state for state in asked if isinstance(state, State)]
    assert OFF in asked
    assert {state.mode for state in states} == {"cool", "heat"}
    assert {state.fan for state in states} == {*HAS.fans}
    assert {18.0, 30.0} <= {state.temperature for state in states}


def test_a_wrong_press_is_asked_for_again() -> None:
    """Another fan speed than the one that is asked for is doubted, and does no harm."""
    remote, verdicts = VirtualRemote("GREE"), list[Verdict]()
    teacher = Teacher(COOLING, KnownAirConditioners.shipped)
    was_wrong = False
    while (ask := teacher.ask) is not None:
        is_wrong = not was_wrong and isinstance(ask, State) and ask.fan == "high"
        was_wrong |= is_wrong
        pressed = replace(ask, fan="low") if is_wrong and isinstance(ask, State) else ask
        verdicts.append(teacher.take(remote.packet(pressed)))
    assert was_wrong
    rule = rule_of(teacher)
    for state in rule.states:
        assert read(rule.encode(state)).key == read(remote.packet(state)).key
    assert len(rule.states) == 104


def test_a_protocol_is_dropped_for_good() -> None:
    """A remote control that is like a known one, but for one mode, is taught as any other."""
    remote = VirtualRemote("GREE")

    def press(state: State | Off) -> bytes:
        if isinstance(state, State) and state.mode == "heat" and state.temperature is not None:
            state = replace(state, temperature=48 - state.temperature)
        return remote.packet(state)

    teacher, _ = lesson(press, COOLING)
    rule = rule_of(teacher)
    assert rule.states
    for state in rule.states:
        assert read(rule.encode(state)).key == read(press(state)).key
    plain = Teacher(COOLING)
    while (ask := plain.ask) is not None:
        plain.take(press(ask))
    assert rule.states == rule_of(plain).states, "as if nothing were known"


@pytest.mark.parametrize("protocol", ["HITACHI_AC", "SANYO_AC", "TECHNIBEL_AC", "TROTEC_3550"])
def test_a_protocol_that_is_dropped_late_makes_no_longer_lesson(protocol: str) -> None:
    """What was pressed for it counts, and is used where it shows as much as what is asked for."""
    remote = VirtualRemote(protocol)
    capabilities = Capabilities.of_states(remote.codes)
    teacher, asked = lesson(remote.packet, capabilities)
    assert len(asked) <= PRESSES
    assert teacher.known is None
    rule = rule_of(teacher)
    assert len(rule.states) > len(asked)
    for state in rule.states:
        assert read(rule.encode(state)).key == read(remote.packet(state)).key


def test_a_dropped_protocol_is_not_tried_again_after_a_restart() -> None:
    """A lesson that is resumed goes on as if there had been no restart, whenever that is."""
    remote = VirtualRemote("GREE")

    def press(state: State | Off) -> bytes:
        if isinstance(state, State) and state.mode == "heat" and state.temperature is not None:
            state = replace(state, temperature=48 - state.temperature)
        return remote.packet(state)

    teacher = resumed = Teacher(COOLING, KnownAirConditioners.shipped)
    while (ask := teacher.ask) is not None:
        assert resumed.ask == ask
        teacher.take(press(ask))
        resumed.take(press(ask))
        kept = LessonRecord.from_data(json.loads(json.dumps(teacher.record.as_data())))
        resumed = Teacher.resume(kept, KnownAirConditioners.shipped)
        assert resumed.asked == teacher.asked
    assert teacher.record.dropped is not None
    assert resumed.ask is None
    assert rule_of(resumed).as_data() == rule_of(teacher).as_data()


def test_what_the_protocol_does_not_have_is_left_to_the_lesson() -> None:
    """A fan speed that sends something else is asked for as ever; the rest is known."""
    remote = VirtualRemote("GREE")
    more = Capabilities.alike(("cool", "heat"), replace(HAS, fans=(*HAS.fans, "storm")))

    def press(state: State | Off) -> bytes:
        if isinstance(state, State) and state.fan == "storm":
            state = replace(state, fan="high", preset="turbo")
        return remote.packet(state)

    teacher, _ = lesson(press, more)
    rule = rule_of(teacher)
    assert {*COOLING.states()} <= rule.states
    for state in rule.states:
        assert read(rule.encode(state)).key == read(press(state)).key


@pytest.mark.parametrize("protocol", ["SAMSUNG_AC", "WHIRLPOOL_AC"])
def test_a_preset_that_a_mode_lacks_is_no_part_of_the_protocol(protocol: str) -> None:
    """Presses with the usual preset and without any do not show what the mode sends for it."""
    remote = VirtualRemote(protocol)
    teacher, _ = lesson(remote.packet, remote.capabilities)
    rule = rule_of(teacher)
    assert rule.states
    for state in rule.states:
        assert read(rule.encode(state)).key == read(remote.packet(state)).key


def test_an_exception_that_no_press_shows_is_not_taken_from_the_protocol() -> None:
    """The row of DAIKIN160 has wrong bits for the highest swing in auto, from a code file."""
    remote = VirtualRemote("DAIKIN160")
    levels = Levels(
        fans=("auto", "low", "high"),
        swings=("off", "highest", "lowest"),
        temperatures=[float(t) for t in range(18, 31)],
    )
    teacher, _ = lesson(remote.packet, Capabilities.alike(("cool", "auto"), levels))
    rule = rule_of(teacher)
    assert teacher.known is not None
    assert State(mode="auto", fan="low", swing="lowest", temperature=24.0) in rule.states
    for state in rule.states:
        assert read(rule.encode(state)).key == read(remote.packet(state)).key


def test_a_lesson_that_is_resumed_asks_for_the_same() -> None:
    """What was known before is known after a restart."""
    remote = VirtualRemote("ELECTRA_AC")
    teacher = resumed = Teacher(COOLING, KnownAirConditioners.shipped)
    while (ask := teacher.ask) is not None:
        teacher.take(remote.packet(ask))
        resumed = Teacher.resume(teacher.record, KnownAirConditioners.shipped)
        assert resumed.ask == teacher.ask
    assert rule_of(resumed).as_data() == rule_of(teacher).as_data()


def test_without_a_table_nothing_is_known() -> None:
    """A lesson without known protocols takes its usual presses."""
    remote, teacher = VirtualRemote("GREE"), Teacher(COOLING)
    while (ask := teacher.ask) is not None:
        teacher.take(remote.packet(ask))
    assert teacher.known is None
    assert teacher.asked > 9
