"""The rule of an air conditioner whose protocol the installed library writes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, override

from ..packet.text_forms import from_base64
from ..states.capabilities import Capabilities
from ..states.rule import Rule
from ..states.state import MODES, OFF, Off, State
from .air_conditioners import PRESSED_OFF, PROTOCOLS, ClimateProtocol, Fields, written
from .presses import same_button
from .protocols import Command


@dataclass(frozen=True, kw_only=True)
class ProtocolRule(Rule[bytes]):
    """Encodes the chosen states of a protocol, and decodes all of its states.

    In a state, an attribute with a single level is None.
    """

    protocol: ClimateProtocol
    chosen: Capabilities
    commands: Mapping[State, Command]
    pressed_off: bytes | None
    """The received "off" packet, if the library has none or its packet does not work."""

    @classmethod
    def of(cls, protocol: str, fields: Fields, chosen: Capabilities | None = None) -> Self:
        """Return the rule of a protocol for a remote control that sends these fields.

        `chosen` None: all states of the protocol. Raise ValueError if the installed library does
        not write the protocol with these fields. Takes up to half a second.
        """
        if (climate_protocol := PROTOCOLS.get(protocol)) is None:
            raise ValueError(f"there is no protocol {protocol}")
        commands = {**climate_protocol.states(fields)}
        pressed, off = fields.get(PRESSED_OFF), commands.pop(OFF, None)
        pressed_off = None if pressed is None else from_base64(str(pressed))
        unit = climate_protocol.unit(fields)
        states = {
            state: command
            for state, command in commands.items()
            if isinstance(state, State) and state.mode in MODES
        }
        if chosen is None:
            chosen = Capabilities.of_states(states, Capabilities(unit=unit))
        levels = chosen.levels
        return cls(
            protocol=climate_protocol,
            chosen=chosen,
            commands={
                _narrowed(state, chosen): command
                for state, command in states.items()
                if state.mode in chosen
                and state.fan in (None, *levels.fans)
                and state.swing in (None, *levels.swings)
                and unit == (chosen.unit or "C")
            },
            pressed_off=pressed_off,
            off=written(off) if pressed_off is None and off is not None else pressed_off,
        )

    @property
    @override
    def states(self) -> Collection[State]:
        return self.commands.keys()

    @cached_property
    @override
    def capabilities(self) -> Capabilities:
        return Capabilities.of_states(self.states, self.chosen)

    @override
    def encode(self, state: State) -> bytes:
        if (command := self.commands.get(state)) is None:
            raise ValueError(f"{self.protocol.name} has no {state}")
        return written(command)

    @override
    def decode(self, code: bytes) -> State | Off | None:
        pressed_off = self.pressed_off
        if pressed_off is not None and same_button(code, pressed_off):
            return OFF
        if (reading := self.protocol.read(code)) is None:
            return None
        if isinstance(state := reading.state, Off):
            return OFF
        if state.mode not in MODES or reading.unit != (self.chosen.unit or "C"):
            return None
        return _narrowed(state, self.chosen)


def _narrowed(state: State, chosen: Capabilities) -> State:
    """Return a state without attributes that have a single level."""
    levels = chosen.levels
    return replace(
        state,
        fan=state.fan if len(levels.fans) > 1 else None,
        swing=state.swing if len(levels.swings) > 1 else None,
    )
