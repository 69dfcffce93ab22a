"""Bits: what the frames of a packet say, and how they are written.

A packet is marks and spaces in turn. What a remote control sends is mostly bits: a mark and a
space each, one of the two long in a one and short in a zero. Bits come in frames:

    leader    marks and spaces that are no bits, most of them longer
    bits
    trailer   the mark behind the last bit, where it is the spaces that differ
    gap       the space behind it

Receivers lengthen marks and shorten spaces by up to 150 µs, begin late and end early: durations
are compared with each other, not with a table. Nothing is claimed that does not give back,
written, every frame that was heard.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from statistics import median
from typing import Final, Literal

from .packet import TICK_US, from_durations, to_ticks

type Bits = tuple[int, ...]
type Kind = Literal["pairs", "biphase", "steps"]
type Pair = tuple[int, int]

_NEXT_CLASS: Final = 1.33
"""Durations of different meaning differ by more; neighbours of those that mean the same, less."""
_WIDEST_CLASS: Final = 1.8
"""Durations that mean the same differ by less, first to last."""
_LONG_MARK: Final = 85
"""Ticks (2.6 ms). Longer marks are leaders', and those of _TIMES_DATA usual ones."""
_TIMES_DATA: Final = 3.9
_TIMES_ONE: Final = 2.6
"""A mark this much longer than the others is no bit's where all spaces are equal."""
_LONG_SPACE: Final = 95
"""Ticks (2.9 ms). Longer spaces are no bits', but where the shortest is longer than _USUAL."""
_USUAL: Final = 40
"""Ticks (1.2 ms)."""
_LONG_TO_SHORT: Final = 3.2
"""The long space of bits that are not usual is no longer than so many short ones."""
_CUT_LEADER: Final = 400
"""Ticks (12 ms): behind the first mark of a capture a shorter space is a leader's."""
_MARKS_DIFFER: Final = 2.0
_IS_ONE: Final = 1.7
"""Where all bits are equal, they are ones if their space is this much longer than the mark."""
_FEWEST_BITS: Final = 4
"""A packet with fewer says nothing."""
_BIPHASE: Final = (1.5, 2.7)
"""How many times as long two halves of a bit are than one, heard as marks or as spaces."""
_BIPHASE_ERROR: Final = 6
"""Ticks (180 µs) by which marks are longer than a half, and spaces shorter."""
_RC5_HALF: Final = range(24, 35)
"""Ticks (889 µs): RC-5 is known even where its bits change but once."""

type _Ticks = Sequence[int]
type _Said = tuple[int, Bits, int]
"""How many durations stand before the bits, the bits, how many stand behind."""
type _Reader = Callable[[_Ticks], _Said | None]


