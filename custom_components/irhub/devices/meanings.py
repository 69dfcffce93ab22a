"""What the names of commands say that come in: it is read once, kept, and may be changed."""

from collections.abc import Iterable
from dataclasses import replace

from .device import Command, Device, Kind
from .names import functions_of, with_toggle
from .state_names import states_of_names


def with_meanings(device: Device, commands: Iterable[Command], *, functions: bool = True) -> Device:
    """Return the device with what the names of these commands of it say for its kind.

    What is known of it already stays. Without `functions`, somebody has said what they do.
    """
    new = {command.name: device.commands[command.id] for command in commands}
    if device.kind is Kind.AIR_CONDITIONER:
        unknown = [name for name, command in new.items() if command.state is None]
        states = states_of_names(unknown, device.levels)
        said = [replace(new[name], state=state) for name, state in states.items()]
        device = device.with_commands(*said)
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
