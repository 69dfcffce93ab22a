"""Base class for the rule of an air conditioner: encodes states, and decodes codes."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Final, TypedDict

from .capabilities import MAX_STATES, Capabilities
from .state import ATTRIBUTES, Off, State, agreed

COMFORTABLE: Final = {"C": 22.0, "F": 72.0}
"""Initial temperature."""
_USUAL_MODES: Final = ("auto", "cool", "heat_cool", "dry", "fan_only", "heat")
"""Initial mode: the first of these that is available."""
_NEAREST: Final = 3
"""Maximum number of states suggested instead of one that does not exist."""
_STEP: Final = 1.0
_EXACT: Final = 0.01
"""Degrees: smaller differences are ignored."""


class Changes(TypedDict, total=False):
    """Attributes of a state to change."""

    mode: str
    preset: str
    fan: str
    swing: str
    temperature: float


@dataclass(frozen=True, kw_only=True)
class Lacks:
    """Features that an air conditioner usually has, but a rule lacks."""

    off: bool
    """Whether there is no code for "off"."""
    attributes: Mapping[str, Sequence[str]]
    """Mode → attributes that only other modes have."""
    states: Mapping[str, int]
    """Mode → number of missing combinations of its levels."""


@dataclass(frozen=True, kw_only=True)
class Rule[Code: (str, bytes)](ABC):
    """Encodes the states of an air conditioner, and decodes the codes of its remote control.

    A code is a packet, or the id of a command with a packet.
    """

    off: Code | None = None
    """Turns the air conditioner off."""
    on: Code | None = None
    """Sent before the first state."""
    toggle: Code | None = None
    """Sent instead of `on` or `off` if that is None."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """Return the available modes and levels."""

    @property
    @abstractmethod
    def states(self) -> Collection[State]:
        """Return all states that can be encoded, at most MAX_STATES."""

    @abstractmethod
    def encode(self, state: State) -> Code:
        """Return the code of a state. Raise ValueError if there is none."""

    @abstractmethod
    def decode(self, code: Code) -> State | Off | None:
        """Return the state of a code; None if it is not of this rule.

        If several states of a mode have this code, attributes in which they differ are None.
        """

    def off_in(self, mode: str | None) -> Code | None:  # noqa: ARG002 - used by some subclasses
        """Return the code that turns off in a mode."""
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
        """Return the missing features."""
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
        """Return the state to encode for a state: itself, or one with some attributes None."""
        for preset, fan, swing, temperature in product(
            _or_any(state.preset),
            _or_any(state.fan),
            _or_any(state.swing),
            _or_any(state.temperature),
        ):
            candidate = replace(state, preset=preset, fan=fan, swing=swing, temperature=temperature)
            if candidate in self.states:
                return candidate
        return None

    def nearest(self, state: State) -> list[State]:
        """Return the states of the same mode that differ least, the nearest first."""

        def distance(other: State) -> tuple[int, float]:
            differing = sum(
                other_value not in (None, own_value)
                for other_value, own_value in (
                    (other.preset, state.preset),
                    (other.fan, state.fan),
                    (other.swing, state.swing),
                )
            )
            if other.temperature is None or state.temperature is None:
                return differing, 0.0
            return differing, abs(other.temperature - state.temperature)

        same_mode = (other for other in self.offered if other.mode == state.mode)
        return sorted(same_mode, key=distance)[:_NEAREST]

    def fit(self, state: State) -> State:
        """Return the available state of the same mode that differs least.

        Attributes that are None in it keep their values.
        """
        return agreed(self.nearest(state)[:1], state)

    @property
    def usual(self) -> State:
        """Return the initial state."""
        capabilities = self.capabilities
        mode = next(mode for mode in _USUAL_MODES if mode in capabilities)
        return self.fit(State(mode=mode, temperature=COMFORTABLE[capabilities.unit or "C"]))

    def after(self, state: State, changes: Changes) -> State:
        """Return a state with changes applied; the result may not be encodable.

        A temperature is rounded to the nearest step of the mode. Values that the new mode lacks are
        replaced; explicitly changed ones are kept.
        """
        changes = changes.copy()
        changed = replace(state, **changes)
        if (degrees := changes.get("temperature")) is not None:
            changes["temperature"] = self._in_steps(degrees, changed.mode, state.temperature)
            changed = replace(state, **changes)
        is_new = changed.mode != state.mode or self.find(state) is None
        if is_new and self.find(changed) is None:
            changed = replace(self.fit(changed), **changes)
        return changed

    def after_all(
        self, state: State, changes: Sequence[Changes], upcoming: Changes
    ) -> tuple[State, Sequence[State | None]]:
        """Return a state with several changes applied, and for each change the refused state.

        All changes are applied together, with those of `upcoming` if possible. If there is no such
        state, they are applied in order: one that leads to a state that does not exist is refused.
        """
        refused: list[State | None] = [None] * len(changes)
        combined = Changes()
        for change in changes:
            combined |= change
        for change in (upcoming | combined, combined):
            if self.find(changed := self.after(state, change)) is not None:
                return changed, refused
        for number, change in enumerate(changes):
            if self.find(changed := self.after(state, change)) is None:
                refused[number] = changed
            else:
                state = changed
        return state, refused

    def _in_steps(self, degrees: float, mode: str, previous: float | None) -> float:
        """Return the nearest temperature of a mode if it is within a step, else the given one."""
        levels, step = self.capabilities.get(mode), self.capabilities.step or _STEP
        if levels is None or not levels.temperatures:
            return degrees
        # A step to the middle between two temperatures must not return to the previous one.
        nearest = min(
            levels.temperatures,
            key=lambda available: (round(abs(available - degrees), 2), available == previous),
        )
        return nearest if abs(nearest - degrees) < step - _EXACT else degrees

    def _lacking(self, mode: str) -> int:
        """Return the number of missing combinations of a mode's levels."""
        capabilities = self.capabilities
        if (count := capabilities.count(mode)) > MAX_STATES:  # too many to look at each
            return count - sum(state.mode == mode for state in self.states)
        return sum(self.find(state) is None for state in capabilities.states(mode))


def _or_any[T](level: T | None) -> Sequence[T | None]:
    return (None,) if level is None else (level, None)
