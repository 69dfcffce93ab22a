"""The results as a table for people and as JSON for programs."""

from collections.abc import Mapping, Sequence
import math

from .summary import Comparison, Result, Row

HEAD = ("what", "ours", "beside", "", "ratio", "spread", "target", "")
SPREAD, TARGET = HEAD.index("spread"), HEAD.index("target")


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    if value and abs(value) < 100:  # noqa: PLR2004  (three figures say enough)
        return f"{value:.3g}"
    return f"{value:,.0f}"


def _verdict(met: bool | None) -> str:
    return {None: "", True: "met", False: "MISSED"}[met]


def _what(row: Row) -> str:
    return f"{row.what}, {row.unit}" if row.unit else row.what


def _line(result: Result, comparison: Comparison) -> tuple[str, ...]:
    return (
        _what(result.row),
        _number(result.ours),
        comparison.side,
        _number(comparison.median),
        f"{comparison.ratio:.2f}",
        f"{comparison.lowest:.2f} to {comparison.highest:.2f}",
        "" if comparison.target is None else f"{comparison.target:g}",
        _verdict(comparison.met),
    )


def _limit_line(result: Result) -> tuple[str, ...]:
    what, limit = _what(result.row), f"≤ {_number(result.row.limit or 0)}"
    return (what, _number(result.ours), "", "", "", "", limit, _verdict(result.within_limit))


def table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table, one line per comparison and per limit."""
    return _aligned([HEAD, *(line for result in results for line in _lines(result))])


def targets(results: Mapping[str, Sequence[Result]]) -> str:
    """Return every row that has a target or a limit as one Markdown table, by benchmark."""
    lines = [
        (name, *_without_spread(line))
        for name, of_case in results.items()
        for result in of_case
        for line in _lines(result)
        if line[TARGET]
    ]
    return _aligned([("benchmark", *_without_spread(HEAD)), *lines])


def _lines(result: Result) -> list[tuple[str, ...]]:
    lines = [_line(result, comparison) for comparison in result.comparisons]
    return lines if result.row.limit is None else [*lines, _limit_line(result)]


def _without_spread(line: tuple[str, ...]) -> tuple[str, ...]:
    return (*line[:SPREAD], *line[SPREAD + 1 :])


def _aligned(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = [
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in lines
    ]
    rows.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(rows)


def as_json(
    results: Sequence[Result], rounds: Sequence[Mapping[str, Mapping[str, float]]]
) -> dict[str, object]:
    """Return the results, and every value they were made from, ready for `json.dump`."""
    return {
        "rows": [
            {
                "key": result.row.key,
                "what": result.row.what,
                "unit": result.row.unit,
                "ours": result.ours,
                "limit": result.row.limit,
                "within_limit": result.within_limit,
                "beside": [
                    {
                        "side": one.side,
                        "median": one.median,
                        "ratio": one.ratio if math.isfinite(one.ratio) else None,
                        "spread": [
                            edge if math.isfinite(edge) else None
                            for edge in (one.lowest, one.highest)
                        ],
                        "target": one.target,
                        "met": one.met,
                    }
                    for one in result.comparisons
                ],
            }
            for result in results
        ],
        "rounds": list(rounds),
    }
