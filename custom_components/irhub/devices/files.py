"""Files of a hub: its devices, and the next packet of each alternating command.

Each is a JSON file in `.storage`, in the layout of Home Assistant's `Store`. They are separate
files, because a sent packet does not justify a synced write of all devices. `Store` itself is
unsuitable: it only logs a failed write, but then a command must not be reported as learned; it
accepts duplicate keys (possible after manual edits) and keeps the last; and it moves unreadable
files away, even those of core's integration.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
import json
import logging
from pathlib import Path
from shutil import copy2
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.json import save_json
from homeassistant.helpers.storage import STORAGE_DIR

from .._common.log_once import LogOnce
from .._common.markdown import escaped_values
from ..const import DOMAIN
from ..errors import StorageFailedError
from ..ircodes import RefusedError
from .fields import Data

_LOGGER = logging.getLogger(__package__)

VERSION: Final = 1


class StorageFile:
    """A JSON file whose content is on the disk when `write` returns.

    Failures raise StorageFailedError.
    """

    def __init__(self, hass: HomeAssistant, name: str) -> None:
        self._hass = hass
        self.path = Path(hass.config.path(STORAGE_DIR, name))
        self.damage: str | None = None
        """Description of a damage; the next write then keeps a copy of the damaged file."""

    async def peek(self) -> Data | None:
        """Return the data; None if there is no file. Raise ValueError if it is damaged."""
        try:
            return await self._hass.async_add_executor_job(_load, self.path)
        except (HomeAssistantError, OSError) as err:
            raise StorageFailedError("cannot_load", file=self.path.name, error=err) from err

    async def read(self) -> Data | None:
        """Return the data; None if there is no file, or a damaged one, which is kept aside."""
        try:
            return await self.peek()
        except ValueError as err:
            await self.keep_aside(err)
            return None

    async def write(self, make: Callable[[], Data]) -> None:
        """Replace the file with the result of `make`; on failure it stays unchanged.

        A damaged file is kept under another name, with an error in the log and a repair issue.
        """
        backup = None if self.damage is None else self._backup_path()

        def write() -> None:
            try:
                if backup is not None:
                    _copy(self.path, backup)
                _write(self.path, make())
            except HomeAssistantError, OSError:
                if backup is not None:
                    backup.unlink(missing_ok=True)
                raise

        try:
            await self._hass.async_add_executor_job(write)
        except (HomeAssistantError, OSError) as err:
            raise StorageFailedError("cannot_save", file=self.path.name, error=err) from err
        if backup is not None:
            reason, self.damage = self.damage, None
            self._report_kept(backup, reason)

    async def keep_aside(self, reason: object) -> None:
        """Rename the damaged file, with an error in the log and a repair issue."""
        backup = self._backup_path()
        try:
            await self._hass.async_add_executor_job(self.path.rename, backup)
        except OSError as err:
            raise StorageFailedError("cannot_load", file=self.path.name, error=err) from err
        self._report_kept(backup, reason)

    def _backup_path(self) -> Path:
        """Return the path under which a damaged file is kept."""
        return self.path.with_name(f"{self.path.name}.corrupt.{datetime.now(UTC):%Y%m%dT%H%M%S%f}")

    def _report_kept(self, backup: Path, reason: object) -> None:
        _LOGGER.error("%s is damaged and was kept as %s: %s", self.path, backup.name, reason)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            f"damaged_file_{self.path.name}",
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="damaged_file",
            translation_placeholders=escaped_values(
                {"file": self.path.name, "backup": backup.name}
            ),
        )


class NextPackets:
    """The next packet of alternating commands: id of the command → index.

    The file is written in the background, since a failure affects neither the sent packet nor
    the stored command. A failure is logged once, and the next change writes again.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._file: StorageFile | None = None
        self._next: dict[str, int] = {}
        self._changed = False
        self._writing: asyncio.Task[None] | None = None
        self._log = LogOnce(_LOGGER)

    async def load(self, file: StorageFile) -> None:
        """Load the file; invalid entries are ignored."""
        read = await file.read() or {}
        self._file = file
        self._next = {id_: index for id_, index in read.items() if isinstance(index, int)}

    def __getitem__(self, id_: str) -> int:
        """Return the index of a command's next packet."""
        return self._next.get(id_, 0)

    @callback
    def set(self, indexes: Mapping[str, int]) -> None:
        """Set the next packet of some commands."""
        self._next.update(indexes)
        self._write_soon()

    @callback
    def forget(self, ids: Iterable[str]) -> None:
        """Let commands start with their first packet."""
        for id_ in ids:
            if self._next.pop(id_, None) is not None:
                self._write_soon()

    def _write_soon(self) -> None:
        self._changed = True
        if self._writing is None or self._writing.done():
            self._writing = self._hass.async_create_task(
                self._write(), "irhub: write which packets come next", eager_start=False
            )

    async def _write(self) -> None:
        while self._changed and self._file is not None:
            self._changed = False
            try:
                await self._file.write(partial(dict, self._next.copy()))
            except StorageFailedError as err:
                self._log.report(
                    "write",
                    "Which packet of an alternating command comes next could not be written to"
                    f" .storage/{self._file.path.name}; the next change tries again",
                    detail=f": {err.__cause__}",
                )
            else:
                self._log.settle("write")


class Alternating:
    """An alternating command to transmit: a `DeferredPacket`."""

    def __init__(self, next_packets: NextPackets, id_: str, packets: Sequence[bytes]) -> None:
        self._next_packets = next_packets
        self._id = id_
        self._packets = packets
        self.sent = b""
        """The packet that was confirmed; empty before."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""
        return self._packets[self._next_packets[self._id] % len(self._packets)]

    def confirmed(self) -> None:
        """Advance to the next packet, since this one was transmitted."""
        self.sent = self.packet
        following = (self._next_packets[self._id] + 1) % len(self._packets)
        self._next_packets.set({self._id: following})


def _unique_names(pairs: list[tuple[str, Any]]) -> Data:
    """Return a JSON object. Raise ValueError for duplicate names, which `json` accepts."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {double!r} stands twice in one place")
    return content


def _load(path: Path) -> Data | None:
    try:
        content = json.loads(path.read_bytes(), object_pairs_hook=_unique_names)
    except FileNotFoundError:
        return None
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    match content:
        case {"version": int(version)} if version > VERSION:
            raise HomeAssistantError(f"{path.name} has version {version}, known is {VERSION}")
        case {"version": int(), "data": dict(data)}:
            return data
        case _:
            raise ValueError("version or data is missing")


def _write(path: Path, data: Data) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"version": VERSION, "minor_version": 1, "key": path.name, "data": data}
    save_json(str(path), content, atomic_writes=True)


def _copy(path: Path, backup: Path) -> None:
    """Copy a file; by a hard link if possible, which needs no space."""
    try:
        backup.hardlink_to(path)
    except OSError:
        copy2(path, backup)
