"""Measure how well known air conditioners are identified by two presses from public code files.

    python -m benchmarks.measure_known FOLDER [--receiver] [--each]

FOLDER contains SmartIR's climate files. From each file two states are pressed: one that cools, and
one of another mode. If only the display can decide between protocols (`known.is_open`), one with
the mode and the temperature of the file's first state is used, or none if there is none. The result
is compared with all states of the file:

    exact     the thermostat has a state of the same mode and temperature with the same packet
    missing   the thermostat has no such state
    alike     it has the state with other bits, and both packets set the same state according to
              `referee`; for a mode with one packet at all temperatures in the file, the temperature
              is ignored
    unlike    it has the state with other bits, and nothing confirms that both set the same state
    wrong     it has the packet as another state
    copied    it has the packet as another state, and the file has it under that name, too, or the
              packet that the file has under that name is copied itself
    named     it has the packet as another state, which the packet sets according to `referee`
    file      the file's own states contradict each other there

The referee is IRremoteESP8266's decoder, which is independent of the file and the table. Without
--referee there is no `named` or `alike`, only `wrong` or `unlike`.

A file in °F is compared with a protocol in °C by the value that its remote control sends: whole °C.

The shipped table was made from such files: the result for files that it was not made from is
measured with `python -m known_rows --leave-one-out`.

    --referee   FOLDER with a copy of IRremoteESP8266, which is compiled (g++, a minute, once)
    --receiver  each press is received badly: marks 30 to 150 µs longer, durations 5 % off
    --foreign   FOLDER contains code files of other devices, of any format: print the packets that
                are accepted as those of an air conditioner, and the number of noise captures
"""

from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import gettempdir

from benchmarks.referee import Referee
from custom_components.irhub.ircodes import State, from_timings, read_codes, to_timings
from custom_components.irhub.ircodes.files import SUFFIXES
from custom_components.irhub.ircodes.known import (
    KnownAirConditioners,
    KnownReading,
    RequestedState,
    in_celsius,
    is_open,
    narrow,
)
from custom_components.irhub.ircodes.states import messages
from known_rows.fit import cleaned, normalized
from known_rows.merge import is_same, named
from known_rows.tables import Table, read_folder

LONGER_US = (30, 150)
"""Range of the time by which a bad receiver lengthens marks."""
USUAL = {"C": 24.0, "F": 75.0}
"""Temperature of the first press, if the file has it."""
REQUESTED = RequestedState(mode="cool", degrees=USUAL)


@dataclass(kw_only=True)
class Result:
    """The result of one file."""

    source: str
    makers: Sequence[str]
    frames: Sequence[int]
    by_one: str
    """Protocol identified by one press; empty if none."""
    by_two: str
    candidates: int
    counts: Counter[str]

    @property
    def is_exact(self) -> bool:
        """Return whether the thermostat has all states of the file, bit by bit."""
        others = ("missing", "wrong", "unlike", "alike", "named")
        return bool(self.by_two) and not any(self.counts[key] for key in others)

    @property
    def is_wrong_file(self) -> bool:
        """Return whether most states differ from those in the file."""
        return self.counts["wrong"] > self.counts["exact"]


def pressed(states: Collection[State], unit: str) -> list[State]:
    """Return the two states to press."""

    def distance(state: State) -> tuple[bool, float, str]:
        return state.mode != "cool", abs((state.temperature or 0) - USUAL[unit]), str(state)

    first = min(states, key=distance)
    others = [state for state in states if state.mode != first.mode] or [
        state for state in states if state != first
    ]
    return [first, min(others or [first], key=distance)]


