"""The rule of bits: a remote control's packets as data, some hundred bytes for all states."""

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
"""Characters of what is wrong with a rule."""
_MESSAGE: Final = "0x"
"""How the text of a packet begins that is kept as its message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeBits:
    """What the messages of a mode are made of."""

    bits: int
    """Those of the values that flip nothing."""
    tables: Mapping[str, Table]
    """Attribute of State → what its values flip."""
    extras: tuple[Extra, ...] = ()

    @property
    def count(self) -> int:
        """Return how many states there are, without making them."""
        return prod(map(len, self.tables.values()))

    def message(self, state: State) -> int | None:
        """Return the bits of a state, without checks and volatile bits; None: there is no such."""
        values = dict(attributes(state))
        if values.keys() != self.tables.keys():
            return None
        message = self.bits
        for attribute, known in values.items():
            if (flips := self.tables[attribute].get(known)) is None:
                return None
            message ^= flips
        extras = (extra.flips for extra in self.extras if extra.applies_to(state))
        return reduce(xor, extras, message)

    def messages(self, name: str) -> dict[State, int]:
        """Return the bits of each state, without checks and volatile bits."""
        levels = Levels.of_attributes(lambda attribute: self.tables.get(attribute, ()))
        states = Capabilities(modes={name: levels}).states()
        return {state: made for state in states if (made := self.message(state)) is not None}


@dataclass(frozen=True, kw_only=True)
class BitRule(Rule[bytes]):
    """A rule that is proved by presses, or known of a remote control.

    As JSON (`rule_parts` has the notations; what is empty is left out):

    {"signal": {"type": 38, "kind": "pairs", "one": "548 1584", "zero": "548 518",
                "frames": ["4400 4300/48:21400010115a/548/20000"]},
     "mode": {"values": ["cool", "heat"], "table": "20-21: 0 3"},
     "fan": {"values": ["auto", "low", "high"], "tables": ["14-15: 0 1 2"], "modes": "0 0"},
     "temperature": {"values": "18 19 20", "tables": ["16-17: 0 1 3", "16-17: 2 1 3"],
                     "modes": "0 1"},
     "more": [{"mode": "heat", "fan": ["auto"], "temperature": "18 19", "flips": "30"}],
     "checks": [{"kind": "sum", "of": "0-39", "target": "40-47"}], "off": "0x330000700f5a",
     "room": {"values": "16 17 18", "table": "32-35: f 0 1 2"}}

    A mode flips bits of the signal, each attribute more of them; its `modes` say for each mode
    which of its tables holds. What several things flip together only is in `more`; `room` is what
    `room_temperature` describes. A packet that is written as the signal is kept as its message, a
    hexadecimal number; another one as base64.
    """

    signal: Signal
    """How all are written."""
    order: Capabilities
    """Modes and levels in the order in which they are offered; perhaps more than there are."""
    modes: Mapping[str, ModeBits]
    checks: tuple[Check, ...]
    """In the order in which they are computed."""
    volatile: int
    """Bits that change by themselves; sent as they are in the signal."""
    without: frozenset[State]
    """What the modes have, but the rule does not say; a temperature of None: whatever it is."""
    pressed: Mapping[State, bytes]
    """What is sent as it was pressed: its bits at least, however they are written."""
    room: RoomTemperature | None = None
    """The bits that say what the remote control measures, if they are known."""

    @cached_property
    @override
    def states(self) -> frozenset[State]:
        return frozenset(self._by_rule) | self.pressed.keys()

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
        """Return the packet of a state, with the temperature of the room where it can have that.

        `only_report` if the air conditioner is to take over nothing but that temperature. Raise
        ValueError if there is no packet.
        """
        if (packet := self.pressed.get(state)) is not None:
            return packet
        if (message := self._message(state)) is None:
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
        if message is None:
            return None
        for check in self.checks:
            if check.compute(message, self.layout.frames) != message:
                return None
        return _common(self._meanings.get(message & self.data, ()))

    def as_data(self) -> dict[str, Any]:
        """Return the rule as JSON has it."""
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
        }
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the rule of `as_data`. Raise ValueError if it is none."""
        try:
            rule = cls.parse(data)
            _try(rule)
        except RefusedError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as err:
            raise ValueError(f"not a rule: {repr(err)[:_SHOWN]}") from err
        return rule

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        """Return what `from_data` does, without making a state: for rules that are known good."""
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
                extras=tuple(extra for of_mode, extra in extras if of_mode == mode),
            )
            for mode in names
            if mode in flips
        }
        pressed = data.get("pressed", ())
        _check_size(modes, pressed)
        return replace(
            rule,
            modes=modes,
            pressed={parts.state_of(state): rule._packet(text) for *state, text in pressed},
            off=rule._packet(data["off"]) if "off" in data else None,
        )

    def _packet_text(self, packet: bytes) -> str:
        decoded = messages.read(packet)
        if decoded is not None and messages.write(self.signal, decoded[1]) == packet:
            return f"{_MESSAGE}{decoded[1]:x}"
        return b64encode(packet).decode()

    def _packet(self, text: str) -> bytes:
        if text.startswith(_MESSAGE):
            return messages.write(self.signal, parts.moved(text, 0))
        return from_base64(text)

    def _is_off(self, message: int | None) -> bool:
        """Return whether this is off, but for what changes by itself."""
        off = self._off_message
        return (
            bool(self.volatile)
            and message is not None
            and off is not None
            and off[0] == self.layout
            and not (message ^ off[1]) & self.data
        )

    @cached_property
    def _by_key(self) -> Mapping[Key | None, State | Off]:
        """Return what the packets that are sent as they were pressed do, by what they say."""
        states: dict[Key | None, State | Off] = {}
        for state, pressed in self.pressed.items():
            states.setdefault(Packet(pressed).key, state)
        return states if self.off is None else {**states, Packet(self.off).key: OFF}

    @cached_property
    def _off_message(self) -> tuple[Layout, int] | None:
        return None if self.off is None else messages.read(self.off)

    @cached_property
    def _decoded_signal(self) -> tuple[Layout, int]:
        """Return what the signal says. Raise ValueError if that is nothing."""
        if (decoded := messages.decode(self.signal)) is None:
            raise ValueError("the signal of the rule says nothing")
        return decoded

    @property
    def layout(self) -> Layout:
        """Return what all messages have alike."""
        return self._decoded_signal[0]

    @property
    def _base(self) -> int:
        """Return what the signal says of the state: the bits that modes flip."""
        return self._decoded_signal[1] & self.data

    @cached_property
    def data(self) -> int:
        """Return the bits that say the state."""
        checked = 0
        for check in self.checks:
            checked |= check.target.mask
        of_room = 0 if self.room is None else self.room.mask | self.room.report
        return (1 << sum(self.layout.frames)) - 1 & ~checked & ~self.volatile & ~of_room

    @cached_property
    def _by_rule(self) -> Mapping[State, int]:
        """Return state → its bits, without checks and what changes by itself."""
        return {
            state: message
            for name, mode in self.modes.items()
            for state, message in mode.messages(name).items()
            if not self._is_left_out(state)
        }

    def _message(self, state: State) -> int | None:
        """Return the bits of a state as `_by_rule` has them, without making those of all."""
        if (mode := self.modes.get(state.mode)) is None or self._is_left_out(state):
            return None
        return mode.message(state)

    def _is_left_out(self, state: State) -> bool:
        return not self.without.isdisjoint((state, replace(state, temperature=None)))

    @cached_property
    def _meanings(self) -> Mapping[int, list[State]]:
        meanings: dict[int, list[State]] = {}
        for state, message in self._by_rule.items():
            meanings.setdefault(message, []).append(state)
        return meanings


def _check_size(modes: Mapping[str, ModeBits], pressed: Sequence[object]) -> None:
    """Raise RefusedError if there are too many states: a few names multiply to millions."""
    if sum(mode.count for mode in modes.values()) + len(pressed) > MAX_STATES:
        raise RefusedError("many_commands", limit=MAX_STATES)


def _try(rule: BitRule) -> None:
    """Use a rule once: what is wrong with it is raised here, and not later."""
    rule.capabilities  # noqa: B018 - it is computed now
    for state in sorted(rule.states - rule.pressed.keys(), key=str)[:1]:
        rule.decode(rule.encode(state))


def _common(states: Collection[State]) -> State | None:
    """Return what states of one mode have alike; None if they are of several, or there is none."""
    return agreed(states) if len({state.mode for state in states}) == 1 else None
