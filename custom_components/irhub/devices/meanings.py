"""States and functions from the names of commands, derived once when commands are added."""

from collections.abc import Iterable
from dataclasses import replace

from .device import Command, Device
from .name_parsing import words_of
from .names import functions_of, with_toggle
from .state_names import states_of_names


def with_meanings(device: Device, commands: Iterable[Command], *, functions: bool = True) -> Device:
    """Return the device with states and functions derived from the names of these commands.

    Known states and functions are kept. With `functions=False` only states are derived.
    """
    new = {command.name: device.commands[command.id] for command in commands}
    if device.kind.traits.has_states:
        unknown = [name for name, command in new.items() if command.state is None]
        states = states_of_names(unknown, device.capabilities)
        device = device.with_commands(
            *(replace(new[name], state=state) for name, state in states.items())
        )
        new = {name: command for name, command in new.items() if name not in states}
        new = {name: command for name, command in new.items() if command.state is None}
    if not functions:
        return device
    taken = {*device.functions.values()}
    read = {
        function: new[name].id
        for function, name in functions_of(device.kind, new).items()
        if new[name].id not in taken
    }
    packets = {id_: command.packets for id_, command in device.commands.items()}
    return replace(device, functions=with_toggle(read | dict(device.functions), packets))


def find_command(device: Device, name: str) -> Command | None:
    """Return the command with a name, else with this function, else with a similar name.

    "volume_up", "VolumeUp" and "Volume+" are equivalent. None if there is none or several.
    """
    if (command := device.named(name)) is not None:
        return command
    if (id_ := device.functions.get(name)) is not None:
        return device.commands[id_]
    words = words_of(name)
    alike = [command for command in device.commands.values() if words_of(command.name) == words]
    if len(alike) == 1:
        return alike[0]
    of_functions = map(device.functions.get, functions_of(device.kind, [name]))
    ids = set() if alike else {*of_functions} - {None}
    return device.commands[str(ids.pop())] if len(ids) == 1 else None
