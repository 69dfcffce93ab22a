"""Faults: what in a code file's table contradicts the rest of it, and what is missing there.

The other states of a mode vote. Each pair of states that differ in one thing only says what that
flips; what most say is so. A state whose packet is none of what follows, or whose checks are
wrong, is a fault of the file: a neighbour's code, a truncated frame, a bit read wrongly. A mode
in which too many contradict is no sum of what its states have, and nothing is said of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import batched, islice
from random import Random
from typing import Any, Final

from ..packet.reader import read
from ..states import messages
from ..states.capabilities import Capabilities
from ..states.checks import Check
from ..states.messages import Layout
from ..states.state import ATTRIBUTES, State, Value, value
from . import temperatures
from .check_search import find_checks

_MOST: Final = 0.9
"""Share of a file's packets that have frames of the same lengths, and of votes that decide."""
_FAULTY: Final = 0.1
"""Share of a mode's states that may contradict the others."""
_FEWEST: Final = 12
"""States of a mode, and of a file, from which on they vote."""
_CONFIRMED: Final = 2
"""How many pairs of states must agree on what a value flips before a packet is offered for it."""
_CLEAR: Final = 2 / 3
"""Share of those pairs."""
_UNCHECKED: Final = 0.05
"""Share of messages that may lack a check; one may in any case."""
_SAMPLE: Final = 30
"""Messages in which checks are looked for."""
_SAMPLES: Final = range(3, 8)
"""How many samples are drawn: some of them may contain faults."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """What is wrong in a table."""

    contradicting: Mapping[State, bytes | None]
    """With what the rule of the others says in their place, if it determines that."""
    missing: Mapping[State, bytes]
    """What the modes could have, too, with what the rule says."""


type _Messages = Mapping[State, int]
type _Table = Mapping[str, Mapping[Value | None, int]]
"""Attribute → value → what it flips."""


def find_faults(table: Mapping[State, bytes]) -> Faults:
    """Return what contradicts the rest of a table, and what it lacks."""
    decoded = {state: messages.read(packet) for state, packet in table.items()}
    checks_of: dict[Layout, Sequence[Check]] = {}
    contradicting: dict[State, bytes | None] = {}
    missing: dict[State, bytes] = {}
    for mode in dict.fromkeys(state.mode for state in table):
        of_mode = [state for state in table if state.mode == mode]
        layouts = Counter(message[0] for state in of_mode if (message := decoded[state]))
        if not layouts:
            continue
        [(layout, count)] = layouts.most_common(1)
        if count < max(_FEWEST, _MOST * len(of_mode)):
            continue
        alike = {
            state: message[1]
            for state, message in decoded.items()
            if message and message[0] == layout
        }
        if layout not in checks_of:
            checks_of[layout] = _checks(tuple(alike.values()), layout.frames)
        received = {state: alike[state] for state in of_mode if state in alike}
        rule = _rule(received, layout, checks_of[layout])
        wrong = [state for state in of_mode if not rule.allows(state, received.get(state))]
        if len(received.keys() & {*wrong}) > _FAULTY * len(of_mode):
            continue
        like = next(table[state] for state in received if state not in wrong)
        contradicting |= {state: rule.packet(state, like) for state in wrong}
        missing |= {
            state: packet
            for state in Capabilities.of_states(of_mode).states()
            if state not in table and (packet := rule.packet(state, like)) is not None
        }
    return Faults(contradicting=contradicting, missing=missing)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What the states of a mode say by the votes of all."""

    base: int
    table: _Table
    """Of what most do not say alike, it has nothing."""
    checks: Sequence[Check]
    frames: tuple[int, ...]

    def allows(self, state: State, received: int | None) -> bool:
        """Return whether a state may have this message; None: none, or one of another layout."""
        expected = self.message(state)
        return received is not None and received == (
            self.checked(received) if expected is None else expected
        )

    def message(self, state: State) -> int | None:
        """Return what a state says; None if it has something that the others do not vote on."""
        if any(value(state, attribute) not in self.table[attribute] for attribute in ATTRIBUTES):
            return None
        return self.checked(self.base ^ _flips(self.table, state))

    def checked(self, message: int) -> int:
        """Return a message with its checks as they have to be."""
        for check in reversed(self.checks):
            message = check.compute(message, self.frames)
        return message

    def packet(self, state: State, like: bytes) -> bytes | None:
        """Return the packet of a state; None if it has no message."""
        signal, message = read(like).signal, self.message(state)
        return None if signal is None or message is None else messages.write(signal, message)


