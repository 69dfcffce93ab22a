"""Remote controls of unknown protocols are taught, proven, and what was never pressed is sent."""

from collections.abc import Callable, Sequence
from dataclasses import replace
import json

import pytest

from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Capabilities, Levels
from custom_components.irhub.ircodes.states.state import ATTRIBUTES, OFF, Off, State, value
from custom_components.irhub.ircodes.teaching.evidence import Evidence
from custom_components.irhub.ircodes.teaching.limits import MOST_IN_OTHER_LAYOUT
from custom_components.irhub.ircodes.teaching.record import KeptPress, LessonRecord
from custom_components.irhub.ircodes.teaching.selection import find_model
from custom_components.irhub.ircodes.teaching.teacher import PRESSES, Teacher, Verdict

from . import remotes
from .lessons import ALL, after_lesson, assert_right, rule_of, taught
from .remotes import COMMON, RemoteControl


def kept(rule: BitRule) -> BitRule:
    """Return a rule as it is read from where it was written."""
    return BitRule.from_data(json.loads(json.dumps(rule.as_data())))


def every_state(control: RemoteControl) -> set[State]:
    """Return what a remote control has."""
    return {*control.capabilities.states()}


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_state_comes_out_bit_by_bit(make: Callable[[], RemoteControl]) -> None:
    """At most 30 presses say hundreds of states, and what the remote control sends is read."""
    control = make()
    teacher = after_lesson(make)
    rule, every = rule_of(teacher), every_state(control)
    assert set(rule.states) == every
    assert teacher.open() == {}
    for state in every:
        # what says nothing of the state (a bit that rolls, a clock) is sent as in the first press
        assert read(rule.encode(state)).key == read(control.packet(state)).key, state
        heard = rule.decode(control.press(state))
        assert isinstance(heard, State)
        assert heard.mode == state.mode
        assert heard.temperature in (state.temperature, None)
    assert rule.off is not None
    assert rule.decode(control.press(OFF)) is OFF


def test_the_levels_of_a_rule_are_those_of_the_remote_control() -> None:
    """What a thermostat offers is in the order in which it was said."""
    capabilities = rule_of(after_lesson(remotes.crc_and_digits)).capabilities
    assert [*capabilities] == ["cool", "heat"]
    assert capabilities.levels.presets == ("none", "eco")
    assert capabilities.levels.fans == ("low", "medium", "high")
    assert (capabilities.step, capabilities.unit) == (1.0, "F")


def test_what_a_mode_ignores_is_read_as_unknown() -> None:
    """Dry has one fan speed: which one was shown is not said by its packet."""
    control = remotes.bytes_by_mode()
    rule = rule_of(after_lesson(remotes.bytes_by_mode))
    dry = State(mode="dry", fan="high", swing="on", temperature=21.0)
    assert rule.decode(control.press(dry)) == State(mode="dry", swing="on", temperature=21.0)


