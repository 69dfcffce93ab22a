"""Add rows to the existing table, which is not generated again."""

from collections.abc import Iterable, Sequence
import json
from typing import Final

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.known.row import Row
from custom_components.irhub.ircodes.known.table import KnownAirConditioners

from .export import place_of
from .merge import is_same

_STATES: Final = 100
"""Number of states of a new row that are read by the existing rows, evenly spread."""
_KNOWN: Final = 0.5
"""Share of its states above which an existing row already describes the remote control."""


def with_new(lines: Sequence[str], new_lines: Iterable[str]) -> list[str]:
    """Return the lines of a table and the new lines, without those whose states are known."""
    known = KnownAirConditioners(lines)
    added = []
    for line in new_lines:
        row = Row.from_data(json.loads(line))
        if (same := _row_of_same_states(known, row)) is None:
            added.append(line)
        else:
            print(f"{row.protocol}: not added, the table has it as {same.protocol}")
    return sorted([*lines, *added], key=lambda line: place_of(json.loads(line)))


def _row_of_same_states(known: KnownAirConditioners, new: Row) -> Row | None:
    """Return the row that reads most packets of a new row as the same states, if any."""
    states = sorted(new.rule.states, key=str)
    tested = states[:: max(1, len(states) // _STATES)]
    readings = [known.identify(new.rule.encode(state)) for state in tested]
    for row in known.rows:
        same = sum(
            any(
                reading.row is row
                and isinstance(reading.state, State)
                and is_same(reading.state, state)
                for reading in of_state
            )
            for state, of_state in zip(tested, readings, strict=True)
        )
        if same > _KNOWN * len(tested):
            return row
    return None
