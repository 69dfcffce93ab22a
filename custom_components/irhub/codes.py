"""The learned commands of one remote, and which of two alternating packets comes next."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
import logging
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.util.json import JsonObjectType

from . import code_file
from .const import DOMAIN
from .errors import StorageFailedError, UserError
from .hub import Turn
from .packet import is_meant_as_packet, parse_text, short, to_base64
from .schema import reverse_mac

_LOGGER = logging.getLogger(__package__)

read_packet = lru_cache(maxsize=128)(parse_text)
"""`parse_text` for texts that come again and again."""

type Commands = dict[str, dict[str, list[str]]]
"""Devices → commands → packets as text: one, or several that are sent by turns."""


class Codes:
    """What a remote has learned, in memory and on the disk.

    A change is on the disk before the method that makes it returns; if it cannot be
    written, StorageFailedError is raised and nothing has changed. Call `load` first.
    """

    def __init__(self, hass: HomeAssistant, mac: str) -> None:
        self._hass = hass
        folder = Path(hass.config.path(".storage"))
        self._codes_file = folder / f"{DOMAIN}_remote_{mac}_codes"
        self._turns_file = folder / f"{DOMAIN}_remote_{mac}_flags"
        self._core_files = [
            folder / f"broadlink_remote_{digits}_codes" for digits in (mac, reverse_mac(mac))
        ]
        self._codes: Commands = {}
        self._turns: dict[str, dict[str, int]] = {}
        self._turns_changed = False
        self._loaded = False
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Read the files once; take over core's codes if there are none of ours yet.

        Raises StorageFailedError if a file cannot be read. A damaged one is kept under
        another name, with an error in the log and a repair.
        """
        async with self._lock:
            if self._loaded:
                return
            turns = await self._read(self._turns_file)
            self._turns = {
                device: {name: turn for name, turn in of.items() if isinstance(turn, int)}
                for device, of in (turns or {}).items()
                if isinstance(of, dict)
            }
            stored = await self._read(self._codes_file)
            if stored is None:
                await self._take_over()
            else:
                self._codes, odd = _understood(stored)
                if odd:
                    await self._repair(odd)
            self._loaded = True

    def layout(self) -> JsonObjectType:
        """Return everything: devices → commands → a packet as text, or a list of them."""
        return _layout(self._codes)

    def find(self, device: str, command: str) -> bytes | Turn:
        """Return what to transmit for a command: a packet, or one of several in their turn.

        Raises UserError that names what is missing and lists what there is.
        """
        if (of_device := self._codes.get(device)) is None:
            raise UserError("unknown_device", device=device, known=_list(self._codes))
        if (texts := of_device.get(command)) is None:
            if is_meant_as_packet(command):
                raise UserError("no_prefix", device=device, packet=short(command))
            raise UserError(
                "unknown_command", device=device, command=command, known=_list(of_device)
            )
        try:
            packets = [read_packet(text) for text in texts]
        except ValueError as err:
            raise UserError("bad_stored", device=device, command=command, error=err) from err
        return packets[0] if len(packets) == 1 else _Alternating(self, device, command, packets)

    async def store(self, commands: Mapping[str, Mapping[str, Sequence[bytes]]]) -> None:
        """Store packets: devices → commands → one packet, or two for an alternating command."""

        def change(codes: Commands) -> None:
            for device, of_device in commands.items():
                for command, packets in of_device.items():
                    texts = [to_base64(packet) for packet in packets]
                    codes.setdefault(device, {})[command] = texts

        await self._change(change)
        for device, of_device in commands.items():
            self._forget_turns(device, of_device)
        await self.save_turns()

    async def delete(self, device: str, commands: Iterable[str]) -> None:
        """Delete commands of a device. Raises UserError if one is missing: then all stay."""
        wanted = set(commands)

        def change(codes: Commands) -> None:
            # Here, in its turn: another call may have deleted some of them meanwhile.
            if (of_device := codes.get(device)) is None:
                raise UserError("unknown_device", device=device, known=_list(codes))
            if missing := wanted - of_device.keys():
                raise UserError(
                    "unknown_command", device=device, command=_list(missing), known=_list(of_device)
                )
            codes[device] = {
                command: texts for command, texts in of_device.items() if command not in wanted
            }
            if not codes[device]:
                del codes[device]

        await self._change(change)
        self._forget_turns(device, wanted)
        await self.save_turns()

    def turn(self, device: str, command: str) -> int:
        """Return how often an alternating command was sent, counted round."""
        return self._turns.get(device, {}).get(command, 0)

    def set_turn(self, device: str, command: str, turn: int) -> None:
        """Note whose turn it is; on the disk after `save_turns`."""
        self._turns.setdefault(device, {})[command] = turn
        self._turns_changed = True

    async def save_turns(self) -> None:
        """Write the turns, if one changed since."""
        if self._turns_changed:
            await self._finish(self._write_turns())

    def _forget_turns(self, device: str, commands: Iterable[str]) -> None:
        for command in commands:
            if self._turns.get(device, {}).pop(command, None) is not None:
                self._turns_changed = True

    async def _change(self, change: Callable[[Commands], None]) -> None:
        await self._finish(self._apply(change))

    async def _finish(self, work: Coroutine[Any, Any, None]) -> None:
        """Do work on the files to its end, even if the caller is cancelled meanwhile."""
        await asyncio.shield(self._hass.async_create_task(work, "irhub: write learned commands"))

    async def _apply(self, change: Callable[[Commands], None]) -> None:
        async with self._lock:
            codes = deepcopy(self._codes)
            change(codes)
            await self._write(self._codes_file, _layout(codes))
            self._codes = codes

    async def _write_turns(self) -> None:
        async with self._lock:
            self._turns_changed = False
            try:
                await self._write(self._turns_file, deepcopy(self._turns))
            except StorageFailedError:
                self._turns_changed = True
                raise

    async def _write(self, path: Path, data: dict[str, Any]) -> None:
        try:
            await self._hass.async_add_executor_job(code_file.write, path, data)
        except (HomeAssistantError, OSError) as err:
            raise StorageFailedError("cannot_save", file=path.name, error=err) from err

    async def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            return await self._hass.async_add_executor_job(code_file.read, path)
        except code_file.DamagedFileError as err:
            self._report(err)
            return None
        except (code_file.NewerFileError, OSError) as err:
            raise StorageFailedError("cannot_load", file=path.name, error=err) from err

    async def _take_over(self) -> None:
        """Copy what core's integration learned with the same hub; its file stays as it is."""
        for path in self._core_files:
            try:
                data = await self._hass.async_add_executor_job(code_file.peek, path)
            except (code_file.UnreadableError, OSError) as err:
                _LOGGER.error("Core's learned commands could not be copied: %s", err)  # noqa: TRY400
                continue
            if data is not None:
                codes, odd = _understood(data)
                await self._write(self._codes_file, _layout(codes))
                self._codes = codes
                _LOGGER.info(
                    "Copied %s learned commands of %s devices from %s%s",
                    sum(map(len, codes.values())),
                    len(codes),
                    path.name,
                    f"; not understood: {', '.join(odd)}" if odd else "",
                )
                return

    async def _repair(self, odd: list[str]) -> None:
        """Keep the file as it was, and go on with the part that is understood."""
        reason = f"not packets: {', '.join(odd)}"
        try:
            err = await self._hass.async_add_executor_job(
                code_file.move_aside, self._codes_file, reason
            )
        except OSError as failed:
            raise StorageFailedError(
                "cannot_load", file=self._codes_file.name, error=failed
            ) from failed
        self._report(err)
        await self._write(self._codes_file, _layout(self._codes))

    def _report(self, err: code_file.DamagedFileError) -> None:
        _LOGGER.error("%s", err)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            f"damaged_file_{err.path.name}",
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="damaged_file",
            translation_placeholders={"file": err.path.name, "backup": err.backup.name},
        )


