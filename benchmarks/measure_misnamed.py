"""Find states in public code files whose packets contain another state.

    python -m benchmarks.measure_misnamed FOLDER [--each]

FOLDER contains SmartIR's climate files. Prints for each file with such states: the protocol, their
number and that of all states, and for how many the right packet is known; with `--each`, the
states.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path

from custom_components.irhub.ircodes import State, read_codes
from custom_components.irhub.ircodes.known import KnownAirConditioners, Misnaming


def tables(folder: Path) -> Iterator[tuple[str, Mapping[State, bytes]]]:
    """Yield the name of each file with states, and the packet of each state."""
    for path in sorted(folder.rglob("climate/*.json")):
        try:
            imported = read_codes(path.read_text(encoding="utf-8", errors="replace"), device="it")
        except ValueError:
            continue
        states = imported.states.get("it", {})
        if states:
            yield (
                path.stem,
                {state: imported.commands["it"][name][0] for name, state in states.items()},
            )


def main() -> None:
    """Measure a folder."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    known = KnownAirConditioners.load()
    files = identified = faulty_files = faulty_states = correctable = 0
    for name, table in tables(options.folder):
        misnaming = Misnaming.of(table, known)
        files += 1
        identified += bool(misnaming.protocol)
        if not misnaming.states:
            continue
        packets = sum(misnamed.packet is not None for misnamed in misnaming.states.values())
        faulty_files, faulty_states, correctable = (
            faulty_files + 1,
            faulty_states + len(misnaming.states),
            correctable + packets,
        )
        print(f"{name}\t{misnaming.protocol}\t{len(misnaming.states)}/{len(table)}\t{packets}")
        for state, misnamed in misnaming.states.items() if options.each else ():
            print(f"\t{state}: {misnamed.decoded}")
    print(f"{files} files, {identified} of a known protocol; {faulty_files} files have")
    print(f"{faulty_states} misnamed states, for {correctable} of which the right packet is known")


if __name__ == "__main__":
    main()
