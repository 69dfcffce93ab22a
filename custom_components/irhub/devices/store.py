"""The devices of one hub: in memory, on the disk, and on their way to the hub."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
import logging
import re
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers.importlib import async_import_module
from homeassistant.util.hass_dict import HassKey

from .._common.finish import finish
from .._common.log_once import LogOnce
from ..const import DOMAIN
from ..errors import StorageFailedError, UserError, list_names
from ..hub.hub import DeferredPacket, Hub, caller_of
from ..ircodes import Capabilities, State, Steps, is_meant_as_packet, short
from ..settings import Mac
from .device import (
    COMMAND_ID,
    DEVICE_ID,
    ENTITY_ID,
    Command,
    Device,
    Kind,
    free_name,
    new_id,
)
from .files import Alternating, Data, NextPackets, StorageFile
from .layout import (
    Deleted,
    copied,
    device_data,
    merged,
    not_understood,
    read_device,
    with_ids,
)
from .meanings import meant, with_meanings
from .taken_over import Appliance, TakingOver, old_command_id

_LOGGER = logging.getLogger(__package__)

KEPT_WRITES: Final = 1_000
"""For so many changes what was deleted can be brought back. A clock may be wrong by years."""
KEPT_BYTES: Final = 1024 * 1024
"""Of the file, for what can be brought back; what went last is always kept, however large."""
MOST_REPLACED: Final = 10
"""So many times the commands of a device are kept besides: an automation may import every hour."""

_KEYS: Final = {"mac", "devices", "deleted", "taken_over", "writes"}
"""Of a file."""

type PacketsByDevice = Mapping[str, Mapping[str, Sequence[bytes]]]
"""Name of a device → name of a command → packets: one, or several that alternate."""


@dataclass(kw_only=True)
class _Stored:
    """What a file holds; a change is made in a copy, and counts when that is written."""

    mac: str
    """As it was written first: ids that older versions gave begin with it."""
    devices: dict[str, Device] = field(default_factory=dict)
    """By id."""
    deleted: dict[str, Deleted] = field(default_factory=dict)
    """By id, the oldest first."""
    taken: dict[str, str] = field(default_factory=dict)
    """What was taken over of older versions."""
    writes: int = 0
    """How often the file was changed."""
    beyond: Data = field(default_factory=dict)
    """What the file says besides, which this version does not understand."""

    def copy(self) -> _Stored:
        """Return one that can be changed."""
        return replace(
            self, devices={**self.devices}, deleted={**self.deleted}, taken={**self.taken}
        )

    def deletion(self, device: Device, *, replaced: bool = False, label: str = "") -> Deleted:
        """Return what the change that is being made deletes, or replaces, and keep it."""
        deleted = Deleted(
            id=new_id(self.mac),
            when=datetime.now(UTC),
            device=device,
            replaced=replaced,
            label=label,
            write=self.writes + 1,
        )
        self.deleted[deleted.id] = deleted
        return deleted

    def forget_old(self) -> None:
        """Forget what went too long ago, or takes too much room: first what was replaced."""
        oldest = self.writes - KEPT_WRITES
        kept = {id_: each for id_, each in self.deleted.items() if each.write > oldest}
        left = KEPT_BYTES
        for id_, each in sorted(
            kept.items(), key=lambda item: (not item[1].replaced, item[1].write), reverse=True
        ):
            left -= each.size
            if left < 0 and each.write < self.writes:
                del kept[id_]
        self.deleted = kept

    def as_data(self) -> Data:
        """Return what is written."""
        data = {
            "mac": self.mac,
            "devices": [device_data(device) for device in self.devices.values()],
            "deleted": [deleted.as_data() for deleted in self.deleted.values()],
            "taken_over": self.taken,
            "writes": self.writes,
        }
        return merged(data, self.beyond)


class Devices(Mapping[str, Device]):
    """The devices of a hub, by their ids. Get one from `devices_of`, or of a `Use`.

    Each method that changes something is one write. A change is on the disk before the method
    returns, even if the caller is cancelled meanwhile; if it cannot be written,
    StorageFailedError is raised and nothing has changed. Call `load` first.
    """

    def __init__(self, hass: HomeAssistant, mac: Mac) -> None:
        self._hass = hass
        self._mac = mac
        self._use_files_of(mac)
        self._stored = _Stored(mac=str(mac))
        self._loaded = False
        self._lock = asyncio.Lock()
        self._log = LogOnce(_LOGGER)
        self._listeners: list[CALLBACK_TYPE] = []
        self._emitters: list[Mapping[str, str]] = []
        self._emitting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._labels: Callable[[Device], str | None] = _no_label

    def __getitem__(self, id_: str) -> Device:
        """Return the device with that id."""
        return self._stored.devices[id_]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._stored.devices)

    def __len__(self) -> int:
        """Return how many devices there are."""
        return len(self._stored.devices)

    @property
    def loaded(self) -> bool:
        """Return whether it is known which devices there are."""
        return self._loaded

    @property
    def mac(self) -> Mac:
        """Return the MAC address of the hub."""
        return self._mac

    @property
    def deleted(self) -> Mapping[str, Deleted]:
        """Return what can be brought back, by the id of its deletion, the oldest first."""
        return self._stored.deleted

    async def load(self) -> None:
        """Read the file once; where there is none yet, take over what older versions have.

        Raise StorageFailedError if a file cannot be read. A damaged one is kept under
        another name, with an error in the log and a repair.
        """
        if not self._loaded:  # else it would wait for a command that is being written
            async with self._lock:
                await self._load()

    async def try_load(self) -> bool:
        """Return whether the file is read; if it cannot be, that is logged once."""
        try:
            await self.load()
        except StorageFailedError as err:
            self._log.report("load", str(err))
            return False
        return True

    async def _load(self) -> None:
        if self._loaded:
            return
        if (data := await self._file.read()) is None:
            # YAML may have had the MAC address in the other byte order.
            self._use_files_of(self._mac.reversed)
            if (data := await self._file.read()) is None:
                self._use_files_of(self._mac)
        await self._next_packets.load()
        stored = _Stored(mac=str(self._mac))
        if data is not None:
            stored = await self._read(data)
        turns: dict[str, int] = {}
        changed = await self._take_over(stored, turns, is_first=data is None)
        if changed or self._file.damage is not None:
            try:
                await self._file.write(stored.as_data)
            except StorageFailedError as err:
                if self._file.damage is None:
                    raise
                # The file is as it was, and what can be used of it is used.
                self._log.report("load", str(err))
        self._stored = stored
        if turns:
            self._next_packets.set(turns)
        self._loaded = True
        if self._file.damage is None:
            self._log.settle("load")
        self.async_tell()

    async def _take_over(self, stored: _Stored, turns: dict[str, int], *, is_first: bool) -> bool:
        """Take what 0.3.0 has learned, else core's integration. Return if there was anything new.

        0.3.0 may have run again, and learned, since it was taken over.
        """
        for mac in (self._mac, self._mac.reversed):
            name = f"{DOMAIN}_remote_{mac}_codes"
            if (codes := await self._read_older(name, is_first=is_first)) is None:
                continue
            taking = TakingOver(mac=stored.mac, devices=stored.devices, taken=stored.taken)
            before = {**stored.taken}
            if odd := await self._hass.async_add_executor_job(taking.codes, codes):
                self._report_odd(name, odd)
            if is_first and (of := await self._read_older(name.replace("codes", "flags"))):
                turns |= {
                    old_command_id(stored.mac, device, command): index
                    for device, indexes in of.items()
                    if isinstance(indexes, dict)
                    for command, index in indexes.items()
                    if isinstance(index, int)
                }
            return stored.taken != before
        return is_first and await self._take_over_core(stored, turns)

    async def _take_over_core(self, stored: _Stored, turns: dict[str, int]) -> bool:
        """Copy what core's integration learned with the same hub, and which packets come next."""
        for mac in (self._mac, self._mac.reversed):
            name = f"broadlink_remote_{mac}_codes"
            if not (codes := await self._read_older(name)):
                continue
            flags = await self._read_older(f"broadlink_remote_{mac}_flags") or {}
            taking = TakingOver(mac=stored.mac, devices=stored.devices, taken={})
            odd = await self._hass.async_add_executor_job(taking.codes, codes)
            # Core alternates per device, not per command.
            turns |= {
                command.id: index
                for device in stored.devices.values()
                if isinstance(index := flags.get(device.name), int)
                for command in device.commands.values()
                if len(command.packets) > 1
            }
            _LOGGER.info(
                "Copied %s learned commands of %s devices from %s%s",
                sum(len(device.commands) for device in stored.devices.values()),
                len(stored.devices),
                name,
                f"; not understood: {list_names(odd)}" if odd else "",
            )
            return True
        return False

    async def _read_older(self, name: str, *, is_first: bool = True) -> Data | None:
        """Return the data of a file that stays as it is, whatever is in it."""
        file = StorageFile(self._hass, name)
        try:
            return await file.peek()
        except (ValueError, StorageFailedError) as err:
            if is_first:
                _LOGGER.error("%s could not be taken over: %s", file.path, err)  # noqa: TRY400
            return None

    async def _read(self, data: Data) -> _Stored:
        """Return what a file says; log what of it this version does not understand."""
        stored, odd = await self._hass.async_add_executor_job(_understood, data)
        if odd:
            stored.mac = str(self._mac)
            self._file.damage = f"not devices: {list_names(odd)}"
        of_devices = [each for device in stored.devices.values() for each in not_understood(device)]
        if places := [*stored.beyond, *of_devices]:
            _LOGGER.warning(
                "%s: this version does not understand, does not use, and leaves as it is: %s",
                self._file.path,
                list_names(places),
            )
        return stored

    def _report_odd(self, name: str, odd: Iterable[str]) -> None:
        _LOGGER.error("%s: these are not packets and were left there: %s", name, list_names(odd))

    def _use_files_of(self, mac: Mac) -> None:
        name = f"{DOMAIN}_devices_{mac}"
        self._file = StorageFile(self._hass, name)
        self._next_packets = NextPackets(self._hass, StorageFile(self._hass, f"{name}_turns"))

    async def take_over_entry(
        self, options: Mapping[str, Any], appliances: Sequence[Appliance]
    ) -> None:
        """Take what 0.3.0's options and subentries say of devices, as far as that is new."""

        def change(stored: _Stored) -> bool:
            taking = TakingOver(mac=stored.mac, devices=stored.devices, taken=stored.taken)
            before = {**stored.taken}
            taking.options(options)
            for appliance in appliances:
                taking.appliance(appliance)
            return stored.taken != before

        if change(self._stored.copy()):  # mostly nothing is new: then set-up waits for nothing
            await self._change(change)

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` after every change. Return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_label(self, labels: Callable[[Device], str | None]) -> CALLBACK_TYPE:
        """Show devices under what `labels` returns: their user calls them so in the interface.

        Return what ends that.
        """
        self._labels = labels

        @callback
        def end() -> None:
            self._labels = _no_label

        return end

    def label(self, device: Device) -> str:
        """Return what a device is called wherever it is shown."""
        return self._labels(device) or device.name

    @property
    def by_label(self) -> Mapping[str, Device]:
        """Return the devices by what they are called, in alphabetical order."""
        labelled = ((self.label(device), device) for device in self.values())
        return dict(sorted(labelled, key=lambda each: each[0]))

    def known(self, name: str) -> Device | None:
        """Return the device of a name: its own, or what its user calls it in the interface."""
        return _named(self._stored.devices, name) or self.by_label.get(name)

    def named(self, name: str) -> Device:
        """Return the device of a name, as `known` does. Raise UserError if there is none."""
        if (device := self.known(name)) is None:
            raise UserError("unknown_device", device=name, known=list_names(self.by_label))
        return device

    def latest(self, device: Device) -> Device:
        """Return a device as it is now; as it was, if it is gone."""
        return self._stored.devices.get(device.id, device)

    def find(self, name: str, command: str) -> tuple[Device, Command]:
        """Return the device and the command of these names; `meant` says which command that is.

        Raise UserError that names what is missing and lists what there is.
        """
        device = self.named(name)
        return device, self.command(device, command)

    def command(self, device: Device, name: str) -> Command:
        """Return the command of a device that a name means. Raise UserError if there is none."""
        if (found := meant(device, name)) is None:
            if is_meant_as_packet(name):
                raise UserError("no_prefix", device=self.label(device), packet=short(name))
            known = list_names(device.by_name)
            raise UserError("unknown_command", device=self.label(device), command=name, known=known)
        return found

    def emitter_of(self, device: Device) -> str | None:
        """Return the emitter that transmits the commands of a device in place of the hub."""
        in_yaml = (each[device.name] for each in self._emitters if device.name in each)
        return device.settings.emitter or next(in_yaml, None)

    @callback
    def async_emit_through(self, emitters: Mapping[str, str]) -> CALLBACK_TYPE:
        """Have emitters transmit the commands of devices, by name. Return what ends that."""

        @callback
        def changed() -> None:
            if emitters and self._loaded:
                self.async_tell()

        @callback
        def end() -> None:
            self._emitters.remove(emitters)
            changed()

        self._emitters.append(emitters)
        changed()
        return end

    async def send(
        self,
        hub: Hub,
        device: Device | None,
        items: Iterable[Command | bytes],
        context: Context | None = None,
    ) -> list[bytes]:
        """Transmit commands of a device, or packets of it or of none; return what went out.

        By the hub, or by the device's emitter in its place. Of packets that alternate it is the
        next one. Raise as `Hub.transmit`, or UserError or EmitterFailedError of the emitter.
        """
        packets = [self._deferred(item) for item in items]
        if device is None or (emitter := self.emitter_of(device)) is None:
            await hub.transmit(packets, caller_of(context))
        else:
            await self._emit(hub, emitter, packets, context)
        return [item.sent if isinstance(item, Alternating) else item for item in packets]

    def _deferred(self, item: Command | bytes) -> bytes | Alternating:
        if isinstance(item, bytes):
            return item
        if len(item.packets) == 1:
            return item.packets[0]
        return Alternating(self._next_packets, item.id, item.packets)

    async def _emit(
        self,
        hub: Hub,
        emitter: str,
        packets: Sequence[bytes | DeferredPacket],
        context: Context | None,
    ) -> None:
        try:
            # Only where it is wanted: core's platform needs a library that is not always there.
            module = await async_import_module(self._hass, f"{__package__}.emitter")
        except ImportError as err:
            raise UserError("no_emitter", entity_id=emitter) from err
        # What alternates is chosen when what was sent before it has gone out.
        async with self._emitting[emitter]:
            for number, packet in enumerate(packets):
                if number:
                    await hub.pause(hub.settings.min_gap)
                await module.async_emit(hub, emitter, packet, context)

    async def store(
        self,
        packets: PacketsByDevice,
        *,
        kind: Kind = Kind.OTHER,
        functions: Mapping[str, str] | None = None,
        states: Mapping[str, Mapping[str, State]] | None = None,
        capabilities: Capabilities | None = None,
        steps: Steps | None = None,
        manufacturer: str = "",
        model: str = "",
    ) -> None:
        """Store commands by the names of their devices, in place of those of the same name.

        A device that is not there is made. The rest is what is known of the devices besides, as
        far as nothing is known yet; `functions` is name of a command → function, `states` name of a
        device → name of a command → what it sets it to.
        """
        anew: list[str] = []

        def change(stored: _Stored) -> bool:
            for name, commands in packets.items():
                device = self._of(stored, name) or Device(
                    id=new_id(stored.mac), name=name, kind=kind
                )
                if device.kind is Kind.OTHER:
                    device = replace(device, kind=kind)
                device = replace(
                    device,
                    manufacturer=manufacturer or device.manufacturer,
                    model=model or device.model,
                    capabilities=device.capabilities if capabilities is None else capabilities,
                    steps=steps or device.steps,
                )
                said = (states or {}).get(name, {})
                anew.extend(_put_commands(stored, device, commands, functions or {}, said))
            return True

        await self._change(change)
        self._next_packets.forget(anew)  # what is learned anew begins with its first packet

    async def learn(
        self,
        device: Device,
        packets: Sequence[bytes],
        *,
        name: str,
        command: Command | None = None,
        function: str | None = None,
    ) -> None:
        """Store what was learned for a device: for a command that it has, else under a name.

        Both are found by their ids, whatever they are called by now. Raise UserError if one is
        gone. `function` is what the command does, if nothing else does it.
        """
        anew: list[str] = []

        def change(stored: _Stored) -> bool:
            now = self._current(stored, device)
            called = name if command is None else self._current_command(now, command).name
            functions = {} if function is None else {called: function}
            anew.extend(_put_commands(stored, now, {called: packets}, functions, {}))
            return True

        await self._change(change)
        self._next_packets.forget(anew)

    async def put(self, *devices: Device) -> None:
        """Add devices, or put them in the place of those with the same ids.

        Raise UserError if a name is taken.
        """

        def change(stored: _Stored) -> bool:
            for device in devices:
                other = _named(stored.devices, device.name)
                if other is not None and other.id != device.id:
                    raise UserError(
                        "name_taken", device=device.name, command=list_names(other.by_name)
                    )
                stored.devices[device.id] = device
            return True

        await self._change(change)

    async def change(self, device: Device, change: Callable[[Device], Device]) -> None:
        """Put what `change` returns in the place of a device as it is now.

        Raise UserError if it is gone.
        """

        def apply(stored: _Stored) -> bool:
            before = self._current(stored, device)
            stored.devices[device.id] = after = change(before)
            return after != before

        await self._change(apply)

    async def follow_events(self, ids: Iterable[str]) -> None:
        """Let presses of the remote controls of these devices be events, and of no others."""
        followed = {*ids}

        def change(stored: _Stored) -> bool:
            for id_, device in stored.devices.items():
                settings = replace(device.settings, events=id_ in followed)
                stored.devices[id_] = replace(device, settings=settings)
            return True

        await self._change(change)

    async def rename(self, device: Device, name: str) -> None:
        """Give a device another name. Raise UserError if it is gone, or if another one has it."""

        def change(stored: _Stored) -> bool:
            now, other = self._current(stored, device), self._of(stored, name)
            if other is not None and other.id != now.id:
                raise UserError("device_name_taken", device=name)
            stored.devices[now.id] = replace(now, name=name)
            return now.name != name

        await self._change(change)

    async def rename_command(
        self, device: Device, command: Command, name: str, new_device: str | None = None
    ) -> None:
        """Give a command another name, or put it to another device, or both.

        A device that its last command leaves for a new one is that new one, unless it has an
        entity. Raise UserError if it is gone, or if the name is taken there.
        """

        def change(stored: _Stored) -> bool:
            now = self._current(stored, device)
            renamed = replace(self._current_command(now, command), name=name)
            other = now if new_device is None else self._of(stored, new_device)
            if other is None and len(now.commands) == 1 and now.entity is None:
                other = now = replace(now, name=str(new_device))
            if other is None:
                other = Device(id=new_id(stored.mac), name=str(new_device))
            if other.id != now.id:
                self._move(stored, now, other, [renamed])
                return True
            _check_free(now, [renamed])
            stored.devices[now.id] = with_meanings(now.with_commands(renamed), [renamed])
            return True

        await self._change(change)

    async def delete(self, device: Device, commands: Iterable[Command] | None = None) -> Deleted:
        """Delete commands of a device, or the whole device; return what `restore` brings back.

        A device whose last command is deleted goes with it, unless it has an entity. Raise
        UserError if one is missing: then all stay.
        """
        gone: list[Deleted] = []

        def change(stored: _Stored) -> bool:
            # Only here, where one change waits for another: some may have been deleted meanwhile.
            now = self._current(stored, device)
            chosen = {*now.commands} if commands is None else {each.id for each in commands}
            if missing := [each.name for each in commands or () if each.id not in now.commands]:
                raise UserError(
                    "unknown_command",
                    device=self.label(now),
                    command=list_names(missing),
                    known=list_names(now.by_name),
                )
            left = now.only(now.commands.keys() - chosen)
            if commands is None or (not left.commands and now.entity is None):
                del stored.devices[now.id]
            else:
                stored.devices[now.id] = left
            gone.append(stored.deletion(now.only(chosen), label=self.label(now)))
            return True

        await self._change(change)
        return gone[0]

    async def delete_named(self, name: str, commands: Iterable[str] | None = None) -> Deleted:
        """Delete commands of a device, or the whole device, by their names, as `delete` does."""
        device = self.named(name)
        if commands is None:
            return await self.delete(device)
        by_name, wanted = device.by_name, [*commands]
        if missing := [command for command in wanted if command not in by_name]:
            known = list_names(by_name)
            raise UserError(
                "unknown_command", device=name, command=list_names(missing), known=known
            )
        return await self.delete(device, [by_name[command] for command in wanted])

    async def restore(self, *ids: str) -> None:
        """Bring back what was deleted or replaced, as it was.

        Raise UserError if it is not there any more.
        """

        def change(stored: _Stored) -> bool:
            for id_ in ids:
                if (deleted := stored.deleted.pop(id_, None)) is None:
                    raise UserError("not_restored")
                self._join(stored, deleted.device)
            return True

        await self._change(change)

    async def restore_named(self, name: str | None, commands: Iterable[str] | None = None) -> int:
        """Bring back what was deleted of a device, or of all; return how many commands that is.

        Of `commands` nothing else comes back than they: each as it was when it was deleted or
        replaced last. A device is named as it was called then, or is now. Raise UserError if
        nothing is there, or one of the commands is not: then all stay as they are.
        """
        count = 0

        def change(stored: _Stored) -> bool:
            nonlocal count
            of_device = [
                deleted
                for deleted in stored.deleted.values()
                if name is None or name in self._names_of(stored, deleted)
            ]
            if commands is None:
                chosen = [deleted for deleted in of_device if not deleted.replaced]
            else:
                chosen = _last_of(of_device, commands)
            if not chosen:
                labels = {each.label or each.device.name for each in stored.deleted.values()}
                raise UserError("nothing_deleted", known=list_names(labels))
            for part in chosen:
                deleted = stored.deleted.pop(part.id)
                if left := deleted.device.commands.keys() - part.device.commands.keys():
                    stored.deleted[part.id] = replace(deleted, device=deleted.device.only(left))
                self._join(stored, part.device)
                count += len(part.device.commands)
            return True

        await self._change(change)
        return count

    def _names_of(self, stored: _Stored, deleted: Deleted) -> set[str]:
        """Return what the device of a deletion was called then, and is called now."""
        now = stored.devices.get(deleted.device.id, deleted.device)
        return {deleted.device.name, deleted.label, now.name, self.label(now)}

    async def import_devices(self, devices: Iterable[Device]) -> None:
        """Add devices of an export, whole: those that are there get their commands.

        A device that another hub of the house has as well is a copy, with ids of its own. An id
        that nothing has may stay, if it is one of ours: what Home Assistant has kept of a device
        comes back with it. Any other one is replaced.
        """

        def change(stored: _Stored) -> bool:
            for device in devices:
                elsewhere = any(
                    other.owns(device.id) or any(map(other.owns, device.commands))
                    for other in self._hass.data[DATA_DEVICES].values()
                    if other is not self
                )
                own = copied(device, stored.mac) if elsewhere else _with_own_ids(stored, device)
                self._join(stored, own)
            return True

        await self._change(change)

    def owns(self, id_: str) -> bool:
        """Return whether a device, its entity or one of its commands has that id."""
        return _owner(self._stored, id_) is not None

    async def delete_all(self) -> None:
        """Delete all devices: the hub is removed. Each can be restored if it is added again."""

        def change(stored: _Stored) -> bool:
            gone = [
                stored.deletion(device, label=self.label(device))
                for device in stored.devices.values()
            ]
            stored.devices.clear()
            return bool(gone)

        await self._change(change)

    def _of(self, stored: _Stored, name: str) -> Device | None:
        """Return the device of a name, as `known` does, in what is being changed."""
        if (device := _named(stored.devices, name)) is not None:
            return device
        labelled = self.by_label.get(name)
        return None if labelled is None else stored.devices.get(labelled.id)

    def _current(self, stored: _Stored, device: Device) -> Device:
        """Return a device as it is now. Raise UserError if it is gone."""
        if (now := stored.devices.get(device.id)) is None:
            known = list_names(map(self.label, stored.devices.values()))
            raise UserError("unknown_device", device=self.label(device), known=known)
        return now

    def _current_command(self, device: Device, command: Command) -> Command:
        """Return a command of a device as it is now. Raise UserError if it is gone."""
        if (now := device.commands.get(command.id)) is None:
            raise UserError(
                "unknown_command",
                device=self.label(device),
                command=command.name,
                known=list_names(device.by_name),
            )
        return now

    def _move(
        self, stored: _Stored, device: Device, other: Device, commands: Sequence[Command]
    ) -> None:
        """Put commands of a device to another one, and drop the device if nothing is left."""
        _check_free(other, commands)
        left = device.only(device.commands.keys() - {command.id for command in commands})
        if left.commands or left.entity is not None:
            stored.devices[device.id] = left
        else:
            del stored.devices[device.id]
        stored.devices[other.id] = with_meanings(other.with_commands(*commands), commands)

    def _join(self, stored: _Stored, device: Device) -> None:
        """Add a device, or what it has to the one that is it: by its id, else by its name.

        What is there already stays; commands of one name become that of the added device. A rule
        cannot be added to anything: the device of another one is called otherwise.
        """
        now = stored.devices.get(device.id)
        if now is None and device.rule is None:
            now = _named(stored.devices, device.name)
        if now is None:
            names = [each.name for each in stored.devices.values()]
            stored.devices[device.id] = replace(device, name=free_name(device.name, names))
            return
        by_name = now.by_name
        ids = {
            command.id: command.id
            if command.id in now.commands or command.name not in by_name
            else by_name[command.name].id
            for command in device.commands.values()
        }
        taken = by_name.keys() - {command.name for command in device.commands.values()}
        added = [
            replace(command, id=ids[command.id], name=free_name(command.name, taken))
            for command in device.commands.values()
        ]
        functions = {function: ids[id_] for function, id_ in device.functions.items()}
        if now.kind is Kind.OTHER and now.entity is None:
            now = replace(
                device,
                id=now.id,
                name=now.name,
                commands=now.commands,
                functions=now.functions,
                beyond={**now.beyond, **device.beyond},
            )
        _keep_replaced(stored, now, added)
        joined = now.with_commands(*added)
        stored.devices[now.id] = replace(joined, functions={**functions, **now.functions})

    async def _change(self, change: Callable[[_Stored], bool]) -> None:
        """Change a copy of what is stored and write it, if something is different then."""
        await finish(self._hass, self._apply(change), "irhub: write devices")

    async def _apply(self, change: Callable[[_Stored], bool]) -> None:
        async with self._lock:
            stored = self._stored.copy()
            if not change(stored):
                return
            stored.writes += 1
            stored.forget_old()
            await self._file.write(stored.as_data)
            before, self._stored = self._stored, stored
            self._next_packets.forget(_other_packets(before, stored))
        self.async_tell()

    @callback
    def async_tell(self) -> None:
        """Call the listeners: the devices have changed, or which of them are shown."""
        for listener in list(self._listeners):
            try:
                listener()
            except Exception:
                _LOGGER.exception("A listener to learned commands failed")


DATA_DEVICES: HassKey[dict[Mac, Devices]] = HassKey(f"{DOMAIN}_devices")


@callback
def devices_of(hass: HomeAssistant, mac: Mac) -> Devices:
    """Return the devices of a hub: one object for one file, over reloads too."""
    known = hass.data.setdefault(DATA_DEVICES, {})
    if (devices := known.get(mac)) is None:
        devices = known[mac] = Devices(hass, mac)
    return devices


def _no_label(_device: Device) -> None:
    return None


def _named(devices: Mapping[str, Device], name: str) -> Device | None:
    return next((device for device in devices.values() if device.name == name), None)


def _put_commands(
    stored: _Stored,
    device: Device,
    packets: Mapping[str, Sequence[bytes]],
    functions: Mapping[str, str],
    states: Mapping[str, State],
) -> list[str]:
    """Put commands to a device, in place of those of the same names; return their ids.

    `packets`, `functions` and `states` are by the names of the commands.
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
    _keep_replaced(stored, device, new)
    device = device.with_commands(*new)
    does = {
        function: command.id
        for command in new
        if (function := functions.get(command.name)) is not None
    }
    device = replace(device, functions={**does, **device.functions})
    stored.devices[device.id] = with_meanings(device, new)
    return [command.id for command in new]


def _last_of(deletions: Sequence[Deleted], commands: Iterable[str]) -> list[Deleted]:
    """Return the last deletion of each command, with no other ones in it, the oldest first.

    Nothing if one of the commands is in none. Several devices may have one of that name.
    """
    wanted = {*commands}
    last = {
        (deleted.device.id, name): deleted
        for deleted in deletions
        for name in wanted & deleted.device.by_name.keys()
    }
    if wanted - {name for _, name in last}:
        return []
    parts: list[Deleted] = []
    for deleted in deletions:
        ids = [
            command.id
            for name, command in deleted.device.by_name.items()
            if last.get((deleted.device.id, name)) is deleted
        ]
        if ids:
            parts.append(replace(deleted, device=deleted.device.only(ids)))
    return parts


def _owner(stored: _Stored, id_: str) -> Device | None:
    """Return the device that has an id, or whose entity or command has it."""
    return next(
        (
            device
            for device in stored.devices.values()
            if id_ in (device.id, device.entity) or id_ in device.commands
        ),
        None,
    )


def _with_own_ids(stored: _Stored, device: Device) -> Device:
    """Return a device that somebody brings, without ids that are not ours, or something else's."""
    taken: set[str] = set()

    def is_fit(id_: str, form: re.Pattern[str]) -> bool:
        owner = _owner(stored, id_)
        fits = form.fullmatch(id_) is not None and id_ not in taken
        if fits and (owner is None or owner.id == device.id):
            taken.add(id_)
            return True
        return False

    there = stored.devices.get(device.id)
    own = device.id if there or is_fit(device.id, DEVICE_ID) else new_id(stored.mac)
    ids = {
        id_: id_
        if (there and id_ in there.commands) or is_fit(id_, COMMAND_ID)
        else new_id(stored.mac)
        for id_ in device.commands
    }
    entity = device.entity
    if entity is not None and entity != device.id and not is_fit(entity, ENTITY_ID):
        entity = own
    return with_ids(device, own, ids, own if entity == device.id else entity)


def _keep_replaced(stored: _Stored, device: Device, commands: Iterable[Command]) -> None:
    """Keep the packets that commands of a device will have no more."""
    replaced = [
        command.id
        for command in commands
        if (known := device.commands.get(command.id)) is not None
        and known.packets != command.packets
    ]
    if not replaced:
        return
    stored.deletion(device.only(replaced), replaced=True)
    left = MOST_REPLACED * len(device.commands)
    for id_, each in reversed([*stored.deleted.items()]):
        if each.replaced and each.device.id == device.id:
            left -= len(each.device.commands)
            if left < 0:
                del stored.deleted[id_]


def _check_free(device: Device, commands: Iterable[Command]) -> None:
    """Raise UserError if other commands of a device have these names."""
    by_name = device.by_name
    taken = [
        command.name
        for command in commands
        if (other := by_name.get(command.name)) is not None and other.id != command.id
    ]
    if taken:
        raise UserError("name_taken", device=device.name, command=list_names(taken))


def _other_packets(before: _Stored, after: _Stored) -> list[str]:
    """Return the ids of alternating commands that have other packets now, or none."""
    now = {
        id_: command.packets
        for device in after.devices.values()
        for id_, command in device.commands.items()
        if len(command.packets) > 1
    }
    return [
        id_
        for device in before.devices.values()
        for id_, command in device.commands.items()
        if len(command.packets) > 1 and now.get(id_) != command.packets
    ]


def _understood(data: Data) -> tuple[_Stored, list[str]]:
    """Return what a file says, and the names of what it says wrongly."""
    stored, odd = _Stored(mac=str(data.get("mac"))), list[str]()
    match data:
        case {
            "mac": str(),
            "devices": list(devices),
            "deleted": list(deletions),
            "taken_over": dict(taken),
        }:
            pass
        case _:
            return stored, ["mac, devices, deleted or taken_over"]
    if isinstance(writes := data.get("writes"), int):
        stored.writes = writes
    for each in devices:
        try:
            device = read_device(each)
            if device.id in stored.devices:
                raise ValueError(f"two devices have the id {device.id}")  # noqa: TRY301  (one of many)
        except ValueError:
            odd.append(str(each.get("name")) if isinstance(each, dict) else str(each))
        else:
            stored.devices[device.id] = device
    for each in deletions:
        try:
            deleted = Deleted.from_data(each, stored.writes)
        except ValueError:
            odd.append("deleted")
        else:
            stored.deleted[deleted.id] = deleted
    stored.taken = {str(what): str(which) for what, which in taken.items()}
    stored.beyond = {key: value for key, value in data.items() if key not in _KEYS}
    return stored, odd
