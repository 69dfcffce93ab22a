"""The rule: a remote control's packets as data, a few hundred bytes for hundreds of states."""

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from operator import xor
from typing import Any, Final, Self

from ..packet.bits import Key, Signal
from ..packet.reader import Packet, read
from ..packet.text_forms import from_base64
from ..reasons import RefusedError
from . import messages, rule_parts as parts
from .capabilities import Capabilities, Levels
from .checks import Check
from .messages import Layout
from .rule_parts import More, Table
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
    more: tuple[More, ...] = ()
    """What states flip besides that have several things together."""

    @property
    def count(self) -> int:
        """Return how many states there are."""
        return prod(map(len, self.tables.values()))

    def message(self, state: State) -> int | None:
        """Return the bits of a state, without checks and volatile bits; None: there is no such."""
        values = dict(attributes(state))
        if values.keys() != self.tables.keys():
            return None
        bits_of_state = self.bits
        for attribute, known in values.items():
            if (flips := self.tables[attribute].get(known)) is None:
                return None
            bits_of_state ^= flips
        return reduce(xor, (one.flips for one in self.more if one.has(state)), bits_of_state)

    def messages(self, name: str) -> dict[State, int]:
        """Return the bits of each state, without checks and volatile bits."""
        levels = Levels.of_attributes(lambda attribute: self.tables.get(attribute, ()))
        states = Capabilities(modes={name: levels}).states()
        return {state: made for state in states if (made := self.message(state)) is not None}


