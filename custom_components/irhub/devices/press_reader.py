"""Decoding presses of an air conditioner's remote control that are none of its commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from ..ircodes import Off, Packet, State
from ..ircodes.known import Dialects, KnownAirConditioners
from ..ircodes.states import ATTRIBUTES
from .device import Device
from .rules import PacketRule

_MOST: Final = 500
"""Maximum number of commands for identifying the protocol, which takes 1 ms for each."""


@dataclass(frozen=True, kw_only=True)
class PressReader:
    """Decodes presses by the device's rule, or else by the known protocol of its commands."""

    rule: PacketRule | None
    dialects: Dialects

    @classmethod
    def of(cls, device: Device, rule: PacketRule | None) -> Self | None:
        """Return the reader of a device; None if nothing can be decoded. For the executor."""
        if not device.kind.traits.has_states:
            return None
        table = _of_commands(device) if rule is None else _of_rule(rule)
        reader = cls(rule=rule, dialects=Dialects.of(table, KnownAirConditioners.shipped()))
        return reader if rule is not None or reader.dialects else None

    def read(self, packet: Packet) -> Sequence[State | Off]:
        """Return the states that a press may set; empty if it is unknown."""
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
