"""Our own export, core's store, and commands written by hand: devices → commands → packets.

A packet is a text in any form that `parse_text` reads; a list of them alternates. All of it
is read; what our own export says of devices besides their commands is for `devices.layout`.
"""

from collections.abc import Iterable, Mapping

from ..reasons import Reason
from .imported import Found, parse_packets
from .notation import pairs

NAME = "irhub"


def unwrapped(content: object) -> object:
    """Return what is in the response of an export, or in a file of `.storage`."""
    if not isinstance(content, Mapping):
        return content
    match content:
        case {"version": _, "data": Mapping() as data}:
            return data
        case {"codes": Mapping() as codes} if len(content) == 1 and all(
            isinstance(commands, Mapping) for commands in codes.values()
        ):
            return codes
        case _:
            return content


def read(content: Mapping[object, object], device: str | None, found: Found) -> None:
    """Take devices and their commands, or the commands of one device."""
    if device and not any(isinstance(of, Mapping) for of in content.values()):
        content = {device: content}
    for name, commands in pairs(content):
        if not isinstance(commands, Mapping):
            found.refuse(name, Reason("no_commands", {}))
            continue
        for command, packets in pairs(commands):
            take(name, command, packets, found)


def take(device: object, command: object, packets: object, found: Found) -> None:
    """Take one command."""
    several: Iterable[object] = packets if isinstance(packets, list) else [packets]
    found.count(sum(len(str(packet)) for packet in several))
    found.add(device, command, lambda: parse_packets(packets))
