"""Fit: the rule of a complete table of states, unlike that of a lesson.

All states of a mode vote on the bits that each value of an attribute flips; flips of combinations
of values are added. States that contradict the others are left out, and counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise
from operator import or_
from random import Random
from typing import Any

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.states.bit_rule import ModeBits
from custom_components.irhub.ircodes.states.checks import BYTE, FLIPPED, Check, units
from custom_components.irhub.ircodes.states.rule_parts import Extra
from custom_components.irhub.ircodes.states.state import ATTRIBUTES, Value, value
from custom_components.irhub.ircodes.teaching.check_search import find_checks

from .tables import Table

SAMPLE = 40
"""Messages in a sample that checks are searched in."""
SAMPLES = 4
HOLDS = 0.95
"""Minimum share of a table's messages that a check must hold for."""
_ALL = (1 << BYTE) - 1
FEWEST_BITS = 80
FEWEST_COMPLEMENTS = 2
"""Minimum number of bytes followed by their complements, and FEWEST_BITS of a message, for constant
bytes to count as complements, too. In short messages they may be anything."""
MOST_TERMS = 40
"""Maximum number of extras of one mode."""

VOTES = 400
"""Number of pairs of states that are compared for a value without direct votes."""

type Messages = Mapping[State, int]


# Checks


def checks_of(messages: Sequence[int], frames: tuple[int, ...]) -> list[list[Check]]:
    """Return the checks of messages, each with all formulas that hold for nearly all."""
    distinct = [*dict.fromkeys(messages)]
    mixed = Random(0).sample(distinct, len(distinct))  # noqa: S311  # nosec B311
    best: list[list[Check]] = []
    most = -1
    for number in range(SAMPLES):
        sample = tuple(mixed[number * SAMPLE : (number + 1) * SAMPLE])
        if len(sample) < min(SAMPLE, len(mixed)) // 2:
            break
        kept = [
            fitting
            for alternatives in find_checks(sample, frames)
            if (fitting := holding(widened(alternatives, sample[0], frames), distinct, frames))
        ]
        width = sum(alternatives[0].target.width for alternatives in kept)
        if width > most:
            best, most = kept, width
        if len(mixed) <= SAMPLE:
            break
    return [*best, *complements(best, distinct, frames)]


def complements(
    checks: Iterable[Sequence[Check]], messages: Sequence[int], frames: tuple[int, ...]
) -> list[list[Check]]:
    """Return constant bytes that are complements, if others in the message are complements, too.

    Otherwise they would be taken for two independent bytes when they change in the messages of
    another maker.
    """
    targets = {alternatives[0].target for alternatives in checks}
    pairs = [
        (first, second)
        for first, second in pairwise(units(frames, BYTE))
        if first.width == second.width == BYTE
        and all(first.value(m, msb=False) ^ second.value(m, msb=False) == _ALL for m in messages)
    ]
    known = [second for _, second in pairs if second in targets]
    places = {second.start % (2 * BYTE) for second in known}
    if len(known) < FEWEST_COMPLEMENTS or len(places) > 1 or sum(frames) < FEWEST_BITS:
        return []
    taken = {first for first, second in pairs if second in targets} | targets
    return [
        [
            Check(
                kind="flipped",
                target=second,
                start=first.start,
                end=second.start,
                msb=False,
                target_msb=False,
                constant=_ALL,
            )
        ]
        for first, second in pairs
        if second.start % (2 * BYTE) in places and not {first, second} & taken
    ]


def widened(alternatives: Iterable[Check], message: int, frames: tuple[int, ...]) -> list[Check]:
    """Return the formulas, and the same over larger ranges, the simplest first.

    Bits that are constant for one maker may differ for another; only then can it be decided whether
    they are part of a sum.
    """
    formulas: dict[Check, None] = {}
    edges = sorted({unit.start for unit in units(frames, BYTE)})
    for check in alternatives:
        formulas[check] = None
        if check.kind == "crc":
            continue
        for start in [check.start, *(edge for edge in edges if edge < check.start)]:
            for end in {check.end, max(check.end, check.target.start)}:
                wider = replace(check, start=start, end=end, constant=0)
                made = wider.compute(message, frames)
                if not wider.kind or made == message:
                    formulas[wider] = None
                    continue
                is_value = check.target.value(message, msb=check.target_msb)
                value_of = wider.value(message, frames)
                constant = (
                    is_value ^ value_of
                    if wider.kind in FLIPPED
                    else (is_value - value_of) % (1 << check.target.width)
                )
                formulas[replace(wider, constant=constant)] = None
    return sorted(formulas, key=lambda check: (check.constant != 0, check.start - check.end))


