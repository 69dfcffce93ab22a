"""Merge the tables of one protocol into a row, whose variants are makers with different bits."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from random import Random
from typing import Any

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.packet.bits import Signal
from custom_components.irhub.ircodes.states.bit_rule import ModeBits
from custom_components.irhub.ircodes.states.checks import BYTE, Check, units
from custom_components.irhub.ircodes.states.messages import Layout

from .fit import Messages, checks_of, fit, holding, normalized, target_bits
from .tables import Table

TOLERANCE = 0.3
"""Share by which durations of one protocol may differ."""
TOLERANCE_US = 200
ADDED = 0.9
"""Minimum share of a table's states that must fit a row for it to join."""
KNOWN = 0.3
"""Minimum share of a table's states that a row must decode before the others are added."""
MOST_ROLLING = 40
"""Maximum number of bits of a clock and timers."""
MOST_FREE = 24
"""Maximum number of constant bits in which makers of one protocol differ."""

type Prepared = tuple[Table, list[list[Check]], Messages]
"""A table, its checks, and its consistent states."""

type Group = tuple[Layout, str]
"""Common layout and unit of the tables of a row."""

AUTOMATIC = {"auto", "heat_cool"}
"""Modes that files use as synonyms."""
FAN_NAMES = {
    "mid": "medium", "med": "medium", "middle": "medium", "automatic": "auto",
    "lowest": "min", "highest": "max", "hi": "high", "lo": "low", "medium high": "medium_high",
    "mid_high": "medium_high", "midhigh": "medium_high", "mediumhigh": "medium_high",
    "medium low": "medium_low", "mid_low": "medium_low", "midlow": "medium_low",
}  # fmt: skip


@dataclass(kw_only=True)
class Member:
    """A table that is part of a row."""

    table: Table
    constants: Mapping[str, int]
    """Mode → bits that differ from the row's."""
    added: bool
    """Whether the table changed the row."""
    left_out: int = 0
    """Number of states that contradict the row."""


@dataclass(kw_only=True)
class Row:
    """A protocol, as derived from its tables."""

    layout: Layout
    signal: Signal
    unit: str
    checks: list[list[Check]]
    evidence: dict[State, int]
    """Messages without checks, with the constant bits of the first table."""
    rolling: int = 0
    optional: int = 0
    free: int = 0
    """Bits in which makers differ."""
    members: list[Member] = field(default_factory=list)
    modes: Mapping[str, ModeBits] = field(default_factory=dict)
    off: int | None = None

    def __post_init__(self) -> None:
        """Compute the modes from the evidence."""
        self.refit()

    @property
    def data(self) -> int:
        """Return the bits that are neither checks nor volatile."""
        return (1 << sum(self.layout.frames)) - 1 & ~target_bits(self.checks) & ~self.rolling

    def refit(self) -> frozenset[State]:
        """Fit the modes to the evidence, and return the states that are not reproduced."""
        fitted = fit(self.evidence)
        self.modes = fitted.modes
        self._index()
        return fitted.wrong

    def _index(self) -> None:
        messages = {
            state: message
            for name, mode in self.modes.items()
            for state, message in mode.messages(name).items()
        }
        self.messages = messages
        first = next(iter(messages.values()))
        self.field = reduce(or_, (message ^ first for message in messages.values()), 0)
        swinging = 0
        core = 0
        for mode in self.modes.values():
            core |= mode.bits ^ first
            for attribute, table in mode.tables.items():
                flips = reduce(or_, table.values(), 0)
                if attribute == "swing":
                    swinging |= flips
                else:
                    core |= flips
            core |= reduce(or_, (term.flips for term in mode.extras), 0)
        self.core = core | self.field & ~swinging
        self.power = 0
        if self.off is not None:
            self.power = (self.off ^ first) & self.data & ~self.field
        self.base = first & ~self.core
        self.by_bits: dict[int, list[State]] = defaultdict(list)
        self.by_core: dict[int, dict[State, None]] = defaultdict(dict)
        for state, message in messages.items():
            self.by_bits[message & self.field].append(state)
            self.by_core[message & self.core][replace(state, swing=None)] = None

    def decode(self, message: int) -> tuple[Sequence[State], int]:
        """Return the states of a message, and the constant bits that differ.

        An unknown swing is included in these bits.
        """
        data = message & self.data
        if states := self.by_bits.get(data & self.field):
            return states, (data ^ self.base) & ~self.field
        return [*self.by_core.get(data & self.core, ())], (data ^ self.base) & ~self.core


