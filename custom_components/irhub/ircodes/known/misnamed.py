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
_WRONG_TEMPERATURE: Final = 0.25
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

    decoded: State | Off
    """The decoded state, with the names of the file."""
    contradicted: Sequence[str]
    """The attributes of the state that differ in the packet, or "mode"."""
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
            state: Misnamed(
                decoded=decoded, contradicted=contradicted, packet=first.packet(state, table)
            )
            for state in first.dialect.readings
            if (contradicted := first.contradicted(state))
            and (decoded := first.decoded(state)) is not None
            and all(check.also_contradicts(state, contradicted) for check in others)
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
            decoded = self.decoded(state)
            mode = decoded.mode if isinstance(decoded, State) else ""
            self._modes.setdefault(state.mode, Counter())[mode] += 1
            if isinstance(reading.state, State) and mode == state.mode:
                for name in NAMED:
                    column = self._columns.setdefault((mode, name, value(state, name)), Counter())
                    column[value(reading.state, name)] += 1
                degrees_counts = self._degrees.setdefault((mode, state.temperature), Counter())
                degrees_counts[reading.state.temperature] += 1

    def decoded(self, state: State) -> State | Off | None:
        """Return the decoded state of a state's packet, with the names of the file."""
        return self.dialect.translate(self.dialect.readings[state].state)

    def contradicted(self, state: State) -> Sequence[str]:
        """Return the attributes that the packet contradicts, if its name is likely to be wrong."""
        decoded, reading = self.decoded(state), self.dialect.readings[state]
        if decoded is None:
            return ()
        if not isinstance(decoded, State) or decoded.mode != state.mode:
            counts = self._modes[state.mode]
            return ("mode",) if _is_minority(counts.total() - counts[state.mode], counts) else ()
        assert isinstance(reading.state, State)  # noqa: S101 - for mypy: not "off"
        contradicted = [
            name for name in NAMED if self._contradicts_column(state, reading.state, decoded, name)
        ]
        if self._contradicts_temperature(state, decoded):
            contradicted.append("temperature")
        return contradicted

    def also_contradicts(self, state: State, contradicted: Sequence[str]) -> bool:
        """Return whether this protocol contradicts the state, too, or cannot read its packet."""
        if state not in self.dialect.readings:
            return True
        decoded = self.decoded(state)
        has_mode = isinstance(decoded, State) and decoded.mode == state.mode
        if "mode" in contradicted or not isinstance(decoded, State):
            return "mode" in contradicted and not has_mode
        return any(value(decoded, name) != value(state, name) for name in contradicted)

    def packet(self, state: State, table: Mapping[State, bytes]) -> bytes | None:
        """Return a packet for a state, made from one that differs only in its temperature.

        None unless existing packets of such states are reproduced exactly.
        """
        templates = [
            correct for correct in self._correct_states() if _differs_in_temperature(correct, state)
        ]
        if state.mode not in self.dialect.temperature_modes or not templates:
            return None
        for template in templates[:_SAMPLE]:
            for existing in templates[:_SAMPLE]:
                if not self._is_reproduced(existing, template, table):
                    return None
        return self._make_packet(state, templates[0], table)

    def _correct_states(self) -> list[State]:
        return [
            state
            for state in self.dialect.readings
            if self.dialect.agrees(state) and not self.contradicted(state)
        ]

    def _make_packet(
        self, state: State, template: State, table: Mapping[State, bytes]
    ) -> bytes | None:
        """Return the packet of `template` with the temperature of `state`, and correct checks."""
        reading, row = self.dialect.readings[template], self.dialect.row
        if not isinstance(reading.state, State):
            return None
        mode = row.rule.modes[reading.state.mode]
        new_bits = mode.message(replace(reading.state, temperature=state.temperature))
        old_bits = mode.message(reading.state)
        signal = read(table[template]).signal
        message = messages.read_as(table[template], row.layout)
        if new_bits is None or old_bits is None or signal is None or message is None:
            return None
        message ^= new_bits ^ old_bits
        for check in row.rule.checks:
            message = check.compute(message, row.layout.frames)
        return messages.write(signal, message)

    def _is_reproduced(self, state: State, template: State, table: Mapping[State, bytes]) -> bool:
        """Return whether a packet made from another one has the reading of the file's packet."""
        packet = self._make_packet(state, template, table)
        rebuilt = None if packet is None else read_by(self.dialect.row, packet)
        reading = self.dialect.readings[state]
        return rebuilt is not None and (rebuilt.state, rebuilt.flips) == (
            reading.state,
            reading.flips,
        )

    def _contradicts_column(self, state: State, pressed: State, decoded: State, name: str) -> bool:
        """Return whether a packet's fan speed, swing or preset differs from that of its column."""
        named, encoded = value(state, name), value(decoded, name)
        if None in (named, encoded) or named == encoded:
            return False
        if encoded not in self.dialect.file_values[name].values():
            return False
        column = self._columns[state.mode, name, named]
        [(usual, count)] = column.most_common(1)
        return value(pressed, name) != usual and _is_minority(column.total() - count, column)

    def _contradicts_temperature(self, state: State, decoded: State) -> bool:
        """Return whether a packet's temperature differs from the state's, by mistake.

        False if more than a few packets of this temperature differ, or if there is only one and it
        is at an end of the range.
        """
        named, encoded = state.temperature, decoded.temperature
        if state.mode not in self.dialect.temperature_modes:
            return False
        if None in (named, encoded) or named == encoded:
            return False
        counts = self._degrees[state.mode, named]
        if counts.total() > 1:
            return counts.total() - counts[named] <= max(1, _WRONG_TEMPERATURE * counts.total())
        all_degrees = [degrees for mode, degrees in self._degrees if mode == state.mode]
        known = [degrees for degrees in all_degrees if degrees is not None]
        return named not in (min(known), max(known))


def _is_minority(wrong: int, counts: Counter[Any]) -> bool:
    """Return whether so few of these states are wrong that it may be by mistake."""
    count = counts.total()
    return count >= _FEWEST and wrong <= max(1, _WRONG * count)


def _differs_in_temperature(other: State, state: State) -> bool:
    """Return whether two states differ in nothing but their temperature."""
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