def test_garbage_is_asked_for_again() -> None:
    """A press that says nothing is none; the same is asked for."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    ask = teacher.ask
    assert isinstance(ask, State)
    assert teacher.take(bytes.fromhex("260004000d0e0d05")) is Verdict.UNREADABLE
    assert teacher.ask == ask
    assert teacher.take(control.press(ask)) is Verdict.ACCEPTED


def test_a_wrong_press_is_asked_for_again() -> None:
    """Who presses something else where it is known what must come is told."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    told = 0
    while (ask := teacher.ask) is not None:
        if isinstance(ask, State) and ask.mode == "auto" and teacher.asked > 25 and not told:
            wrong = replace(ask, temperature=17.0 if ask.temperature != 17 else 18.0)
            assert teacher.take(control.press(wrong)) is Verdict.CONTRADICTS
            assert teacher.ask == ask
            told += 1
        teacher.take(control.press(ask))
    assert told
    assert_right(rule_of(teacher), control)


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(1, PRESSES))
def test_a_wrong_press_is_never_sent(number: int) -> None:
    """Whichever press is of another temperature: the rule may say less, but nothing wrong."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    wrong: State | Off | None = None
    while (ask := teacher.ask) is not None:
        pressed = ask
        if isinstance(ask, State) and wrong is None and teacher.asked >= number:
            temperature = 17.0 if ask.temperature != 17 else 18.0
            pressed = wrong = replace(ask, temperature=temperature)
        teacher.take(control.press(pressed))
    assert_right(rule_of(teacher), control)


def more_from_26_degrees(fans: tuple[str, ...], shift: int) -> RemoteControl:
    """Return what says something more in auto from 26 degrees on."""

    def says(state: State | Off, _: int) -> remotes.Frames:
        if state is OFF:
            return [[0x33, 0, 0, 0, 0x2A]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        warm = state.mode == "auto" and state.temperature >= 26
        mode = {"cool": 1, "heat": 4, "auto": 0}[state.mode]
        body = [0x33, mode << 5, round(state.temperature) + 3 << shift, 0xA0 if warm else 0x20]
        return [[*body, sum(body) & 0xFF]]

    has = Levels(fans=fans, temperatures=[float(t) for t in range(18, 31)])
    return RemoteControl(dict.fromkeys(("cool", "heat", "auto"), has), says)


def test_a_temperature_is_no_exception() -> None:
    """What changes from 26 degrees on in one mode is not taken for one odd degree."""
    control = more_from_26_degrees(("low", "mid", "high"), 3)
    assert_right(rule_of(taught(control)), control)


def test_what_begins_at_a_temperature_is_learned() -> None:
    """A mode that says something more from 26 degrees on is taught whole, and its rule is kept."""
    control = more_from_26_degrees(("auto",), 0)
    teacher = taught(control)
    assert teacher.asked <= PRESSES
    rule = rule_of(teacher)
    assert len(rule.states) == 3 * 13
    assert_right(rule, control)
    again = kept(rule)
    assert again.states == rule.states
    assert_right(again, control)


@pytest.mark.thorough
def test_what_two_things_say_together_is_learned() -> None:
    """In one mode a fan speed says something more if nothing swings; the rule is kept."""
    plain = remotes.clock_and_button()

    def says(state: State | Off, _: int) -> remotes.Frames:
        [frame] = plain.says(state, 0)
        still = isinstance(state, State) and (state.mode, state.fan, state.swing) == (
            "dry",
            "auto",
            "off",
        )
        body = [*frame[:3], 0x40 if still else 0, 0x11]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(plain.remote, says)
    teacher = taught(control)
    rule = rule_of(teacher)
    assert len(rule.states) == 3 * 4 * 2 * 15
    assert_right(rule, control)
    [more] = rule.as_data()["more"]
    assert (more["mode"], more["fan"], more["swing"]) == ("dry", ["auto"], ["off"])
    again = kept(rule)
    assert again.states == rule.states
    assert_right(again, control)
    for state in sorted(rule.states, key=str)[::7]:
        assert again.decode(control.press(state)) == state


@pytest.mark.parametrize("back", [False, True], ids=["", "a step back"])
def test_first_presses_that_were_cut_off_do_not_count(back: bool) -> None:
    """What most presses have is a message: the first are asked for again if they were shorter."""
    control = remotes.sum_over_two_frames()
    cut = RemoteControl(control.remote, lambda state, presses: control.says(state, presses)[:1])
    teacher = Teacher(control.capabilities)
    asked: list[State | Off] = []
    while (ask := teacher.ask) is not None:
        asked.append(ask)
        teacher.take((cut if len(asked) <= 2 else control).press(ask))
        if back and len(asked) in (4, 8, 12):
            teacher.back()
    assert asked.count(asked[0]) > 2, "it was not asked for again"
    rule = rule_of(teacher)
    assert teacher.asked <= PRESSES
    assert set(rule.states) == every_state(control)
    assert_right(rule, control)


def test_what_off_says_is_no_state_beside_cut_off_presses() -> None:
    """A state for which off was pressed is none, though it was heard before the frames were."""
    control = remotes.sum_over_two_frames()
    cut = RemoteControl(control.remote, lambda state, presses: control.says(state, presses)[:1])
    teacher = Teacher(control.capabilities)
    wrong: list[State] = []
    presses = 0
    while (ask := teacher.ask) is not None:
        presses += 1
        if isinstance(ask, State) and (not wrong or ask in wrong) and presses > 2:
            wrong.append(ask)
            teacher.take(control.press(OFF))
        else:
            teacher.take((cut if presses <= 2 else control).press(ask))
    assert len(wrong) > 1, "it was asked for again"
    rule = rule_of(teacher)
    assert rule.states >= every_state(control) - {*wrong}
    for state in rule.states - {*wrong}:
        assert read(rule.encode(state)).key == read(control.packet(state)).key, state


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("mode", "fan"), [("dry", "auto"), ("heat", "high"), ("cool", "high")], ids=str
)
def test_a_fan_speed_that_counts_temperatures_otherwise(mode: str, fan: str) -> None:
    """Dry counts with one speed only, and heat with one does not; the rule of that is kept."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF:
            return plain.says(state, presses)
        is_other = (state.mode, state.fan) == (mode, fan)
        counts = is_other == (state.mode == "dry")
        shown = state.temperature if counts else 29.0
        shown_fan = state.fan if counts or state.mode != "dry" else "auto"
        [[*body, _]] = plain.says(replace(state, fan=shown_fan, temperature=shown), presses)
        body = [*body[:3], body[3] | (0x30 if is_other else 0)]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl({**plain.remote, "dry": plain.remote["cool"]}, says)
    rule = rule_of(taught(control))
    if mode == "cool":  # the reference: what contradicts there is left out
        others = {one for one in every_state(control) if (one.mode, one.fan) != (mode, fan)}
        assert rule.states >= others
    else:
        assert set(rule.states) == every_state(control)
    for one in (rule, kept(rule)):
        assert_right(one, control)
        warm = State(mode=mode, fan=fan, temperature=27.0)
        read = one.decode(control.press(warm))
        assert isinstance(read, State)
        assert (read.mode, read.fan) == (mode, fan)


