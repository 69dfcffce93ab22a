"""Find the checks of messages.

The search tries formulas: which unit is, in all messages, a sum over a range of units? In

    23 01 08 2c
    23 04 08 2f
    23 04 0c 33

the last byte is the sum of the bytes before it. Whether 23 is included cannot be decided and does
not matter: a unit that never changes only adds to the constant of the sum.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import accumulate, islice, product
from operator import or_, xor
from typing import Final

from ..states.checks import BYTE, FLIPPED, NIBBLE, Check, Kind, Unit, units

_LANE: Final = 16
"""Bits per message when the values of a unit in all messages are packed into one integer."""
_SIZES: Final[Mapping[Kind, int]] = {"sum": BYTE, "nibbles": NIBBLE, "ones": BYTE}
"""Bits of the units that are summed; of other kinds, those of the target."""
_FEW: Final = 4
"""Minimum number of values of a check: too many formulas fit fewer ones."""
POLYNOMIALS: Final = (0x07, 0x31, 0x1D, 0x9B, 0x2F, 0xD5, 0x39)
_ALTERNATIVES: Final = 6
_STRADDLING: Final = 2 * BYTE
"""Last bits of a frame in which a sum across two bytes is searched, if there is no other check."""
_MOST_NIBBLES: Final = 10
"""Maximum number of changing nibbles for which all subsets are tried as summands."""


type _Part = tuple[Unit, int]
"""A unit, and how far its value in each message is from that in the first one."""


def _pack(values: Sequence[int]) -> int:
    return sum(value << _LANE * index for index, value in enumerate(values))


class _Search:
    """Tries formulas for units, on messages with the same layout."""

    def __init__(self, messages: Sequence[int], frames: tuple[int, ...]) -> None:
        self.messages = messages
        self.frames = frames
        self.varied = reduce(or_, (message ^ messages[0] for message in messages), 0)
        self.ones = _pack([1] * len(messages))
        self._every_part: dict[tuple[Kind, bool, int, int], Sequence[_Part]] = {}

    def of(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield possible checks for a target; excluded bits are not part of them."""
        if not target.mask & self.varied:
            return
        if len({message & target.mask for message in self.messages}) < _FEW:
            return
        packed_target = self._packed_target(target)
        for kind, msb in _KINDS:
            if kind == "ones" and target.width == NIBBLE:
                continue
            parts = self._parts(target, excluded, kind, msb)
            totals = self._totals(parts, kind, target.width)
            hits = self._xors if kind == "xor" else self._sums
            for target_msb, target_values in packed_target:
                for first, last, negative in hits(totals, target_values, target.width):
                    start = parts[first][0].start
                    end = parts[last][0].end
                    yield self._settled(
                        Check(
                            kind=kind,
                            target=target,
                            start=start,
                            end=end,
                            msb=msb,
                            target_msb=target_msb,
                            negative=negative,
                            skip=excluded & ((1 << end) - (1 << start)),
                        )
                    )
        if target.width == BYTE:
            yield from self._crcs(target, excluded)

    def rare(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield possible checks of rare kinds, for a target without a usual one.

        Only units at the end of a frame are tried.
        """
        if (
            target.start + target.width not in accumulate(self.frames)
            or len({message & target.mask for message in self.messages}) < _FEW
        ):
            return
        if target.width == BYTE:
            yield from self._flipped(target, excluded)
        else:
            yield from self._some_nibbles(target, excluded)

    def counts_of_ones(self, frame: Unit, excluded: int) -> Iterator[Check]:
        """Yield the half bytes of a frame that count the ones in all its other bits."""
        for start in range(frame.start, frame.end - NIBBLE + 1, NIBBLE):
            target = Unit(start, NIBBLE)
            if len({message & target.mask for message in self.messages}) < _FEW:
                continue
            for target_msb, negative in product((False, True), repeat=2):
                yield from self._fitting(
                    Check(
                        kind="ones",
                        target=target,
                        start=frame.start,
                        end=frame.end,
                        msb=False,
                        target_msb=target_msb,
                        negative=negative,
                        skip=excluded & frame.mask,
                    )
                )

    def _settled(self, check: Check) -> Check:
        """Return the check with the constant of the first message; it must be the same in all."""
        return replace(check, constant=self._constant(check, self.messages[0]))

    def _fitting(self, check: Check) -> Iterator[Check]:
        """Yield the check with its constant, if all messages have the same."""
        constant = self._constant(check, self.messages[0])
        if all(self._constant(check, message) == constant for message in self.messages[1:]):
            yield replace(check, constant=constant)

    def _constant(self, check: Check, message: int) -> int:
        target = check.target.value(message, msb=check.target_msb)
        value = check.value(message, self.frames)
        if check.kind in FLIPPED:
            return target ^ value
        return (target - value) % (1 << check.target.width)

    def _relative(self, packed: int, mask: int) -> int:
        """Return the difference between each message's value and the first one's."""
        return packed + self.ones * (mask + 1 - (packed & mask)) & self.ones * mask

    def _packed_target(self, target: Unit) -> list[tuple[bool, int]]:
        """Return the values of a target in all messages, for both orders of bits."""
        return [
            (msb, _pack([target.value(message, msb=msb) for message in self.messages]))
            for msb in (False, True)
        ]

    def _parts(self, target: Unit, excluded: int, kind: Kind, msb: bool) -> list[_Part]:
        """Return the units that change outside a target and excluded bits."""
        width, key = target.width, (kind, msb, target.width, excluded)
        every_unit = units(self.frames, _SIZES.get(kind, width))
        if key not in self._every_part:
            self._every_part[key] = [*self._changing(every_unit, excluded, kind, msb, width)]
        beside = [
            unit for unit in every_unit if unit.start < target.end and target.start < unit.end
        ]
        return [
            *(part for part in self._every_part[key] if part[0].end <= target.start),
            *self._changing(beside, excluded | target.mask, kind, msb, width),
            *(part for part in self._every_part[key] if part[0].start >= target.end),
        ]

    def _changing(
        self, possible: Sequence[Unit], ignored: int, kind: Kind, msb: bool, width: int
    ) -> Iterator[_Part]:
        """Yield the units that change outside ignored bits, for a target of some width."""
        mask = (1 << width) - 1
        for unit in possible:
            if not unit.mask & self.varied & ~ignored:
                continue
            values = [unit.value(message & ~ignored, msb=msb) for message in self.messages]
            if kind == "ones":
                values = [value.bit_count() for value in values]
            if len({*values}) > 1:
                packed = _pack(values)
                if kind == "xor":
                    yield unit, packed ^ self.ones * (packed & mask)
                else:
                    yield unit, self._relative(packed & self.ones * mask, mask)

    def _totals(self, parts: list[_Part], kind: Kind, width: int) -> list[int]:
        """Return the totals of no part, the first part, the first two parts, and so on."""
        if kind == "xor":
            return [*accumulate((part for _, part in parts), xor, initial=0)]
        lanes = self.ones * ((1 << width) - 1)
        sums = (part for _, part in parts)
        return [*accumulate(sums, lambda total, part: total + part & lanes, initial=0)]

    def _sums(
        self, totals: list[int], target_values: int, width: int
    ) -> Iterator[tuple[int, int, bool]]:
        """Yield the first and the last part of each matching sum, and whether it is negative."""
        mask = (1 << width) - 1
        lanes, room = self.ones * mask, self.ones << width
        target_values = self._relative(target_values, mask)
        negated = room - target_values & lanes
        every = {*totals}
        for i, total in enumerate(totals):
            end, end_if_negative = total + target_values & lanes, total + negated & lanes
            if end not in every and end_if_negative not in every:
                continue
            for j in range(i + 1, len(totals)):
                if totals[j] in (end, end_if_negative):
                    yield i, j - 1, totals[j] != end

    def _xors(
        self, totals: list[int], target_values: int, width: int
    ) -> Iterator[tuple[int, int, bool]]:
        """Yield the first and the last part of each matching XOR; the sign is always False."""
        target_values ^= self.ones * (target_values & (1 << width) - 1)
        every = {*totals}
        for i, total in enumerate(totals):
            end = total ^ target_values
            if end in every:
                for j in range(i + 1, len(totals)):
                    if totals[j] == end:
                        yield i, j - 1, False

    def _crcs(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the CRCs of all bytes before the target.

        A CRC with initial value 0 is linear: if two messages have the same constant, the CRC of
        their difference has none. Most polynomials are thus rejected by a single computation.
        """
        first, *others = self.messages
        differences = [message ^ first for message in others]
        for polynomial, msb in product(POLYNOMIALS, (False, True)):
            check = Check(
                kind="crc",
                target=target,
                start=0,
                end=target.start,
                msb=msb,
                target_msb=False,
                polynomial=polynomial,
                skip=excluded,
            )
            left = {False, True}
            for difference in differences:
                value = check.value(difference, self.frames)
                left = {to_msb for to_msb in left if target.value(difference, msb=to_msb) == value}
                if not left:
                    break
            for target_msb in sorted(left):
                yield self._settled(replace(check, target_msb=target_msb))

    def _flipped(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the sums of the bytes before the target, from some byte on, XORed by a constant."""
        starts = [unit.start for unit in units(self.frames, BYTE) if unit.start < target.start]
        for start, msb, target_msb in product(starts, (False, True), (False, True)):
            yield from self._fitting(
                Check(
                    kind="flipped",
                    target=target,
                    start=start,
                    end=target.start,
                    msb=msb,
                    target_msb=target_msb,
                    skip=excluded & ((1 << target.start) - (1 << start)),
                )
            )

    def _some_nibbles(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the sums of a subset of nibbles, for example only the lower one of each byte."""
        mask = (1 << NIBBLE) - 1
        lanes, room = self.ones * mask, self.ones << NIBBLE
        fitting: list[Check] = []
        packed_target = self._packed_target(target)
        for msb in (False, True):
            parts = self._parts(target, excluded, "nibbles", msb)
            if len(parts) > _MOST_NIBBLES:
                continue
            totals = [0]  # by subset: bit n of the index includes part n
            for _, part in parts:
                totals += [total + part & lanes for total in totals]
            for target_msb, packed in packed_target:
                target_values = self._relative(packed, mask)
                for subset, total in enumerate(totals):
                    if total not in (target_values, room - target_values & lanes):
                        continue
                    counted = [unit for n, (unit, _) in enumerate(parts) if subset >> n & 1]
                    start, end = counted[0].start, counted[-1].start + NIBBLE
                    left_out = sum(unit.mask for unit, _ in parts if unit not in counted)
                    check = Check(
                        kind="nibbles",
                        target=target,
                        start=start,
                        end=end,
                        msb=msb,
                        target_msb=target_msb,
                        negative=total != target_values,
                        skip=(excluded | left_out) & ((1 << end) - (1 << start)),
                    )
                    fitting.append(self._settled(check))
        if len(fitting) <= _ALTERNATIVES:  # more fit by chance
            yield from fitting


_KINDS: Final[tuple[tuple[Kind, bool], ...]] = (
    ("sum", False),
    ("sum", True),
    ("nibbles", False),
    ("nibbles", True),
    ("ones", False),
    ("xor", False),
    ("xor", True),
)


def find_checks(messages: Iterable[int], frames: tuple[int, ...]) -> list[list[Check]]:
    """Return the checks of messages, each with all formulas that fit.

    They are in the order in which they are found: a later one does not depend on earlier ones.
    """
    return _find_checks(tuple(dict.fromkeys(messages)), frames)


@lru_cache(maxsize=4)  # called repeatedly for the messages of a press
def _find_checks(messages: tuple[int, ...], frames: tuple[int, ...]) -> list[list[Check]]:
    search = _Search(messages, frames)
    checks: list[list[Check]] = []
    taken = 0
    for width, step in ((8, 8), (8, 4), (4, 4)):
        starts = [unit.start for unit in units(frames, step)]
        # units at the end of frames whose length is not a multiple of the width
        ends = zip(frames, accumulate(frames), strict=True)
        starts += [end - width for length, end in ends if length >= width]
        for start in sorted({*starts}, reverse=True):
            target = Unit(start, width)
            if target.mask & taken or start + width > sum(frames):
                continue
            fitting = [*islice(search.of(target, taken), _ALTERNATIVES)]
            if fitting := fitting or [*islice(search.rare(target, taken), _ALTERNATIVES)]:
                checks.append(fitting)
                taken |= target.mask
    for length, end in zip(frames, accumulate(frames), strict=True):
        if Unit(end - length, length).mask & taken:
            continue
        for start in range(end - min(length, _STRADDLING), end - BYTE + 1):
            sums = (check for check in search.of(Unit(start, BYTE), taken) if check.kind == "sum")
            if fitting := [*islice(sums, _ALTERNATIVES)]:
                checks.append(fitting)
                taken |= fitting[0].target.mask
                break
        else:
            if fitting := [*islice(search.counts_of_ones(Unit(end - length, length), taken), 1)]:
                checks.append(fitting)
                taken |= fitting[0].target.mask
    return checks
