"""Codings: how bits are written as marks and spaces, inferred from received durations.

Receivers lengthen marks and shorten spaces by up to 150 µs, all durations are off by a few percent,
and single ones are disturbed. Durations are therefore compared with each other, not with a table.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from operator import add
from statistics import median
from typing import Final, Literal, NamedTuple

from .packet import TICK_US

type Bits = tuple[int, ...]
type Pair = tuple[int, int]
"""A mark and a space."""
type Ticks = Sequence[int]
"""Durations of a frame in ticks, marks and spaces alternating."""
type Decoded = tuple[int, Bits, int]
"""Number of durations before the bits, the bits, number of durations after them."""
type Reader = Callable[[Ticks], Decoded | None]

_TOLERANCE: Final = 0.25
_TOLERANCE_US: Final = 150
"""With `_TOLERANCE`: maximum difference of one duration between two receptions."""
NEXT_CLASS: Final = 1.33
"""Minimum ratio of two neighbouring durations that belong to different classes."""
WIDEST_CLASS: Final = 1.8
"""Maximum ratio of the longest to the shortest duration of a class."""
RC5_HALF: Final = range(24, 35)
"""Ticks (around 889 µs) of half an RC-5 bit: recognized even if the bits change only once."""
FEWEST_BITS: Final = 4
"""A frame with fewer bits does not reveal its coding."""
_LEADER_RATIO: Final = 2.6
"""If all spaces are equal, a mark this many times as long as the others is not a bit."""
_ONE_RATIO: Final = 1.7
"""If all bits are equal, they are 1 if the space is this many times as long as the mark."""
_MAX_SHORTER: Final = 4.5
_MAX_LONGER: Final = 2.0
"""With `_MAX_SHORTER`: maximum factor by which a disturbed mark is off in each direction."""
_DISTURBED: Final = 0.45
"""Maximum error of a disturbed bit, as a share of the difference between 1 and 0."""
_DISTURBED_FROM: Final = 0.55
"""Share of the above from which a bit counts as disturbed."""
FEW_DISTURBED: Final = 8
"""One in this many bits may be disturbed."""
_OTHER_MARK: Final = 1.5
"""Minimum ratio, either way, of a disturbed mark to a usual one."""
_OUTLIERS: Final = 20
"""One in this many durations is ignored at each end of the range as an outlier."""
_BIPHASE: Final = (1.5, 2.7)
"""Allowed ratio of a double to a single half bit, measured on marks or on spaces."""
_BIPHASE_ERROR: Final = 6
"""Ticks (180 µs) by which marks may be longer, and spaces shorter, than a half bit."""


@dataclass(frozen=True, kw_only=True)
class _SpaceProtocol:
    """A protocol with more than two symbols, each a short mark and one of many spaces.

    The spaces are too close for classes inferred from received durations, and a code may use only
    some of them. The sum of a mark and its space identifies the symbol.
    """

    kind: Literal["four spaces", "sixteen spaces"]
    symbols_us: Sequence[int]
    """Sum of the mark and the space of each symbol, in µs."""
    marks: range = range(1, 256)
    """Allowed length of a mark in ticks."""
    leader_us: int | None = None
    """Sum of the leader's mark and space in µs; None without a leader."""
    count: int | None = None
    """Number of symbols per frame, if the ranks are checked: their sum is 0 modulo the number of
    symbols.
    """

    def is_frame(self, ranks: Sequence[int]) -> bool:
        """Return whether these ranks form a valid frame; rank -1 stands for an unknown symbol."""
        is_whole = not self.count or not sum(ranks) % len(self.symbols_us)
        return is_whole and len(ranks) == (self.count or len(ranks)) and -1 not in ranks


_RCMM: Final = _SpaceProtocol(
    kind="four spaces", symbols_us=(445, 611, 778, 945), leader_us=417 + 278
)
XMP: Final = _SpaceProtocol(
    kind="sixteen spaces",
    symbols_us=range(970, 970 + 16 * 136, 136),
    marks=range(1, 13),  # 210 µs, plus the receiver's error
    count=8,
)
_SPACES_SCALES: Final = (1, 0.925)
"""Some programs use another tick length, which shortens all durations by this factor."""
_SPACES_OFF: Final = 0.45
"""Maximum error of a symbol, as a share of the step between two symbols."""


