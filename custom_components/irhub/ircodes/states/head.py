"""What a code file says of itself: what it is for, and what its commands do not say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
import re
from typing import Any, Final, Literal, Self

from .state import MODES

_HALF: Final = re.compile(r"[\ud800-\udfff]")

type Platform = Literal["climate", "fan", "light", "media_player"]
"""SmartIR's word for what a file is for; Home Assistant has the same."""

MAX_BRIGHTNESS: Final = 255
MAX_KELVIN: Final = 100_000
FAHRENHEIT_FROM: Final = 45.0
"""No air conditioner is set to 45 °C, none to less than 45 °F."""


@dataclass(frozen=True, kw_only=True)
class Levels:
    """The names of the levels that a state has, in their order; the step and the unit."""

    modes: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    fans: tuple[str, ...] = ()
    swings: tuple[str, ...] = ()
    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""
    brightnesses: tuple[int, ...] = ()
    """Of a light, darkest first, 1 to 255."""
    kelvins: tuple[int, ...] = ()
    """Of a light, warmest first."""
    step: float | None = None
    unit: str | None = None
    """C or F."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return what was stored as JSON, which knows no tuples."""
        said: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        return cls(**said)


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a code file says of itself."""

    platform: Platform
    levels: Levels


def read_head(file: Mapping[Any, object]) -> Head | None:
    """Return what a SmartIR file says of itself; None if it is none, or of no kind we know."""
    commands = file.get("commands")
    if not isinstance(commands, Mapping):
        return None
    platform: Platform
    if "operationModes" in file:
        platform = "climate"
    elif "speed" in file:
        platform = "fan"
    elif file.keys() & {"brightness", "colorTemperature"} or commands.keys() & {"brighten", "dim"}:
        platform = "light"
    elif "supportedController" in file or "sources" in commands:
        platform = "media_player"
    else:
        return None
    modes = map(str.casefold, _texts(file.get("operationModes")))
    unit = str(file.get("temperatureUnit", "")).strip("° ").upper()
    return Head(
        platform=platform,
        levels=Levels(
            modes=tuple(mode for mode in modes if mode in MODES),
            presets=_texts(file.get("presetModes")),
            fans=_texts(file.get("fanModes")),
            swings=_texts(file.get("swingModes")),
            speeds=_texts(file.get("speed")),
            brightnesses=_numbers(file.get("brightness"), MAX_BRIGHTNESS),
            kelvins=_numbers(file.get("colorTemperature"), MAX_KELVIN),
            step=_number(file.get("precision")),
            unit={"F": "F", "C": "C"}.get(unit[:1]),
        ),
    )


def ordered(values: Iterable[str | None], order: Sequence[str]) -> list[str]:
    """Return each value once, in this order; what is not in it behind, as it comes."""
    found = dict.fromkeys(value for value in values if value is not None)
    return [*(value for value in order if value in found), *(v for v in found if v not in order)]


def step_of(temperatures: Sequence[float], levels: Levels) -> float:
    """Return the least difference of temperatures, the lowest first; of one, what is said."""
    return min((b - a for a, b in pairwise(temperatures)), default=levels.step or 1.0)


def unit_of(temperatures: Sequence[float], levels: Levels) -> str:
    """Return C or F: as it is said, or as the lowest temperature shows."""
    if levels.unit is not None:
        return levels.unit
    return "F" if temperatures and temperatures[0] >= FAHRENHEIT_FROM else "C"


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
