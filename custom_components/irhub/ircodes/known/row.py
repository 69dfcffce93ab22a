"""A row of the table: the rule of a protocol, and the differences between makers.

As JSON, one line per row (bits in the notation of `states.rule_parts`):

{"protocol": "COOLIX", "makers": ["Midea", "Beko"], "sources": ["IRremoteESP8266 COOLIX"],
 "unit": "C", "carried": "8-9", "variants": [[["Beko"], {"": "0x100"}]], "rule": {...}}

`rule` is that of a `BitRule`. `carried` are bits outside the state that differ between makers or
control functions outside the state, such as turbo or a lamp: they are kept as received. A variant
contains the bits of some makers: mode → bits that differ from the rule ("" stands for all other
modes).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final, Self

from ..packet.bits import Signal
from ..states import messages, rule_parts as parts
from ..states.bit_rule import BitRule, ModeBits
from ..states.messages import Layout
from ..states.state import OFF, Off, State

_TOLERANCE: Final = 0.3
_TOLERANCE_US: Final = 200
"""With `_TOLERANCE`: maximum difference between a duration of a press and the row's."""
_EVERY_MODE: Final = ""
_MAKERS: Final = 4
"""Maximum number of makers shown."""
_MAY_LACK_TEMPERATURE: Final = frozenset({"auto", "dry", "fan_only", "heat_cool"})
"""Modes in which remote controls of one protocol may send an arbitrary temperature."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """Bits in which the remote controls of some makers differ from the rule."""

    makers: tuple[str, ...]
    flips: Mapping[str, int]
    """Mode → flipped bits; "" is for all other modes."""

    def in_mode(self, mode: str) -> int:
        """Return the flipped bits in a mode."""
        return self.flips.get(mode, self.flips.get(_EVERY_MODE, 0))


@dataclass(frozen=True, kw_only=True)
class KnownReading:
    """A press decoded by a row."""

    row: Row = field(repr=False)
    state: State | Off
    """Its swing is None if the row does not have the received one; likewise the temperature, in
    modes that may lack it."""
    flips: int
    """Bits that differ from the rule; they are carried over to other states."""
    volatile: int
    """Bits that change by themselves, as received."""
    in_modes: Mapping[str, int] = field(default_factory=dict)
    """Mode → flips of another press in this mode."""

    @property
    def protocol(self) -> str:
        """Return the name of the protocol."""
        return self.row.protocol

    @cached_property
    def unexplained(self) -> int:
        """Return the flipped bits that are not known from any remote control."""
        return self.flips & ~self.row.carried

    @cached_property
    def variants(self) -> Sequence[Variant]:
        """Return the variants with these flips, those with most makers first."""
        mode = self.state.mode if isinstance(self.state, State) else ""
        return [variant for variant in self.row.variants if variant.in_mode(mode) == self.flips]

    @property
    def makers(self) -> Sequence[str]:
        """Return the makers of the matching variants, or else all of the row."""
        matching_makers = [maker for variant in self.variants for maker in variant.makers]
        return [*dict.fromkeys(matching_makers)] or self.row.makers

    @property
    def name(self) -> str:
        """Return the protocol and its makers: "COOLIX (Beko, …)"."""
        makers = [*self.makers[:_MAKERS], *(["…"] if len(self.makers) > _MAKERS else [])]
        return f"{self.protocol} ({', '.join(makers)})" if makers else self.protocol

    @property
    def text(self) -> str:
        """Return the reading in a language-neutral form: "COOLIX (Beko, …): cool · low · 24°C"."""
        if not isinstance(self.state, State):
            return f"{self.name}: {self.state.value}"
        return f"{self.name}: {self.state}{'' if self.state.temperature is None else self.row.unit}"

    def rule(self) -> BitRule:
        """Return the rule for all states, with the press's other bits."""
        return self.row.rule_with(self)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A known protocol of air conditioners."""

    protocol: str
    makers: Sequence[str]
    sources: Sequence[str]
    unit: str
    carried: int
    variants: Sequence[Variant]
    data: Mapping[str, Any]
    """The rule in JSON, parsed only for presses with its layout."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the row for the JSON of a line."""
        return cls(
            protocol=data["protocol"],
            makers=data["makers"],
            sources=data["sources"],
            unit=data.get("unit", "C"),
            carried=parts.read_bits(data.get("carried", "")),
            variants=[
                Variant(
                    makers=tuple(makers),
                    flips={mode: int(bits, 16) for mode, bits in flips.items()},
                )
                for makers, flips in data.get("variants", ())
            ],
            data=data["rule"],
        )

    @cached_property
    def rule(self) -> BitRule:
        """Return the rule in its most common form."""
        return BitRule.parse(self.data)

    @property
    def layout(self) -> Layout:
        """Return the layout of the protocol's messages."""
        return self.rule.layout

    def read(self, message: int, signal: Signal) -> KnownReading | None:
        """Return the reading of a message with the row's layout; None for another protocol."""
        if not is_alike(signal, self.rule.signal):
            return None
        frames = self.layout.frames
        for check in self.rule.checks:
            if check.compute(message, frames) != message:
                return None
        bits, volatile = message & self.rule.data, message & self.rule.volatile
        off = self._off_bits
        if off is not None and self._is_off(bits, off):
            flips = (bits ^ off) & ~self.state_bits
            return KnownReading(row=self, state=OFF, flips=flips, volatile=volatile)
        if (decoded := self._read_state(bits)) is None:
            return None
        state, flips = decoded
        if off is not None and flips & self._power_bits(off):
            return None  # another kind of "off" that the row does not have
        return KnownReading(row=self, state=state, flips=flips, volatile=volatile)

    def _read_state(self, bits: int) -> tuple[State, int] | None:
        """Return the state of these bits, and the flipped bits outside it."""
        readings = (mode.read(bits, name) for name, mode in self._readers.items())
        return next((decoded for decoded in readings if decoded is not None), None)

    def rule_with(self, reading: KnownReading) -> BitRule:
        """Return the rule with the bits of a press outside the state."""
        rule = self.rule
        variant = next(iter(reading.variants), None)
        if variant is None or reading.in_modes:
            flips = {_EVERY_MODE: reading.flips & ~self._temperature_bits, **reading.in_modes}
            if isinstance(reading.state, State):
                flips.setdefault(reading.state.mode, reading.flips)
            variant = Variant(makers=(), flips=flips)
        carried = reduce(or_, variant.flips.values(), 0)
        lacks_swing = bool(carried & self.state_bits & ~self._temperature_bits)
        modes = {}
        for name, mode in rule.modes.items():
            flipped = variant.in_mode(name)
            tables = dict(mode.tables)
            if lacks_swing and (swings := tables.pop("swing", None)):
                flipped ^= next(iter(swings.values()))
            if flipped & _mask(tables.get("temperature", {}).values()):
                del tables["temperature"]
            modes[name] = replace(mode, bits=mode.bits ^ flipped, tables=tables)
        packet = rule.off
        if self._off_message is not None:
            message = self._off_message ^ variant.in_mode(_EVERY_MODE) & ~self.state_bits
            message = message & ~rule.volatile | reading.volatile
            for check in rule.checks:
                message = check.compute(message, self.layout.frames)
            packet = messages.write(rule.signal, message)
        _, message = messages.decode(rule.signal) or (None, 0)
        message = message & ~rule.volatile | reading.volatile
        for check in rule.checks:
            message = check.compute(message, self.layout.frames)
        signal = messages.signal_of(rule.signal, message)
        return replace(rule, signal=signal, modes=modes, off=packet)

    @cached_property
    def checked_bits(self) -> int:
        """Return the number of bits that checks compute."""
        return sum(check.target.width for check in self.rule.checks)

    @cached_property
    def state_bits(self) -> int:
        """Return the bits that encode the state."""
        bases = [mode.bits for mode in self.rule.modes.values()]
        field_bits = reduce(or_, (bits ^ bases[0] for bits in bases))
        for mode in self.rule.modes.values():
            field_bits |= _flipped(mode)
        return field_bits

    @cached_property
    def _temperature_bits(self) -> int:
        """Return the bits that encode the temperature in any mode."""
        tables = (mode.tables.get("temperature", {}) for mode in self.rule.modes.values())
        return reduce(or_, (_mask(table.values()) for table in tables), 0)

    @cached_property
    def _readers(self) -> Mapping[str, _ModeReader]:
        modes = self.rule.modes.items()
        return {name: _ModeReader(mode, self.state_bits) for name, mode in modes}

    @cached_property
    def _off_bits(self) -> int | None:
        """Return the message for "off", if it can be distinguished from states."""
        if self._off_message is None:
            return None
        bits = self._off_message & self.rule.data
        if self._power_bits(bits) or (decoded := self._read_state(bits)) is None:
            return bits
        return bits if decoded[0] in self.rule.without else None

    @cached_property
    def _off_message(self) -> int | None:
        """Return the message for "off", if it has the layout of the states."""
        off = self.rule.off
        return None if off is None else messages.read_as(off, self.layout)

    def _power_bits(self, off: int) -> int:
        """Return the bits that only "off" has, outside those of states."""
        base = next(iter(self.rule.modes.values())).bits
        return (off ^ base) & ~self.state_bits & ~self.carried

    def _is_off(self, bits: int, off: int) -> bool:
        """Return whether a message is "off".

        Compared with the row's message are: without checks, all bits except the carried ones; with
        checks and bits that only "off" has, those bits and all others that are neither state nor
        carried; else the bits of the state.
        """
        flipped = bits ^ off
        if not self.rule.checks:
            return not flipped & ~self.carried  # a button of a television may be similar
        if power_bits := self._power_bits(off):
            return not flipped & (power_bits | ~self.state_bits & ~self.carried)
        return not flipped & self.state_bits


