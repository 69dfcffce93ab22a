"""Linear equations over GF(2) for the bits that each value of a state flips in a message.

A press is an equation: the XOR of the unknowns of its state (its mode, its fan speed, …) is the
received message. With messages of one byte:

    cool + low  = 0b0001_0100
    cool + high = 0b0001_1000
    heat + low  = 0b0010_0100

The sum of the three is heat + high = 0b0010_1000: a state that was never pressed. A single unknown
cannot be determined (there are four unknowns in three equations), but the sum of each state can.

A press whose unknowns are a sum of those of earlier presses confirms all presses in that sum: if
one of them were wrong, the messages would not add up.
"""

from typing import NamedTuple


class Equation(NamedTuple):
    """A set of unknowns and the bits that they add up to."""

    unknowns: int
    """One bit for each unknown."""
    bits: int
    presses: int
    """The presses that it was derived from, one bit for each."""


class Equations:
    """Equations in echelon form: each has a different highest unknown."""

    def __init__(
        self, data: int, rows: dict[int, Equation] | None = None, *, confirmed: int = 0
    ) -> None:
        """Start with rows by their highest unknown; only the bits of `data` are compared."""
        self.data = data
        self.confirmed = confirmed
        """Presses that others confirm."""
        self.doubtful = 0
        """Presses that others contradict."""
        self.confirmations = 0
        """Number of equations that followed from earlier ones."""
        self._rows = {} if rows is None else rows

    def growing(self) -> GrowingEquations:
        """Return a mutable copy, with `confirmations` reset."""
        return GrowingEquations(self.data, dict(self._rows), confirmed=self.confirmed)

    def solve(self, unknowns: int) -> int | None:
        """Return the bits of a sum of unknowns; None if they are undetermined."""
        rest = self._reduce(unknowns)
        return None if rest.unknowns else rest.bits & self.data

    def presses_for(self, unknowns: int) -> int:
        """Return the presses from which a determined sum of unknowns follows."""
        return self._reduce(unknowns).presses

    def _reduce(self, unknowns: int, bits: int = 0, presses: int = 0) -> Equation:
        rows = self._rows
        while unknowns and (row := rows.get(unknowns.bit_length())) is not None:
            of_row, its_bits, its_presses = row
            unknowns ^= of_row
            bits ^= its_bits
            presses ^= its_presses
        return Equation(unknowns, bits, presses)


class GrowingEquations(Equations):
    """Equations that can be extended."""

    def add(self, equation: Equation) -> bool:
        """Add an equation. Return whether it contradicts the others."""
        if (rest := self.remainder(equation)) is None:
            return False
        self.confirmations += 1
        if rest.bits & self.data:
            return True
        self.confirmed |= rest.presses
        return False

    def remainder(self, equation: Equation) -> Equation | None:
        """Add an equation. Return its remainder if it follows from the others, else None.

        Bits of `data` in the remainder contradict the others.
        """
        rest = self._reduce(*equation)
        if rest.unknowns:
            self._rows[rest.unknowns.bit_length()] = rest
            return None
        return rest