def row_of(table: Table, checks: list[list[Check]], good: Messages) -> Row | None:
    """Return a row made from one table; None if too few of its states are consistent."""
    data = (1 << sum(table.layout.frames)) - 1 & ~target_bits(checks) & ~table.rolling
    names = normalized({state: message & data for state, message in good.items()})
    evidence = {named(names[state]): message & data for state, message in good.items()}
    if len(evidence) < 4:  # noqa: PLR2004
        return None
    row = Row(
        layout=table.layout,
        signal=table.signal,
        unit=table.unit,
        checks=checks,
        evidence=evidence,
        rolling=table.rolling,
        optional=table.optional & data,
        off=table.off,
    )
    wrong = {state for state, message in evidence.items() if row.messages.get(state) != message}
    if wrong:
        row.evidence = {s: m for s, m in evidence.items() if s not in wrong}
        if not row.evidence or row.refit():
            return None
    row.members.append(Member(table=table, constants={}, added=True, left_out=len(wrong)))
    return row


def named(state: State) -> State:
    """Return a state with the usual name of its fan speed."""
    if state.fan is None:
        return state
    fan = state.fan.strip().casefold()
    return replace(state, fan=FAN_NAMES.get(fan, fan))


def is_alike(first: Signal, second: Signal) -> bool:
    """Return whether two signals may be of one protocol: their durations are similar."""

    def close(first_us: float, second_us: float) -> bool:
        return abs(first_us - second_us) <= TOLERANCE * max(first_us, second_us) + TOLERANCE_US

    pairs = [
        (sum(first.coding.one), sum(second.coding.one)),
        (sum(first.coding.zero), sum(second.coding.zero)),
    ]
    for first_frame, second_frame in zip(first.distinct, second.distinct, strict=False):
        pairs += zip(first_frame.leader, second_frame.leader, strict=False)
    return all(close(*pair) for pair in pairs)


class _Joining:
    """An attempt to join a table to a row."""

    def __init__(self, row: Row, table: Table, good: Messages) -> None:
        self.table = table
        self.good = good
        self.allowed = (1 - ADDED) * len(good)
        """Maximum number of states that contradict the row."""
        before = row.rolling
        if table.rolling & ~row.rolling & ~row.field & ~row.power:
            row = _with_rolling(row, table.rolling & ~row.field & ~row.power)
        self._read(row)
        if rolling := _rolling(row, self.read, self.same):
            row = _with_rolling(row, rolling)
            self._read(row)
        self.rolling = row.rolling & ~before
        self.constants = _constants(self.read, self.same)
        self._compare()

    def _read(self, row: Row) -> None:
        self.row = row
        self.same = normalized({state: bits & row.data for state, bits in self.good.items()})
        self.read = {state: row.decode(message) for state, message in self.good.items()}
        for state, (states, own) in self.read.items():
            if self.same[state].swing is not None and own & row.field:
                # a named swing that the row does not have
                self.read[state] = ([], own & ~row.field) if states else (states, own)

    def _compare(self) -> None:
        self.right: dict[State, Sequence[State]] = {}
        self.open: list[State] = []
        """States that the row does not have."""
        self.wrong = 0
        for state, (states, own) in self.read.items():
            agreeing = [known for known in states if is_same(known, self.same[state])]
            if agreeing and own == self.constants.get(state.mode):
                self.right[state] = agreeing
            elif agreeing or not states:
                self.open.append(state)
            else:
                self.wrong += 1

    @property
    def free(self) -> int:
        """Return the bits in which makers differ after joining."""
        return reduce(or_, self.constants.values(), self.row.free)

    @property
    def is_possible(self) -> bool:
        """Return whether enough states fit the row, and makers differ in few bits."""
        return (
            bool(self.constants)
            and len(self.right) >= KNOWN * len(self.good)
            and self.wrong <= self.allowed
            and self.free.bit_count() <= MOST_FREE
            and not self.free & self.row.power
        )

    @property
    def usual(self) -> int:
        """Return the bits in which most modes differ from the row."""
        return Counter(self.constants.values()).most_common(1)[0][0]

    def joined(self) -> Row | None:
        """Return the row with the table; None if they do not fit."""
        if not self.is_possible:
            return None
        checks = _checks(self.row, [*self.good.values()])
        if checks is None:
            return None
        row = replace(self.row, members=[*self.row.members])
        added = bool(self.rolling)
        if self.open:
            extended = self._extended(row)
            if extended is None:
                return None
            row, is_more = extended
            added |= is_more
        changed = [formulas[0] for formulas in checks] != [formulas[0] for formulas in row.checks]
        row.members.append(
            Member(
                table=self.table,
                constants=self.constants,
                added=added or changed or self.free != row.free,
                left_out=self.wrong,
            )
        )
        before = target_bits(row.checks)
        row.checks, row.free = checks, self.free
        if target_bits(checks) != before:
            row.evidence = {state: bits & row.data for state, bits in row.evidence.items()}
            row.refit()
        row.optional |= self.table.optional & row.data & ~row.field
        if row.off is None and self.table.off is not None:
            row.off = self.table.off ^ self.usual
        return row

    def _extended(self, row: Row) -> tuple[Row, bool] | None:
        """Return the row with the table's other states, and whether there are any."""
        names = _names(self.right)
        evidence = _with_temperatures(row, {**row.evidence}, self.same, self.right)
        is_more = False
        for state in self.open:
            new = _renamed(row, self.same[state], names)
            bits = self.good[state] & row.data ^ self.constants.get(state.mode, self.usual)
            if evidence.get(new, bits) != bits and new.fan is not None:
                # a different speed with the same name
                new = replace(new, fan=f"{new.fan} 2")
            if new in evidence:
                self.wrong += evidence[new] != bits
                continue
            evidence[new] = bits
            is_more = True
        if self.wrong > self.allowed:
            return None
        if not is_more:
            return row, False
        tried = replace(row, evidence=evidence, members=[*row.members])
        lost = {s for s in evidence if tried.messages.get(s) != evidence[s]}
        self.wrong += len(lost)
        if lost & row.evidence.keys() or self.wrong > self.allowed:
            return None
        if lost:
            tried.evidence = {s: bits for s, bits in evidence.items() if s not in lost}
            if tried.refit():
                return None
        return None if self.free & tried.field & ~row.field else (tried, True)


