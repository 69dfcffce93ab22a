"""Measure how often the table of known air conditioners and IRremoteESP8266 agree on a packet.

    python -m benchmarks.measure_agreement FOLDER --referee FOLDER [--receiver]

FOLDER contains SmartIR's climate files, `--referee` names a copy of IRremoteESP8266 (its folders
src and test), which is compiled (g++, a minute, once). Each packet that IRremoteESP8266 decodes to
the state of an air conditioner is counted under its name of the protocol:

    read      a known protocol fits the packet
    alike     the likeliest one has the same mode, temperature, fan speed and power
    also      another fitting one has: a second press decides between them
    power, mode, degrees, fan
              none has: the first difference of the likeliest one

    --receiver  our packets are received badly: marks 30 to 150 µs longer, durations 5 % off
    --page      write the table to docs/known.md

Values that IRremoteESP8266 does not return are not compared: half degrees, power that is a toggle,
and fan speeds for which we use an unusual name.
"""

from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from tempfile import gettempdir
from typing import Final

from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.states import messages
from known_rows.tables import read_folder

from .measure_known import LONGER_US, received_badly
from .referee import Referee

PAGE: Final = Path(__file__).parent.parent / "docs" / "known.md"
BEGIN: Final = "<!-- this table is generated: python -m benchmarks.measure_agreement --page -->\n"
END: Final = "\n## "
"""Text after the table."""
_COLUMNS: Final = ("packets", "read", "alike", "also", "power", "mode", "degrees", "fan")


def counted(
    folder: Path, referee: Referee, cache: Path, *, receiver: bool = False
) -> Mapping[str, Counter[str]]:
    """Return protocol → counts of outcomes, for the climate files of a folder."""
    known = KnownAirConditioners.load()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for table in read_folder(folder, folder.name, cache):
        random = Random(table.source)  # noqa: S311  # nosec B311
        longer_us = random.randint(*LONGER_US)
        packets = [messages.write(table.signal, message) for message in table.states.values()]
        for packet, opinion in zip(packets, referee.opinions(packets), strict=True):
            if opinion is None:
                continue
            count = counts[opinion.protocol]
            count["packets"] += 1
            received = received_badly(packet, random, longer_us) if receiver else packet
            readings = known.identify(received)
            if not readings:
                continue
            count["read"] += 1
            differing = [
                opinion.differs_in(reading.state, reading.row.unit) for reading in readings
            ]
            outcome = differing[0] or "alike"
            count["also" if differing[0] and not all(differing) else outcome] += 1
    return counts


def rows(counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, protocols with most packets first."""
    yield f"| protocol | {' | '.join(_COLUMNS)} |"
    yield f"|---|{'---|' * len(_COLUMNS)}"
    total = Counter[str]()
    for name, count in sorted(counts.items(), key=lambda item: (-item[1]["packets"], item[0])):
        total.update(count)
        yield _row(name, count)
    yield _row("all", total)


def _row(name: str, count: Counter[str]) -> str:
    return f"| {name} | {' | '.join(str(count[column]) for column in _COLUMNS)} |"


def main() -> None:
    """Print the table, or write it to the page."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--referee", type=Path, required=True)
    parser.add_argument("--receiver", action="store_true", help="receive each packet badly")
    parser.add_argument("--page", action="store_true", help="write it to docs/known.md")
    arguments = parser.parse_args()
    cache = Path(gettempdir()) / "known_rows"
    cache.mkdir(exist_ok=True)
    referee = Referee.built(arguments.referee, cache / "referee")
    counts = counted(arguments.source, referee, cache, receiver=arguments.receiver)
    lines = "".join(f"{line}\n" for line in rows(counts))
    if arguments.page:
        before, begin, after = PAGE.read_text("utf-8").partition(BEGIN)
        if not begin:
            raise SystemExit(f"{PAGE} has no place for the table")
        _, end, rest = after.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n{lines}{end}{rest}", "utf-8")
    else:
        print(lines, end="")


if __name__ == "__main__":
    main()