@dataclass(frozen=True, slots=True)
class Coding:
    """How bits are written. Durations in microseconds.

    kind: "pairs", a bit is a mark and a space, `one` or `zero` (pulse distance, pulse width);
    "biphase", a bit is two halves of `one[0]`, space and mark in a one, mark and space in a zero;
    "steps", no bits but numbers: the rank of each mark and space, in turn, among `marks` and
    `spaces`.
    """

    kind: Kind
    one: Pair = (0, 0)
    zero: Pair = (0, 0)
    marks: tuple[int, ...] = ()
    spaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands between two gaps. Durations in microseconds, marks and spaces in turn."""

    leader: tuple[int, ...]
    bits: Bits
    trailer: tuple[int, ...]
    gap: int
    """0 if the packet ends before."""


@dataclass(frozen=True)
class Signal:
    """The frames of a packet in the order in which they are transmitted, repeats among them."""

    type: int
    """The packet's first byte: infrared or radio."""
    coding: Coding
    frames: tuple[Frame, ...]

    @cached_property
    def distinct(self) -> tuple[Frame, ...]:
        """The frames that say what none before them says.

        That is without repeats, and without what is cut off: the first frame if it is the end of
        a later one, the last if it is the beginning of an earlier one.
        """
        return tuple({frame.bits: frame for frame in reversed(self._whole) if frame.bits}.values())[
            ::-1
        ]

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What the signal says: equal for each press of a button, whatever the durations."""
        return (self.coding.kind, *(frame.bits for frame in self.distinct))

    @property
    def _whole(self) -> Sequence[Frame]:
        frames = self.frames
        if len(frames) > 1 and _begins(frames[-1], frames[:-1]):
            frames = frames[:-1]
        if len(frames) > 1 and _ends(frames[0], frames[1:]):
            frames = frames[1:]
        return frames

    def with_bits(self, bits: Sequence[Bits]) -> Signal:
        """Return a signal that is written alike and says something else.

        `bits` are those of `distinct`, in their order: repeats follow. Raise ValueError if there
        are more or fewer frames.
        """
        said = [frame.bits for frame in self.distinct]
        other = dict(zip(said, map(tuple, bits), strict=True))
        frames = (replace(frame, bits=other.get(frame.bits, frame.bits)) for frame in self._whole)
        return replace(self, frames=tuple(frames))

    def packet(self) -> bytes:
        """Return it as a packet, its durations as the coding has them, without what is cut off."""
        durations: list[int] = []
        for frame in self._whole:
            durations += [*frame.leader, *_written(frame, self.coding), *frame.trailer]
            if frame.gap:
                durations.append(frame.gap)
        packet = from_durations(durations)
        return bytes([self.type]) + packet[1:]


type _Learned = tuple[Coding, _Reader]


@dataclass(slots=True)
class _Cut:
    """A frame whose bits are not read yet, in ticks."""

    leader: list[int]
    data: list[int]
    """From a mark to a mark."""
    gap: int


def read(packet: bytes) -> Signal | None:
    """Return what a packet says; None if its durations fall into no certain classes."""
    frames = _split(to_ticks(packet))
    telling = [frame for frame in frames if len(frame.data) > 2 * _FEWEST_BITS]
    if not telling:
        return None
    for learn in _biphase, _pairs, _distance, _steps:
        if (learned := learn(telling)) is None:
            continue
        coding, reader = learned
        said = [reader(frame.data) for frame in frames]
        if all(
            each is not None or frame not in telling
            for frame, each in zip(frames, said, strict=True)
        ):
            return Signal(packet[0], coding, tuple(map(_frame, frames, said, strict=True)))
    return None


def _frame(frame: _Cut, said: _Said | None) -> Frame:
    """Return a frame as it was read; what says nothing stands in its leader, as it was heard."""
    before, bits, trailer = said or (len(frame.data), (), 0)
    data = _us(frame.data)
    return Frame(
        leader=_us(frame.leader) + data[:before],
        bits=bits,
        trailer=data[len(data) - trailer :],
        gap=_us([frame.gap])[0],
    )


def _split(ticks: _Ticks) -> list[_Cut]:
    """Return the frames. A long space ends one where no long mark stands before it."""
    marks = sorted(ticks[::2])
    usual = marks[len(marks) // 4]
    long_mark = min(_LONG_MARK, usual * _TIMES_DATA)
    spaces = sorted(
        space for mark, space in zip(ticks[::2], ticks[1::2], strict=False) if mark < long_mark
    )
    short = spaces[len(spaces) // 4] if spaces else 0
    long_space = _LONG_SPACE if short <= _USUAL else short * _LONG_TO_SHORT
    frames: list[_Cut] = []
    leader: list[int] = []
    data: list[int] = []
    for index in range(0, len(ticks), 2):
        mark, space = ticks[index], ticks[index + 1] if index + 1 < len(ticks) else 0
        if data and mark >= long_mark:
            frames.append(_Cut(leader, data[:-1], data[-1]))
            leader, data = [], []
        starts = not data and (
            mark >= long_mark or (index == 0 and long_space < space < _CUT_LEADER)
        )
        if starts and space:
            leader += [mark, space]
        elif space and space < long_space and mark < long_mark:
            data += [mark, space]
        else:
            frames.append(_Cut(leader, [*data, mark], space))
            leader, data = [], []
    if leader or data:
        frames.append(_Cut(leader, data[:-1], data[-1] if data else 0))
    return frames


class _Classes:
    """Durations by what they mean: neighbours in one class, the shortest first."""

    def __init__(self, durations: Iterable[int]) -> None:
        self.middles: list[int] = []
        self.are_certain = True
        self._ends: list[int] = []
        one: list[int] = []
        for ticks in sorted(durations):
            if one and ticks > one[-1] * _NEXT_CLASS + 1:
                self._close(one)
                one = []
            one.append(ticks)
        self._close(one)

    def _close(self, one: list[int]) -> None:
        self.middles.append(one[len(one) // 2])
        self._ends.append(one[-1])
        self.are_certain &= one[-1] <= one[0] * _WIDEST_CLASS + 1

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.middles)

    def __getitem__(self, ticks: int) -> int:
        """Return the number of the class that a duration is of."""
        return min(bisect_left(self._ends, ticks), len(self._ends) - 1)


def _of(frames: Sequence[_Cut]) -> tuple[_Classes, _Classes]:
    """Return the classes of the marks, and of the spaces."""
    return (
        _Classes(ticks for frame in frames for ticks in frame.data[::2]),
        _Classes(ticks for frame in frames for ticks in frame.data[1::2]),
    )


def _pairs(frames: Sequence[_Cut]) -> _Learned | None:
    """Learn how to read bits each of which is a mark and a space."""
    marks, spaces = _of(frames)
    if not (marks.are_certain and spaces.are_certain):
        return None
    pairs = [
        [(marks[mark], spaces[space]) for mark, space in _in_pairs(each.data)] for each in frames
    ]
    later = {pair for frame in pairs for pair in frame[1:]}
    kinds = later.union(*pairs)
    leaders = kinds - later
    if len(kinds) <= 2 and not (  # noqa: PLR2004  (one and zero)
        len(spaces) == 1 and leaders and marks.middles[-1] > marks.middles[0] * _TIMES_ONE
    ):
        leaders = set()
    zero, one = min(kinds - leaders), max(kinds - leaders)
    if kinds - leaders - {zero, one}:
        return None
    is_by_mark = zero[0] != one[0]
    is_all_ones = zero == one and spaces.middles[zero[1]] > marks.middles[zero[0]] * _IS_ONE

    def read_bits(data: _Ticks) -> _Said | None:
        said = [(marks[mark], spaces[space]) for mark, space in _in_pairs(data)]
        before = int(bool(said) and said[0] in leaders)
        if not {*said[before:]} <= {zero, one}:
            return None
        bits = [int(pair == one and (zero != one or is_all_ones)) for pair in said[before:]]
        if not is_by_mark:
            return 2 * before, tuple(bits), 1
        return 2 * before, (*bits, int(marks[data[-1]] == one[0])), 0

    zero_us, one_us = (
        _pair_us(marks.middles[mark], spaces.middles[space]) for mark, space in (zero, one)
    )
    return Coding("pairs", one_us, zero_us), read_bits


def _distance(frames: Sequence[_Cut]) -> _Learned | None:
    """Learn how to read bits that differ in the space, although single durations are disturbed.

    Then a mark and its space together are as long as they should be.
    """
    middle = median(ticks for frame in frames for ticks in frame.data[::2])
    sums = _Classes(mark + space for frame in frames for mark, space in _in_pairs(frame.data))
    if len(sums) > 2 or not sums.are_certain:  # noqa: PLR2004  (one and zero)
        return None
    is_all_ones = len(sums) == 1 and sums.middles[0] > middle * (1 + _IS_ONE)

    def read_bits(data: _Ticks) -> _Said | None:
        if any(not middle / _MARKS_DIFFER <= mark <= middle * _MARKS_DIFFER for mark in data[::2]):
            return None
        bits = [sums[mark + space] or is_all_ones for mark, space in _in_pairs(data)]
        return 0, tuple(map(int, bits)), 1

    zero_us, one_us = (_pair_us(middle, sums.middles[index] - middle) for index in (0, -1))
    return Coding("pairs", one_us, zero_us), read_bits


def _steps(frames: Sequence[_Cut]) -> _Learned | None:
    """Learn how to read durations of several classes."""
    marks, spaces = _of(frames)
    if not (marks.are_certain and spaces.are_certain):
        return None

    def read_ranks(data: _Ticks) -> _Said:
        return 0, tuple((spaces if index % 2 else marks)[us] for index, us in enumerate(data)), 0

    return Coding("steps", marks=_us(marks.middles), spaces=_us(spaces.middles)), read_ranks


def _biphase(frames: Sequence[_Cut]) -> _Learned | None:  # noqa: C901  (five conditions)
    """Learn how to read bits of two halves each, one a mark and one a space."""
    marks, spaces = _of(frames)
    shortest, longest = _BIPHASE
    for each in marks, spaces:
        if len(each) > 2 or not each.are_certain:  # noqa: PLR2004  (one half, or two)
            return None
        if not (len(each) == 1 or shortest < each.middles[1] / each.middles[0] < longest):
            return None
    half = (marks.middles[0] + spaces.middles[0]) / 2
    if abs(marks.middles[0] - half) > _BIPHASE_ERROR:
        return None
    if min(len(marks), len(spaces)) == 1 and round(half) not in _RC5_HALF:
        return None

    us = _us([half])[0]
    for unseen in (1, 0):  # a frame that begins with a one begins with its space

        def read_bits(data: _Ticks, unseen: int = unseen) -> _Said | None:
            ranks = [(spaces if index % 2 else marks)[us] for index, us in enumerate(data)]
            bits = _of_halves([*[0] * unseen, *_halves(ranks)])
            return (0, bits, 0) if bits else None

        if all(read_bits(frame.data) for frame in frames):
            return Coding("biphase", (us, us), (us, us)), read_bits
    return None


def _halves(ranks: Sequence[int]) -> Iterator[int]:
    for index, rank in enumerate(ranks):
        yield from [1 - index % 2] * (1 + rank)


def _of_halves(halves: list[int]) -> Bits:
    """Return the bits; none if there is one whose halves are equal."""
    if len(halves) % 2:
        halves = [*halves, 0]
    pairs = [*zip(halves[::2], halves[1::2], strict=True)]
    return () if any(one == other for one, other in pairs) else tuple(one for _, one in pairs)


def _written(frame: Frame, coding: Coding) -> list[int]:
    """Return the durations of a frame's bits, marks and spaces in turn."""
    match coding.kind:
        case "steps":
            return [
                (coding.spaces if index % 2 else coding.marks)[rank]
                for index, rank in enumerate(frame.bits)
            ]
        case "biphase":
            halves = [half for bit in frame.bits for half in (1 - bit, bit)]
            runs = [(level, len([*run])) for level, run in groupby(halves)]
            runs = runs[runs[0][0] == 0 : len(runs) - (runs[-1][0] == 0)]
            return [count * coding.one[0] for _, count in runs]
        case "pairs":
            durations = [us for bit in frame.bits for us in (coding.one if bit else coding.zero)]
            return durations if frame.trailer else durations[:-1]


def _in_pairs(data: Sequence[int]) -> Iterator[Pair]:
    return zip(data[::2], data[1::2], strict=False)


def _pair_us(mark: float, space: float) -> Pair:
    return round(mark * TICK_US), round(space * TICK_US)


def _us(ticks: Iterable[float]) -> tuple[int, ...]:
    return tuple(round(each * TICK_US) for each in ticks)


def _begins(frame: Frame, others: Sequence[Frame]) -> bool:
    """Say if a frame is cut off: the beginning of another one."""
    count = len(frame.bits)
    return any(
        count < len(other.bits)
        and other.bits[:count] == frame.bits
        and bool(frame.leader) == bool(other.leader)
        for other in others
    )


def _ends(frame: Frame, others: Sequence[Frame]) -> bool:
    """Say if a frame is the end of another one."""
    count = len(frame.bits)
    return any(
        count < len(other.bits) and other.bits[len(other.bits) - count :] == frame.bits
        for other in others
    )
