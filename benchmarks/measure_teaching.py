"""Say how well air conditioners are taught: presses asked for, states offered, wrong ones.

    python -m benchmarks.measure_teaching FILE.tsv|FOLDER [NUMBER…] [--presses] [--frozen FILE.json]

Each remote control is a code file: a press is answered by what the file has for the state. FOLDER
holds SmartIR's climate files; a table has the columns file, manufacturer, modes, path of the state
("cool > high > 24"), packet. Nothing of the files is kept. A state is wrong if its packet says
something else than the file's. Counted apart are

    file    packets of the file that contradict the file's other states (`teaching.faults`, which
            knows nothing of the rule that was taught); those with other frames than most are not
            compared

A clock that was captured with a file stands still here: its bits are a part of the state.

    --receiver  each press is received badly: marks 30 to 150 µs longer, the same for all presses of
                a remote control, each duration up to 5 % off, one press of ten without its leader
    --mistake   another fan speed is pressed than the one that is asked for, once for each

benchmarks/taught.json has digests of how those of ../shared/data/climate.tsv.gz are taught: each
question, each packet and the rule. A change that should not matter for teaching is compared with
them (`--frozen`); after one that does, the file is removed and written anew in the same way.
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
from time import process_time
from typing import Literal

from custom_components.irhub.ircodes import (
    Capabilities,
    Heard,
    Off,
    State,
    Teacher,
    find_faults,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.states import messages

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
    """How one remote control was taught."""

    states: int
    asked: int
    offered: int
    wrong: int
    file: int
    slowest_s: float
    rule_bytes: int
    presses: list[tuple[State | Off, str]]
    digests: Mapping[str, object]
    """What must not change by itself."""


def files(source: Path) -> Iterator[tuple[str, Packets]]:
    """Yield the files' names and packets."""
    if source.is_dir():
        for file in sorted(source.glob("*.json")):
            content = json.loads(file.read_text(encoding="utf-8", errors="replace"))
            if content.get("supportedController") == "Broadlink":
                yield file.stem, dict(_leaves(content["commands"], ()))
        return
    found: dict[str, Packets] = {}
    unpacked = gzip.decompress if source.suffix == ".gz" else bytes
    rows = unpacked(source.read_bytes()).decode().splitlines()
    for line in rows[1:]:
        name, _, _, path, text = line.split("\t")
        found.setdefault(name, {})[tuple(path.split(" > "))] = _packet(text)
    yield from found.items()


@dataclass(kw_only=True)
class Person:
    """Presses what is asked for, in front of a receiver."""

    codes: Mapping[State, bytes]
    random: Random
    longer_us: int | None = None
    """What a bad receiver lengthens marks by."""
    mistake_at: int | None = None
    """Presses after which another fan speed is pressed, once."""

    def press(self, state: State, asked: int) -> bytes | None:
        """Return what is received; None if there is no such state."""
        pressed = state
        if self.mistake_at is not None and asked >= self.mistake_at:
            column = replace(state, fan=None)
            others = [other for other in self.codes if replace(other, fan=None) == column]
            others = [other for other in others if other != state]
            if others:
                pressed, self.mistake_at = self.random.choice(others), None
        packet = self.codes.get(pressed)
        if packet is None or self.longer_us is None:
            return packet
        timings = [
            round(duration * self.random.uniform(0.95, 1.05)) + self.longer_us
            for duration in to_timings(packet)  # a space is negative: it gets shorter
        ]
        timings[1::2] = [min(space, -50) for space in timings[1::2]]
        return from_timings(timings[2:] if self.random.random() < LATE else timings)


