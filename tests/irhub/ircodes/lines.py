"""Random signals of the lines of the protocol table, as a hub receives them, read back."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.protocols.irp import Irp
from custom_components.irhub.ircodes.protocols.irp_reader import (
    Decoded,
    Received,
    read as read_received,
)
from custom_components.irhub.ircodes.protocols.protocol_table import ProtocolRow, table

TEN_PERCENT = 0.1
STEPS_TOO_SMALL = {"Nokia": 0.03, "Nokia 12": 0.03, "Nokia 32": 0.03, "XMP": 0.004}
"""Label → jitter: their symbols differ by 169 and 136 µs, so a duration of 783 or 2,800 µs that is
a tenth longer is the next symbol. It is not read, and must not be read as a wrong number."""
LONGER_US = 150
READ = [row for row in table() if row.reads]


def heard(timings: Sequence[int], random: Random, jitter: float) -> list[int]:
    """Return a signal as a hub receives it: marks longer and spaces shorter, jitter, ticks."""
    longer = random.uniform(0, LONGER_US)
    return to_timings(
        from_timings(
            [round(us * random.uniform(1 - jitter, 1 + jitter) + longer) for us in timings]
        )
    )


def read(line: Irp, timings: Sequence[int]) -> Decoded | None:
    """Return the protocol and values read from signed durations in µs."""
    return read_received(line, Received(timings))


def some(line: Irp, random: Random) -> dict[str, int]:
    """Return values of all parameters."""
    return {
        name: random.randint(each.lowest, each.highest) for name, each in line.parameters.items()
    }


def read_again(row: ProtocolRow, count: int, jitter: float | None = None) -> Counter[str]:
    """Return how many of `count` random signals are read correctly, not read, and misread."""
    random, counted = Random(row.name), Counter[str]()
    jitter = STEPS_TOO_SMALL.get(row.label, TEN_PERCENT) if jitter is None else jitter
    for _ in range(count):
        values = some(row.irp, random)
        reading = read(row.irp, heard(row.irp.encode(values).press(), random, jitter))
        right = reading is not None and reading.values == values
        counted["read" if right else "not read" if reading is None else "wrong"] += 1
    return counted
