"""Doubt: a press that does not fit the others, and which state it looks like."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from typing import Any, Final

from ..states.messages import Layout
from ..states.state import ATTRIBUTES, OFF, Off, State, Value, value
from .proof import Proof

_DIFFERENT: Final = (1, 2)
"""In how many things at once another button than the right one was pressed, the likely first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """Why something is asked for again: its press does not fit the others."""

    number: int
    """Which press of the lesson it was, the first one is 1."""
    asked: State | Off
    """What was asked for then, and is now once more."""
    looks_like: State | Off | None
    """What the others say that was pressed; None if they do not say it, or several things."""


def earlier_doubt(proof: Proof, asked: State | Off | None) -> Doubt | None:
    """Return the doubt of the last press of what is asked for; None if it fits the others."""
    if not isinstance(asked, State) or not (presses := proof.observations.of(asked)):
        return None
    *_, press = presses
    if asked in proof.model.outliers and press.decoded is not None:
        like = looks_like(proof, asked, press.decoded)
    elif (like := alike(proof).get(asked)) is None:
        return None
    return Doubt(number=press.number, asked=asked, looks_like=like)


def alike(proof: Proof) -> Mapping[State, State]:
    """Return the states that were pressed once, and have the message of another one."""
    model = proof.model
    by_message: dict[int, list[State]] = {}
    for state, message in model.evidence.messages.items():
        if state.mode == model.evidence.base_mode:
            by_message.setdefault(message & model.data, []).append(state)
    return {
        state: other
        for same in by_message.values()
        for state, other in permutations(same, 2)
        if proof.observations.pressed.get(state) == 1 and _is_odd(proof, state, other)
    }


def _is_odd(proof: Proof, state: State, other: State) -> bool:
    """Return whether it is odd that two states have the same message.

    Two that differ in one thing should not, unless a value sets it, whatever is displayed.
    """
    extras = proof.model.extras(proof.model.evidence.base_mode)
    return sum(value(state, name) != value(other, name) for name in ATTRIBUTES) == 1 and not any(
        extra.toggles and extra.applies_to(state) for extra in extras
    )


def looks_like(proof: Proof, asked: State | Off, decoded: tuple[Layout, int]) -> State | Off | None:
    """Return what was pressed instead of what was asked for, by the rule of all other presses."""
    observations = proof.observations
    layout, message = decoded
    if asked is not OFF and observations.is_off(decoded):
        return OFF
    if layout != observations.layout:
        return None
    shown = observations.shown
    if shown is not None and shown != asked and _is_of(proof, shown, message):
        return shown
    if isinstance(asked, Off):
        return None if shown is None else _only(proof, shown, message)
    return _only(proof, asked, message)


def same_as_another(proof: Proof, state: State, message: int) -> State | None:
    """Return the state that has the same message as one of which nothing is known yet.

    Each mode is sent in another way, and so is each value in the base mode.
    """
    model = proof.model
    is_base = state.mode == model.evidence.base_mode
    for other, received in model.evidence.messages.items():
        is_another = _is_odd(proof, state, other) if is_base else other.mode != state.mode
        if is_another and other != state and model.matches(message, {received}):
            return other
    if proof.observations.pressed_in(state.mode):
        return None
    in_others = (replace(state, mode=mode) for mode in model.hypotheses)
    return next((other for other in in_others if _is_of(proof, other, message)), None)


def _only(proof: Proof, like: State, message: int) -> State | None:
    """Return the only state that has a message, among those which are most like another one."""
    for count in _DIFFERENT:
        alike = [state for state in _changed(proof, like, count) if _is_of(proof, state, message)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def _is_of(proof: Proof, state: State, message: int) -> bool:
    """Return whether a state has a message by all that is known."""
    model = proof.model
    return state.mode in model.hypotheses and model.answers(state, strict=False) == {
        message & model.data
    }


def _changed(proof: Proof, state: State, count: int) -> Iterator[State]:
    """Yield the states that differ from another one in so many things."""
    capabilities = proof.observations.capabilities
    levels = capabilities[state.mode]
    choices: dict[str, Sequence[Value]] = {
        "mode": [*capabilities],
        **{attribute: levels.values(attribute) for attribute in ATTRIBUTES},
    }
    others = {
        name: [setting for setting in settings if setting != value(state, name)]
        for name, settings in choices.items()
    }
    for names in combinations(others, count):
        for settings in product(*(others[name] for name in names)):
            instead: dict[str, Any] = dict(zip(names, settings, strict=True))
            other = replace(state, **instead)
            changed = capabilities.narrowed(other) if "mode" in names else other
            if isinstance(changed, State):
                yield changed
