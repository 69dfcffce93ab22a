"""Splitting: where the frames of a packet begin and end, before their bits are read.

A frame is a leader (a long mark, and what belongs to it), data, and a gap: a long space behind a
mark that is not long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from .codings import FEWEST_BITS

LONG_MARK: Final = 85
"""Ticks (2.6 ms). Longer marks are leaders', and those of TIMES_DATA usual ones."""
TIMES_DATA: Final = 3.9
_FEW_LEADERS: Final = 8
"""At most one of so many marks is a leader's: if more are long, a one is a long mark."""
_TIMES_ONE: Final = 1.5
"""Then a leader's is so many times as long."""
LONG_SPACE: Final = 95
"""Ticks (2.9 ms). Longer spaces are no bits', but where the usual ones are no shorter than
USUAL_SPACE."""
USUAL_SPACE: Final = 40
"""Ticks (1.2 ms)."""
CUT_MARK: Final = 0.75
"""The first mark of a capture is cut off if it is shorter than this part of the others."""
_LONG_TO_SHORT: Final = 3.2
"""The long space of bits that are not usual is no longer than so many short ones."""
_LONGEST_SPACE: Final = 255
"""Ticks (7.8 ms): longer ones are no bits', whatever the others are."""
_TIMES_BITS: Final = 1.33
"""The space right before a leader is a gap if it is so many times as long as those of bits."""
_CUT_LEADER: Final = 400
"""Ticks (12 ms): behind the first mark of a capture a shorter space is a leader's."""
BETWEEN_MESSAGES_US: Final = 36_000
"""What comes after a shorter pause belongs to the message: some air conditioners' have three
frames 35 ms apart. After a longer one come repeats, or the next press."""


@dataclass(slots=True, eq=False)
class Part:
    """A frame whose bits are not read yet. Durations in ticks, marks and spaces in turn."""

    leader: list[int]
    data: list[int]
    """From a mark to a mark; to a space if the next frame's leader follows at once."""
    gap: int
    """0 if there is none."""


def split(ticks: Sequence[int]) -> list[Part]:
    """Return the frames. A long space ends one where no long mark stands before it."""
    marks = sorted(ticks[::2])
    usual, wide = marks[len(marks) // 4], marks[-2 - len(marks) // _FEW_LEADERS :][0]
    long_mark = min(LONG_MARK, max(usual * TIMES_DATA, wide * _TIMES_ONE))
    pairs = [*zip_longest(ticks[::2], ticks[1::2], fillvalue=0)]
    spaces = sorted([space for mark, space in pairs[: len(ticks) // 2] if mark < long_mark])
    short = spaces[len(spaces) // 4] if spaces else 0
    if ticks[0] < usual * CUT_MARK:
        ticks = [usual, *ticks[1:]]
        pairs[0] = (usual, pairs[0][1])
    long_space = LONG_SPACE if short <= USUAL_SPACE else min(short * _LONG_TO_SHORT, _LONGEST_SPACE)
    frames: list[Part] = []
    leader: list[int] = []
    data: list[int] = []
    done = 0
    ends = [
        index
        for index, (mark, space) in enumerate(pairs)
        if mark >= long_mark or not 0 < space < long_space
    ]
    for index in ends:
        data += ticks[done : 2 * index]
        done = 2 * index + 2
        mark, space = pairs[index]
        if mark >= long_mark:
            if len(data) >= 2 * FEWEST_BITS:
                gap = data.pop() if data[-1] > max(data[1:-1:2]) * _TIMES_BITS else 0
                frames.append(Part(leader, data, gap))
                leader = []
            else:  # too few for a frame: of the leader
                leader += data
            data = []
        starts = not data and (
            mark >= long_mark or (index == 0 and long_space < space < _CUT_LEADER)
        )
        if starts and space:
            leader += [mark, space]
        elif mark >= long_mark and not data:  # the packet ends with it
            leader.append(mark)
        else:
            frames.append(Part(leader, [*data, mark], space))
            leader, data = [], []
    data += ticks[done:]
    if leader or data:
        frames.append(Part(leader, data[:-1], data[-1] if data else 0))
    return frames