@pytest.mark.thorough
def test_temperatures_that_count_in_no_way_are_sent_as_pressed() -> None:
    """Where they say something else each degree, nothing is taken for right that was not heard."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        [[*body, _]] = plain.says(state, presses)
        degrees = (body[2] * body[2] * 7 + body[2] * 13) % 31
        odd = body[3] == 5 and body[2] in (1, 4, 5, 10, 14)
        body = [*body[:2], degrees | 0x80 * odd, body[3]]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(plain.remote, says)
    teacher = taught(control)
    rule = rule_of(teacher)
    assert len(rule.states) <= teacher.asked
    assert_right(rule, control)


def test_16_degrees_beside_the_numbers_of_17_to_30() -> None:
    """The numbers of Coolix begin at 17; a remote control that has 16, too, says so elsewhere."""
    numbers = (0, 0, 1, 3, 2, 6, 7, 5, 4, 12, 13, 9, 8, 10, 11)
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        [[*body, _]] = plain.says(state, presses)
        coldest = isinstance(state, State) and not body[2]
        body = [*body[:2], numbers[body[2]] << 4, body[3] | 0x80 * coldest]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(plain.remote, says)
    rule = rule_of(taught(control))
    assert set(rule.states) == every_state(control)
    assert_right(rule, control)


@pytest.mark.thorough
def test_what_is_like_in_three_modes_is_so_in_all() -> None:
    """Five modes of eight fan speeds are 40 columns: each need not be pressed."""
    fans = ("auto", "low", "medium", "high", "breeze", "natural", "focus", "soft")

    def says(state: State | Off, _: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        fan = fans.index(state.fan or "auto")
        mode = [*control.remote].index(state.mode)
        body = [0x23, mode, round(state.temperature) - 16, fan << 4]
        return [[*body, sum(body) & 0xFF]]

    has = Levels(fans=fans, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl(dict.fromkeys(("cool", "heat", "dry", "auto", "fan_only"), has), says)
    teacher = taught(control)
    assert teacher.asked <= PRESSES
    rule = rule_of(teacher)
    assert set(rule.states) == every_state(control)
    assert_right(rule, control)


@pytest.mark.thorough
def test_plain_speeds_are_alike_beside_a_clock() -> None:
    """A clock in the packets is no reason to press each of seven speeds in each of five modes."""
    fans = tuple(f"level{number}" for number in range(1, 8))

    def says(state: State | Off, presses: int) -> remotes.Frames:
        minute = 17 + presses // 2
        if state is OFF:
            return [[0x23, 0x80, 0, 0, minute, 0x23]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        mode = [*control.remote].index(state.mode)
        fan = fans.index(str(state.fan))
        body = [0x23, mode, round(state.temperature) - 16, fan << 4, minute]
        return [[*body, sum(body) & 0xFF]]

    has = Levels(fans=fans, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl(dict.fromkeys(("cool", "heat", "dry", "auto", "fan_only"), has), says)
    rule = rule_of(taught(control))
    assert len(rule.states) > 0.95 * len(every_state(control))
    for state in rule.states:
        heard = rule.decode(control.press(state))
        assert heard == state


@pytest.mark.thorough
def test_a_speed_that_flips_another_byte_is_no_plain_one() -> None:
    """High that says powerful, too, is not taken for the same where it was not pressed."""
    fans = ("auto", "low", "medium", "quiet", "turbo", "high")

    def says(state: State | Off, _: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        mode = [*control.remote].index(state.mode)
        more = state.fan == "turbo" or (state.fan == "high" and state.mode == "cool")
        fan = min(4, fans.index(state.fan or "auto"))
        body = [0x23, mode, round(state.temperature) - 16, fan << 4, 0x40 if more else 0]
        return [[*body, sum(body) & 0xFF]]

    has = Levels(fans=fans, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl(dict.fromkeys(("cool", "heat", "dry", "auto", "fan_only"), has), says)
    assert_right(rule_of(taught(control)), control)


MODES = ("cool", "heat", "dry", "auto")


def simple(
    fans: tuple[str, ...],
    change: Callable[[State, list[int]], None],
    modes: tuple[str, ...] = MODES,
    degrees: Sequence[float] = COMMON.temperatures,
) -> RemoteControl:
    """Return a remote control that says each thing in a byte, but for what `change` does."""

    def says(state: State | Off, _: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        fan = fans.index(str(state.fan))
        body = [0x23, modes.index(state.mode), round(state.temperature - degrees[0]), fan << 4, 0]
        change(state, body)
        return [[*body, sum(body) & 0xFF]]

    return RemoteControl(dict.fromkeys(modes, Levels(fans=fans, temperatures=degrees)), says)


@pytest.mark.thorough
@pytest.mark.parametrize("degrees", [(16.0, 17.0), (16.0, 17.0, 18.0)])
def test_a_value_that_says_more_at_some_temperatures_only(degrees: tuple[float, ...]) -> None:
    """What was heard at 16 and 17 degrees is not taken for what is so at 30."""

    def change(state: State, body: list[int]) -> None:
        body[4] = 0x10 if state.mode == "auto" and state.fan == "auto" else 0
        body[4] *= state.temperature in degrees

    control = simple(("auto", "low", "mid", "mediumHigh", "high"), change)
    rule = rule_of(taught(control))
    assert_right(rule, control)
    assert len(rule.states) > 0.8 * len(every_state(control))


@pytest.mark.thorough
def test_the_last_temperature_that_says_what_another_does() -> None:
    """One press shows that it is the temperature, not the fan speed; not one for each degree."""

    def change(state: State, body: list[int]) -> None:
        if state.mode == "auto":
            body[2] -= 3 * (state.temperature == 86)
            body[3] = 0

    degrees = [float(t) for t in range(62, 87)]
    modes = ("cool", "dry", "fan_only", "heat", "auto")
    control = simple(("auto", "high", "low", "medium"), change, modes, degrees)
    rule = rule_of(taught(control))
    assert_right(rule, control)
    assert len(every_state(control)) - len(rule.states) <= 4


@pytest.mark.thorough
@pytest.mark.parametrize("degrees", [20, 22, 24, 26])
def test_what_begins_at_a_temperature_is_asked_for_at_each_speed(degrees: int) -> None:
    """What is left open is asked for as long as there are presses."""

    def change(state: State, body: list[int]) -> None:
        body[4] = 0x10 if state.mode == "auto" and (state.temperature or 0) < degrees else 0

    control = simple(("auto", "low", "mid", "high"), change, ("cool", "heat", "auto"))
    teacher = taught(control)
    assert teacher.open() == {}
    assert_right(rule_of(teacher), control)


@pytest.mark.thorough
@pytest.mark.parametrize("fan", ["low", "mid", "high"])
def test_what_cannot_be_pressed_is_not_asked_for_one_degree_after_the_other(fan: str) -> None:
    """What is left open is asked for at a speed until the remote control cannot."""

    def change(state: State, body: list[int]) -> None:
        body[4] = 0x10 if state.mode == "auto" and (state.temperature or 0) < 24 else 0

    control = simple(("auto", "low", "mid", "high"), change, ("cool", "heat", "auto"))
    above = {State(mode="auto", fan=fan, temperature=float(t)) for t in range(24, 31)}
    teacher, skipped = Teacher(control.capabilities), 0
    while (ask := teacher.ask) is not None:
        if ask in above:
            teacher.skip()
            skipped += 1
        else:
            teacher.take(control.press(ask))
    assert skipped == 1
    assert_right(rule_of(teacher), control)


@pytest.mark.thorough
def test_speeds_with_other_plain_names() -> None:
    """Lowest is a speed as low is: it is the same in each mode."""
    fans = ("auto", "ultra low", "lowest", "low", "high", "highest", "super high", "Maximum")
    control = simple(fans, lambda *_: None, (*MODES, "fan_only"))
    assert set(rule_of(taught(control)).states) == every_state(control)


def with_one_temperature_in_dry() -> RemoteControl:
    """Return a remote control that sends one temperature in dry, and other fan speeds."""

    def change(state: State, body: list[int]) -> None:
        if state.mode == "dry":
            body[2] = 14
            body[3] = {"auto": 0x47, "low": 0x2B, "mid": 0x1C, "high": 0x47}[str(state.fan)]

    return simple(("low", "mid", "high", "auto"), change, ("cool", "heat", "dry"))


def test_two_explanations_that_say_the_same() -> None:
    """It does not matter which is right if both are as likely and say the same."""
    control = with_one_temperature_in_dry()
    rule = rule_of(taught(control))
    assert set(rule.states) == every_state(control)
    assert_right(rule, control)


def test_a_fan_speed_at_one_temperature_does_not_show_that_others_count() -> None:
    """In dry, all fan speeds but mid were pressed at two temperatures, and send the same at both.

    These presses also fit a remote control whose temperatures count with mid alone.
    """
    control = with_one_temperature_in_dry()
    pressed: Sequence[tuple[str, str, Sequence[float]]] = (
        ("cool", "low", (23, 23, 26, 30, 16)),
        *(("cool", fan, (23,)) for fan in ("mid", "high", "auto")),
        ("heat", "auto", (16,)),
        ("dry", "auto", (16, 29)),
        ("dry", "low", (23, 29)),
        ("heat", "low", (23, 28)),
        ("heat", "mid", (30,)),
        ("heat", "high", (29,)),
        ("dry", "mid", (30,)),
        ("dry", "high", (29, 24)),
        ("cool", "high", (30,)),
        ("dry", "mid", (30,)),
    )
    presses = [
        KeptPress(state=state, packet=control.packet(state))
        for mode, fan, temperatures in pressed
        for state in (State(mode=mode, fan=fan, temperature=float(t)) for t in temperatures)
    ]
    teacher = Teacher.resume(LessonRecord(capabilities=control.capabilities, presses=presses))
    rule = rule_of(teacher)
    assert_right(rule, control)
    in_dry = {state.fan for state in rule.states - rule.pressed.keys() if state.mode == "dry"}
    assert "low" in in_dry, "what is shown is offered"
    mid = {state.temperature for state in rule.states if (state.mode, state.fan) == ("dry", "mid")}
    assert mid == {30}


def test_a_state_that_says_off_is_asked_again_and_left_out() -> None:
    """What off says is no state's; the others are taught as if it had not been pressed."""
    plain = remotes.two_modes()
    wrong = State(mode="heat", fan="auto", temperature=16.0)

    def says(state: State | Off, presses: int) -> remotes.Frames:
        return plain.says(OFF if state == wrong else state, presses)

    control = RemoteControl(plain.remote, says)
    teacher, outcomes = Teacher(control.capabilities), []
    while (ask := teacher.ask) is not None:
        became = teacher.take(control.press(ask))
        outcomes += [became] if ask == wrong else []
    rule = rule_of(teacher)
    assert outcomes[:1] in ([], [Verdict.CONTRADICTS])
    every = {*control.capabilities.states()}
    assert rule.states >= every - {wrong}
    right = {state for state in rule.states if state != wrong}
    assert all(read(rule.encode(one)).key == read(control.packet(one)).key for one in right)


