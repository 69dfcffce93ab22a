"""A code file: its commands, and what it says of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..codes.reasons import RefusedError, reason_of
from ..codes.state import State
from ..errors import UserError, list_reasons
from ..formats.head import Head
from ..formats.imported import MAX_TEXT, NamelessError
from ..formats.notation import read_notation, text_of
from ..formats.reading import read_codes
from .device import Command, Device
from .meanings import with_meanings

SMARTIR_FOLDERS: Final = ("custom_codes", "codes")
"""Where SmartIR looks for its files, in this order."""


@dataclass(frozen=True, kw_only=True)
class CodeFile:
    """The commands of one device."""

    device: str
    commands: Mapping[str, Sequence[bytes]]
    states: Mapping[str, State]
    """Command → what it sets an air conditioner to."""
    refused: Mapping[str, object]
    head: Head | None
    manufacturer: str
    models: Sequence[str]

    def on(self, device: Device) -> Device:
        """Return a device with the commands of the file, each known by its name."""
        commands = [
            Command(id=name, name=name, packets=(*packets[:1],), state=self.states.get(name))
            for name, packets in self.commands.items()
        ]
        return with_meanings(device.with_commands(*commands), commands)

    def check(self) -> None:
        """Raise UserError, which says why, if no command can be used."""
        if not self.commands:
            raise UserError("not_imported", error=list_reasons(self.refused))


def understand(text: str, *, device: str | None = None, file: str = "") -> CodeFile:
    """Return what a text says; where it names no device, that is called as the file is.

    Raise ValueError if it is not about the commands of one device.
    """
    text = text.lstrip("\ufeff \t\r\n")
    content = read_notation(text) if text.startswith("{") else text
    try:
        imported = read_codes(content, device=device)
    except NamelessError:
        if not (stem := Path(file).stem):
            raise
        imported = read_codes(content, device=stem)
    if len(imported.commands) > 1:
        raise RefusedError("many_devices", count=len(imported.commands))
    [(name, commands)] = imported.commands.items() or [("", {})]
    return CodeFile(
        device=name,
        commands=commands,
        states=imported.states.get(name, {}),
        refused=imported.refused,
        head=imported.head,
        manufacturer=imported.manufacturer,
        models=imported.models,
    )


def read_file(folder: Path, names: Iterable[str], *, device: str | None = None) -> CodeFile:
    """Return what the first of these files says that exists in the configuration folder.

    Raise UserError if there is none, if it is not in the folder, or says nothing. For the
    executor.
    """
    root = folder.resolve()
    tried: list[str] = []
    for name in names:
        try:
            path = (folder / name).resolve()
            if not path.is_relative_to(root):
                raise UserError("file_outside", file=name)
            with path.open("rb") as file:
                content = file.read(4 * MAX_TEXT)
            return understand(text_of(content), device=device, file=name)
        except FileNotFoundError:
            tried.append(name)
        except (OSError, ValueError) as err:
            reason = reason_of(err, "unreadable")
            raise UserError("bad_file", file=name, error=reason) from err
    raise UserError("no_file", file=", ".join(tried))
