"""Remote controls of many modes, presets and fan speeds are taught by the presses there are."""

from collections.abc import Callable, Sequence
from dataclasses import replace
import json

import pytest

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.limits import MOST_IN_OTHER_LAYOUT
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher, Verdict

from .lessons import assert_right, rule_of
from .remotes import Frames, RemoteControl

DEGREES = [float(t) for t in range(16, 31)]
FANS = ("auto", "low", "medium", "high", "lowest", "highest")
MODES = ("cool", "heat", "dry", "fan_only", "auto")
PRESETS = ("none", "turbo", "eco", "quiet")


def with_sum(body: Sequence[int]) -> Frames:
    """Return a frame with the sum of its bytes at its end."""
    return [[*body, sum(body) & 0xFF]]


def says_all(
    levels: Levels,
    shown: Callable[[State], State] = lambda state: state,
    frames: Callable[[State, Sequence[int]], Frames] = lambda _, body: with_sum(body),
    modes: Sequence[str] = MODES,
) -> RemoteControl:
    """Return a remote control that says each thing in bits of its own.

    `shown` is what it makes of a state first, and `frames` what it sends of the bytes.
    """

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return frames(State(mode="cool", preset="none"), [0x23, 0x80, 0, 0])
        assert isinstance(state, State)
        sent = shown(state)
        body = [
            0x23,
            MODES.index(sent.mode) | PRESETS.index(sent.preset or "none") << 4,
            round(sent.temperature or 16) - 16 | (sent.swing == "on") << 6,
            FANS.index(sent.fan or "auto") << 4,
        ]
        return frames(state, body)

    return RemoteControl(dict.fromkeys(modes, levels), says)


def rule_after(control: RemoteControl) -> BitRule:
    """Return the rule of a whole lesson, in which nothing is wrong."""
    teacher = Teacher(control.capabilities)
    while (asked := teacher.ask) is not None:
        teacher.take(control.press(asked))
    assert teacher.asked <= PRESSES
    rule = teacher.rule()
    assert rule is not None
    for state in rule.states:
        assert read(rule.encode(state)).key == read(control.packet(state)).key, state
    return rule


def test_the_preset_none_need_not_be_pressed_in_each_mode() -> None:
    """Where three presets are as in the base mode, so is none, with which all was compared."""
    levels = Levels(presets=PRESETS, fans=FANS, swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels)
    assert set(rule_after(control).states) == {*control.capabilities.states()}


def test_a_preset_that_sets_two_things_is_one_exception() -> None:
    """Turbo sets the fan speed and 16 degrees, whatever is shown."""

    def shown(state: State) -> State:
        return replace(state, fan="high", temperature=16.0) if state.preset == "turbo" else state

    levels = Levels(presets=("none", "turbo"), fans=FANS[:4], temperatures=DEGREES)
    control = says_all(levels, shown, modes=("cool", "dry"))
    assert set(rule_after(control).states) == {*control.capabilities.states()}


def test_a_preset_that_sets_the_fan_speed_hides_it_in_no_mode() -> None:
    """The first presses of a mode are without it: they show what fan speeds do there."""

    def shown(state: State) -> State:
        return replace(state, fan="lowest") if state.preset == "quiet" else state

    presets, swings = ("none", "turbo", "quiet"), ("off", "on")
    levels = Levels(presets=presets, fans=FANS[:5], swings=swings, temperatures=DEGREES)
    control = says_all(levels, shown)
    offered = rule_after(control).states
    assert len(offered) > 0.95 * len([*control.capabilities.states()])


def what_each_sets(state: State) -> State:
    """Return what is sent: turbo and quiet set the fan speed, eco the swing and the fan speed."""
    match state.preset:
        case "turbo":
            return replace(state, fan="highest")
        case "eco":
            return replace(state, fan="auto", swing="on")
        case "quiet":
            return replace(state, fan="auto")
    return state


def test_presets_that_set_different_things_are_no_contradiction() -> None:
    """What a preset seems to set is asked for in another state, not in the same one again."""
    levels = Levels(presets=PRESETS, fans=FANS[:5], swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels, what_each_sets, modes=("cool",))
    teacher = Teacher(control.capabilities)
    while (asked := teacher.ask) is not None:
        assert teacher.take(control.press(asked)) is Verdict.ACCEPTED, asked
    rule = teacher.rule()
    assert rule is not None
    assert set(rule.states) == {*control.capabilities.states()}
    for state in rule.states:
        assert read(rule.encode(state)).key == read(control.packet(state)).key, state


def test_other_modes_show_what_presets_set_if_presses_are_short() -> None:
    """A press of another mode with such a preset takes the place of one of the base mode."""
    levels = Levels(presets=PRESETS, fans=FANS[:5], swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels, what_each_sets, modes=MODES[:4])
    assert len(rule_after(control).states) > 0.85 * len([*control.capabilities.states()])