def holding(
    alternatives: Sequence[Check], messages: Sequence[int], frames: tuple[int, ...]
) -> list[Check]:
    """Return the formulas that hold for nearly all messages."""
    allowed = int(len(messages) * (1 - HOLDS))
    kept = []
    for check in alternatives:
        wrong = 0
        for message in messages:
            wrong += check.compute(message, frames) != message
            if wrong > allowed:
                break
        else:
            kept.append(check)
    return kept


def _holds(check: Check, messages: Iterable[int], frames: tuple[int, ...]) -> bool:
    """Return whether a check holds for all messages."""
    return all(check.compute(message, frames) == message for message in messages)


def target_bits(checks: Iterable[Sequence[Check]]) -> int:
    """Return the bits that checks compute."""
    return reduce(or_, (alternatives[0].target.mask for alternatives in checks), 0)


# States


@lru_cache(maxsize=100_000)  # called repeatedly for the same states
def with_value(state: State, attribute: str, setting: Value | None) -> State:
    """Return a state with another value of an attribute."""
    changed: dict[str, Any] = {attribute: setting}
    return replace(state, **changed)


def normalized(states: Messages) -> dict[State, State]:
    """Return state → the equivalent state without values that have no effect in its mode.

    Temperatures without effect are removed. Temperatures with equal messages are those beyond a
    limit, or half degrees: one within the limits replaces the others.
    """
    renamed = {state: state for state in states}
    for mode in dict.fromkeys(state.mode for state in states):
        of_mode = [state for state in states if state.mode == mode]
        for attribute in ("temperature", "swing", "fan", "preset"):
            messages = {renamed[original]: states[original] for original in of_mode}
            representatives = _equal_values(messages, attribute)
            for state in of_mode:
                known = renamed[state]
                representative = representatives[value(known, attribute)]
                renamed[state] = with_value(known, attribute, representative)
    return renamed


def _equal_values(states: Messages, attribute: str) -> dict[Value | None, Value | None]:
    """Return value → the value that replaces it, or None if the attribute has no effect."""
    columns: dict[Value | None, dict[State, int]] = defaultdict(dict)
    for state, message in states.items():
        columns[value(state, attribute)][with_value(state, attribute, None)] = message
    values = [*columns]
    if attribute == "temperature":
        values.sort(key=lambda setting: (setting is None, setting))

    def are_equal(first: Value | None, second: Value | None) -> bool:
        common = columns[first].keys() & columns[second].keys()
        return bool(common) and all(
            columns[first][each] == columns[second][each] for each in common
        )

    groups: list[list[Value | None]] = []
    for known in values:
        group = next((group for group in groups if are_equal(group[0], known)), None)
        if group is None:
            groups.append([known])
        else:
            group.append(known)
    effective_groups = groups
    if attribute == "temperature":  # half degrees may be sent without effect
        effective_groups = [group for group in groups if any(map(_is_whole, group))] or groups
    if len(effective_groups) == 1 and len(effective_groups[0]) > 1:
        return dict.fromkeys(values)
    representatives: dict[Value | None, Value | None] = {}
    for number, group in enumerate(groups):
        whole_degrees = [known for known in group if _is_whole(known)]
        is_lowest = attribute == "temperature" and number == 0
        representatives |= dict.fromkeys(group, (whole_degrees or group)[-1 if is_lowest else 0])
    return representatives


def _is_whole(setting: Value | None) -> bool:
    return isinstance(setting, float) and setting % 1 == 0


# Modes


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """The modes of a table, and the states that they do not reproduce."""

    modes: Mapping[str, ModeBits]
    wrong: frozenset[State]


def fit(states: Messages, *, terms: int = MOST_TERMS) -> Fitted:
    """Return the modes of messages, which must not include their checks."""
    modes: dict[str, ModeBits] = {}
    wrong: set[State] = set()
    for mode in dict.fromkeys(state.mode for state in states):
        of_mode = {state: message for state, message in states.items() if state.mode == mode}
        shapes = Counter(_shape(state) for state in of_mode)
        [(shape, _)] = shapes.most_common(1)
        wrong |= {state for state in of_mode if _shape(state) != shape}
        alike = {state: message for state, message in of_mode.items() if _shape(state) == shape}
        bits = _fit_mode(alike, terms)
        modes[mode] = bits
        wrong |= {state for state, message in alike.items() if bits.message(state) != message}
    return Fitted(modes=modes, wrong=frozenset(wrong))


def _shape(state: State) -> tuple[bool, ...]:
    return tuple(value(state, attribute) is not None for attribute in ATTRIBUTES)


