"""Measure how well air conditioners are taught: presses asked for, states offered, wrong ones.

    python -m benchmarks.measure_teaching FILE.tsv|FOLDER|virtual [NAME…] [--presses]
                                          [--frozen FILE.json]

Each remote control is a code file: a press sends the file's packet for the state. FOLDER contains
SmartIR's climate files; a table has the columns file, manufacturer, modes, path of the state ("cool
> high > 24"), packet. Nothing of the files is stored. "virtual" are the 60 remote controls whose
packets `pyhvac` encodes (`virtual_remotes.py`). A state is wrong if its packet has another message
than the remote control's. Counted separately are

    file    packets of the file that contradict the file's other states (`teaching.faults`, which
            does not use the taught rule); packets with other frames than most are not compared

    itself  packets that differ only in their checks, and in bits that change by themselves by a
            known protocol (the last button, a measured temperature)

Unless --clock is given, a clock that was captured with a file stands still: its bits are a part of
the state. Keys are those that a person presses to set the requested state (`teaching.keys`).

    --receiver  each press is received badly: marks 30 to 150 µs longer, the same for all presses of
                a remote control, each duration up to 5 % off, one press of ten without its leader
    --mistake   once for each remote control, another fan speed is pressed than the requested one
    --known FOLDER  known protocols are tried first, by a table NAME.jsonl for each file, made
                without it (`python -m known_rows … --leave-one-out --tables FOLDER`)
    --clock     a clock advances with each press, and the room temperature varies. In a file, bits
                that no state explains go on as they did while it was recorded, if they are known
                to be no check (`recorded_clock.py`); they are not compared then

benchmarks/taught.json contains digests of the lessons of ../shared/data/climate.tsv.gz: the
questions, the packets and the rules. A change that should not affect teaching is compared with them
(`--frozen`); after one that does, remove the file and run the same command to write it again.
"""

from argparse import ArgumentParser
from base64 import b64decode
import binascii
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
import gzip
from hashlib import sha256
import json
from pathlib import Path
from random import Random
from statistics import mean, median
from time import process_time

