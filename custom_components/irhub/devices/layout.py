"""Devices as JSON: in the store, in an export.

```
{"id": …, "name": …, "kind": …, "commands": [{"id": …, "name": …, "packets": ["JgB…"]}],
 "functions": {"volume_up": id}, "settings": {…}}
```
What is as it is without being said is left out. Packets are base64.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
import json
from math import prod
from typing import Any, Final, Self

from ..ircodes import (
    MAX_COMMANDS,
    MAX_TEXT,
    Levels,
    RefusedError,
    State,
    TaughtRule,
    checked_name,
    from_bytes,
)
from .device import Command, Device, Kind, Protocol, Settings, Taught, new_id

DEVICES: Final = "devices"
"""The key of an export under which devices are whole."""

_HEADER: Final = 4
"""Bytes of a packet before its durations."""

type Data = dict[str, Any]


_KEYS: Final = {each.name for each in fields(Device)}


@dataclass(frozen=True, kw_only=True)
class Deleted:
    """What can be brought back: a device with the commands that were deleted of it."""

    id: str
    when: datetime
    device: Device
    replaced: bool = False
    """Whether the commands are still there, with other packets than these."""
    label: str = ""
    """What the device was called in the interface; empty if its name is all that is known."""

    def as_data(self) -> Data:
        """Return what `from_data` reads."""
        return {
            "id": self.id,
            "when": self.when.isoformat(),
            "device": device_data(self.device),
            "replaced": self.replaced,
            "label": self.label,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return what was stored. Raise ValueError if it is none."""
        try:
            when = datetime.fromisoformat(data["when"]).astimezone(UTC)
            return cls(
                id=str(data["id"]),
                when=when,
                device=read_device(data["device"]),
                replaced=bool(data.get("replaced")),
                label=str(data.get("label", "")),
            )
        except (KeyError, TypeError) as err:
            raise ValueError(f"not a deletion: {err!r}") from err

    @classmethod
    def now(cls, id_: str, device: Device, *, replaced: bool = False, label: str = "") -> Self:
        """Return what is deleted now."""
        return cls(id=id_, when=datetime.now(UTC), device=device, replaced=replaced, label=label)


def device_data(device: Device) -> Data:
    """Return what `read_device` reads."""
    data = _said(device, without=("commands", "rule", "levels", "settings"))
    data["commands"] = [_command_data(command) for command in device.commands.values()]
    match device.rule:
        case Protocol() as protocol:
            data["rule"] = {"name": protocol.name, "fields": dict(protocol.fields)}
        case Taught(data=taught):
            data["rule"] = {"taught": dict(taught)}
    for key, part in (("levels", device.levels), ("settings", device.settings)):
        if said := _said(part):
            data[key] = said
    return data


def read_device(data: Any) -> Device:  # noqa: ANN401  (JSON)
    """Return the device that `device_data` has written. Raise ValueError if it is none."""
    try:
        match data:
            case {"id": str(id_), "name": str(name), "commands": list(commands)} if (
                id_ and name and data.keys() <= _KEYS
            ):
                of_device = {(read := _read_command(each)).id: read for each in commands}
                functions = data.get("functions", {})
                return Device(
                    id=id_,
                    name=name,
                    kind=Kind(data.get("kind", Kind.OTHER)),
                    manufacturer=str(data.get("manufacturer", "")),
                    model=str(data.get("model", "")),
                    commands=of_device,
                    functions={key: of for key, of in functions.items() if of in of_device},
                    rule=_read_rule(data.get("rule")),
                    levels=read_part(Levels, data.get("levels", {})),
                    settings=read_part(Settings, data.get("settings", {})),
                    entity=data.get("entity"),
                )
    except (AttributeError, KeyError, TypeError) as err:
        raise ValueError(f"not a device: {err!r}") from err
    raise ValueError("not a device: id, name or commands are missing, or something else is there")


def _read_rule(data: Mapping[str, Any] | None) -> Protocol | Taught | None:
    """Return a rule. Raise AttributeError, KeyError, TypeError or ValueError if it is none."""
    match data:
        case None:
            return None
        case {"taught": taught}:
            TaughtRule.from_data(taught)
            return Taught(data=taught)
        case _:
            return Protocol(**data)


def whole_devices(content: object) -> list[Device] | None:
    """Return the devices of an export, or of its text; None if it is something else.

    Raise ValueError if it is damaged.
    """
    match _json_of(content):
        case {"devices": list(devices)}:
            whole = [_checked(read_device(device)) for device in devices]
            if not whole:
                raise RefusedError("no_packet")
            return whole
        case _:
            return None


