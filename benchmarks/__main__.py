"""scripts/bench [NAME…] [--pairs N] [--json FILE]: ours against core's, in fresh processes."""

import argparse
from collections.abc import Sequence
import json
from pathlib import Path
import sys
import time

from .cases import CASES
from .report import as_json, table, targets
from .runner import BenchmarkError, rounds
from .summary import Result, summarise

LEAST_PAIRS = 5


def main() -> int:
    """Run the named benchmarks, or all. Return 0 if all of them ran."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
        epilog="\n".join(f"{case.name:16} {case.what}" for case in CASES.values()),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="all without one")
    parser.add_argument("--pairs", type=int, default=LEAST_PAIRS, help="runs after the warm-up")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values there")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in CASES]:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(CASES)}")
    report: dict[str, object] = {}
    measurements: dict[str, Sequence[Result]] = {}
    for name in options.names or CASES:
        case = CASES[name]
        start = time.monotonic()
        pairs = min(options.pairs, case.most_pairs or options.pairs)
        try:
            measured = []
            for number, round_ in enumerate(rounds(case, pairs), 1):
                measured.append(round_)
                print(f"{name}: round {number}", end="\r", file=sys.stderr)
        except BenchmarkError as err:
            print(f"bench: {err}", file=sys.stderr)
            return 1
        results = measurements[name] = [summarise(row, measured) for row in case.rows]
        print(f"\n### {name}: {case.what}\n\n{table(results)}")
        print(f"\n{len(measured)} rounds, {time.monotonic() - start:.0f} s", flush=True)
        report[name] = {"what": case.what, **as_json(results, measured)}
        if options.json:
            options.json.write_text(json.dumps(report, indent=1))
    print(f"\n## Targets\n\n{targets(measurements)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
