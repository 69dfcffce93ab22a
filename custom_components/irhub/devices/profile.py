"""What the commands of a device do, as its entity asks for it."""

from dataclasses import dataclass

from .device import Command, Device
from .functions import KEYS
from .name_parsing import slowest_first, values
from .names import Functions
from .rules import CommandRule, PacketRule


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the commands of a device do, each by its id."""

    functions: Functions
    rule: CommandRule | PacketRule
    """Of what is no air conditioner, none."""
    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""

    @property
    def used(self) -> frozenset[str]:
        """Return the commands that the entity sends."""
        of_states = self.rule.used if isinstance(self.rule, CommandRule) else frozenset()
        return of_states.union(self.functions.values())


def profile_of(device: Device, rule: PacketRule | None = None) -> Profile:
    """Return what the device's commands do, or what its rule makes in place of commands."""
    listed = device.steps.speeds
    own = device.kind.traits.functions
    functions = {
        name: id_ for name, id_ in device.functions.items() if name in own or name not in KEYS
    }
    speeds = {
        **values(functions, "speed"),
        **values(functions, "forward"),
        **values(functions, "reverse"),
    }
    ordered = [speed for speed in listed if speed in speeds]
    ordered += slowest_first(speed for speed in speeds if speed not in listed)
    return Profile(
        functions=functions,
        rule=rule or _commands_rule(device, functions),
        speeds=tuple(ordered),
    )


def may_repeat(device: Device, command: Command) -> bool:
    """Return whether a command that is sent twice does what it does once.

    A whole state of an air conditioner does, and what only sets something. What toggles, steps or
    alternates does not, and of what has no function nobody knows.
    """
    if len(command.packets) > 1:
        return False
    traits = device.kind.traits
    if traits.has_states and command.state is not None:
        return True
    functions = [name for name, id_ in device.functions.items() if id_ == command.id]
    return bool(functions) and all(map(traits.sets, functions))


def _commands_rule(device: Device, functions: Functions) -> CommandRule:
    if not device.kind.traits.has_states:
        return CommandRule.of({})
    states = {
        id_: command.state for id_, command in device.commands.items() if command.state is not None
    }
    return CommandRule.of(states, functions, device.capabilities)