def _json_of(content: object) -> object:
    """Return what the text of an export says; what is none stays as it is."""
    if not isinstance(content, str) or f'"{DEVICES}"' not in content or len(content) > MAX_TEXT:
        return content
    try:
        return json.loads(content)
    except json.JSONDecodeError, RecursionError:
        return content


def _checked(device: Device) -> Device:
    """Return a device that somebody brings. Raise ValueError if it cannot be sent or named."""
    if isinstance(device.rule, Taught):
        _check_rule(TaughtRule.from_data(device.rule.data))
    return replace(
        device,
        name=checked_name(device.name),
        commands={
            id_: replace(
                command,
                name=checked_name(command.name),
                packets=tuple(map(from_bytes, command.packets)),
            )
            for id_, command in device.commands.items()
        },
    )


def _check_rule(rule: TaughtRule) -> None:
    """Raise ValueError if what somebody brings says too many states, or no packet."""
    said = (prod(map(len, mode.tables.values())) for mode in rule.modes.values())
    if sum(said) > MAX_COMMANDS:
        raise RefusedError("many_commands", limit=MAX_COMMANDS)
    off = () if rule.off is None else (rule.off,)
    for packet in (rule.signal.packet(), *rule.pressed.values(), *off):
        from_bytes(packet)


def codes_data(devices: Iterable[Device]) -> Data:
    """Return names and packets alone: devices → commands → a packet as text, or a list of them."""
    return {
        device.name: {
            command.name: texts[0] if len(texts) == 1 else texts
            for command in device.commands.values()
            if (texts := [b64encode(packet).decode() for packet in command.packets])
        }
        for device in devices
        if device.commands
    }


def export_data(devices: Iterable[Device]) -> Data:
    """Return devices as an export has them, whole."""
    return {DEVICES: [device_data(device) for device in devices]}


def export_text(devices: Iterable[Device]) -> str:
    """Return devices as the text of an export, whole."""
    return json.dumps(export_data(devices), ensure_ascii=False, indent=2)


def copied(device: Device, mac: str) -> Device:
    """Return a device of its own that is the same: nothing has its ids."""
    ids = {id_: new_id(mac) for id_ in device.commands}
    buttons, own = device.settings.buttons, new_id(mac)
    return replace(
        device,
        id=own,
        commands={
            ids[id_]: replace(command, id=ids[id_]) for id_, command in device.commands.items()
        },
        functions={function: ids[id_] for function, id_ in device.functions.items()},
        settings=replace(
            device.settings,
            buttons=buttons and tuple(ids[id_] for id_ in buttons if id_ in ids),
        ),
        entity=None if device.entity is None else own,
    )


def _command_data(command: Command) -> Data:
    packets = [b64encode(packet).decode() for packet in command.packets]
    data: Data = {"id": command.id, "name": command.name, "packets": packets}
    if command.state is not None:
        data["state"] = _said(command.state)
    return data


def _read_command(data: Any) -> Command:  # noqa: ANN401  (JSON)
    match data:
        case {"id": str(id_), "name": str(name), "packets": list(packets)} if id_ and packets:
            state = data.get("state")
            return Command(
                id=id_,
                name=name,
                packets=tuple(map(_read_packet, packets)),
                state=None if state is None else State(**state),
            )
    raise ValueError("not a command: id, name or packets are missing")


def _read_packet(text: object) -> bytes:
    """Return a packet. Raise ValueError if it is none; thousands are read at the start."""
    packet = b64decode(str(text), validate=True)
    if len(packet) > _HEADER and int.from_bytes(packet[2:_HEADER], "little") == (
        len(packet) - _HEADER
    ):
        return packet
    return from_bytes(packet)


def _said(of: Any, *, without: Iterable[str] = ()) -> Data:  # noqa: ANN401  (any dataclass)
    """Return the fields that are not as they are without being said."""
    return {
        one.name: list(value) if isinstance(value, tuple) else value
        for one in fields(of)
        if one.name not in without
        and (value := getattr(of, one.name)) != one.default
        and not (callable(one.default_factory) and value == one.default_factory())
    }


def read_part[T](what: type[T], said: Mapping[str, Any]) -> T:
    """Return the dataclass; JSON knows no tuples. Raise TypeError if it says something else."""
    return what(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    )
