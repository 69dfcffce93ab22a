"""The table of known air conditioners: which of them a press is of."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
import json
from pathlib import Path
from typing import Any, Final, Self

from ..packet.reader import read
from ..states import messages
from ..states.messages import Layout
from .narrowing import is_certain, unlikeliness
from .row import KnownReading, Row

TABLE: Final = Path(__file__).parent / "table.jsonl"


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
        if decoded[0] not in self._by_layout:
            decoded = messages.decode_whole(press.signal) or decoded
        layout, message = decoded
        readings = (row.read(message, press.signal) for row in self._by_layout.get(layout, ()))
        certain = [reading for reading in readings if reading is not None and is_certain(reading)]
        explained = [reading for reading in certain if not reading.unexplained]
        return sorted(explained or certain, key=unlikeliness)


def _layout(data: Mapping[str, Any]) -> Layout:
    return Layout(kind=data["rule"]["signal"]["kind"], frames=tuple(data["frames"]))
