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
        runs = runs[1:] if runs and runs[0] < 0 else runs
        self.runs = [*runs, _END_US] if runs and runs[-1] > 0 else runs
        """Marks and spaces alternating, in signed µs, from the first mark to the last space."""
        marks = self.runs[::2]
        self.shortest_mark = (
            median(us for us in marks if us <= _CLUSTER * min(marks)) if runs else 0
        )

    def biases(self, irp: Irp) -> Iterator[float]:
        """Yield possible biases: µs that the receiver added to the marks of this protocol."""
        measured = self.shortest_mark - irp.shortest_mark
        if _BIAS_US[0] <= measured <= _BIAS_US[1]:
            yield measured
        yield from (default for default in _DEFAULT_BIASES_US if abs(default - measured) > _SAME_US)


def read(irp: Irp, received: Received) -> Decoded | None:
    """Return the decoded values; None if the protocol would not send every frame of the signal."""
    if not received.runs:
        return None
    shortest, longest = irp.first_mark
    first = received.runs[0]
    pause_indexes, pause_us = irp.first_pause
    pause = -min(received.runs[pause_indexes.start : pause_indexes.stop], default=0)
    for bias in received.biases(irp):
        has_mark = _shortest(shortest) <= first - bias <= _longest(longest)
        if has_mark and pause + bias >= _min_pause(pause_us):
            reading = _read(irp, [us - bias for us in received.runs], bias)
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


def _read(irp: Irp, runs: Sequence[float], bias: float) -> Decoded | None:
    items = irp.message
    states: dict[_State, _Path] = {(0, 0.0): (0.0, 0)}
    for item, next_starts in zip(items, irp.next_starts, strict=True):
        match item:
            case Bits():
                for _ in range(item.count):
                    states = _after_symbol(runs, states, item, next_starts | item.begins)
            case Extent():
                states = _after_pause(runs, states, PAUSE_US)
            case float() if item <= -PAUSE_US:
                states = _after_pause(runs, states, -item)
            case float():
                states = _after_durations(runs, states, (item,), next_starts)
        if not states:
            return None
    (end, _), (cost, bits) = min(states.items(), key=lambda entry: entry[1][0])
    values = _parameters_of_symbols(irp, items, bits)
    if values is None or (copies := _copies(irp, values, runs, end)) is None:
        return None
    return Decoded(values=values, copies=copies, cost=cost / max(end, 1) + abs(bias) * _BIAS_COST)


def _consumed(
    runs: Sequence[float], state: _State, us: float, max_off: float, may_continue: bool
) -> Iterator[tuple[_State, float]]:
    """Yield the states after one more duration and its cost.

    The duration ends together with the received one, or within it.
    """
    index, used_us = state
    if index == len(runs) or (runs[index] > 0) != (us > 0):
        return
    length, total = abs(runs[index]), used_us + abs(us)
    # The received duration may also have ended before this one, or continue after it.
    is_ambiguous = used_us and (may_continue or length < total)
    allowed = min(_TOLERANCE * total + _TOLERANCE_US, max_off, abs(us) / 2 if is_ambiguous else inf)
    if (off_us := abs(length - total)) <= allowed:
        yield (index + 1, 0.0), off_us / allowed
    if may_continue and length > total + _TOLERANCE_US:
        yield (index, total), 0.0


def _after_durations(
    runs: Sequence[float],
    states: Mapping[_State, _Path],
    durations: Sequence[float],
    next_starts: AbstractSet[bool],
    max_off: float = inf,
) -> dict[_State, _Path]:
    """Return the states after some durations, each at most `max_off` µs off.

    `next_starts` contains how the next item may begin: with a mark (True), with a space (False).
    """
    for number, us in enumerate(durations, 1):
        following = next_starts if number == len(durations) else {durations[number] > 0}
        may_continue = (us > 0) in following
        next_states: dict[_State, _Path] = {}
        for state, (cost, bits) in states.items():
            for after, added_cost in _consumed(runs, state, us, max_off, may_continue):
                if after not in next_states or cost + added_cost < next_states[after][0]:
                    next_states[after] = (cost + added_cost, bits)
        if not next_states:
            return next_states
        states = next_states
    return dict(states)


