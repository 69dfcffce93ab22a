"""The modes and levels of an air conditioner's remote control, as described by its owner."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ..errors import UserError
from ..ircodes import Capabilities, Levels, State
from ..ircodes.states import MODES, NO_PRESET, nearest_mode

CONF_FANS: Final = "fans"
CONF_HIGHEST: Final = "highest"
CONF_LOWEST: Final = "lowest"
CONF_MODES: Final = "modes"
CONF_PRESETS: Final = "presets"
CONF_STEP: Final = "step"
CONF_SWINGS: Final = "swings"

LIMITS: Final = {"celsius": (5.0, 40.0), "fahrenheit": (45.0, 105.0)}
USUAL_LIMITS: Final = {"celsius": (16.0, 30.0), "fahrenheit": (60.0, 86.0)}
NOTHING: Final[Mapping[str, Any]] = {CONF_FANS: [], CONF_SWINGS: [], CONF_PRESETS: []}
"""Answers for lists left empty, which the form omits."""
USUAL: Final[Mapping[str, Any]] = {
    CONF_MODES: ["cool", "heat", "dry", "fan_only", "auto"],
    CONF_FANS: ["auto", "low", "medium", "high"],
    CONF_STEP: "1",
}
"""Defaults: levels that most remote controls have."""
STEPS: Final = ("0.5", "1", "2")
"""Possible temperature changes per press, in degrees."""
FANS: Final = ("auto", "low", "medium", "high", "quiet", "turbo")
"""Suggested fan speeds; most remote controls have some of these."""
SWINGS: Final = ("off", "on", "vertical", "horizontal", "both")
PRESETS: Final = ("eco", "boost", "sleep", "comfort", "away", "home", "activity")
_NO_SWING: Final = "off"


def capabilities_of(answers: Mapping[str, Any]) -> Capabilities:
    """Return the capabilities described by the answers."""
    swings, presets = answers[CONF_SWINGS], answers[CONF_PRESETS]
    if len(swings) == 1 and _NO_SWING not in swings:
        swings = [_NO_SWING, *swings]
    if presets and NO_PRESET not in presets:
        presets = [NO_PRESET, *presets]
    levels = Levels(
        presets=tuple(presets),
        fans=tuple(answers[CONF_FANS]),
        swings=tuple(swings),
        temperatures=temperatures_of(answers),
    )
    modes = {mode: levels for mode in answers[CONF_MODES] if mode in MODES}
    for name in answers[CONF_MODES]:
        if name not in MODES:
            mode = nearest_mode(name)
            modes[mode] = _with_preset(modes.get(mode), levels, name)
    return Capabilities(modes=modes)


def temperatures_of(answers: Mapping[str, Any]) -> list[float]:
    """Return the temperatures in ascending order. Raise UserError if the step does not fit."""
    lowest, highest = answers[CONF_LOWEST], answers[CONF_HIGHEST]
    step = float(answers[CONF_STEP])
    if step == 1 and not (lowest.is_integer() and highest.is_integer()):
        step = min(map(float, STEPS))  # a limit of half a degree implies half degrees
    if (highest - lowest) % step:
        raise UserError(
            "uneven_steps", lowest=f"{lowest:g}", highest=f"{highest:g}", step=f"{step:g}"
        )
    return [lowest + number * step for number in range(int((highest - lowest) / step) + 1)]


def _with_preset(levels: Levels | None, usual: Levels, preset: str) -> Levels:
    """Return the levels of a mode with a preset, for a mode that Home Assistant does not have."""
    if levels is None:
        return replace(usual, presets=(preset,))
    return replace(levels, presets=(*(levels.presets or (NO_PRESET,)), preset))


def missing_level_options(capabilities: Capabilities, state: State) -> list[str]:
    """Return the menu options for a state that cannot be set: what its mode may lack."""
    levels, options = capabilities[state.mode], list[str]()
    if len(levels.temperatures) > 1:
        middle = (levels.temperatures[0] + levels.temperatures[-1]) / 2
        options.append("no_colder" if _degrees(state) < middle else "no_warmer")
    if levels.temperatures:
        options += ["other_temperatures", "no_temperatures"]
    for values, single_option, all_option in (
        (levels.fans, "no_fan", "no_fans"),
        (levels.swings, "no_swing", "no_swings"),
        (levels.presets, "no_preset", "no_presets"),
    ):
        options += (
            [single_option, all_option] if len(values) > 1 else [all_option] if values else []
        )
    return [*options, *(["no_mode"] if len(capabilities) > 1 else []), "not_together", "ask_on"]


def without_colder(levels: Levels, requested: State) -> Levels:
    """Return the levels of a mode without the requested temperature and all below."""
    return levels.without(
        "temperature", *(t for t in levels.temperatures if t <= _degrees(requested))
    )


def without_warmer(levels: Levels, requested: State) -> Levels:
    """Return the levels of a mode without the requested temperature and all above."""
    return levels.without(
        "temperature", *(t for t in levels.temperatures if t >= _degrees(requested))
    )


def _degrees(requested: State) -> float:
    assert requested.temperature is not None  # noqa: S101 - for mypy: its mode has temperatures
    return requested.temperature
