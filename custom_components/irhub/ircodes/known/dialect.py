"""Dialects: a known protocol with the names that a code file uses for its values.

The author of a code file chooses the names of fan speeds ("level1"), and sometimes swaps modes. The
packets of the states reveal which value of the protocol each name stands for. A press of the same
protocol can then be decoded to a state with the file's names, even if no packet of the file equals
it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final, Self

from ..packet.reader import Packet, read
from ..states import messages
from ..states.state import NAMED, OFF, Off, State, Value, agreed, value
from .row import KnownReading, Row
from .table import KnownAirConditioners

_MODE: Final = "mode"
_MIN_READ: Final = 0.5
"""Minimum share of the states in the file that the protocol can read."""
_MIN_AGREED: Final = 0.9
"""Minimum share of states that the protocol can read for which it agrees with the file."""
_MIN_STATES: Final = 2
"""Minimum number of different states of the protocol."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A protocol, applied to the states of one air conditioner."""

    row: Row
    readings: Mapping[State, KnownReading]
    """The reading of the packet of each state, if it is of the protocol."""
    file_values: Mapping[str, Mapping[Value, Value]]
    """Mode, or attribute → value in the protocol → value in the file."""
    temperature_modes: frozenset[str]
    """Modes of the file whose packets contain the temperature.

    For other modes a file may list temperatures that the remote control displays but does not send.
    """

    @classmethod
    def of(cls, row: Row, readings: Mapping[State, KnownReading]) -> Self:
        """Return the dialect for the readings of states."""
        file_values = {
            attribute: _file_values(attribute, readings) for attribute in (_MODE, *NAMED)
        }
        return cls(
            row=row,
            readings=readings,
            file_values=file_values,
            temperature_modes=_temperature_modes(readings),
        )

    def fits(self, total: int) -> bool:
        """Return whether the protocol reads most of all states and mostly agrees with them."""
        different = {reading.state for reading in self.readings.values()}
        if len(different) < _MIN_STATES or len(self.readings) < _MIN_READ * total:
            return False
        if not self.temperature_modes and any(
            state.temperature is not None for state in self.readings
        ):
            return False
        return self.agreeing >= _MIN_AGREED * len(self.readings)

    @cached_property
    def agreeing(self) -> int:
        """Return the number of packets whose mode and temperature agree with their states."""
        return sum(map(self.agrees, self.readings))

    @cached_property
    def explained(self) -> int:
        """Return the number of packets without unexplained bits."""
        return sum(not self.readings[state].unexplained for state in self.readings)

    def agrees(self, state: State) -> bool:
        """Return whether the packet of a state contains its mode and temperature."""
        decoded = self.translate(self.readings[state].state)
        return (
            isinstance(decoded, State)
            and decoded.mode == state.mode
            and _has_same_temperature(decoded, state)
        )

    def translate(self, state: State | Off) -> State | Off | None:
        """Return a state of the protocol with the names of the file.

        A value that no state of the file has keeps the protocol's name, or becomes None if the file
        uses that name for another value. Return None if that applies to the mode.
        """
        if isinstance(state, Off):
            return OFF
        mode = self._name_in_file(_MODE, state.mode)
        if not isinstance(mode, str):
            return None
        named: dict[str, Any] = {
            name: self._name_in_file(name, value(state, name)) for name in NAMED
        }
        is_new = mode not in self.file_values[_MODE].values()
        degrees = state.temperature if is_new or mode in self.temperature_modes else None
        return State(mode=mode, temperature=degrees, **named)

    def read(self, packet: bytes) -> Sequence[State | Off]:
        """Return the states whose packet is equal to a press, or else its translated state."""
        if (reading := self.reading(packet)) is None:
            return []
        if states := self._by_reading.get((reading.state, reading.flips)):
            return states
        translated = self.translate(reading.state)
        return [] if translated is None else [translated]

    def reading(self, packet: bytes) -> KnownReading | None:
        """Return the reading of a press; None if it is of another protocol.

        Unexplained bits that the file does not have are rejected: they may mean half a degree.
        """
        reading = read_by(self.row, packet)
        return None if reading is None or reading.unexplained & ~self._unexplained else reading

    @cached_property
    def _unexplained(self) -> int:
        """Return the unexplained bits of all packets of the file."""
        return reduce(or_, (reading.unexplained for reading in self.readings.values()), 0)

    @cached_property
    def _by_reading(self) -> Mapping[tuple[State | Off, int], list[State | Off]]:
        states: dict[tuple[State | Off, int], list[State | Off]] = {}
        for state, reading in self.readings.items():
            if self.agrees(state):
                states.setdefault((reading.state, reading.flips), []).append(state)
        return states

    def _name_in_file(self, attribute: str, protocol_value: Value | None) -> Value | None:
        file_values = self.file_values[attribute]
        if protocol_value is None or protocol_value in file_values:
            return None if protocol_value is None else file_values[protocol_value]
        return None if protocol_value in file_values.values() else protocol_value


