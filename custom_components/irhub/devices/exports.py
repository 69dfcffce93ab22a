"""Exports: devices as a file that a user keeps, passes on and imports again."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
import json
from typing import Final

from ..ircodes import RefusedError
from ..ircodes.files import MAX_COMMANDS, MAX_TEXT, checked_name
from ..ircodes.packet import from_bytes
from ..ircodes.reasons import Reason, reason_of
from .device import Device, Taught
from .fields import MAX_DEVICES, Data, check_plain
from .json_format import COMMANDS, SHOWN, check_fields, device_data, read_device, with_own_names

DEVICES: Final = "devices"
"""The key of an export that has complete devices."""


def codes_data(devices: Iterable[Device]) -> Data:
    """Return only names and packets: device → command → base64 packet, or a list of them."""
    return {
        device.name: {
            command.name: texts[0] if len(texts) == 1 else texts
            for command in device.commands.values()
            if (texts := [b64encode(packet).decode() for packet in command.packets])
        }
        for device in devices
        if device.commands
    }


def export_data(devices: Iterable[Device]) -> Data:
    """Return complete devices as the data of an export."""
    return {DEVICES: [device_data(device) for device in devices]}


def export_text(devices: Iterable[Device]) -> str:
    """Return complete devices as the text of an export."""
    return json.dumps(export_data(devices), ensure_ascii=False, indent=2)


@dataclass(frozen=True, kw_only=True)
class WholeDevices:
    """The devices of an export."""

    devices: Sequence[Device]
    refused: Mapping[str, Reason]
    """Name of an unusable device → reason."""
    lost: Mapping[str, int]
    """Name of an unusable device → number of its commands."""


def whole_devices(content: object) -> WholeDevices | None:
    """Return the devices of an export (data or text), and the reasons why others are unusable.

    None if it is no export. Raise ValueError if no device can be used.
    """
    match _json_of(content):
        case {"devices": list(devices)}:
            pass
        case _:
            return None
    if len(devices) > MAX_DEVICES:
        raise RefusedError("many_devices_in_file", limit=MAX_DEVICES)
    listed = (item.get(COMMANDS) for item in devices if isinstance(item, dict))
    if sum(len(commands) for commands in listed if isinstance(commands, list)) > MAX_COMMANDS:
        raise RefusedError("many_commands", limit=MAX_COMMANDS)
    whole: list[Device] = []
    wrong: dict[str, ValueError] = {}
    lost: dict[str, int] = {}
    for number, data in enumerate(devices, 1):
        named = isinstance(data, dict) and isinstance(name := data.get("name"), str) and name
        where = named[:SHOWN] if named else f"{number}"
        try:
            check_plain(data, where)
            check_fields(data, where)
            whole.append(_checked(read_device(data, strict=True)))
        except ValueError as err:
            where = where if where not in wrong else f"{where} ({number})"
            wrong[where] = err
            of_device = data.get(COMMANDS) if isinstance(data, dict) else None
            lost[where] = len(of_device) if isinstance(of_device, list) else 0
    if not whole:
        raise next(iter(wrong.values()), RefusedError("no_packet"))
    refused = {where: reason_of(err, "unreadable") for where, err in wrong.items()}
    return WholeDevices(devices=whole, refused=refused, lost=lost)


def _json_of(content: object) -> object:
    """Return the data of the text of an export; anything else unchanged."""
    if not isinstance(content, str) or f'"{DEVICES}"' not in content or len(content) > MAX_TEXT:
        return content
    try:
        return json.loads(content)
    except ValueError, RecursionError:  # also if a number is too long
        return content


def _checked(device: Device) -> Device:
    """Return a provided device with checked names and packets. Raise ValueError if invalid."""
    return replace(
        device,
        name=checked_name(device.name),
        unconfirmed=isinstance(device.rule, Taught),
        commands=with_own_names(
            {
                id_: replace(
                    command,
                    name=checked_name(command.name),
                    packets=tuple(map(from_bytes, command.packets)),
                )
                for id_, command in device.commands.items()
            }
        ),
    )
