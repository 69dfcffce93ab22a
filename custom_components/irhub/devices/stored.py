"""The content of a hub's device file, as an immutable data class. No I/O."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .device import Command, Device
from .fields import Data
from .journal import Change, changes, pruned, without_old_packets
from .json_format import device_data, merged, read_device

_KEYS: Final = {"mac", "devices", "deleted", "journal", "taken_over", "writes"}
"""Known keys of the file."""

type Label = Callable[[Device], str]
"""Returns the name of a device in the interface."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The devices of a hub, their journal, and further data of the file."""

    mac: str
    """MAC address as first written: ids of older versions begin with it."""
    devices: Mapping[str, Device] = field(default_factory=dict)
    """By id."""
    journal: Mapping[str, Change] = field(default_factory=dict)
    """Changes that can be undone, by id, oldest first."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Imported item of an older version → fingerprint, see `legacy_format`."""
    writes: int = 0
    """Number of writes of the file."""
    newer: tuple[Any, ...] = ()
    """JSON of changes that a newer version has written."""
    unknown_keys: Data = field(default_factory=dict)
    """Unknown keys of the file, kept for newer versions."""

    @property
    def deleted(self) -> dict[str, Change]:
        """Return the changes that deleted or replaced something, by id, oldest first."""
        return {id_: change for id_, change in self.journal.items() if change.is_loss}

    def with_devices(self, *devices: Device) -> Stored:
        """Return a copy with these devices added, replacing those with the same ids."""
        added = {device.id: device for device in devices}
        return replace(self, devices={**self.devices, **added})

    def without_device(self, id_: str) -> Stored:
        """Return a copy without a device."""
        return replace(
            self, devices={key: device for key, device in self.devices.items() if key != id_}
        )

    def named(self, name: str) -> Device | None:
        """Return the device with a name, if any."""
        return next((device for device in self.devices.values() if device.name == name), None)

    def owner(self, id_: str) -> Device | None:
        """Return the device with an id, or with an entity or command with that id, if any."""
        return next(
            (
                device
                for device in self.devices.values()
                if id_ in (device.id, device.entity) or id_ in device.commands
            ),
            None,
        )

    def has_same_content_as(self, other: Stored) -> bool:
        """Return whether devices, journal and imported items are equal."""
        return (self.devices, self.journal, self.taken) == (
            other.devices,
            other.journal,
            other.taken,
        )

    def written_after(self, before: Stored, label: Label, action: str | None = "") -> Stored:
        """Return what to write in place of `before`, with the differences in the journal.

        If `action` is None, they are not recorded.
        """
        write, changed = before.writes + 1, list[Change]()
        if action is not None:
            changed = changes(
                before.devices, self.devices, mac=self.mac, write=write, label=label, action=action
            )
        journal = {**self.journal, **{change.id: change for change in changed}}
        journal = without_old_packets(journal, self.devices, changed)
        return replace(self, writes=write, journal=pruned(journal, write))

    def as_data(self) -> Data:
        """Return the JSON data of the file."""
        deleted = [change.as_data() for change in self.journal.values() if change.is_loss]
        others = [change.as_data() for change in self.journal.values() if not change.is_loss]
        data: Data = {
            "mac": self.mac,
            "devices": [device_data(device) for device in self.devices.values()],
            "deleted": deleted,
            "taken_over": dict(self.taken),
            "writes": self.writes,
        }
        if others or self.newer:
            data["journal"] = [*others, *self.newer]
        return merged(data, self.unknown_keys)


def read_stored(data: Data) -> tuple[Stored, list[str]]:
    """Return the content of a file, and the names of unreadable parts."""
    stored = Stored(mac=str(data.get("mac")))
    match data:
        case {
            "mac": str(),
            "devices": list(devices),
            "deleted": list(deleted),
            "taken_over": dict(taken),
        }:
            pass
        case _:
            return stored, ["mac, devices, deleted or taken_over"]
    writes = count if isinstance(count := data.get("writes"), int) else 0
    read, unreadable = _read_devices(devices)
    losses, unread = _read_changes(deleted, writes, is_loss=True)
    unreadable += ["deleted"] * len(unread)
    unknown_keys = {key: value for key, value in data.items() if key not in _KEYS}
    other_changes = data.get("journal", [])
    if not isinstance(other_changes, list):
        unknown_keys["journal"], other_changes = other_changes, []
    non_losses, newer = _read_changes(other_changes, writes, is_loss=False)
    stored = replace(
        stored,
        devices=read,
        journal={
            change.id: change
            for change in sorted([*losses, *non_losses], key=lambda change: change.write)
        },
        taken={str(key): str(value) for key, value in taken.items()},
        writes=writes,
        newer=tuple(newer),
        unknown_keys=unknown_keys,
    )
    return stored, unreadable


def _read_devices(devices: Iterable[Any]) -> tuple[dict[str, Device], list[str]]:
    """Return the devices by id, and the names of unreadable ones."""
    read: dict[str, Device] = {}
    unreadable: list[str] = []
    for item in devices:
        try:
            device = read_device(item)
            if device.id in read:
                raise ValueError(f"two devices have the id {device.id}")  # noqa: TRY301  (one of many)
        except ValueError:
            unreadable.append(str(item.get("name")) if isinstance(item, dict) else str(item))
        else:
            read[device.id] = device
    return read, unreadable


def _read_changes(
    data: Iterable[Any], writes: int, *, is_loss: bool
) -> tuple[list[Change], list[object]]:
    """Return the changes, and the JSON of unreadable ones."""
    read: list[Change] = []
    unread: list[object] = []
    for item in data:
        try:
            read.append(Change.from_data(item, writes, is_loss=is_loss))
        except ValueError:
            unread.append(item)
    return read, unread


def other_packets(before: Stored, after: Stored) -> list[str]:
    """Return the ids of alternating commands whose packets were changed or deleted."""

    def alternating(stored: Stored) -> dict[str, Command]:
        return {
            id_: command
            for device in stored.devices.values()
            for id_, command in device.commands.items()
            if len(command.packets) > 1
        }

    now = alternating(after)
    return [
        id_
        for id_, command in alternating(before).items()
        if id_ not in now or now[id_].packets != command.packets
    ]
