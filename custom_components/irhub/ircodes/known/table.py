"""The table of known air conditioners: which of them a press is of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
import json
from pathlib import Path
from typing import Any, Final, Self

from ..packet.reader import read
from ..states import messages
from ..states.messages import Layout
from ..states.state import State
from .row import KnownReading, Row

TABLE: Final = Path(__file__).parent / "table.jsonl"
_CHECKED_BITS: Final = 8
"""Bits of checks from which on a press may have bits that nobody was seen to have."""
_UNEXPLAINED: Final = 4
"""Such bits, at most."""


class KnownAirConditioners:
    """Air conditioners whose protocol is known."""

    def __init__(self, rows: Iterable[tuple[Layout, Row]]) -> None:
        self._by_layout: dict[Layout, list[Row]] = {}
        for layout, row in rows:
            self._by_layout.setdefault(layout, []).append(row)

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the table that is shipped, loaded once. Call it in the executor."""
        return cls.load()

    @classmethod
    def load(cls, path: Path = TABLE) -> Self:
        """Return the table that is shipped. Takes some ms: call it in the executor."""
        return cls.from_lines(path.read_text(encoding="utf-8").splitlines())

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Self:
        """Return the table of lines, a row each."""
        return cls((_layout(data), Row.from_data(data)) for data in map(json.loads, lines))

    @cached_property
    def rows(self) -> Sequence[Row]:
        """Return all rows."""
        return [row for of_layout in self._by_layout.values() for row in of_layout]

    def identify(self, packet: bytes) -> list[KnownReading]:
        """Return what a press says, by each protocol that it may be of; the likeliest first.

        All frames are those of the protocol, and all checks are right.
        """
        press = read(packet)
        decoded = messages.read(press)
        if decoded is None or press.signal is None:
            return []
        layout, message = decoded
        readings = (row.read(message, press.signal) for row in self._by_layout.get(layout, ()))
        certain = [reading for reading in readings if reading is not None and is_certain(reading)]
        explained = [reading for reading in certain if not reading.unexplained]
        return sorted(explained or certain, key=_unlikeliness)


def is_certain(reading: KnownReading) -> bool:
    """Return whether a press has no bits that nobody was seen to have, or few and is checked."""
    if not reading.unexplained:
        return True
    checked = sum(check.target.width for check in reading.row.rule.checks)
    return checked >= _CHECKED_BITS and reading.unexplained.bit_count() <= _UNEXPLAINED


def narrow(readings: Sequence[KnownReading], others: Sequence[KnownReading]) -> list[KnownReading]:
    """Return the readings of a press that another press of the same remote control confirms.

    Both say a state by the same row. Bits that are no part of the state are the same, or those
    that one variant has in both modes; or else each mode keeps its own, if others have them, too.
    """
    both = [
        confirmed
        for reading in readings
        for other in others
        if other.row is reading.row and (confirmed := _confirmed(reading, other)) is not None
    ]
    return sorted(both, key=_unlikeliness)


def _confirmed(reading: KnownReading, other: KnownReading) -> KnownReading | None:
    if not isinstance(reading.state, State):
        reading, other = other, reading
    if not isinstance(reading.state, State):
        return None
    if not isinstance(other.state, State) or reading.flips == other.flips:
        return reading
    if any(variant in other.variants for variant in reading.variants):
        return reading
    if reading.unexplained or other.unexplained:
        return None
    if other.state.mode == reading.state.mode:
        return other
    return replace(reading, in_modes={other.state.mode: other.flips})


def _unlikeliness(reading: KnownReading) -> tuple[int, int, int, int]:
    return (
        reading.unexplained.bit_count(),
        len(reading.in_modes),
        0 if reading.variants or not reading.flips else 1,
        -len(reading.row.makers),
    )


def _layout(data: Mapping[str, Any]) -> Layout:
    return Layout(kind=data["rule"]["signal"]["kind"], frames=tuple(data["frames"]))
