"""Find states of a code file whose packets contain another state, according to a known protocol.

A name is considered wrong only if nearly all similar ones are right. If a whole column, mode or
temperature differs, the file uses other names, or its remote control is missing in the table:
nothing is reported then.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from ..packet.reader import read
from ..states import messages
from ..states.state import NAMED, Off, State, Value, value
from .dialect import Dialect, dialects_of, read_by
from .row import KnownReading
from .table import KnownAirConditioners

_FEWEST: Final = 4
"""Minimum number of states of a mode, or with a fan speed, for one to be considered wrong."""
_WRONG: Final = 0.1
"""Maximum share of wrong states in larger groups."""
_SAME_WARMTH: Final = 0.25
"""Maximum share of states with one temperature whose packets have another one; one state is always
allowed."""
_EXCEPTION_DEGREES: Final = 3
"""An exception of a row for at most this many temperatures may be an error of the file that the row
was made from."""
_SAMPLE: Final = 20
"""Number of existing states that must be reproduced before a packet is offered."""


@dataclass(frozen=True, kw_only=True)
class Misnamed:
    """The actual content of the packet of a state."""

    says: State | Off
    """The decoded state, with the names of the file."""
    differs: Sequence[str]
    """The attributes that differ, or "mode"."""
    packet: bytes | None
    """The correct packet of the state, if the protocol can write it."""


@dataclass(frozen=True, kw_only=True)
class Misnaming:
    """The misnamed states of a table, according to the protocol of most of its packets."""

    protocol: str = ""
    states: Mapping[State, Misnamed] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Mapping[State, bytes], known: KnownAirConditioners) -> Self:
        """Return the misnamed states of a table. Takes up to some seconds."""
        checks = [
            _Check(plain)
            for dialect in dialects_of(table, known)
            if (plain := _without_exceptions(dialect, table)).fits(len(table))
        ]
        if not checks:
            return cls()
        first, *others = checks
        states = {
            state: Misnamed(says=says, differs=differs, packet=first.packet(state, table))
            for state in first.dialect.readings
            if (differs := first.differs(state))
            and (says := first.says(state)) is not None
            and all(check.confirms(state, differs) for check in others)
        }
        return cls(protocol=first.dialect.row.protocol, states=states)


class _Check:
    """Compares the states of a table with their readings by one protocol."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._modes: dict[str, Counter[str]] = {}
        """Mode → counts of the decoded modes."""
        self._columns: dict[tuple[str, str, Value | None], Counter[Value | None]] = {}
        """Mode, attribute and value → counts of the protocol's values."""
        self._degrees: dict[tuple[str, float | None], Counter[float | None]] = {}
        """Mode and temperature → counts of the decoded temperatures."""
        for state, reading in dialect.readings.items():
            says = self.says(state)
            mode = says.mode if isinstance(says, State) else ""
            self._modes.setdefault(state.mode, Counter())[mode] += 1
            if isinstance(reading.state, State) and mode == state.mode:
                for name in NAMED:
                    column = self._columns.setdefault((mode, name, value(state, name)), Counter())
                    column[value(reading.state, name)] += 1
                warm = self._degrees.setdefault((mode, state.temperature), Counter())
                warm[reading.state.temperature] += 1

    def says(self, state: State) -> State | Off | None:
        """Return the decoded state of a state's packet, with the names of the file."""
        return self.dialect.translate(self.dialect.readings[state].state)

    def differs(self, state: State) -> Sequence[str]:
        """Return the attributes that the packet contradicts, if its name is likely to be wrong."""
        says, reading = self.says(state), self.dialect.readings[state]
        if says is None:
            return ()
        if not isinstance(says, State) or says.mode != state.mode:
            of_mode = self._modes[state.mode]
            return ("mode",) if _are_few(of_mode.total() - of_mode[state.mode], of_mode) else ()
        assert isinstance(reading.state, State)  # noqa: S101 - for mypy: it says a state
        named = [name for name in NAMED if self._is_other(state, reading.state, says, name)]
        return (*named, *(("temperature",) if self._is_warmer(state, says) else ()))

    def confirms(self, state: State, differs: Sequence[str]) -> bool:
        """Return whether this protocol contradicts the state, too, or cannot read its packet."""
        if state not in self.dialect.readings:
            return True
        says = self.says(state)
        if "mode" in differs or not isinstance(says, State):
            return "mode" in differs and not (isinstance(says, State) and says.mode == state.mode)
        return any(value(says, name) != value(state, name) for name in differs)

    def packet(self, state: State, table: Mapping[State, bytes]) -> bytes | None:
        """Return a packet for a state, made from one that differs only in its temperature.

        None unless existing packets of such states are reproduced exactly.
        """
        same = [other for other in self._correct_states() if _is_beside(other, state)]
        if state.mode not in self.dialect.tempered or not same:
            return None
        for other in same[:_SAMPLE]:
            for made in same[:_SAMPLE]:
                if not self._is_reproduced(made, other, table):
                    return None
        return self._make_packet(state, same[0], table)

    def _correct_states(self) -> list[State]:
        return [
            state
            for state in self.dialect.readings
            if self.dialect.agrees(state) and not self.differs(state)
        ]

    def _make_packet(self, state: State, like: State, table: Mapping[State, bytes]) -> bytes | None:
        reading, row = self.dialect.readings[like], self.dialect.row
        if not isinstance(reading.state, State):
            return None
        mode = row.rule.modes[reading.state.mode]
        other = mode.message(replace(reading.state, temperature=state.temperature))
        this = mode.message(reading.state)
        signal = read(table[like]).signal
        message = messages.read_as(table[like], row.layout)
        if other is None or this is None or signal is None or message is None:
            return None
        message ^= other ^ this
        for check in row.rule.checks:
            message = check.compute(message, row.layout.frames)
        return messages.write(signal, message)

    def _is_reproduced(self, state: State, like: State, table: Mapping[State, bytes]) -> bool:
        """Return whether a packet made from another one has the reading of the file's packet."""
        packet = self._make_packet(state, like, table)
        made = None if packet is None else read_by(self.dialect.row, packet)
        reading = self.dialect.readings[state]
        return made is not None and (made.state, made.flips) == (reading.state, reading.flips)

    def _is_other(self, state: State, pressed: State, says: State, name: str) -> bool:
        """Return whether a packet's fan speed, swing or preset differs from that of its column."""
        own, other = value(state, name), value(says, name)
        if None in (own, other) or own == other or other not in self.dialect.words[name].values():
            return False
        column = self._columns[state.mode, name, own]
        [(usual, count)] = column.most_common(1)
        return value(pressed, name) != usual and _are_few(column.total() - count, column)

    def _is_warmer(self, state: State, says: State) -> bool:
        """Return whether the temperature of a packet differs; False if that is the rule for it."""
        own, other = state.temperature, says.temperature
        if state.mode not in self.dialect.tempered or None in (own, other) or own == other:
            return False
        warm = self._degrees[state.mode, own]
        if warm.total() > 1:
            return warm.total() - warm[own] <= max(1, _SAME_WARMTH * warm.total())
        all_degrees = [degrees for mode, degrees in self._degrees if mode == state.mode]
        known = [degrees for degrees in all_degrees if degrees is not None]
        return own not in (min(known), max(known))


def _are_few(wrong: int, total: Counter[Any]) -> bool:
    count = total.total()
    return count >= _FEWEST and wrong <= max(1, _WRONG * count)


def _is_beside(other: State, state: State) -> bool:
    return other != state and replace(other, temperature=state.temperature) == state


def _without_exceptions(dialect: Dialect, table: Mapping[State, bytes]) -> Dialect:
    """Return the dialect for the row without its exceptions for single temperatures.

    A row made from code files may contain their errors as exceptions.
    """
    row = dialect.row
    extras = [extra for extra in row.data.get("more", ()) if not _is_exception(extra)]
    if len(extras) == len(row.data.get("more", ())):
        return dialect
    row = replace(row, data={**row.data, "more": extras})
    readings: dict[State, KnownReading] = {
        state: reading
        for state in dialect.readings
        if (reading := read_by(row, table[state])) is not None
    }
    return Dialect.of(row, readings)


def _is_exception(extra: Mapping[str, Any]) -> bool:
    degrees = str(extra.get("temperature", "")).split()
    return 0 < len(degrees) <= _EXCEPTION_DEGREES
