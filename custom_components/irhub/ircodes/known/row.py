"""A row of the table: the rule of a protocol, and what differs between makers.

As JSON, one line for each row (bits as `states.rule_parts` has them):

{"protocol": "COOLIX", "makers": ["Midea", "Beko"], "sources": ["IRremoteESP8266 COOLIX"],
 "unit": "C", "carried": "8-9", "variants": [[["Beko"], {"": "0x100"}]], "rule": {...}}

`rule` is that of a `BitRule`. `carried` are the bits that are no part of the state and differ from
maker to maker, or belong to functions that no state has, such as turbo or a lamp: they stay as they
were pressed. A variant is what makers have in them: mode → the bits that they have instead of the
rule's ("" stands for all other modes).
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
"""What a duration of a press differs by from the row's, at most."""
_EVERY_MODE: Final = ""
_MAKERS: Final = 4
"""How many makers are named."""
_MAY_LACK_TEMPERATURE: Final = frozenset({"auto", "dry", "fan_only", "heat_cool"})
"""Modes in which remote controls of one protocol may send any number as the temperature."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """What some makers' remote controls have instead of the rule's bits."""

    makers: tuple[str, ...]
    flips: Mapping[str, int]
    """Mode → bits that are flipped; "" is for all other modes."""

    def in_mode(self, mode: str) -> int:
        """Return the bits that are flipped in a mode."""
        return self.flips.get(mode, self.flips.get(_EVERY_MODE, 0))


@dataclass(frozen=True, kw_only=True)
class KnownReading:
    """What a press says by a row."""

    row: Row = field(repr=False)
    state: State | Off
    """Its swing is None if the row does not have the one that was pressed. So is its temperature,
    if its mode may have none."""
    flips: int
    """Bits that the press has instead of the rule's: they are carried along."""
    volatile: int
    """Bits that change by themselves, as they were pressed."""
    in_modes: Mapping[str, int] = field(default_factory=dict)
    """Mode → those that another press has in it."""

    @property
    def protocol(self) -> str:
        """Return what the protocol is called."""
        return self.row.protocol

    @cached_property
    def unexplained(self) -> int:
        """Return the bits that nobody was seen to have instead of the rule's."""
        return self.flips & ~self.row.carried

    @cached_property
    def variants(self) -> Sequence[Variant]:
        """Return the variants that have these bits, those of most makers first."""
        mode = self.state.mode if isinstance(self.state, State) else ""
        return [known for known in self.row.variants if known.in_mode(mode) == self.flips]

    @property
    def makers(self) -> Sequence[str]:
        """Return whose remote controls send this: those of the variant, or else all of the row."""
        of_variants = [maker for variant in self.variants for maker in variant.makers]
        return [*dict.fromkeys(of_variants)] or self.row.makers

    @property
    def name(self) -> str:
        """Return the protocol and its makers: "COOLIX (Beko, …)"."""
        makers = [*self.makers[:_MAKERS], *(["…"] if len(self.makers) > _MAKERS else [])]
        return f"{self.protocol} ({', '.join(makers)})" if makers else self.protocol

    @property
    def text(self) -> str:
        """Return what a press says, in no language: "COOLIX (Beko, …): cool · low · 24°C"."""
        if not isinstance(self.state, State):
            return f"{self.name}: {self.state.value}"
        return f"{self.name}: {self.state}{'' if self.state.temperature is None else self.row.unit}"

    def rule(self) -> BitRule:
        """Return the rule of all states, with what the press says besides."""
        return self.row.rule_with(self)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A protocol of air conditioners."""

    protocol: str
    makers: Sequence[str]
    sources: Sequence[str]
    unit: str
    carried: int
    variants: Sequence[Variant]
    data: Mapping[str, Any]
    """The rule as JSON has it, which is parsed when a press may be of it."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the row of a line's JSON."""
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
        """Return the rule, as most makers have it."""
        return BitRule.parse(self.data)

    @property
    def layout(self) -> Layout:
        """Return what all messages have alike."""
        return self.rule.layout

    def read(self, message: int, signal: Signal) -> KnownReading | None:
        """Return what a message of the row's layout says; None if it is not of this protocol."""
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
        if off is not None and flips & self._power(off):
            return None  # it is off, in a way that the row does not have
        return KnownReading(row=self, state=state, flips=flips, volatile=volatile)

    def _read_state(self, bits: int) -> tuple[State, int] | None:
        readings = (mode.read(bits, name) for name, mode in self._readers.items())
        return next((read for read in readings if read is not None), None)

    def rule_with(self, reading: KnownReading) -> BitRule:
        """Return the rule with what a press says besides the state."""
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
        """Return how many bits checks compute."""
        return sum(check.target.width for check in self.rule.checks)

    @cached_property
    def state_bits(self) -> int:
        """Return the bits that say the state."""
        bases = [mode.bits for mode in self.rule.modes.values()]
        field_bits = reduce(or_, (bits ^ bases[0] for bits in bases))
        for mode in self.rule.modes.values():
            field_bits |= _flipped(mode)
        return field_bits

    @cached_property
    def _temperature_bits(self) -> int:
        """Return the bits that say the temperature in some mode."""
        tables = (mode.tables.get("temperature", {}) for mode in self.rule.modes.values())
        return reduce(or_, (_mask(table.values()) for table in tables), 0)

    @cached_property
    def _readers(self) -> Mapping[str, _ModeReader]:
        modes = self.rule.modes.items()
        return {name: _ModeReader(mode, self.state_bits) for name, mode in modes}

    @cached_property
    def _off_bits(self) -> int | None:
        """Return what turns it off, if that can be told from the states."""
        if self._off_message is None:
            return None
        bits = self._off_message & self.rule.data
        if self._power(bits) or (decoded := self._read_state(bits)) is None:
            return bits
        return bits if decoded[0] in self.rule.without else None

    @cached_property
    def _off_message(self) -> int | None:
        """Return the message that turns it off, if it has the layout of the states."""
        off = self.rule.off
        return None if off is None else messages.read_as(off, self.layout)

    def _power(self, off: int) -> int:
        """Return the bits that no state has, but what turns it off."""
        base = next(iter(self.rule.modes.values())).bits
        return (off ^ base) & ~self.state_bits & ~self.carried

    def _is_off(self, bits: int, off: int) -> bool:
        """Return whether bits are those that no state has, or just those of the row.

        Of the first all other bits are as the row has them: another button may look like it.
        """
        flipped = bits ^ off
        if not self.rule.checks:
            return not flipped & ~self.carried  # any button of some television may resemble it
        if power := self._power(off):
            return not flipped & (power | ~self.state_bits & ~self.carried)
        return not flipped & self.state_bits


