"""What the measurements say: medians, ratios pair by pair, their spread, and the targets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

OURS = "ours"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One quantity that a benchmark measures, on every side under the same `key`.

    `target` names, for another side, how many times better ours has to be at least;
    `limit` is the most that ours may be, in the row's unit.
    """

    key: str
    what: str
    unit: str
    target: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None
    more_is_better: bool = False


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Ours beside one other side. Ratios are above 1 where ours is better."""

    side: str
    median: float
    ratio: float
    lowest: float
    highest: float
    target: float | None

    @property
    def met(self) -> bool | None:
        """Return whether the target is met, to two decimals as shown; None without one."""
        return None if self.target is None else round(self.ratio, 2) >= self.target


@dataclass(frozen=True, kw_only=True)
class Result:
    """One row, measured."""

    row: Row
    ours: float
    comparisons: Sequence[Comparison]

    @property
    def within_limit(self) -> bool | None:
        """Return whether ours keeps the row's limit; None without one."""
        return None if self.row.limit is None else self.ours <= self.row.limit


def _ratio(ours: float, other: float, *, more_is_better: bool) -> float:
    better, worse = (ours, other) if more_is_better else (other, ours)
    if worse > 0:
        return better / worse
    return 1.0 if better == worse else float("inf")


def _compare(row: Row, side: str, ours: Sequence[float], other: Sequence[float]) -> Comparison:
    # Pair by pair, since the two of a pair ran next to each other: a machine that gets
    # slower in the middle of a run changes both.
    ratios = [
        _ratio(one, two, more_is_better=row.more_is_better)
        for one, two in zip(ours, other, strict=True)
    ]
    return Comparison(
        side=side,
        median=median(other),
        ratio=median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
        target=row.target.get(side),
    )


def summarise(row: Row, rounds: Sequence[Mapping[str, Mapping[str, float]]]) -> Result:
    """Sum up one row over all rounds; each maps side to key to value.

    A side that does not measure the row is left out. Raises KeyError if ours does not.
    """
    ours = [one[OURS][row.key] for one in rounds]
    others = [side for side, values in rounds[0].items() if side != OURS and row.key in values]
    return Result(
        row=row,
        ours=median(ours),
        comparisons=[
            _compare(row, side, ours, [one[side][row.key] for one in rounds]) for side in others
        ],
    )