@dataclass(frozen=True, kw_only=True)
class TaughtRule:
    """Makes the packet of a state, and reads what the remote control sends.

    As JSON (`rule_parts` has the notations; what is empty is left out):

    {"signal": {"type": 38, "kind": "pairs", "one": "548 1584", "zero": "548 518",
                "frames": ["4400 4300/48:21400010115a/548/20000"]},
     "mode": {"values": ["cool", "heat"], "table": "20-21: 0 3"},
     "fan": {"values": ["auto", "low", "high"], "tables": ["14-15: 0 1 2"], "modes": "0 0"},
     "temperature": {"values": "18 19 20", "tables": ["16-17: 0 1 3", "16-17: 2 1 3"],
                     "modes": "0 1"},
     "more": [{"mode": "heat", "fan": ["auto"], "temperature": "18 19", "flips": "30"}],
     "checks": [{"kind": "sum", "of": "0-39", "target": "40-47"}], "off": "0x330000700f5a"}

    A mode flips bits of the signal, each attribute more of them; its `modes` say for each mode
    which of its tables holds. What several things flip together only is in `more`. A packet that
    is written as the signal is kept as its message, a hexadecimal number; another one as base64.
    """

    signal: Signal
    """How all are written."""
    order: Capabilities
    """Modes and levels in the order in which they are offered; perhaps more than there are."""
    modes: Mapping[str, ModeBits]
    checks: tuple[Check, ...]
    """In the order in which they are computed."""
    rolling: int
    """Bits that change by themselves; sent as they are in the signal."""
    without: frozenset[State]
    """What the modes have, but the rule does not say; a temperature of None: whatever it is."""
    pressed: Mapping[State, bytes]
    """What is sent as it was pressed: its bits at least, however they are written."""
    off: bytes | None

    @cached_property
    def states(self) -> frozenset[State]:
        """Return what can be encoded."""
        return frozenset(self._by_rule) | self.pressed.keys()

    @cached_property
    def capabilities(self) -> Capabilities:
        """Return what can be set."""
        return Capabilities.of_states(self.states, self.order)

    def encode(self, state: State) -> bytes:
        """Return the packet of a state. Raise ValueError if there is none."""
        if (packet := self.pressed.get(state)) is not None:
            return packet
        if (said := self._message(state)) is None:
            raise ValueError(f"no packet for {state}")
        message = said | self._said[1] & self.rolling
        for check in self.checks:
            message = check.compute(message, self.layout.frames)
        return messages.write(self.signal, message)

    def decode(self, packet: bytes) -> State | Off | None:
        """Return what a packet says; None: it is not of this rule.

        What several states of a mode have alike is said; what differs in them is None.
        """
        packet = read(packet)
        if packet.key is None:
            return None
        said, pressed = messages.read(packet), self._by_key.get(packet.key)
        if pressed is OFF or self._is_off(said):
            return OFF
        if pressed is not None:
            return pressed
        if said is None or said[0] != self.layout:
            return None
        message = said[1]
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
                {"mode": name, **parts.more_data(one)}
                for name, mode in self.modes.items()
                for one in mode.more
            ],
            "checks": [parts.check_data(check) for check in self.checks],
            "rolling": parts.bits_text(self.rolling),
            "without": parts.columns_data(self.without),
            "pressed": [
                [*parts.state_data(state), self._packet_text(packet)]
                for state, packet in self.pressed.items()
            ],
            "off": self.off and self._packet_text(self.off),
        }
        return {key: said for key, said in data.items() if said}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the rule of `as_data`. Raise ValueError if it is none."""
        try:
            rule = cls._from_data(data)
            _try(rule)
        except RefusedError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as err:
            raise ValueError(f"not a rule: {repr(err)[:_SHOWN]}") from err
        return rule

    @classmethod
    def _from_data(cls, data: Mapping[str, Any]) -> Self:
        names = [str(name) for name in parts.few(data["mode"]["values"], parts.MAX_MODES)]
        of = {one: parts.read_attribute(data.get(one), names) for one in ATTRIBUTES}
        rule = cls(
            signal=parts.read_signal(data["signal"]),
            order=Capabilities.alike(names, Levels.of_attributes(lambda one: of[one][0])),
            modes={},
            checks=tuple(
                map(parts.read_check, parts.few(data.get("checks", ()), parts.MAX_CHECKS))
            ),
            rolling=parts.read_bits(data.get("rolling", "")),
            without=parts.read_columns(data.get("without", ())),
            pressed={},
            off=None,
        )
        flips = parts.read_table(data["mode"]["table"], names)
        together = parts.few(data.get("more", ()), parts.MAX_MORE)
        more = [(one["mode"], parts.read_more(one)) for one in together]
        modes = {
            name: ModeBits(
                bits=rule._base ^ flips[name],
                tables={one: tables[name] for one, (_, tables) in of.items() if name in tables},
                more=tuple(one for mode, one in more if mode == name),
            )
            for name in names
            if name in flips
        }
        pressed = data.get("pressed", ())
        _check_size(modes, pressed)
        return replace(
            rule,
            modes=modes,
            pressed={parts.state_of(said[:-1]): rule._packet(said[-1]) for said in pressed},
            off=rule._packet(data["off"]) if "off" in data else None,
        )

    def _packet_text(self, packet: bytes) -> str:
        said = messages.read(packet)
        if said is not None and messages.write(self.signal, said[1]) == packet:
            return f"{_MESSAGE}{said[1]:x}"
        return b64encode(packet).decode()

    def _packet(self, text: str) -> bytes:
        if text.startswith(_MESSAGE):
            return messages.write(self.signal, parts.moved(text, 0))
        return from_base64(text)

    def _is_off(self, said: tuple[Layout, int] | None) -> bool:
        """Say if this is off, but for what changes by itself."""
        off = self._off_message
        return (
            bool(self.rolling)
            and said is not None
            and off is not None
            and said[0] == off[0] == self.layout
            and not (said[1] ^ off[1]) & self.data
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
    def _said(self) -> tuple[Layout, int]:
        """What the signal says."""
        if (said := messages.said_by(self.signal)) is None:
            raise ValueError("the signal of the rule says nothing")
        return said

    @property
    def layout(self) -> Layout:
        """Return what all messages have alike."""
        return self._said[0]

    @property
    def _base(self) -> int:
        """Return what the signal says of the state: the bits that modes flip."""
        return self._said[1] & self.data

    @cached_property
    def data(self) -> int:
        """Return the bits that say the state."""
        checked = 0
        for check in self.checks:
            checked |= check.target.mask
        return (1 << sum(self.layout.frames)) - 1 & ~checked & ~self.rolling

    @cached_property
    def _by_rule(self) -> Mapping[State, int]:
        """State → its bits, without checks and what changes by itself."""
        return {
            state: said
            for name, mode in self.modes.items()
            for state, said in mode.messages(name).items()
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
        found: dict[int, list[State]] = {}
        for state, said in self._by_rule.items():
            found.setdefault(said, []).append(state)
        return found


def _check_size(modes: Mapping[str, ModeBits], pressed: Sequence[object]) -> None:
    """Raise RefusedError if there are too many states: a few names multiply to millions."""
    if sum(mode.count for mode in modes.values()) + len(pressed) > parts.MAX_STATES:
        raise RefusedError("many_commands", limit=parts.MAX_STATES)


def _try(rule: TaughtRule) -> None:
    """Do what is done with a rule: what is wrong with it is raised here, and not later."""
    rule.capabilities  # noqa: B018 - it is computed now
    for state in sorted(rule.states - rule.pressed.keys(), key=str)[:1]:
        rule.decode(rule.encode(state))


def _common(states: Collection[State]) -> State | None:
    """Return what states of one mode have alike; None if they are of several, or there is none."""
    return agreed(states) if len({state.mode for state in states}) == 1 else None
