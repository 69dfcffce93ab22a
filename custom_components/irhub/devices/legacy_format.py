"""Import of data in the formats of 0.1.0 to 0.3.0 and of core's integration. No I/O.

The old files, options and subentries are kept unchanged, so that a downgrade to 0.3.0 finds its
data. For the same reason imported objects keep the ids of 0.3.0, by which Home Assistant's
registries preserve entity ids, areas and history in both directions. A fingerprint of each imported
item is stored: after a downgrade and another upgrade, only the items that 0.3.0 has changed are
imported again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import sha1
import json
from typing import Any
from urllib.parse import quote

from ..ircodes import parse_text
from ..ircodes.packet import from_capture
from .device import Command, Device, Protocol, Settings, free_name
from .fields import LEVELS, read_fields
from .json_format import levels_data, read_levels
from .kinds import KINDS_OF_CLASSES, KINDS_OF_PLATFORMS, Kind
from .meanings import with_meanings


@dataclass(frozen=True, kw_only=True)
class Appliance:
    """A subentry written by 0.3.0."""

    id: str
    data: Mapping[str, Any]


@dataclass(kw_only=True)
class LegacyImport:
    """Adds imported items to `devices`, and their fingerprints to `taken`."""

    mac: str
    devices: dict[str, Device]
    taken: dict[str, str]
    """Item ("command …", "emitter …", "appliance …") → fingerprint."""

    def codes(self, data: Mapping[str, Any]) -> list[str]:
        """Import the commands of a file; return the names of invalid ones."""
        unreadable: list[str] = []
        for name, commands in data.items():
            if not isinstance(commands, Mapping):
                unreadable.append(name)
                continue
            new: list[Command] = []
            for command, stored in commands.items():
                item = f"command {name} → {command}"
                if self._is_taken(item, stored):  # checked first: decoding is slower
                    continue
                try:
                    packets = _packets(stored)
                except ValueError:
                    unreadable.append(f"{name} → {command}")
                    continue
                self._remember(item, stored)
                id_ = old_command_id(self.mac, name, command)
                new.append(Command(id=id_, name=command, packets=packets))
            if new:
                self._add(name, new)
        return unreadable

    def options(self, options: Mapping[str, Any]) -> None:
        """Import the options of a config entry."""
        for name, emitter in options.get("emitters", {}).items():
            if self._existing(name) and self._is_new(f"emitter {name}", emitter):
                self._set(name, emitter=emitter)
        for name in options.get("followed", ()):
            if self._existing(name) and self._is_new(f"followed {name}", "yes"):
                self._set(name, events=True)

    def appliance(self, appliance: Appliance) -> None:
        """Import a subentry."""
        data = appliance.data
        if not self._is_new(f"appliance {appliance.id}", data):
            return
        name = data["device"]
        before = self._device(name)
        kind = KINDS_OF_PLATFORMS[data["kind"]]
        if kind is Kind.PLAYER:
            kind = KINDS_OF_CLASSES.get(str(data.get("device_class")), kind)
        ids = {command.name: command.id for command in before.commands.values()}
        named, buttons = data.get("functions"), data.get("buttons", ())
        settings = {
            setting.name: data[setting.name]
            for setting in fields(Settings)
            if setting.name in data and setting.name != "buttons"
        }
        levels, _ = read_fields(LEVELS, data.get("levels") or {}, name, strict=False)
        device = replace(
            before,
            kind=kind,
            manufacturer=data.get("manufacturer") or before.manufacturer,
            model=data.get("model") or before.model,
            **read_levels(levels),
            rule=Protocol(name=data["protocol"], fields=data.get("protocol_fields") or {})
            if data.get("protocol")
            else None,
            functions={key: ids[id_] for key, id_ in (named or {}).items() if id_ in ids},
            settings=replace(
                before.settings,
                **settings,
                # The emitter of an appliance replaced that in the options.
                emitter=data.get("emitter"),
                buttons=None
                if buttons is None
                else tuple(ids[button] for button in buttons if button in ids),
            ),
            entity=appliance.id,
        )
        self.devices[device.id] = with_meanings(
            device, device.commands.values(), functions=named is None
        )

    def _is_new(self, item: str, content: object) -> bool:
        """Record an item. Return whether it was not imported before with this content."""
        if self._is_taken(item, content):
            return False
        self._remember(item, content)
        return True

    def _is_taken(self, item: str, content: object) -> bool:
        """Return whether an item was imported before with this content."""
        return self.taken.get(item) == _fingerprint(content)

    def _remember(self, item: str, content: object) -> None:
        self.taken[item] = _fingerprint(content)

    def _device(self, name: str) -> Device:
        """Return the device that has or had a name; a new one if there is none."""
        if (device := self._existing(name)) is None:
            device = Device(id=old_device_id(self.mac, name), name=name)
        return device

    def _existing(self, name: str) -> Device | None:
        if (device := self.devices.get(old_device_id(self.mac, name))) is not None:
            return device
        return next((device for device in self.devices.values() if device.name == name), None)

    def _set(self, name: str, **settings: Any) -> None:  # noqa: ANN401  (fields of Settings)
        if (device := self._existing(name)) is not None:
            changed = replace(device, settings=replace(device.settings, **settings))
            self.devices[device.id] = changed

    def _add(self, name: str, new: Iterable[Command]) -> None:
        owners = {id_: device for device in self.devices.values() for id_ in device.commands}
        of_devices: dict[str, tuple[Device, list[Command]]] = {}
        for command in new:
            device = owners.get(command.id) or self._device(name)
            of_devices.setdefault(device.id, (device, []))[1].append(command)
        for device, commands in of_devices.values():
            names = {command.name for command in device.commands.values()}
            added: list[Command] = []
            for command in commands:
                if (known := device.commands.get(command.id)) is not None:
                    added.append(replace(known, packets=command.packets))
                else:
                    free = free_name(command.name, names)
                    names.add(free)
                    added.append(replace(command, name=free))
            self.devices[device.id] = with_meanings(device.with_commands(*added), added)


def _fingerprint(content: object) -> str:
    return sha1(  # not for security
        json.dumps(content, sort_keys=True, default=dict).encode(), usedforsecurity=False
    ).hexdigest()[:16]


def old_device_id(mac: str, name: str) -> str:
    """Return the id of a device in 0.3.0."""
    return f"{mac}-{quote(name, safe='')}"


def old_command_id(mac: str, device: str, command: str) -> str:
    """Return the unique id of a command's button in 0.3.0."""
    return f"{old_device_id(mac, device)}/{quote(command, safe='')}"


def appliance_data(device: Device) -> dict[str, Any]:
    """Return the data of a device's subentry, as far as 0.3.0 needs it after a downgrade."""
    data: dict[str, Any] = {"kind": device.kind.platform, "device": device.name}
    if isinstance(device.rule, Protocol):
        data |= {"protocol": device.rule.name, "protocol_fields": dict(device.rule.fields)}
        data["levels"] = levels_data(device.capabilities, device.steps)
    return data


def _packets(stored: object) -> tuple[bytes, ...]:
    """Return the packets of a command. Raise ValueError if they are invalid.

    Core stores captures as returned by the hub; they are trimmed and corrected like all others.
    """
    texts = [stored] if isinstance(stored, str) else stored
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        raise ValueError("no packets")
    return tuple(from_capture(parse_text(text)) for text in texts)
