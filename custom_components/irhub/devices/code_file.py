"""Contents of a code file: commands, states and capabilities of one device."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..errors import UserError, list_reasons, localized
from ..ircodes import RefusedError, State, read_codes
from ..ircodes.files import MAX_TEXT, Account, Imported, NamelessError, read_notation, text_of
from ..ircodes.reasons import Reason, reason_of
from ..ircodes.states import Head
from .contradictions import contradictions_in
from .device import Command, Device
from .exports import whole_devices
from .kinds import Kind
from .meanings import with_meanings

_ARROW: Final = " \N{RIGHTWARDS ARROW} "
"""Separator of device and command in the names of refused commands."""
SMARTIR_FOLDERS: Final = ("custom_codes", "codes")
"""Folders of SmartIR's files, in the order of precedence."""


@dataclass(frozen=True, kw_only=True)
class CodeFile:
    """The contents of a code file for one device."""

    device: str
    commands: Mapping[str, Sequence[bytes]]
    states: Mapping[str, State]
    """Command → state that it sets."""
    refused: Mapping[str, object]
    head: Head | None
    manufacturer: str
    models: Sequence[str]
    account: Account
    """Counts of used and rejected codes; states in the names of commands are not counted."""
    contradictions: Mapping[str, object] = field(default_factory=dict)
    """Command → state in its packet that contradicts its name; only where this was checked."""
    whole: Device | None = None
    """The complete device of an export by this integration."""

    def on(self, device: Device) -> Device:
        """Return a device with the contents of the file; the ids of commands are their names.

        The settings of an export are not used, since its sensors and emitters are those of another
        home.
        """
        if (whole := self.whole) is not None:
            name_of = {id_: command.name for id_, command in whole.commands.items()}
            return replace(
                whole,
                id=device.id,
                name=device.name,
                kind=whole.kind if device.kind is Kind.OTHER else device.kind,
                commands={
                    command.name: replace(command, id=command.name)
                    for command in whole.commands.values()
                },
                functions={function: name_of[id_] for function, id_ in whole.functions.items()},
                settings=device.settings,
                entity=None,
            )
        commands = [
            Command(id=name, name=name, packets=tuple(packets), state=self.states.get(name))
            for name, packets in self.commands.items()
        ]
        if (head := self.head) is not None:
            device = replace(device, capabilities=head.capabilities, steps=head.steps)
        return with_meanings(device.with_commands(*commands), commands)

    def check(self) -> None:
        """Raise UserError with the reasons if no command can be used."""
        if not self.commands and self.whole is None:
            raise UserError("not_imported", error=list_reasons(self.refused))

    def check_states(self, device: Device) -> None:
        """Raise UserError if a device with this file is an air conditioner without states."""
        if not device.kind.traits.has_states or device.rule is not None:
            return
        account = account_of(device, self.account)
        if not account.states:
            reasons = "; ".join(localized(sentence) for sentence in account.sentences)
            raise UserError("no_states", reasons=reasons)


def account_of(device: Device, account: Account) -> Account:
    """Return the account of a file with the states that were found in the commands' names."""
    states = sum(command.state is not None for command in device.commands.values())
    return replace(account, states=states, commands=len(device.commands) - states)


def understand(content: object, *, device: str | None = None, file: str = "") -> CodeFile:
    """Return the contents of a text; if it names no device, use the name of the file.

    Raise ValueError unless it has the commands of exactly one device.
    """
    files = code_files(content, device=device, file=file)
    if len(files) > 1:
        raise RefusedError("many_devices", count=len(files))
    return files[0]


def code_files(content: object, *, device: str | None = None, file: str = "") -> list[CodeFile]:
    """Return the contents of a text for each of its devices, or for the given one.

    An unusable device has no commands, but reasons. Raise ValueError if there is no device.
    """
    if isinstance(content, str):
        content = content.lstrip("\ufeff \t\r\n")
    if (whole := whole_devices(content)) is not None:
        unusable = (
            _file_of(
                name,
                refused={name: reason},
                account=Account(codes=whole.lost[name], rejected={reason.kind: whole.lost[name]}),
            )
            for name, reason in whole.refused.items()
        )
        return [*map(_whole, whole.devices), *unusable]
    if isinstance(content, str) and content.startswith("{"):
        with suppress(ValueError):  # a line of JSON for each press is a log
            content = read_notation(content)
    try:
        imported = read_codes(content, device=device)
    except NamelessError:
        if not (stem := Path(file).stem):
            raise
        imported = read_codes(content, device=stem)
    if len(imported.commands) > 1:
        return _files_of_devices(imported)
    [(name, commands)] = imported.commands.items() or [("", {})]
    return [
        _file_of(
            name,
            commands=commands,
            states=imported.states.get(name, {}),
            refused=imported.refused,
            account=imported.account,
            contradictions=contradictions_in(imported),
            head=imported.head,
            manufacturer=imported.manufacturer,
            models=imported.models,
        )
    ]


def _files_of_devices(imported: Imported) -> list[CodeFile]:
    """Return the contents of a text with several devices for each of them, even unusable ones."""
    refused: dict[str, dict[str, object]] = {name: {} for name in imported.commands}
    for where, reason in imported.refused.items():
        refused.setdefault(where.partition(_ARROW)[0], {})[where] = reason
    files: list[CodeFile] = []
    for name, of_device in refused.items():
        commands, states = imported.commands.get(name, {}), imported.states.get(name, {})
        rejected = Counter(
            reason.kind for reason in of_device.values() if isinstance(reason, Reason)
        )
        account = Account(
            codes=len(commands) + rejected.total(),
            states=len(states),
            commands=len(commands) - len(states),
            rejected=rejected,
        )
        files.append(
            _file_of(name, commands=commands, states=states, refused=of_device, account=account)
        )
    return files


def _file_of(device: str, **known: Any) -> CodeFile:  # noqa: ANN401 - the fields of a CodeFile
    nothing: dict[str, Any] = {
        "commands": {},
        "states": {},
        "refused": {},
        "head": None,
        "manufacturer": "",
        "models": [],
    }
    return CodeFile(device=device, **{**nothing, **known})


def _whole(device: Device) -> CodeFile:
    return CodeFile(
        device=device.name,
        commands={command.name: command.packets for command in device.commands.values()},
        states={},
        refused={},
        account=account_of(device, Account(codes=len(device.commands))),
        head=None,
        manufacturer=device.manufacturer,
        models=[device.model] if device.model else [],
        whole=device,
    )


def read_file(folder: Path, names: Iterable[str], *, device: str | None = None) -> CodeFile:
    """Return the contents of the first of these files that exists in the configuration folder.

    Raise UserError if there is none, if it is outside of the folder, or is unreadable. For the
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
