"""What the names of commands say that come in: it is read once, kept, and may be changed."""

from collections.abc import Iterable
from dataclasses import replace

from .device import Command, Device
from .name_parsing import words_of
from .names import functions_of, with_toggle
from .state_names import states_of_names


def with_meanings(device: Device, commands: Iterable[Command], *, functions: bool = True) -> Device:
    """Return the device with what the names of these commands of it say for its kind.

    What is known of it already stays. Without `functions`, somebody has said what they do.
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


def meant(device: Device, name: str) -> Command | None:
    """Return the command that a name means: its own, else its function, else another spelling.

    "volume_up", "VolumeUp" and "Volume+" are one. None if there is none, or if it might be two.
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
