"""RC-5 and RC-6: biphase codes with a toggle bit.

The bit flips with each press, so that a device tells a button held from one pressed again: who
sends the same packet twice presses once. All durations are multiples of a unit.

    RC-5   unit 889 µs; 14 bits, each two units, 1 is space and mark:
           1, not C6, toggle, A4-A0, C5-C0; the space of the first bit is not seen
    RC-6   unit 444 µs; mark of 6, space of 2; then bits, each two units, 1 is mark and space:
           1, three of the mode (0), toggle (four units), A7-A0, C7-C0
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from .reasons import RefusedError

_RC5_UNIT_US: Final = 889
_RC6_UNIT_US: Final = 444
_RC6_LEADER: Final = (1,) * 6 + (0,) * 2
_RC6_MODE_0: Final = (1, 0, 0, 0)
"""The start bit and the mode."""
_RC5_HALVES: Final = 28
_RC6_HALVES: Final = 52
"""Units in a frame, those of the leader included."""
_LONGEST: Final = 7
"""Units of one level, at most: the leader of RC-6 has 6."""
_TOLERANCE: Final = 0.4
"""Of a unit: receivers lengthen marks, and shorten spaces, by 100 to 150 µs."""


@dataclass(frozen=True, kw_only=True)
class Biphase:
    """What one frame says. Addresses have 5 bits (RC-5) or 8, commands 7 or 8."""

    protocol: Literal["RC-5", "RC-6"]
    address: int
    command: int
    toggle: int

    def __post_init__(self) -> None:
        """Raise ValueError for what the protocol has no bits for."""
        address, command = (0x1F, 0x7F) if self.protocol == "RC-5" else (0xFF, 0xFF)
        if not (0 <= self.address <= address and 0 <= self.command <= command):
            raise RefusedError(
                "address",
                address=self.address,
                command=self.command,
                highest_address=address,
                highest_command=command,
                protocol=self.protocol,
            )

    def timings(self) -> list[int]:
        """Return one frame in microseconds: marks positive, spaces negative."""
        if self.protocol == "RC-5":
            bits: tuple[int, ...] = (1, 1 - (self.command >> 6), self.toggle)
            bits += (*_bits(self.address, 5), *_bits(self.command & 0x3F, 6))
            unit, halves = _RC5_UNIT_US, [half for bit in bits for half in (1 - bit, bit)]
        else:
            bits = (*_bits(self.address, 8), *_bits(self.command, 8))
            halves = [*_RC6_LEADER]
            halves += [half for bit in _RC6_MODE_0 for half in (bit, 1 - bit)]
            halves += [self.toggle] * 2 + [1 - self.toggle] * 2
            halves += [half for bit in bits for half in (bit, 1 - bit)]
            unit = _RC6_UNIT_US
        runs = [(level, len(list(run)) * unit) for level, run in groupby(halves)]
        signed = [duration if level else -duration for level, duration in runs]
        return signed[signed[0] < 0 : len(signed) - (signed[-1] < 0)]


def read(frame: Sequence[int]) -> Biphase | None:
    """Return what a frame says, its durations signed microseconds; None if it is no such code."""
    return _read_rc5(frame) or _read_rc6(frame)


def _read_rc5(frame: Sequence[int]) -> Biphase | None:
    halves = [0, *_halves(frame, _RC5_UNIT_US)]
    bits = _decode(halves, _RC5_HALVES, one=(0, 1))
    if bits is None or not bits[0]:
        return None
    return Biphase(
        protocol="RC-5",
        address=_number(bits[3:8]),
        command=_number(bits[8:]) | (1 - bits[1]) << 6,
        toggle=bits[2],
    )


def _read_rc6(frame: Sequence[int]) -> Biphase | None:
    halves = list(_halves(frame, _RC6_UNIT_US))
    if tuple(halves[:8]) != _RC6_LEADER or len(halves) < _RC6_HALVES - 1:
        return None
    toggle = halves[16]
    if halves[16:20] != [toggle, toggle, 1 - toggle, 1 - toggle]:
        return None
    bits = _decode(halves[8:16] + halves[20:], _RC6_HALVES - 12, one=(1, 0))
    if bits is None or tuple(bits[:4]) != _RC6_MODE_0:
        return None
    return Biphase(
        protocol="RC-6", address=_number(bits[4:12]), command=_number(bits[12:]), toggle=toggle
    )


def _halves(frame: Sequence[int], unit: int) -> Iterator[int]:
    """Yield the level of each unit; nothing more from the first duration that is no multiple."""
    for duration in frame:
        count = round(abs(duration) / unit)
        if not 1 <= count <= _LONGEST or abs(abs(duration) - count * unit) > _TOLERANCE * unit:
            return
        yield from [int(duration > 0)] * count


def _decode(halves: list[int], count: int, *, one: tuple[int, int]) -> list[int] | None:
    """Return the bits of `count` units; the last space may be missing, since it has no end."""
    if len(halves) == count - 1:
        halves = [*halves, 0]
    pairs = list(zip(halves[::2], halves[1::2], strict=False))
    if len(halves) != count or any(first == second for first, second in pairs):
        return None
    return [int(pair == one) for pair in pairs]


def _bits(number: int, count: int) -> tuple[int, ...]:
    return tuple(number >> bit & 1 for bit in reversed(range(count)))


def _number(bits: Sequence[int]) -> int:
    return int("".join(map(str, bits)), 2)
