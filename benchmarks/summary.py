"""Summarize measurements: medians, ratios of pairs and their spread, and targets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

OURS = "ours"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One quantity that a benchmark measures, on every side under the same `key`.

    `target` is the minimum factor by which ours has to be better than another side; `limit` is the
    maximum for ours, in the row's unit.
    """

    key: str
    what: str
    unit: str
    target: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None
    more_is_better: bool = False


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Comparison with one other side. Ratios are above 1 where ours is better."""

    side: str
    median: float
    ratio: float
    lowest: float
    highest: float
    target: float | None

    @property
    def met(self) -> bool | None:
        """Return whether the target is met, rounded to two decimals; None without a target."""
        return None if self.target is None else round(self.ratio, 2) >= self.target


@dataclass(frozen=True, kw_only=True)
class Result:
    """The measured results of one row."""

    row: Row
    ours: float
    comparisons: Sequence[Comparison]

    @property
    def within_limit(self) -> bool | None:
        """Return whether ours is within the row's limit; None without one."""
        return None if self.row.limit is None else self.ours <= self.row.limit


def _ratio(ours: float, other: float, *, more_is_better: bool) -> float:
    better, worse = (ours, other) if more_is_better else (other, ours)
    if worse > 0:
        return better / worse
    return 1.0 if better == worse else float("inf")


def _compare(row: Row, side: str, ours: Sequence[float], other: Sequence[float]) -> Comparison:
    # Compare within pairs, which ran directly after each other: if the machine becomes slower
    # during a benchmark, both are affected.
    ratios = [
        _ratio(own, theirs, more_is_better=row.more_is_better)
        for own, theirs in zip(ours, other, strict=True)
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
    """Summarize one row over all rounds; each round maps side to key to value.

    Sides without this row are omitted. Raise KeyError if our side lacks it.
    """
    ours = [values[OURS][row.key] for values in rounds]
    others = [side for side, values in rounds[0].items() if side != OURS and row.key in values]
    return Result(
        row=row,
        ours=median(ours),
        comparisons=[
            _compare(row, side, ours, [values[side][row.key] for values in rounds])
            for side in others
        ],
    )