@dataclass(frozen=True, slots=True)
class Coding:
    """How bits are written. Durations in µs.

    `kind` is one of:

        pairs           a bit is a mark and a space, `one` or `zero` (pulse distance, pulse width)
        biphase         a bit is two halves of `one[0]` µs: space, mark for 1; mark, space for 0
        steps           no bits but the rank of each duration, alternately in `marks` and `spaces`;
                        the classes are those of one packet
        four spaces     likewise, with all classes of RC-MM
        sixteen spaces  likewise, with all classes of XMP
    """

    kind: Literal["pairs", "biphase", "steps", "four spaces", "sixteen spaces"]
    one: Pair = (0, 0)
    zero: Pair = (0, 0)
    marks: tuple[int, ...] = ()
    spaces: tuple[int, ...] = ()

    @property
    def has_bits(self) -> bool:
        """Return whether the decoded values are bits, not ranks of durations."""
        return self.kind in {"pairs", "biphase"}

    @property
    def durations(self) -> Sequence[int]:
        """Return all durations that this coding uses."""
        return self.one + self.zero + self.marks + self.spaces

    def durations_of(self, bits: Bits) -> list[int]:
        """Return the durations of the given bits, starting with the first mark."""
        match self.kind:
            case _ if not bits:
                return []
            case "pairs":
                return [us for bit in bits for us in (self.one if bit else self.zero)]
            case "biphase":
                halves = [half for bit in bits for half in (1 - bit, bit)]
                runs = [(half, len([*run])) for half, run in groupby(halves)]
                return [count * self.one[0] for half, count in runs[runs[0][0] == 0 :]]
            case _:
                lengths = (self.marks, self.spaces)
                return [lengths[index % 2][rank] for index, rank in enumerate(bits)]


class Learned(NamedTuple):
    """A possible coding of some frames."""

    coding: Coding
    read: Reader
    """Returns the bits of a frame."""
    is_exact: bool
    """Whether every duration it reads from these frames is within the tolerance of the coding's. If
    False, the caller must check.
    """


def learn(frames: Sequence[Ticks]) -> Iterator[Learned]:
    """Yield the possible codings of some frames, the likeliest first."""
    for protocol in (_RCMM, XMP):
        yield from _symbols(protocol, frames)
    marks = _Classes(frame[::2] for frame in frames)
    spaces = _Classes(frame[1::2] for frame in frames)
    are_certain = marks.are_certain and spaces.are_certain
    if are_certain:
        yield from _biphase(frames, marks, spaces)
        yield from _pairs(frames, marks, spaces)
    yield from _distance(frames)
    if are_certain:
        yield _steps(marks, spaces)


def is_near(first: float, second: float) -> bool:
    """Return whether two durations may have the same meaning."""
    return max(first, second) < min(first, second) * NEXT_CLASS


def is_close(first: float, second: float) -> bool:
    """Return whether two durations in µs may be the same one, received twice."""
    return abs(first - second) <= _TOLERANCE * max(first, second) + _TOLERANCE_US


def is_other_mark(mark: float, usual: float) -> bool:
    """Return whether a mark differs too much from the usual ones to be an undisturbed bit."""
    return not usual / _OTHER_MARK <= mark <= usual * _OTHER_MARK


def in_us(ticks: Iterable[float]) -> tuple[int, ...]:
    """Convert ticks to microseconds."""
    return tuple(round(duration * TICK_US) for duration in ticks)