@pytest.mark.parametrize(
    ("mode", "fan", "temperature"),
    [
        ("cool", "auto", 16.0),
        ("cool", "auto", 19.0),
        ("cool", "auto", 30.0),
        ("cool", "medium", 23.0),
        ("heat", "high", 30.0),
    ],
)
def test_a_state_that_was_heard_twice_to_say_off_is_sent_so(
    mode: str, fan: str, temperature: float
) -> None:
    """What is heard twice is so: the rule of the others does not say what it would be."""
    plain = remotes.two_modes()
    off = State(mode=mode, fan=fan, temperature=temperature)

    def says(state: State | Off, presses: int) -> remotes.Frames:
        return plain.says(OFF if state == off else state, presses)

    control = RemoteControl(plain.remote, says)
    teacher = Teacher(control.capabilities)
    outcomes: list[Verdict] = []
    while (ask := teacher.ask) is not None:
        became = teacher.take(control.press(ask))
        outcomes += [became] if ask == off else []
    assert outcomes == [Verdict.CONTRADICTS, Verdict.ACCEPTED]
    assert_right(rule_of(teacher), control)


def with_check(
    check: Callable[[Sequence[int]], int], kinds: int = 4, *, counts_to: int = 1
) -> RemoteControl:
    """Return a remote control whose last byte is computed from the others.

    It may count presses.
    """

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        fan, mode = COMMON.fans.index(str(state.fan)), MODES.index(state.mode)
        degrees = round(state.temperature) - 16
        first = 0x20 | presses % counts_to
        body = [first, fan << 4 | mode, 0x60 | degrees, (5, 3, 6, 0)[fan] << 4 | mode]
        return [[*body, check(body)]]

    return RemoteControl(dict.fromkeys(MODES[:kinds], COMMON), says)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "check",
    [
        lambda body: (sum(body) & 0xFF) ^ 0x53,
        lambda body: (sum(one & 15 for one in body[:3]) + (body[3] >> 4) + 10 & 15) << 4 | 5,
        lambda body: -sum((body[1] >> 4, *(one & 15 for one in body[2:]))) % 16 << 4 | body[3] & 15,
    ],
    ids=["a sum some bits of which are flipped", "some nibbles", "other nibbles, negated"],
)
def test_checks_of_few_protocols(check: Callable[[Sequence[int]], int]) -> None:
    """A sum may be flipped, and of a byte its lower or its higher half may count."""
    control = with_check(check)
    rule = rule_of(taught(control))
    assert set(rule.states) == every_state(control)
    assert_right(kept(rule), control)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "check",
    [
        lambda body: sum(body) * 3 + (sum(body) >> 2) & 0xFF,
        lambda body: sum(one * (place + 1) for place, one in enumerate(body)) & 0xFF,
        lambda body: sum(one**2 for one in body) >> 1 & 0xFF,
        lambda body: (sum(body) ^ sum(body) >> 3) & 0xFF,
    ],
    ids=["a product", "counted by place", "squares", "folded"],
)
@pytest.mark.parametrize("modes", [1, 2, 4])
@pytest.mark.parametrize("counts_to", [1, 2, 4, 16])
def test_a_check_of_an_unknown_kind_is_not_taken_for_a_clock(
    check: Callable[[Sequence[int]], int], modes: int, counts_to: int
) -> None:
    """Sent as it was in another state it would make every packet a wrong one."""
    control = with_check(check, modes, counts_to=counts_to)
    rule = rule_of(taught(control))
    for state in rule.states:
        said = [read(control.packet(state, presses)).key for presses in range(counts_to)]
        assert read(rule.encode(state)).key in said, state