class _ModeReader:
    """Decodes the states of one mode."""

    def __init__(self, mode: ModeBits, state_bits: int) -> None:
        self._mode = mode
        self._state_bits = state_bits
        masks = {name: _mask(table.values()) for name, table in mode.tables.items()}
        self._values = {
            name: {flips: level for level, flips in reversed([*table.items()])}
            for name, table in mode.tables.items()
        }
        self._masks = masks
        union = reduce(or_, masks.values(), 0)
        is_separate = sum(mask.bit_count() for mask in masks.values()) == union.bit_count()
        self._fixed = state_bits & ~union
        self._states_by_bits: Mapping[int, State] | None = None
        self._is_separate = is_separate and not mode.extras
        """Whether the attributes do not share bits, so that each can be read on its own."""
        self._first_swing = next(iter(mode.tables.get("swing", {}).values()), 0)

    def read(self, bits: int, name: str) -> tuple[State, int] | None:
        """Return the state and the flipped bits outside it; None for another mode."""
        flipped = bits ^ self._mode.bits
        if self._is_separate:
            return self._read_separate_bits(flipped, name)
        state = self._states(name).get(bits & self._state_bits)
        if state is None:
            return None
        expected = self._mode.message(state)
        return None if expected is None else (state, (bits ^ expected) & ~self._state_bits)

    def _read_separate_bits(self, flipped: int, name: str) -> tuple[State, int] | None:
        """Return the same as `read`, for attributes that do not share bits."""
        other_flips = flipped & ~self._state_bits
        values: dict[str, Any] = {}
        unexplained = flipped & self._fixed
        for attribute, mask in self._masks.items():
            level = self._values[attribute].get(flipped & mask)
            if level is None and attribute == "swing":
                other_flips |= (flipped ^ self._first_swing) & mask
            elif level is None and attribute == "temperature" and name in _MAY_LACK_TEMPERATURE:
                other_flips |= flipped & mask
            elif level is None:
                return None
            values[attribute] = level
        if unexplained:
            return None
        return State(mode=name, **values), other_flips

    def _states(self, name: str) -> Mapping[int, State]:
        if self._states_by_bits is None:
            states: dict[int, State] = {}
            for state, message in self._mode.messages(name).items():
                states.setdefault(message & self._state_bits, state)
            self._states_by_bits = states
        return self._states_by_bits


def is_alike(signal: Signal, known: Signal) -> bool:
    """Return whether a press has the durations of a protocol, within the receiver's tolerance."""
    pairs = [
        (sum(signal.coding.one), sum(known.coding.one)),
        (sum(signal.coding.zero), sum(known.coding.zero)),
    ]
    for frame, known_frame in zip(signal.distinct, known.distinct, strict=False):
        pairs += zip(frame.leader[::-1], known_frame.leader[::-1], strict=False)
    return all(
        abs(measured - nominal) <= _TOLERANCE * max(measured, nominal) + _TOLERANCE_US
        for measured, nominal in pairs
    )


def _flipped(mode: ModeBits) -> int:
    """Return all bits that the values of a mode flip."""
    tables = (_mask(table.values()) for table in mode.tables.values())
    return reduce(or_, tables, 0) | reduce(or_, (extra.flips for extra in mode.extras), 0)


def _mask(flips: Collection[int]) -> int:
    return reduce(or_, flips, 0)