def _fit_mode(states: Messages, terms: int) -> ModeBits:
    tables = _voted(states)
    used_tables = {attribute: table for attribute, table in tables.items() if table}
    mode = ModeBits(bits=0, tables=used_tables)
    [(base, _)] = Counter(
        message ^ flips
        for state, message in states.items()
        if (flips := mode.message(state)) is not None
    ).most_common(1) or [(next(iter(states.values())), 0)]
    mode = replace(mode, bits=base)
    groups: dict[int, list[State]] = defaultdict(list)
    for state, message in states.items():
        fitted = mode.message(state)
        if fitted is not None and fitted != message:
            groups[fitted ^ message].append(state)
    extras: list[Extra] = []
    for flips, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        products = [*_products(group, states)]
        if len(extras) + len(products) <= terms and len(products) * 2 <= max(2, len(group)):
            extras += [Extra(values=values, flips=flips) for values in products]
    return replace(mode, extras=tuple(extras))


def _voted(states: Messages) -> dict[str, dict[Value, int]]:
    """Return attribute → value → the bits that it flips according to most states."""
    tables: dict[str, dict[Value, int]] = {}
    for attribute in ATTRIBUTES:
        counted = Counter(
            known for state in states if (known := value(state, attribute)) is not None
        )
        if not counted:
            continue
        usual = counted.most_common(1)[0][0]
        votes: dict[Value, Counter[int]] = defaultdict(Counter)
        for state, message in states.items():
            known = value(state, attribute)
            usual_message = states.get(with_value(state, attribute, usual))
            if known is not None and usual_message is not None:
                votes[known][message ^ usual_message] += 1
        tables[attribute] = {known: vote.most_common(1)[0][0] for known, vote in votes.items()}
    for attribute in tables:
        _add_apart(tables, attribute, states)
    return tables


def _add_apart(tables: dict[str, dict[Value, int]], attribute: str, states: Messages) -> None:
    """Add the values of an attribute that are never paired with the usual one."""
    table = tables[attribute]
    apart: dict[Value, list[State]] = defaultdict(list)
    for state in states:
        known = value(state, attribute)
        if known is not None and known not in table:
            apart[known].append(state)
    for known, group in apart.items():
        flips = Counter[int]()
        for state in group:
            for partner, message in states.items():
                partner_value = value(partner, attribute)
                other_flips = _flips_of_others(tables, state, partner, attribute)
                if partner_value in table and partner_value is not None and other_flips is not None:
                    flips[states[state] ^ message ^ other_flips ^ table[partner_value]] += 1
            if flips.total() > VOTES:
                break
        if flips:
            table[known] = flips.most_common(1)[0][0]


def _flips_of_others(
    tables: Mapping[str, Mapping[Value, int]], state: State, other: State, attribute: str
) -> int | None:
    total = 0
    for name in tables:
        if name != attribute:
            first, second = value(state, name), value(other, name)
            if first == second:
                continue
            if first is None or second is None or not {first, second} <= tables[name].keys():
                return None
            total ^= tables[name][first] ^ tables[name][second]
    return total


def _products(
    group: Sequence[State], states: Messages, depth: int = 0
) -> Iterator[Mapping[str, frozenset[Value]]]:
    """Yield combinations of values that exactly some of the states have, as few as possible."""
    chosen = {*group}
    values = {
        attribute: {known for state in group if (known := value(state, attribute)) is not None}
        for attribute in ATTRIBUTES
    }
    covered = [
        state
        for state in states
        if all(not known or value(state, name) in known for name, known in values.items())
    ]
    if len(covered) == len(chosen):
        all_values = {
            attribute: {value(state, attribute) for state in states} for attribute in ATTRIBUTES
        }
        restricting = {
            attribute: frozenset(known)
            for attribute, known in values.items()
            if known and known != all_values[attribute]
        }
        yield restricting or {"fan": frozenset(values["fan"])} if values["fan"] else restricting
        return
    divided = [name for name, known in values.items() if len(known) > 1]
    split = min(divided, key=lambda name: (name == "temperature", len(values[name])))
    for known in sorted(values[split], key=str):
        part = [state for state in group if value(state, split) == known]
        yield from _products(part, states, depth + 1)


def cleaned(table: Table) -> tuple[list[list[Check]], dict[State, int], frozenset[State]]:
    """Return the checks of a table, its consistent states, and the others."""
    frames = table.layout.frames
    checks = [
        [check for check in alternatives if _holds(check, table.beside, frames)] or alternatives
        for alternatives in checks_of([*table.states.values()], frames)
    ]
    data = (1 << sum(frames)) - 1 & ~target_bits(checks) & ~table.rolling
    correct = {
        state: message
        for state, message in table.states.items()
        if all(
            any(check.compute(message, frames) == message for check in alternatives)
            for alternatives in checks
        )
    }
    if not correct:
        return checks, {}, frozenset(table.states)
    names = normalized({state: message & data for state, message in correct.items()})
    merged = {names[state]: message & data for state, message in correct.items()}
    fitted = fit(merged)
    consistent = {
        state: message for state, message in correct.items() if names[state] not in fitted.wrong
    }
    return checks, consistent, frozenset(table.states.keys() - consistent.keys())