@pytest.mark.thorough
@pytest.mark.parametrize("modes", [1, 2, 4])
@pytest.mark.parametrize("repeats_fan", [False, True])
def test_a_check_of_half_a_byte_does_not_confirm_the_other_half(
    modes: int, repeats_fan: bool
) -> None:
    """A sum of bytes of which four bits are kept says nothing of their higher halves.

    Of a byte whose lower half is always the same it is not known if it counts.
    """
    control = with_check(lambda _: 0, modes)

    def says(state: State | Off, presses: int) -> remotes.Frames:
        [[*body, _]] = control.says(state, presses)
        unknown = sum(body) * 3 + (sum(body) >> 2) & 15
        body.append(unknown << 4 | (body[1] >> 4 if repeats_fan else 5))
        return [[*body, (sum(body) & 15) << 4]]

    halves = RemoteControl(control.remote, says)
    assert_right(rule_of(taught(halves)), halves)


@pytest.mark.thorough
@pytest.mark.parametrize("toggles", [0, 1])
def test_no_check_is_needed(toggles: int) -> None:
    """What toggles beside the fan speed is no check, though none confirms it."""

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x40, 0]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        fan, mode = COMMON.fans.index(str(state.fan)), MODES.index(state.mode)
        degrees = round(state.temperature) - 16
        return [[0x23, (presses & toggles) << 7 | fan << 4 | mode, degrees]]

    control = RemoteControl(dict.fromkeys(MODES, COMMON), says)
    rule = kept(rule_of(taught(control)))
    assert set(rule.states) == every_state(control)
    for state in rule.states:
        either = [read(control.packet(state, presses)).key for presses in (0, 1)]
        assert read(rule.encode(state)).key in either, state


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_press_that_was_received_late_is_not_what_all_are_written_like(number: int) -> None:
    """A receiver that begins late misses the leader: the other presses have it."""
    control = remotes.two_modes()
    teacher = Teacher(control.capabilities)
    presses = 0
    while (ask := teacher.ask) is not None:
        presses += 1
        packet = control.press(ask)
        teacher.take(from_timings(to_timings(packet)[2:]) if presses == number else packet)
    rule = rule_of(teacher)
    assert set(rule.states) == every_state(control)
    for state in rule.states - rule.pressed.keys():
        assert len(to_timings(rule.encode(state))) == len(to_timings(control.packet(state)))
    assert_right(rule, control)


