"""Rules of air conditioners: state → command, or state → computed packet."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, override

from ..errors import UserError, list_names
from ..ircodes import OFF, Capabilities, Off, Rule, State
from ..ircodes.protocols import PROTOCOLS, Fields, ProtocolRule
from .device import Device, Protocol, Taught, UnknownRule

type Sends = str | bytes
"""Something to send: the id of a command, or a packet."""
type PacketRule = Rule[bytes]
"""Computes the packet of a state."""


@dataclass(frozen=True, kw_only=True)
class CommandRule(Rule[str]):
    """Maps each state to the id of its command."""

    commands: Mapping[State, str]
    """State → first command that sets it."""
    meanings: Mapping[str, State]
    """Command → state that it sets; several may set the same state."""
    order: Capabilities
    """Modes and levels in the order of presentation."""
    off_by_mode: Mapping[str, str] = field(default_factory=dict)
    """Mode → command that turns the air conditioner off in that mode."""

    @classmethod
    def of(
        cls,
        meanings: Mapping[str, State],
        functions: Mapping[str, str] | None = None,
        order: Capabilities | None = None,
    ) -> Self:
        """Return the rule for commands that set states.

        `functions` has the commands of "on", "off", "off <mode>" and "toggle".
        """
        functions = functions or {}
        commands: dict[State, str] = {}
        for command, state in meanings.items():
            commands.setdefault(state, command)
        return cls(
            commands=commands,
            meanings=meanings,
            order=Capabilities() if order is None else order,
            off=functions.get("off"),
            off_by_mode={
                function.removeprefix("off "): command
                for function, command in functions.items()
                if function.startswith("off ")
            },
            on=functions.get("on"),
            toggle=functions.get("toggle"),
        )

    @property
    @override
    def states(self) -> Collection[State]:
        return self.commands.keys()

    @cached_property
    @override
    def offered(self) -> Sequence[State]:
        return [*self.commands]

    @cached_property
    @override
    def capabilities(self) -> Capabilities:
        return Capabilities.of_states(self.commands, self.order)

    @property
    def used(self) -> frozenset[str]:
        """Return the ids of all commands that the rule uses."""
        power = {self.on, self.off, self.toggle, *self.off_by_mode.values()} - {None}
        return frozenset(self.commands.values()) | {*filter(None, power)}

    @override
    def encode(self, state: State) -> str:
        if (command := self.commands.get(state)) is None:
            raise ValueError(f"no command for {state}")
        return command

    @override
    def decode(self, code: str) -> State | Off | None:
        if code == self.off or code in self.off_by_mode.values():
            return OFF
        return self.meanings.get(code)

    @override
    def off_in(self, mode: str | None) -> str | None:
        return self.off_by_mode.get(mode or "", self.off)

    @property
    @override
    def can_turn_off(self) -> bool:
        return bool(self.off_by_mode) or super().can_turn_off


def protocol_rule(name: str, fields: Fields, chosen: Capabilities | None = None) -> ProtocolRule:
    """Return `ProtocolRule.of(…)`. Raise UserError if the library cannot encode the protocol."""
    try:
        return ProtocolRule.of(name, fields, chosen)
    except ValueError as err:
        known = list_names(PROTOCOLS)
        raise UserError("no_protocol", protocol=name, known=known) from err


def rule_of(device: Device) -> PacketRule | None:
    """Return the rule that computes a device's packets; None if it has commands instead.

    Raise UserError if this version cannot use the rule. Takes up to 0.5 s.
    """
    match device.rule:
        case Protocol(name=name, fields=fields):
            rule = protocol_rule(name, fields, device.capabilities or None)
            if rule.off is None:
                raise UserError("no_off", protocol=name)
            return rule
        case Taught() as taught:
            try:
                return taught.rule
            except ValueError as err:
                raise UserError("no_rule", device=device.name, error=err) from err
        case UnknownRule():
            raise UserError("newer_rule", device=device.name)
    return None
