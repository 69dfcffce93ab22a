"""What an import has found: commands that can be sent, and why others cannot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import re
from typing import Final

from ..packet.packet import from_capture
from ..packet.text_forms import parse_text
from ..reasons import RefusedError, reason_of
from ..states.head import Head
from ..states.state import State

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


class InvalidNameError(RefusedError):
    """A name is empty, too long, or no text."""


class NamelessError(RefusedError):
    """A file does not say what it is for, and nobody else has."""


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
    head: Head | None = None
    manufacturer: str = ""
    models: Sequence[str] = ()

    @property
    def count(self) -> int:
        """Return how many commands can be used."""
        return sum(map(len, self.commands.values()))


class Found:
    """Collects the commands of a text. One that is wrong hurts only itself."""

    def __init__(self, format_name: str) -> None:
        self.format = format_name
        self.manufacturer = ""
        self.models: Sequence[str] = ()
        self.head: Head | None = None
        self._commands: dict[str, dict[str, Packets]] = {}
        self._states: dict[str, dict[str, State]] = {}
        self._refused: dict[str, object] = {}
        self._names: dict[tuple[str, str], dict[tuple[bytes, ...], str]] = {}
        self._count = self._size = 0
        self._added: list[tuple[object, object, Callable[[], Packets], State | None]] = []

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
    ) -> None:
        """Take a command, and the state that it is for. It is read when all of them are counted.

        Where `read` raises a ValueError, the command is among the refused. The same command
        twice is one; other packets under its name are "power 2", and so on.
        """
        self._added.append((device, command, read, state))

    def _read(
        self, device: object, command: object, read: Callable[[], Packets], state: State | None
    ) -> None:
        try:
            device, command = checked_name(device), checked_name(command)
            if not (packets := read()):
                raise RefusedError("no_packet")
        except ValueError as err:
            self._refused.setdefault(_where(device, command), reason_of(err, "no_packet"))
            return
        of_device = self._commands.setdefault(device, {})
        names = self._names.setdefault((device, command), {})
        if tuple(packets) in names:
            return
        name, number = command, len(names)
        while name in of_device:
            number += 1
            name = f"{command[: MAX_NAME - len(f' {number}')]} {number}"
        names[tuple(packets)] = name
        of_device[name] = packets
        if state is not None and name == command:
            self._states.setdefault(device, {})[name] = state

    def refuse(self, name: object, reason: object) -> None:
        """Note that what stands under a name is no command."""
        self._refused.setdefault(_quoted(name), reason)

    def finish(self) -> Imported:
        """Read the commands, and return what was found."""
        for added in self._added:
            self._read(*added)
        self._added.clear()
        return Imported(
            format=self.format,
            commands={device: of for device, of in self._commands.items() if of},
            refused=self._refused,
            states=self._states,
            head=self.head,
            manufacturer=whole_text(self.manufacturer),
            models=[*map(whole_text, self.models)],
        )


def whole_text(text: str) -> str:
    """Return what a file says of itself as it can be stored: without half characters."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


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


def parse_packets(value: object, prefix: str = "") -> list[bytes]:
    """Return the packets of a text, or of a list of them; a list of numbers is one packet.

    `prefix` says which form the texts have, unless they say it themselves.
    """
    return [_packet(text, prefix) for text in _texts(value)]


def _texts(value: object) -> Sequence[object]:
    match value:
        case str():
            return [value]
        case list() if value and all(map(_is_duration, value)):
            return [" ".join(map(str, value))]
        case list():
            return value
        case _:
            raise RefusedError("no_packet")


def _is_duration(item: object) -> bool:
    return isinstance(item, int) or (isinstance(item, str) and item.lstrip("+-").isdecimal())


def _packet(text: object, prefix: str) -> bytes:
    if not isinstance(text, str):
        raise RefusedError("no_packet")
    return from_capture(parse_text(text if ":" in text else prefix + text))


def _where(device: object, command: object) -> str:
    return f"{_quoted(device)} → {_quoted(command)}"


def _quoted(name: object) -> str:
    text = str(name).strip().encode(errors="backslashreplace").decode() or "''"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