def test_durations_are_those_of_most_presses() -> None:
    """One press by a receiver that lengthens marks does not make all packets so."""
    control = remotes.two_modes()
    teacher = Teacher(control.capabilities)
    is_first = True
    while (ask := teacher.ask) is not None:
        packet = control.packet(ask)
        if is_first:
            longer = [one + 120 for one in to_timings(packet)]
            packet, is_first = from_timings(longer), False
        teacher.take(packet)
    rule = rule_of(teacher)
    [state, *_] = rule.states - rule.pressed.keys()
    sent, right = to_timings(rule.encode(state)), to_timings(control.packet(state))
    assert all(abs(one - other) < 40 for one, other in zip(sent, right, strict=True))


def temperature_twice() -> RemoteControl:
    """Return a remote control that sends the temperature twice, once in a way of its own; a sum."""

    def says(state: State | Off, _: int) -> remotes.Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        degrees, fan = round(state.temperature), COMMON.fans.index(str(state.fan))
        # no way to count has these numbers, whatever they are
        own = (degrees * degrees * 7 + degrees * 13) % 31
        body = [0x23, MODES.index(state.mode) + 1, degrees - 16, own, fan << 4]
        return [[*body, sum(body) & 0xFF]]

    return RemoteControl(dict.fromkeys(MODES[:3], COMMON), says)


@pytest.mark.thorough
def test_what_belongs_to_the_state_is_not_taken_for_a_clock() -> None:
    """A byte that nothing explains is volatile only if it changes while the state does not."""
    control = temperature_twice()
    teacher = taught(control)
    rule = rule_of(teacher)
    assert rule.pressed
    assert_right(rule, control)