from custom_components.irhub.ircodes import (
    OFF,
    BitRule,
    Capabilities,
    Off,
    State,
    Teacher,
    Verdict,
    find_faults,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.known import KnownAirConditioners
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.teaching import keys

from .recorded_clock import RecordedClock
from .virtual_remotes import VirtualRemote, virtual_remotes

STABLE = 0.9
"""Share of a file's packets that have frames of the same lengths, for it to count."""
GOAL = 0.95
"""Share of its states that are offered, for a remote control to be taught well."""

LATE = 0.1
"""Share of presses of which a bad receiver misses the leader."""

type Message = tuple[messages.Layout, int]
type Packets = dict[tuple[str, ...], bytes]


@dataclass(kw_only=True)
class Result:
    """The result of teaching a remote control."""

    states: int
    asked: int
    keys: int
    offered: int
    wrong: int
    file: int
    itself: int
    known: str
    """The known protocol that is proven, if one is."""
    has_clock: bool
    """Whether the clock of a file runs."""
    slowest_s: float
    rule_bytes: int
    presses: list[tuple[State | Off, str]]
    digests: Mapping[str, object]
    """Digests that only a change of teaching may alter."""


def remotes(source: str) -> Iterator[tuple[str, Remote]]:
    """Yield the remote controls of a source, by name."""
    if source == "virtual":
        for virtual in virtual_remotes():
            yield virtual.name, Remote(codes=virtual.codes, off=virtual.packet(OFF), live=virtual)
        return
    for name, packets in files(Path(source)):
        yield name, Remote(codes=dict(_states(packets)), off=packets.get(("off",)))


def files(source: Path) -> Iterator[tuple[str, Packets]]:
    """Yield the files' names and packets."""
    if source.is_dir():
        for file in sorted(source.glob("*.json")):
            content = json.loads(file.read_text(encoding="utf-8", errors="replace"))
            if content.get("supportedController") == "Broadlink":
                yield file.stem, dict(_leaves(content["commands"], ()))
        return
    of_files: dict[str, Packets] = {}
    unpacked = gzip.decompress if source.suffix == ".gz" else bytes
    rows = unpacked(source.read_bytes()).decode().splitlines()
    for line in rows[1:]:
        name, _, _, path, text = line.split("\t")
        of_files.setdefault(name, {})[tuple(path.split(" > "))] = _packet(text)
    yield from of_files.items()


@dataclass(frozen=True, kw_only=True)
class Remote:
    """What a remote control sends."""

    codes: Mapping[State, bytes]
    off: bytes | None
    live: VirtualRemote | None = None
    """Encodes packets for any time; None for a file."""
    clock: RecordedClock | None = None
    """Of a file, if it runs."""

    def packet(self, state: State | Off, press: int) -> bytes | None:
        """Return what is sent for a state with the n-th press; None if there is no such state."""
        if self.live is not None and press and state in {*self.codes, OFF}:
            return self.live.packet(state, minutes=press, room=_room(press))
        packet = self.off if isinstance(state, Off) else self.codes.get(state)
        return self.clock.at(packet, press) if self.clock and press and packet else packet

    def sends(self, state: State, message: Message | None, presses: int) -> bool:
        """Return whether this is what is sent for a state, at any moment of a lesson."""
        sent = messages.read(self.codes[state])
        if self.clock and message and sent and message[0] == sent[0] == self.clock.layout:
            return self.clock.is_same(message[1], sent[1])
        moments = range(presses + 1 if self.live is not None and presses else 1)
        packets = (self.packet(state, moment) for moment in moments)
        return any(packet and messages.read(packet) == message for packet in packets)


def _room(press: int) -> int:
    """Return the temperature in the room at the n-th press, between 20 and 23 °C."""
    return 20 + (press // 5) % 4


@dataclass(kw_only=True)
class Person:
    """Presses what is asked for, in front of a receiver."""

    remote: Remote
    capabilities: Capabilities
    random: Random
    longer_us: int | None = None
    """Microseconds by which a bad receiver lengthens marks; None for a good one."""
    mistake_at: int | None = None
    """Presses after which another fan speed is pressed, once."""
    has_clock: bool = False
    keys: int = 0
    """Number of pressed keys."""
    shown: State | None = None
    """The state on its display."""

    def press(self, state: State | Off, asked: int) -> bytes | None:
        """Return what is received; None if there is no such state."""
        pressed = state
        if self.mistake_at is not None and asked >= self.mistake_at and isinstance(state, State):
            column = replace(state, fan=None)
            others = [o for o in self.remote.codes if replace(o, fan=None) == column and o != state]
            if others:
                pressed, self.mistake_at = self.random.choice(others), None
        packet = self.remote.packet(pressed, asked + 1 if self.has_clock else 0)
        if packet is not None:
            self._count_keys(state)
        if packet is None or self.longer_us is None:
            return packet
        sent = to_timings(packet)
        if 0 in sent:  # a file may fill a packet with zeros, which nothing sends
            del sent[sent.index(0) :]
        timings = [
            round(duration * self.random.uniform(0.95, 1.05)) + self.longer_us
            for duration in sent  # a space is negative: it gets shorter
        ]
        timings[1::2] = [min(space, -50) for space in timings[1::2]]
        return from_timings(timings[2:] if self.random.random() < LATE else timings)

    def _count_keys(self, state: State | Off) -> None:
        if isinstance(state, Off):
            self.keys += 2  # off, and on again
        else:
            self.keys += keys.between(self.shown or state, state, self.capabilities)
            self.shown = state


def teach(
    remote: Remote,
    name: str,
    *,
    receiver: bool = False,
    mistake: bool = False,
    clock: bool = False,
    known: KnownAirConditioners | None = None,
) -> Result | None:
    """Teach one remote control; None if its packets are not alike enough."""
    codes = remote.codes
    decoded = {state: messages.read(packet) for state, packet in codes.items()}
    layouts = Counter(message[0] for message in decoded.values() if message is not None)
    if not layouts:
        return None
    [(usual, count)] = layouts.most_common(1)
    if count < STABLE * len(codes) and remote.live is None:
        return None
    if clock and remote.live is None:
        remote = replace(remote, clock=RecordedClock.find(codes, usual))
    capabilities = Capabilities.of_states(codes)
    teacher = Teacher(capabilities, None if known is None else lambda: known)
    random = Random(name)  # noqa: S311  # nosec B311  (the same each time)
    mistake_at, longer_us = random.randint(3, 25), random.randint(30, 150)
    person = Person(
        remote=remote,
        capabilities=capabilities,
        random=random,
        has_clock=clock,
        longer_us=longer_us if receiver else None,
        mistake_at=mistake_at if mistake else None,
    )
    presses: list[tuple[State | Off, str]] = []
    slowest = 0.0
    while (ask := teacher.ask) is not None:
        packet = person.press(ask, teacher.asked)
        began = process_time()
        if packet is None:
            outcome = "missing"
            teacher.skip()
        elif (verdict := teacher.take(packet)) is Verdict.UNREADABLE:
            outcome = verdict.value
            teacher.skip()
        else:
            outcome = verdict.value
        slowest = max(slowest, process_time() - began)
        presses.append((ask, outcome))
    rule = teacher.rule()
    offered = [state for state in codes if rule is not None and state in rule.states]
    faults = {} if remote.live is not None else find_faults(codes).contradicting
    wrong, of_file, itself = 0, 0, 0
    for state in offered:
        assert rule is not None  # noqa: S101 - for mypy: else none is offered
        made = messages.read(rule.encode(state))
        is_unusual = (sent := decoded[state]) is None or sent[0] != usual
        if remote.sends(state, made, teacher.asked if clock else 0) or (
            is_unusual and remote.live is None
        ):
            continue
        if teacher.known is not None and sent is not None and _is_same(rule, made, sent):
            itself += 1
            continue
        of_others = faults.get(state)
        is_fault = of_others is not None and made == messages.read(of_others)
        wrong, of_file = wrong + (not is_fault), of_file + is_fault
    return Result(
        states=len(codes),
        asked=sum(outcome != "missing" for _, outcome in presses),
        keys=person.keys,
        offered=len(offered),
        wrong=wrong,
        file=of_file,
        itself=itself,
        known="" if teacher.known is None else teacher.known.protocol,
        has_clock=remote.clock is not None,
        slowest_s=slowest,
        rule_bytes=len(json.dumps(rule.as_data())) if rule is not None else 0,
        presses=presses,
        digests={
            "presses": teacher.asked,
            "states": len(offered),
            "questions": _digest([(str(ask), outcome) for ask, outcome in presses]),
            "rule": _digest(rule and rule.as_data()),
            "packets": _digest(
                rule and {str(state): rule.encode(state).hex() for state in rule.states}
            ),
        },
    )


def _is_same(rule: BitRule, made: Message | None, sent: Message) -> bool:
    """Return whether messages differ in bits alone that change by themselves, and in checks."""
    if made is None or made[0] != sent[0] or (made[1] ^ sent[1]) & rule.data:
        return False
    frames = rule.layout.frames
    return all(check.compute(sent[1], frames) == sent[1] for check in rule.checks)


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _leaves(node: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bytes]]:
    if isinstance(node, dict):
        for key, below in node.items():
            yield from _leaves(below, (*path, key))
    elif isinstance(node, str) and node:
        try:
            yield path, _packet(node)
        except binascii.Error:
            return


def _packet(text: str) -> bytes:
    return b64decode(text + "=" * (-len(text) % 4))


def _states(packets: Packets) -> Iterator[tuple[State, bytes]]:
    """Yield states for paths; which level is which does not matter here."""
    for (mode, *levels), packet in packets.items():
        try:
            temperature = float(levels[-1]) if levels else None
        except ValueError:
            temperature = None
        names = [None if level == "-" else level for level in levels]
        names = names if temperature is None else names[:-1]
        if levels and len(names) <= 3:  # noqa: PLR2004 - preset, fan, swing
            preset, fan, swing = {
                0: (None, None, None), 1: (None, *names, None), 2: (None, *names), 3: names
            }[len(names)]  # fmt: skip
            yield (
                State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature),
                packet,
            )


