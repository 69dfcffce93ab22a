"""Equations: what differs by what, as XOR of messages by what their states have.

Each press says: what its mode, its fan speed, … add up to is this message. A sum of some presses
says what the same sum of their messages is. A state is known if it is such a sum.

Presses whose sum is nothing confirm each other: with one of them wrong their messages would not
add up. What follows from confirmed presses only is sure.
"""

from collections.abc import Collection, Hashable
from typing import NamedTuple, Self


class Symbols:
    """A bit for each thing that a state may have."""

    def __init__(self) -> None:
        """Begin with none."""
        self._bits: dict[tuple[Hashable, ...], int] = {}

    def __call__(self, *key: Hashable) -> int:
        """Return the bit of a thing."""
        return 1 << self._bits.setdefault(key, len(self._bits))

    @property
    def things(self) -> Collection[tuple[Hashable, ...]]:
        """Return what has a bit."""
        return self._bits.keys()


class Sum(NamedTuple):
    """What a sum of symbols is."""

    symbols: int
    bits: int
    presses: int
    """Those it follows from, a bit for each."""


class Equations:
    """Sums of symbols and what each is, in echelon form."""

    def __init__(self, data: int, rows: dict[int, Sum] | None = None, sure: int = 0) -> None:
        """Compare these bits of messages only."""
        self.data = data
        self.confirmed = 0
        """How many messages were as those before them said."""
        self.sure = sure
        """The presses that others confirm."""
        self._rows = {} if rows is None else rows

    def copy(self) -> Self:
        """Return the same equations, to be continued; counts what is confirmed anew."""
        return type(self)(self.data, dict(self._rows), self.sure)

    def solve(self, symbols: int) -> int | None:
        """Return what a sum of symbols is; None if that is not known."""
        left = self._reduce(Sum(symbols, 0, 0))
        return None if left.symbols else left.bits & self.data

    def follows_from(self, symbols: int) -> int:
        """Return the presses that a known sum of symbols follows from."""
        return self._reduce(Sum(symbols, 0, 0)).presses

    def add(self, one: Sum) -> bool:
        """Add what a sum of symbols is; say if that contradicts the others."""
        left = self._reduce(one)
        if left.symbols:
            self._rows[left.symbols.bit_length()] = left
            return False
        self.confirmed += 1
        if left.bits & self.data:
            return True
        self.sure |= left.presses
        return False

    def rest(self, one: Sum) -> Sum | None:
        """Add what a sum of symbols is; return what should be nothing if others say it, too."""
        left = self._reduce(one)
        if left.symbols:
            self._rows[left.symbols.bit_length()] = left
            return None
        return left

    def left(self, one: Sum) -> int:
        """Add what a sum of symbols is; return its bits that contradict the others."""
        rest = self.rest(one)
        return 0 if rest is None else rest.bits & self.data

    def _reduce(self, one: Sum) -> Sum:
        symbols, bits, presses = one
        while symbols and (row := self._rows.get(symbols.bit_length())) is not None:
            symbols ^= row.symbols
            bits ^= row.bits
            presses ^= row.presses
        return Sum(symbols, bits, presses)
