"""Clocks: find bytes of recorded packets that advanced while a remote control was recorded.

A file has its states in the order of the recording. A byte of minutes advances by a few between
some of them, unrelated to temperatures; the byte next to it advances when the minutes wrap around.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, starmap

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.states.checks import BYTE, Unit, units

FEWEST_CHANGES = 5
"""Minimum number of changes of a byte between states that differ only in temperature."""
MOST_CHANGES = 0.5
"""Maximum share of the columns in which a clock advances from one temperature to the next. A byte
that encodes the temperature changes in all of them."""
FORWARD = 0.85
"""Minimum share of the changes that are by a few minutes."""
STEP = 5
MOST_HOURS = 12

type _Change = tuple[State, State, int, int]
"""Two consecutive states, and the values of a byte in both."""
type _Step = tuple[str, float | None, float | None]
"""Mode and temperatures of two consecutive states."""


def clock_bits(states: Mapping[State, int], frames: tuple[int, ...]) -> int:
    """Return the bits of a clock in messages; 0 if there is none."""
    steps = Counter(starmap(_step, pairwise(states)))
    bytes_of = [unit for unit in units(frames, BYTE) if unit.width == BYTE]
    for number, unit in enumerate(bytes_of):
        for msb in (False, True):
            changes = _changes(states, unit, msb=msb)
            if not is_minutes(changes, steps):
                continue
            wrapped = {(before, after) for before, after, old, new in changes if new < old}
            neighbours = bytes_of[max(0, number - 1) : number] + bytes_of[number + 1 : number + 2]
            hours = (
                other.mask
                for other in neighbours
                if is_hours(_changes(states, other, msb=msb), changes, wrapped)
            )
            return unit.mask | sum(hours)
    return 0


def is_minutes(changes: Sequence[_Change], steps: Mapping[_Step | None, int]) -> bool:
    """Return whether a byte changes like minutes, in binary or decimal digits."""
    single_steps = [change for change in changes if _step(*change[:2])]
    forward = [change for change in single_steps if change[3] > change[2]]
    step_counts = Counter(_step(before, after) for before, after, _, _ in single_steps)
    repeated_steps = [step for step in step_counts if steps[step] > 1]
    return (
        len(single_steps) >= FEWEST_CHANGES
        and len({after.temperature for _, after, _, _ in single_steps}) >= FEWEST_CHANGES
        and len(forward) >= FORWARD * len(single_steps)
        and sum(0 < _minutes(new) - _minutes(old) <= STEP for *_, old, new in forward)
        >= FORWARD * len(forward)
        and sum(step_counts[step] for step in repeated_steps)
        <= MOST_CHANGES * sum(steps[step] for step in repeated_steps)
        and len(repeated_steps) > 1
    )


def is_hours(
    changes: Sequence[_Change],
    of_minutes: Sequence[_Change],
    wrapped: set[tuple[State, State]],
) -> bool:
    """Return whether a byte advances when the minutes wrap around."""
    places = {(before, after) for before, after, _, _ in of_minutes}
    return (
        0 < len(changes) <= MOST_HOURS
        and all((before, after) in places and new > old for before, after, old, new in changes)
        and any((before, after) in wrapped for before, after, _, _ in changes)
    )


def _changes(states: Mapping[State, int], unit: Unit, *, msb: bool) -> list[_Change]:
    def pairs() -> Iterator[_Change]:
        items = [(state, unit.value(message, msb=msb)) for state, message in states.items()]
        for (state, value), (after, new) in pairwise(items):
            if value != new:
                yield state, after, value, new

    return [*pairs()]


def _step(state: State, after: State) -> _Step | None:
    """Return mode and temperatures of two states that differ only in temperature, else None."""
    if replace(state, temperature=None) != replace(after, temperature=None):
        return None
    return state.mode, state.temperature, after.temperature


def _minutes(value: int) -> int:
    """Return the value of a byte as decimal digits; binary values give similar differences."""
    tens, ones = divmod(value, 16)
    return tens * 10 + ones