class _Classes(dict[int, int]):
    """Duration → number of its class; class 0 has the shortest durations."""

    def __init__(self, durations: Iterable[Ticks]) -> None:
        super().__init__()
        self.middles: list[int] = []
        self.are_certain = True
        self._ends: list[tuple[int, int]] = []
        """Shortest and longest duration of each class."""
        counts = Counter(chain.from_iterable(durations))
        members: list[int] = []
        for ticks in sorted(counts):
            if members and ticks > members[-1] * NEXT_CLASS + 1:
                self._close(members, counts)
                members = []
            members.append(ticks)
        self._close(members, counts)

    def _close(self, members: list[int], counts: Counter[int]) -> None:
        self.update(dict.fromkeys(members, len(self.middles)))
        sums = [*accumulate(counts[ticks] for ticks in members)]
        self.middles.append(members[bisect(sums, sums[-1] // 2)])
        self._ends.append((members[0], members[-1]))
        self.are_certain &= members[-1] <= members[0] * WIDEST_CLASS + 1

    @property
    def are_close(self) -> bool:
        """Return whether every duration is within the tolerance of the middle of its class."""
        return all(
            is_close(end * TICK_US, middle * TICK_US)
            for middle, ends in zip(self.middles, self._ends, strict=True)
            for end in ends
        )

    def __missing__(self, ticks: int) -> int:
        """Return the class nearest to a duration."""
        return min(range(len(self.middles)), key=lambda index: abs(self.middles[index] - ticks))


def _pairs(frames: Sequence[Ticks], marks: _Classes, spaces: _Classes) -> Iterator[Learned]:
    """Yield the coding in which each bit is a mark and a space."""
    received = {pair for frame in frames for pair in _in_pairs(frame[2:])}
    later = {(marks[mark], spaces[space]) for mark, space in received}
    leaders: set[Pair] = set()
    for first in {(marks[frame[0]], spaces[frame[1]]) for frame in frames} - later:
        first_mark, total = marks.middles[first[0]], _length(first, marks, spaces)
        if len(later) == 1 and (
            len(spaces.middles) > 1 or first_mark < marks.middles[0] * _LEADER_RATIO
        ):
            later.add(first)  # the only bit that differs
        elif any(is_near(total, _length(pair, marks, spaces)) for pair in later):
            return  # a disturbed bit
        else:
            leaders.add(first)
    zero, one = min(later), max(later)
    if later - {zero, one}:
        return
    is_by_mark = zero[0] != one[0]
    is_all_ones = zero == one and spaces.middles[zero[1]] > marks.middles[zero[0]] * _ONE_RATIO

    def read_bits(data: Ticks) -> Decoded | None:
        pairs = [*_in_pairs(data)]
        classes_of = {pair: (marks[pair[0]], spaces[pair[1]]) for pair in {*pairs}}
        leader_size = int(bool(pairs) and classes_of[pairs[0]] in leaders)
        values = {
            pair: int(class_pair == one and (zero != one or is_all_ones))
            for pair, class_pair in classes_of.items()
            if class_pair in {zero, one}
        }
        try:
            bits = [values[pair] for pair in pairs[leader_size:]]
        except KeyError:
            return None
        if is_by_mark and len(data) % 2:
            return 2 * leader_size, (*bits, int(marks[data[-1]] == one[0])), 0
        return 2 * leader_size, tuple(bits), len(data) % 2

    zero_us, one_us = (
        _pair_us(marks.middles[mark], spaces.middles[space]) for mark, space in (zero, one)
    )
    is_exact = marks.are_close and spaces.are_close
    yield Learned(Coding("pairs", one_us, zero_us), read_bits, is_exact)


def _length(pair: Pair, marks: _Classes, spaces: _Classes) -> int:
    return marks.middles[pair[0]] + spaces.middles[pair[1]]


def _distance(frames: Sequence[Ticks]) -> Iterator[Learned]:
    """Yield the coding in which bits differ in their spaces, allowing for disturbed durations.

    The sum of a disturbed mark and its space is still correct.
    """
    marks = [*chain.from_iterable(frame[::2] for frame in frames)]
    usual_mark = median(marks)
    sums = sorted(
        chain.from_iterable(map(add, frame[::2], frame[1::2], strict=False) for frame in frames)
    )
    zero, one = _two_medians(sums)
    if zero <= usual_mark:
        return
    allowed = (one - zero) * _DISTURBED or zero * (NEXT_CLASS - 1)
    disturbed = sum(
        count
        for bit_length, count in Counter(sums).items()
        if min(abs(bit_length - zero), abs(bit_length - one)) > allowed * _DISTURBED_FROM
    )
    other_marks = sum(
        count for mark, count in Counter(marks).items() if is_other_mark(mark, usual_mark)
    )
    if max(disturbed, other_marks) > len(sums) // FEW_DISTURBED:
        return  # symbols of two bits (four spaces), or biphase

    def read_bits(data: Ticks) -> Decoded | None:
        if any(
            not usual_mark / _MAX_SHORTER < mark < usual_mark * _MAX_LONGER for mark in data[::2]
        ):
            return None
        bits: list[int] = []
        for mark, space in _in_pairs(data):
            bit = mark + space > (zero + one) / 2
            if abs(mark + space - (one if bit else zero)) > allowed:
                return None
            bits.append(int(bit or (one == zero > usual_mark * (1 + _ONE_RATIO))))
        return 0, tuple(bits), len(data) % 2

    zero_us, one_us = (_pair_us(usual_mark, ticks - usual_mark) for ticks in (zero, one))
    yield Learned(Coding("pairs", one_us, zero_us), read_bits, is_exact=False)


def _two_medians(durations: Ticks) -> tuple[int, int]:
    """Return the medians of the shorter and of the longer durations; one twice if all are alike.

    `durations` are sorted. A few outliers do not matter.
    """
    outliers = len(durations) // _OUTLIERS
    low, high = durations[outliers], durations[-1 - outliers]
    if high <= low * NEXT_CLASS + 1:
        return low, low
    for _ in range(3):
        middle = bisect(durations, (low + high) // 2)
        low, high = durations[middle // 2], durations[(middle + len(durations)) // 2]
    return low, high


def _steps(marks: _Classes, spaces: _Classes) -> Learned:
    """Return the coding that only ranks durations by class."""

    def read_ranks(data: Ticks) -> Decoded:
        if len(data) == 1:
            return 0, (), 1
        return 0, tuple((spaces if number % 2 else marks)[us] for number, us in enumerate(data)), 0

    coding = Coding("steps", marks=in_us(marks.middles), spaces=in_us(spaces.middles))
    return Learned(coding, read_ranks, marks.are_close and spaces.are_close)


def _rank(ticks: int, symbols: Sequence[float], allowed: float) -> int:
    """Return the rank of the symbol whose length is nearest; -1 if none is within `allowed`."""
    deviations = [abs(ticks - symbol) for symbol in symbols]
    return deviations.index(min(deviations)) if min(deviations) <= allowed else -1


def _symbols(protocol: _SpaceProtocol, frames: Sequence[Ticks]) -> Iterator[Learned]:
    """Yield the coding of a protocol with many spaces if all frames match it."""
    if protocol.count and any(len(frame) != 2 * protocol.count + 1 for frame in frames):
        return
    leader_size = 0 if protocol.leader_us is None else 2
    if leader_size and any(frame[0] <= max(frame[leader_size::2]) for frame in frames):
        return  # the first mark is no leader's
    mark = median(chain.from_iterable(frame[leader_size::2] for frame in frames))
    if not protocol.marks.start <= mark < protocol.marks.stop:
        return
    for scale in _SPACES_SCALES:
        symbols = [us / TICK_US * scale for us in protocol.symbols_us]
        allowed = (symbols[1] - symbols[0]) * _SPACES_OFF
        leader = (protocol.leader_us or 0) / TICK_US * scale

        def read_ranks(
            data: Ticks,
            symbols: Sequence[float] = symbols,
            allowed: float = allowed,
            leader: float = leader,
        ) -> Decoded | None:
            if leader_size and not (
                is_other_mark(data[0], mark) and is_near(sum(data[:2]), leader)
            ):
                return None
            if any(is_other_mark(received, mark) for received in data[leader_size::2]):
                return None
            ranks = [_rank(sum(pair), symbols, allowed) for pair in _in_pairs(data[leader_size:])]
            if not protocol.is_frame(ranks):
                return None
            return leader_size, (0, *chain.from_iterable((rank, 0) for rank in ranks)), 0

        if all(map(read_ranks, frames)):
            spaces = in_us(symbol - mark for symbol in symbols)
            coding = Coding(protocol.kind, marks=in_us([mark]), spaces=spaces)
            yield Learned(coding, read_ranks, is_exact=False)
            return


def _biphase(frames: Sequence[Ticks], marks: _Classes, spaces: _Classes) -> Iterator[Learned]:
    """Yield the codings in which each bit is two halves, a mark and a space."""
    shortest, longest = _BIPHASE
    for classes in marks, spaces:
        if len(classes.middles) > 2:  # noqa: PLR2004  (one half, or two)
            return
        if not (
            len(classes.middles) == 1
            or shortest < classes.middles[1] / classes.middles[0] < longest
        ):
            return
    half = (marks.middles[0] + spaces.middles[0]) / 2
    if abs(marks.middles[0] - half) > _BIPHASE_ERROR:
        return
    if min(len(marks.middles), len(spaces.middles)) == 1 and round(half) not in RC5_HALF:
        return

    us = round(half * TICK_US)
    for unseen_halves in (1, 0):  # a frame that begins with a one begins with its space

        def read_bits(data: Ticks, unseen_halves: int = unseen_halves) -> Decoded | None:
            ranks = [(spaces if index % 2 else marks)[us] for index, us in enumerate(data)]
            bits = _bits_of_halves([*[0] * unseen_halves, *_halves(ranks)])
            return (0, bits, 0) if bits else None

        if all(read_bits(frame) for frame in frames):
            yield Learned(Coding("biphase", (us, us), (us, us)), read_bits, is_exact=False)
    return


def _halves(ranks: Sequence[int]) -> Iterator[int]:
    for index, rank in enumerate(ranks):
        yield from [1 - index % 2] * (1 + rank)


def _bits_of_halves(halves: list[int]) -> Bits:
    """Return the bits; empty if the two halves of any bit are equal."""
    if len(halves) % 2:
        halves = [*halves, 0]
    pairs = [*zip(halves[::2], halves[1::2], strict=True)]
    return (
        () if any(first == other for first, other in pairs) else tuple(first for _, first in pairs)
    )


def _in_pairs(data: Ticks) -> Iterator[Pair]:
    return zip(data[::2], data[1::2], strict=False)


def _pair_us(mark: float, space: float) -> Pair:
    return round(mark * TICK_US), round(space * TICK_US)