class _Alternating:
    """A command whose packets are sent by turns, however often and by whomever."""

    def __init__(self, codes: Codes, device: str, command: str, packets: list[bytes]) -> None:
        self._codes = codes
        self._name = device, command
        self._packets = packets

    @property
    def packet(self) -> bytes:
        """The packet whose turn it is."""
        return self._packets[self._codes.turn(*self._name) % len(self._packets)]

    def confirmed(self) -> None:
        """Let the next one have its turn."""
        turn = (self._codes.turn(*self._name) + 1) % len(self._packets)
        self._codes.set_turn(*self._name, turn)


def _understood(data: Mapping[str, Any]) -> tuple[Commands, list[str]]:
    """Return the codes of a file, and the names of what does not look like codes."""
    codes: Commands = {}
    odd: list[str] = []
    for device, of_device in data.items():
        if not isinstance(of_device, dict):
            odd.append(device)
            continue
        for command, stored in of_device.items():
            texts = [stored] if isinstance(stored, str) else stored
            if isinstance(texts, list) and texts and all(isinstance(t, str) for t in texts):
                codes.setdefault(device, {})[command] = texts
            else:
                odd.append(f"{device} → {command}")
    return codes, odd


def _layout(codes: Commands) -> JsonObjectType:
    """Return the codes as the classic file has them: a single packet is no list."""
    return {
        device: {
            command: texts[0] if len(texts) == 1 else [*texts]
            for command, texts in of_device.items()
        }
        for device, of_device in codes.items()
    }


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
