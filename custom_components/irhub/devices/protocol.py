"""The rules that make packets in place of commands: of a protocol, or taught by presses."""

from collections.abc import Collection
from dataclasses import replace

from ..errors import UserError, list_names
from ..ircodes import (
    MODES,
    OFF,
    PRESSED_OFF,
    PROTOCOLS,
    Capabilities,
    Fields,
    Off,
    State,
    from_base64,
    packets_difference,
    unit_of,
    written,
)
from .device import Device, Protocol, Taught, UnknownRule
from .states import Rule


class ProtocolRule:
    """Makes the packets of a protocol, for what the user has chosen, and reads all of it.

    `chosen` None: all that the protocol has. Of what has one level alone a state says nothing.
    Raise UserError if the installed library does not write the protocol as `fields` say. It takes
    up to half a second: make it in the executor.
    """

    def __init__(self, protocol: str, fields: Fields, chosen: Capabilities | None = None) -> None:
        try:
            self._protocol = PROTOCOLS[protocol]
            every = {**self._protocol.states(fields)}
            pressed = fields.get(PRESSED_OFF)
            self._pressed_off = None if pressed is None else from_base64(str(pressed))
        except (KeyError, ValueError) as err:
            known = list_names(PROTOCOLS)
            raise UserError("no_protocol", protocol=protocol, known=known) from err
        off = every.pop(OFF, None)
        if self._pressed_off is not None:
            self._off = self._pressed_off
        elif off is not None:
            self._off = written(off)
        else:
            raise UserError("no_off", protocol=protocol)
        self._unit = unit_of(fields)
        states = [state for state in every if isinstance(state, State) and state.mode in MODES]
        if chosen is None:
            chosen = Capabilities.of_states(states, Capabilities(unit=self._unit))
        self.capabilities, levels = chosen, chosen.levels
        self._commands = {
            self._narrowed(state): every[state]
            for state in states
            if state.mode in chosen
            and state.fan in (None, *levels.fans)
            and state.swing in (None, *levels.swings)
            and self._unit == (chosen.unit or "C")
        }

    @property
    def states(self) -> Collection[State]:
        """Return what can be encoded."""
        return self._commands.keys()

    @property
    def off(self) -> bytes:
        """Return the packet that turns it off."""
        return self._off

    def encode(self, state: State) -> bytes:
        """Return the packet of a state. Raise ValueError if the protocol has none."""
        if (command := self._commands.get(state)) is None:
            raise ValueError(f"{self._protocol.name} has no {state}")
        return written(command)

    def decode(self, packet: bytes) -> State | Off | None:
        """Return what a packet says, which may be more than the user wants."""
        pressed = self._pressed_off
        if pressed is not None and packets_difference(packet, pressed) is not None:
            return OFF
        if (read := self._protocol.read(packet)) is None:
            return None
        state, fields = read
        if isinstance(state, Off):
            return OFF
        if state.mode not in MODES or unit_of(fields) != (self.capabilities.unit or "C"):
            return None
        return self._narrowed(state)

    def _narrowed(self, state: State) -> State:
        """Return a state without what is always the same."""
        levels = self.capabilities.levels
        return replace(
            state,
            fan=state.fan if len(levels.fans) > 1 else None,
            swing=state.swing if len(levels.swings) > 1 else None,
        )


def rule_of(device: Device) -> Rule | None:
    """Return what makes the packets of a device, if they are not commands.

    Raise UserError if this version cannot make any by it.
    """
    match device.rule:
        case Protocol(name=name, fields=fields):
            return ProtocolRule(name, fields, device.capabilities or None)
        case Taught() as taught:
            try:
                return taught.rule
            except ValueError as err:
                raise UserError("no_rule", device=device.name, error=err) from err
        case UnknownRule():
            raise UserError("newer_rule", device=device.name)
    return None