def _with_rolling(row: Row, rolling: int) -> Row:
    """Return a row with more volatile bits."""
    row = replace(row, rolling=row.rolling | rolling, members=[*row.members])
    row.evidence = {state: bits & row.data for state, bits in row.evidence.items()}
    row.refit()
    return row


def join(row: Row, table: Table, good: Messages) -> Row | None:
    """Return a row with a table added; None if the table is of another protocol."""
    if row.layout != table.layout or row.unit != table.unit or not good:
        return None
    if not is_alike(row.signal, table.signal) or not _may_be(row, good):
        return None
    return _Joining(row, table, good).joined()


def _rolling(
    row: Row,
    decoded: Mapping[State, tuple[Sequence[State], int]],
    equivalents: Mapping[State, State],
) -> int:
    """Return bits that change in otherwise equal messages of a column: a clock."""
    columns: dict[State, set[int]] = defaultdict(set)
    for state, (states, own) in decoded.items():
        if any(is_same(known, equivalents[state]) for known in states):
            columns[replace(equivalents[state], temperature=None)].add(own)
    varied = [column for column in columns.values() if len(column) > 1]
    if len(varied) < max(2, len(columns) // 3):
        return 0
    rolling = 0
    for column in varied:
        first = next(iter(column))
        rolling |= reduce(or_, (first ^ other for other in column))
    rolling = (
        sum(unit.mask for unit in units(row.layout.frames, BYTE) if unit.mask & rolling)
        & ~row.field
        & ~row.power
    )
    return rolling if rolling.bit_count() <= MOST_ROLLING else 0


def _with_temperatures(
    row: Row,
    evidence: dict[State, int],
    equivalents: Mapping[State, State],
    correct: Mapping[State, Sequence[State]],
) -> dict[State, int]:
    """Return evidence in which modes have temperatures if the added table has them there.

    A message for any temperature becomes that of the table's most frequent one.
    """
    for mode in {state.mode for state in equivalents.values() if state.temperature is not None}:
        name = mode if mode in row.modes or mode not in AUTOMATIC else (AUTOMATIC - {mode}).pop()
        known = row.modes.get(name)
        if known is None or "temperature" in known.tables:
            continue
        degrees = Counter(equivalents[state].temperature for state in correct if state.mode == mode)
        degrees.pop(None, None)
        if degrees:
            [(usual, _)] = degrees.most_common(1)
            evidence = {
                replace(state, temperature=usual) if state.mode == name else state: message
                for state, message in evidence.items()
            }
    return evidence


def _may_be(row: Row, good: Messages) -> bool:
    """Return whether any of the messages can be read."""
    sample = [*good.values()][:: max(1, len(good) // 20)]
    return any(row.decode(message)[0] for message in sample)


def _constants(
    decoded: Mapping[State, tuple[Sequence[State], int]], equivalents: Mapping[State, State]
) -> dict[str, int]:
    """Return mode → the constant bits in which most of its messages differ from the row."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for state, (states, constant) in decoded.items():
        if any(is_same(known, equivalents[state]) for known in states):
            votes[state.mode][constant] += 1
    return {mode: vote.most_common(1)[0][0] for mode, vote in votes.items()}


def _checks(row: Row, added: Sequence[int]) -> list[list[Check]] | None:
    """Return the checks of a row that also hold for more messages; None if they differ."""
    frames = row.layout.frames
    checks = [holding(alternatives, added, frames) for alternatives in row.checks]
    if all(checks):
        return checks
    samples = [[*member.table.states.values()] for member in row.members] + [[*added]]
    size = max(6, 60 // len(samples))
    random = Random(0)  # noqa: S311  # nosec B311  (the same each time)
    pooled = [
        message for sample in samples for message in random.sample(sample, min(size, len(sample)))
    ]
    pooled_checks = checks_of(pooled, frames)
    if target_bits(pooled_checks).bit_count() < target_bits(row.checks).bit_count():
        return None
    for sample in samples:
        pooled_checks = [holding(alternatives, sample, frames) for alternatives in pooled_checks]
    return pooled_checks if all(pooled_checks) else None


def is_same(known: State, state: State) -> bool:
    """Return whether two states agree, except for the names of their levels."""
    modes = {known.mode, state.mode}
    return (len(modes) == 1 or modes == AUTOMATIC) and (
        known.temperature is None
        or state.temperature is None
        or known.temperature == state.temperature
    )


def _names(correct: Mapping[State, Sequence[State]]) -> dict[tuple[str, str, str | None], Any]:
    """Return (attribute, mode, name in a file) → name in the row."""
    votes: dict[tuple[str, str, str | None], Counter[str | None]] = defaultdict(Counter)
    for state, [known, *_] in correct.items():
        for attribute in ("fan", "swing", "preset"):
            for mode in (state.mode, ""):
                votes[attribute, mode, getattr(state, attribute)][getattr(known, attribute)] += 1
    return {key: vote.most_common(1)[0][0] for key, vote in votes.items()}


def _renamed(
    row: Row, state: State, names: Mapping[tuple[str, str, str | None], str | None]
) -> State:
    """Return a state with the names of the row."""
    if state.mode not in row.modes and state.mode in AUTOMATIC:
        [other] = AUTOMATIC - {state.mode}
        if other in row.modes:
            state = replace(state, mode=other)
    mode = row.modes.get(state.mode)
    changed: dict[str, Any] = {}
    for attribute in ("fan", "swing", "preset"):
        own = getattr(state, attribute)
        table = mode.tables.get(attribute) if mode else None
        known = names.get((attribute, state.mode, own), names.get((attribute, "", own), own))
        if mode is not None and table is None:
            known = None
        elif mode is not None and known is None:
            [usual, *_] = table or [None]
            known = usual
        changed[attribute] = known
    return named(replace(state, **changed))


def merge(tables: Iterable[tuple[Table, list[list[Check]], Messages]]) -> list[Row]:
    """Return the rows of tables: each joins the first row that it fits, or starts a new one."""
    rows: list[Row] = []
    for table, checks, good in tables:
        joined = False
        for number, known in enumerate(rows):
            if (wider := join(known, table, good)) is not None:
                rows[number], joined = wider, True
                break
        if joined:
            continue
        if (row := row_of(table, checks, good)) is not None:
            rows.append(row)
    return rows


def by_layout(prepared: Iterable[Prepared]) -> Mapping[Group, list[Prepared]]:
    """Return tables grouped by layout and unit; only tables of a group are merged."""
    groups: dict[Group, list[Prepared]] = defaultdict(list)
    for item in prepared:
        groups[item[0].layout, item[0].unit].append(item)
    return groups