def main() -> None:
    """Print a row for each remote control, and the totals."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--presses", action="store_true", help="show each press")
    parser.add_argument("--receiver", action="store_true", help="receive each press badly")
    parser.add_argument("--mistake", action="store_true", help="press one wrong fan speed")
    parser.add_argument("--known", type=Path, help="known protocols first, by tables of a folder")
    parser.add_argument("--clock", action="store_true", help="let clocks run")
    parser.add_argument("--frozen", type=Path, help="name what is taught otherwise than here")
    arguments = parser.parse_args()
    results: list[Result] = []
    digests: dict[str, Mapping[str, object]] = {}
    unstable = 0
    print(f"{'remote':>14} presses keys offered     of wrong  file itself     ms  bytes")
    for name, remote in remotes(arguments.source):
        if arguments.names and name not in arguments.names:
            continue
        known = None
        if arguments.known is not None:
            known = KnownAirConditioners.load(arguments.known / f"{name}.jsonl")
        result = teach(
            remote,
            name,
            known=known,
            receiver=arguments.receiver,
            mistake=arguments.mistake,
            clock=arguments.clock,
        )
        if result is None:
            unstable += 1
            continue
        results.append(result)
        digests[name] = result.digests
        print(
            f"{name:>14} {result.asked:7} {result.keys:4} {result.offered:7}"
            f" {result.states:6} {result.wrong:5} {result.file:5} {result.itself:6}"
            f" {result.slowest_s * 1000:6.0f} {result.rule_bytes:6} {result.known}"
            f"{' clock' * result.has_clock}"
        )
        if arguments.presses:
            for ask, outcome in result.presses:
                print(f"    {'off' if isinstance(ask, Off) else ask}: {outcome}")
    if not results:
        return
    offered = sum(result.offered for result in results)
    wrong = sum(result.wrong for result in results)
    well = sum(result.offered >= GOAL * result.states for result in results)
    print(
        f"{len(results)} remote controls ({unstable} more are not stable), "
        f"{sum(result.states for result in results)} states: "
        f"presses {max(result.asked for result in results)} at most, "
        f"{sum(result.asked for result in results) / len(results):.1f} on average, "
        f"{mean(result.keys for result in results):.0f} keys "
        f"(median {median(result.keys for result in results):.0f}); "
        f"offered {offered}, wrong {wrong} ({100 * wrong / max(1, offered):.2f} %), "
        f"the file's fault {sum(result.file for result in results)}, "
        f"by themselves {sum(result.itself for result in results)}; "
        f"known {sum(bool(result.known) for result in results)}; "
        f"{GOAL:.0%} offered for {well} ({well / len(results):.0%}); "
        f"{max(result.slowest_s for result in results) * 1000:.0f} ms for the slowest press"
    )
    if arguments.frozen and arguments.frozen.exists():
        frozen = json.loads(arguments.frozen.read_text())
        other = [name for name in digests if digests[name] != frozen.get(name)]
        print(f"taught otherwise than frozen: {', '.join(other) or 'none'}")
    elif arguments.frozen:
        arguments.frozen.write_text(json.dumps(digests, indent=1) + "\n")


if __name__ == "__main__":
    main()
