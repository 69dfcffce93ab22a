"""Lessons in which thirty presses are just enough: none is asked for that tells little."""

from custom_components.irhub.ircodes.states.capabilities import Levels
from custom_components.irhub.ircodes.states.state import Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher, Verdict

from .lessons import assert_right, rule_of
from .remotes import Frames, RemoteControl

FANS = ("auto", "low", "medium", "high", "lowest")
SWINGS = ("off", "on", "highest", "middle", "lowest")
DEGREES = [float(t) for t in range(17, 31)]
NUMBERS = (0x0, 0x8, 0xC, 0x4, 0x6, 0xE, 0xA, 0x2, 0x3, 0xB, 0x9, 0x1, 0x5, 0xD)
MODES = ("heat_cool", "cool", "dry", "heat", "fan_only")
MISSING = [State(mode="heat", fan="mid", temperature=float(t)) for t in (17, 20, 29, 30)]
GARBAGE = bytes.fromhex("260004000d0e0d05")
MOST = 0.9
"""Share of the states that are offered."""


def complemented(*body: int) -> Frames:
    """Return a frame in which the complement of each byte follows it."""
    return [[byte for value in (0xB2, *body) for byte in (value, value ^ 0xFF)]]


def without_own_fan_only() -> RemoteControl:
    """Fan only is sent as off; two modes have one fan speed, and *heat* sends *low* for *mid*."""
    speeds = {"low": 1, "mid": 2, "high": 4, "auto": 5}

    def says(state: State | Off, _: int) -> Frames:
        if isinstance(state, Off) or state.mode == "fan_only":
            return complemented(0xDE, 0x07)
        is_low = (state.mode, state.fan) == ("heat", "mid")
        speed = speeds["low" if is_low else str(state.fan)]
        if state.mode in {"heat_cool", "dry"}:
            speed = 0
        number = NUMBERS[DEGREES.index(state.temperature or 0)]
        return complemented(0xF8 | speed, MODES.index(state.mode) << 4 | number)

    levels = Levels(fans=[*speeds], temperatures=DEGREES)
    return RemoteControl(dict.fromkeys(MODES, levels), says)


def test_presses_are_left_to_what_has_an_effect() -> None:
    """A mode that sends off is doubted once, and fan speeds with an effect come before others."""
    control = without_own_fan_only()
    teacher, doubted = Teacher(control.capabilities), 0
    for _ in range(2):
        assert teacher.take(GARBAGE) is Verdict.UNREADABLE
    while (ask := teacher.ask) is not None:
        if ask in MISSING:
            teacher.skip()
            continue
        is_doubted = teacher.take(control.press(ask)) is Verdict.CONTRADICTS
        doubted += is_doubted and isinstance(ask, State) and ask.mode == "fan_only"
    assert doubted == 1
    rule = rule_of(teacher)
    assert_right(rule, control)
    assert len(rule.states) >= MOST * len([*control.capabilities.states()])


def quiet_in_a_further_frame() -> RemoteControl:
    """Turbo sets the fan speed and the swing; quiet is a frame that is always the same."""

    def says(state: State | Off, _: int) -> Frames:
        if isinstance(state, Off):
            return [[0x23, 0x01, 0, 0, 0x24]]
        is_turbo = state.preset == "turbo"
        fan = 6 if is_turbo else FANS.index(str(state.fan))
        swing = 7 if is_turbo else SWINGS.index(str(state.swing))
        mode = MODES.index(state.mode) | is_turbo << 6 | (state.preset == "eco") << 7
        body = [0x23, mode, round(state.temperature or 0) - 16, swing << 3 | fan]
        further: Frames = [[0x23, 0x02, 0, 0x60, 0x85]] if state.preset == "quiet" else []
        return [*further, [*body, sum(body) & 0xFF]]

    levels = Levels(
        presets=("none", "turbo", "eco", "quiet"), fans=FANS, swings=SWINGS, temperatures=DEGREES
    )
    return RemoteControl(dict.fromkeys(MODES, levels), says)


def test_a_press_with_a_further_frame_counts_for_all_others() -> None:
    """Quiet is first pressed with other values where these are pressed anyway."""
    control = quiet_in_a_further_frame()
    teacher = Teacher(control.capabilities)
    while (ask := teacher.ask) is not None:
        assert teacher.take(control.press(ask)) is Verdict.ACCEPTED, ask
    rule = rule_of(teacher)
    assert_right(rule, control)
    assert len(rule.states) == len([*control.capabilities.states()])
