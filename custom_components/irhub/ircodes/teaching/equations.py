"""Linear equations over GF(2): what each value of a state flips in a message.

A press says: the unknowns of its state (its mode, its fan speed, …) add up, by XOR, to the message
that was received. With messages of one byte:

    cool + low  = 0b0001_0100
    cool + high = 0b0001_1000
    heat + low  = 0b0010_0100

The sum of the three is heat + high = 0b0010_1000: a state that was never pressed. A single unknown
is never known (there are four of them in three equations), but the sum for each state is.

A press whose unknowns are a sum of those before confirms all presses of that sum: with a wrong one
among them the messages would not add up.
"""

from typing import NamedTuple


class Equation(NamedTuple):
    """A sum of unknowns and the bits that it is."""

    unknowns: int
    """A bit for each."""
    bits: int
    presses: int
    """The presses that were added up for it, a bit for each."""


class Equations:
    """Equations in echelon form: each has a highest unknown of its own."""

    def __init__(
        self, data: int, rows: dict[int, Equation] | None = None, *, confirmed: int = 0
    ) -> None:
        """Begin with these rows, by their highest unknown; only bits of `data` are compared."""
        self.data = data
        self.confirmed = confirmed
        """The presses that others confirm."""
        self.doubtful = 0
        """The presses that are not as others say."""
        self.confirmations = 0
        """How many equations followed from those before them."""
        self._rows = {} if rows is None else rows

    def growing(self) -> GrowingEquations:
        """Return a copy to add to; what follows from others is counted anew."""
        return GrowingEquations(self.data, dict(self._rows), confirmed=self.confirmed)

    def solve(self, unknowns: int) -> int | None:
        """Return the bits of a sum of unknowns; None if they are not known."""
        rest = self._reduce(Equation(unknowns, 0, 0))
        return None if rest.unknowns else rest.bits & self.data

    def presses_for(self, unknowns: int) -> int:
        """Return the presses that a known sum of unknowns follows from."""
        return self._reduce(Equation(unknowns, 0, 0)).presses

    def _reduce(self, equation: Equation) -> Equation:
        unknowns, bits, presses = equation
        while unknowns and (row := self._rows.get(unknowns.bit_length())) is not None:
            unknowns ^= row.unknowns
            bits ^= row.bits
            presses ^= row.presses
        return Equation(unknowns, bits, presses)


class GrowingEquations(Equations):
    """Equations to which others are added."""

    def add(self, equation: Equation) -> bool:
        """Add an equation; return whether it contradicts the others."""
        if (rest := self.remainder(equation)) is None:
            return False
        self.confirmations += 1
        if rest.bits & self.data:
            return True
        self.confirmed |= rest.presses
        return False

    def remainder(self, equation: Equation) -> Equation | None:
        """Add an equation; return what is left of one that follows from the others.

        Bits of `data` that are left contradict them.
        """
        rest = self._reduce(equation)
        if rest.unknowns:
            self._rows[rest.unknowns.bit_length()] = rest
            return None
        return rest
