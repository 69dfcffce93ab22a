"""What an air conditioner can be set to: by a command for each state, or by a rule."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, Protocol, override

from ..ircodes import Capabilities, Off, State, agreed_state

type Sends = str | bytes
"""What sends something: the id of a command, or the packet that a rule has made."""

_SHOWN: Final = 3
"""So many states an error suggests."""


class Rule(Protocol):
    """Makes the packet of a state, and reads what a remote control sends."""

    @property
    def states(self) -> Collection[State]:
        """Return what can be encoded."""

    @property
    def capabilities(self) -> Capabilities:
        """Return what can be set."""

    @property
    def off(self) -> bytes | None:
        """Return the packet that turns it off."""

    def encode(self, state: State) -> bytes:
        """Return the packet of a state. Raise ValueError if there is none."""

    def decode(self, packet: bytes) -> State | Off | None:
        """Return what a packet says; None: it is not of this rule."""


@dataclass(frozen=True, kw_only=True)
class States:
    """The states that can be sent, each with what sends it."""

    sends: Mapping[State, Sends]
    capabilities: Capabilities
    off: Mapping[str, Sends] = field(default_factory=dict)
    """Mode → what switches off in that mode; the one for all is under ""."""
    on: str | None = None
    """Sent before the first state."""
    toggle: str | None = None
    """Sent in place of `on` or `off` where there is none."""
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
        return agreed_state(self.nearest(state)[:1], state)

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
    order: Capabilities | None = None,
) -> States:
    """Return what commands set an air conditioner to: by their ids, the first of each state.

    `functions` says which turn it on and off: "on", "off", "off cool", "toggle". `order` has modes
    and levels in the order in which they are offered.
    """
    does = functions or {}
    first: dict[State, str] = {}
    for command, state in states.items():
        first.setdefault(state, command)
    return States(
        sends=first,
        capabilities=Capabilities.of_states(first, order),
        off={
            function.removeprefix("off").strip(): command
            for function, command in does.items()
            if function.partition(" ")[0] == "off"
        },
        on=does.get("on"),
        toggle=does.get("toggle"),
        states=states,
    )


def encoded(rule: Rule) -> States:
    """Return what a rule makes: each state is encoded when it is sent."""
    return States(
        sends=_Encoded(rule),
        capabilities=Capabilities.of_states(rule.states, rule.capabilities),
        off={} if rule.off is None else {"": rule.off},
    )


class _Encoded(Mapping[State, Sends]):
    """The packets of a rule, by their states."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._states = dict.fromkeys(
            Capabilities.of_states(rule.states, rule.capabilities).in_order(rule.states)
        )

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


def _or_whatever[T](level: T | None) -> Sequence[T | None]:
    return (None,) if level is None else (level, None)
