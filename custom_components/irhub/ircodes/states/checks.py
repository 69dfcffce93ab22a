"""Checks: bits of a message that are computed from other bits.

A message is an integer whose bit n is the n-th transmitted bit, over all frames. Bytes and nibbles
of a frame are counted from its first bit.
"""

from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import xor
from typing import Final, Literal

type Kind = Literal["sum", "flipped", "nibbles", "ones", "xor", "crc"]

BYTE: Final = 8
NIBBLE: Final = 4
FLIPPED: Final = ("flipped", "xor", "crc")
"""Kinds whose constant is XORed."""


@cache
def _reversed(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


@dataclass(frozen=True, slots=True)
class Unit:
    """Consecutive bits."""

    start: int
    width: int

    @property
    def end(self) -> int:
        """Return the first bit after it."""
        return self.start + self.width

    @property
    def mask(self) -> int:
        """Return the mask of the bits."""
        return ((1 << self.width) - 1) << self.start

    def value(self, message: int, *, msb: bool) -> int:
        """Return the value of the bits; `msb`: the first bit is the highest, else the lowest."""
        value = message >> self.start & (1 << self.width) - 1
        return _reversed(value, self.width) if msb else value


@cache
def units(frames: tuple[int, ...], width: int) -> tuple[Unit, ...]:
    """Return the bytes (8) or nibbles (4) of frames with these lengths; the last may be shorter."""
    every: list[Unit] = []
    start = 0
    for length in frames:
        every += [Unit(start + at, min(width, length - at)) for at in range(0, length, width)]
        start += length
    return tuple(every)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """A unit that is computed from others."""

    kind: Kind
    target: Unit
    start: int
    """First bit of the range; bits of the target itself are excluded."""
    end: int
    msb: bool
    """Whether the first bit of a unit in the range is its highest."""
    target_msb: bool
    negative: bool = False
    constant: int = 0
    """Added to the result, or XORed (xor, crc, flipped)."""
    polynomial: int = 0
    skip: int = 0
    """Bits in the range that are excluded."""

    def moved(self, bits: int) -> Check:
        """Return the same check of a message with so many bits before the first one."""
        return replace(
            self,
            target=Unit(self.target.start + bits, self.target.width),
            start=self.start + bits,
            end=self.end + bits,
            skip=self.skip << bits,
        )

    @property
    def _covers(self) -> int:
        return ((1 << self.end) - (1 << self.start)) & ~self.target.mask & ~self.skip

    def confirms(self, frames: tuple[int, ...]) -> int:
        """Return the bits that change the target if a single one of them changes."""
        covered = self._covers
        if self.kind == "sum" and self.target.width == NIBBLE:  # high nibbles have no effect
            lost = 0 if self.msb else NIBBLE
            halves = (unit.start + lost for unit in units(frames, BYTE) if unit.width == BYTE)
            covered &= ~sum(0xF << start for start in halves)
        return covered

    def compute(self, message: int, frames: tuple[int, ...]) -> int:
        """Return the message with the correct value of the target."""
        modulus = 1 << self.target.width
        value = self.value(message, frames)
        if self.kind in FLIPPED:
            value ^= self.constant
        else:
            value = (value + self.constant) % modulus
        if self.target_msb:
            value = _reversed(value, self.target.width)
        return message & ~self.target.mask | value << self.target.start

    def value(self, message: int, frames: tuple[int, ...]) -> int:
        """Return the value computed from the range, without the constant."""
        message &= self._covers
        if self.kind in ("sum", "flipped", "nibbles", "ones"):
            total = _sum(self.kind, message, frames, msb=self.msb)
            return (-total if self.negative else total) % (1 << self.target.width)
        if self.kind == "xor":
            return _xor(message, frames, self.target.width, msb=self.msb)
        return _crc(message, frames, self.target.start, self.polynomial, msb=self.msb)


def _sum(kind: Kind, message: int, frames: tuple[int, ...], *, msb: bool) -> int:
    if kind == "ones":
        return message.bit_count()
    width = NIBBLE if kind == "nibbles" else BYTE
    if (data := _whole_bytes(message, frames)) is not None:
        return sum(data.translate(_sums_in_byte(width, msb=msb)))
    return sum(unit.value(message, msb=msb) for unit in units(frames, width))


def _xor(message: int, frames: tuple[int, ...], width: int, *, msb: bool) -> int:
    if width not in (NIBBLE, BYTE) or (data := _whole_bytes(message, frames)) is None:
        return reduce(xor, (unit.value(message, msb=msb) for unit in units(frames, width)), 0)
    total = reduce(xor, data, 0)
    if width == NIBBLE:
        total = total >> NIBBLE ^ total & 0xF
    return _reversed(total, width) if msb else total


def _whole_bytes(message: int, frames: tuple[int, ...]) -> bytes | None:
    """Return the bytes of a message, first bit lowest; None if a frame ends within a byte."""
    if (count := _count_of_bytes(frames)) is None:
        return None
    return (message & (1 << BYTE * count) - 1).to_bytes(count, "little")


@cache
def _count_of_bytes(frames: tuple[int, ...]) -> int | None:
    return None if any(length % BYTE for length in frames) else sum(frames) // BYTE


@cache
def _sums_in_byte(width: int, *, msb: bool) -> bytes:
    """Return the sum of the units in each possible byte."""
    of_byte = units((BYTE,), width)
    return bytes(sum(unit.value(value, msb=msb) for unit in of_byte) for value in range(256))


@cache
def _crc_table(polynomial: int) -> tuple[int, ...]:
    table: list[int] = []
    for value in range(256):
        crc = value
        for _ in range(8):
            crc = (crc << 1 ^ (polynomial if crc & 0x80 else 0)) & 0xFF
        table.append(crc)
    return tuple(table)


def _crc(message: int, frames: tuple[int, ...], end: int, polynomial: int, *, msb: bool) -> int:
    """Return the CRC-8 of the bytes before `end`, with initial value 0."""
    table, crc = _crc_table(polynomial), 0
    if (data := _whole_bytes(message, frames)) is not None:
        for value in data[: -(-end // BYTE)].translate(_sums_in_byte(BYTE, msb=msb)):
            crc = table[crc ^ value]
        return crc
    for unit in units(frames, 8):
        if unit.start >= end:
            break
        crc = table[crc ^ unit.value(message, msb=msb)]
    return crc