def test_a_byte_that_changes_while_the_state_does_not_is_no_part_of_it() -> None:
    """A clock that the first presses do not show is shown when their state is pressed later."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        [[*body, _]] = plain.says(state, presses)
        body.append(17 + presses // 7)
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(plain.remote, says)
    teacher = Teacher(control.capabilities)
    asked: list[State | Off] = []
    while (ask := teacher.ask) is not None:
        asked.append(ask)
        teacher.take(control.press(ask))
    assert asked.count(asked[0]) > 2, "it was pressed again later"
    rule = rule_of(teacher)
    assert set(rule.states) == every_state(control)
    for state in rule.states:
        sent = [read(control.packet(state, presses)).key for presses in range(0, 35, 7)]
        assert read(rule.encode(state)).key in sent


def test_another_button_than_the_first_one_shows_no_clock() -> None:
    """Who presses something else when the first state is asked for later is asked again."""
    control = temperature_twice()
    teacher = Teacher(control.capabilities)
    first = teacher.ask
    assert isinstance(first, State)
    outcomes: list[Verdict] = []
    while (ask := teacher.ask) is not None:
        if ask == first and teacher.asked > 2 and not outcomes:
            outcomes.append(teacher.take(control.press(replace(first, fan="high"))))
        else:
            teacher.take(control.press(ask))
    assert outcomes == [Verdict.CONTRADICTS]
    assert_right(rule_of(teacher), control)


def test_each_state_that_says_off_is_doubted() -> None:
    """That one was heard twice does not confirm another one."""
    plain = remotes.two_modes()
    off = {State(mode="cool", fan="auto", temperature=float(t)) for t in (16, 30)}

    def says(state: State | Off, presses: int) -> remotes.Frames:
        return plain.says(OFF if state in off else state, presses)

    control = RemoteControl(plain.remote, says)
    teacher = Teacher(control.capabilities)
    outcomes: dict[State | Off, list[Verdict]] = {}
    while (ask := teacher.ask) is not None:
        outcomes.setdefault(ask, []).append(teacher.take(control.press(ask)))
    assert all(outcomes[one] == [Verdict.CONTRADICTS, Verdict.ACCEPTED] for one in off)


def test_a_fan_speed_in_other_frames_is_doubted_once() -> None:
    """A second frame that was heard twice belongs to the remote control, not to the receiver."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        frames = plain.says(state, presses)
        return [*frames, [0x55]] if isinstance(state, State) and state.fan == "low" else frames

    control = RemoteControl(plain.remote, says)
    teacher = Teacher(control.capabilities)
    doubted, low = 0, 0
    while (ask := teacher.ask) is not None:
        low += isinstance(ask, State) and ask.fan == "low"
        doubted += teacher.take(control.press(ask)) is Verdict.CONTRADICTS
    assert low <= 1 + MOST_IN_OTHER_LAYOUT  # the first of them twice
    assert doubted == 1
    rule = rule_of(teacher)
    assert_right(rule, control)
    assert {*every_state(control)} == set(rule.states)


@pytest.mark.thorough
def test_nothing_is_offered_that_no_rule_says() -> None:
    """Of a remote control that scrambles its bytes only what was pressed is sent, as it was."""
    plain = remotes.bytes_by_mode()

    def scrambled(state: State | Off, presses: int) -> remotes.Frames:
        [frame] = plain.says(state, presses)
        key = sum(frame) * 73 & 0xFF
        return [[frame[0], *(one * key * 31 + index & 0xFF for index, one in enumerate(frame[1:]))]]

    control = RemoteControl(plain.remote, scrambled, msb=True)
    teacher = taught(control)
    rule = rule_of(teacher)
    assert len(rule.states) <= PRESSES
    assert_right(rule, control)
    assert sum(map(len, teacher.open().values())) > PRESSES


@pytest.mark.thorough
@pytest.mark.parametrize("temperature", [16.0, 30.0])
@pytest.mark.parametrize("fan", ["low", "medium", "high"])
def test_one_odd_state_is_odd_alone(fan: str, temperature: float) -> None:
    """A state that is not as the others say costs itself, not all temperatures beside it."""
    plain = remotes.two_modes()
    odd = State(mode="cool", fan=fan, temperature=temperature)

    def says(state: State | Off, presses: int) -> remotes.Frames:
        return plain.says(replace(odd, temperature=23.0) if state == odd else state, presses)

    control = RemoteControl(plain.remote, says)
    teacher = Teacher(control.capabilities)
    was_pressed = False
    while (ask := teacher.ask) is not None:
        was_pressed |= ask == odd
        teacher.take(control.press(ask))
    rule = rule_of(teacher)
    if was_pressed:
        assert_right(rule, control)
        every = {*control.capabilities.states()}
        assert every - set(rule.states) <= {odd, replace(odd, mode="heat")}


@pytest.mark.thorough
def test_a_mode_without_a_rule_takes_nothing_from_the_others() -> None:
    """All others are offered where dry says something else each time."""
    plain = remotes.two_modes()

    def says(state: State | Off, presses: int) -> remotes.Frames:
        if state is OFF or state.mode != "dry":
            return plain.says(state, presses)
        [[first, _, *_]] = plain.says(replace(state, mode="cool"), presses)
        key = sum(map(ord, str(state))) * 7919
        body = [first, key & 0xFF, key >> 8 & 0xFF, key >> 5 & 0xFF]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl({**plain.remote, "dry": plain.remote["cool"]}, says)
    rule = rule_of(taught(control))
    every = {*plain.capabilities.states()}
    assert len(every - set(rule.states)) <= 2, "a fan speed at one temperature may be untried"
    assert_right(rule, control)


