"""What the remote control of an air conditioner has, as its owner says it."""

from collections.abc import Mapping
from typing import Any, Final

from ..ircodes import Has, Remote, State, without

CONF_FANS: Final = "fans"
CONF_HALVES: Final = "halves"
CONF_HIGHEST: Final = "highest"
CONF_LOWEST: Final = "lowest"
CONF_MODES: Final = "modes"
CONF_PRESETS: Final = "presets"
CONF_SWINGS: Final = "swings"

LIMITS: Final = {"celsius": (5.0, 40.0), "fahrenheit": (45.0, 105.0)}
USUAL_LIMITS: Final = {"celsius": (16.0, 30.0), "fahrenheit": (60.0, 86.0)}
NOTHING: Final[Mapping[str, Any]] = {CONF_FANS: [], CONF_SWINGS: [], CONF_PRESETS: []}
"""What a form says whose lists are empty."""
USUAL: Final[Mapping[str, Any]] = {
    CONF_MODES: ["cool", "heat", "dry", "fan_only", "auto"],
    CONF_FANS: ["auto", "low", "medium", "high"],
    CONF_HALVES: False,
}
"""What most remote controls have."""
FANS: Final = ("auto", "low", "medium", "high")
"""Which Home Assistant has words for, in each language."""
SWINGS: Final = ("off", "on", "vertical", "horizontal", "both")
PRESETS: Final = ("eco", "boost", "sleep", "comfort", "away", "home", "activity")
_NO_PRESET: Final = "none"
_NO_SWING: Final = "off"


def remote_of(said: Mapping[str, Any]) -> Remote:
    """Return what its owner says that the remote control has."""
    lowest, highest = said[CONF_LOWEST], said[CONF_HIGHEST]
    step = 1.0 if not said[CONF_HALVES] and lowest.is_integer() and highest.is_integer() else 0.5
    swings, presets = said[CONF_SWINGS], said[CONF_PRESETS]
    if len(swings) == 1 and _NO_SWING not in swings:
        swings = [_NO_SWING, *swings]
    if presets and _NO_PRESET not in presets:
        presets = [_NO_PRESET, *presets]
    count = int((highest - lowest) / step) + 1
    has = Has(
        presets=tuple(presets),
        fans=tuple(said[CONF_FANS]),
        swings=tuple(swings),
        temperatures=[lowest + number * step for number in range(count)],
    )
    return dict.fromkeys(said[CONF_MODES], has)


def lacks(remote: Remote, asked: State) -> list[str]:
    """Return what a mode may lack of a state that its owner cannot set, as steps."""
    has, options = remote[asked.mode], list[str]()
    if len(has.temperatures) > 1:
        middle = (has.temperatures[0] + has.temperatures[-1]) / 2
        options.append("no_colder" if _degrees(asked) < middle else "no_warmer")
    if has.temperatures:
        options.append("no_temperatures")
    for values, one, every in (
        (has.fans, "no_fan", "no_fans"),
        (has.swings, "no_swing", "no_swings"),
        (has.presets, "no_preset", "no_presets"),
    ):
        options += [one, every] if len(values) > 1 else [every] if values else []
    return [*options, *(["no_mode"] if len(remote) > 1 else []), "not_together", "ask_on"]


def without_colder(has: Has, asked: State) -> Has:
    """Return what a mode has without the temperature that is asked for, and all below."""
    return without(has, "temperature", *(t for t in has.temperatures if t <= _degrees(asked)))


def without_warmer(has: Has, asked: State) -> Has:
    """Return what a mode has without the temperature that is asked for, and all above."""
    return without(has, "temperature", *(t for t in has.temperatures if t >= _degrees(asked)))


def _degrees(asked: State) -> float:
    assert asked.temperature is not None  # noqa: S101 - for mypy: its mode has temperatures
    return asked.temperature
