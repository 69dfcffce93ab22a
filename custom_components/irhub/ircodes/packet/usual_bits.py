"""Fast reader for the bits of packets in a usual coding, working on whole byte strings.

Searching a collection reads hundreds of thousands of packets. Nine out of ten have one class of
marks and two classes of spaces; they are read here without looking at each duration. Packets that
are not clear are left to the full reader.
"""

from bisect import bisect
from collections.abc import Sequence
from itertools import compress, pairwise
import re
from typing import Final

from .codings import (
    FEW_DISTURBED,
    FEWEST_BITS,
    NEXT_CLASS,
    RC5_HALF,
    WIDEST_CLASS,
    XMP,
    is_close,
    is_other_mark,
)
from .packet import HEADER, INFRARED, TICK_US
from .splitting import CUT_MARK, LONG_MARK, LONG_SPACE, TIMES_DATA, USUAL_SPACE

_TWO_BYTES: Final = re.compile(rb"\x00..", re.DOTALL)
_BITS: Final = re.compile(rb"[\0\1]+")
_SHORT_SPACES: Final = bytes(range(USUAL_SPACE + 1))
_GAP: Final = 2
"""Class of a pair: 0 zero, 1 one, 2 a usual mark and a gap, 4 and up a leader's mark."""


def _is_class(shortest: int, longest: int) -> bool:
    """Return whether durations from the shortest to the longest may all be the same one."""
    is_narrow = longest <= shortest * WIDEST_CLASS + 1
    return is_narrow and is_close(shortest * TICK_US, longest * TICK_US)


def _longest(shortest: int) -> int:
    """Return the longest one-byte duration that may be in a class with this shortest one."""
    return bisect(range(256), 0, shortest, key=lambda ticks: not _is_class(shortest, ticks)) - 1


# Lookup tables by duration in ticks: three function calls took a tenth of the time per code.
_LONGEST: Final = bytes(map(_longest, range(256)))
"""Longest duration of the class whose shortest this is."""
_NEXT: Final = bytes(min(255, int(ticks * NEXT_CLASS + 1)) for ticks in range(256))
"""Longest duration that may be the next one in the same class."""


def usual_bits(packet: bytes) -> Sequence[bytes] | None:
    """Return the bits of each distinct frame; None if the packet needs the full reader."""
    end = HEADER + int.from_bytes(packet[2:HEADER], "little")
    ticks = _TWO_BYTES.sub(b"\xff", packet[HEADER:end]).partition(b"\0")[0]
    if len(ticks) < 2 * FEWEST_BITS or packet[0] != INFRARED:
        return None
    marks, spaces = ticks[::2], ticks[1::2].ljust(len(ticks[::2]), b"\xff")
    lengths = sorted(set(marks))
    usual_mark = max(lengths, key=marks.count)
    if marks[0] < usual_mark * CUT_MARK:
        marks = bytes([usual_mark]) + marks[1:]
        lengths = sorted(set(marks))
    long_mark = min(LONG_MARK, int(usual_mark * TIMES_DATA))
    bit_marks = lengths[: bisect(lengths, long_mark - 1)]
    is_usual = (
        usual_mark < long_mark
        and (marks[0] >= long_mark or not is_other_mark(marks[0], usual_mark))  # else RC-MM
        and bit_marks[-1] <= _LONGEST[bit_marks[0]]
        and (bit_marks[-1] <= _NEXT[bit_marks[0]] or not _steps(bit_marks))
        and sum(map(marks.count, lengths[len(bit_marks) : bisect(lengths, LONG_MARK - 1)]))
        <= len(marks) // FEW_DISTURBED
        and len(spaces.translate(None, _SHORT_SPACES)) <= len(spaces) * 3 // 4
    )
    data = marks.translate(b"\1" * long_mark + bytes(256 - long_mark))
    bounds = _bounds(sorted(set(compress(spaces, data)))) if is_usual else None
    if bounds is None or usual_mark + bounds[0] > 2 * RC5_HALF.start:
        return None
    zero, gap = bounds
    mark_classes = bytes(long_mark) + b"\4" * (256 - long_mark)
    space_classes = bytes(zero + 1) + b"\1" * (gap - zero - 1) + b"\2" * (256 - gap)
    # adds the class of each mark to that of its space, for all pairs at once
    pairs = int.from_bytes(marks.translate(mark_classes)) + int.from_bytes(
        spaces.translate(space_classes)
    )
    bits = _BITS.findall(pairs.to_bytes(len(marks)))
    if not bits or pairs % 256 < _GAP or min(map(len, bits)) < FEWEST_BITS:
        return None
    if usual_mark in XMP.marks and {*map(len, bits)} == {XMP.count}:
        return None  # an XMP code may use only two of its sixteen spaces
    first, last = bits[0], bits[-1]
    frames = list(dict.fromkeys(bits))
    if any(
        (frame != last and frame.startswith(last)) or (frame != first and frame.endswith(first))
        for frame in frames
    ):
        return None  # it may be cut off
    return frames


def _bounds(spaces: Sequence[int]) -> tuple[int, int] | None:
    """Return the longest space of a zero and the shortest that is not a bit.

    `spaces` are the distinct lengths, sorted. None unless they form two classes and longer ones.
    """
    starts = _steps(spaces)
    if len(starts) <= 1:
        return None
    ones, gaps, *_ = starts
    zero, one, gap = spaces[ones - 1], spaces[gaps - 1], spaces[gaps]
    are_classes = zero <= _LONGEST[spaces[0]] and one <= _LONGEST[spaces[ones]]
    return (zero, gap) if are_classes and one < LONG_SPACE <= gap else None


def _steps(lengths: Sequence[int]) -> list[int]:
    """Return the indexes at which a new class begins in ascending lengths."""
    neighbours = enumerate(pairwise(lengths), 1)
    return [index for index, (shorter, longer) in neighbours if longer > _NEXT[shorter]]
