"""Find code files of the same protocol as a press, if none contains it bit by bit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..files.index import FileIndex, Match
from .dialect import read_by
from .row import KnownReading, Row
from .table import KnownAirConditioners

_SAMPLE: Final = 8
"""Packets of a file that are tested first: most files are of another protocol."""
_SHARE: Final = 0.5
"""Minimum share of packets of the protocol, in the sample and in the whole file."""
_NAMES: Final = 3
"""Maximum number of names kept for one state in a file."""
_ROWS: Final = 3
"""Maximum number of candidate protocols that are searched for."""


@dataclass(frozen=True, kw_only=True)
class ProtocolMatch(Match):
    """A file with the protocol of the presses; `commands` are those with the same state."""

    protocol: str
    same: int
    """Number of its packets that are of the protocol."""
    compared: int
    """Total number of its packets."""


def files_of_protocol(
    index: FileIndex, presses: Sequence[bytes], known: KnownAirConditioners
) -> list[ProtocolMatch]:
    """Return the files with the protocol of all presses, those with most of the states first.

    Takes some seconds for hundreds of files.
    """
    first, *_ = by_press = [known.identify(press) for press in presses]
    rows = [
        reading.row
        for reading in first
        if all(any(other.row is reading.row for other in others) for others in by_press)
    ]
    matches: list[ProtocolMatch] = []
    for path in index.paths:
        commands = index.commands(path)
        row_matches = (_match(index, path, commands, row, by_press) for row in rows[:_ROWS])
        if found := [match for match in row_matches if match is not None]:
            matches.append(max(found, key=_quality))
    return sorted(matches, key=lambda match: (*(-part for part in _quality(match)), match.path))


def _match(
    index: FileIndex,
    path: str,
    commands: Sequence[tuple[str, bytes]],
    row: Row,
    by_press: Sequence[Sequence[KnownReading]],
) -> ProtocolMatch | None:
    sample = commands[:: len(commands) // _SAMPLE + 1]
    if not sample or len(_by_name(sample, row)) < _SHARE * len(sample):
        return None
    readings = _by_name(commands, row)
    if len(readings) < _SHARE * len(commands):
        return None
    pressed_states = [
        next(reading.state for reading in press if reading.row is row) for press in by_press
    ]
    manufacturer, models = index.maker_and_models(path)
    return ProtocolMatch(
        path=path,
        manufacturer=manufacturer,
        models=models,
        commands=[
            [name for name, reading in readings.items() if reading.state == state][:_NAMES]
            for state in pressed_states
        ],
        difference=1 - len(readings) / len(commands),
        protocol=row.protocol,
        same=len(readings),
        compared=len(commands),
    )


def _by_name(commands: Sequence[tuple[str, bytes]], row: Row) -> dict[str, KnownReading]:
    """Return the readings of the packets of the protocol, except those with unexplained bits."""
    readings = {name: read_by(row, packet) for name, packet in commands}
    return {
        name: reading
        for name, reading in readings.items()
        if reading is not None and not reading.unexplained
    }


def _quality(match: ProtocolMatch) -> tuple[int, float]:
    return sum(map(bool, match.commands)), -match.difference
