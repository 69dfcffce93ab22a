"""The head of a code file: kind of the appliance, and information besides its commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
import re
from typing import Any, Final, Literal

from .capabilities import Capabilities, Levels, Steps
from .state import mode_of

_CLIMATE_KEYS: Final = frozenset(
    {"operationModes", "fanModes", "swingModes", "presetModes", "minTemperature", "maxTemperature"}
)
"""Keys that only air conditioners have."""
_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""Lone surrogates."""

type Platform = Literal["climate", "fan", "light", "media_player"]
"""Kind of appliance in SmartIR and Home Assistant."""

MAX_BRIGHTNESS: Final = 255
MAX_KELVIN: Final = 100_000


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a code file."""

    platform: Platform
    capabilities: Capabilities
    """Of an air conditioner; all modes are declared with the same levels."""
    steps: Steps
    levels: Levels
    """Of an air conditioner, even if none of its modes exists in Home Assistant."""
    modes: tuple[str, ...]
    """Of an air conditioner, with the file's names."""


def read_head(file: Mapping[Any, object]) -> Head | None:
    """Return the head of a SmartIR file; None for other content or an unknown kind."""
    commands = file.get("commands")
    if not isinstance(commands, Mapping):
        return None
    platform: Platform
    if file.keys() & _CLIMATE_KEYS:
        platform = "climate"
    elif "speed" in file:
        platform = "fan"
    elif file.keys() & {"brightness", "colorTemperature"} or commands.keys() & {"brighten", "dim"}:
        platform = "light"
    elif "supportedController" in file or "sources" in commands:
        platform = "media_player"
    else:
        return None
    modes = _texts(file.get("operationModes"))
    levels = Levels(
        presets=_texts(file.get("presetModes")),
        fans=_texts(file.get("fanModes")),
        swings=_texts(file.get("swingModes")),
    )
    unit = str(file.get("temperatureUnit", "")).strip("° ").upper()
    return Head(
        platform=platform,
        capabilities=Capabilities.alike(
            (mode for mode in map(mode_of, modes) if mode is not None),
            levels,
            step=_number(file.get("precision")),
            unit={"F": "F", "C": "C"}.get(unit[:1]),
        ),
        levels=levels,
        modes=modes,
        steps=Steps(
            speeds=_texts(file.get("speed")),
            brightnesses=_numbers(file.get("brightness"), MAX_BRIGHTNESS),
            kelvins=_numbers(file.get("colorTemperature"), MAX_KELVIN),
        ),
    )


def _texts(value: object) -> tuple[str, ...]:
    """Return the names in a list; parsed YAML contains bools for on and off.

    Names with lone surrogates are dropped: commands with such names are refused.
    """
    names = value if isinstance(value, list) else ()
    bool_names = {True: "on", False: "off"}
    texts = (bool_names[name] if isinstance(name, bool) else str(name).strip() for name in names)
    return tuple(dict.fromkeys(text for text in texts if text and not _LONE_SURROGATE.search(text)))


def _numbers(value: object, maximum: int) -> tuple[int, ...]:
    """Return the numbers of a list in order; a brightness or colour temperature of 0 is invalid."""
    numbers = map(_number, value if isinstance(value, list) else ())
    rounded = {round(number) for number in numbers if number is not None}
    return tuple(sorted(number for number in rounded if 0 < number <= maximum))


def _number(value: object) -> float | None:
    """Return a positive number, possibly given as a text; None if invalid."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 < number < inf else None
