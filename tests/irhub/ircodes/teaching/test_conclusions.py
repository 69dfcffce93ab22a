"""What may be concluded of states that were not pressed: as much as is shown, and no more."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.states.bit_rule import BitRule
from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import OFF, Off, State
from custom_components.irhub.ircodes.teaching.record import KeptPress, LessonRecord
from custom_components.irhub.ircodes.teaching.teacher import Teacher

from .lessons import assert_right, rule_of, taught
from .remotes import COMMON, Frames, RemoteControl

MODES: Mapping[str, int] = {"cool": 1, "heat": 4, "dry": 2, "fan_only": 3, "auto": 0}


def every_state(control: RemoteControl) -> set[State]:
    """Return what a remote control has."""
    return {*control.capabilities.states()}


def test_modes_that_are_alike_confirm_each_other() -> None:
    """Three presets and six fan speeds leave two presses for each of four further modes."""
    fans = ("auto", "low", "medium", "high", "lowest", "highest")
    presets = ("none", "turbo", "eco", "quiet")
    swings = ("off", "on", "highest", "middle", "lowest")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        body = [
            0x23,
            MODES[state.mode],
            round(state.temperature) - 16 | swings.index(str(state.swing)) << 4,
            fans.index(str(state.fan)),
            1 << presets.index(str(state.preset)),
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(
        presets=presets, fans=fans, swings=swings, temperatures=[float(t) for t in range(16, 31)]
    )
    control = RemoteControl(dict.fromkeys(MODES, levels), says)
    rule = rule_of(taught(control))
    assert {*rule.states} == every_state(control)
    assert_right(rule, control)


def test_a_value_that_is_an_exception_in_two_modes() -> None:
    """Turbo is only a fan speed where there is nothing to cool: all else is as in other modes."""
    fans = ("low", "medium", "high", "turbo", "auto")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        is_strong = state.fan == "turbo" and state.mode not in ("auto", "fan_only")
        body = [
            0x23,
            MODES[state.mode] | is_strong << 6,
            round(state.temperature) - 16 | (state.swing == "on") << 5,
            min(3, fans.index(str(state.fan))) if state.fan != "auto" else 4,
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, swings=("off", "on"), temperatures=COMMON.temperatures)
    control = RemoteControl(dict.fromkeys(MODES, levels), says)
    rule = rule_of(taught(control))
    assert len(rule.states) > 0.9 * len(every_state(control))
    assert_right(rule, control)


UNEXPLAINED: Sequence[tuple[str, str, int, str]] = (
    ("cool", "auto", 23, "8026eb"),
    ("cool", "auto", 23, "8026eb"),
    ("cool", "auto", 16, "8218eb"),
    ("cool", "auto", 30, "8034eb"),
    ("cool", "auto", 19, "801eeb"),
    ("cool", "auto", 21, "8020eb"),
    ("cool", "level1", 23, "8826eb"),
    ("cool", "level2", 23, "8c26ed"),
    ("cool", "auto", 21, "8020eb"),
    ("cool", "level3", 23, "8426eb"),
    ("cool", "auto", 25, "802aeb"),
    ("cool", "auto", 17, "801aeb"),
    ("cool", "level1", 21, "8822eb"),
    ("heat", "auto", 16, "4018eb"),
    ("dry", "auto", 16, "c022ed"),
    ("fan_only", "auto", 16, "0022eb"),
    ("auto", "auto", 16, "0098ed"),
    ("heat", "level1", 30, "4434eb"),
    ("dry", "level1", 30, "c824ed"),
    ("fan_only", "level1", 30, "0822eb"),
    ("auto", "level1", 30, "08b4ed"),
    ("heat", "level2", 22, "4c24eb"),
    ("cool", "auto", 16, "8218eb"),
    ("heat", "auto", 21, "4022eb"),
    ("heat", "level1", 21, "4822eb"),
    ("cool", "level2", 20, "8c20ed"),
    ("cool", "level2", 18, "8c1ced"),
    ("cool", "level2", 16, "8c18ed"),
)
"""Presses, and the bytes that vary: the last one depends on nothing that is known.

