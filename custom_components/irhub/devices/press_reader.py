"""What presses set an air conditioner to that are none of its commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from ..ircodes import Off, Packet, State
from ..ircodes.known import Dialects, KnownAirConditioners
from ..ircodes.states import ATTRIBUTES
from .device import Device
from .rules import PacketRule

_MOST: Final = 500
"""Commands from which it is told which known protocol they are of: that takes 1 ms each."""


@dataclass(frozen=True, kw_only=True)
class PressReader:
    """Reads a press by the rule of an air conditioner, or else by a known protocol it is of."""

    rule: PacketRule | None
    dialects: Dialects

    @classmethod
    def of(cls, device: Device, rule: PacketRule | None) -> Self | None:
        """Return what reads presses of a device; None if nothing does. For the executor."""
        if not device.kind.traits.has_states:
            return None
        table = _of_commands(device) if rule is None else _of_rule(rule)
        reader = cls(rule=rule, dialects=Dialects.of(table, KnownAirConditioners.shipped()))
        return reader if rule is not None or reader.dialects else None

    def read(self, packet: Packet) -> Sequence[State | Off]:
        """Return what a press sets the air conditioner to; nothing if that is not known."""
        if self.rule is not None and (decoded := self.rule.decode(packet)) is not None:
            return [decoded]
        return self.dialects.read(packet)


def _of_commands(device: Device) -> Mapping[State, bytes]:
    table = {
        command.state: command.packets[0]
        for command in device.commands.values()
        if command.state is not None and command.packets
    }
    few = [*table][:: len(table) // _MOST + 1]
    return {state: table[state] for state in few}


def _of_rule(rule: PacketRule) -> Mapping[State, bytes]:
    """Return a packet for each level of each mode."""
    table: dict[State, bytes] = {}
    for base in {state.mode: state for state in reversed(rule.offered)}.values():
        for attribute in ATTRIBUTES:
            for level in rule.capabilities[base.mode].values(attribute):
                changed: dict[str, Any] = {attribute: level}
                if (state := replace(base, **changed)) in rule.states:
                    table[state] = rule.encode(state)
    return table