def measure(
    known: KnownAirConditioners,
    table: Table,
    faults: Collection[State],
    *,
    random: Random | None = None,
    referee: Referee | None = None,
) -> Result:
    """Return the result of a file; `random` makes the receiver a bad one."""
    consistent = [state for state in table.states if state not in faults]
    readings: list[list[KnownReading]] = []
    longer_us = random.randint(*LONGER_US) if random else 0
    presses = pressed(consistent or [*table.states], table.unit)
    for state in presses:
        packet = messages.write(table.signal, table.states[state])
        if random:
            packet = received_badly(packet, random, longer_us)
        readings.append(known.identify(packet))
    first, second = REQUESTED.matching(readings[0]), readings[1]
    confirmed = narrow(first, second)
    if is_open(confirmed, first, REQUESTED):
        shown = {
            id(other.row): fan_agrees(other, presses[0])
            for other in first
            if is_shown(other, presses[0], table.unit)
        }
        confirmed = [reading for reading in confirmed if id(reading.row) in shown]
        confirmed.sort(key=lambda reading: not shown[id(reading.row)])
    counts = Counter(states=len(table.states))
    if confirmed:
        counts.update(compared(confirmed[0], table, faults, referee))
    return Result(
        source=table.source,
        makers=table.makers,
        frames=table.layout.frames,
        by_one=first[0].protocol if first else "",
        by_two=confirmed[0].protocol if confirmed else "",
        candidates=len(confirmed),
        counts=counts,
    )


def received_badly(packet: bytes, random: Random, longer_us: int) -> bytes:
    """Return a packet as received badly: marks longer, each duration up to 5 % off."""
    timings = [round(us * random.uniform(0.95, 1.05)) + longer_us for us in to_timings(packet)]
    timings[1::2] = [min(space, -50) for space in timings[1::2]]
    return from_timings(timings)


def is_shown(reading: KnownReading, state: State, unit: str) -> bool:
    """Return whether a reading agrees with the display of a remote control in its unit."""
    decoded = reading.state
    is_in_unit = unit == reading.row.unit or not reading.unexplained
    return (
        isinstance(decoded, State)
        and is_in_unit
        and is_same(decoded, in_unit(state, unit, reading.row.unit))
    )


def fan_agrees(reading: KnownReading, state: State) -> bool:
    """Return whether a reading agrees with the displayed fan speed, as far as it is known."""
    fan = reading.state.fan if isinstance(reading.state, State) else None
    return fan == named(state).fan or fan is None


def in_unit(state: State, unit: str, row_unit: str) -> State:
    """Return a state with its temperature in the unit of a row."""
    if state.temperature is None or unit == row_unit:
        return state
    if row_unit == "C":
        return replace(state, temperature=float(in_celsius(state.temperature)))
    return replace(state, temperature=-state.temperature)  # no protocol sends °F for °C


def compared(
    reading: KnownReading,
    table: Table,
    faults: Collection[State],
    referee: Referee | None = None,
) -> Counter[str]:
    """Return the outcomes of a file's states, compared with those of a thermostat."""
    comparison = _Comparison(reading, table)
    outcomes = comparison.outcomes
    if referee is not None:
        outcomes = comparison.refereed(referee)
    return Counter(
        "file" if state in faults and outcome != "exact" else outcome
        for state, outcome in outcomes.items()
    )