def test_a_mode_that_cannot_be_read_is_left_out_soon() -> None:
    """Some presses that say nothing are enough to leave a mode out."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    skipped = 0
    while (ask := teacher.ask) is not None:
        if isinstance(ask, State) and ask.mode == "auto":
            skipped += 1
            teacher.skip()
        else:
            teacher.take(control.press(ask))
    assert skipped == 3
    others = {
        s for mode in control.remote if mode != "auto" for s in control.capabilities.states(mode)
    }
    assert set(rule_of(teacher).states) == others


def test_few_temperatures_of_a_mode_are_no_trouble() -> None:
    """That two temperatures do not tell how a mode counts is no contradiction."""
    heard = {State(mode="cool", temperature=float(t)): t << 16 for t in range(18, 26)}
    heard |= {State(mode="heat", temperature=t): m | 1 << 8 for t, m in ((18.0, 0), (25.0, 0xAB))}
    has = Levels(temperatures=[float(t) for t in range(18, 31)])
    model = find_model(Evidence([*heard.items()], (24,), Capabilities.alike(("cool", "heat"), has)))
    known = {float(t) for t in range(18, 31)}
    assert {t for t in known if model.predict(State(mode="cool", temperature=t))} == known
    assert {t for t in known if model.predict(State(mode="heat", temperature=t))} == {18.0, 25.0}
    assert not model.outliers


@pytest.mark.thorough
def test_no_such_button_and_back() -> None:
    """What there is no button for is not asked for again; back asks for the last again."""
    control = remotes.bytes_by_mode()
    teacher = Teacher(control.capabilities)
    asked: list[State | Off] = []
    while (ask := teacher.ask) is not None:
        assert ask not in asked
        if isinstance(ask, State) and ask.mode == "dry" and ask.fan == "high":
            asked.append(ask)
            teacher.skip()
            continue
        teacher.take(control.press(ask))
    assert_right(rule_of(teacher), control)
    teacher = Teacher(control.capabilities)
    asks: list[State | Off | None] = [teacher.ask]
    for _ in range(2):
        teacher.take(control.press(State(mode="cool", fan="auto", swing="off", temperature=23.0)))
        asks.append(teacher.ask)
    teacher.skip()
    asks.append(teacher.ask)
    assert asks[:3] == [asks[0], asks[0], OFF]
    assert asks[3] not in asks[:3]
    for before, count in ((OFF, 2), (asks[0], 1)):
        teacher.back()
        assert (teacher.ask, teacher.asked) == (before, count)


def corrected(has: Levels, state: State, truth: Levels) -> Levels | None:
    """Return what a mode has less, if this state is asked for; None if it is there."""
    for attribute in ATTRIBUTES:
        asked, values = value(state, attribute), truth.values(attribute)
        if asked is None or asked in values:
            continue
        if not values:
            return has.without(attribute)
        if isinstance(asked, float):
            low = [t for t in has.temperatures if t <= asked]
            return has.without(attribute, *low)
        return has.without(attribute, asked)
    return None


def test_what_a_mode_has_not_is_said_once() -> None:
    """Said is what all modes have together; what one lacks takes an answer, not many."""
    control = remotes.another_in_each_mode()
    cool = control.remote["cool"]
    teacher = Teacher(Capabilities.alike((*control.remote, "auto"), cool))
    answers = 0
    while (ask := teacher.ask) is not None:
        if isinstance(ask, State):
            truth = control.remote.get(ask.mode)
            less = truth and corrected(teacher.capabilities[ask.mode], ask, truth)
            if truth is None or less is not None:
                teacher.correct(ask.mode, less)
                answers += 1
                continue
        teacher.take(control.press(ask))
    assert answers <= 12
    assert teacher.asked <= PRESSES
    rule = rule_of(teacher)
    assert set(rule.states) == {*control.capabilities.states()}
    assert_right(rule, control)


def test_a_correction_is_taken_back() -> None:
    """Presses of what a mode has not are forgotten, and there again after a step back."""
    control = remotes.another_in_each_mode()
    cool = control.remote["cool"]
    teacher = Teacher(Capabilities.alike(("cool", "dry"), cool))
    assert not Teacher(control.capabilities).can_go_back
    while (first := teacher.ask) is not None:
        if isinstance(first, State) and first.mode == "dry":
            break
        teacher.take(control.press(first))
    assert isinstance(first, State)
    asked = teacher.asked
    teacher.take(control.press(first))
    teacher.correct("dry", cool.without("fan"))  # pressed as before, without a fan speed
    assert teacher.ask != replace(first, fan=None)
    teacher.correct("dry", None)
    assert {*teacher.capabilities} == {"cool"}
    with pytest.raises(ValueError, match="no mode"):
        teacher.correct("cool", None)
    for _ in range(3):
        assert teacher.can_go_back
        teacher.back()
    assert (teacher.ask, teacher.asked) == (first, asked)
    assert {*teacher.capabilities} == {"cool", "dry"}


def test_a_remote_control_without_modes_is_none() -> None:
    """There is nothing to teach."""
    with pytest.raises(ValueError, match="no mode"):
        Teacher(Capabilities())
