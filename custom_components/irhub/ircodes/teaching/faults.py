"""Faults: states in a code file that contradict the others, and states that are missing.

The states of a mode vote: each pair of states that differ in a single value shows which bits that
value flips, and the majority decides. A state whose packet differs from the result, or has a wrong
check, is a fault of the file: another state's code, a truncated frame, a misread bit. If too many
states of a mode contradict, its messages are not sums of values, and nothing is reported.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
"""Minimum share of a mode's packets with the same layout, and of votes that agree."""
_FAULTY: Final = 0.1
"""Maximum share of a mode's states that contradict the others."""
_FEWEST: Final = 12
"""Minimum number of states of a mode for a vote."""
_CONFIRMED: Final = 2
"""Minimum number of pairs that agree on the bits of a value before packets are derived from it."""
_CLEAR: Final = 2 / 3
"""Minimum share of pairs that agree."""
_UNCHECKED: Final = 0.05
"""Maximum share of messages without a correct check; one is always allowed."""
_SAMPLE: Final = 30
"""Messages in a sample that checks are searched in."""
_SAMPLES: Final = range(3, 8)
"""Number of samples: some of them may contain faults."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """The faults in a table."""

    contradicting: Mapping[State, bytes | None]
    """State → the packet derived from the others; None if they do not determine it."""
    missing: Mapping[State, bytes]
    """Possible states of the modes that are missing → the derived packet."""


type _Messages = Mapping[State, int]
type _Table = Mapping[str, Mapping[Value | None, int]]
"""Attribute → value → the bits that it flips."""


def find_faults(table: Mapping[State, bytes]) -> Faults:
    """Return the states that contradict the others, and the missing ones."""
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
    """The messages of a mode's states, according to the votes."""

    base: int
    table: _Table
    """Values without a clear majority are missing."""
    checks: Sequence[Check]
    frames: tuple[int, ...]

    def allows(self, state: State, received: int | None) -> bool:
        """Return whether a state may have this message; None means no message or another layout."""
        expected = self.message(state)
        return received is not None and received == (
            self.checked(received) if expected is None else expected
        )

    def message(self, state: State) -> int | None:
        """Return the message of a state; None if the votes do not determine it."""
        if any(value(state, attribute) not in self.table[attribute] for attribute in ATTRIBUTES):
            return None
        return self.checked(self.base ^ _flips(self.table, state))

    def checked(self, message: int) -> int:
        """Return a message with correct checks."""
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
    """Return the rule that the states of a mode agree on."""
    data = (1 << sum(layout.frames)) - 1 & ~sum(check.target.mask for check in checks)
    table: dict[str, dict[Value | None, int]] = {}
    for attribute in ATTRIBUTES:
        votes = _votes(received, attribute, data)
        table[attribute] = {
            setting: flips
            for setting, counted in votes.items()
            for flips, count in counted.most_common(1)
            if count >= max(_CONFIRMED, _CLEAR * counted.total())
        }
        if attribute == "temperature":
            clear = table[attribute]
            alone = {t: next(iter(counted)) for t, counted in votes.items() if len(counted) == 1}
            known = {float(t): flips for t, flips in (alone | clear).items() if t is not None}
            clear |= _counted(known, layout.frames, clear={*clear})
    bases = Counter(
        (message ^ _flips(table, state)) & data
        for state, message in received.items()
        if all(value(state, attribute) in table[attribute] for attribute in ATTRIBUTES)
    )
    [(base, count)] = bases.most_common(1) or [(0, 0)]
    if count < _MOST * len(received):
        table = {attribute: {} for attribute in ATTRIBUTES}
    return _Rule(base, table, checks, layout.frames)


def _votes(received: _Messages, attribute: str, data: int) -> Mapping[Value | None, Counter[int]]:
    """Return the bits that each value of an attribute flips, by pairs of states.

    They are compared with the value that most states have; of several, with the one with which most
    pairs agree, since the states with it may be wrong.
    """
    counts = Counter(value(state, attribute) for state in received)
    most = max(counts.values())
    best: Mapping[Value | None, Counter[int]] = {}
    agreeing = -1
    for usual in (setting for setting, count in counts.items() if count == most):
        votes: dict[Value | None, Counter[int]] = {}
        for state, message in received.items():
            instead: dict[str, Any] = {attribute: usual}
            other = received.get(replace(state, **instead))
            if other is not None:
                votes.setdefault(value(state, attribute), Counter())[(message ^ other) & data] += 1
        agree = sum(max(counted.values()) for counted in votes.values())
        if agree > agreeing:
            best, agreeing = votes, agree
        if all(len(counted) == 1 for counted in votes.values()):
            break
    return best


def _counted(
    flips: Mapping[float, int],
    frames: tuple[int, ...],
    *,
    clear: Collection[Value | None],
) -> dict[Value | None, int]:
    """Return the bits of temperatures if all of them, or all but one, fit a way to count.

    If a mode has a single state for each temperature, there is no majority, but each temperature
    must fit the others. One with a `clear` majority is doubted only if it has the bits of another
    one, and is no limit: neither the lowest nor the highest one.
    """
    if len(flips) < _FEWEST:
        return {}
    if temperatures.explain(_from_first(flips), [*flips], frames) is not None:
        return dict(flips.items())
    possible: list[dict[Value | None, int]] = []
    for temperature, bits in flips.items():
        rest = {other: bits for other, bits in flips.items() if other != temperature}
        is_limit = temperature in (min(flips), max(flips))
        if temperature in clear and (is_limit or bits not in rest.values()):
            continue
        first = next(iter(rest.values()))
        if counts := temperatures.explain(_from_first(rest), [*flips], frames):
            agreed = temperatures.agreed(counts, flips)
            if temperature in agreed:
                possible.append({**dict(flips.items()), temperature: agreed[temperature] ^ first})
    return possible[0] if len(possible) == 1 else {}


def _from_first(flips: Mapping[float, int]) -> dict[float, int]:
    """Return the flipped bits relative to the first temperature."""
    first = next(iter(flips.values()))
    return {temperature: bits ^ first for temperature, bits in flips.items()}


def _flips(table: _Table, state: State) -> int:
    flips = 0
    for attribute in ATTRIBUTES:
        flips ^= table[attribute][value(state, attribute)]
    return flips
