"""Equations: what differs by what, as XOR of messages by what their states have.

Each press says: what its mode, its fan speed, … add up to is this message. A sum of some presses
says what the same sum of their messages is. A state is known if it is such a sum.
"""

from collections.abc import Collection, Hashable, Iterable
from typing import Self


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


class Equations:
    """Sums of symbols and what each is, in echelon form."""

    def __init__(self, data: int, rows: dict[int, tuple[int, int]] | None = None) -> None:
        """Compare these bits of messages only."""
        self.data = data
        self.confirmed = 0
        """How many messages were as those before them said."""
        self._rows = {} if rows is None else rows

    def copy(self) -> Self:
        """Return the same equations, to be continued; counts what is confirmed anew."""
        return type(self)(self.data, dict(self._rows))

    def solve(self, symbols: int) -> int | None:
        """Return what a sum of symbols is; None if that is not known."""
        left, bits = self._reduce(symbols, 0)
        return None if left else bits & self.data

    def add(self, symbols: int, bits: int) -> bool:
        """Add what a sum of symbols is; say if that contradicts the others."""
        symbols, bits = self._reduce(symbols, bits)
        if symbols:
            self._rows[symbols.bit_length()] = symbols, bits
            return False
        self.confirmed += 1
        return bool(bits & self.data)

    def contradicted_by(self, sums: Iterable[tuple[int, int]]) -> bool:
        """Add what some sums of symbols are; say if one contradicts the others."""
        return any(self.add(symbols, bits) for symbols, bits in sums)

    def _reduce(self, symbols: int, bits: int) -> tuple[int, int]:
        while symbols and (row := self._rows.get(symbols.bit_length())) is not None:
            symbols ^= row[0]
            bits ^= row[1]
        return symbols, bits