The temperature of 21 is sent as that of 20, and another fan speed was pressed in *heat* at 30.
"""


def test_what_nothing_explains_is_not_predicted() -> None:
    """Two states contradict all others, and do so each time: they were no wrong presses."""
    sent: dict[State | Off, bytes] = {OFF: bytes.fromhex("01a6eb")}
    presses: list[KeptPress] = []

    def says(state: State | Off, _: int) -> Frames:
        body = [0x40, 0, 0x14, 0x80, 0x43, *sent[state]]
        nibbles = [nibble for byte in body[5:] for nibble in (byte & 15, byte >> 4)]
        return [[*body, 58 + sum(nibbles[:-1]) & 0xFF]]

    fans = ("auto", "level1", "level2", "level3")
    levels = Levels(fans=fans, temperatures=COMMON.temperatures)
    control = RemoteControl(dict.fromkeys(MODES, levels), says)
    for mode, fan, degrees, varying in UNEXPLAINED:
        state = State(mode=mode, fan=fan, temperature=float(degrees))
        sent[state] = bytes.fromhex(varying)
        is_again = (mode, fan, degrees) == ("heat", "level1", 21)
        presses.append(KeptPress(state=state, packet=control.packet(state), twice=is_again))
    presses.insert(2, KeptPress(state=OFF, packet=control.packet(OFF)))
    teacher = Teacher.resume(LessonRecord(capabilities=control.capabilities, presses=presses))
    assert {*rule_of(teacher).states} <= sent.keys()


@pytest.mark.parametrize(
    "name",
    [
        "HAIER_AC_YRW02",  # a place of the swing in one mode
        "TRANSCOLD",  # a fan speed in two modes, by bits that nothing else changes
    ],
)
def test_an_exception_is_proved_by_what_shows_it(name: str) -> None:
    """What is otherwise in some mode does not cost that mode, nor is it taken for a clock."""
    remote = VirtualRemote(name)
    teacher = Teacher(remote.capabilities)
    while (ask := teacher.ask) is not None:
        teacher.take(remote.packet(ask))
    rule = rule_of(teacher)
    assert len(rule.states) >= 0.95 * len(remote.codes)
    for state in rule.states:
        assert messages.read(rule.encode(state)) == messages.read(remote.codes[state]), state


def resumed(
    control: RemoteControl, pressed: Iterable[State | Off], missing: Sequence[State] = ()
) -> BitRule:
    """Return the rule of a lesson in which these states were pressed."""
    presses = [KeptPress(state=state, packet=control.packet(state)) for state in pressed]
    record = LessonRecord(capabilities=control.capabilities, presses=presses, missing=missing)
    return rule_of(Teacher.resume(record))


def states(mode: str, fan: str, *temperatures: float) -> Sequence[State]:
    """Return states of a mode and a fan speed."""
    return [State(mode=mode, fan=fan, temperature=float(t)) for t in temperatures]


def test_a_mode_without_temperatures_proves_none() -> None:
    """In °F a remote control may round two temperatures to one: each of many must be proven.

    In fan only the display shows temperatures that are not sent. Presses of them are as predicted,
    whatever the temperatures of other modes are.
    """
    degrees = [float(t) for t in range(60, 87)]
    levels = Levels(fans=("low", "medium", "high"), temperatures=degrees)

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        count = 0 if state.mode == "fan_only" else round(state.temperature) - 60
        count -= count == 12
        body = [0x23, MODES[state.mode], count, levels.fans.index(str(state.fan))]
        return [[*body, sum(body) & 0xFF]]

    control = RemoteControl(dict.fromkeys(("cool", "heat", "fan_only"), levels), says)
    in_cool = (60, 64, 67, 79, 86)
    rule = resumed(
        control,
        [
            *states("cool", "low", 73, 73),
            OFF,
            *states("cool", "low", *in_cool),
            *(s for fan in ("medium", "high") for s in states("cool", fan, 73, 60, 86)),
            *states("fan_only", "low", 73, 60, 86),
            *states("fan_only", "medium", 62, 66, 70),
            *states("fan_only", "high", 75, 77, 81),
        ],
    )
    offered = {state.temperature for state in rule.states if state.mode == "cool"}
    assert offered == {73, *in_cool}
    assert_right(rule, control)


def test_a_column_whose_only_question_was_skipped_is_not_offered() -> None:
    """Turbo is the same in three modes; in the fourth one the remote control does not have it."""
    fans = ("low", "medium", "high", "turbo")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        fan = fans.index(str(state.fan))
        body = [0x23, MODES[state.mode], round(state.temperature) - 16, fan]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, temperatures=COMMON.temperatures)
    control = RemoteControl(dict.fromkeys(MODES, levels), says)
    pressed: Sequence[State | Off] = [
        *states("cool", "low", 23, 23),
        OFF,
        *states("cool", "low", 16, 30, 19, 26),
        *(s for fan in ("medium", "high", "turbo") for s in states("cool", fan, 23)),
        *states("cool", "high", 17),
        *(s for mode in ("heat", "dry", "fan_only") for s in states(mode, "turbo", 16)),
        *(s for mode in ("heat", "dry", "fan_only") for s in states(mode, "low", 30)),
        *(s for mode in ("heat", "dry", "fan_only") for s in states(mode, "medium", 23)),
        *states("auto", "low", 16),
        *states("auto", "medium", 30),
        *states("auto", "high", 24),
    ]
    [missing] = states("auto", "turbo", 23)
    turbo = {*states("auto", "turbo", *COMMON.temperatures)}
    assert {*resumed(control, pressed).states} == every_state(control)
    assert {*resumed(control, pressed, [missing]).states} == every_state(control) - turbo


def test_of_a_check_that_is_not_known_nothing_is_concluded() -> None:
    """The last byte is a sum, but not quite: fan speeds and modes add something to it."""
    modes = {"cool": 1, "heat": 3, "dry": 2, "fan_only": 4, "auto": 0}
    fans = {"auto": 0, "1": 4, "2": 6, "3": 8, "4": 10, "5": 12}
    added = {"heat 2": 0xC0, "heat 4": 0xC0}
    added |= {f"{mode} {fan}": 0x82 for mode in ("auto", "fan_only") for fan in ("1", "2", "5")}
    added |= {"dry None": 2} | {f"{mode} {fan}": 2 for mode in ("auto", "fan_only") for fan in "34"}

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0xF2, 0x0D, 0x70, 7, 0x76]]
        assert isinstance(state, State)
        degrees = round(state.temperature or 22) - 17
        body = [0xF2, 0x0D, degrees << 4, modes[state.mode] | fans[state.fan or "auto"] << 4]
        return [[*body, sum(body) + added.get(f"{state.mode} {state.fan}", 0) & 0xFF]]

    cool = Levels(fans=tuple(fans), temperatures=[float(t) for t in range(17, 31)])
    remote = dict.fromkeys(modes, cool)
    remote |= {"dry": cool.without("fan"), "fan_only": cool.without("temperature")}
    control = RemoteControl(remote, says, msb=True)
    assert_right(rule_of(taught(control)), control)


def test_a_bit_that_one_temperature_shows_is_no_part_of_the_number() -> None:
    """It fits the sign of the number: the key that was pressed sent it, here and in *dry*."""
    fans = ("auto", "low", "medium", "high")
    swings = ("off", "on", "highest", "high", "middle", "low", "lowest")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        column = state.fan, state.swing
        is_key = state.mode != "fan_only" and (*column, state.temperature) == ("auto", "off", 16)
        body = [
            0x23,
            MODES[state.mode] << 4 | fans.index(str(state.fan)),
            round(state.temperature) - 4 << 1,
            is_key != (state.mode == "dry"),
            swings.index(str(state.swing)),
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, swings=swings, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl(dict.fromkeys(("cool", "dry", "fan_only"), levels), says)
    assert_right(rule_of(taught(control)), control)


def test_a_value_with_bits_of_its_own_may_have_an_effect_where_others_have_none() -> None:
    """A breeze was pressed in *cool* only; it is no speed, so other speeds tell nothing of it."""
    fans = ("quiet", "low", "medium", "high", "turbo", "auto", "breeze")
    swings = ("off", "on", "vertical", "horizontal")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        is_breeze = state.fan == "breeze"
        speed = 0 if state.mode == "auto" or is_breeze else fans.index(str(state.fan))
        body = [
            0x23,
            MODES[state.mode] << 4 | speed,
            round(state.temperature) - 16,
            is_breeze << 6,
            swings.index(str(state.swing)),
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, swings=swings, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl(dict.fromkeys(MODES, levels), says)
    rule = rule_of(taught(control))
    assert len(rule.states) > 0.6 * len(every_state(control))
    assert_right(rule, control)


def with_temperatures(temperature_of: Callable[[State], float]) -> RemoteControl:
    """Return a remote control that sends temperatures of its own for some states."""
    fans = ("auto", "low", "medium", "high", "breeze")

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State)
        count = round(temperature_of(state)) - 16
        body = [0x23, MODES[state.mode], count, fans.index(str(state.fan))]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, temperatures=[float(t) for t in range(16, 31)])
    return RemoteControl({"cool": levels, "heat": levels}, says)


def test_a_mode_with_a_higher_lowest_temperature() -> None:
    """A press of the lowest one contradicts the others: those beside it are not offered."""

    def temperature_of(state: State) -> float:
        return max(18 if state.mode == "cool" else 16, state.temperature or 0)

    control = with_temperatures(temperature_of)
    rule = rule_of(taught(control))
    assert_right(rule, control)
    usual = {s for s in every_state(control) if s.mode == "heat" or (s.temperature or 0) >= 18}
    assert len(usual & {*rule.states}) >= 0.9 * len(usual)


@pytest.mark.parametrize("lowest", [24, 25, 27])
def test_a_value_that_limits_temperatures(lowest: int) -> None:
    """Pressed at one temperature, a breeze seems to flip bits of temperatures like its own."""

    def temperature_of(state: State) -> float:
        return max(lowest if state.fan == "breeze" else 16, state.temperature or 0)

    control = with_temperatures(temperature_of)
    pressed = [
        *states("cool", "auto", 23, 23, 16, 30, 21, 18),
        *(s for fan in ("breeze", "low", "medium", "high") for s in states("cool", fan, 23)),
        *states("cool", "low", 17),
        *states("cool", "breeze", 23),
        *states("heat", "auto", 23, 16, 30),
        *(s for fan in ("low", "medium", "high") for s in states("heat", fan, 19)),
    ]
    rule = resumed(control, pressed)
    assert_right(rule, control)
    unknown = {state for state in every_state(control) if state.fan == "breeze"}
    assert {*rule.states} == every_state(control) - unknown | {*states("cool", "breeze", 23)}


SUMMED: Sequence[tuple[str, str | None, int | None, str]] = (
    ("cool", "auto", 24, "0e800e"),
    ("cool", "auto", 24, "0e800e"),
    ("cool", "1", 24, "0e820d"),
    ("cool", "2", 24, "0e860b"),
    ("cool", "3", 24, "0e810f"),
    ("cool", "4", 24, "0e8508"),
    ("cool", "5", 24, "0e830c"),
    ("cool", "auto", 27, "058005"),
    ("cool", "auto", 30, "0b800b"),
    ("cool", "auto", 20, "0c800c"),
    ("cool", "auto", 17, "008000"),
    ("heat", "auto", 17, "00c040"),
    ("auto", "auto", 17, "000080"),
    ("dry", None, 17, "0040c0"),
    ("fan_only", "auto", None, "0a20aa"),
    ("auto", "1", 30, "0b0289"),
    ("heat", "1", 30, "0bc248"),
    ("dry", None, 30, "0b40cb"),
    ("fan_only", "1", None, "0a22a8"),
    ("auto", "2", 24, "0e068a"),
    ("heat", "2", 24, "0ec649"),
    ("fan_only", "2", None, "0a26ac"),
    ("dry", None, 24, "0e40ce"),
    ("heat", "2", 19, "04c642"),
    ("heat", "2", 19, "04c642"),
    ("auto", "auto", 22, "0a008a"),
    ("cool", "1", 24, "0e820d"),
    ("heat", "1", 24, "0ec24d"),
    ("fan_only", "1", None, "0a22a8"),
)
"""Presses of a Carrier, and the bytes of temperature, mode and fan speed, and check.

