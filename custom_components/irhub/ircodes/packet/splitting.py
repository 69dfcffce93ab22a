"""Split a packet into frames, before their bits are read.

A frame is a leader (a long mark and the durations that belong to it), data, and a gap: a long space
after a mark that is not long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from .codings import FEWEST_BITS

LONG_MARK: Final = 85
"""Ticks (2.6 ms). Longer marks belong to leaders, as do marks of TIMES_DATA usual ones."""
TIMES_DATA: Final = 3.9
_FEW_LEADERS: Final = 8
"""At most one in this many marks is a leader's; if more marks are long, they encode a 1."""
_TIMES_ONE: Final = 1.5
"""In that case a leader's mark is this many times as long as a 1."""
LONG_SPACE: Final = 95
"""Ticks (2.9 ms). Longer spaces are not bits, unless usual ones are longer than USUAL_SPACE."""
USUAL_SPACE: Final = 40
"""Ticks (1.2 ms)."""
CUT_MARK: Final = 0.75
"""The first mark of a capture is cut off if it is shorter than this share of the usual mark."""
_LONG_TO_SHORT: Final = 3.2
"""Maximum ratio of long to short spaces of bits whose spaces are longer than USUAL_SPACE."""
_LONGEST_SPACE: Final = 255
"""Ticks (7.8 ms): longer spaces are never bits."""
_TIMES_BITS: Final = 1.2
"""The space right before a leader is a gap if it is this many times as long as those of bits."""
_TIMES_LEVELS: Final = 1.4
"""If the marks of bits differ by this factor at least, they encode the bits."""
_TIMES_MARKS: Final = 1.2
"""In that case a first mark that is this many times as long as all others belongs to the leader."""
_CUT_LEADER: Final = 400
"""Ticks (12 ms): a long space after the first mark belongs to a leader if it is shorter."""
BETWEEN_MESSAGES_US: Final = 36_000
"""Frames after a shorter pause belong to the same message: some air conditioners send three frames
35 ms apart. A longer pause is followed by repeats or by the next press.
"""


@dataclass(slots=True, eq=False)
class Part:
    """A frame before its bits are read. Durations in ticks, marks and spaces alternating."""

    leader: list[int]
    data: list[int]
    """From a mark to a mark; to a space if the next frame's leader follows without a gap."""
    gap: int
    """0 if there is none."""


def split(ticks: Sequence[int]) -> list[Part]:
    """Return the frames. A long space ends a frame unless a long mark precedes it."""
    marks = sorted(ticks[::2])
    usual, longest_usual = marks[len(marks) // 4], marks[-2 - len(marks) // _FEW_LEADERS :][0]
    long_mark = min(LONG_MARK, max(usual * TIMES_DATA, longest_usual * _TIMES_ONE))
    pairs = [*zip_longest(ticks[::2], ticks[1::2], fillvalue=0)]
    spaces = sorted([space for mark, space in pairs[: len(ticks) // 2] if mark < long_mark])
    short_space = spaces[len(spaces) // 4] if spaces else 0
    if ticks[0] < usual * CUT_MARK:
        ticks = [usual, *ticks[1:]]
        pairs[0] = (usual, pairs[0][1])
    long_space = (
        LONG_SPACE
        if short_space <= USUAL_SPACE
        else min(short_space * _LONG_TO_SHORT, _LONGEST_SPACE)
    )
    frames: list[Part] = []
    leader: list[int] = []
    data: list[int] = []
    split_until = 0
    ends = [
        index
        for index, (mark, space) in enumerate(pairs)
        if mark >= long_mark or not 0 < space < long_space
    ]
    for index in ends:
        data += ticks[split_until : 2 * index]
        split_until = 2 * index + 2
        mark, space = pairs[index]
        if mark >= long_mark:
            if len(data) >= 2 * FEWEST_BITS:
                gap = data.pop() if data[-1] > max(data[1:-1:2]) * _TIMES_BITS else 0
                frames.append(Part(leader, data, gap))
                leader = []
            else:  # too few for a frame: part of the leader
                leader += data
            data = []
        starts_leader = not data and (
            mark >= long_mark or (index == 0 and long_space < space < _CUT_LEADER)
        )
        if starts_leader and space:
            leader += [mark, space]
        elif mark >= long_mark and not data:  # the packet ends with it
            leader.append(mark)
        else:
            frames.append(Part(leader, [*data, mark], space))
            leader, data = [], []
    data += ticks[split_until:]
    if leader or data:
        frames.append(Part(leader, data[:-1], data[-1] if data else 0))
    return [_with_whole_leader(frame) for frame in frames]


def _with_whole_leader(frame: Part) -> Part:
    """Return a frame whose leader includes a second long mark, if it has one.

    Where marks encode the bits, the second mark may be little longer than that of a 1.
    """
    first, *others = frame.data[::2] or [0]
    if not frame.leader or len(others) < 2 * FEWEST_BITS:
        return frame
    encode_bits = max(others) >= min(others) * _TIMES_LEVELS
    if not encode_bits or first < max(others) * _TIMES_MARKS:
        return frame
    return Part([*frame.leader, *frame.data[:2]], frame.data[2:], frame.gap)
