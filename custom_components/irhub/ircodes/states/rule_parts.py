"""JSON notation of the parts of a rule: short texts, because lists take a line per number.

    bits      "68-71 80": runs, first to last
    table     "68-71: 0 1 6 -": the flipped bits, and for each value a hexadecimal number whose
              lowest bit is the first of them; "-" if the value is not in the table
    frame     "3289 1614/8:2e/426/101502": leader, number of bits and their values, trailer, gap;
              durations in µs, bits as a hexadecimal number whose lowest bit is sent first

For other JSON, readers raise ValueError, LookupError, TypeError or AttributeError.
"""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
import re
from typing import Any, Final, get_args

from ..packet.bits import Frame, Signal
from ..packet.codings import Coding
from ..packet.packet import MAX_PACKET
from ..reasons import RefusedError
from .capabilities import MAX_STATES
from .checks import Check, Kind, Unit
from .state import ATTRIBUTES, State, Value, value

type Table = Mapping[Value, int]
"""Value → the bits that it flips."""

MAX_EXTRAS: Final = 100
"""Maximum number of extras in a rule: each is tested for each state."""
MAX_MODES: Final = 20
MAX_TABLES: Final = 100
_MAX_FLIPS: Final = 100_000
"""Number of values of a table times the bits that they flip."""
MAX_CHECKS: Final = 100
MAX_OTHERS: Final = 10
"""Maximum number of rules for other frames in a rule."""
_MAX_FRAMES: Final = 100
_MAX_DEGREES: Final = 10_000
"""Larger numbers and NaN are not temperatures."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Extra:
    """Additional flips of states with a combination of values."""

    values: Mapping[str, frozenset[Value]]
    """Attribute of State → values for which it applies; a missing attribute may have any value."""
    flips: int

    def applies_to(self, state: State) -> bool:
        """Return whether it applies to a state."""
        return all(value(state, attribute) in values for attribute, values in self.values.items())


_NONE: Final = "-"
_RUN: Final = re.compile("1+")


def bits_text(bits: int) -> str:
    """Return the notation of bits."""
    runs = _RUN.finditer(f"{bits:b}"[::-1])
    return " ".join(_run_text(run.start(), run.end()) for run in runs)


def read_bits(text: str) -> int:
    """Parse the text of `bits_text`."""
    return reduce(or_, ((1 << end) - (1 << start) for start, end in map(_run, text.split())), 0)


def table_text(table: Table, values: Sequence[Value]) -> str:
    """Return the notation of a table, for these values in order."""
    flipped = reduce(or_, table.values(), 0)
    positions = _positions(flipped)
    numbers = (
        f"{_number(table[value] >> position & 1 for position in positions):x}"
        if value in table
        else _NONE
        for value in values
    )
    return f"{bits_text(flipped)}: {' '.join(numbers)}"


def read_table(text: str, values: Sequence[Value]) -> dict[Value, int]:
    """Parse the text of `table_text`."""
    flipped, _, numbers = text.partition(":")
    positions = _positions(read_bits(flipped))
    if len(positions) * len(values) > _MAX_FLIPS:
        raise ValueError(f"a table of {len(values)} values flips {len(positions)} bits")
    return {
        value: sum(
            (int(number, 16) >> index & 1) << position for index, position in enumerate(positions)
        )
        for value, number in zip(values, numbers.split(), strict=True)
        if number != _NONE
    }


def attribute_data(
    values: Sequence[Value], tables: Mapping[str, Table], modes: Sequence[Value]
) -> dict[str, Any]:
    """Return the values of an attribute, the distinct tables, and the table of each mode."""
    if not values:
        return {}
    texts = {name: table_text(table, values) for name, table in tables.items()}
    distinct_tables = [*dict.fromkeys(texts.values())]
    numbers = (
        str(distinct_tables.index(texts[name])) if name in texts else _NONE for name in modes
    )
    return {"values": _values_data(values), "tables": distinct_tables, "modes": " ".join(numbers)}


def read_attribute(
    data: Mapping[str, Any] | None, modes: Sequence[str]
) -> tuple[Sequence[Value], dict[str, Table]]:
    """Parse the data of `attribute_data` to values and tables by mode."""
    if data is None:
        return [], {}
    values = few(_values(data["values"]), MAX_STATES)
    few(data["tables"], MAX_TABLES)
    distinct_tables = [read_table(text, values) for text in data["tables"]]
    numbers = zip(modes, data["modes"].split(), strict=True)
    return values, {
        name: distinct_tables[int(number)] for name, number in numbers if number != _NONE
    }


def extra_data(extra: Extra) -> dict[str, Any]:
    """Return an extra as JSON data."""
    values = {attribute: _values_data(sorted(levels)) for attribute, levels in extra.values.items()}
    return {**values, "flips": bits_text(extra.flips)}


def read_extra(data: Mapping[str, Any]) -> Extra:
    """Parse the data of `extra_data`."""
    return Extra(
        values={name: frozenset(_values(data[name])) for name in ATTRIBUTES if name in data},
        flips=read_bits(data["flips"]),
    )


def signal_data(signal: Signal) -> dict[str, Any]:
    """Return a signal and its coding as JSON data."""
    return {
        "type": signal.type,
        "kind": signal.coding.kind,
        "one": _durations_text(signal.coding.one),
        "zero": _durations_text(signal.coding.zero),
        "frames": [_frame_text(frame) for frame in signal.frames],
    }


def read_signal(data: Mapping[str, Any]) -> Signal:
    """Parse the data of `signal_data`."""
    if (kind := data["kind"]) not in ("pairs", "biphase"):
        raise ValueError(f"{kind!r} is no way to write bits")
    one, zero = (_durations(data[bit]) for bit in ("one", "zero"))
    [type_byte] = bytes([int(data["type"])])
    return Signal(
        type=type_byte,
        coding=Coding(kind, (one[0], one[1]), (zero[0], zero[1])),
        frames=tuple(map(_frame, few(data["frames"], _MAX_FRAMES))),
    )


def check_data(check: Check) -> dict[str, Any]:
    """Return a check as JSON data, without values that are 0 or false."""
    data = {
        "kind": check.kind,
        "of": _run_text(check.start, check.end),
        "target": bits_text(check.target.mask),
        "msb": check.msb,
        "target_msb": check.target_msb,
        "negative": check.negative,
        "constant": check.constant,
        "polynomial": check.polynomial,
        "skip": bits_text(check.skip),
    }
    return {key: value for key, value in data.items() if value}


def read_check(data: Mapping[str, Any]) -> Check:
    """Parse the data of `check_data`."""
    if (kind := data["kind"]) not in get_args(Kind.__value__):
        raise ValueError(f"{kind!r} is no check")
    start, end = _run(data["of"])
    target_start, target_end = _run(data["target"])
    return Check(
        kind=kind,
        target=Unit(target_start, target_end - target_start),
        start=start,
        end=end,
        msb=bool(data.get("msb")),
        target_msb=bool(data.get("target_msb")),
        negative=bool(data.get("negative")),
        constant=_small(data.get("constant", 0)),
        polynomial=_small(data.get("polynomial", 0)),
        skip=read_bits(data.get("skip", "")),
    )


def shifted_bits(flips: str, first: int) -> int:
    """Parse a hexadecimal number whose lowest bit is bit `first` of the message."""
    if not 0 <= first <= MAX_PACKET or len(flips) > MAX_PACKET:
        raise ValueError(f"no message has the bits {flips[:8]} from {first} on")
    return int(flips, 16) << first


def _small(number: object) -> int:
    """Return the number of a check. Raise ValueError if it is larger than any message."""
    if not isinstance(number, int) or number.bit_length() > MAX_PACKET:
        raise ValueError("the number of a check is too large")
    return number


def state_data(state: State) -> list[Any]:
    """Return a state as a list: mode, preset, fan, swing and temperature."""
    return [state.mode, *(value(state, attribute) for attribute in ATTRIBUTES)]


def state_of(data: Sequence[Any]) -> State:
    """Parse the data of `state_data`."""
    preset, fan, swing = (None if name is None else str(name) for name in data[1:4])
    mode, degrees = str(data[0]), data[4]
    temperature = None if degrees is None else _temperature(degrees)
    return State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)


def columns_data(states: Iterable[State]) -> list[list[Any]]:
    """Return states as JSON data, combining those that differ only in their temperatures."""
    columns: dict[State, list[float | None]] = {}
    for state in sorted(states, key=str):
        columns.setdefault(replace(state, temperature=None), []).append(state.temperature)
    return [
        [*state_data(column)[:-1], None if None in degrees else degrees_text(degrees)]
        for column, degrees in columns.items()
    ]


def read_columns(data: Iterable[Sequence[Any]]) -> frozenset[State]:
    """Parse the data of `columns_data`."""
    columns = few([*data], MAX_STATES)
    states: set[State] = set()
    for *names, degrees in columns:
        for temperature in [None] if degrees is None else read_degrees(degrees):
            states.add(state_of([*names, temperature]))
        few(states, MAX_STATES)
    return frozenset(states)


def _values_data(values: Sequence[Value]) -> str | list[Value]:
    """Return names as a list, temperatures as a text."""
    return [*values] if isinstance(values[0], str) else degrees_text(values)


def _values(data: str | Sequence[Any]) -> list[Value]:
    return read_degrees(data) if isinstance(data, str) else [str(name) for name in data]


def degrees_text(degrees: Iterable[object]) -> str:
    """Return temperatures as a text."""
    return " ".join(str(temperature).removesuffix(".0") for temperature in degrees)


def read_degrees(text: str) -> list[Value]:
    """Parse the text of `degrees_text`."""
    return [*map(_temperature, few(text.split(), MAX_STATES))]


def _temperature(text: str | float) -> float:
    degrees = float(text)
    if not -_MAX_DEGREES <= degrees <= _MAX_DEGREES:
        raise ValueError(f"{text} is no temperature")
    return degrees


def few[T: Sized](items: T, maximum: int) -> T:
    """Return the items. Raise RefusedError if there are more than in any remote control."""
    if len(items) > maximum:
        raise RefusedError("many_commands", limit=maximum)
    return items


def _number(bits: Iterable[int]) -> int:
    """Return the number with these bits, lowest first."""
    return sum(bit << index for index, bit in enumerate(bits))


def _positions(bits: int) -> list[int]:
    return [position for position in range(bits.bit_length()) if bits >> position & 1]


def _run_text(start: int, end: int) -> str:
    return str(start) if end == start + 1 else f"{start}-{end - 1}"


def _run(text: str) -> tuple[int, int]:
    """Return the first bit of a run, and the first bit after it."""
    first, _, last = text.partition("-")
    start, end = int(first), int(last or first) + 1
    if not 0 <= start < end <= MAX_PACKET:
        raise ValueError(f"no message has the bits {text}")
    return start, end


def _durations_text(durations_us: Sequence[int]) -> str:
    return " ".join(map(str, durations_us))


def _durations(text: str) -> tuple[int, ...]:
    return tuple(map(int, few(text.split(), MAX_PACKET)))


def _frame_text(frame: Frame) -> str:
    count = len(frame.bits)
    bits = f"{count}:{_number(frame.bits):0{_digits(count)}x}"
    leader, trailer = _durations_text(frame.leader), _durations_text(frame.trailer)
    return f"{leader}/{bits}/{trailer}/{frame.gap}"


def _frame(text: str) -> Frame:
    leader, bits, trailer, gap = text.split("/")
    count, _, digits = bits.partition(":")
    if int(count) > MAX_PACKET or len(digits) != _digits(int(count)):
        raise ValueError(f"{digits[: _digits(MAX_PACKET)]!r} is not {count} bits")
    number = int(digits, 16)
    return Frame(
        leader=_durations(leader),
        bits=tuple(number >> index & 1 for index in range(int(count))),
        trailer=_durations(trailer),
        gap=int(gap),
    )


def _digits(count: int) -> int:
    """Return the number of hexadecimal digits for a number of bits, at least 1."""
    return max(1, -(-count // 4))
