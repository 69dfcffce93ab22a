"""Parts of a device: the differences between two versions of it, and replacing parts. No I/O."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from hashlib import sha1
import json
from typing import Any, Final

from ..ircodes import Capabilities
from ..ircodes.states import Steps
from .device import Command, Device, Protocol, Settings, Taught, UnknownRule
from .json_format import (
    command_data,
    device_data,
    fields_data,
    levels_data,
    rule_data,
)

type Part = tuple[str, ...]
"""Path of a part: `()` is the device itself; `("name",)`, `("functions", "off")`,
`("settings", "delay")`, `("commands", id)`, `("commands", id, "packets")`."""

GONE: Final = ""
"""The fingerprint of a missing part."""
WHOLE: Final[Part] = ()
COMMANDS: Final = "commands"
FUNCTIONS: Final = "functions"
LEVELS: Final = "levels"
PACKETS: Final = "packets"
SETTINGS: Final = "settings"

_APART: Final = {"id", COMMANDS, FUNCTIONS, SETTINGS, "capabilities", "steps"}
"""Fields of a device that are not a part of the same name."""
_FIELDS: Final = tuple(
    dataclass_field.name for dataclass_field in fields(Device) if dataclass_field.name not in _APART
)
_COMMAND_FIELDS: Final = tuple(
    dataclass_field.name for dataclass_field in fields(Command) if dataclass_field.name != "id"
)
_SETTINGS: Final = tuple(dataclass_field.name for dataclass_field in fields(Settings))
_DIGITS: Final = 12
"""Number of hexadecimal digits of a fingerprint."""


def different(previous: Device | None, now: Device | None) -> Iterator[Part]:
    """Yield the parts in which two versions of a device differ; None means no device."""
    if previous is None or now is None:
        yield WHOLE
        return
    before, after = _head(previous), _head(now)
    yield from (part for part in {**before, **after} if before.get(part) != after.get(part))
    for id_ in {**previous.commands, **now.commands}:
        yield from _different_command(id_, previous.commands.get(id_), now.commands.get(id_))


def _different_command(id_: str, previous: Command | None, now: Command | None) -> Iterator[Part]:
    if previous is None or now is None:
        yield (COMMANDS, id_)
    elif previous is not now:
        for name in _COMMAND_FIELDS:
            if getattr(previous, name) != getattr(now, name):
                yield (COMMANDS, id_, name)


def _head(device: Device) -> dict[Part, object]:
    """Return part → value for all parts of a device except its commands."""
    return {
        **{(name,): getattr(device, name) for name in _FIELDS},
        (LEVELS,): (device.capabilities, device.steps),
        **{(SETTINGS, name): getattr(device.settings, name) for name in _SETTINGS},
        **{(FUNCTIONS, name): id_ for name, id_ in device.functions.items()},
    }


def part_of(device: Device | None, part: Part) -> object:
    """Return the value of a part of a device; None if it is missing."""
    if device is None or part == WHOLE:
        return device
    if part[0] != COMMANDS:
        return _head(device).get(part)
    command = device.commands.get(part[1])
    return command if command is None or len(part) == 2 else getattr(command, part[2])  # noqa: PLR2004


def with_part(device: Device, part: Part, value: Any) -> Device:  # noqa: ANN401  (of `part_of`)
    """Return a device with another value of a part; None removes the part."""
    match part:
        case ("commands", id_) if value is None:
            changed = device.only(device.commands.keys() - {id_})
        case ("commands", _):
            changed = device.with_commands(value)
        case ("commands", id_, name):
            changed = device.with_commands(replace(device.commands[id_], **{name: value}))
        case ("functions", name):
            others = {key: id_ for key, id_ in device.functions.items() if key != name}
            functions = others if value is None else {**others, name: value}
            changed = replace(device, functions=functions)
        case ("settings", name):
            changed = replace(device, settings=replace(device.settings, **{name: value}))
        case ("levels",):
            capabilities, steps = value
            changed = replace(device, capabilities=capabilities, steps=steps)
        case _:
            changed = replace(device, **{part[0]: value})
    return changed


def is_in(device: Device | None, part: Part) -> bool:
    """Return whether the parent of a part exists: the device, or the command."""
    match part:
        case ():
            return True
        case ("commands", id_, _):
            return device is not None and id_ in device.commands
        case _:
            return device is not None


def overlap(part: Part, other: Part) -> bool:
    """Return whether one part contains the other."""
    return part[: len(other)] == other or other[: len(part)] == part


def commands_in(device: Device, parts: Iterable[Part]) -> set[str]:
    """Return the ids of the commands that parts of a device concern."""
    ids: set[str] = set()
    for part in parts:
        match part:
            case ():
                return {*device.commands}
            case ("commands", id_, *_):
                ids.add(id_)
            case ("functions", name) if name in device.functions:
                ids.add(device.functions[name])
            case _:
                pass
    return ids


def fingerprint(value: object) -> str:
    """Return a short hash of the value of a part."""
    if value is None:
        return GONE
    text = json.dumps(_plain(value), sort_keys=True, default=_plain)
    digest = sha1(text.encode(errors="backslashreplace"), usedforsecurity=False)  # no secret
    return digest.hexdigest()[:_DIGITS]


def _plain(value: Any) -> Any:  # noqa: ANN401  (JSON)
    match value:
        case Device():
            plain: Any = device_data(value)
        case Command():
            plain = command_data(value)
        case Protocol() | Taught() | UnknownRule():
            plain = rule_data(value)
        case (Capabilities() as capabilities, Steps() as steps):
            plain = levels_data(capabilities, steps)
        case bytes():
            plain = b64encode(value).decode()
        case Mapping():
            plain = dict(value)
        case _:
            plain = fields_data(value) if is_dataclass(value) else value
    return plain


def read_part(names: list[Any]) -> Part:
    """Return a part from JSON data. Raise ValueError for a part of a newer version."""
    match names:
        case [] | [str()] | [str(), str()] | [str(), str(), str()]:
            part = tuple(names)
        case _:
            raise ValueError(f"not a part: {names!r}")
    match part:
        case () | ("levels",) | ("functions", _) | ("commands", _):
            is_known = True
        case (name,):
            is_known = name in _FIELDS
        case ("settings", name):
            is_known = name in _SETTINGS
        case ("commands", _, name):
            is_known = name in _COMMAND_FIELDS
        case _:
            is_known = False
    if not is_known:
        raise ValueError(f"not a part: {names!r}")
    return part
