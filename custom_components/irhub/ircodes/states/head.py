"""What a code file says of itself: what it is for, and what its commands do not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
import re
from typing import Any, Final, Literal

from .capabilities import Capabilities, Levels, Steps
from .state import mode_of

_CLIMATE: Final = frozenset(
    {"operationModes", "fanModes", "swingModes", "presetModes", "minTemperature", "maxTemperature"}
)
"""What only the head of an air conditioner has."""
_HALF: Final = re.compile(r"[\ud800-\udfff]")

type Platform = Literal["climate", "fan", "light", "media_player"]
"""SmartIR's word for what a file is for; Home Assistant has the same."""

MAX_BRIGHTNESS: Final = 255
MAX_KELVIN: Final = 100_000


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a code file says of itself."""

    platform: Platform
    capabilities: Capabilities
    """Of an air conditioner; all modes are said to have the same levels."""
    steps: Steps
    levels: Levels
    """Of an air conditioner, even if it names no mode that Home Assistant has."""
    modes: tuple[str, ...]
    """Of an air conditioner, as they are called there."""


def read_head(file: Mapping[Any, object]) -> Head | None:
    """Return what a SmartIR file says of itself; None if it is none, or of no kind we know."""
    commands = file.get("commands")
    if not isinstance(commands, Mapping):
        return None
    platform: Platform
    if file.keys() & _CLIMATE:
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
    """Return the names of a list; YAML takes on and off for something else.

    One with half a character names no command: those are refused.
    """
    named = value if isinstance(value, list) else ()
    switched = {True: "on", False: "off"}
    texts = (switched[name] if isinstance(name, bool) else str(name).strip() for name in named)
    return tuple(dict.fromkeys(text for text in texts if text and not _HALF.search(text)))


def _numbers(value: object, most: int) -> tuple[int, ...]:
    """Return the numbers of a list; a brightness or a colour temperature of 0 is none."""
    numbers = map(_number, value if isinstance(value, list) else ())
    whole = {round(number) for number in numbers if number is not None}
    return tuple(sorted(number for number in whole if 0 < number <= most))


def _number(value: object) -> float | None:
    """Return a number above 0, which may be written as a text; None if it is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 < number < inf else None