class _Comparison:
    """Comparison of the states of a file and of a thermostat."""

    def __init__(self, reading: KnownReading, table: Table) -> None:
        self.unit = reading.row.unit
        self.table = table
        self.rule = rule = reading.rule()
        self.by_bits: dict[int, list[State]] = defaultdict(list)
        self.by_name: dict[tuple[str, float | None], list[tuple[State, int]]] = defaultdict(list)
        for name, mode in rule.modes.items():
            for state, message in mode.messages(name).items():
                self.by_bits[message].append(state)
                self.by_name[_mode(state), state.temperature].append((state, message))
        renamed_states = normalized(
            {state: bits & rule.data for state, bits in table.states.items()}
        )
        self.in_row_unit = {
            state: in_unit(renamed, table.unit, reading.row.unit)
            for state, renamed in renamed_states.items()
        }
        self.counterparts: dict[State, State] = {}
        """State of the file → the thermostat's state with its packet, or else with its name."""
        self.outcomes = self._outcomes()

    def _outcomes(self) -> dict[State, str]:
        rule, frames = self.rule, self.table.layout.frames
        outcomes: dict[State, str] = {}
        fans: dict[tuple[str, str | None], Counter[str | None]] = defaultdict(Counter)
        for state, message in self.table.states.items():
            is_checked = all(check.compute(message, frames) == message for check in rule.checks)
            states = self.by_bits.get(message & rule.data, ()) if is_checked else ()
            agreeing = [
                candidate for candidate in states if is_same(candidate, self.in_row_unit[state])
            ]
            if agreeing:
                outcomes[state] = "exact"
                fans[state.mode, state.fan][agreeing[0].fan] += 1
            else:
                outcomes[state] = "wrong" if states else "missing"
            if states:
                self.counterparts[state] = [*agreeing, *states][0]
        usual_fans = {name: counts.most_common(1)[0][0] for name, counts in fans.items()}
        for state, outcome in outcomes.items():
            if outcome == "exact":
                if self.counterparts[state].fan != usual_fans[state.mode, state.fan]:
                    outcomes[state] = "wrong"
            elif (
                outcome == "missing"
                and (same_name := self._same_name(state, usual_fans)) is not None
            ):
                outcomes[state], self.counterparts[state] = "unlike", same_name
        for state in _contradicted(self.table, outcomes, self.by_bits, rule.data):
            outcomes[state] = "copied"
        return outcomes

    def _same_name(
        self, state: State, usual_fans: Mapping[tuple[str, str | None], str | None]
    ) -> State | None:
        """Return the thermostat's state with a name; None if there is none."""
        in_row_unit = self.in_row_unit[state]
        fan = usual_fans.get((state.mode, state.fan), named(in_row_unit).fan)
        degrees = {in_row_unit.temperature, None}
        candidates = [
            candidate
            for temperature in degrees
            for candidate in self.by_name.get((_mode(in_row_unit), temperature), ())
        ]
        if in_row_unit.temperature is None:
            candidates = [
                candidate
                for (mode, _), mode_candidates in self.by_name.items()
                if mode == _mode(in_row_unit)
                for candidate in mode_candidates
            ]
        bits = self.table.states[state] & self.rule.data
        same_fan = [candidate for candidate in candidates if candidate[0].fan in {fan, None}]
        return min(
            same_fan, key=lambda candidate: (candidate[1] ^ bits).bit_count(), default=(None, 0)
        )[0]

    def refereed(self, referee: Referee) -> dict[State, str]:
        """Return the outcomes, corrected where the referee's decoding agrees."""
        open_states = [s for s, outcome in self.outcomes.items() if outcome in {"wrong", "unlike"}]
        signal = self.rule.signal
        packets = (messages.write(signal, self.table.states[state]) for state in open_states)
        written = (self.rule.encode(self.counterparts[state]) for state in open_states)
        opinions = zip(referee.opinions(packets), referee.opinions(written), strict=True)
        corrected = dict(self.outcomes)
        for state, (opinion, written_opinion) in zip(open_states, opinions, strict=True):
            if opinion is None or written_opinion is None:
                continue
            if self.outcomes[state] == "wrong":
                if opinion.agrees_on(self.counterparts[state], self.unit):
                    corrected[state] = "named"
            elif opinion.sets_the_same(
                written_opinion, in_degrees=self.in_row_unit[state].temperature is not None
            ):
                corrected[state] = "alike"
        return corrected


def _mode(state: State) -> str:
    return "auto" if state.mode == "heat_cool" else state.mode


def _contradicted(
    table: Table,
    outcomes: Mapping[State, str],
    by_bits: Mapping[int, Sequence[State]],
    data: int,
) -> set[State]:
    """Return the wrong states whose packet the file also has under the right name.

    If states were recorded one place too late, the last one is such a state; each of the others has
    its packet where the next one should be.
    """
    wrong = {state for state, outcome in outcomes.items() if outcome == "wrong"}
    right = {table.states[state] for state, outcome in outcomes.items() if outcome == "exact"}
    copied = {state for state in wrong if table.states[state] in right}
    while True:
        displaced = {
            state
            for state in wrong - copied
            if any(
                replace(state, mode=known.mode, temperature=known.temperature) in copied
                for known in by_bits[table.states[state] & data]
            )
        }
        if not displaced:
            return copied
        copied |= displaced


