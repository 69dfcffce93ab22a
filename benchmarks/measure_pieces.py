"""Measure how many codes are reassembled from the pieces of a receiver, and how many stay separate.

    python -m benchmarks.measure_pieces FOLDER [--most N] [--late MS]

FOLDER contains public code files of any format, in folders of any depth. Each of their codes is
sent to a receiver that ends a capture after 10 ms of silence, and reports it some milliseconds
later (--late: on average). A code that it cuts is whole again if the reassembled packet is
recognized as that code. Then two codes of a collection that it does not cut are sent one after the
other.

    --most N    test at most this many codes of a collection, chosen at random (300)
    --late MS   average delay of captures (5)
"""

from argparse import ArgumentParser
from asyncio import AbstractEventLoop
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from typing import Final, cast

from custom_components.irhub.hub.reassembly import Reassembler
from custom_components.irhub.ircodes import Packet, Recognizer, from_timings, read, to_timings

from .measure_noise import codes_of

IDLE_US: Final = 10_000
PAUSES_S: Final = (0.06, 0.08, 0.1, 0.15, 0.2, 0.3)
"""Pauses between two presses."""
GAPS_MS: Final = (36, 50, 1_000)
"""Limits of groups by the longest space of a code: within a message, between copies, others."""


class Clock:
    """The clock of an event loop that jumps to the next scheduled call."""

    def __init__(self) -> None:
        self._now = 0.0
        self._calls: list[tuple[float, int, Callable[[], None]]] = []
        self._cancelled: set[int] = set()
        self._numbers = count()

    def time(self) -> float:
        """Return the current time in seconds."""
        return self._now

    def call_later(self, delay: float, call: Callable[[], None]) -> Clock.Handle:
        """Schedule a call."""
        number = next(self._numbers)
        heappush(self._calls, (self._now + delay, number, call))
        return Clock.Handle(self, number)

    def run(self) -> None:
        """Run all scheduled calls in order."""
        while self._calls:
            self._now, number, call = heappop(self._calls)
            if number not in self._cancelled:
                call()

    class Handle:
        """A call that can be cancelled."""

        def __init__(self, clock: Clock, number: int) -> None:
            self._clock, self._number = clock, number

        def cancel(self) -> None:
            """Cancel the call."""
            self._clock._cancelled.add(self._number)  # noqa: SLF001  (its own)


def cut(timings: Sequence[int], idle_us: int = IDLE_US) -> Iterator[tuple[list[int], int]]:
    """Yield the pieces of a capture, and the length of the space after each."""
    piece: list[int] = []
    for duration in timings:
        if duration > -idle_us:
            piece.append(duration)
        elif piece:
            yield piece, -duration
            piece = []
    if piece:
        yield piece, 0


def received(
    signals: Sequence[tuple[Packet, float]],
    late_s: float,
    random: Random,
    *,
    idle_us: int = IDLE_US,
) -> list[Packet]:
    """Return the packets reported for signals, each followed by a pause in seconds."""
    clock, captured = Clock(), []
    reassembler = Reassembler(
        cast("AbstractEventLoop", clock), lambda timings: captured.append(_read(timings))
    )
    end_s, last_report_s = 0.0, 0.0
    for packet, pause in signals:
        for piece, silence_us in cut(to_timings(packet), idle_us):
            end_s += sum(map(abs, piece)) / 1e6
            delay_s = random.expovariate(1 / late_s) if late_s else 0.0
            last_report_s = max(
                last_report_s, end_s + idle_us / 1e6 + delay_s
            )  # TCP keeps the order
            capture = [*piece, -idle_us]
            clock.call_later(last_report_s, lambda capture=capture: reassembler.received(capture))  # type: ignore[misc]
            end_s += silence_us / 1e6
        end_s += pause
    clock.run()
    return [packet for packet in captured if packet is not None]


def _read(timings: Sequence[int]) -> Packet | None:
    try:
        return read(from_timings(timings))
    except ValueError:
        return None


def main() -> None:
    """Measure, and print the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--late", type=float, default=5)
    arguments = parser.parse_args()
    random = Random(1)  # noqa: S311  (reproducible)
    codes: defaultdict[str, list[Packet]] = defaultdict(list)
    for collection, packet in codes_of(arguments.folder):
        codes[collection].append(read(packet))
    late_s = arguments.late / 1000
    for collection, packets in codes.items():
        sample = random.sample(packets, min(arguments.most, len(packets)))
        whole: Counter[int] = Counter()
        cut_codes: Counter[int] = Counter()
        uncut: list[Packet] = []
        for packet in sample:
            silences = [silence for _, silence in cut(to_timings(packet))][:-1]
            if not silences:
                uncut.append(packet)
                continue
            group = next(ms for ms in GAPS_MS if max(silences) < ms * 1000 or ms == GAPS_MS[-1])
            cut_codes[group] += 1
            recognizer = Recognizer([(None, packet)])
            captured = received([(packet, 0)], late_s, random)
            whole[group] += any(recognizer.recognize(capture) for capture in captured)
        for group in sorted(cut_codes):
            result = f"{whole[group]} of {cut_codes[group]} whole"
            print(f"{collection}: dark for up to {group} ms: {result}")
        for pause in PAUSES_S:
            pairs = [(packet, random.choice(uncut)) for packet in uncut]
            separate = sum(
                len(received([(first, pause), (second, 0)], late_s, random)) == 2  # noqa: PLR2004
                for first, second in pairs
            )
            print(f"{collection}: {pause} s apart: {separate} of {len(pairs)} stay two")


if __name__ == "__main__":
    main()
