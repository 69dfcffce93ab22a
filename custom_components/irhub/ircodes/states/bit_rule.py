"""The bit rule: the packets of a remote control as data, some hundred bytes for all states."""

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from operator import xor
from typing import Any, Final, Self, override

from ..packet.bits import Key, Signal
from ..packet.reader import Packet, read
from ..packet.text_forms import from_base64
from ..reasons import RefusedError
from . import messages, rule_parts as parts
from .capabilities import MAX_STATES, Capabilities, Levels
from .checks import Check
from .messages import Layout
from .room_temperature import RoomTemperature
from .rule import Rule
from .rule_parts import Extra, Table
from .state import ATTRIBUTES, OFF, Off, State, agreed, attributes

_SHOWN: Final = 200
"""Characters of an error in a rule that are quoted."""
_MESSAGE: Final = "0x"
"""Prefix of a packet that is stored as its message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeBits:
    """How the messages of a mode are composed."""

    bits: int
    """The bits of a state before its values flip any."""
    tables: Mapping[str, Table]
    """Attribute of State → bits that each of its values flips."""
    extras: tuple[Extra, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of states without creating them."""
        return prod(map(len, self.tables.values()))

    def message(self, state: State) -> int | None:
        """Return a state's bits, without checks and volatile bits; None if the mode lacks it."""
        values = dict(attributes(state))
        if values.keys() != self.tables.keys():
            return None
        message = self.bits
        for attribute, setting in values.items():
            if (flips := self.tables[attribute].get(setting)) is None:
                return None
            message ^= flips
        extras = (extra.flips for extra in self.extras if extra.applies_to(state))
        return reduce(xor, extras, message)

    def messages(self, name: str) -> dict[State, int]:
        """Return the bits of each state, without checks and volatile bits."""
        levels = Levels.of_attributes(lambda attribute: self.tables.get(attribute, ()))
        states = Capabilities(modes={name: levels}).states()
        return {state: message for state in states if (message := self.message(state)) is not None}


