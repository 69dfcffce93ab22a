"""The stored devices of one hub."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
import logging
from pathlib import Path
from typing import Any

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.util.hass_dict import HassKey

from .._common.finish import finish
from .._common.log_once import LogOnce
from ..const import DOMAIN
from ..errors import StorageFailedError, UserError, list_names
from ..ircodes.packet import is_meant_as_packet, short
from ..settings import Mac
from . import edits, undo
from .device import Command, Device
from .edits import Edit, Known, PacketsByDevice
from .fields import Data
from .files import StorageFile
from .history import Sentence, sentences
from .journal import Change
from .json_format import not_understood
from .legacy_files import async_import_legacy
from .legacy_format import Appliance
from .meanings import find_command
from .sender import Sender
from .stored import Stored, other_packets, read_stored

_LOGGER = logging.getLogger(__package__)


class Devices(Mapping[str, Device]):
    """The devices of a hub by id. Obtained from `devices_of` or from a `Use`.

    Call `load` first. Each method that changes devices is one write, which is on the disk when the
    method returns, even if the caller is cancelled meanwhile. If it cannot be written,
    StorageFailedError is raised and nothing is changed. UserError is raised for an impossible
    change.
    """

    def __init__(self, hass: HomeAssistant, mac: Mac) -> None:
        self._hass = hass
        self._mac = mac
        self._file = _file_of(hass, mac)
        self._stored = Stored(mac=str(mac))
        self._loaded = False
        self._lock = asyncio.Lock()
        self._log = LogOnce(_LOGGER)
        self._listeners: list[CALLBACK_TYPE] = []
        self._labels: Callable[[Device], str | None] = _no_label
        self.sender = Sender(hass, self._emitters_changed)

    def __getitem__(self, id_: str) -> Device:
        """Return the device with an id."""
        return self._stored.devices[id_]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._stored.devices)

    def __len__(self) -> int:
        """Return the number of devices."""
        return len(self._stored.devices)

    @property
    def loaded(self) -> bool:
        """Return whether the devices have been loaded."""
        return self._loaded

    @property
    def mac(self) -> Mac:
        """Return the MAC address of the hub."""
        return self._mac

    @property
    def deleted(self) -> Mapping[str, Change]:
        """Return the changes whose commands can be restored, by id, oldest first."""
        return self._stored.deleted

    @property
    def history(self) -> list[list[Change]]:
        """Return the changes that can be undone, grouped by write, latest first."""
        return undo.writes_of(self._stored)

    def write_of(self, id_: str) -> list[Change]:
        """Return all changes of the write that contains a change."""
        return undo.write_of(self._stored, id_)

    def is_about(self, changes: Sequence[Change], name: str) -> bool:
        """Return whether changes concern a device, given its name then or now."""
        return undo.is_about(self._stored, changes, name, self.label)

    def sentences(self, changes: Sequence[Change]) -> list[Sentence]:
        """Return sentences about the changes of one write, and about undoing them."""
        return sentences(changes, self._stored.devices, self.label)

    async def load(self) -> None:
        """Load the file, once; if there is none, import the data of older versions.

        Raise StorageFailedError if a file cannot be read. A damaged file is kept under another
        name, with an error in the log and a repair issue.
        """
        if not self._loaded:  # avoids waiting for a running write
            async with self._lock:
                await self._load()

    async def try_load(self) -> bool:
        """Load the file. Return whether that succeeded; a failure is logged once."""
        try:
            await self.load()
        except StorageFailedError as err:
            self._log.report("load", str(err))
            return False
        return True

    async def _load(self) -> None:
        if self._loaded:
            return
        mac, data = self._mac, await self._file.read()
        if data is None:
            # YAML may have had the MAC address in the other byte order.
            other = _file_of(self._hass, mac.reversed)
            if (data := await other.read()) is not None:
                mac, self._file = mac.reversed, other
        await self.sender.next_packets.load(_file_of(self._hass, mac, "_turns"))
        stored = Stored(mac=str(self._mac)) if data is None else await self._read(data)
        older = await async_import_legacy(self._hass, self._mac, stored, is_first=data is None)
        if older.stored is not stored or self._file.damage is not None:
            try:
                await self._file.write(older.stored.as_data)
            except StorageFailedError as err:
                if self._file.damage is None:
                    raise
                # The damaged file stays in place; its readable part is used.
                self._log.report("load", str(err))
        self._stored = older.stored
        if older.turns:
            self.sender.next_packets.set(older.turns)
        self._loaded = True
        if self._file.damage is None:
            self._log.settle("load")
        self.async_notify_listeners()

    async def _read(self, data: Data) -> Stored:
        """Return the contents of a file; log what this version does not understand."""
        stored, unreadable = await self._hass.async_add_executor_job(read_stored, data)
        if unreadable:
            stored = replace(stored, mac=str(self._mac))
            self._file.damage = f"not devices: {list_names(unreadable)}"
        of_devices = [
            place for device in stored.devices.values() for place in not_understood(device)
        ]
        if places := [*stored.unknown_keys, *of_devices]:
            _LOGGER.warning(
                "%s: this version does not understand, does not use, and leaves as it is: %s",
                self._file.path,
                list_names(places),
            )
        return stored

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` after every change. Return a function that unsubscribes."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_label(self, labels: Callable[[Device], str | None]) -> CALLBACK_TYPE:
        """Set the function that returns the user's name of a device in the interface, if any.

        Return a function that removes it.
        """
        self._labels = labels

        @callback
        def end() -> None:
            self._labels = _no_label

        return end

    def label(self, device: Device) -> str:
        """Return the shown name of a device: the user's name, else its own."""
        return self._labels(device) or device.name

    @property
    def by_label(self) -> Mapping[str, Device]:
        """Return the devices by label, in alphabetical order."""
        labelled = ((self.label(device), device) for device in self.values())
        return dict(sorted(labelled, key=lambda item: item[0]))

    def known(self, name: str) -> Device | None:
        """Return the device with a name or label, if any."""
        return edits.device_of(self._stored, name, self.label)

    def named(self, name: str) -> Device:
        """Return the device with a name or label. Raise UserError if there is none."""
        if (device := self.known(name)) is None:
            raise UserError("unknown_device", device=name, known=list_names(self.by_label))
        return device

    def latest(self, device: Device) -> Device:
        """Return the current version of a device; the given one if it was deleted."""
        return self._stored.devices.get(device.id, device)

    def owns(self, id_: str) -> bool:
        """Return whether a device, an entity or a command has an id."""
        return self._stored.owner(id_) is not None

    def find(self, name: str, command: str) -> tuple[Device, Command]:
        """Return the device and the command with these names; see `find_command` for the command.

        Raise UserError that lists the existing ones if one is missing.
        """
        device = self.named(name)
        return device, self.command(device, command)

    def command(self, device: Device, name: str) -> Command:
        """Return the command for a name (see `find_command`). Raise UserError if there is none."""
        if (command := find_command(device, name)) is None:
            if is_meant_as_packet(name):
                raise UserError("no_prefix", device=self.label(device), packet=short(name))
            known = list_names(device.by_name)
            raise UserError("unknown_command", device=self.label(device), command=name, known=known)
        return command

    async def take_over_entry(
        self, options: Mapping[str, Any], appliances: Sequence[Appliance]
    ) -> None:
        """Import devices from options and subentries of 0.3.0, unless imported before."""
        edit = partial(edits.take_over, options=options, appliances=appliances)
        if edit(self._stored) is not self._stored:  # usually nothing is new; then do not wait
            await self._change(edit, None)

    async def store(self, packets: PacketsByDevice, known: Known | None = None) -> None:
        """Store commands by the names of their devices, as `edits.store` does.

        Stored alternating commands start with their first packet.
        """
        known = known or Known()
        await self._change(partial(edits.store, packets=packets, known=known, label=self.label))
        for name, commands in packets.items():
            if (device := self.known(name)) is not None:
                ids = [
                    command.id for command in device.commands.values() if command.name in commands
                ]
                self.sender.next_packets.forget(ids)

    async def learn(
        self,
        device: Device,
        packets: Sequence[bytes],
        *,
        name: str,
        command: Command | None = None,
        function: str | None = None,
    ) -> None:
        """Store a learned command of a device, as `edits.learn` does."""
        await self._change(
            partial(
                edits.learn,
                device=device,
                packets=packets,
                name=name,
                command=command,
                function=function,
                label=self.label,
            )
        )
        now = self.latest(device)
        learned = now.named(name) if command is None else command
        if learned is not None:
            self.sender.next_packets.forget([learned.id])

    async def put(self, *devices: Device) -> None:
        """Add devices, replacing those with the same ids."""
        await self._change(partial(edits.put, devices=devices))

    async def change(self, device: Device, change: Callable[[Device], Device]) -> None:
        """Replace a device with the result of `change` for its current version."""
        await self._change(partial(edits.change, device=device, make=change, label=self.label))

    async def follow_events(self, ids: Iterable[str]) -> None:
        """Enable events for these devices, and disable them for all others."""
        await self._change(partial(edits.follow_events, ids=[*ids]))

    async def follow_rename(self, old: str, new: str) -> None:
        """Replace an entity id in all settings; this is not recorded in the history."""
        await self._change(partial(edits.follow_rename, old=old, new=new), None)

    async def rename(self, device: Device, name: str) -> None:
        """Rename a device."""
        await self._change(partial(edits.rename, device=device, name=name, label=self.label))

    async def rename_command(
        self,
        device: Device,
        command: Command,
        name: str,
        new_device: str | None = None,
        *,
        repeats: int | None = None,
    ) -> None:
        """Rename a command, move it to another device, or set its repeats."""
        await self._change(
            partial(
                edits.rename_command,
                device=device,
                command=command,
                name=name,
                new_device=new_device,
                repeats=repeats,
                label=self.label,
            )
        )

    async def delete(self, device: Device, commands: Iterable[Command] | None = None) -> Change:
        """Delete commands of a device, or the device; return the change, for `restore`."""
        chosen = None if commands is None else [*commands]
        [deleted] = await self._change(
            partial(edits.delete, device=device, commands=chosen, label=self.label)
        )
        return deleted

    async def delete_named(self, name: str, commands: Iterable[str] | None = None) -> Change:
        """Delete commands of a device, or the device, by name. Otherwise as `delete`."""
        device = self.named(name)
        if commands is None:
            return await self.delete(device)
        by_name, names = device.by_name, [*commands]
        if missing := [command for command in names if command not in by_name]:
            known = list_names(by_name)
            raise UserError(
                "unknown_command", device=name, command=list_names(missing), known=known
            )
        return await self.delete(device, [by_name[command] for command in names])

    async def forget(self, change: Change) -> None:
        """Remove a change from the journal, after its device was moved to another hub."""

        def without(stored: Stored) -> Stored:
            journal = {id_: other for id_, other in stored.journal.items() if id_ != change.id}
            return replace(stored, journal=journal)

        await self._change(without, None)

    async def delete_all(self) -> None:
        """Delete all devices with their hub. They can be restored if the hub is added again."""
        await self._change(edits.delete_all)

    async def import_devices(self, devices: Iterable[Device]) -> None:
        """Add the devices of an export, as `edits.import_devices` does."""
        others = [other for other in self._hass.data[DATA_DEVICES].values() if other is not self]

        def is_elsewhere(id_: str) -> bool:
            return any(other.owns(id_) for other in others)

        edit = partial(edits.import_devices, devices=[*devices], is_elsewhere=is_elsewhere)
        await self._change(edit, "import")

    async def restore(self, *ids: str) -> None:
        """Restore what changes have deleted or replaced."""
        await self._change(partial(undo.restore, ids=ids), "restore")

    async def restore_named(self, name: str | None, commands: Iterable[str] | None = None) -> int:
        """Restore deleted commands of a device, or of all; return the number of commands."""
        chosen, count = None if commands is None else [*commands], 0

        def edit(stored: Stored) -> Stored:
            nonlocal count
            restored, count = undo.restore_named(stored, name, chosen, self.label)
            return restored

        await self._change(edit, "restore")
        return count

    async def undo(self, id_: str) -> None:
        """Undo the write that contains a change, as `undo.undo` does."""
        await self._change(partial(undo.undo, id_=id_, label=self.label), "undo")

    async def _change(self, edit: Edit, action: str | None = "") -> list[Change]:
        """Apply an edit, and write the result if it differs; return the changes.

        `action` is None for edits that the user has not requested; they are not in the journal.
        """
        return await finish(self._hass, self._apply(edit, action), "irhub: write devices")

    async def _apply(self, edit: Edit, action: str | None) -> list[Change]:
        # Only here do changes wait for each other: an edit is given the latest data.
        async with self._lock:
            before = self._stored
            if (edited := edit(before)).has_same_content_as(before):
                return []
            stored = edited.written_after(before, self.label, action)
            await self._file.write(stored.as_data)
            self._stored = stored
            self.sender.next_packets.forget(other_packets(before, stored))
        self.async_notify_listeners()
        return [change for id_, change in stored.journal.items() if id_ not in before.journal]

    @callback
    def _emitters_changed(self) -> None:
        if self._loaded:
            self.async_notify_listeners()

    @callback
    def async_notify_listeners(self) -> None:
        """Notify listeners that devices, or the set of shown ones, have changed."""
        for listener in list(self._listeners):
            try:
                listener()
            except Exception:
                _LOGGER.exception("A listener to learned commands failed")