class _ModeReader:
    """Reads the states of a mode from bits."""

    def __init__(self, mode: ModeBits, field_bits: int) -> None:
        self._mode = mode
        self._field = field_bits
        masks = {name: _mask(table.values()) for name, table in mode.tables.items()}
        self._values = {
            name: {flips: known for known, flips in reversed([*table.items()])}
            for name, table in mode.tables.items()
        }
        self._masks = masks
        union = reduce(or_, masks.values(), 0)
        is_separate = sum(mask.bit_count() for mask in masks.values()) == union.bit_count()
        self._fixed = field_bits & ~union
        self._known: Mapping[int, State] | None = None
        self._is_separate = is_separate and not mode.extras
        self._first_swing = next(iter(mode.tables.get("swing", {}).values()), 0)

    def read(self, bits: int, name: str) -> tuple[State, int] | None:
        """Return the state, and the bits that are others; None if it is not of this mode."""
        flipped = bits ^ self._mode.bits
        if self._is_separate:
            return self._separately(flipped, name)
        state = self._states(name).get(bits & self._field)
        if state is None:
            return None
        made = self._mode.message(state)
        return None if made is None else (state, (bits ^ made) & ~self._field)

    def _separately(self, flipped: int, name: str) -> tuple[State, int] | None:
        rest = flipped & ~self._field
        values: dict[str, Any] = {}
        others = flipped & self._fixed
        for attribute, mask in self._masks.items():
            known = self._values[attribute].get(flipped & mask)
            if known is None and attribute == "swing":
                rest |= (flipped ^ self._first_swing) & mask
            elif known is None and attribute == "temperature" and name in _MAY_LACK_TEMPERATURE:
                rest |= flipped & mask
            elif known is None:
                return None
            values[attribute] = known
        if others:
            return None
        return State(mode=name, **values), rest

    def _states(self, name: str) -> Mapping[int, State]:
        if self._known is None:
            known: dict[int, State] = {}
            for state, message in self._mode.messages(name).items():
                known.setdefault(message & self._field, state)
            self._known = known
        return self._known


def is_alike(signal: Signal, known: Signal) -> bool:
    """Return whether a press has the durations of a protocol, as a receiver may change them."""
    pairs = [
        (sum(signal.coding.one), sum(known.coding.one)),
        (sum(signal.coding.zero), sum(known.coding.zero)),
    ]
    for frame, of_row in zip(signal.distinct, known.distinct, strict=False):
        pairs += zip(frame.leader[::-1], of_row.leader[::-1], strict=False)
    return all(
        abs(own - other) <= _TOLERANCE * max(own, other) + _TOLERANCE_US for own, other in pairs
    )


def _flipped(mode: ModeBits) -> int:
    """Return the bits that the values of a mode flip."""
    tables = (_mask(table.values()) for table in mode.tables.values())
    return reduce(or_, tables, 0) | reduce(or_, (extra.flips for extra in mode.extras), 0)


def _mask(flips: Collection[int]) -> int:
    return reduce(or_, flips, 0)
