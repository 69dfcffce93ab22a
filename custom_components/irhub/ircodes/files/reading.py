"""The door to all formats: from what a user brings to commands.

A large text takes a second: call `read_codes` in the executor.
"""

from collections.abc import Mapping
from typing import Final

from ..packet.text_forms import PREFIXES, is_packet
from ..reasons import RefusedError
from . import devices, dumps, flipper, girr, homebridge, irdb, irplus, lirc, lists, smartir
from .imported import MAX_TEXT, Found, Imported
from .notation import read_notation

SUFFIXES: Final = (
    *(".json", ".ir", ".conf", ".csv", ".girr", ".irplus", ".xml"),
    *(".yaml", ".yml", ".txt"),
)
"""How the names of files end that may hold codes."""
_TEXTS: Final = (
    (flipper.is_flipper, flipper),
    (irplus.is_irplus, irplus),
    (girr.is_girr, girr),
    (irdb.is_irdb, irdb),
    (lirc.is_lirc, lirc),
)
"""The formats that are neither JSON nor YAML, and how each is told."""


def read_codes(
    content: object, *, device: str | None = None, command: str | None = None
) -> Imported:
    """Return the commands of a text, or of what was read from one as YAML or JSON.

    `device` names the device, and `command` the command, where `content` does not: of a single
    packet (in any form of `parse_text`) both, of a file that is about one device the device.
    Raise ValueError with one sentence if nothing can be understood; a command that cannot be
    used is among the refused.
    """
    try:
        imported = _found(content, device, command).finish()
    except RecursionError as err:
        raise RefusedError("too_deep") from err
    if not imported.commands and not imported.refused:
        raise RefusedError("no_commands")
    return imported


def _found(content: object, device: str | None, command: str | None) -> Found:
    if isinstance(content, str):
        text = _checked(content)
        if (found := _of_text(text, device, command)) is not None:
            return found
        content = _noted(text)
    content = devices.unwrapped(content)
    if isinstance(content, Mapping):
        return _of_mapping(content, device, command)
    if device and command:
        found = Found(devices.NAME)
        devices.take(device, command, content, found)
        return found
    if isinstance(content, str) and lists.is_list(content):
        found = Found(lists.NAME)
        lists.read(content, device, found)
        return found
    raise RefusedError("no_devices")


def _of_text(text: str, device: str | None, command: str | None) -> Found | None:
    """Return what a text holds that is neither JSON nor YAML; None if it is."""
    for is_format, of_text in _TEXTS:
        if is_format(text):
            found = Found(of_text.NAME)
            of_text.read(text, device, found)
            return found
    if not dumps.is_dump(text):
        return None
    found = Found(dumps.NAME)
    dumps.read(text, device, found, command)
    return found


def _noted(text: str) -> object:
    """Return what JSON or YAML say; the text itself if it is a packet or a list of them."""
    try:
        content = read_notation(text)
    except ValueError:
        if not lists.is_list(text):
            raise
        return text
    return (
        content if isinstance(content, Mapping | list) and not _is_meant_as_packet(text) else text
    )


def _of_mapping(content: Mapping[object, object], device: str | None, command: str | None) -> Found:
    if smartir.is_smartir(content):
        found = Found(smartir.NAME)
        smartir.read(content, device, found)
    elif homebridge.is_homebridge(content):
        found = Found(homebridge.NAME)
        homebridge.read(content, device, found)
    elif dumps.is_esphome(content):
        found = Found(dumps.NAME)
        dumps.read_configuration(content, device, found)
    elif device and command and dumps.is_tasmota(content):
        found = Found(dumps.NAME)
        found.count(len(str(content)))
        found.add(device, command, lambda: dumps.of_tasmota(content))
    else:
        found = Found(devices.NAME)
        devices.read(content, device, found)
    return found


def _checked(text: str) -> str:
    text = text.strip().removeprefix("\ufeff")
    if not text:
        raise RefusedError("empty")
    if len(text) > MAX_TEXT:
        raise RefusedError("large", limit=MAX_TEXT)
    return text


def _is_meant_as_packet(text: str) -> bool:
    """Tell `hex: 26 00 …` from YAML."""
    return is_packet(text) or text.partition(":")[0].lower() in PREFIXES