def _checks(received: tuple[int, ...], frames: tuple[int, ...]) -> Sequence[Check]:
    """Return the checks that most messages have."""
    best: Sequence[Check] = ()
    most = 0, 0
    mixed = Random(0).sample(received, len(received))  # noqa: S311  # nosec B311  (the same each time)
    size = min(_SAMPLE, len(received) // _SAMPLES[0])
    for sample in islice(batched(mixed, size, strict=False), _SAMPLES[-1]):
        kept: list[Check] = []
        fitting = 0
        for alternatives in find_checks(sample, frames):
            fits = {
                check: sum(check.compute(message, frames) == message for message in received)
                for check in alternatives
            }
            check = max(fits, key=lambda alternative: fits[alternative])
            if len(received) - fits[check] <= max(1, _UNCHECKED * len(received)):
                kept.append(check)
                fitting += fits[check]
        if (fit := (sum(check.target.width for check in kept), fitting)) > most:
            best, most = kept, fit
    return best


def _rule(received: _Messages, layout: Layout, checks: Sequence[Check]) -> _Rule:
    """Return what the states of a mode say, as far as they agree."""
    data = (1 << sum(layout.frames)) - 1 & ~sum(check.target.mask for check in checks)
    table: dict[str, dict[Value | None, int]] = {}
    for attribute in ATTRIBUTES:
        [(usual, _)] = Counter(value(state, attribute) for state in received).most_common(1)
        votes: dict[Value | None, Counter[int]] = {}
        for state, message in received.items():
            instead: dict[str, Any] = {attribute: usual}
            other = received.get(replace(state, **instead))
            if other is not None:
                votes.setdefault(value(state, attribute), Counter())[(message ^ other) & data] += 1
        table[attribute] = {}
        for setting, counted in votes.items():
            [(flips, count)] = counted.most_common(1)
            if count >= max(_CONFIRMED, _CLEAR * counted.total()):
                table[attribute][setting] = flips
        if attribute == "temperature" and len(table[attribute]) < len(votes):
            table[attribute] |= _counted(
                {
                    float(setting): next(iter(counted))
                    for setting, counted in votes.items()
                    if setting is not None and len(counted) == 1
                },
                layout.frames,
            )
    bases = Counter(
        (message ^ _flips(table, state)) & data
        for state, message in received.items()
        if all(value(state, attribute) in table[attribute] for attribute in ATTRIBUTES)
    )
    [(base, count)] = bases.most_common(1) or [(0, 0)]
    if count < _MOST * len(received):
        table = {attribute: {} for attribute in ATTRIBUTES}
    return _Rule(base, table, checks, layout.frames)


def _counted(votes: Mapping[float, int], frames: tuple[int, ...]) -> dict[Value | None, int]:
    """Return what temperatures flip if they count, all of them or all but one; nothing if not.

    Of a mode that has one state for each temperature no two agree, but each fits the others.
    """
    if len(votes) < _FEWEST:
        return {}
    if temperatures.explain(_from_first(votes), [*votes], frames) is not None:
        return dict(votes.items())
    possible: list[dict[Value | None, int]] = []
    for temperature in votes:
        rest = {other: flips for other, flips in votes.items() if other != temperature}
        first = next(iter(rest.values()))
        if counts := temperatures.explain(_from_first(rest), [*votes], frames):
            agreed = temperatures.agreed(counts, votes)
            if temperature in agreed:
                possible.append({**dict(votes.items()), temperature: agreed[temperature] ^ first})
    return possible[0] if len(possible) == 1 else {}


def _from_first(flips: Mapping[float, int]) -> dict[float, int]:
    """Return what temperatures flip instead of the first of them."""
    first = next(iter(flips.values()))
    return {temperature: bits ^ first for temperature, bits in flips.items()}


def _flips(table: _Table, state: State) -> int:
    flips = 0
    for attribute in ATTRIBUTES:
        flips ^= table[attribute][value(state, attribute)]
    return flips
