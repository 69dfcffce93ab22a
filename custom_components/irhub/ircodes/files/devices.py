"""Read irhub's export, core's storage, and commands written by hand: devices → commands → packets.

A packet is a text in any form that `parse_text` reads; the packets of a list alternate. Information
on devices besides their commands in irhub's export is read by `devices.layout`.
"""

from collections.abc import Iterable, Mapping
from itertools import chain

from ..packet.text_forms import is_packet
from ..reasons import Reason
from .codes import is_code, parse_packets
from .imported import Collector, ContentKind, count_of
from .notation import pairs

NAME = "irhub"


def unwrapped(content: object) -> object:
    """Return the devices in the response of an export or in a file of `.storage`."""
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


def kind_of(content: Mapping[object, object]) -> ContentKind:
    """Return the kind of devices or commands: a whole device, several devices, or a code file."""
    if isinstance(devices := content.get("devices"), list):
        return ContentKind.DEVICE if len(devices) == 1 else ContentKind.EXPORT
    count = sum(isinstance(value, Mapping) and not is_code(value) for value in content.values())
    return ContentKind.EXPORT if count > 1 else ContentKind.CODE_FILE


def have_commands(content: object) -> bool:
    """Return whether parsed content is a mapping of devices or commands that may contain a code."""
    return isinstance(content, Mapping) and any(
        isinstance(value, Mapping | list) or (isinstance(value, str) and is_packet(value))
        for value in content.values()
    )


def has_codes(content: Mapping[object, object]) -> bool:
    """Return whether any of the commands is a code of Tasmota or Zigbee2MQTT."""
    inner = (value.values() for value in content.values() if isinstance(value, Mapping))
    return any(map(is_code, (*content.values(), *chain.from_iterable(inner))))


def read(content: Mapping[object, object], device: str | None, collector: Collector) -> None:
    """Add the commands of devices, or those of a single device."""
    if device and not any(
        isinstance(value, Mapping) and not is_code(value) for value in content.values()
    ):
        content = {device: content}
    for name, commands in pairs(content):
        if not isinstance(commands, Mapping) or is_code(commands):
            collector.refuse(name, Reason("no_commands", {}))
            continue
        for command, packets in pairs(commands):
            add_command(name, command, packets, collector)


def add_command(device: object, command: object, packets: object, collector: Collector) -> None:
    """Add one command."""
    if isinstance(packets, Mapping) and not is_code(packets):
        collector.count(len(str(packets)))
        where, count = f"{device} \N{RIGHTWARDS ARROW} {command}", count_of(packets)
        collector.refuse(where, Reason("no_packet", {}), max(1, count))
        return
    packet_list: Iterable[object] = packets if isinstance(packets, list) else [packets]
    collector.count(sum(len(str(packet)) for packet in packet_list))
    collector.add(device, command, lambda: parse_packets(packets))
