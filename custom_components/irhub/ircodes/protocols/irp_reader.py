"""Reader for signals of a protocol in IRP notation, tolerant of reception errors.

A receiver lengthens all marks by about the same time and shortens the spaces by it. This bias is
measured first, on the shortest marks, and removed. The bits are those whose durations fit best as a
whole. Then the signal is written anew from the decoded values, and every received frame must match
it.
"""

from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Final

from .irp import PAUSE_US, Assignment, Bits, Extent, Irp, Item, merged

_SHORTEST_PAUSE: Final = 0.6
_CERTAIN_PAUSE_US: Final = 12_000.0
"""A longer space is always a pause: spaces that fill up to a length may be short."""
_END_US: Final = -200_000
_TOLERANCE: Final = 0.2
_TOLERANCE_US: Final = 60.0
_MARGIN_US: Final = 30.0
"""A duration may be off by half the step between two symbols, less this: a tick of the hub."""
_BIAS_US: Final = (-100.0, 190.0)
"""Range of the bias: µs that receivers add to marks."""
_DEFAULT_BIASES_US: Final = (0.0, 100.0)
"""Biases to try if none can be measured: a code may have no short mark."""
_SAME_US: Final = 30.0
_CLUSTER: Final = 1.5
_MAX_STATES: Final = 12
_BIAS_COST: Final = 1 / 400

type _State = tuple[int, float]
"""Number of durations consumed, and µs consumed of the next one."""
type _Path = tuple[float, int]
"""Cost: total deviation from the received durations; and the bits so far."""


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """Values decoded from a capture."""

    values: Mapping[str, int]
    copies: int
    """Number of complete messages before the first repeat; later ones belong to another press."""
    cost: float
    """Deviation of the durations from the protocol: 0 is equal, 1 barely readable."""


class Received:
    """A capture, preprocessed for reading with several protocols."""

    def __init__(self, timings: Sequence[int]) -> None:
        """Initialize with signed µs."""
        runs = merged(timings)
        """Marks and spaces alternating, from the first mark to the last space."""
        runs = runs[1:] if runs and runs[0] < 0 else runs
        self.runs = [*runs, _END_US] if runs and runs[-1] > 0 else runs
        """Marks and spaces in turn, from the first mark to the last space."""
        marks = self.runs[::2]
        self.shortest_mark = (
            median(us for us in marks if us <= _CLUSTER * min(marks)) if runs else 0
        )

    def biases(self, line: Irp) -> Iterator[float]:
        """Yield possible biases: µs that the receiver added to the marks of this protocol."""
        measured = self.shortest_mark - line.shortest_mark
        if _BIAS_US[0] <= measured <= _BIAS_US[1]:
            yield measured
        yield from (tried for tried in _DEFAULT_BIASES_US if abs(tried - measured) > _SAME_US)


def read(line: Irp, received: Received) -> Decoded | None:
    """Return the decoded values; None if the protocol would not send every frame of the signal."""
    if not received.runs:
        return None
    least, most = line.first_mark
    first = received.runs[0]
    places, us = line.first_pause
    pause = -min(received.runs[places.start : places.stop], default=0)
    for bias in received.biases(line):
        if _shortest(least) <= first - bias <= _longest(most) and pause + bias >= _min_pause(us):
            reading = _read(line, [us - bias for us in received.runs], bias)
            if reading is not None:
                return reading
    return None


def _shortest(us: float) -> float:
    return us * (1 - _TOLERANCE) - _TOLERANCE_US


def _min_pause(us: float) -> float:
    """Return the minimum length of a received pause for a nominal one."""
    return min(_SHORTEST_PAUSE * us, _CERTAIN_PAUSE_US)


def _longest(us: float) -> float:
    return us * (1 + _TOLERANCE) + _TOLERANCE_US


def _read(line: Irp, runs: Sequence[float], bias: float) -> Decoded | None:
    items = line.message
    states: dict[_State, _Path] = {(0, 0.0): (0.0, 0)}
    for item, onward in zip(items, line.onward, strict=True):
        match item:
            case Bits():
                for _ in range(item.count):
                    states = _symbol(runs, states, item, onward | item.begins)
            case Extent():
                states = _pause(runs, states, PAUSE_US)
            case float() if item <= -PAUSE_US:
                states = _pause(runs, states, -item)
            case float():
                states = _advanced(runs, states, (item,), onward)
        if not states:
            return None
    (end, _), (cost, bits) = min(states.items(), key=lambda entry: entry[1][0])
    values = _solved(line, items, bits)
    if values is None or (copies := _copies(line, values, runs, end)) is None:
        return None
    return Decoded(values=values, copies=copies, cost=cost / max(end, 1) + abs(bias) * _BIAS_COST)


def _consumed(
    runs: Sequence[float], state: _State, us: float, most: float, more: bool
) -> Iterator[tuple[_State, float]]:
    """Yield the states after one more duration and its cost.

    The duration ends together with the received one, or within it.
    """
    index, used = state
    if index == len(runs) or (runs[index] > 0) != (us > 0):
        return
    length, total = abs(runs[index]), used + abs(us)
    rival = used and (more or length < total)  # may also have ended before, or continue
    allowed = min(_TOLERANCE * total + _TOLERANCE_US, most, abs(us) / 2 if rival else inf)
    if (off := abs(length - total)) <= allowed:
        yield (index + 1, 0.0), off / allowed
    if more and length > total + _TOLERANCE_US:
        yield (index, total), 0.0


