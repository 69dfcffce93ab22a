"""Special values of the base mode that set other attributes: turbo sets a fan speed, eco the swing.

A press with the special value and other fan speeds or swings shows this: its message is that of the
special value alone, apart from the bits of attributes that it does not set. A single such press may
be a mistake; a second one, with further values, then contradicts it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import xor

from ..states.state import NAMED, State, Value, value
from .observations import with_values
from .proof import Proof


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What a special value seems to set."""

    shown_by: State
    """The press with other values that shows it."""
    alone: State
    """The first state with the special value."""
    table: str
    """The attribute of the special value."""
    tables: Collection[str]
    """The attributes that it sets."""


def what_it_sets(proof: Proof, state: State, message: int) -> Setting | None:
    """Return which attributes the special value of a pressed state seems to set; None if none."""
    first, messages = proof.observations.first, proof.model.evidence.messages
    if (state.mode, state.temperature) != (first.mode, first.temperature):
        return None
    special = [table for table in NAMED if proof.is_special(table, value(state, table))]
    others = [t for t in NAMED if t not in special and value(state, t) != value(first, t)]
    if len(special) != 1 or not others:
        return None
    [table] = special
    alone = _with_values_of(first, state, [table])
    singly = {other: _with_values_of(first, state, [other]) for other in others}
    if any(needed not in messages for needed in (alone, *singly.values())):
        return None
    data = proof.model.data
    flips = {other: (messages[once] ^ messages[first]) & data for other, once in singly.items()}
    of_others = (message ^ messages[alone]) & data
    possible = [
        tables
        for count in range(1, len(others) + 1)
        for tables in combinations(others, count)
        if of_others == reduce(xor, (flips[o] for o in others if o not in tables), 0)
    ]
    if len(possible) != 1:
        return None
    return Setting(shown_by=state, alone=alone, table=table, tables=possible[0])


def settings(proof: Proof) -> Iterator[Setting]:
    """Yield the attributes that special values seem to set, by the presses of the base mode."""
    for state, message in proof.model.evidence.messages.items():
        if (setting := what_it_sets(proof, state, message)) is not None:
            yield setting


def with_third_values(proof: Proof) -> State | None:
    """Return a state to press: a special value that seems to set others, with further values."""
    observations, first = proof.observations, proof.observations.first
    levels = observations.capabilities[first.mode]
    far = max(levels.temperatures, key=lambda t: abs(t - (first.temperature or 0)), default=None)
    for setting in settings(proof):
        if _is_shown_twice(proof, setting):
            continue
        others: Mapping[str, Value | None] = {
            table: next(
                (
                    third
                    for third in levels.values(table)
                    if third not in (value(first, table), value(setting.shown_by, table))
                ),
                value(setting.shown_by, table),
            )
            for table in setting.tables
        }
        target = with_values(setting.alone, {**others, "temperature": far})
        if (third := observations.nearest(target, keeping=setting.table)) is not None:
            return third
    return None


def like_alone(proof: Proof, state: State) -> Collection[int]:
    """Return the possible messages of a state whose special value sets its other values.

    Empty if it does not set them: otherwise these values have no effect.
    """
    first, flips = proof.observations.first, proof.model.flips("temperature")
    both = (first.temperature, state.temperature)
    of_both = [flips[t] for t in both if t is not None and t in flips]
    if state.mode != first.mode or len(of_both) < len(both):
        return ()
    warmer = reduce(xor, of_both)
    for setting in settings(proof):
        alike = (*setting.tables, "temperature")
        if _with_values_of(setting.alone, state, alike) == state:
            message = proof.model.evidence.messages[setting.alone]
            return proof.model.with_checks((message ^ warmer) & proof.model.data)
    return ()


def _is_shown_twice(proof: Proof, setting: Setting) -> bool:
    """Return whether each attribute was pressed twice with another value than the first one."""
    first, special = proof.observations.first, value(setting.alone, setting.table)
    counts = [
        (state, count)
        for state, count in proof.observations.pressed.items()
        if state.mode == first.mode and value(state, setting.table) == special
    ]
    return all(
        sum(count for state, count in counts if value(state, t) != value(first, t)) > 1
        for t in setting.tables
    )


def _with_values_of(state: State, other: State, attributes: Collection[str]) -> State:
    """Return a state with some values of another one."""
    return with_values(state, {attribute: value(other, attribute) for attribute in attributes})
