"""How the checks of messages are found.

A check is found by trying: which unit is, in all messages, a sum over a range of units? Of

    23 01 08 2c
    23 04 08 2f
    23 04 0c 33

the last byte is the sum of the bytes before it. That 23 is one of them is no question: a unit that
never changes adds to the constant of the sum only, which is the same for all messages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import accumulate, islice, product
from operator import or_, xor
from typing import Final

from ..states.checks import BYTE, FLIPPED, NIBBLE, Check, Kind, Unit, units

_LANE: Final = 16
"""Bits per message where the values of a unit in all messages are packed into one integer."""
_FEW: Final = 4
"""Values that a check must have had: too many formulas fit fewer ones."""
POLYNOMIALS: Final = (0x07, 0x31, 0x1D, 0x9B, 0x2F, 0xD5, 0x39)
_ALTERNATIVES: Final = 6
_STRADDLING: Final = 2 * BYTE
"""The last bits of a frame, where a sum may lie across two bytes if no other check is in it."""
_MOST_NIBBLES: Final = 10
"""Nibbles that change, of which some may be added: so many are tried in all combinations."""


def _pack(values: Sequence[int]) -> int:
    return sum(value << _LANE * index for index, value in enumerate(values))


class _Search:
    """The formulas of units, tried on messages of one kind."""

    def __init__(self, messages: Sequence[int], frames: tuple[int, ...]) -> None:
        self.messages = messages
        self.frames = frames
        self.varied = reduce(or_, (message ^ messages[0] for message in messages), 0)
        self.ones = _pack([1] * len(messages))
        self._values: dict[tuple[int, int, int, bool, bool], int | None] = {}

    def of(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the checks that the target may be; what is excluded is no part of it."""
        if not target.mask & self.varied:
            return
        if len({message & target.mask for message in self.messages}) < _FEW:
            return
        packed_target = self._packed_target(target)
        for kind, msb in _KINDS:
            if kind == "ones" and target.width == NIBBLE:
                continue
            parts = self._parts(target.mask | excluded, kind, msb, target.width)
            totals = self._totals(parts, kind, target.width)
            hits = self._xors if kind == "xor" else self._sums
            for target_msb, target_values in packed_target:
                for first, last, negative in hits(totals, target_values, target.width):
                    start = parts[first][0].start
                    end = parts[last][0].start + parts[last][0].width
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
        """Yield the checks of few protocols that a target may be which is none of the usual ones.

        They are looked for at the end of a frame.
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

    def _settled(self, check: Check) -> Check:
        """Return the check with its constant, which is that of each message."""
        return replace(check, constant=self._constant(check, self.messages[0]))

    def _fitting(self, check: Check) -> Iterator[Check]:
        """Yield the check with its constant, if that is one for all messages."""
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
        """Return what each message's value is more than the first one's."""
        return packed + self.ones * (mask + 1 - (packed & mask)) & self.ones * mask

    def _packed_target(self, target: Unit) -> list[tuple[bool, int]]:
        """Return the values of a target in all messages, the lowest and the highest bit first."""
        return [
            (msb, _pack([target.value(message, msb=msb) for message in self.messages]))
            for msb in (False, True)
        ]

    def _parts(self, ignored: int, kind: Kind, msb: bool, width: int) -> list[tuple[Unit, int]]:
        """Return the units that change but for ignored bits, with their values in all messages."""
        size = {"sum": BYTE, "nibbles": NIBBLE, "ones": BYTE}.get(kind, width)
        changing = self.varied & ~ignored
        return [
            (unit, packed)
            for unit in units(self.frames, size)
            if unit.mask & changing
            and (packed := self._packed(unit, unit.mask & ignored, kind == "ones", msb)) is not None
        ]

    def _packed(self, unit: Unit, ignored: int, ones: bool, msb: bool) -> int | None:
        """Return the values of a unit in all messages; None if they are equal."""
        key = unit.start, unit.width, ignored, ones, msb
        if key not in self._values:
            values = [unit.value(message & ~ignored, msb=msb) for message in self.messages]
            if ones:
                values = [value.bit_count() for value in values]
            self._values[key] = _pack(values) if len(set(values)) > 1 else None
        return self._values[key]

    def _totals(self, parts: list[tuple[Unit, int]], kind: Kind, width: int) -> list[int]:
        """Return what none of the parts is together, the first, the first two, and so on."""
        mask = (1 << width) - 1
        if kind == "xor":
            return [
                *accumulate(
                    (packed ^ self.ones * (packed & mask) for _, packed in parts), xor, initial=0
                )
            ]
        lanes = self.ones * mask
        sums = (self._relative(packed & lanes, mask) for _, packed in parts)
        return [*accumulate(sums, lambda total, packed: total + packed & lanes, initial=0)]

    def _sums(
        self, totals: list[int], target_values: int, width: int
    ) -> Iterator[tuple[int, int, bool]]:
        """Yield the first and the last part of each sum, and whether it is negative."""
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
        """Yield the first and the last part of each sum by XOR, which has no sign."""
        target_values ^= self.ones * (target_values & (1 << width) - 1)
        every = {*totals}
        for i, total in enumerate(totals):
            end = total ^ target_values
            if end in every:
                for j in range(i + 1, len(totals)):
                    if totals[j] == end:
                        yield i, j - 1, False

    def _crcs(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the CRCs of all before the target.

        A CRC that begins with 0 is linear: if two messages have the same constant, what differs
        between them has none. So most polynomials are refused by one computation.
        """
        first, *others = self.messages
        differences = [message ^ first for message in others]
        flipped = [
            [target.value(difference, msb=target_msb) for difference in differences]
            for target_msb in (False, True)
        ]
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
            for number, difference in enumerate(differences):
                value = check.value(difference, self.frames)
                left = {target_msb for target_msb in left if flipped[target_msb][number] == value}
                if not left:
                    break
            for target_msb in sorted(left):
                yield self._settled(replace(check, target_msb=target_msb))

    def _flipped(self, target: Unit, excluded: int) -> Iterator[Check]:
        """Yield the sums of all before the target, from some byte on, with some bits flipped."""
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
        """Yield the sums of some of the nibbles: of each byte the lower or the higher one."""
        mask = (1 << NIBBLE) - 1
        lanes, room = self.ones * mask, self.ones << NIBBLE
        fitting: list[Check] = []
        packed_target = self._packed_target(target)
        for msb in (False, True):
            parts = self._parts(target.mask | excluded, "nibbles", msb, NIBBLE)
            if len(parts) > _MOST_NIBBLES:
                continue
            totals = [0]  # of those whose bits are 1 in the index
            for _, packed in parts:
                more = self._relative(packed & lanes, mask)
                totals += [total + more & lanes for total in totals]
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
        if len(fitting) <= _ALTERNATIVES:  # more are chance
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


@lru_cache(maxsize=4)  # one press may be explained in several ways
def find_checks(messages: tuple[int, ...], frames: tuple[int, ...]) -> list[list[Check]]:
    """Return the checks of messages, each with all formulas that fit.

    In the order in which they are found: a later one may be computed from none before it.
    """
    search = _Search(messages, frames)
    checks: list[list[Check]] = []
    taken = 0
    for width, step in ((8, 8), (8, 4), (4, 4)):
        starts = [unit.start for unit in units(frames, step)]
        # the last bits of a frame of a length that is no multiple of these
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
    return checks
