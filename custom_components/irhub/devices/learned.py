"""The learned commands of one remote."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
import logging

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers.importlib import async_import_module
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.json import JsonObjectType

from .._common.finish import finish
from .._common.log_once import LogOnce
from ..codes.packet import short
from ..codes.text_forms import is_meant_as_packet, parse_text, to_base64
from ..const import DOMAIN
from ..errors import StorageFailedError, UserError, list_names
from ..hub.hub import DeferredPacket, Hub, caller_of
from ..settings import Mac
from .files import (
    Alternating,
    CommandName,
    Commands,
    Data,
    NextPackets,
    StorageFile,
    layout_of,
    understood_codes,
)

_LOGGER = logging.getLogger(__package__)

read_packet = lru_cache(maxsize=128)(parse_text)
"""`parse_text` for texts that come again and again."""

type Moves = Mapping[CommandName, CommandName]
"""The commands that were renamed: old → new."""
type _Changed = Mapping[CommandName, CommandName | None]
"""The commands that were changed: their new name, or None if they are stored anew or deleted."""
type Packets = Mapping[str, Mapping[str, Sequence[bytes]]]
"""Device → command → packets: one, or several that alternate."""


def packets_of(commands: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, bytes]]:
    """Yield name and packet of stored commands, of those that are packets."""
    for name, texts in commands.items():
        for text in texts:
            try:
                yield name, read_packet(text)
            except ValueError:
                continue


class Codes:
    """What a remote has learned, in memory and on the disk.

    A change is on the disk before the method that makes it returns, even if the caller is
    cancelled meanwhile; if it cannot be written, StorageFailedError is raised and nothing has
    changed. Call `load` first.
    """

    def __init__(self, hass: HomeAssistant, mac: Mac) -> None:
        self._hass = hass
        self._mac = mac
        self._use_files_of(mac)
        self._codes: Commands = {}
        self._loaded = False
        self._lock = asyncio.Lock()
        self._log = LogOnce(_LOGGER)
        self._listeners: list[Callable[[Moves], None]] = []
        self._emitters: list[Mapping[str, str]] = []
        self._emitting: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self) -> None:
        """Read the files once; take over core's codes if there are none of ours yet.

        Raise StorageFailedError if a file cannot be read. A damaged one is kept under
        another name, with an error in the log and a repair.
        """
        if not self._loaded:  # else it would wait for a command that is being written
            async with self._lock:
                await self._load()

    async def try_load(self) -> bool:
        """Return whether the files are read; if they cannot be, that is told once for all."""
        try:
            await self.load()
        except StorageFailedError as err:
            self._log.report("load", str(err))
            return False
        return True

    async def _load(self) -> None:
        if not self._loaded:
            if (stored := await self._file.read()) is None:
                # YAML may have had the MAC address in the other byte order.
                self._use_files_of(self._mac.reversed)
                if (stored := await self._file.read()) is None:
                    self._use_files_of(self._mac)
            await self._next_packets.load()
            if stored is None:
                await self._take_over()
            else:
                understood = self._hass.async_add_executor_job(understood_codes, stored)
                self._codes, odd = await understood
                if odd:
                    await self._file.keep_aside(f"not packets: {list_names(odd)}")
                    await self._file.write(layout_of(self._codes))
            self._loaded = True
            self._log.settle("load")
            self._tell({})

    def _use_files_of(self, mac: Mac) -> None:
        self._file = StorageFile(self._hass, f"{DOMAIN}_remote_{mac}_codes")
        self._next_packets = NextPackets(
            self._hass, StorageFile(self._hass, f"{DOMAIN}_remote_{mac}_flags")
        )

    @property
    def commands(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Return device → command → packets as text: one, or several that alternate."""
        return self._codes

    def export(self) -> JsonObjectType:
        """Return everything: devices → commands → a packet as text, or a list of them."""
        return layout_of(self._codes)

    @callback
    def async_add_listener(self, listener: Callable[[Moves], None]) -> CALLBACK_TYPE:
        """Call `listener` after every change of `commands`, with what was renamed by it.

        Return what ends that.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def find(self, device: str, command: str) -> bytes | Alternating:
        """Return what to transmit for a command: a packet, or several that alternate.

        Raise UserError that names what is missing and lists what there is.
        """
        texts = _command(self._codes, device, command)
        try:
            packets = [read_packet(text) for text in texts]
        except ValueError as err:
            raise UserError("bad_stored", device=device, command=command, error=err) from err
        if len(packets) == 1:
            return packets[0]
        return Alternating(self._next_packets, (device, command), packets)

    def emitter_of(self, device: str) -> str | None:
        """Return the emitter that transmits the commands of a device in place of the hub."""
        return next((each[device] for each in self._emitters if device in each), None)

    @callback
    def async_emit_through(self, emitters: Mapping[str, str]) -> CALLBACK_TYPE:
        """Have emitters transmit the commands of devices. Return what ends that."""

        @callback
        def changed() -> None:
            if emitters and self._loaded:
                self._tell({})

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
        packets: Sequence[bytes | DeferredPacket],
        context: Context | None = None,
        *,
        emitter: str | None = None,
    ) -> None:
        """Transmit what `find` returned, in order: by the hub, or by `emitter` in its place.

        Raise as `Hub.transmit`, or UserError or EmitterFailedError of the emitter.
        """
        if emitter is None:
            await hub.transmit(packets, caller_of(context))
            return
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

    async def store(self, packets: Packets) -> None:
        """Store commands, in place of those of the same name."""

        def change(codes: Commands) -> _Changed:
            for device, commands in packets.items():
                for command, of_command in commands.items():
                    codes.setdefault(device, {})[command] = [*map(to_base64, of_command)]
            return {(device, command): None for device in packets for command in packets[device]}

        await self._change(change)

    async def delete(self, device: str, commands: Iterable[str] | None = None) -> None:
        """Delete commands of a device, or all of them.

        Raise UserError if one is missing: then all stay.
        """

        def change(codes: Commands) -> _Changed:
            # Only here, where one change waits for another: some may have been deleted meanwhile.
            of_device = _device(codes, device)
            deleted = {*(of_device if commands is None else commands)}
            if missing := deleted - of_device.keys():
                raise UserError(
                    "unknown_command",
                    device=device,
                    command=list_names(missing),
                    known=list_names(of_device),
                )
            for command in deleted:
                del of_device[command]
            if not of_device:
                del codes[device]
            return {(device, command): None for command in deleted}

        await self._change(change)

    async def rename(
        self, device: str, command: str | None, new_device: str, new_command: str | None = None
    ) -> None:
        """Give a command another name or device, or all commands of a device another device.

        With `command` None the whole device is renamed; without `new_command` the command
        keeps its name. Raise UserError if the old name is missing, or the new one taken.
        """

        def change(codes: Commands) -> _Changed:
            if command is None:
                pairs = {name: name for name in _device(codes, device)}
            else:
                _command(codes, device, command)
                pairs = {command: command if new_command is None else new_command}
            moved = {
                (device, old): (new_device, new)
                for old, new in pairs.items()
                if (device, old) != (new_device, new)
            }
            if taken := [new for _, new in moved.values() if new in codes.get(new_device, {})]:
                raise UserError("name_taken", device=new_device, command=list_names(taken))
            for (_, old), (_, new) in moved.items():
                codes.setdefault(new_device, {})[new] = codes[device].pop(old)
            if not codes[device]:
                del codes[device]
            return moved

        await self._change(change)

    async def remove(self) -> None:
        """Delete the files: the hub is removed, and its commands with it."""
        await finish(self._hass, self._remove(), "irhub: delete learned commands")

    async def _remove(self) -> None:
        async with self._lock:
            await self._file.remove()
            self._codes, self._loaded = {}, False
            await self._next_packets.remove()
        self._tell({})

    async def _change(self, change: Callable[[Commands], _Changed]) -> None:
        """Change a copy of the codes and write it; next packets and listeners follow."""
        await finish(self._hass, self._apply(change), "irhub: write learned commands")

    async def _apply(self, change: Callable[[Commands], _Changed]) -> None:
        async with self._lock:
            codes = {device: {**commands} for device, commands in self._codes.items()}
            changed = change(codes)
            await self._file.write(layout_of(codes))
            self._codes = codes
            self._next_packets.rename(changed)
        self._tell({old: new for old, new in changed.items() if new is not None})

    async def _take_over(self) -> None:
        """Copy what core's integration learned with the same hub, and which packets come next."""
        for mac in (self._mac, self._mac.reversed):
            name = f"broadlink_remote_{mac}_codes"
            if not (stored := await self._read_core(name)):
                continue
            flags = await self._read_core(f"broadlink_remote_{mac}_flags")
            codes, odd = await self._hass.async_add_executor_job(understood_codes, stored)
            await self._file.write(layout_of(codes))
            self._codes = codes
            # Core alternates per device, not per command.
            self._next_packets.set(
                {
                    (device, command): index
                    for device, of_device in codes.items()
                    if isinstance(index := flags.get(device), int)
                    for command, texts in of_device.items()
                    if len(texts) > 1
                }
            )
            _LOGGER.info(
                "Copied %s learned commands of %s devices from %s%s",
                sum(map(len, codes.values())),
                len(codes),
                name,
                f"; not understood: {list_names(odd)}" if odd else "",
            )
            return

    async def _read_core(self, name: str) -> Data:
        """Return the data of a file that stays as it is, whatever is in it."""
        try:
            return await StorageFile(self._hass, name).peek() or {}
        except (ValueError, StorageFailedError) as err:
            _LOGGER.error("Core's learned commands could not be copied: %s", err)  # noqa: TRY400
            return {}

    @callback
    def _tell(self, moved: Moves) -> None:
        for listener in list(self._listeners):
            try:
                listener(moved)
            except Exception:
                _LOGGER.exception("A listener to learned commands failed")


DATA_CODES: HassKey[dict[Mac, Codes]] = HassKey(f"{DOMAIN}_codes")


@callback
def codes_of(hass: HomeAssistant, mac: Mac) -> Codes:
    """Return what a hub has learned: one object for one file, over reloads too."""
    known = hass.data.setdefault(DATA_CODES, {})
    if (codes := known.get(mac)) is None:
        codes = known[mac] = Codes(hass, mac)
    return codes


def _device(codes: Commands, device: str) -> dict[str, list[str]]:
    """Return the commands of a device; raise UserError if there are none."""
    if (of_device := codes.get(device)) is None:
        raise UserError("unknown_device", device=device, known=list_names(codes))
    return of_device


def _command(codes: Commands, device: str, command: str) -> list[str]:
    """Return the packets of a command; raise UserError if it was not learned."""
    of_device = _device(codes, device)
    if (texts := of_device.get(command)) is None:
        if is_meant_as_packet(command):
            raise UserError("no_prefix", device=device, packet=short(command))
        raise UserError(
            "unknown_command", device=device, command=command, known=list_names(of_device)
        )
    return texts
