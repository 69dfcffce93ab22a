"""Doubts: presses that contradict the others, and the states that they look like."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, permutations, product
from operator import or_
from typing import Any, Final

from ..states.messages import Layout
from ..states.state import ATTRIBUTES, NAMED, OFF, Off, State, Value, attributes, value
from .observations import with_values
from .proof import Proof

_DIFFERENT: Final = (1, 2)
"""Number of attributes in which a mistaken press may differ, the likeliest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """Reason for asking again: the press contradicts the others."""

    number: int
    """Number of the press in the lesson, from 1."""
    asked: State | Off
    """The state that was requested, and is requested again."""
    looks_like: State | Off | None
    """The state that was probably pressed; None if unknown or ambiguous."""


def earlier_doubt(proof: Proof, asked: State | Off | None) -> Doubt | None:
    """Return the doubt about the last press of the requested state; None if there is none."""
    if not isinstance(asked, State) or not (presses := proof.observations.of(asked)):
        return None
    *_, press = presses
    is_left_out = any(layout.left_out == asked for layout in proof.other_layouts)
    if (is_left_out or asked in proof.model.outliers) and press.decoded is not None:
        like = looks_like(proof, asked, press.decoded)
    elif (like := alike(proof).get(asked)) is None:
        return None
    return Doubt(number=press.number, asked=asked, looks_like=like)


def alike(proof: Proof) -> Mapping[State, State]:
    """Return states that were pressed once and have the message of another state."""
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
    """Return whether it is unlikely that two states have the same message.

    States that differ in one attribute should differ, unless another value sets that attribute.
    """
    extras = proof.model.extras(proof.model.evidence.base_mode)
    return sum(value(state, name) != value(other, name) for name in ATTRIBUTES) == 1 and not any(
        extra.toggles and extra.applies_to(state) for extra in extras
    )


def looks_like(proof: Proof, asked: State | Off, decoded: tuple[Layout, int]) -> State | Off | None:
    """Return the state that was pressed instead of the requested one, according to all others."""
    observations = proof.observations
    layout, message = decoded
    if asked is not OFF and observations.is_off(decoded):
        return OFF
    shown = observations.shown
    if shown is not None and shown != asked and _is_of(proof, shown, decoded):
        return shown
    if isinstance(asked, Off):
        return None if shown is None else _only(proof, shown, decoded)
    if (like := _only(proof, asked, decoded)) is not None:
        return like
    if layout != observations.layout:
        return _with_value_of(proof, asked, layout)
    return with_another_value(proof, asked, message)


def same_as_another(proof: Proof, state: State, message: int) -> State | None:
    """Return another state whose message the press of a state has; None if there is none.

    This is for a state without a prediction: messages should differ between modes, and between
    values in the base mode.
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
    return next((other for other in in_others if _is_predicted(proof, other, message)), None)


def with_another_value(proof: Proof, asked: State, message: int) -> State | None:
    """Return the state that was probably pressed if a new value seems to flip bits of another one.

    The requested state is one of the base mode with a single temperature or value that was never
    pressed. Temperatures do not flip the bits that fan speeds flip: if the message has the bits of
    exactly one other fan speed, that one was probably pressed. A remote control may send such a
    message nevertheless, and asking again then costs a press: None if there is none to spare.
    """
    if not proof.observations.has_presses_to_spare:
        return None
    model, first = proof.model, proof.model.evidence.first
    known: Mapping[str, Mapping[Any, int]] = {name: model.flips(name) for name in ATTRIBUTES}
    new = {name: setting for name, setting in attributes(asked) if setting not in known[name]}
    if asked.mode != first.mode or len(new) != 1:
        return None
    if any(proof.observations.is_special(attribute, setting) for attribute, setting in new.items()):
        return None  # it may set the others
    of_new = (message ^ model.evidence.messages[first]) & model.data
    for attribute, setting in attributes(asked):
        if attribute not in new:
            of_new ^= known[attribute][setting] ^ known[attribute].get(value(first, attribute), 0)
    instead: list[State] = []
    for table in NAMED:
        flips = known[table]
        if not of_new & (varied := reduce(or_, flips.values(), 0)) or table in new:
            continue
        instead += [
            with_values(asked, {table: setting})
            for setting in proof.observations.capabilities[asked.mode].values(table)
            if setting in flips
            and not (of_new ^ flips[setting] ^ flips[value(asked, table)]) & varied
        ]
    return instead[0] if len(instead) == 1 else None


def _with_value_of(proof: Proof, asked: State, layout: Layout) -> State | None:
    """Return a state with the only value that is sent in another layout; None if it has that."""
    settings = proof.observations.values_in(layout)
    instead = [with_values(asked, {table: level}) for table, level in settings]
    capabilities = proof.observations.capabilities
    possible = [state for state in instead if capabilities.narrowed(state) == state != asked]
    return possible[0] if len(possible) == len(instead) == 1 else None


def _only(proof: Proof, like: State, decoded: tuple[Layout, int]) -> State | None:
    """Return the single state with a message among those that differ least from another state."""
    for count in _DIFFERENT:
        alike = [state for state in _changed(proof, like, count) if _is_of(proof, state, decoded)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def _is_of(proof: Proof, state: State, decoded: tuple[Layout, int]) -> bool:
    """Return whether a message is the one predicted for a state, in the layout of the message."""
    layout, message = decoded
    if layout == proof.observations.layout:
        return _is_predicted(proof, state, message)
    if (enclosed := proof.observations.enclosed(decoded)) is not None:
        return _is_predicted(proof, state, enclosed)
    return any(
        other.layout == layout and other.is_likely(state, message) for other in proof.other_layouts
    )


def _is_predicted(proof: Proof, state: State, message: int) -> bool:
    """Return whether a message of the usual layout is the one predicted for a state."""
    model = proof.model
    return state.mode in model.hypotheses and model.answers(state, strict=False) == {
        message & model.data
    }


def _changed(proof: Proof, state: State, count: int) -> Iterator[State]:
    """Yield the states that differ from another one in `count` attributes."""
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
