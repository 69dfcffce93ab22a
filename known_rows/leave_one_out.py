"""Leave one out: identify each file with a table that was made without it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from pathlib import Path
from random import Random

from benchmarks.measure_known import Result, measure, row as line_about
from benchmarks.referee import Referee
from custom_components.irhub.ircodes.known import KnownAirConditioners

from .export import write
from .merge import Group, Prepared, Row, by_layout, merge
from .refereed import refereed


def recordings(prepared: Sequence[Prepared]) -> dict[str, frozenset[str]]:
    """Return source → the sources that share a packet with it, including itself."""
    having: dict[bytes, set[str]] = defaultdict(set)
    for table, *_ in prepared:
        if not table.protocol:
            for digest in table.packets:
                having[digest].add(table.source)
    shared: dict[str, set[str]] = defaultdict(set)
    for sources in having.values():
        for source in sources:
            shared[source] |= sources
    return {source: frozenset(sources) for source, sources in shared.items()}


def leave_one_out(
    prepared: Sequence[Prepared],
    rows: Mapping[Group, Sequence[Row]],
    makers: Mapping[str, Sequence[str]],
    collection: str,
    *,
    referee: Referee,
    every: int = 1,
    receiver: bool = False,
    tables: Path | None = None,
) -> list[Result]:
    """Return the results for each file of a collection, or for every n-th (`every`).

    The rows of its layout, made without it, are written to the folder `tables`.
    """
    shared, groups = recordings(prepared), by_layout(prepared)
    jobs = []
    of_collection = [item for item in prepared if item[0].source.startswith(f"{collection} ")]
    for item in of_collection[::every]:
        table = item[0]
        if item[2]:
            left_out = shared.get(table.source, frozenset()) | {table.source}
            of_layout = [group for group in groups if group[0] == table.layout]
            remade = [_without(rows.get(group, []), left_out) for group in of_layout]
            without = [
                [item for item in groups[group] if item[0].source not in left_out]
                for group in of_layout
            ]
            jobs.append((item, remade, without, makers, referee, receiver, tables))
    jobs.sort(key=lambda job: None in job[1])
    results: list[Result] = []
    with ProcessPoolExecutor(2) as executor:
        for result in executor.map(_measured, jobs, chunksize=2):
            print(line_about(result), flush=True)
            results.append(result)
    return results


def _without(rows: Sequence[Row], left_out: frozenset[str]) -> list[Row] | None:
    """Return rows without some tables; None if such a table had changed a row.

    Rows of these tables only are omitted.
    """
    kept: list[Row] = []
    for row in rows:
        others = [member for member in row.members if member.table.source not in left_out]
        if len(others) == len(row.members):
            kept.append(row)
        elif others:
            if any(member.added for member in row.members if member not in others):
                return None
            row = copy(row)  # noqa: PLW2901
            row.members = others
            kept.append(row)
    return kept


def _measured(
    job: tuple[
        Prepared,
        list[list[Row] | None],
        list[list[Prepared]],
        Mapping[str, Sequence[str]],
        Referee,
        bool,
        Path | None,
    ],
) -> Result:
    (table, _, good), remade, without, makers, referee, receiver, tables = job
    rows = [
        row
        for kept, group in zip(remade, without, strict=True)
        for row in (merge(group) if kept is None else kept)
    ]
    lines = [*refereed(write(rows, makers), referee)]
    if tables is not None:
        name = f"{table.source.rpartition('/')[2]}.jsonl"
        (tables / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    known = KnownAirConditioners.from_lines(lines)
    faults = table.states.keys() - good.keys()
    random = Random(table.source) if receiver else None  # noqa: S311  # nosec B311
    return measure(known, table, faults, random=random, referee=referee)