@dataclass(frozen=True, kw_only=True)
class BitRule(Rule[bytes]):
    """A rule that presses have verified, or that is known for a remote control.

    As JSON (notations: see `rule_parts`; empty values are omitted):

    {"signal": {"type": 38, "kind": "pairs", "one": "548 1584", "zero": "548 518",
                "frames": ["4400 4300/48:21400010115a/548/20000"]},
     "mode": {"values": ["cool", "heat"], "table": "20-21: 0 3"},
     "fan": {"values": ["auto", "low", "high"], "tables": ["14-15: 0 1 2"], "modes": "0 0"},
     "temperature": {"values": "18 19 20", "tables": ["16-17: 0 1 3", "16-17: 2 1 3"],
                     "modes": "0 1"},
     "more": [{"mode": "heat", "fan": ["auto"], "temperature": "18 19", "flips": "30"}],
     "checks": [{"kind": "sum", "of": "0-39", "target": "40-47"}], "off": "0x330000700f5a",
     "room": {"values": "16 17 18", "table": "32-35: f 0 1 2"},
     "others": [{"signal": …, "mode": …, …}]}

    A mode flips bits of the signal, and the value of each attribute flips more; `modes` is the
    index of each mode's table. `more` lists flips that only a combination of values causes; `room`
    is described in `room_temperature`. A packet with the signal's durations is stored as its
    message, a hexadecimal number; other packets as base64. `others` are rules in the same notation
    for states whose packets have other frames: turbo may be sent with one frame more.
    """

    signal: Signal
    """Durations and frames of all packets."""
    order: Capabilities
    """Modes and levels in the order in which they are offered; may include unavailable ones."""
    modes: Mapping[str, ModeBits]
    checks: tuple[Check, ...]
    """In the order in which they are computed."""
    volatile: int
    """Bits that change by themselves; sent as in the signal."""
    without: frozenset[State]
    """States that the modes have, but the rule excludes; temperature None: all temperatures."""
    pressed: Mapping[State, bytes]
    """State → packet with the received bits, which is sent instead of the rule's."""
    room: RoomTemperature | None = None
    """Bits for the temperature that the remote control measures, if known."""
    others: Sequence[BitRule] = ()
    """Rules of states whose packets have other frames; these have no others."""

    @cached_property
    @override
    def states(self) -> frozenset[State]:
        of_others = (other.states for other in self.others)
        return frozenset(self._by_rule).union(self.pressed, *of_others)

    @cached_property
    @override
    def capabilities(self) -> Capabilities:
        return Capabilities.of_states(self.states, self.order)

    @override
    def encode(self, state: State) -> bytes:
        return self.encode_in_room(state, None)

    def encode_in_room(
        self, state: State, celsius: float | None, *, only_report: bool = False
    ) -> bytes:
        """Return the packet of a state, including the temperature of the room if possible.

        `only_report`: the packet reports only that temperature and changes no state, if there is
        such a packet. Raise ValueError if there is no packet.
        """
        if (packet := self.pressed.get(state)) is not None:
            return packet
        if (message := self._message(state)) is None:
            for other in self.others:
                if state in other.states:
                    return other.encode(state)
            raise ValueError(f"no packet for {state}")
        message |= self._decoded_signal[1] & self.volatile
        if self.room is not None:
            message = self.room.written(message, celsius, only=only_report)
        for check in self.checks:
            message = check.compute(message, self.layout.frames)
        return messages.write(self.signal, message)

    @override
    def decode(self, code: bytes) -> State | Off | None:
        packet = read(code)
        if packet.key is None:
            return None
        message, pressed = messages.read_as(packet, self.layout), self._by_key.get(packet.key)
        if pressed is OFF or self._is_off(message):
            return OFF
        if pressed is not None:
            return pressed
        states: Collection[State] = ()
        if message is not None and self._has_right_checks(message):
            states = self._meanings.get(message & self.data, ())
        if not states and self.others:
            decoded = (other.decode(code) for other in self.others)
            return next((state for state in decoded if state is not None), None)
        return _common_state(states)

    def _has_right_checks(self, message: int) -> bool:
        return all(check.compute(message, self.layout.frames) == message for check in self.checks)

    def as_data(self) -> dict[str, Any]:
        """Return the rule as JSON data."""
        modes, levels = [*self.order], self.order.levels
        flips: Table = {name: mode.bits ^ self._base for name, mode in self.modes.items()}
        data: dict[str, Any] = {
            "signal": parts.signal_data(self.signal),
            "mode": {"values": modes, "table": parts.table_text(flips, modes)},
        }
        for attribute in ATTRIBUTES:
            tables = {
                name: mode.tables[attribute]
                for name, mode in self.modes.items()
                if attribute in mode.tables
            }
            data[attribute] = parts.attribute_data(levels.values(attribute), tables, modes)
        data |= {
            "more": [
                {"mode": name, **parts.extra_data(extra)}
                for name, mode in self.modes.items()
                for extra in mode.extras
            ],
            "checks": [parts.check_data(check) for check in self.checks],
            "rolling": parts.bits_text(self.volatile),
            "without": parts.columns_data(self.without),
            "pressed": [
                [*parts.state_data(state), self._packet_text(packet)]
                for state, packet in self.pressed.items()
            ],
            "off": self.off and self._packet_text(self.off),
            "room": None if self.room is None else self.room.as_data(),
            "others": [other.as_data() for other in self.others],
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the rule for the data of `as_data`. Raise ValueError if it is invalid."""
        try:
            rule = cls.parse(data)
            _test(rule)
        except RefusedError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as err:
            raise ValueError(f"not a rule: {repr(err)[:_SHOWN]}") from err
        return rule

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        """Return the rule as `from_data` does, without testing it: for rules known to be valid."""
        names = [str(name) for name in parts.few(data["mode"]["values"], parts.MAX_MODES)]
        levels = {name: parts.read_attribute(data.get(name), names) for name in ATTRIBUTES}
        rule = cls(
            signal=parts.read_signal(data["signal"]),
            order=Capabilities.alike(names, Levels.of_attributes(lambda name: levels[name][0])),
            modes={},
            checks=tuple(
                map(parts.read_check, parts.few(data.get("checks", ()), parts.MAX_CHECKS))
            ),
            volatile=parts.read_bits(data.get("rolling", "")),
            without=parts.read_columns(data.get("without", ())),
            pressed={},
            room=RoomTemperature.from_data(data["room"]) if "room" in data else None,
            others=tuple(
                map(cls._parse_other, parts.few(data.get("others", ()), parts.MAX_OTHERS))
            ),
        )
        flips = parts.read_table(data["mode"]["table"], names)
        extras = [
            (extra["mode"], parts.read_extra(extra))
            for extra in parts.few(data.get("more", ()), parts.MAX_EXTRAS)
        ]
        modes = {
            mode: ModeBits(
                bits=rule._base ^ flips[mode],
                tables={
                    name: tables[mode] for name, (_, tables) in levels.items() if mode in tables
                },
                extras=tuple(extra for extra_mode, extra in extras if extra_mode == mode),
            )
            for mode in names
            if mode in flips
        }
        pressed = data.get("pressed", ())
        _check_size(modes, pressed, rule.others)
        return replace(
            rule,
            modes=modes,
            pressed={parts.state_of(state): rule._packet(text) for *state, text in pressed},
            off=rule._packet(data["off"]) if "off" in data else None,
        )

    @classmethod
    def _parse_other(cls, data: Mapping[str, Any]) -> Self:
        if "others" in data:
            raise ValueError("a rule of other frames has none")
        return cls.parse(data)

    def _packet_text(self, packet: bytes) -> str:
        decoded = messages.read(packet)
        if decoded is not None and messages.write(self.signal, decoded[1]) == packet:
            return f"{_MESSAGE}{decoded[1]:x}"
        return b64encode(packet).decode()

    def _packet(self, text: str) -> bytes:
        if text.startswith(_MESSAGE):
            return messages.write(self.signal, parts.shifted_bits(text, 0))
        return from_base64(text)

    def _is_off(self, message: int | None) -> bool:
        """Return whether a message is "off" apart from volatile bits."""
        decoded_off = self._off_message
        return (
            bool(self.volatile)
            and message is not None
            and decoded_off is not None
            and decoded_off[0] == self.layout
            and not (message ^ decoded_off[1]) & self.data
        )

    @cached_property
    def _by_key(self) -> Mapping[Key | None, State | Off]:
        """Return the states of the packets that are stored as received, by their keys."""
        states: dict[Key | None, State | Off] = {}
        for state, pressed in self.pressed.items():
            states.setdefault(Packet(pressed).key, state)
        return states if self.off is None else {**states, Packet(self.off).key: OFF}

    @cached_property
    def _off_message(self) -> tuple[Layout, int] | None:
        return None if self.off is None else messages.read(self.off)

    @cached_property
    def _decoded_signal(self) -> tuple[Layout, int]:
        """Return layout and message of the signal. Raise ValueError if it has no bits."""
        if (decoded := messages.decode(self.signal)) is None:
            raise ValueError("the signal of the rule says nothing")
        return decoded

    @property
    def layout(self) -> Layout:
        """Return the layout of all messages."""
        return self._decoded_signal[0]

    @property
    def _base(self) -> int:
        """Return the signal's bits of the state, which modes flip."""
        return self._decoded_signal[1] & self.data

    @cached_property
    def data(self) -> int:
        """Return the bits that encode the state."""
        check_bits = 0
        for check in self.checks:
            check_bits |= check.target.mask
        room_bits = 0 if self.room is None else self.room.mask | self.room.report
        return (1 << sum(self.layout.frames)) - 1 & ~check_bits & ~self.volatile & ~room_bits

    @cached_property
    def _by_rule(self) -> Mapping[State, int]:
        """Return state → its bits, without checks and volatile bits."""
        return {
            state: message
            for name, mode in self.modes.items()
            for state, message in mode.messages(name).items()
            if not self._is_excluded(state)
        }

    def _message(self, state: State) -> int | None:
        """Return the bits of a state as in `_by_rule`, without creating all states."""
        if (mode := self.modes.get(state.mode)) is None or self._is_excluded(state):
            return None
        return mode.message(state)

    def _is_excluded(self, state: State) -> bool:
        return not self.without.isdisjoint((state, replace(state, temperature=None)))

    @cached_property
    def _meanings(self) -> Mapping[int, list[State]]:
        meanings: dict[int, list[State]] = {}
        for state, message in self._by_rule.items():
            meanings.setdefault(message, []).append(state)
        return meanings


def _check_size(
    modes: Mapping[str, ModeBits], pressed: Sequence[object], others: Collection[BitRule]
) -> None:
    """Raise RefusedError if there are too many states: a few names multiply to millions."""
    count = sum(mode.count for mode in modes.values()) + len(pressed)
    of_others = sum(mode.count for other in others for mode in other.modes.values())
    if count + of_others > MAX_STATES:
        raise RefusedError("many_commands", limit=MAX_STATES)


def _test(rule: BitRule) -> None:
    """Use a rule once, so that errors in it are raised now and not later."""
    rule.capabilities  # noqa: B018 - it is computed now
    for part in (rule, *rule.others):
        for state in sorted(part.states - part.pressed.keys(), key=str)[:1]:
            rule.decode(rule.encode(state))


def _common_state(states: Collection[State]) -> State | None:
    """Return the common values of states of one mode; None for several modes or no state."""
    return agreed(states) if len({state.mode for state in states}) == 1 else None