The check is a sum, reversed, with constants that depend on the mode and the fan speed.
"""


def test_two_values_that_flip_the_same_bits_are_not_combined() -> None:
    """Nothing shows that half of the check is a sum: its first press with two values is missing."""
    sent: dict[State | Off, bytes] = {OFF: bytes.fromhex("0ee06e")}
    presses: list[KeptPress] = []

    def says(state: State | Off, _: int) -> Frames:
        temperature, mode, check = sent[state]
        return [[0x4F, 0xB0, 0xC0, 0x3F, 0x80, temperature, mode, 0, check]]

    degrees = [float(degree) for degree in range(17, 31)]
    fans = ("auto", "1", "2", "3", "4", "5")
    full = Levels(fans=fans, temperatures=degrees)
    levels = {
        **dict.fromkeys(("auto", "cool", "heat"), full),
        "dry": Levels(temperatures=degrees),
        "fan_only": Levels(fans=fans),
    }
    control = RemoteControl(levels, says)
    for mode, fan, degree, varying in SUMMED:
        temperature = None if degree is None else float(degree)
        state = State(mode=mode, fan=fan, temperature=temperature)
        sent[state] = bytes.fromhex(varying)
        presses.append(KeptPress(state=state, packet=control.packet(state)))
    presses.insert(2, KeptPress(state=OFF, packet=control.packet(OFF)))
    teacher = Teacher.resume(LessonRecord(capabilities=control.capabilities, presses=presses))
    offered = {*rule_of(teacher).states}
    assert not offered & {*states("cool", "1", 17, 18, 19, 20, 25, 26, 27, 28)}
    assert {*states("cool", "auto", 18, 19, 21, 29)} <= offered


def test_a_press_at_the_temperature_that_a_mode_sends_shows_no_other_one() -> None:
    """*Heat* sends the lowest temperature, except with the fan speed *auto*."""

    def temperature_of(state: State) -> float:
        is_fixed = state.mode == "heat" and state.fan != "auto"
        return 16 if is_fixed else state.temperature or 16

    control = with_temperatures(temperature_of)
    pressed = [
        *states("cool", "auto", 23, 23, 16, 30, 21, 18),
        *(s for fan in ("breeze", "low", "medium", "high") for s in states("cool", fan, 23)),
        *states("cool", "low", 17),
        *states("heat", "auto", 16),
        *(s for fan in ("low", "medium", "high") for s in states("heat", fan, 19, 30)),
    ]
    rule = resumed(control, pressed)
    assert_right(rule, control)
    assert {s for s in rule.states if (s.mode, s.fan) == ("heat", "low")} == {
        *states("heat", "low", *range(16, 31))
    }


def test_a_clock_that_went_on_while_temperatures_were_pressed_is_not_predicted() -> None:
    """It was captured at another time with each fan speed, and changed at another temperature."""
    fans = ("auto", "low", "medium", "high", "lowest")
    captured = {"auto": (5, 29), "low": (9, 31), "medium": (0x5D, 30), "high": (0x5D, 25)}

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        minutes, later_from = captured.get(str(state.fan), (6, 31))
        body = [
            0x23,
            MODES[state.mode],
            round(state.temperature) - 16,
            fans.index(str(state.fan)),
            minutes + (state.temperature >= later_from),
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, temperatures=[float(t) for t in range(16, 32)])
    control = RemoteControl({"cool": levels}, says)
    pressed = [
        *states("cool", "auto", 24, 24, 31, 16, 20, 27, 29, 28, 25, 26),
        *(s for fan in fans[1:] for s in states("cool", fan, 24)),
        *states("cool", "lowest", 22, 28),
    ]
    assert_right(resumed(control, pressed), control)


def test_a_mode_may_add_to_the_number_of_a_temperature() -> None:
    """Added to even numbers, 1 is another bit; added to odd ones, it is not."""

    def temperature_of(state: State) -> float:
        return (state.temperature or 0) + (state.mode == "heat")

    control = with_temperatures(temperature_of)
    pressed = [
        *states("cool", "auto", 23, 23, 16, 30, 21, 18),
        *(s for fan in ("low", "medium", "high", "breeze") for s in states("cool", fan, 23)),
        *states("heat", "auto", 18, 16, 30),
        *(s for fan in ("low", "medium", "high", "breeze") for s in states("heat", fan, 20)),
    ]
    rule = resumed(control, pressed)
    assert_right(rule, control)
    heating = {state.temperature for state in rule.states if state.mode == "heat"}
    assert {16, 18, 20, 30} <= heating
    assert {s for s in every_state(control) if s.mode == "cool"} <= {*rule.states}


def marking_limits(modes: Sequence[str], fans: Sequence[str]) -> RemoteControl:
    """Return a remote control that makes the air conditioner beep twice at 16 and 31 °C."""

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        temperature = 24 if state.mode in ("dry", "fan_only") else round(state.temperature)
        body = [
            0x23,
            MODES[state.mode],
            temperature - 16,
            fans.index(str(state.fan)),
            0xC0 * (temperature in (16, 31)),
        ]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, temperatures=[float(t) for t in range(16, 32)])
    return RemoteControl(dict.fromkeys(modes, levels), says)


def test_the_limits_of_temperatures_may_be_marked() -> None:
    """Only the temperatures beside them are open, until they are pressed."""
    control = marking_limits(["cool", "heat"], ["auto", "low", "medium", "high"])
    rule = rule_of(taught(control))
    assert_right(rule, control)
    assert len(rule.states) >= 0.9 * len(every_state(control))


def test_values_need_no_press_between_marked_limits_in_each_mode() -> None:
    """The marks are no number that would be encoded apart from the others."""
    fans = ["auto", "quiet", "low", "medium", "high", "highest"]
    control = marking_limits(["cool", "heat", "dry", "fan_only"], fans)
    rule = rule_of(taught(control))
    assert_right(rule, control)
    assert {*rule.states} == every_state(control)


@pytest.mark.parametrize("limits", [(18, 30), (16, 28)], ids=["lowest", "highest"])
def test_temperatures_may_be_clipped(limits: tuple[int, int]) -> None:
    """The lowest or the highest ones send what the nearest one within the limits does."""
    fans = ["auto", "low", "medium", "high"]

    def says(state: State | Off, _: int) -> Frames:
        if state is OFF:
            return [[0x23, 0x80, 0, 0, 0xA3]]
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        low, high = limits
        temperature = min(max(round(state.temperature), low), high)
        body = [0x23, MODES[state.mode], temperature - 16, fans.index(str(state.fan))]
        return [[*body, sum(body) & 0xFF]]

    levels = Levels(fans=fans, temperatures=[float(t) for t in range(16, 31)])
    control = RemoteControl({"cool": levels, "dry": levels}, says)
    rule = rule_of(taught(control))
    assert_right(rule, control)
    assert len(rule.states) >= 0.9 * len(every_state(control))
