"""Edits of a hub's devices: pure functions from `Stored` to `Stored`.

No I/O, and nothing is awaited. UserError is raised for an impossible edit. `label` returns the name
of a device in the interface, which users may give instead of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
import re

from ..errors import UserError, list_names
from ..ircodes import Capabilities, State
from ..ircodes.packet import with_repeats
from ..ircodes.states import Steps
from .device import (
    COMMAND_ID,
    DEVICE_ID,
    ENTITY_ID,
    Command,
    Device,
    Settings,
    copied,
    free_name,
    new_id,
    with_ids,
)
from .kinds import Kind
from .legacy_format import Appliance, LegacyImport
from .meanings import with_meanings
from .stored import Label, Stored

type PacketsByDevice = Mapping[str, Mapping[str, Sequence[bytes]]]
"""Name of a device → name of a command → packets: one, or several that alternate."""

type Edit = Callable[[Stored], Stored]


@dataclass(frozen=True, kw_only=True)
class Known:
    """Further information about commands that are stored."""

    kind: Kind = Kind.OTHER
    functions: Mapping[str, str] = field(default_factory=dict)
    """Name of a command → function."""
    states: Mapping[str, Mapping[str, State]] = field(default_factory=dict)
    """Name of a device → name of a command → state that it sets."""
    capabilities: Capabilities | None = None
    steps: Steps | None = None
    manufacturer: str = ""
    model: str = ""


def take_over(
    stored: Stored, options: Mapping[str, object], appliances: Iterable[Appliance]
) -> Stored:
    """Import devices from options and subentries of 0.3.0, unless imported before."""
    devices, taken = {**stored.devices}, {**stored.taken}
    legacy = LegacyImport(mac=stored.mac, devices=devices, taken=taken)
    legacy.options(options)
    for appliance in appliances:
        legacy.appliance(appliance)
    return stored if taken == stored.taken else replace(stored, devices=devices, taken=taken)


def store(stored: Stored, packets: PacketsByDevice, known: Known, label: Label) -> Stored:
    """Add commands to the devices with these names, replacing those with the same name.

    A missing device is created. `known` does not replace a known kind, functions or states.
    """
    for name, commands in packets.items():
        device = device_of(stored, name, label) or Device(
            id=new_id(stored.mac), name=name, kind=known.kind
        )
        device = replace(
            device,
            kind=known.kind if device.kind is Kind.OTHER else device.kind,
            manufacturer=known.manufacturer or device.manufacturer,
            model=known.model or device.model,
            capabilities=device.capabilities if known.capabilities is None else known.capabilities,
            steps=known.steps or device.steps,
        )
        states = known.states.get(name, {})
        stored = _with_packets(stored, device, commands, known.functions, states)
    return stored


def learn(
    stored: Stored,
    device: Device,
    packets: Sequence[bytes],
    *,
    name: str,
    command: Command | None,
    function: str | None,
    label: Label,
) -> Stored:
    """Store packets for an existing command of a device, or for a new one with a name.

    Device and command are found by id, even if they were renamed. `function` is assigned to the
    command, unless another command has it.
    """
    now = current(stored, device, label)
    command_name = name if command is None else _current_command(now, command, label).name
    functions = {} if function is None else {command_name: function}
    return _with_packets(stored, now, {command_name: packets}, functions, {})


def put(stored: Stored, devices: Iterable[Device]) -> Stored:
    """Add devices, replacing those with the same ids."""
    for device in devices:
        other = stored.named(device.name)
        if other is not None and other.id != device.id:
            raise UserError("name_taken", device=device.name, command=list_names(other.by_name))
        stored = stored.with_devices(device)
    return stored


def change(
    stored: Stored, device: Device, make: Callable[[Device], Device], label: Label
) -> Stored:
    """Replace a device with the result of `make` for its current version."""
    return stored.with_devices(make(current(stored, device, label)))


def follow_events(stored: Stored, ids: Iterable[str]) -> Stored:
    """Enable events for these devices, and disable them for all others."""
    followed = {*ids}
    return stored.with_devices(
        *(
            replace(device, settings=replace(device.settings, events=device.id in followed))
            for device in stored.devices.values()
        )
    )


def follow_rename(stored: Stored, old: str, new: str) -> Stored:
    """Replace an entity id in the settings of all devices."""

    def id_now(id_: str | None) -> str | None:
        return new if id_ == old else id_

    def renamed(settings: Settings) -> Settings:
        settings = replace(
            settings,
            temperature_sensor=id_now(settings.temperature_sensor),
            humidity_sensor=id_now(settings.humidity_sensor),
            power_sensor=id_now(settings.power_sensor),
        )
        return settings.with_emitters(new if id_ == old else id_ for id_ in settings.emitters)

    return stored.with_devices(
        *(replace(device, settings=renamed(device.settings)) for device in stored.devices.values())
    )


def rename(stored: Stored, device: Device, name: str, label: Label) -> Stored:
    """Rename a device."""
    now, other = current(stored, device, label), device_of(stored, name, label)
    if other is not None and other.id != now.id:
        raise UserError("device_name_taken", device=name)
    return stored.with_devices(replace(now, name=name))


def rename_command(
    stored: Stored,
    device: Device,
    command: Command,
    name: str,
    *,
    new_device: str | None,
    repeats: int | None = None,
    label: Label,
) -> Stored:
    """Rename a command, move it to another device, or set its repeats.

    If a device has no entity and its only command moves to a new device, the device is renamed
    instead.
    """
    now = current(stored, device, label)
    renamed = replace(_current_command(now, command, label), name=name)
    if repeats is not None:
        packets = tuple(with_repeats(packet, repeats) for packet in renamed.packets)
        renamed = replace(renamed, packets=packets)
    other = now if new_device is None else device_of(stored, new_device, label)
    if other is None and len(now.commands) == 1 and now.entity is None:
        other = now = replace(now, name=str(new_device))
    if other is None:
        other = Device(id=new_id(stored.mac), name=str(new_device))
    check_free(other, [renamed])
    if other.id != now.id:
        left = now.only(now.commands.keys() - {renamed.id})
        stored = _with_rest(stored, left)
    return stored.with_devices(with_meanings(other.with_commands(renamed), [renamed]))


def delete(
    stored: Stored, device: Device, commands: Iterable[Command] | None, label: Label
) -> Stored:
    """Delete commands of a device, or the whole device.

    A device without entity is deleted with its last command. If a command is missing, none is
    deleted.
    """
    now = current(stored, device, label)
    if commands is None:
        return stored.without_device(now.id)
    chosen = {command.id: command.name for command in commands}
    if missing := [name for id_, name in chosen.items() if id_ not in now.commands]:
        raise UserError(
            "unknown_command",
            device=label(now),
            command=list_names(missing),
            known=list_names(now.by_name),
        )
    return _with_rest(stored, now.only(now.commands.keys() - chosen.keys()))


def delete_all(stored: Stored) -> Stored:
    """Delete all devices."""
    return replace(stored, devices={})


def import_devices(
    stored: Stored, devices: Iterable[Device], is_elsewhere: Callable[[str], bool]
) -> Stored:
    """Add the devices of an export; existing devices get their commands.

    A device that another hub has (`is_elsewhere` of an id) is copied with new ids. Free ids are
    kept if they are valid, so that Home Assistant restores its registry entries; others are
    replaced.
    """
    for device in devices:
        is_copy = any(map(is_elsewhere, (device.id, *device.commands)))
        own = copied(device, stored.mac) if is_copy else _with_own_ids(stored, device)
        stored = join(stored, own)
    return stored


def join(stored: Stored, device: Device) -> Stored:
    """Add a device, or add its commands to the existing one with the same id or name.

    Existing data is kept, except that added commands replace those with the same name. A device
    with a rule is never added to one with the same name; it gets another name.
    """
    now = stored.devices.get(device.id)
    if now is None and device.rule is None:
        now = stored.named(device.name)
    if now is None:
        names = [other.name for other in stored.devices.values()]
        return stored.with_devices(replace(device, name=free_name(device.name, names)))
    by_name = now.by_name
    ids = {
        command.id: command.id
        if command.id in now.commands or command.name not in by_name
        else by_name[command.name].id
        for command in device.commands.values()
    }
    taken = {name for name, command in by_name.items() if command.id not in ids.values()}
    added: list[Command] = []
    for command in device.commands.values():
        added.append(replace(command, id=ids[command.id], name=free_name(command.name, taken)))
        taken.add(added[-1].name)
    functions = {function: ids[id_] for function, id_ in device.functions.items()}
    if now.kind is Kind.OTHER and now.entity is None:
        now = replace(
            device,
            id=now.id,
            name=now.name,
            commands=now.commands,
            functions=now.functions,
            unknown_keys={**now.unknown_keys, **device.unknown_keys},
        )
    joined = now.with_commands(*added)
    return stored.with_devices(replace(joined, functions={**functions, **now.functions}))


def device_of(stored: Stored, name: str, label: Label) -> Device | None:
    """Return the device with a name or label, if any."""
    if (device := stored.named(name)) is not None:
        return device
    return next((device for device in stored.devices.values() if label(device) == name), None)


def current(stored: Stored, device: Device, label: Label) -> Device:
    """Return the current version of a device. Raise UserError if it was deleted."""
    if (now := stored.devices.get(device.id)) is None:
        known = list_names(map(label, stored.devices.values()))
        raise UserError("unknown_device", device=label(device), known=known)
    return now


def check_free(device: Device, commands: Iterable[Command]) -> None:
    """Raise UserError if other commands of a device have the names of these."""
    by_name = device.by_name
    taken = [
        command.name
        for command in commands
        if (other := by_name.get(command.name)) is not None and other.id != command.id
    ]
    if taken:
        raise UserError("name_taken", device=device.name, command=list_names(taken))


def _current_command(device: Device, command: Command, label: Label) -> Command:
    """Return the current version of a command. Raise UserError if it was deleted."""
    if (now := device.commands.get(command.id)) is None:
        raise UserError(
            "unknown_command",
            device=label(device),
            command=command.name,
            known=list_names(device.by_name),
        )
    return now


def _with_rest(stored: Stored, left: Device) -> Stored:
    """Replace a device by its rest, or delete it if neither commands nor entity are left."""
    if left.commands or left.entity is not None:
        return stored.with_devices(left)
    return stored.without_device(left.id)


def _with_packets(
    stored: Stored,
    device: Device,
    packets: Mapping[str, Sequence[bytes]],
    functions: Mapping[str, str],
    states: Mapping[str, State],
) -> Stored:
    """Add commands to a device, replacing those with the same names.

    `packets`, `functions` and `states` have the names of the commands as keys.
    """
    by_name = device.by_name
    new = [
        replace(known, packets=tuple(of_command))
        if (known := by_name.get(name)) is not None
        else Command(
            id=new_id(stored.mac), name=name, packets=tuple(of_command), state=states.get(name)
        )
        for name, of_command in packets.items()
    ]
    device = device.with_commands(*new)
    new_functions = {
        function: command.id
        for command in new
        if (function := functions.get(command.name)) is not None
    }
    device = replace(device, functions={**new_functions, **device.functions})
    return stored.with_devices(with_meanings(device, new))


def _with_own_ids(stored: Stored, device: Device) -> Device:
    """Return a provided device, with invalid ids and those of other objects replaced."""
    taken: set[str] = set()

    def is_fit(id_: str, form: re.Pattern[str]) -> bool:
        owner = stored.owner(id_)
        fits = form.fullmatch(id_) is not None and id_ not in taken
        if fits and (owner is None or owner.id == device.id):
            taken.add(id_)
            return True
        return False

    existing = stored.devices.get(device.id)
    own = device.id if existing or is_fit(device.id, DEVICE_ID) else new_id(stored.mac)
    ids = {
        id_: id_
        if (existing and id_ in existing.commands) or is_fit(id_, COMMAND_ID)
        else new_id(stored.mac)
        for id_ in device.commands
    }
    entity = device.entity
    if entity is not None and entity != device.id and not is_fit(entity, ENTITY_ID):
        entity = own
    return with_ids(device, own, ids, own if entity == device.id else entity)
