"""What lies on the disk: learned commands, and which packet of an alternating one comes next.

Each is one JSON file in `.storage`, in the layout of Home Assistant's `Store`. `Store` itself
does not do here: it logs a failed write and goes on, but a command must not be reported as
learned then; it takes the last of two equal names, so an edit by hand would cost what the
first one held; and it moves an unreadable file away, even one that is core's.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
import json
import logging
from pathlib import Path
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.json import save_json
from homeassistant.helpers.storage import STORAGE_DIR
from homeassistant.util.json import JsonObjectType

from .._common.log_once import LogOnce
from ..codes.packet import from_capture
from ..codes.reasons import RefusedError
from ..codes.text_forms import parse_text, to_base64
from ..const import DOMAIN
from ..errors import StorageFailedError

_LOGGER = logging.getLogger(__package__)

VERSION: Final = 1
INFRARED: Final = 0x26
HEADER: Final = 4
"""Bytes, of which the last two are the length of what follows."""

type Data = dict[str, Any]
type Commands = dict[str, dict[str, list[str]]]
"""Device → command → packets as text: one, or several that alternate."""
type CommandName = tuple[str, str]
"""Device and command."""


class StorageFile:
    """A file that is on the disk when `write` returns. Failures are StorageFailedErrors."""

    def __init__(self, hass: HomeAssistant, name: str) -> None:
        self._hass = hass
        self.path = Path(hass.config.path(STORAGE_DIR, name))

    async def peek(self) -> Data | None:
        """Return the data, or None if there is no file; raise ValueError if it is damaged."""
        try:
            return await self._hass.async_add_executor_job(_load, self.path)
        except (HomeAssistantError, OSError) as err:
            raise StorageFailedError("cannot_load", file=self.path.name, error=err) from err

    async def read(self) -> Data | None:
        """Return the data, or None if there is no file, or a damaged one that was kept aside."""
        try:
            return await self.peek()
        except ValueError as err:
            await self.keep_aside(err)
            return None

    async def write(self, data: Data) -> None:
        """Replace the file; where that fails, it stays as it was."""
        try:
            await self._hass.async_add_executor_job(_write, self.path, data)
        except (HomeAssistantError, OSError) as err:
            raise StorageFailedError("cannot_save", file=self.path.name, error=err) from err

    async def remove(self) -> None:
        """Delete the file, if there is one."""
        try:
            await self._hass.async_add_executor_job(self.path.unlink, True)  # noqa: FBT003
        except OSError as err:
            raise StorageFailedError("cannot_save", file=self.path.name, error=err) from err

    async def keep_aside(self, reason: object) -> None:
        """Keep the damaged file under another name, with an error in the log and a repair."""
        name = f"{self.path.name}.corrupt.{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        try:
            await self._hass.async_add_executor_job(self.path.rename, self.path.with_name(name))
        except OSError as err:
            raise StorageFailedError("cannot_load", file=self.path.name, error=err) from err
        _LOGGER.error("%s is damaged and was kept as %s: %s", self.path, name, reason)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            f"damaged_file_{self.path.name}",
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="damaged_file",
            translation_placeholders={"file": self.path.name, "backup": name},
        )


class NextPackets:
    """Which packet of an alternating command comes next, by its index.

    It is written in the background: the packet before it has gone out, or the command is
    stored, whether or not this can be written. If it cannot, that is told once, and tried again
    with the next change.
    """

    def __init__(self, hass: HomeAssistant, file: StorageFile) -> None:
        self._hass = hass
        self._file = file
        self._next: dict[CommandName, int] = {}
        self._changed = False
        self._writing: asyncio.Task[None] | None = None
        self._log = LogOnce(_LOGGER)

    async def load(self) -> None:
        """Read the file; what is not a number begins with the first packet."""
        self._next = {
            (device, command): index
            for device, of in (await self._file.read() or {}).items()
            if isinstance(of, dict)
            for command, index in of.items()
            if isinstance(index, int)
        }

    def __getitem__(self, name: CommandName) -> int:
        """Return the index of a command's next packet."""
        return self._next.get(name, 0)

    @callback
    def set(self, indexes: Mapping[CommandName, int]) -> None:
        """Note the next packet of some commands."""
        self._next.update(indexes)
        self._write_soon()

    @callback
    def rename(self, changed: Mapping[CommandName, CommandName | None]) -> None:
        """Give commands their new names; those that have none begin anew."""
        for name, new in changed.items():
            if (index := self._next.pop(name, None)) is not None:
                if new is not None:
                    self._next[new] = index
                self._write_soon()

    async def remove(self) -> None:
        """Forget everything, on the disk too."""
        self._next, self._changed = {}, False
        if self._writing is not None:
            await asyncio.wait([self._writing])
        await self._file.remove()

    def _write_soon(self) -> None:
        self._changed = True
        if self._writing is None or self._writing.done():
            self._writing = self._hass.async_create_task(
                self._write(), "irhub: write which packets come next", eager_start=False
            )

    async def _write(self) -> None:
        while self._changed:
            self._changed = False
            data: dict[str, dict[str, int]] = {}
            for (device, command), index in self._next.items():
                data.setdefault(device, {})[command] = index
            try:
                await self._file.write(data)
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
    """A command as the hub's queue takes it: which packet is decided when it is transmitted."""

    def __init__(
        self, next_packets: NextPackets, name: CommandName, packets: Sequence[bytes]
    ) -> None:
        self._next_packets = next_packets
        self._name = name
        self._packets = packets
        self.sent = b""
        """The packet that was confirmed last."""

    @property
    def packet(self) -> bytes:
        """Return the packet to transmit now."""
        return self._packets[self._next_packets[self._name] % len(self._packets)]

    def confirmed(self) -> None:
        """Pass on to the next packet: the hub has transmitted this one."""
        self.sent = self.packet
        following = (self._next_packets[self._name] + 1) % len(self._packets)
        self._next_packets.set({self._name: following})


def understood_codes(data: Data) -> tuple[Commands, list[str]]:
    """Return the codes of a file, and the names of what does not look like codes.

    Core stores packets as the hub returned them; here they are cut and put right like all others.
    """
    codes: Commands = {}
    odd: list[str] = []
    for device, of_device in data.items():
        if not isinstance(of_device, dict):
            odd.append(device)
            continue
        for command, stored in of_device.items():
            texts = [stored] if isinstance(stored, str) else stored
            if isinstance(texts, list) and texts and all(isinstance(t, str) for t in texts):
                codes.setdefault(device, {})[command] = [*map(_cut, texts)]
            else:
                odd.append(f"{device} → {command}")
    return codes, odd


def _cut(text: str) -> str:
    """Return a packet's text as learning gives it; as it is if it is none."""
    try:
        data = base64.b64decode(text, validate=True)
        if data[0] == INFRARED and len(data) == HEADER + int.from_bytes(data[2:HEADER], "little"):
            return text  # as we write them: thousands are read at the start
    except ValueError, IndexError:
        pass
    try:
        return to_base64(from_capture(parse_text(text)))
    except ValueError:
        return text


def layout_of(codes: Commands) -> JsonObjectType:
    """Return the codes as the classic file has them: a single packet is no list."""
    return {
        device: {
            command: texts[0] if len(texts) == 1 else [*texts]
            for command, texts in of_device.items()
        }
        for device, of_device in codes.items()
    }


def _unique_names(pairs: list[tuple[str, Any]]) -> Data:
    """Return a JSON object; raise ValueError if a name stands twice, which `json` would not."""
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
