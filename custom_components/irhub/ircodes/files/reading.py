"""Entry point for reading all formats: detects the format and reads the commands.

A large text takes a second: call these functions in the executor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
import json
from typing import Final, Protocol

from ..packet.text_forms import PREFIXES, is_packet
from ..reasons import RefusedError
from . import (
    configuration,
    devices,
    flipper,
    girr,
    homebridge,
    irdb,
    irplus,
    lirc,
    lirc_xml,
    lists,
    logs,
    smartir,
)
from .codes import is_code
from .imported import MAX_TEXT, Collector, ContentKind, Imported
from .notation import is_web_page, read_json, read_notation


class _Format[Content](Protocol):
    """Interface of a format module. A new one needs these members and a place in a table below."""

    @property
    def NAME(self) -> str:  # noqa: N802  (a constant of the module)
        """Name of the format."""

    @property
    def SUFFIXES(self) -> Sequence[str]:  # noqa: N802  (same)
        """Suffixes of its files."""

    @property
    def fits(self) -> Callable[[Content], bool]:
        """Return whether a text, or its parsed JSON, is in this format."""

    @property
    def read(self) -> Callable[[Content, str | None, Collector], None]:
        """Add the commands, given the name of the device if the caller knows it."""


_TEXTS: Final[Sequence[_Format[str]]] = (flipper, irplus, lirc_xml, girr, irdb, lirc)
"""Formats other than JSON and YAML, in the order in which they are tried."""
_MAPPINGS: Final[Sequence[_Format[Mapping[object, object]]]] = (smartir, homebridge)
"""Formats in JSON, likewise."""
_MORE_SUFFIXES: Final = (".yaml", ".yml", ".txt", ".log")
"""Suffixes of lists, logs and Home Assistant's YAML."""
SUFFIXES: Final = tuple(
    dict.fromkeys(
        [
            *(suffix for module in _TEXTS for suffix in module.SUFFIXES),
            *(suffix for module in _MAPPINGS for suffix in module.SUFFIXES),
            *_MORE_SUFFIXES,
        ]
    )
)
"""Suffixes of possible code files."""


@dataclass(frozen=True, kw_only=True)
class Detected:
    """The format of a text, with a function that reads it."""

    kind: ContentKind
    format: str
    """Name of the format."""
    content: object
    """The text, or its parsed JSON or YAML."""
    collect: Callable[[str | None, str | None, Collector], None]
    """Adds the commands, given the names of the device and of the command. Raises NamelessError if
    a name is missing."""


def read_codes(
    content: object, *, device: str | None = None, command: str | None = None
) -> Imported:
    """Return the commands of a text, or of parsed YAML or JSON.

    `device` and `command` are names for content that lacks them: both for a single packet (in any
    form of `parse_text`), `device` for a file about a single device. Raise ValueError with one
    sentence if nothing is readable; single commands that cannot be used are listed as refused.
    """
    try:
        detected = detect(content)
        collector = Collector(detected.format)
        detected.collect(device, command, collector)
        imported = collector.finish()
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    if not imported.commands and not imported.refused:
        raise RefusedError("no_commands")
    return imported


def detect(content: object) -> Detected:
    """Detect the format of a text, or of parsed YAML or JSON. Raise ValueError if unreadable."""
    if isinstance(content, str):
        text = _checked(content)
        for module in _TEXTS:
            if module.fits(text):
                return _named(module.NAME, text, module.read)
        content = _parsed(text)
        if isinstance(content, str) and logs.is_log(text):
            return _log(text)
    content = devices.unwrapped(content)
    match content:
        case Mapping():
            return _of_mapping(content)
        case list() if any(isinstance(item, Mapping) for item in content):
            return _of_list(content)
        case str() if not is_packet(content) and lists.is_list(content):
            return Detected(
                kind=ContentKind.CODE_FILE,
                format=lists.NAME,
                content=content,
                collect=partial(_collect_list, content),
            )
    return _packet(content)


def _parsed(text: str) -> object:
    """Return parsed JSON or YAML; the text itself if it is a log, a packet or a list of them."""
    try:
        content = read_json(text)
    except RefusedError:
        is_log = logs.is_log(text)
        try:
            content = read_notation(text)
        except ValueError:
            if is_log or lists.is_list(text):
                return text
            raise
        if is_log and not (isinstance(content, Mapping) and _has_named_codes(content)):
            return text
    return content if isinstance(content, Mapping | list) and not _looks_like_packet(text) else text


def _has_named_codes(content: Mapping[object, object]) -> bool:
    """Return whether parsed YAML has codes with names; a log may happen to be valid YAML."""
    return (
        any(module.fits(content) for module in _MAPPINGS)
        or configuration.is_configuration(content)
        or devices.has_codes(content)
    )


def _of_mapping(content: Mapping[object, object]) -> Detected:
    if is_code(content) or "IRHVAC" in content:
        is_received = "IrReceived" in content or "IRHVAC" in content
        return _log(json.dumps(content)) if is_received else _packet(content)
    for module in _MAPPINGS:
        if module.fits(content):
            return _named(module.NAME, content, module.read)
    if configuration.is_configuration(content):
        return _configuration(content)
    return _named(devices.NAME, content, devices.read, devices.kind_of(content))


def _of_list(content: list[object]) -> Detected:
    """Detect the format of a list in JSON or YAML: accessories, actions, or codes."""
    accessories: Mapping[object, object] = {"accessories": content}
    if homebridge.fits(accessories):
        return _named(homebridge.NAME, accessories, homebridge.read)
    if all(map(is_code, content)):
        return _packet(content)
    return _configuration({"sequence": content})


def _named[T](
    format_name: str,
    content: T,
    read: Callable[[T, str | None, Collector], None],
    kind: ContentKind = ContentKind.CODE_FILE,
) -> Detected:
    """Return the result for a format whose commands have names."""
    return Detected(
        kind=kind,
        format=format_name,
        content=content,
        collect=lambda device, _command, collector: read(content, device, collector),
    )


def _configuration(content: Mapping[object, object]) -> Detected:
    return Detected(
        kind=ContentKind.CODE_FILE,
        format=configuration.NAME,
        content=content,
        collect=lambda device, command, collector: configuration.read(
            content, device, collector, command
        ),
    )


def _log(text: str) -> Detected:
    return Detected(
        kind=ContentKind.LOG,
        format=logs.NAME,
        content=text,
        collect=lambda device, command, collector: logs.read(text, device, collector, command),
    )


def _packet(content: object) -> Detected:
    return Detected(
        kind=ContentKind.PACKET,
        format=devices.NAME,
        content=content,
        collect=partial(_collect_packet, content),
    )


def _collect_packet(
    content: object, device: str | None, command: str | None, collector: Collector
) -> None:
    if not (device and command):
        raise RefusedError("no_devices")
    devices.add_command(device, command, content, collector)


def _collect_list(
    content: str, device: str | None, command: str | None, collector: Collector
) -> None:
    if device and command:  # the caller means a single packet
        devices.add_command(device, command, content, collector)
    else:
        lists.read(content, device, collector)


def _checked(text: str) -> str:
    text = text.strip().removeprefix("\ufeff")
    if not text:
        raise RefusedError("empty")
    if len(text) > MAX_TEXT:
        raise RefusedError("large", limit=MAX_TEXT)
    if is_web_page(text):
        raise RefusedError("web_page")
    return text


def _looks_like_packet(text: str) -> bool:
    """Return whether a text such as `hex: 26 00 …` is a packet, although it is valid YAML."""
    return is_packet(text) or text.partition(":")[0].lower() in PREFIXES