DATA_DEVICES: HassKey[dict[Mac, Devices]] = HassKey(f"{DOMAIN}_devices")


@callback
def devices_of(hass: HomeAssistant, mac: Mac) -> Devices:
    """Return the devices of a hub: always the same object for a file, also after a reload."""
    known = hass.data.setdefault(DATA_DEVICES, {})
    if (devices := known.get(mac)) is None:
        devices = known[mac] = Devices(hass, mac)
    return devices


async def devices_with(hass: HomeAssistant, text: str) -> list[Devices]:
    """Return the devices of all hubs whose file contains a text; also of hubs that are not set up.

    Those are read for the caller alone, and not shared. An unreadable file is logged and omitted.
    """

    def contains_text(path: Path) -> bool:
        try:
            return text.encode() in path.read_bytes()
        except OSError as err:
            _LOGGER.error("Devices with %s could not be looked for: %s", text, err)  # noqa: TRY400
            return False

    def find_macs() -> list[Mac]:
        files = sorted(Path(hass.config.path(STORAGE_DIR)).glob(f"{DOMAIN}_devices_*"))
        macs = {path: Mac.read(path.name.rpartition("_")[2]) for path in files}
        return [mac for path, mac in macs.items() if mac is not None and contains_text(path)]

    macs = await hass.async_add_executor_job(find_macs)
    known = hass.data.get(DATA_DEVICES, {})
    stores = [known.get(mac) or Devices(hass, mac) for mac in macs]
    return [devices for devices in stores if await devices.try_load()]


def _file_of(hass: HomeAssistant, mac: Mac, suffix: str = "") -> StorageFile:
    return StorageFile(hass, f"{DOMAIN}_devices_{mac}{suffix}")


def _no_label(_device: Device) -> None:
    return None
