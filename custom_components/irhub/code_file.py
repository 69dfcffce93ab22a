"""One JSON file of learned commands, in the layout of Home Assistant's store. All of it blocks.

`Store` itself logs a failed write and goes on; a command must not be reported as learned
then. So the file is written here: whole, synced and renamed into place, or not at all.
"""

from datetime import UTC, datetime
import json
from pathlib import Path
from typing import Any, Final, override

from homeassistant.helpers.json import save_json
from homeassistant.util.json import json_loads_object

VERSION: Final = 1


class UnreadableError(Exception):
    """The file is there, but it is no store of commands."""


class NewerFileError(Exception):
    """A newer version of this integration wrote the file."""


class DamagedFileError(Exception):
    """The file was unreadable, and was kept under another name: `backup`."""

    def __init__(self, path: Path, backup: Path, reason: object) -> None:
        super().__init__(path, backup, reason)
        self.path = path
        self.backup = backup
        self.reason = reason

    @override
    def __str__(self) -> str:
        return f"{self.path} is damaged and was kept as {self.backup.name}: {self.reason}"


def peek(path: Path) -> dict[str, Any] | None:
    """Return the stored data, or None if there is no file; never touch it.

    Raises UnreadableError, NewerFileError, or OSError where the disk fails.
    """
    try:
        text = path.read_bytes()
        content = json_loads_object(text)
        json.loads(text, object_pairs_hook=_without_doubles)
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as err:
        raise UnreadableError(f"{path.name}: {err}") from err
    match content:
        case {"version": int(version)} if version > VERSION:
            raise NewerFileError(f"{path.name} has version {version}, known is {VERSION}")
        case {"version": int(), "data": dict(data)}:
            return data
        case _:
            raise UnreadableError(f"{path.name}: version or data is missing")


def read(path: Path) -> dict[str, Any] | None:
    """Return the stored data like `peek`, but move an unreadable file out of the way.

    Then raises DamagedFileError: nothing will overwrite what was in it.
    """
    try:
        return peek(path)
    except UnreadableError as err:
        raise move_aside(path, err) from err


def write(path: Path, data: dict[str, Any]) -> None:
    """Replace the file; on return it is on the disk.

    Raises HomeAssistantError or OSError and leaves the file as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"version": VERSION, "minor_version": 1, "key": path.name, "data": data}
    save_json(str(path), content, atomic_writes=True)


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object; a name that stands twice would cost what the first one held."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {double!r} stands twice in one place")
    return found


def move_aside(path: Path, reason: object) -> DamagedFileError:
    """Keep a file under another name, and return the error that says so."""
    backup = path.with_name(f"{path.name}.corrupt.{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    path.rename(backup)
    return DamagedFileError(path, backup, reason)
