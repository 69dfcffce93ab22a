"""The table of known air conditioners, searched by a press."""

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
"""Matches the layout in a line: the frames, and the kind of the rule's signal."""
_MAX_QUOTED: Final = 80
"""Characters of an invalid line quoted in an error."""


class KnownAirConditioners:
    """The known air conditioners, by the layout of their messages.

    Rows are parsed only when a press has their layout: parsing all of them takes longer.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        """Store the lines of a table, one row as JSON each. Raise ValueError for another line."""
        self._lines: dict[Layout, list[str]] = {}
        self._by_layout: dict[Layout, list[Row]] = {}
        for line in lines:
            self._lines.setdefault(_layout(line), []).append(line)

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the shipped table, loaded once. Call it in the executor."""
        return cls.load()

    @classmethod
    def load(cls, path: Path = TABLE) -> Self:
        """Return the table of a file. Takes some ms: call it in the executor."""
        return cls.from_lines(path.read_text(encoding="utf-8").splitlines())

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> Self:
        """Return the table of these lines, one row each."""
        return cls(lines)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """Return all rows."""
        return [row for layout in self._lines for row in self.of_layout(layout)]

    def of_layout(self, layout: Layout) -> Sequence[Row]:
        """Return the rows whose messages have this layout."""
        if (rows := self._by_layout.get(layout)) is None:
            rows = [Row.from_data(json.loads(line)) for line in self._lines.get(layout, ())]
            if rows:
                self._by_layout[layout] = rows
        return rows

    def identify(self, packet: bytes) -> list[KnownReading]:
        """Return the plausible readings of a press, the likeliest first.

        A reading covers all frames of the press, and all its checks are correct.
        """
        plausible = [*filter(is_certain, self.readings(packet))]
        explained = [reading for reading in plausible if not reading.unexplained]
        return sorted(explained or plausible, key=unlikeliness)

    def readings(self, packet: bytes) -> list[KnownReading]:
        """Return the readings of a press by all rows, including those with unexplained bits."""
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
    """Return the layout of a row without parsing it completely."""
    if (match := _LAYOUT.search(line)) is None:
        raise ValueError(f"a row without frames: {line[:_MAX_QUOTED]}")
    return Layout(kind=match["kind"], frames=tuple(map(int, match["frames"].split(","))))
