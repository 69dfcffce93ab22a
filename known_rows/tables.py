"""Tables: the states and messages of one air conditioner in a public code file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
import pickle
from statistics import median

from custom_components.irhub.ircodes import State, read_codes
from custom_components.irhub.ircodes.packet.bits import Frame, Signal
from custom_components.irhub.ircodes.packet.codings import Pair
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states.messages import Layout

from .clock import clock_bits

_SAMPLES = 9
"""Number of packets whose median durations are used."""
MOST_CELSIUS = 45.0
"""Higher temperatures are in °F: some files do not state their unit."""
_COUNTED_BITS = 8
"""Shorter frames are not part of a message (`states.messages`)."""


@dataclass(kw_only=True)
class Table:
    """States of one remote control, with their messages."""

    source: str
    """Name of the source: "litinoveweedle/SmartIR climate/1000"."""
    makers: tuple[str, ...]
    protocol: str = ""
    """Name of the protocol in the source; empty if unknown."""
    unit: str = "C"
    layout: Layout
    signal: Signal
    """With the median durations of some packets."""
    states: dict[State, int]
    """States whose packets have the most frequent layout."""
    off: int | None
    others: int = 0
    """Number of states whose packets have another layout, or none."""
    packets: frozenset[bytes] = frozenset()
    """Digests of the packets: files that share some are one recording."""
    optional: int = 0
    """Bits of functions outside the states: turbo, a lamp."""
    beside: tuple[int, ...] = ()
    """Messages with such functions: checks hold for them, too."""
    rolling: int = 0
    """Bits of a clock that advanced during the recording."""


def read_folder(folder: Path, name: str, cache: Path) -> Iterator[Table]:
    """Yield the tables of a collection's climate files, cached."""
    for file in sorted(folder.rglob("climate/*.json")):
        table = cached(file, f"{name} {file.parent.name}/{file.stem}", cache)
        if table is not None:
            yield table


def cached(file: Path, source: str, cache: Path) -> Table | None:
    """Return the table of a file, from the cache if available."""
    content = file.read_bytes()
    digest = sha256(source.encode() + content + Path(__file__).read_bytes()).hexdigest()
    place = cache / f"{digest[:24]}.table"
    if not place.exists():
        table = read_file(content, source)
        place.write_bytes(pickle.dumps(table))
        return table
    read: Table | None = pickle.loads(place.read_bytes())  # noqa: S301  # nosec B301  (our own)
    return read


def read_file(content: bytes, source: str) -> Table | None:
    """Return the table of a code file; None if it has no readable bits."""
    try:
        imported = read_codes(content.decode("utf-8", "replace"), device="it")
    except ValueError:
        return None
    head = imported.head
    commands = {name: packets for of in imported.commands.values() for name, packets in of.items()}
    states = {name: state for of in imported.states.values() for name, state in of.items()}
    packets = {state: commands[name][0] for name, state in states.items() if name in commands}
    off = next((commands[name][0] for name in ("off", "Off") if name in commands), None)
    unit = head.capabilities.unit if head else None
    degrees = [state.temperature for state in packets if state.temperature is not None]
    if min(degrees, default=0) > MOST_CELSIUS:
        unit = "F"
    return of_packets(
        packets, off, source=source, makers=(imported.manufacturer.strip(),), unit=unit or "C"
    )


def of_packets(
    packets: Mapping[State, bytes],
    off: bytes | None,
    *,
    source: str,
    makers: tuple[str, ...],
    protocol: str = "",
    unit: str = "C",
    least: float = 0.5,
) -> Table | None:
    """Return the table of packets; None if too few of them (`least`) have the same layout."""
    read = {state: message_of(packet) for state, packet in packets.items()}
    layouts = Counter(decoded[0] for decoded in read.values() if decoded is not None)
    if not layouts:
        return None
    [(layout, count)] = layouts.most_common(1)
    if count < least * len(packets):
        return None
    states = {
        state: decoded[1] for state, decoded in read.items() if decoded and decoded[0] == layout
    }
    of_layout = [packets[state] for state in states]
    signal = usual_signal(of_layout[:: max(1, len(of_layout) // _SAMPLES)])
    if signal is None:
        return None
    off_read = None if off is None else message_of(off)
    return Table(
        rolling=clock_bits(states, layout.frames),
        source=source,
        makers=makers,
        protocol=protocol,
        unit=unit,
        layout=layout,
        signal=signal,
        states=states,
        off=off_read[1] if off_read and off_read[0] == layout else None,
        others=len(packets) - len(states),
        packets=frozenset(sha256(packet).digest()[:8] for packet in packets.values()),
    )


def message_of(packet: bytes) -> tuple[Layout, int] | None:
    """Return layout and message of a packet, as `states.messages.read` does, but faster."""
    key = read(packet).key
    if key is None or key.kind not in {"pairs", "biphase"}:
        return None
    frames = [frame for frame in key.frames if len(frame) >= _COUNTED_BITS]
    if not frames:
        return None
    text = b"".join(frames)[::-1].translate(bytes([48, 49]) + bytes(254))
    return Layout(kind=key.kind, frames=tuple(map(len, frames))), int(text, 2)


def usual_signal(packets: Iterable[bytes]) -> Signal | None:
    """Return a signal with the median durations of packets with the same layout."""
    signals = [signal for packet in packets if (signal := read(packet).signal) is not None]
    shapes = [[(len(f.leader), len(f.bits), len(f.trailer)) for f in s.whole] for s in signals]
    if not shapes:
        return None
    usual = max(shapes, key=shapes.count)
    alike = [signal for signal, shape in zip(signals, shapes, strict=True) if shape == usual]
    return median_signal(alike)


def median_signal(alike: list[Signal]) -> Signal:
    """Return the first of several signals of one shape, with the median durations of all."""
    like = alike[0]
    frames = [
        Frame(
            leader=tuple(_medians(frame.leader for frame in place)),
            bits=place[0].bits,
            trailer=tuple(_medians(frame.trailer for frame in place)),
            gap=round(median(frame.gap for frame in place)),
        )
        for place in zip(*(signal.whole for signal in alike), strict=True)
    ]
    one, zero = (_pair(getattr(signal.coding, bit) for signal in alike) for bit in ("one", "zero"))
    coding = type(like.coding)(like.coding.kind, one, zero)
    return Signal(like.type, coding, tuple(frames))


def _pair(pairs: Iterable[Pair]) -> Pair:
    mark, space = _medians(pairs)
    return mark, space


def _medians(durations: Iterable[Iterable[int]]) -> list[int]:
    return [round(median(place)) for place in zip(*durations, strict=True)]
