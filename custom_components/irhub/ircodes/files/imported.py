"""Result of an import: usable commands, and the reasons why others are not."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
import re
from typing import Final

from ..reasons import Reason, RefusedError, reason_of
from ..states.head import Head
from ..states.state import State
from .notation import pairs

MAX_TEXT: Final = 16 * 1024 * 1024
"""Characters; the largest code file of SmartIR has a fifth of it."""
MAX_COMMANDS: Final = 20_000
MAX_NAME: Final = 255
"""Characters, the limit of an entity state."""
_MAX_QUOTED: Final = 60
"""Characters of a name quoted in a reason."""
_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""JSON can contain one (`"\\ud83d"`), files and browsers cannot."""

type Packets = Sequence[bytes]
"""The packets of one command: one, or several that alternate."""


class ContentKind(StrEnum):
    """Kind of user input."""

    DEVICE = "device"
    """irhub's export of one device, with all its data."""
    EXPORT = "export"
    """Several devices, as stored by irhub or by another integration of Home Assistant."""
    COLLECTION = "collection"
    """Several code files: a folder or a zip."""
    CODE_FILE = "code_file"
    """Named commands of one or more remote controls."""
    LOG = "log"
    """Output of a receiver: codes without names."""
    PACKET = "packet"
    """One code without a name."""


class InvalidNameError(RefusedError):
    """A name is empty, too long, or not a text."""


class NamelessError(RefusedError):
    """Neither the file nor the caller names the device."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Statistics of an import: `codes` is the sum of all other numbers.

    A code belongs to one name: a packet, several that alternate, or a sequence.
    """

    codes: int = 0
    """Number of codes in the file."""
    states: int = 0
    """Codes that set an air conditioner to a state."""
    commands: int = 0
    """Other usable codes."""
    rejected: Mapping[Reason, int] = field(default_factory=dict)
    """Reason → number of codes rejected for it; reasons quote nothing of a single code."""
    presets: Mapping[str, int] = field(default_factory=dict)
    """Mode that Home Assistant does not have → number of `states` available as its preset."""

    @property
    def used(self) -> int:
        """Return the number of codes that can be sent."""
        return self.states + self.commands

    @property
    def unused(self) -> int:
        """Return the number of codes that cannot be sent."""
        return sum(self.rejected.values())

    @property
    def sentences(self) -> list[Reason]:
        """Return the statistics as sentences: totals, presets, and reasons of rejected codes."""
        return self.sentences_beside({})

    def sentences_beside(self, named: Mapping[str, object]) -> list[Reason]:
        """Return `sentences` without the reasons of refused commands that are named already."""
        kinds = (reason.kind for reason in named.values() if isinstance(reason, Reason))
        unnamed = Counter(self.rejected) - Counter(kinds)
        total = Reason(
            "account",
            {
                "codes": self.codes,
                "states": self.states,
                "commands": self.commands,
                "unused": self.unused,
            },
        )
        return [
            total,
            *(
                Reason("as_preset", {"count": count, "mode": mode})
                for mode, count in self.presets.items()
            ),
            *(
                Reason("unused", {"count": count, "reason": reason})
                for reason, count in unnamed.items()
            ),
        ]


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The commands of a text: usable and refused ones."""

    format: str
    """Name of the format."""
    commands: Mapping[str, Mapping[str, Packets]]
    """Device → command → packets."""
    refused: Mapping[str, object]
    """"device → command" → reason."""
    states: Mapping[str, Mapping[str, State]]
    """Device → command → the state it sets an air conditioner to, if the text specifies it."""
    account: Account = Account()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """"device → command" → additional information, such as the output of other decoders."""
    contradictions: Mapping[str, object] = field(default_factory=dict)
    """"device → command" → the decoded state, if it was checked and differs from the state in
    `states`."""
    head: Head | None = None
    manufacturer: str = ""
    models: Sequence[str] = ()

    @property
    def count(self) -> int:
        """Return the number of usable commands."""
        return sum(map(len, self.commands.values()))


@dataclass(frozen=True, kw_only=True)
class _Code:
    """A code before its packets are read."""

    device: object
    command: object
    read: Callable[[], Packets]
    state: State | None = None
    preset: str | None = None
    """The code's mode if Home Assistant does not have it, else None."""
    description: str = ""