def _after_symbol(
    runs: Sequence[float],
    states: Mapping[_State, _Path],
    item: Bits,
    next_starts: AbstractSet[bool],
) -> dict[_State, _Path]:
    best: dict[_State, _Path] = {}
    max_off = item.step / 2 - _MARGIN_US
    for value, durations in enumerate(item.symbols):
        for state, (cost, bits) in _after_durations(
            runs, states, durations, next_starts, max_off
        ).items():
            if state not in best or cost < best[state][0]:
                best[state] = (cost, bits << item.size | value)
    if len(best) > _MAX_STATES:
        cheapest = sorted(best.items(), key=lambda entry: entry[1][0])[:_MAX_STATES]
        return dict(cheapest)
    return best


def _after_pause(
    runs: Sequence[float], states: Mapping[_State, _Path], us: float
) -> dict[_State, _Path]:
    min_us = _min_pause(us)
    return {
        (index + 1, 0.0): path
        for (index, used_us), path in states.items()
        if index < len(runs) and -runs[index] - used_us >= min_us
    }


def _parameters_of_symbols(irp: Irp, items: Sequence[Item], symbols: int) -> dict[str, int] | None:
    """Return the parameters for these symbols, the last one in the lowest bits."""
    fields = [item for item in items if isinstance(item, Bits)]
    bits_left = sum(item.count * item.size for item in fields)
    bits: list[int] = []
    for item in fields:
        for _ in range(item.count):
            bits_left -= item.size
            symbol = symbols >> bits_left & (1 << item.size) - 1
            bits += [symbol >> item.bit_position(number) & 1 for number in range(item.size)]
    return _solve(irp, items, bits)


def parameters_of_bits(irp: Irp, bits: Sequence[int]) -> dict[str, int] | None:
    """Return the parameters with which a protocol sends these bits; None if there are none."""
    fields = [
        bit_field for item in irp.message if isinstance(item, Bits) for bit_field in item.fields
    ]
    if sum(bit_field.width for bit_field in fields) != len(bits):
        return None
    return _solve(irp, irp.message, bits)


def _solve(irp: Irp, items: Sequence[Item], bits: Sequence[int]) -> dict[str, int] | None:
    """Return the parameters for which these items send these bits; None if there are none."""
    values_so_far: dict[str, int] = {}
    start = 0
    assigned = {item.name for item in items if isinstance(item, Assignment)}
    for item in items:
        for bit_field in item.fields if isinstance(item, Bits) else ():
            field_bits = bits[start : start + bit_field.width]
            start += bit_field.width
            if bit_field.name in irp.parameters and bit_field.name not in assigned:
                value = values_so_far.get(bit_field.name, 0)
                for position, bit in zip(bit_field.positions(), field_bits, strict=True):
                    value = value & ~(1 << position) | (bit ^ bit_field.inverted) << position
                values_so_far[bit_field.name] = value
    try:
        values = irp.complete(values_so_far)
    except ValueError:
        return None
    return values if [*_bits(items, irp.with_definitions(values))] == [*bits] else None


def _bits(items: Sequence[Item], values: dict[str, int]) -> Iterator[int]:
    for item in items:
        match item:
            case Assignment():
                values[item.name] = item.value(values)
            case Bits():
                for bit_field in item.fields:
                    yield from bit_field.bits(values)


def _copies(irp: Irp, values: Mapping[str, int], runs: Sequence[float], end: int) -> int | None:
    """Return the number of copies of the message before the first repeat.

    None if anything else follows the first message.
    """
    if end == len(runs):
        return 1
    signal = irp.encode(values)
    message, copies, is_held = signal.message(), 1, False
    parts = [part for part in (message, signal.repeat, signal.ending) if part]
    while end < len(runs):
        for part in parts:
            if (part_end := _end_of_part(runs, end, part)) is not None:
                is_held |= part is not message
                copies += not is_held and part_end - end >= len(part)
                end = part_end
                break
        else:
            return None
    return copies


def _end_of_part(runs: Sequence[float], index: int, part: Sequence[int]) -> int | None:
    """Return the end of a part that begins at `index`; the end of the capture may cut it off."""
    end = index + len(part)
    for position, us in enumerate(part, index):
        if position == len(runs):
            return position
        length, is_last = runs[position], position == len(runs) - 1
        if (length > 0) != (us > 0):
            return None
        if us <= -PAUSE_US or (is_last and length <= -PAUSE_US):
            matches = -length >= _min_pause(-us)
        else:
            is_cut_off = abs(length) < abs(us) and position == len(runs) - 2 < end - 2
            matches = is_cut_off or abs(length - us) <= _TOLERANCE * abs(us) + _TOLERANCE_US
        if not matches:
            return None
    return end
