"""Presets that are sent in other frames than the rest: with one frame more, or a longer one."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
import json
from typing import Final

import pytest

from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.doubt import Doubt
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher

from .lessons import assert_right, rule_of
from .remotes import Frames, RemoteControl

HAS: Final = Levels(
    presets=("none", "turbo"),
    fans=("auto", "low", "high"),
    swings=("off", "on"),
    temperatures=[float(t) for t in range(18, 31)],
)
MODES: Final = {"cool": 1, "heat": 4, "dry": 2}
FANS: Final = {"auto": 0, "low": 1, "high": 6}
FAST: Final = 3
"""The fan speed that turbo sets."""


def usual(state: State | Off, fan: int | None = None) -> list[int]:
    """Return the bytes of a frame without its check."""
    if isinstance(state, Off):
        return [0x23, 0x01, 0x08, 0x00]
    assert state.temperature is not None
    count = round(state.temperature) - 16
    speed = FANS[state.fan or "auto"] if fan is None else fan
    return [0x23, 0x40 | MODES[state.mode], speed << 4 | count, 16 * (state.swing == "on")]


def checked(frame: list[int]) -> list[int]:
    """Return a frame with its check."""
    return [*frame, sum(frame) & 0xFF]


def one_frame_more(state: State | Off, _: int) -> Frames:
    """Turbo is sent in a second frame, and sets the fan speed there."""
    frames: Frames = [checked(usual(state))]
    if isinstance(state, State) and state.preset == "turbo":
        _, mode, rest, swing = usual(state, FAST)
        frames.append(checked([0x2B, mode, rest, swing | 1]))
    return frames


def further_frame(state: State | Off, _: int) -> Frames:
    """Turbo has a frame that is always the same before the usual one."""
    frames: Frames = [checked(usual(state))]
    if isinstance(state, State) and state.preset == "turbo":
        frames.insert(0, checked([0x23, 0x02, 0x00, 0x06]))
    return frames


def further_frame_and_bit(state: State | Off, presses: int) -> Frames:
    """Turbo flips a bit of the usual frame, too."""
    *before, frame = further_frame(state, presses)
    if before:
        frame = checked([*frame[:-2], frame[-2] | 0x80])
    return [*before, frame]


def longer_frame(state: State | Off, _: int) -> Frames:
    """Turbo has a byte of its own, and another first one."""
    if isinstance(state, State) and state.preset == "turbo":
        return [checked([0x27, *usual(state)[1:], 0x81])]
    return [checked(usual(state))]


EVERY: Final = (one_frame_more, further_frame, further_frame_and_bit, longer_frame)


def fixed_temperature(state: State | Off, _: int) -> Frames:
    """Turbo sends the coldest or the warmest temperature: 18 °C, when heating 30 °C."""
    if isinstance(state, State) and state.preset == "turbo":
        state = replace(state, temperature=30.0 if state.mode == "heat" else 18.0)
        return [checked([0x27, *usual(state)[1:], 0x81])]
    return [checked(usual(state))]


def control(says: Callable[[State | Off, int], Frames]) -> RemoteControl:
    """Return a remote control with these frames."""
    return RemoteControl(dict.fromkeys(MODES, HAS), says)


def lesson(says: Callable[[State | Off, int], Frames], *, wrong: int | None = None) -> Teacher:
    """Press what is asked for; the n-th press with turbo has another fan speed by mistake."""
    remote = control(says)
    teacher = Teacher(remote.capabilities)
    turbo = 0
    while (ask := teacher.ask) is not None:
        pressed = ask
        if isinstance(ask, State) and ask.preset == "turbo":
            if turbo == wrong:
                pressed = replace(ask, fan="high" if ask.fan != "high" else "low")
            turbo += 1
        teacher.take(remote.press(pressed))
    assert teacher.asked <= PRESSES
    return teacher


def name_mistake(
    says: Callable[[State | Off, int], Frames],
    is_wrong: Callable[[State, int], bool],
    **instead: str,
) -> None:
    """Press something else once, for a state for which `is_wrong`.

    It is named, asked for again, and all states are offered.
    """
    remote = control(says)
    teacher = Teacher(remote.capabilities)
    expected: Doubt | None = None
    named: Doubt | None = None
    while (ask := teacher.ask) is not None:
        pressed = ask
        if expected is None and isinstance(ask, State) and is_wrong(ask, teacher.asked):
            pressed = replace(ask, **instead)  # type: ignore[arg-type]  # names only
            expected = Doubt(number=teacher.asked + 1, asked=ask, looks_like=pressed)
        teacher.take(remote.press(pressed))
        if expected is not None and named is None:
            named = teacher.doubt
    assert named == expected is not None
    rule = rule_of(teacher)
    assert_right(rule, remote)
    assert len(rule.states) == sum(map(remote.capabilities.count, remote.capabilities))


@cache
def rule_after(says: Callable[[State | Off, int], Frames]) -> BitRule:
    """Return the rule of a lesson without a mistake."""
    return rule_of(lesson(says))


@pytest.mark.parametrize("says", EVERY)
def test_all_states_are_offered(says: Callable[[State | Off, int], Frames]) -> None:
    rule = rule_after(says)
    remote = control(says)
    assert len(rule.states) == sum(map(remote.capabilities.count, remote.capabilities))
    assert_right(rule, remote)
    for state in rule.states:
        decoded = rule.decode(remote.packet(state))
        assert isinstance(decoded, State)
        assert decoded.preset == state.preset
        # turbo sets the fan speed in the second frame, but the first one says it
        assert decoded == state


def test_a_press_with_a_further_frame_shows_the_usual_one() -> None:
    """Presses with turbo are predicted at once, and take the place of others."""
    teacher = lesson(further_frame)
    assert teacher.asked < lesson(one_frame_more).asked
    asked = [press.state for press in teacher.record.presses]
    assert not any(press.twice for press in teacher.record.presses)
    assert {s.mode for s in asked if isinstance(s, State) and s.preset == "turbo"} == {*MODES}


@pytest.mark.parametrize("says", [further_frame, further_frame_and_bit])
def test_the_first_press_with_a_further_frame_again(
    says: Callable[[State | Off, int], Frames],
) -> None:
    """What is asked for anew takes the place of the press that showed what the frames are."""
    remote = control(says)
    teacher = lesson(says)
    for kept in {press.state: None for press in teacher.record.presses}:
        again = Teacher.resume(teacher.record)
        again.ask_for(kept)
        assert_right(rule_of(again), remote)
        while (ask := again.ask) is not None:
            again.take(remote.press(ask))
        assert again.rule() is not None
        assert_right(rule_of(again), remote)


@pytest.mark.parametrize("wrong", range(8))
@pytest.mark.parametrize("says", EVERY)
def test_another_fan_speed_with_turbo(
    says: Callable[[State | Off, int], Frames], wrong: int
) -> None:
    """Whichever press is a mistake, no state is sent otherwise."""
    assert_right(rule_of(lesson(says, wrong=wrong)), control(says))


@pytest.mark.parametrize("says", [one_frame_more, longer_frame])
def test_another_fan_speed_with_turbo_is_named(says: Callable[[State | Off, int], Frames]) -> None:
    def is_wrong(asked: State, _: int) -> bool:
        return asked.preset == "turbo" and asked.mode == "heat" and asked.fan == "high"

    name_mistake(says, is_wrong, fan="low")


@pytest.mark.parametrize("after", [7, 11, 17])
@pytest.mark.parametrize("says", EVERY)
def test_turbo_for_none_is_named(says: Callable[[State | Off, int], Frames], after: int) -> None:
    """After 7 presses a new fan speed is requested, which might be sent in other frames, too."""

    def is_wrong(asked: State, number: int) -> bool:
        return asked.preset == "none" and number >= after

    name_mistake(says, is_wrong, preset="turbo")


def test_what_is_no_copy_is_not_offered() -> None:
    """Temperatures that turbo sets, another one in each mode: only what was pressed is sent."""
    remote = control(fixed_temperature)
    rule = rule_after(fixed_temperature)
    assert_right(rule, remote)
    assert all(
        state in rule.states for state in remote.capabilities.states() if state.preset != "turbo"
    )


def test_the_rule_is_data() -> None:
    """It has the rule of the other frames in the same notation, and comes back as it was."""
    rule = rule_after(longer_frame)
    data = json.loads(json.dumps(rule.as_data()))
    [other] = data["others"]
    assert other["preset"]["values"] == ["none", "turbo"]
    again = BitRule.from_data(data)
    assert again == rule
    assert again.states == rule.states
    assert again.capabilities == rule.capabilities
    assert all(again.encode(state) == rule.encode(state) for state in rule.states)


def test_a_rule_of_other_frames_has_no_others() -> None:
    data = rule_after(longer_frame).as_data()
    [other] = data["others"]
    with pytest.raises(ValueError, match="has none"):
        BitRule.from_data({**data, "others": [{**other, "others": [other]}]})


def test_the_states_of_other_frames_count() -> None:
    """Many rules with many states each are refused, too."""
    data = rule_after(longer_frame).as_data()
    [other] = data["others"]
    numbers = range(100)
    fans = {
        "values": [f"fan {number}" for number in numbers],
        "tables": [f"20-29: {' '.join(f'{number:x}' for number in numbers)}"],
        "modes": "0 0 0",
    }
    several = [{**other, "fan": fans}] * 3
    assert BitRule.from_data({**data, "others": several[:2]})
    with pytest.raises(ValueError, match="20000 commands"):
        BitRule.from_data({**data, "others": several})


def test_a_lesson_goes_on_where_it_was() -> None:
    teacher = lesson(one_frame_more)
    resumed = Teacher.resume(teacher.record)
    assert rule_of(resumed) == rule_of(teacher)


def test_off_is_no_state_of_other_frames() -> None:
    rule = rule_after(one_frame_more)
    assert rule.off is not None
    assert rule.decode(rule.off) is OFF
