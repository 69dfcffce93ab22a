"""The rule of an air conditioner: how each of its states is sent, and what was sent means."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Final, TypedDict

from .capabilities import MAX_STATES, Capabilities
from .state import ATTRIBUTES, Off, State, agreed

COMFORTABLE: Final = {"C": 22.0, "F": 72.0}
"""What an air conditioner is set to before anybody has said anything."""
_USUAL_MODES: Final = ("auto", "cool", "heat_cool", "dry", "fan_only", "heat")
"""The mode before anybody has said anything: the first of these that there is."""
_NEAREST: Final = 3
"""How many states are suggested in place of one that does not exist."""
_STEP: Final = 1.0
_EXACT: Final = 0.01
"""Degrees: what differs by less is the same."""


class Changes(TypedDict, total=False):
    """What is changed of a state."""

    mode: str
    preset: str
    fan: str
    swing: str
    temperature: float


@dataclass(frozen=True, kw_only=True)
class Lacks:
    """What an air conditioner could be expected to have, and a rule does not."""

    off: bool
    """Whether nothing turns it off."""
    attributes: Mapping[str, Sequence[str]]
    """Mode → attributes that other modes have."""
    states: Mapping[str, int]
    """Mode → how many states it lacks of what its own levels make."""


@dataclass(frozen=True, kw_only=True)
class Rule[Code: (str, bytes)](ABC):
    """Encodes the states of an air conditioner, and decodes what its remote control sends.

    A code is what is sent: a packet, or the id of a command that has one.
    """

    off: Code | None = None
    """Turns it off."""
    on: Code | None = None
    """Sent before the first state."""
    toggle: Code | None = None
    """Sent in place of `on` or `off` where there is none."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """Return what can be set."""

    @property
    @abstractmethod
    def states(self) -> Collection[State]:
        """Return what can be encoded, MAX_STATES at most."""

    @abstractmethod
    def encode(self, state: State) -> Code:
        """Return the code of a state. Raise ValueError if there is none."""

    @abstractmethod
    def decode(self, code: Code) -> State | Off | None:
        """Return what a code says; None: it is not of this rule.

        What several states of a mode have alike is said; what differs in them is None.
        """

    def off_in(self, mode: str | None) -> Code | None:  # noqa: ARG002 - some have one for a mode
        """Return what turns it off in a mode."""
        return self.off

    @property
    def can_turn_off(self) -> bool:
        """Return whether it can be turned off."""
        return self.off is not None or self.toggle is not None

    @cached_property
    def offered(self) -> Sequence[State]:
        """Return the states in the order in which they are offered."""
        return self.capabilities.in_order(self.states)

    @cached_property
    def lacks(self) -> Lacks:
        """Return what it does not have."""
        capabilities = self.capabilities
        attributes = {
            mode: [
                attribute
                for attribute in ATTRIBUTES
                if capabilities.levels.values(attribute) and not levels.values(attribute)
            ]
            for mode, levels in capabilities.items()
        }
        states = {mode: self._lacking(mode) for mode in capabilities}
        return Lacks(
            off=not self.can_turn_off,
            attributes={mode: lacking for mode, lacking in attributes.items() if lacking},
            states={mode: lacking for mode, lacking in states.items() if lacking},
        )

    def find(self, state: State) -> State | None:
        """Return the state to encode for this: just that, or one for whatever some of it is."""
        for preset, fan, swing, temperature in product(
            _or_whatever(state.preset),
            _or_whatever(state.fan),
            _or_whatever(state.swing),
            _or_whatever(state.temperature),
        ):
            known = replace(state, preset=preset, fan=fan, swing=swing, temperature=temperature)
            if known in self.states:
                return known
        return None

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

        of_mode = (other for other in self.offered if other.mode == state.mode)
        return sorted(of_mode, key=distance)[:_NEAREST]

    def fit(self, state: State) -> State:
        """Return the state of the same mode that can be sent and differs least from this.

        What that is for whatever of stays as it is.
        """
        return agreed(self.nearest(state)[:1], state)

    @property
    def usual(self) -> State:
        """Return what it is set to before anybody has said anything."""
        capabilities = self.capabilities
        mode = next(mode for mode in _USUAL_MODES if mode in capabilities)
        return self.fit(State(mode=mode, temperature=COMFORTABLE[capabilities.unit or "C"]))

    def after(self, state: State, changes: Changes) -> State:
        """Return what changes make of a state, which may be one that cannot be encoded.

        A temperature is the nearest of the mode's steps. What another mode does not have gives
        way; what is changed stays.
        """
        changes = changes.copy()
        changed = replace(state, **changes)
        if (degrees := changes.get("temperature")) is not None:
            changes["temperature"] = self._in_steps(degrees, changed.mode, state.temperature)
            changed = replace(state, **changes)
        is_other = changed.mode != state.mode or self.find(state) is None
        if is_other and self.find(changed) is None:
            changed = replace(self.fit(changed), **changes)
        return changed

    def after_all(
        self, state: State, changes: Sequence[Changes], ahead: Changes
    ) -> tuple[State, Sequence[State | None]]:
        """Return what several changes make of a state, and what those refused would have made.

        They are made together, with what will be changed next (`ahead`), if that gives a state
        that can be encoded; or without that; or else one after the other.
        """
        refused: list[State | None] = [None] * len(changes)
        together = Changes()
        for change in changes:
            together |= change
        for change in (ahead | together, together):
            if self.find(changed := self.after(state, change)) is not None:
                return changed, refused
        for number, change in enumerate(changes):
            if self.find(changed := self.after(state, change)) is None:
                refused[number] = changed
            else:
                state = changed
        return state, refused

    def _in_steps(self, degrees: float, mode: str, before: float | None) -> float:
        """Return the nearest temperature of a mode, if there is one within a step."""
        levels, step = self.capabilities.get(mode), self.capabilities.step or _STEP
        if levels is None or not levels.temperatures:
            return degrees
        # A step that ends between two of them shall not end where it began.
        nearest = min(
            levels.temperatures,
            key=lambda known: (round(abs(known - degrees), 2), known == before),
        )
        return nearest if abs(nearest - degrees) < step - _EXACT else degrees

    def _lacking(self, mode: str) -> int:
        """Return how many states a mode lacks of what its levels make."""
        capabilities = self.capabilities
        if (count := capabilities.count(mode)) > MAX_STATES:  # too many to look at each
            return count - sum(state.mode == mode for state in self.states)
        return sum(self.find(state) is None for state in capabilities.states(mode))


def _or_whatever[T](level: T | None) -> Sequence[T | None]:
    return (None,) if level is None else (level, None)
