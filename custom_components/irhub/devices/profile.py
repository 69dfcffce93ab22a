"""Profile of a device: its functions and its rule, as used by its entity."""

from dataclasses import dataclass

from .device import Command, Device
from .functions import KEYS
from .name_parsing import slowest_first, values
from .names import Functions
from .rules import CommandRule, PacketRule


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The functions and the rule of a device."""

    functions: Functions
    """Function → id of the command."""
    rule: CommandRule | PacketRule
    """Rule of an air conditioner; empty for other kinds."""
    speeds: tuple[str, ...] = ()
    """Speeds of a fan, slowest first."""

    @property
    def used(self) -> frozenset[str]:
        """Return the ids of the commands that the entity sends."""
        of_states = self.rule.used if isinstance(self.rule, CommandRule) else frozenset()
        return of_states.union(self.functions.values())


def profile_of(device: Device, rule: PacketRule | None = None) -> Profile:
    """Return the profile of a device; `rule` is the one that computes packets, if any."""
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
    """Return whether sending a command twice has the same effect as sending it once.

    True for complete states of air conditioners, and for functions that set something. False for
    toggles, steps, alternating commands, and commands without a known function.
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
