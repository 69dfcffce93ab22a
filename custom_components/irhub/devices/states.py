"""What an air conditioner can be set to: by a command for each state, or by a rule."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, Protocol, override

from ..ircodes import Levels, Off, State, ordered, step_of, unit_of

type Sends = str | bytes
"""What sends something: the id of a command, or the packet that a rule has made."""

_SHOWN: Final = 3
"""So many states an error suggests."""


@dataclass(frozen=True, kw_only=True)
class Mode:
    """What there is in a mode."""

    presets: Sequence[str] = ()
    fans: Sequence[str] = ()
    swings: Sequence[str] = ()
    temperatures: Sequence[float] = ()
    """Lowest first."""


class Rule(Protocol):
    """Makes the packet of a state, and reads what a remote control sends."""

    @property
    def states(self) -> Collection[State]:
        """Return what can be encoded."""

    @property
    def levels(self) -> Levels:
        """Return the order in which levels are offered, and the unit."""

    @property
    def off(self) -> bytes | None:
        """Return the packet that turns it off."""

    def encode(self, state: State) -> bytes:
        """Return the packet of a state. Raise ValueError if there is none."""

    def read(self, packet: bytes) -> State | Off | None:
        """Return what a packet says; None: it is not of this rule."""


@dataclass(frozen=True, kw_only=True)
class States:
    """The states that can be sent, each with what sends it."""

    sends: Mapping[State, Sends]
    modes: Mapping[str, Mode]
    """In the order in which they are offered."""
    off: Mapping[str, Sends] = field(default_factory=dict)
    """Mode → what switches off in that mode; the one for all is under ""."""
    on: str | None = None
    """Sent before the first state."""
    toggle: str | None = None
    """Sent in place of `on` or `off` where there is none."""
    step: float = 1.0
    unit: str = "C"
    """C or F."""
    states: Mapping[str, State] = field(default_factory=dict)
    """The id of a command → its state. A rule has no commands."""

    @property
    def used(self) -> frozenset[str]:
        """Return the ids of the commands that are sent."""
        power = {self.on, self.toggle, *self.off.values()}
        sent = {command for command, state in self.states.items() if self.sends[state] == command}
        return frozenset(sent | {each for each in power if isinstance(each, str)})

    def find(self, state: State) -> State | None:
        """Return the key in `sends` for a state: just that, or one for whatever some of it is."""
        for preset, fan, swing, temperature in product(
            _or_whatever(state.preset),
            _or_whatever(state.fan),
            _or_whatever(state.swing),
            _or_whatever(state.temperature),
        ):
            wanted = replace(state, preset=preset, fan=fan, swing=swing, temperature=temperature)
            if wanted in self.sends:
                return wanted
        return None

    def fit(self, state: State) -> State:
        """Return the state of the same mode that can be sent and differs least from this.

        What that is for whatever of stays as it is.
        """
        return agreed(self.nearest(state)[:1], state)

    def nearest(self, state: State) -> list[State]:
        """Return the states of the same mode that differ least from this, the nearest first."""

        def distance(other: State) -> tuple[int, float]:
            differing = sum(
                theirs not in (None, ours)
                for theirs, ours in (
                    (other.preset, state.preset),
                    (other.fan, state.fan),
                    (other.swing, state.swing),
                )
            )
            if other.temperature is None or state.temperature is None:
                return differing, 0.0
            return differing, abs(other.temperature - state.temperature)

        return sorted((one for one in self.sends if one.mode == state.mode), key=distance)[:_SHOWN]


def table(
    states: Mapping[str, State],
    functions: Mapping[str, str] | None = None,
    levels: Levels | None = None,
) -> States:
    """Return what commands set an air conditioner to: by their ids, the first of each state.

    `functions` says which turn it on and off: "on", "off", "off cool", "toggle". `levels` are in
    the order in which they are offered.
    """
    order, does = levels or Levels(), functions or {}
    first: dict[State, str] = {}
    for command, state in states.items():
        first.setdefault(state, command)
    return States(
        sends=first,
        modes=_modes(first, order),
        off={
            function.removeprefix("off").strip(): command
            for function, command in does.items()
            if function.partition(" ")[0] == "off"
        },
        on=does.get("on"),
        toggle=does.get("toggle"),
        step=step_of(_temperatures(first), order),
        unit=unit_of(_temperatures(first), order),
        states=states,
    )


def encoded(rule: Rule) -> States:
    """Return what a rule makes: each state is encoded when it is sent."""
    temperatures = _temperatures(rule.states)
    return States(
        sends=_Encoded(rule),
        modes=_modes(rule.states, rule.levels),
        off={} if rule.off is None else {"": rule.off},
        step=step_of(temperatures, rule.levels),
        unit=unit_of(temperatures, rule.levels),
    )


def agreed(states: Sequence[State], before: State) -> State:
    """Return what it is set to after a packet that stands for these states.

    What they do not agree on, or do not say, is as it was before.
    """
    first, modes = states[0], {state.mode for state in states}
    return State(
        mode=before.mode if before.mode in modes else first.mode,
        preset=_only({state.preset for state in states}, before.preset),
        fan=_only({state.fan for state in states}, before.fan),
        swing=_only({state.swing for state in states}, before.swing),
        temperature=_only({state.temperature for state in states}, before.temperature),
    )


class _Encoded(Mapping[State, Sends]):
    """The packets of a rule, by their states."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._states = dict.fromkeys(_in_order(rule.states, rule.levels))

    @override
    def __getitem__(self, state: State) -> bytes:
        if state not in self._states:
            raise KeyError(state)
        return self._rule.encode(state)

    @override
    def __contains__(self, state: object) -> bool:
        return state in self._states

    @override
    def __iter__(self) -> Iterator[State]:
        return iter(self._states)

    @override
    def __len__(self) -> int:
        return len(self._states)


def _modes(states: Iterable[State], order: Levels) -> dict[str, Mode]:
    of_modes: dict[str, list[State]] = {}
    for state in states:
        of_modes.setdefault(state.mode, []).append(state)
    return {
        mode: Mode(
            presets=ordered((state.preset for state in of_modes[mode]), order.presets),
            fans=ordered((state.fan for state in of_modes[mode]), order.fans),
            swings=ordered((state.swing for state in of_modes[mode]), order.swings),
            temperatures=_temperatures(of_modes[mode]),
        )
        for mode in ordered(of_modes, order.modes)
    }


def _in_order(states: Collection[State], order: Levels) -> list[State]:
    """Return states as the levels are offered: what is nearest, and an export, is alike each time.

    What is not in the order comes behind.
    """
    modes = ordered((state.mode for state in states), order.modes)
    presets = ordered((state.preset for state in states), order.presets)
    fans = ordered((state.fan for state in states), order.fans)
    swings = ordered((state.swing for state in states), order.swings)

    def place(state: State) -> tuple[float, ...]:
        return (
            modes.index(state.mode),
            -1 if state.preset is None else presets.index(state.preset),
            -1 if state.fan is None else fans.index(state.fan),
            -1 if state.swing is None else swings.index(state.swing),
            state.temperature or 0.0,
        )

    return sorted(states, key=place)


def _or_whatever[T](level: T | None) -> Sequence[T | None]:
    return (None,) if level is None else (level, None)


def _only[T](values: set[T | None], before: T | None) -> T | None:
    """Return the only value; what it was before, if there are several or it is for whatever."""
    [value, *others] = values
    return before if others or value is None else value


def _temperatures(states: Iterable[State]) -> list[float]:
    return sorted({one.temperature for one in states if one.temperature is not None})
