"""What the commands of a device do, as its entity asks for it."""

from dataclasses import dataclass

from .device import Device, Kind
from .names import KEYS, Functions, slowest_first, values
from .states import Rule, States, encoded, table


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the commands of a device do, each by its id."""

    functions: Functions
    climate: States
    """Of what is no air conditioner, none."""
    speeds: tuple[str, ...] = ()
    """Of a fan, slowest first."""

    @property
    def used(self) -> frozenset[str]:
        """Return the commands that the entity sends."""
        return frozenset(self.functions.values()) | self.climate.used


def profile_of(device: Device, rule: Rule | None = None) -> Profile:
    """Return what the device's commands do, or what its rule makes in place of commands."""
    said = device.steps.speeds
    functions = {name: id_ for name, id_ in device.functions.items() if name not in KEYS}
    speeds = {
        **values(functions, "speed"),
        **values(functions, "forward"),
        **values(functions, "reverse"),
    }
    ordered = [speed for speed in said if speed in speeds]
    ordered += slowest_first(speed for speed in speeds if speed not in said)
    climate = table({})
    if rule is not None:
        climate = encoded(rule)
    elif device.kind is Kind.AIR_CONDITIONER:
        states = {
            id_: command.state
            for id_, command in device.commands.items()
            if command.state is not None
        }
        climate = table(states, functions, device.capabilities)
    return Profile(functions=functions, climate=climate, speeds=tuple(ordered))