def teach(
    packets: Packets, name: str, *, receiver: bool = False, mistake: bool = False
) -> Result | None:
    """Teach one remote control; None if its packets are not alike enough."""
    codes = dict(_states(packets))
    said = {state: messages.read(packet) for state, packet in codes.items()}
    layouts = Counter(one[0] for one in said.values() if one is not None)
    if not layouts:
        return None
    [(usual, count)] = layouts.most_common(1)
    if count < STABLE * len(codes):
        return None
    teacher = Teacher(Capabilities.of_states(codes))
    random = Random(name)  # noqa: S311  # nosec B311  (the same each time)
    mistake_at, longer_us = random.randint(3, 25), random.randint(30, 150)
    person = Person(
        codes=codes,
        random=random,
        longer_us=longer_us if receiver else None,
        mistake_at=mistake_at if mistake else None,
    )
    presses: list[tuple[State | Off, str]] = []
    slowest = 0.0
    while (ask := teacher.ask) is not None:
        packet = packets.get(("off",)) if isinstance(ask, Off) else person.press(ask, teacher.asked)
        begun = process_time()
        if packet is None:
            outcome = "missing"
            teacher.skip()
        elif (became := teacher.heard(packet)) is Heard.UNREADABLE:
            outcome = became.value
            teacher.skip()
        else:
            outcome = became.value
        slowest = max(slowest, process_time() - begun)
        presses.append((ask, outcome))
    rule = teacher.rule()
    offered = [state for state in codes if rule is not None and state in rule.states]
    faults = find_faults(codes).contradicting
    differing = Counter(
        _compared(messages.read(rule.encode(state)), heard, faults.get(state))
        for state in offered
        if rule is not None and (heard := said[state]) is not None and heard[0] == usual
    )
    return Result(
        states=len(codes),
        asked=teacher.asked,
        offered=len(offered),
        wrong=differing["wrong"],
        file=differing["file"],
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


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _compared(
    made: Message | None, of_file: Message, instead: bytes | None
) -> Literal["same", "wrong", "file"]:
    """Say what became of a state, with what the file's others say if its packet is a fault."""
    if made == of_file:
        return "same"
    others = None if instead is None else messages.read(instead)
    return "file" if others is not None and made == others else "wrong"


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
        names = [None if one == "-" else one for one in levels]
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
    """Print a row for each remote control, and what they are together."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--presses", action="store_true", help="show each press")
    parser.add_argument("--receiver", action="store_true", help="receive each press badly")
    parser.add_argument("--mistake", action="store_true", help="press one wrong fan speed")
    parser.add_argument("--frozen", type=Path, help="name what is taught otherwise than here")
    arguments = parser.parse_args()
    results: list[Result] = []
    digests: dict[str, Mapping[str, object]] = {}
    unstable = 0
    print(f"{'file':>8} presses offered     of wrong  file     ms  bytes")
    for name, packets in files(arguments.source):
        if arguments.names and name not in arguments.names:
            continue
        result = teach(packets, name, receiver=arguments.receiver, mistake=arguments.mistake)
        if result is None:
            unstable += 1
            continue
        results.append(result)
        digests[name] = result.digests
        print(
            f"{name:>8} {result.asked:7} {result.offered:7} {result.states:6} {result.wrong:5}"
            f" {result.file:5} {result.slowest_s * 1000:6.0f}"
            f" {result.rule_bytes:6}"
        )
        if arguments.presses:
            for ask, outcome in result.presses:
                print(f"    {'off' if isinstance(ask, Off) else ask}: {outcome}")
    if not results:
        return
    offered, wrong = sum(one.offered for one in results), sum(one.wrong for one in results)
    well = sum(one.offered >= GOAL * one.states for one in results)
    print(
        f"{len(results)} remote controls ({unstable} more are not stable), "
        f"{sum(one.states for one in results)} states: "
        f"presses {max(one.asked for one in results)} at most, "
        f"{sum(one.asked for one in results) / len(results):.1f} on average; "
        f"offered {offered}, wrong {wrong} ({100 * wrong / max(1, offered):.2f} %), "
        f"the file's fault {sum(one.file for one in results)}; "
        f"{GOAL:.0%} offered for {well} ({well / len(results):.0%}); "
        f"{max(one.slowest_s for one in results) * 1000:.0f} ms for the slowest press"
    )
    if arguments.frozen and arguments.frozen.exists():
        frozen = json.loads(arguments.frozen.read_text())
        other = [name for name in digests if digests[name] != frozen.get(name)]
        print(f"taught otherwise than frozen: {', '.join(other) or 'none'}")
    elif arguments.frozen:
        arguments.frozen.write_text(json.dumps(digests, indent=1) + "\n")


if __name__ == "__main__":
    main()