def _advanced(
    runs: Sequence[float],
    states: Mapping[_State, _Path],
    durations: Sequence[float],
    onward: AbstractSet[bool],
    most: float = inf,
) -> dict[_State, _Path]:
    """Return the states after some durations, each at most `most` µs off.

    `onward` states whether the next item begins with a mark, with a space, or with either.
    """
    for number, us in enumerate(durations, 1):
        more = (us > 0) in (onward if number == len(durations) else {durations[number] > 0})
        behind: dict[_State, _Path] = {}
        for state, (cost, bits) in states.items():
            for further, off in _consumed(runs, state, us, most, more):
                if further not in behind or cost + off < behind[further][0]:
                    behind[further] = (cost + off, bits)
        if not behind:
            return behind
        states = behind
    return dict(states)


def _symbol(
    runs: Sequence[float], states: Mapping[_State, _Path], item: Bits, onward: AbstractSet[bool]
) -> dict[_State, _Path]:
    best: dict[_State, _Path] = {}
    most = item.step / 2 - _MARGIN_US
    for value, durations in enumerate(item.symbols):
        for state, (cost, bits) in _advanced(runs, states, durations, onward, most).items():
            if state not in best or cost < best[state][0]:
                best[state] = (cost, bits << item.size | value)
    if len(best) > _MAX_STATES:
        kept = sorted(best.items(), key=lambda entry: entry[1][0])[:_MAX_STATES]
        return dict(kept)
    return best


def _pause(runs: Sequence[float], states: Mapping[_State, _Path], us: float) -> dict[_State, _Path]:
    least = _min_pause(us)
    return {
        (index + 1, 0.0): path
        for (index, used), path in states.items()
        if index < len(runs) and -runs[index] - used >= least
    }


def _solved(line: Irp, items: Sequence[Item], symbols: int) -> dict[str, int] | None:
    """Return the parameters that give these symbols."""
    fields = [item for item in items if isinstance(item, Bits)]
    left = sum(item.count * item.size for item in fields)
    sent: list[int] = []
    for item in fields:
        for _ in range(item.count):
            left -= item.size
            symbol = symbols >> left & (1 << item.size) - 1
            sent += [symbol >> item.place(number) & 1 for number in range(item.size)]
    return _solved_by(line, items, sent)


def sent_as(line: Irp, sent: Sequence[int]) -> dict[str, int] | None:
    """Return the parameters with which a protocol sends these bits; None if there are none."""
    fields = [
        bit_field for item in line.message if isinstance(item, Bits) for bit_field in item.fields
    ]
    if sum(bit_field.width for bit_field in fields) != len(sent):
        return None
    return _solved_by(line, line.message, sent)


def _solved_by(line: Irp, items: Sequence[Item], sent: Sequence[int]) -> dict[str, int] | None:
    known: dict[str, int] = {}
    place = 0
    assigned = {item.name for item in items if isinstance(item, Assignment)}
    for item in items:
        for bit_field in item.fields if isinstance(item, Bits) else ():
            bits = sent[place : place + bit_field.width]
            place += bit_field.width
            if bit_field.name in line.parameters and bit_field.name not in assigned:
                value = known.get(bit_field.name, 0)
                for at, bit in zip(bit_field.places(), bits, strict=True):
                    value = value & ~(1 << at) | (bit ^ bit_field.inverted) << at
                known[bit_field.name] = value
    try:
        values = line.complete(known)
    except ValueError:
        return None
    return values if [*_bits(items, line.named(values))] == [*sent] else None


def _bits(items: Sequence[Item], values: dict[str, int]) -> Iterator[int]:
    for item in items:
        match item:
            case Assignment():
                values[item.name] = item.value(values)
            case Bits():
                for bit_field in item.fields:
                    yield from bit_field.bits(values)


def _copies(line: Irp, values: Mapping[str, int], runs: Sequence[float], end: int) -> int | None:
    """Return the number of copies of the message before the first repeat.

    None if anything else follows the first message.
    """
    if end == len(runs):
        return 1
    signal = line.encode(values)
    message, copies, is_held = signal.message(), 1, False
    parts = [part for part in (message, signal.repeat, signal.ending) if part]
    while end < len(runs):
        for part in parts:
            if (further := _follow(runs, end, part)) is not None:
                is_held |= part is not message
                copies += not is_held and further - end >= len(part)
                end = further
                break
        else:
            return None
    return copies


def _follow(runs: Sequence[float], index: int, part: Sequence[int]) -> int | None:
    """Return the end of a part that begins at `index`; the end of the capture may cut it off."""
    end = index + len(part)
    for number, us in enumerate(part, index):
        if number == len(runs):
            return number
        length, last = runs[number], number == len(runs) - 1
        if (length > 0) != (us > 0):
            return None
        if us <= -PAUSE_US or (last and length <= -PAUSE_US):
            enough = -length >= _min_pause(-us)
        else:
            cut = abs(length) < abs(us) and number == len(runs) - 2 < end - 2
            enough = cut or abs(length - us) <= _TOLERANCE * abs(us) + _TOLERANCE_US
        if not enough:
            return None
    return end
