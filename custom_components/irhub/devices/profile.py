"""What an appliance is and what its commands do: small data, made of names and a file's head."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from ..formats.smartir import MODES
from .climate_states import ClimateStates, Levels, climate_states, known_climate_states
from .names import Functions, Kind, functions_of, slowest_first, values, with_toggle


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the commands of an appliance do."""

    kind: Kind
    functions: Functions
    climate: ClimateStates
    """Of what is no air conditioner, none."""
    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""

    @property
    def used(self) -> frozenset[str]:
        """Return the commands that the entity sends."""
        used = {*self.functions.values()}
        return frozenset({*used, *self.climate.commands.values(), *self.climate.off.values()})


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a code file says of itself."""

    kind: Kind
    levels: Levels


def profile_of(
    kind: Kind,
    commands: Mapping[str, object],
    *,
    levels: Levels | None = None,
    functions: Functions | None = None,
) -> Profile:
    """Return what these commands do: name → packets, of which only those that are equal matter.

    `levels` is what a code file says, `functions` what the user has said instead of the names.
    """
    said = levels or Levels()
    if kind is Kind.CLIMATE:
        states = known_climate_states(tuple(commands), levels)
        if functions is not None:
            of_modes = {mode: name for mode, name in states.off.items() if mode}
            off = {"": functions["off"]} if "off" in functions else {}
            states = replace(
                states,
                off=of_modes | off,
                on=functions.get("on"),
                toggle=functions.get("toggle"),
            )
        power = {"off": states.off.get(""), "on": states.on, "toggle": states.toggle}
        known = {function: command for function, command in power.items() if command is not None}
        return Profile(kind=kind, functions=known, climate=states)
    if functions is None:
        functions = with_toggle(functions_of(kind, commands), commands)
    present = {function: name for function, name in functions.items() if name in commands}
    speeds = {
        **values(present, "speed"),
        **values(present, "forward"),
        **values(present, "reverse"),
    }
    ordered = [speed for speed in said.speeds if speed in speeds]
    ordered += slowest_first(speed for speed in speeds if speed not in said.speeds)
    return Profile(kind=kind, functions=present, climate=climate_states(()), speeds=tuple(ordered))


def kind_of(commands: Mapping[str, object]) -> Kind | None:
    """Return what these commands seem to be for; None if most of them say nothing."""
    found = {kind: len(profile_of(kind, commands).used) for kind in Kind}
    best = max(found, key=lambda kind: found[kind])
    return best if found[best] * 2 > len(commands) else None


def read_head(file: Mapping[str, object]) -> Head | None:
    """Return what a SmartIR file says of itself; None if it is none, or of no kind we know."""
    commands = file.get("commands")
    if not isinstance(commands, Mapping):
        return None
    kind: Kind | None = None
    if "operationModes" in file:
        kind = Kind.CLIMATE
    elif "speed" in file:
        kind = Kind.FAN
    elif file.keys() & {"brightness", "colorTemperature"} or commands.keys() & {"brighten", "dim"}:
        kind = Kind.LIGHT
    elif "supportedController" in file or "sources" in commands:
        kind = Kind.MEDIA_PLAYER
    if kind is None:
        return None
    modes = _texts(file.get("operationModes"))
    step, unit = file.get("precision"), str(file.get("temperatureUnit", "")).strip("° ").upper()
    return Head(
        kind=kind,
        levels=Levels(
            modes=tuple(mode for mode in map(str.casefold, modes) if mode in MODES),
            presets=_texts(file.get("presetModes")),
            fans=_texts(file.get("fanModes")),
            swings=_texts(file.get("swingModes")),
            speeds=_texts(file.get("speed")),
            brightnesses=_numbers(file.get("brightness")),
            kelvins=_numbers(file.get("colorTemperature")),
            step=_number(step),
            unit={"F": "F", "C": "C"}.get(unit[:1]),
        ),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value if item) if isinstance(value, list) else ()


def _numbers(value: object) -> tuple[int, ...]:
    """Return the numbers of a list; a brightness or a colour temperature of 0 is none."""
    numbers = map(_number, value if isinstance(value, list) else ())
    return tuple(sorted({round(number) for number in numbers if number and round(number)}))


def _number(value: object) -> float | None:
    """Return a number above 0, which may be written as a text; None if it is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 < number < inf else None