class Collector:
    """Collects and counts the codes of a text. An invalid code does not affect others."""

    def __init__(self, format_name: str) -> None:
        self.format = format_name
        self.manufacturer = ""
        self.models: Sequence[str] = ()
        self.head: Head | None = None
        self._commands: dict[str, dict[str, Packets]] = {}
        self._states: dict[str, dict[str, State]] = {}
        self._descriptions: dict[str, str] = {}
        self._refused: dict[str, object] = {}
        self._names: dict[tuple[str, str], dict[tuple[bytes, ...], str]] = {}
        self._count = self._size = 0
        self._codes: list[_Code] = []
        self._refusals = Counter[str]()
        """Number of refusals per name."""
        self._rejected = Counter[Reason]()
        self._presets = Counter[str]()

    def count(self, size: int = 0) -> None:
        """Count a code. Raise RefusedError if the import is too large."""
        self._count, self._size = self._count + 1, self._size + size
        if self._count > MAX_COMMANDS:
            raise RefusedError("many_commands", limit=MAX_COMMANDS)
        if self._size > MAX_TEXT:
            raise RefusedError("large", limit=MAX_TEXT)

    def add(
        self,
        device: object,
        command: object,
        read: Callable[[], Packets],
        state: State | None = None,
        *,
        preset: str | None = None,
        description: str = "",
    ) -> None:
        """Add a code, with the state that it sets. It is read when all codes are counted.

        If `read` raises ValueError, the command is refused. Duplicates are merged; different
        packets under the same name are named "power 2" and so on. `preset` is the mode of the state
        if Home Assistant does not have it.
        """
        self._codes.append(
            _Code(
                device=device,
                command=command,
                read=read,
                state=state,
                preset=preset,
                description=description,
            )
        )

    def _read(self, code: _Code) -> None:
        try:
            device, command = checked_name(code.device), checked_name(code.command)
            if not (packets := code.read()):
                raise RefusedError("no_packet")
        except ValueError as err:
            self._refuse(_where(code.device, code.command), reason_of(err, "no_packet"), 1)
            return
        device_commands = self._commands.setdefault(device, {})
        names = self._names.setdefault((device, command), {})
        if tuple(packets) in names:
            self._rejected[Reason("again", {})] += 1
            return
        name, number = command, len(names)
        while name in device_commands:
            number += 1
            name = f"{command[: MAX_NAME - len(f' {number}')]} {number}"
        names[tuple(packets)] = name
        device_commands[name] = packets
        if code.description:
            self._descriptions[_where(device, name)] = code.description
        if code.state is not None and name == command:
            self._states.setdefault(device, {})[name] = code.state
            if code.preset is not None:
                self._presets[code.preset] += 1

    def refuse(self, name: object, reason: Reason, codes: int = 1) -> None:
        """Record that one or more codes under a name cannot be used."""
        self._refuse(_quoted(name), reason, codes)

    def _refuse(self, where: str, reason: Reason, codes: int) -> None:
        self._rejected[reason.kind] += codes
        self._refusals[where] += 1
        count = self._refusals[where]
        self._refused[where if count == 1 else f"{where} ({count})"] = reason

    def finish(self) -> Imported:
        """Read all codes and return the result."""
        for code in self._codes:
            self._read(code)
        self._codes.clear()
        commands = {device: named for device, named in self._commands.items() if named}
        used, states = sum(map(len, commands.values())), sum(map(len, self._states.values()))
        return Imported(
            format=self.format,
            commands=commands,
            refused=self._refused,
            states=self._states,
            account=Account(
                codes=used + self._rejected.total(),
                states=states,
                commands=used - states,
                rejected=self._rejected,
                presets=self._presets,
            ),
            descriptions=self._descriptions,
            head=self.head,
            manufacturer=without_surrogates(self.manufacturer),
            models=[*map(without_surrogates, self.models)],
        )


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be stored."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def count_of(content: object) -> int:
    """Return the number of codes in nested content; empty values do not count."""
    if isinstance(content, Mapping):
        return sum(count_of(inner) for _, inner in pairs(content))
    return int(content not in (None, "", []))


def checked_name(name: object) -> str:
    """Return the name of a device or command as text. Raise InvalidNameError.

    Parsed YAML may contain a bool or a number instead of a text.
    """
    if isinstance(name, bool):
        return "on" if name else "off"
    text = "" if name is None else str(name).strip()
    if not text:
        raise InvalidNameError("empty_name")
    if len(text) > MAX_NAME:
        raise InvalidNameError("long_name", count=len(text), limit=MAX_NAME)
    if not text.isascii() and _LONE_SURROGATE.search(text):
        raise InvalidNameError("no_name", name=ascii(text))
    return text


def required_name(device: str | None) -> str:
    """Return the name of the device that a file is for. Raise NamelessError if it is missing."""
    if not device:
        raise NamelessError("nameless")
    return checked_name(device)


def _where(device: object, command: object) -> str:
    return f"{_quoted(device)} → {_quoted(command)}"


def _quoted(name: object) -> str:
    text = str(name).strip().encode(errors="backslashreplace").decode() or "''"
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…"
