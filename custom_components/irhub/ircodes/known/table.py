"""The table of known air conditioners: which of them a press is of."""

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
import json
from pathlib import Path
import re
from typing import Final, Self

from ..packet.reader import read
from ..states import messages
from ..states.messages import Layout
from .narrowing import is_certain, unlikeliness
from .row import KnownReading, Row

TABLE: Final = Path(__file__).parent / "table.jsonl"
_LAYOUT: Final = re.compile(r'"frames":\[(?P<frames>[\d,]+)\].*?"kind":"(?P<kind>\w+)"')
"""Where a line has it: the frames of the row, and how the signal of its rule is written."""
_SHOWN: Final = 80
"""Characters of a line that is no row."""


class KnownAirConditioners:
    """Air conditioners whose protocol is known, found by the layout of their messages.

    Only the rows of a press's layout are parsed, when there is one: all of them take longer.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """Keep the lines of a table, a row each as JSON. Raise ValueError for any other line."""
        self._lines: dict[Layout, list[str]] = {}
        self._by_layout: dict[Layout, list[Row]] = {}
        for line in lines:
            self._lines.setdefault(_layout(line), []).append(line)

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
        return cls(lines)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """Return all rows."""
        return [row for layout in self._lines for row in self.of_layout(layout)]

    def of_layout(self, layout: Layout) -> Sequence[Row]:
        """Return the rows whose messages have a layout."""
        if (rows := self._by_layout.get(layout)) is None:
            rows = [Row.from_data(json.loads(line)) for line in self._lines.get(layout, ())]
            if rows:
                self._by_layout[layout] = rows
        return rows

    def identify(self, packet: bytes) -> list[KnownReading]:
        """Return what a press says, by each protocol that it may be of; the likeliest first.

        All frames are those of the protocol, and all checks are right.
        """
        certain = [*filter(is_certain, self.readings(packet))]
        explained = [reading for reading in certain if not reading.unexplained]
        return sorted(explained or certain, key=unlikeliness)

    def readings(self, packet: bytes) -> list[KnownReading]:
        """Return what a press says by each protocol, with bits that may be of another one."""
        press = read(packet)
        decoded = messages.read(press)
        if decoded is None or press.signal is None:
            return []
        if decoded[0] not in self._lines:
            decoded = messages.decode_whole(press.signal) or decoded
        layout, message = decoded
        readings = (row.read(message, press.signal) for row in self.of_layout(layout))
        return [reading for reading in readings if reading is not None]


def _layout(line: str) -> Layout:
    """Return the layout of a row, without parsing all of it."""
    if (found := _LAYOUT.search(line)) is None:
        raise ValueError(f"a row without frames: {line[:_SHOWN]}")
    return Layout(kind=found["kind"], frames=tuple(map(int, found["frames"].split(","))))
