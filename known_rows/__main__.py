"""Generate the table of known air conditioners that irhub ships, from public code files.

    .venv/bin/python -m known_rows --collection NAME FOLDER… --headers FOLDER [--leave-one-out]
    .venv/bin/python -m known_rows --add --collection NAME FOLDER --headers FOLDER

Each --collection is a folder with SmartIR's climate files and its name in the table:
"litinoveweedle/SmartIR". --headers is the folder src of IRremoteESP8266, next to its folder test:
its lists of supported devices name makers, and its decoders are compiled (g++) to leave out modes
that they read differently (`known_rows.refereed`). The packets that its encoders send for each
state come from `pyhvac`. The table contains only bits, values, checks, limits, durations and
makers: teaching derives a rule from some of a remote control's packets, and here it is derived from
all of them.

A file joins the row of its protocol if nine of ten of its states are those of the row, or extend
it; states that contradict the row are left out and counted in it ("left_out"). States of a file
that contradict each other are printed.

The first command replaces the whole table: it needs all collections of `known_rows/NOTICE.md`. With
--add, only the rows of the given files are made, in a minute, and those that the table does not
have are added. A file of a protocol that the table has needs the first command, which extends the
row.

With --leave-one-out the table is not written. Each file of the first collection is identified by
two presses with a table that was made without it, and without other files of the same recording
(files that share a packet): see `benchmarks.measure_known` for the counts.

Results are cached in the folder --cache while the files and the code are the same. It takes an hour
the first time, and --leave-one-out another one.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir

from benchmarks.measure_known import summary
from benchmarks.referee import Referee
from custom_components.irhub.ircodes.known.table import TABLE

from .adding import with_new
from .export import makers_of, write
from .fit import cleaned
from .kept import described_tables, kept, rows_of
from .leave_one_out import leave_one_out
from .merge import Prepared, by_layout
from .refereed import refereed
from .room import with_room
from .tables import Table, read_folder


def prepare(
    folders: Sequence[tuple[str, Path]], cache: Path, published: Sequence[Table]
) -> list[Prepared]:
    """Return all tables with their checks and consistent states, published protocols first."""
    tables = [*published]
    for name, folder in folders:
        tables += read_folder(folder, name, cache)
    prepared: list[Prepared] = []
    for table in tables:
        checks, good, faults = kept(cache, "cleaned", [table], cleaned, table)
        prepared.append((table, checks, good))
        if faults or table.others:
            print(
                f"{table.source}: {len(faults)} of {len(table.states)} states contradict others, "
                f"{table.others} have other frames"
            )
    return prepared


def main() -> None:
    """Generate the table, or measure the identification of each file without it."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--collection", nargs=2, action="append", required=True)
    parser.add_argument("--headers", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path(gettempdir()) / "known_rows")
    parser.add_argument("--add", action="store_true", help="keep the rows of the table")
    parser.add_argument("--leave-one-out", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="only each of so many files")
    parser.add_argument("--tables", type=Path, help="a folder for the tables without each file")
    parser.add_argument("--receiver", action="store_true", help="receive each press badly")
    arguments = parser.parse_args()
    arguments.cache.mkdir(exist_ok=True)
    referee = Referee.built(arguments.headers.parent, arguments.cache / "referee")
    folders = [(name, Path(folder)) for name, folder in arguments.collection]
    published = [] if arguments.add else described_tables(arguments.cache)
    prepared = prepare(folders, arguments.cache, published)
    rows = rows_of(by_layout(prepared), arguments.cache)
    makers = makers_of(arguments.headers)
    if arguments.leave_one_out:
        name = folders[0][0]
        results = leave_one_out(
            prepared,
            rows,
            makers,
            name,
            referee=referee,
            every=arguments.every,
            receiver=arguments.receiver,
            tables=arguments.tables,
        )
        files = len([*folders[0][1].rglob("climate/*.json")])
        print(summary(results, max(0, files // arguments.every - len(results))))
        return
    lines = write([row for of_group in rows.values() for row in of_group], makers)
    lines = [with_room(line) for line in refereed(lines, referee)]
    if arguments.add:
        lines = with_new(TABLE.read_text(encoding="utf-8").splitlines(), lines)
    TABLE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} rows")


if __name__ == "__main__":
    main()
