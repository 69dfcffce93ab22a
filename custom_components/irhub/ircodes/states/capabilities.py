"""Available settings: the modes of an air conditioner and their levels; the steps of others."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, Final, Self, cast, override

from ..reasons import RefusedError
from .state import ATTRIBUTES, Off, State, Value, attributes, value

MAX_STATES: Final = 20_000
"""Equal to the maximum number of commands in a file; no remote control has a tenth of it."""
_FAHRENHEIT_FROM: Final = 45.0
"""No air conditioner accepts 45 °C or more, none less than 45 °F."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Levels:
    """The levels of a mode, each in the order in which they are offered."""

    presets: Sequence[str] = ()
    fans: Sequence[str] = ()
    swings: Sequence[str] = ()
    temperatures: Sequence[float] = ()
    """Lowest first."""

    @classmethod
    def of_attributes(cls, values: Callable[[str], Iterable[Any]]) -> Self:
        """Return levels from a function that returns the values of an attribute."""
        presets, fans, swings, temperatures = (tuple(values(name)) for name in ATTRIBUTES)
        return cls(presets=presets, fans=fans, swings=swings, temperatures=temperatures)

    @classmethod
    def of_states(cls, states: Collection[State], order: Self) -> Self:
        """Return the levels of states; those that are not in `order` come last."""

        def values(attribute: str) -> Iterable[Value]:
            distinct = dict.fromkeys(value(state, attribute) for state in states)
            if attribute == "temperature":
                return sorted(cast("Iterable[float]", distinct.keys() - {None}))
            return ordered(cast("Iterable[str | None]", distinct), order.values(attribute))

        return cls.of_attributes(values)

    @classmethod
    def of_modes(cls, modes: Iterable[Self]) -> Self:
        """Return the combined levels of several modes.

        Modes with the most values come first, so that a mode without the first fan speed does not
        move it to the end.
        """
        all_levels = [*modes]

        def values(attribute: str) -> Iterable[Value]:
            most_first = sorted(all_levels, key=lambda levels: -len(levels.values(attribute)))
            return dict.fromkeys(
                level for levels in most_first for level in levels.values(attribute)
            )

        return cls.of_attributes(values)

    def values(self, attribute: str) -> Sequence[Value]:
        """Return the values of an attribute."""
        match attribute:
            case "preset":
                return self.presets
            case "fan":
                return self.fans
            case "swing":
                return self.swings
            case _:
                return self.temperatures

    def without(self, attribute: str, *values: Value) -> Self:
        """Return the levels without these values of an attribute; without all if none is given."""
        return self.of_attributes(
            lambda name: [
                level
                for level in self.values(name)
                if name != attribute or (values and level not in values)
            ]
        )


@dataclass(frozen=True, kw_only=True)
class Capabilities(Mapping[str, Levels]):
    """Available states of an air conditioner: its modes with levels, in the order offered."""

    modes: Mapping[str, Levels] = field(default_factory=dict)
    step: float | None = None
    """Step of temperatures, if known."""
    unit: str | None = None
    """"C" or "F", if known."""

    @classmethod
    def alike(
        cls,
        modes: Iterable[str],
        levels: Levels,
        *,
        step: float | None = None,
        unit: str | None = None,
    ) -> Self:
        """Return capabilities whose modes all have the same levels."""
        return cls(modes=dict.fromkeys(modes, levels), step=step, unit=unit)

    @classmethod
    def of_states(cls, states: Iterable[State], order: Capabilities | None = None) -> Self:
        """Return the capabilities of states, ordered; step and unit are derived if not given."""
        if order is None:
            order = cls()
        states_by_mode: dict[str, list[State]] = {}
        for state in states:
            states_by_mode.setdefault(state.mode, []).append(state)
        modes = {
            mode: Levels.of_states(states_by_mode[mode], order.levels)
            for mode in ordered(states_by_mode, [*order])
        }
        temperatures = sorted(
            {temperature for levels in modes.values() for temperature in levels.temperatures}
        )
        seems_fahrenheit = bool(temperatures) and temperatures[0] >= _FAHRENHEIT_FROM
        return cls(
            modes=modes,
            step=min(
                (higher - lower for lower, higher in pairwise(temperatures)), default=order.step
            ),
            unit=order.unit or ("F" if seems_fahrenheit else "C"),
        )

    @cached_property
    def levels(self) -> Levels:
        """Return the combined levels of all modes."""
        return Levels.of_modes(self.modes.values())

    @property
    def listed(self) -> Self:
        """Return the stored form: all modes have the same names, and no temperatures."""
        return replace(self, modes=dict.fromkeys(self, self.levels.without("temperature")))

    @override
    def __getitem__(self, mode: str) -> Levels:
        return self.modes[mode]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self.modes)

    @override
    def __len__(self) -> int:
        return len(self.modes)

    def count(self, mode: str) -> int:
        """Return how many states a mode has."""
        return prod(len(self.modes[mode].values(attribute)) or 1 for attribute in ATTRIBUTES)

    def check_count(self) -> None:
        """Raise RefusedError if there are too many states: a few names multiply to millions."""
        if sum(map(self.count, self.modes)) > MAX_STATES:
            raise RefusedError("many_commands", limit=MAX_STATES)

    def states(self, *modes: str) -> Iterator[State]:
        """Yield the states of these modes; of all modes if none is given."""
        for mode in modes or self.modes:
            levels = self.modes[mode]
            for preset, fan, swing, temperature in product(
                levels.presets or (None,),
                levels.fans or (None,),
                levels.swings or (None,),
                levels.temperatures or (None,),
            ):
                yield State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)

    def with_mode(self, mode: str, levels: Levels | None) -> Self:
        """Return capabilities with new levels for a mode; None removes the mode."""
        others = {name: other_levels for name, other_levels in self.modes.items() if name != mode}
        return replace(self, modes=others if levels is None else {**self.modes, mode: levels})

    def narrowed(self, state: State | Off) -> State | Off | None:
        """Return a state without attributes that its mode lacks; None if it does not exist then."""
        if isinstance(state, Off):
            return state
        if (levels := self.modes.get(state.mode)) is None:
            return None
        lacking: dict[str, Any] = {
            attribute: None for attribute in ATTRIBUTES if not levels.values(attribute)
        }
        state = replace(state, **lacking)
        return state if state in self.states(state.mode) else None

    def in_order(self, states: Iterable[State]) -> list[State]:
        """Return states in the order offered; None comes before all levels of an attribute."""
        modes = [*self.modes]

        def sort_key(state: State) -> tuple[int, ...]:
            levels, settings = self.modes[state.mode], dict(attributes(state))
            positions = (
                levels.values(attribute).index(settings[attribute]) if attribute in settings else -1
                for attribute in ATTRIBUTES
            )
            return (modes.index(state.mode), *positions)

        return sorted(states, key=sort_key)


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Steps of an appliance other than an air conditioner, as listed in its code file."""

    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""
    brightnesses: tuple[int, ...] = ()
    """Of a light, darkest first, 1 to 255."""
    kelvins: tuple[int, ...] = ()
    """Of a light, warmest first."""


def ordered(values: Iterable[str | None], order: Sequence[object]) -> list[str]:
    """Return the distinct values in the given order; unknown ones come last, in their own order."""
    distinct = dict.fromkeys(value for value in values if value is not None)
    positions = {value: position for position, value in enumerate(order)}
    return sorted(distinct, key=lambda value: positions.get(value, len(positions)))
