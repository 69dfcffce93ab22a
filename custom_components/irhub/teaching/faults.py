"""Faults: what in a code file's table contradicts the rest of it, and what is missing there.

The other states of a mode vote. Each pair of states that differ in one thing only says what that
flips; what most say is so. A state whose packet is none of what follows, or whose checks are
wrong, is a fault of the file: a neighbour's code, a truncated frame, a bit read wrongly. A mode
in which too many contradict is no sum of what its states have, and nothing is said of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ..codes import bits
from ..codes.state import State
from . import checks, messages
from .checks import Check
from .messages import Layout
from .remote import ATTRIBUTES, Has, Value, states, value

_MOST: Final = 0.9
"""Share of a file's packets that have frames of the same lengths, and of votes that decide."""
_FAULTY: Final = 0.1
"""Share of a mode's states that may contradict the others."""
_FEWEST: Final = 12
"""States of a mode, and of a file, from which on they vote."""
_SAMPLES: Final = 7
_SAMPLE: Final = 30
"""Messages in which checks are looked for; seven times, as there may be faults among them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """What is wrong in a table."""

    contradicting: Mapping[State, bytes]
    """With what the rule of the others says in their place."""
    missing: Mapping[State, bytes]
    """What the modes could have, too, with what the rule says."""


type _Messages = Mapping[State, int]
type _Table = Mapping[str, Mapping[Value | None, int]]
"""Attribute → value → what it flips."""


def find_faults(table: Mapping[State, bytes]) -> Faults:
    """Return what contradicts the rest of a table, and what it lacks."""
    said = {state: messages.read(packet) for state, packet in table.items()}
    layouts = Counter(one[0] for one in said.values() if one is not None)
    if not layouts or max(layouts.values()) < max(_FEWEST, _MOST * len(table)):
        return Faults(contradicting={}, missing={})
    layout = max(layouts, key=lambda one: layouts[one])
    heard = {state: one[1] for state, one in said.items() if one is not None and one[0] == layout}
    found = _checks(tuple(heard.values()), layout.frames)
    contradicting: dict[State, bytes] = {}
    missing: dict[State, bytes] = {}
    for mode in dict.fromkeys(state.mode for state in table):
        of_mode = [state for state in table if state.mode == mode]
        rule = _rule({state: heard[state] for state in of_mode if state in heard}, layout, found)
        if rule is None:
            continue
        wrong = [
            state
            for state in of_mode
            if (message := rule.message(state)) is not None and message != heard.get(state)
        ]
        if len(wrong) > _FAULTY * len(of_mode):
            continue
        like = next(table[state] for state in of_mode if state in heard and state not in wrong)
        contradicting |= {state: rule.packet(state, like) for state in wrong}
        missing |= {
            state: rule.packet(state, like)
            for state in states({mode: _has(of_mode)}, mode)
            if state not in table and rule.message(state) is not None
        }
    return Faults(contradicting=contradicting, missing=missing)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What the states of a mode say by the votes of all."""

    base: int
    table: _Table
    checks: Sequence[Check]
    frames: tuple[int, ...]

    def message(self, state: State) -> int | None:
        """Return what a state says; None if it has something that the others do not vote on."""
        if any(value(state, one) not in self.table[one] for one in ATTRIBUTES):
            return None
        message = self.base ^ _flips(self.table, state)
        for check in reversed(self.checks):
            message = check.compute(message, self.frames)
        return message

    def packet(self, state: State, like: bytes) -> bytes:
        """Return the packet of a state that has a message."""
        signal = bits.read(like)
        message = self.message(state)
        assert signal is not None and message is not None  # noqa: PT018, S101 - it was read before
        return messages.write(signal, message)


def _checks(said: tuple[int, ...], frames: tuple[int, ...]) -> list[Check]:
    """Return the checks that most messages have."""
    best: list[Check] = []
    step = max(1, len(said) // _SAMPLE)
    for offset in range(min(step, _SAMPLES)):
        kept = [
            check
            for alternatives in checks.find(said[offset::step], frames)
            for check in alternatives[:1]
            if sum(check.compute(one, frames) == one for one in said) >= _MOST * len(said)
        ]
        best = max(best, kept, key=lambda found: sum(check.target.width for check in found))
    return best


def _rule(heard: _Messages, layout: Layout, found: Sequence[Check]) -> _Rule | None:
    """Return what the states of a mode say; None if they do not agree."""
    if len(heard) < _FEWEST:
        return None
    checked = sum(check.target.mask for check in found)
    data = (1 << sum(layout.frames)) - 1 & ~checked
    table: dict[str, dict[Value | None, int]] = {}
    for attribute in ATTRIBUTES:
        [(usual, _)] = Counter(value(state, attribute) for state in heard).most_common(1)
        votes: dict[Value | None, Counter[int]] = {}
        for state, message in heard.items():
            instead: dict[str, Any] = {attribute: usual}
            other = heard.get(replace(state, **instead))
            if other is not None:
                votes.setdefault(value(state, attribute), Counter())[(message ^ other) & data] += 1
        table[attribute] = {}
        for has, counted in votes.items():
            [(flips, count)] = counted.most_common(1)
            if 2 * count <= counted.total():
                return None
            table[attribute][has] = flips
    voting = {
        state: message
        for state, message in heard.items()
        if all(value(state, one) in table[one] for one in ATTRIBUTES)
    }
    bases = Counter((message ^ _flips(table, state)) & data for state, message in voting.items())
    [(base, count)] = bases.most_common(1)
    return _Rule(base, table, found, layout.frames) if count >= _MOST * len(voting) else None


def _flips(table: _Table, state: State) -> int:
    flips = 0
    for attribute in ATTRIBUTES:
        flips ^= table[attribute][value(state, attribute)]
    return flips


def _has(of_mode: Sequence[State]) -> Has:
    """Return what there is in a mode. None is no value: a state without it is another column."""

    def of(attribute: str) -> list[Any]:
        found = dict.fromkeys(value(state, attribute) for state in of_mode)
        return [one for one in found if one is not None]

    return Has(**{f"{one}s": of(one) for one in ATTRIBUTES})
