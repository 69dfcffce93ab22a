"""Format the results as a table and as JSON."""

from collections.abc import Mapping, Sequence
import math

from .summary import Comparison, Result, Row

type Line = tuple[str, str, str, str, str, str, str, str]

HEAD: Line = ("what", "ours", "beside", "", "ratio", "spread", "target", "")


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


def _line(result: Result, comparison: Comparison) -> Line:
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


def _own_line(result: Result) -> Line:
    what, most = _what(result.row), result.row.limit
    limit = "" if most is None else f"≤ {_number(most)}"
    return (what, _number(result.ours), "", "", "", "", limit, _verdict(result.within_limit))


def table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table, one line per comparison and per limit.

    Rows that only our side measures have a line, too.
    """
    return _aligned([HEAD, *(line for result in results for line in _lines(result))])


def targets(results: Mapping[str, Sequence[Result]]) -> str:
    """Return all rows with a target or a limit, by benchmark: docs/performance.md's table."""
    head = ("", "what", "ours", "beside", "ratio", "target", "")
    lines = [
        (name, what, ours, f"{side} {beside}".strip(), ratio, target, verdict)
        for name, of_case in results.items()
        for result in of_case
        for what, ours, side, beside, ratio, _, target, verdict in _lines(result)
        if target
    ]
    rows = [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *lines)]
    return "\n".join(rows)


def _lines(result: Result) -> list[Line]:
    lines = [_line(result, comparison) for comparison in result.comparisons]
    return lines if lines and result.row.limit is None else [*lines, _own_line(result)]


def _aligned(lines: Sequence[Line]) -> str:
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
    """Return the results and all measured values, ready for `json.dump`."""
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
                        "side": comparison.side,
                        "median": comparison.median,
                        "ratio": comparison.ratio if math.isfinite(comparison.ratio) else None,
                        "spread": [
                            edge if math.isfinite(edge) else None
                            for edge in (comparison.lowest, comparison.highest)
                        ],
                        "target": comparison.target,
                        "met": comparison.met,
                    }
                    for comparison in result.comparisons
                ],
            }
            for result in results
        ],
        "rounds": list(rounds),
    }
