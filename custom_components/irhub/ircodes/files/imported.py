"""What an import has found: commands that can be sent, and why others cannot."""

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
"""Characters, as a state may have."""
_SHOWN: Final = 60
"""Characters of a name that a reason quotes."""
_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
"""JSON can hold one (`"\\ud83d"`), files and browsers cannot."""

type Packets = Sequence[bytes]
"""Of one command: one, or several that alternate."""


class ContentKind(StrEnum):
    """What somebody brings."""

    DEVICE = "device"
    """One device with all that irhub knows of it: its own export of one."""
    EXPORT = "export"
    """Several devices, as irhub or another integration of Home Assistant has stored them."""
    COLLECTION = "collection"
    """Several code files: a folder, or a zip."""
    CODE_FILE = "code_file"
    """The commands of one remote control or several, each with its name."""
    LOG = "log"
    """What a receiver has printed: codes without names."""
    PACKET = "packet"
    """One code without a name."""


class InvalidNameError(RefusedError):
    """A name is empty, too long, or no text."""


class NamelessError(RefusedError):
    """A file does not say what it is for, and nobody else has."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Where the codes of a file have gone: `codes` is the sum of all others.

    A code is what one name stands for: a packet, several that alternate, or a sequence.
    """

    codes: int = 0
    """In the file."""
    states: int = 0
    """Those that set an air conditioner to a state."""
    commands: int = 0
    """Those that do something else."""
    rejected: Mapping[Reason, int] = field(default_factory=dict)
    """Why codes cannot be used → how many; a reason quotes nothing of a single code."""
    presets: Mapping[str, int] = field(default_factory=dict)
    """A mode that Home Assistant does not have → how many of `states` are its preset."""

    @property
    def used(self) -> int:
        """Return how many codes can be sent."""
        return self.states + self.commands

    @property
    def unused(self) -> int:
        """Return how many codes cannot."""
        return sum(self.rejected.values())

    @property
    def sentences(self) -> list[Reason]:
        """Return the account as a person reads it: the sum, presets, and why codes are not used."""
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
                for reason, count in self.rejected.items()
            ),
        ]


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The commands of a text: those that are good, and those that are not."""

    format: str
    """The name of the format."""
    commands: Mapping[str, Mapping[str, Packets]]
    """Device → command → packets."""
    refused: Mapping[str, object]
    """"device → command" → why it cannot be used."""
    states: Mapping[str, Mapping[str, State]]
    """Device → command → what it sets an air conditioner to, where the text says that."""
    account: Account = Account()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    """"device → command" → what else the text says of it: what other decoders have made of it."""
    contradictions: Mapping[str, object] = field(default_factory=dict)
    """"device → command" → what its packet says instead of its state, where that was checked."""
    head: Head | None = None
    manufacturer: str = ""
    models: Sequence[str] = ()

    @property
    def count(self) -> int:
        """Return how many commands can be used."""
        return sum(map(len, self.commands.values()))


@dataclass(frozen=True, kw_only=True)
class _Code:
    """A code as it stands in the text."""

    device: object
    command: object
    read: Callable[[], Packets]
    state: State | None = None
    preset: str | None = None
    """The mode that Home Assistant does not have, if it is of one."""
    description: str = ""


class Collector:
    """Collects the codes of a text, and counts them. One that is wrong hurts only itself."""

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
        """How often something is refused under a name."""
        self._rejected = Counter[Reason]()
        self._presets = Counter[str]()

    def count(self, size: int = 0) -> None:
        """Note that something was read. Raise ValueError if it is too much for one import."""
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
        """Take a code, and the state that it is for. It is read when all of them are counted.

        Where `read` raises a ValueError, the command is among the refused. The same command
        twice is one; other packets under its name are "power 2", and so on. `preset` is the mode
        that Home Assistant does not have, if the state is of one.
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
        of_device = self._commands.setdefault(device, {})
        names = self._names.setdefault((device, command), {})
        if tuple(packets) in names:
            self._rejected[Reason("again", {})] += 1
            return
        name, number = command, len(names)
        while name in of_device:
            number += 1
            name = f"{command[: MAX_NAME - len(f' {number}')]} {number}"
        names[tuple(packets)] = name
        of_device[name] = packets
        if code.description:
            self._descriptions[_where(device, name)] = code.description
        if code.state is not None and name == command:
            self._states.setdefault(device, {})[name] = code.state
            if code.preset is not None:
                self._presets[code.preset] += 1

    def refuse(self, name: object, reason: Reason, codes: int = 1) -> None:
        """Note that what stands under a name, one code or several, cannot be used."""
        self._refuse(_quoted(name), reason, codes)

    def _refuse(self, where: str, reason: Reason, codes: int) -> None:
        self._rejected[reason.kind] += codes
        self._refusals[where] += 1
        count = self._refusals[where]
        self._refused[where if count == 1 else f"{where} ({count})"] = reason

    def finish(self) -> Imported:
        """Read the commands, and return what was found."""
        for code in self._codes:
            self._read(code)
        self._codes.clear()
        commands = {device: of for device, of in self._commands.items() if of}
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
            manufacturer=whole_text(self.manufacturer),
            models=[*map(whole_text, self.models)],
        )


def whole_text(text: str) -> str:
    """Return what a file says of itself as it can be stored: without half characters."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def count_of(content: object) -> int:
    """Return how many codes stand in something nested: what is empty is none."""
    if isinstance(content, Mapping):
        return sum(count_of(inner) for _, inner in pairs(content))
    return int(content not in (None, "", []))


def checked_name(name: object) -> str:
    """Return a device's or command's name as text. Raise InvalidNameError if it can be none.

    YAML takes on, off and numbers for something else.
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


def needed(device: str | None) -> str:
    """Return the name of the device a file is for. Raise NamelessError if nobody says it."""
    if not device:
        raise NamelessError("nameless")
    return checked_name(device)


def _where(device: object, command: object) -> str:
    return f"{_quoted(device)} → {_quoted(command)}"


def _quoted(name: object) -> str:
    text = str(name).strip().encode(errors="backslashreplace").decode() or "''"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