class Dialects:
    """All protocols that an air conditioner may have; a press is decoded to what they agree on."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._dialects = dialects

    @classmethod
    def of(cls, table: Mapping[State, bytes], known: KnownAirConditioners) -> Self:
        """Return the dialects that fit most states of a table. Takes up to a second."""
        return cls(dialects_of(table, known))

    def __bool__(self) -> bool:
        """Return whether there are any dialects."""
        return bool(self._dialects)

    def read(self, packet: Packet) -> Sequence[State | Off]:
        """Return the states of a press, possibly one that the air conditioner does not have."""
        by_dialect = [states for dialect in self._dialects if (states := dialect.read(packet))]
        if not by_dialect or all(states == by_dialect[0] for states in by_dialect):
            return by_dialect[0] if by_dialect else []
        decoded = [state for states in by_dialect for state in states]
        on_states = [state for state in decoded if isinstance(state, State)]
        if len(on_states) < len(decoded) or len({state.mode for state in on_states}) > 1:
            return []
        return [agreed(on_states)]


def read_by(row: Row, packet: bytes) -> KnownReading | None:
    """Return the reading of a packet by a row; None if it is of another protocol."""
    signal, message = read(packet).signal, messages.read_as(packet, row.layout)
    return None if signal is None or message is None else row.read(message, signal)


def dialects_of(table: Mapping[State, bytes], known: KnownAirConditioners) -> list[Dialect]:
    """Return the dialects that fit most states of a table, the best first."""
    rows: dict[int, Row] = {}  # by id(): rows are not hashable
    readings_by_row: dict[int, dict[State, KnownReading]] = {}
    for state, packet in table.items():
        for reading in known.readings(packet):
            rows[id(reading.row)] = reading.row
            readings_by_row.setdefault(id(reading.row), {})[state] = reading
    dialects = [Dialect.of(rows[row_id], by_state) for row_id, by_state in readings_by_row.items()]
    fitting = [dialect for dialect in dialects if dialect.fits(len(table))]
    best = max((dialect.explained for dialect in fitting), default=0)
    likely = [dialect for dialect in fitting if dialect.explained >= _MIN_AGREED * best]
    return sorted(likely, key=lambda dialect: -dialect.agreeing)


def _file_values(attribute: str, readings: Mapping[State, KnownReading]) -> Mapping[Value, Value]:
    """Return value in the protocol → the name that nearly all states with it have in the file."""
    counts_by_value: dict[Value, Counter[Value]] = {}
    for state, reading in readings.items():
        if isinstance(reading.state, State):
            protocol_value, file_value = value(reading.state, attribute), value(state, attribute)
            if protocol_value is not None and file_value is not None:
                counts_by_value.setdefault(protocol_value, Counter())[file_value] += 1
    return {
        protocol_value: file_value
        for protocol_value, counts in counts_by_value.items()
        for file_value, count in counts.most_common(1)
        if count >= _MIN_AGREED * counts.total()
    }


def _temperature_modes(readings: Mapping[State, KnownReading]) -> frozenset[str]:
    """Return the modes in which nearly all packets contain the temperature."""
    agreements: dict[str, list[bool]] = {}
    for state, reading in readings.items():
        decoded = reading.state
        if isinstance(decoded, State) and None not in (decoded.temperature, state.temperature):
            agreements.setdefault(state.mode, []).append(decoded.temperature == state.temperature)
    return frozenset(
        mode for mode, agrees in agreements.items() if sum(agrees) >= _MIN_AGREED * len(agrees)
    )


def _has_same_temperature(decoded: State, state: State) -> bool:
    return (
        None in (decoded.temperature, state.temperature) or decoded.temperature == state.temperature
    )
