"""The rules that make packets in place of commands: of a protocol, or taught by presses."""

from collections.abc import Collection, Mapping

from ..errors import UserError, list_names
from ..ircodes import (
    MODES,
    OFF,
    PRESSED_OFF,
    PROTOCOL_OFF,
    PROTOCOLS,
    AirConditionerState,
    Command,
    Fields,
    Levels,
    Off,
    State,
    TaughtRule,
    from_base64,
    ordered,
    packets_difference,
    written,
)
from .device import Device, Protocol, Taught, UnknownRule
from .states import Rule


class ProtocolRule:
    """Makes the packets of a protocol, for the levels that the user wants, and reads all of it.

    `levels` None: all that the protocol has. Of what has one level alone a state says nothing.
    Raise UserError if the installed library does not write the protocol as `fields` say. It takes
    up to half a second: make it in the executor.
    """

    def __init__(self, protocol: str, fields: Fields, levels: Levels | None = None) -> None:
        try:
            self._protocol = PROTOCOLS[protocol]
            every = {**self._protocol.states(fields)}
            pressed = fields.get(PRESSED_OFF)
            self._pressed_off = None if pressed is None else from_base64(str(pressed))
        except (KeyError, ValueError) as err:
            known = list_names(PROTOCOLS)
            raise UserError("no_protocol", protocol=protocol, known=known) from err
        off = every.pop(PROTOCOL_OFF, None)
        if self._pressed_off is not None:
            self._off = self._pressed_off
        elif off is not None:
            self._off = written(off)
        else:
            raise UserError("no_off", protocol=protocol)
        self.levels = levels or _levels_of(every)
        self._commands = {
            said: command
            for state, command in every.items()
            if _is_wanted(state, self.levels) and (said := self._said(state)) is not None
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

    def read(self, packet: bytes) -> State | Off | None:
        """Return what a packet says, which may be more than the user wants."""
        pressed = self._pressed_off
        if pressed is not None and packets_difference(packet, pressed) is not None:
            return OFF
        if (read := self._protocol.read(packet)) is None:
            return None
        state, _ = read
        if state == PROTOCOL_OFF:
            return OFF
        return self._said(state) if _unit(state) == (self.levels.unit or "C") else None

    def _said(self, state: AirConditionerState) -> State | None:
        """Return a state as ours; None if Home Assistant has no such mode."""
        if state.mode not in MODES:
            return None
        return State(
            mode=state.mode,
            fan=state.fan if len(self.levels.fans) > 1 else None,
            swing=state.swing if len(self.levels.swings) > 1 else None,
            temperature=state.temperature,
        )


def rule_of(device: Device) -> Rule | None:
    """Return what makes the packets of a device, if they are not commands.

    Raise UserError if this version cannot make any by it.
    """
    match device.rule:
        case Protocol(name=name, fields=fields):
            return ProtocolRule(name, fields, device.levels if device.levels.modes else None)
        case Taught(data=data):
            try:
                return TaughtRule.from_data(data)
            except ValueError as err:
                raise UserError("no_rule", device=device.name, error=err) from err
        case UnknownRule():
            raise UserError("newer_rule", device=device.name)
    return None


def _levels_of(states: Mapping[AirConditionerState, Command]) -> Levels:
    return Levels(
        modes=tuple(ordered((state.mode for state in states), ())),
        fans=tuple(ordered((state.fan for state in states), ())),
        swings=tuple(ordered((state.swing for state in states), ())),
        unit=min((_unit(state) for state in states), default="C"),
    )


def _is_wanted(state: AirConditionerState, levels: Levels) -> bool:
    return (
        state.mode in levels.modes
        and state.fan in (None, *levels.fans)
        and state.swing in (None, *levels.swings)
        and _unit(state) == (levels.unit or "C")
    )


def _unit(state: AirConditionerState) -> str:
    return "F" if state.fahrenheit else "C"