def summary(results: Sequence[Result], unread: int) -> str:
    """Return the totals of all files as a sentence."""
    total = Counter[str]()
    for result in results:
        total.update(result.counts)
    file_count = len(results)
    by_one = sum(bool(result.by_one) for result in results)
    by_two = sum(bool(result.by_two) for result in results)
    exact = sum(result.is_exact for result in results)
    several = sum(result.candidates > 1 for result in results)
    offered = sum(total[key] for key in ("exact", "wrong", "unlike", "alike", "named", "copied"))
    return (
        f"{file_count} files ({unread} more have no bits that can be read): "
        f"identified by one press {by_one} ({by_one / file_count:.0%}), "
        f"by two {by_two} ({by_two / file_count:.0%}; {several} of them as several protocols); "
        f"all states bit by bit {exact} ({exact / file_count:.0%}); "
        f"{total['states']} states: exact {total['exact']}, wrong {total['wrong']} "
        f"({100 * total['wrong'] / max(1, offered):.2f} % of those offered), "
        f"under a wrong name by the file itself {total['copied']}, by the referee "
        f"{total['named']}, with other bits that set the same {total['alike']}, "
        f"with other bits {total['unlike']}, "
        f"not offered {total['missing']}, the file's fault {total['file']}"
    )


def row(result: Result) -> str:
    """Return a line about a file."""
    counts = {key: count for key, count in result.counts.items() if count and key != "states"}
    return (
        f"{result.source:45} {'/'.join(result.makers):24} {'+'.join(map(str, result.frames)):12} "
        f"{result.by_two or '-':24} {result.counts['states']:5} {counts}"
    )


def packets_in(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the packets of code files of any format."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in SUFFIXES and file.is_file():
            try:
                imported = read_codes(file.read_text("utf-8", "replace"), device=file.stem)
            except ValueError:
                continue
            for commands in imported.commands.values():
                for packets in commands.values():
                    yield from ((file, packet) for packet in packets)


def noise(random: Random) -> bytes:
    """Return random pulses, longer than a hub records."""
    return from_timings([
        random.randint(100, 2000) * (1 if number % 2 == 0 else -1)
        for number in range(random.randint(8, 200))
    ])  # fmt: skip


def foreign(known: KnownAirConditioners, folder: Path, maximum: int, *, receiver: bool) -> None:
    """Print the packets of other devices, and the number of noise captures, that are accepted."""
    packets = [*packets_in(folder)]
    random = Random(0)  # noqa: S311  # nosec B311
    chosen = random.sample(packets, min(maximum, len(packets)))
    named = Counter[tuple[str, str]]()
    for file, transmitted in chosen:
        packet = (
            received_badly(transmitted, random, random.randint(*LONGER_US))
            if receiver
            else transmitted
        )
        for reading in known.identify(packet)[:1]:
            named[str(file.relative_to(folder)), reading.protocol] += 1
    accepted = sum(bool(known.identify(noise(random))) for _ in chosen)
    for (file_name, protocol), count in named.most_common():
        print(f"{count:5} {protocol:24} {file_name}")
    print(
        f"{named.total()} of {len(chosen)} packets of {len(packets)} are taken for an air "
        f"conditioner's; {accepted} of as many of noise"
    )


def main() -> None:
    """Print the results."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--referee", type=Path, help="a copy of IRremoteESP8266")
    parser.add_argument("--receiver", action="store_true", help="receive each press badly")
    parser.add_argument("--each", action="store_true", help="show each file")
    parser.add_argument("--foreign", type=int, metavar="COUNT", help="so many of other devices")
    arguments = parser.parse_args()
    known = KnownAirConditioners.load()
    if arguments.foreign:
        foreign(known, arguments.source, arguments.foreign, receiver=arguments.receiver)
        return
    cache = Path(gettempdir()) / "known_rows"
    cache.mkdir(exist_ok=True)
    referee = None
    if arguments.referee is not None:
        referee = Referee.built(arguments.referee, cache / "referee")
    results: list[Result] = []
    for table in read_folder(arguments.source, arguments.source.name, cache):
        _, consistent, faults = cleaned(table)
        random = Random(table.source) if arguments.receiver else None  # noqa: S311  # nosec B311
        if consistent:
            results.append(measure(known, table, faults, random=random, referee=referee))
            if arguments.each:
                print(row(results[-1]), flush=True)
    files = len([*arguments.source.rglob("climate/*.json")])
    if results:
        print(summary(results, files - len(results)))


if __name__ == "__main__":
    main()