def sets_the_mode(state: State) -> State:
    """Return what is sent: turbo cools at 16 degrees, or heats at 30, with the highest speed."""
    if state.preset != "turbo":
        return state
    if state.mode == "heat":
        return replace(state, fan="high", temperature=30.0)
    return replace(state, mode="cool", fan="high", temperature=16.0)


TURBO = Levels(presets=("none", "turbo"), fans=FANS[:4], swings=("off", "on"), temperatures=DEGREES)


def test_a_preset_that_sets_the_mode_is_known_from_a_press_of_each_mode() -> None:
    """What it sends in a mode is what it sends in the base mode, for all other values."""
    control = says_all(TURBO, sets_the_mode)
    assert set(rule_after(control).states) == {*control.capabilities.states()}


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("shown", [lambda state: state, sets_the_mode], ids=["nothing", "mode"])
def test_a_forgotten_mode_key_is_not_what_a_preset_sets(
    shown: Callable[[State], State], mode: str
) -> None:
    """The first press of a mode with turbo is one of the base mode by mistake."""
    control = says_all(TURBO, shown)
    teacher = Teacher(control.capabilities)
    is_open = True
    while (asked := teacher.ask) is not None:
        sent = asked
        if is_open and isinstance(asked, State) and (asked.mode, asked.preset) == (mode, "turbo"):
            sent, is_open = replace(asked, mode="cool"), False
        teacher.take(control.press(sent))
    assert not is_open
    assert_right(rule_of(teacher), control)


@pytest.mark.parametrize("pressed", FANS[:5])
@pytest.mark.parametrize("preset", PRESETS[1:])
@pytest.mark.parametrize("sets", [lambda state: state, what_each_sets], ids=["nothing", "each"])
@pytest.mark.parametrize("modes", [("cool", "dry"), MODES], ids=len)
def test_a_mistake_with_a_preset_is_not_what_it_sets(
    modes: Sequence[str], sets: Callable[[State], State], preset: str, pressed: str
) -> None:
    """Another fan speed is pressed the first time that a preset is asked for with one."""
    levels = Levels(presets=PRESETS, fans=FANS[:5], swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels, sets, modes=modes)
    teacher = Teacher(control.capabilities)
    is_open = True
    while (asked := teacher.ask) is not None:
        sent = asked
        if is_open and isinstance(asked, State) and asked.preset == preset and asked.fan != FANS[0]:
            sent, is_open = replace(asked, fan=pressed), False
        teacher.take(control.press(sent))
    assert not is_open
    if (rule := teacher.rule()) is not None:
        for state in rule.states:
            assert read(rule.encode(state)).key == read(control.packet(state)).key, state


def test_a_preset_in_longer_messages_takes_nothing_from_the_others() -> None:
    """The messages with it are not taken for the usual ones; the presses of it show all of it."""

    def frames(state: State, body: Sequence[int]) -> Frames:
        return with_sum([*body, *([0x5A] if state.preset == "turbo" else [])])

    levels = Levels(presets=("none", "turbo"), fans=FANS[:4], temperatures=DEGREES)
    control = says_all(levels, frames=frames)
    teacher = Teacher(control.capabilities)
    turbo = 0
    while (asked := teacher.ask) is not None:
        turbo += isinstance(asked, State) and asked.preset == "turbo"
        teacher.take(control.press(asked))
    assert turbo <= 1 + MOST_IN_OTHER_LAYOUT  # the first of them twice
    rule = rule_of(teacher)
    assert {*rule.states} == {*control.capabilities.states()}
    assert_right(rule, control)


def test_a_sum_across_two_bytes_is_found() -> None:
    """The last byte but one has two bits before the sum, the last one what is left of it."""

    def frames(_: State, body: Sequence[int]) -> Frames:
        total = sum(body) << 2 | 2
        return [[*body, total & 0xFF, total >> 8 & 3]]

    levels = Levels(fans=FANS[:4], swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels, frames=frames)
    assert set(rule_after(control).states) == {*control.capabilities.states()}


def test_frames_that_are_equal_in_the_first_presses_are_no_repeats() -> None:
    """The second frame says the fan speed, too: those of the first one are equal."""

    def frames(state: State, body: Sequence[int]) -> Frames:
        second = [*body[:3], body[3] | (state.fan == "high") << 1]
        return [[*body, sum(body) & 0xFF], [*second, sum(second) & 0xFF]]

    levels = Levels(fans=FANS[:4], swings=("off", "on"), temperatures=DEGREES)
    control = says_all(levels, frames=frames, modes=MODES[:3])
    rule = rule_after(control)
    assert set(rule.states) == {*control.capabilities.states()}
    again = BitRule.from_data(json.loads(json.dumps(rule.as_data())))
    for state in again.states:
        assert read(again.encode(state)).key == read(control.packet(state)).key, state
        assert again.decode(control.press(state)) == state
