"""JSON format of devices, in the storage file and in exports.

```
{"id": …, "name": …, "kind": …, "commands": [{"id": …, "name": …, "packets": ["JgB…"]}],
 "functions": {"volume_up": id}, "settings": {…}}
```
Fields at their defaults are omitted. Packets are base64.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
import json
from typing import Any, Final

from ..ircodes import BitRule, Capabilities, Levels, RefusedError, State
from ..ircodes.files import MAX_COMMANDS, MAX_TEXT, checked_name
from ..ircodes.packet import from_bytes
from ..ircodes.reasons import Reason, reason_of
from ..ircodes.states import Steps
from .device import (
    Command,
    Device,
    DeviceRule,
    Favourite,
    Protocol,
    Settings,
    Taught,
    UnknownRule,
    free_name,
    new_id,
)
from .fields import (
    COMMAND,
    DEVICE,
    FAVOURITE,
    LEVELS,
    MAX_DEVICES,
    MAX_FAVOURITES,
    PROTOCOL,
    SETTINGS,
    STATE,
    Data,
    Refusals,
    check_plain,
    read_fields,
    refused,
)

DEVICES: Final = "devices"
"""The key of an export that has complete devices."""

_COMMANDS: Final = "commands"
_FAVOURITES: Final = "favourites"
_APART: Final = {"id", "name", _COMMANDS, "rule", "levels", "settings", _FAVOURITES}
"""Fields of a device that are read separately."""
_PARTS: Final = {
    *(_COMMANDS, "rule", "capabilities", "steps", "settings", _FAVOURITES, "beyond"),
}
"""Fields of a device that are written separately."""
_OF_DEVICE: Final = {"levels": LEVELS, "settings": SETTINGS}
"""Parts of a device that are records, with their fields."""
_OF_MODES: Final = ("presets", "fans", "swings")
"""Keys of the levels of modes."""
_HEADER: Final = 4
"""Bytes of a packet before its durations."""
_SHOWN: Final = 60
"""Characters of a name that a reason quotes."""


def device_data(device: Device) -> Data:
    """Return a device as JSON data, for `read_device`."""
    data = fields_data(device, without=_PARTS)
    data["commands"] = [command_data(command) for command in device.commands.values()]
    if device.rule is not None:
        data["rule"] = rule_data(device.rule)
    levels = levels_data(device.capabilities, device.steps)
    for key, part in (("levels", levels), ("settings", fields_data(device.settings))):
        if part:
            data[key] = part
    rest = {**device.beyond}
    data["commands"] += rest.pop(_COMMANDS, ())
    if favourites := [*map(favourite_data, device.favourites), *rest.pop(_FAVOURITES, ())]:
        data[_FAVOURITES] = favourites
    return merged(data, rest)


def favourite_data(favourite: Favourite) -> Data:
    """Return a favourite as JSON data."""
    return {**fields_data(favourite), "state": fields_data(favourite.state)}


def rule_data(rule: DeviceRule) -> Any:  # noqa: ANN401  (JSON; a newer version may write anything)
    """Return a rule as JSON data."""
    match rule:
        case Protocol(name=name, fields=of_protocol):
            return {"name": name, "fields": dict(of_protocol)}
        case Taught(data=taught):
            return {"taught": dict(taught)}
        case UnknownRule(data=unknown):
            return unknown


def merged(known: Data, rest: Mapping[str, Any]) -> Data:
    """Return a record with the unknown keys of a file added; known values have precedence."""
    together = {**known}
    for key, value in rest.items():
        if key not in together:
            together[key] = value
        elif isinstance(together[key], dict) and isinstance(value, dict):
            together[key] = merged(together[key], value)
    return together


def read_device(data: Any, *, strict: bool = False) -> Device:  # noqa: ANN401  (JSON)
    """Return the device of JSON data by `device_data`. Raise ValueError if it is invalid.

    What is not understood is kept in `Device.beyond`; if `strict`, an invalid field raises
    RefusedError.
    """
    match data:
        case {"id": str(id_), "name": str(name), "commands": list(commands)} if id_ and name:
            pass
        case _:
            raise ValueError("not a device: id, name or commands are missing")
    where = name[:_SHOWN]
    own = {key: value for key, value in data.items() if key not in _APART}
    known, rest = read_fields(DEVICE, own, where, strict=strict)
    parts: Data = {}
    for key, fields_of in _OF_DEVICE.items():
        parts[key] = {}
        if isinstance(left := data.get(key, {}), dict):
            parts[key], left = read_fields(fields_of, left, f"{where} → {key}", strict=strict)
            left |= _levels_without_modes(parts[key])
        if left:
            rest[key] = left
    of_device: dict[str, Command] = {}
    unknown: list[object] = []
    for item in commands:
        if isinstance(item, dict) and "packets" not in item and not strict:
            unknown.append(item)  # a command of a newer version
            continue
        command = _read_command(item, where, strict=strict)
        while command.id in of_device:
            command = replace(command, id=f"{command.id}'")
        of_device[command.id] = command
    if unknown:
        rest[_COMMANDS] = unknown
    favourites, others = _read_favourites(data.get(_FAVOURITES, []), where, strict=strict)
    rest |= {_FAVOURITES: others} if others else {}
    functions = known.pop("functions", {})
    if without := {key: of for key, of in functions.items() if of not in of_device}:
        rest.setdefault("functions", without)
    return Device(
        id=id_,
        name=name,
        commands=_with_own_names(of_device),
        functions={key: of for key, of in functions.items() if of in of_device},
        rule=_read_rule(data.get("rule"), where, strict=strict),
        beyond=rest,
        **known,
        **read_levels(parts["levels"]),
        settings=Settings(**parts["settings"]),
        favourites=favourites,
    )


def _check_fields(data: object, where: str) -> None:
    """Raise one RefusedError for all invalid fields of a device that the user provides."""
    if not isinstance(data, dict) or not isinstance(commands := data.get(_COMMANDS), list):
        return  # reported by `read_device`
    wrong, own = Refusals(), {key: value for key, value in data.items() if key not in _APART}
    wrong.attempt(partial(read_fields, DEVICE, own, where, strict=True))
    for key, fields_of in _OF_DEVICE.items():
        of_part = partial(read_fields, fields_of, data.get(key, {}), f"{where} → {key}")
        wrong.attempt(partial(of_part, strict=True))
    for command in commands:
        wrong.attempt(partial(_read_command, command, where, strict=True))
    wrong.attempt(partial(_read_favourites, data.get(_FAVOURITES, []), where, strict=True))
    wrong.check()


def _levels_without_modes(known: Mapping[str, Any]) -> Data:
    """Return the levels of a file that has no modes, to keep them."""
    if "modes" in known:
        return {}
    return {name: [*known[name]] for name in _OF_MODES if name in known}


def not_understood(device: Device) -> list[str]:
    """Return the places in a device's data that this version does not understand."""
    places = [
        f"{device.name} → {key} → {part}" if isinstance(rest, dict) else f"{device.name} → {key}"
        for key, rest in device.beyond.items()
        for part in (rest if isinstance(rest, dict) else [None])
    ]
    if isinstance(device.rule, UnknownRule):
        places.append(f"{device.name} → rule")
    places += [
        f"{device.name} → {command.name} → {key}"
        for command in device.commands.values()
        for key in command.beyond
    ]
    return places


def _with_own_names(commands: Mapping[str, Command]) -> dict[str, Command]:
    """Return the commands, with duplicate names made unique."""
    names: set[str] = set()
    different: dict[str, Command] = {}
    for id_, command in commands.items():
        name = free_name(command.name, names) if command.name in names else command.name
        names.add(name)
        different[id_] = command if name == command.name else replace(command, name=name)
    return different


def _read_rule(data: object, where: str, *, strict: bool) -> DeviceRule | None:
    """Return a rule. If `strict`, raise ValueError for an unusable one."""
    match data:
        case None:
            return None
        case {"taught": dict(taught), **others} if not others:
            rule = Taught(data=taught)
            if strict:
                _check_rule(rule.rule)
            return rule
        case {"name": _}:
            known, rest = read_fields(PROTOCOL, data, f"{where} → rule", strict=strict)
            if not rest:
                return Protocol(**known)
    if strict:
        raise refused(f"{where} → rule", data, '{"name": …} | {"taught": …}')
    return UnknownRule(data=data)


@dataclass(frozen=True, kw_only=True)
class WholeDevices:
    """The devices of an export."""

    devices: Sequence[Device]
    refused: Mapping[str, Reason]
    """Name of an unusable device → reason."""
    lost: Mapping[str, int]
    """Name of an unusable device → number of its commands."""


def whole_devices(content: object) -> WholeDevices | None:
    """Return the devices of an export (data or text), and the reasons why others are unusable.

    None if it is no export. Raise ValueError if no device can be used.
    """
    match _json_of(content):
        case {"devices": list(devices)}:
            pass
        case _:
            return None
    if len(devices) > MAX_DEVICES:
        raise RefusedError("many_devices_in_file", limit=MAX_DEVICES)
    listed = (item.get(_COMMANDS) for item in devices if isinstance(item, dict))
    if sum(len(commands) for commands in listed if isinstance(commands, list)) > MAX_COMMANDS:
        raise RefusedError("many_commands", limit=MAX_COMMANDS)
    whole: list[Device] = []
    wrong: dict[str, ValueError] = {}
    lost: dict[str, int] = {}
    for number, data in enumerate(devices, 1):
        named = isinstance(data, dict) and isinstance(name := data.get("name"), str) and name
        where = named[:_SHOWN] if named else f"{number}"
        try:
            check_plain(data, where)
            _check_fields(data, where)
            whole.append(_checked(read_device(data, strict=True)))
        except ValueError as err:
            where = where if where not in wrong else f"{where} ({number})"
            wrong[where] = err
            of_device = data.get(_COMMANDS) if isinstance(data, dict) else None
            lost[where] = len(of_device) if isinstance(of_device, list) else 0
    if not whole:
        raise next(iter(wrong.values()), RefusedError("no_packet"))
    refused = {where: reason_of(err, "unreadable") for where, err in wrong.items()}
    return WholeDevices(devices=whole, refused=refused, lost=lost)


def _json_of(content: object) -> object:
    """Return the data of the text of an export; anything else unchanged."""
    if not isinstance(content, str) or f'"{DEVICES}"' not in content or len(content) > MAX_TEXT:
        return content
    try:
        return json.loads(content)
    except ValueError, RecursionError:  # also if a number is too long
        return content


def _checked(device: Device) -> Device:
    """Return a provided device with checked names and packets. Raise ValueError if invalid."""
    return replace(
        device,
        name=checked_name(device.name),
        unconfirmed=isinstance(device.rule, Taught),
        commands=_with_own_names(
            {
                id_: replace(
                    command,
                    name=checked_name(command.name),
                    packets=tuple(map(from_bytes, command.packets)),
                )
                for id_, command in device.commands.items()
            }
        ),
    )


def _check_rule(rule: BitRule) -> None:
    """Raise ValueError if a provided rule has an unknown state or makes an invalid packet."""
    for state in rule.states:
        levels = {key: value for key in STATE if (value := getattr(state, key)) is not None}
        read_fields(STATE, levels, "rule", strict=True)
    off = () if rule.off is None else (rule.off,)
    for packet in (rule.signal.packet(), *rule.pressed.values(), *off):
        from_bytes(packet)


def codes_data(devices: Iterable[Device]) -> Data:
    """Return only names and packets: device → command → base64 packet, or a list of them."""
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
    """Return complete devices as the data of an export."""
    return {DEVICES: [device_data(device) for device in devices]}


def export_text(devices: Iterable[Device]) -> str:
    """Return complete devices as the text of an export."""
    return json.dumps(export_data(devices), ensure_ascii=False, indent=2)


def copied(device: Device, mac: str) -> Device:
    """Return a copy of a device with new ids."""
    own = new_id(mac)
    ids = {id_: new_id(mac) for id_ in device.commands}
    return with_ids(device, own, ids, None if device.entity is None else own)


def with_ids(device: Device, own: str, ids: Mapping[str, str], entity: str | None) -> Device:
    """Return a device with other ids: its own, those of its commands, and its entity's."""
    buttons = device.settings.buttons
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
        favourites=tuple(
            favourite
            if favourite.id.startswith(f"{own}/")
            else replace(favourite, id=f"{own}/{number}")
            for number, favourite in enumerate(device.favourites)
        ),
        entity=entity,
    )


def levels_data(capabilities: Capabilities, steps: Steps) -> Data:
    """Return capabilities and steps as JSON data, for `read_levels`."""
    levels = capabilities.levels
    data = {
        "modes": [*capabilities],
        "presets": [*levels.presets],
        "fans": [*levels.fans],
        "swings": [*levels.swings],
        **fields_data(steps),
        "step": capabilities.step,
        "unit": capabilities.unit,
    }
    return {key: value for key, value in data.items() if value}


def read_levels(levels: Mapping[str, Any]) -> Data:
    """Return the capabilities and steps from fields of LEVELS, by field of `Device`."""
    of_steps = {key: levels[key] for key in ("speeds", "brightnesses", "kelvins") if key in levels}
    of_modes = {key: levels[key] for key in _OF_MODES if key in levels}
    return {
        "capabilities": Capabilities.alike(
            levels.get("modes", ()),
            Levels(**of_modes),
            step=levels.get("step"),
            unit=levels.get("unit"),
        ),
        "steps": Steps(**of_steps),
    }


def command_data(command: Command) -> Data:
    """Return a command as JSON data."""
    packets = [b64encode(packet).decode() for packet in command.packets]
    data: Data = {"id": command.id, "name": command.name, "packets": packets}
    if command.state is not None:
        data["state"] = fields_data(command.state)
    return merged(data, command.beyond)


def _read_command(data: object, device: str, *, strict: bool) -> Command:
    """Return a command. Raise ValueError if its id, name or packets are invalid."""
    if not isinstance(data, dict):
        raise refused(f"{device} → {_COMMANDS}", data, "{…}")
    where = f"{device} → {str(data.get('name'))[:_SHOWN]}"
    own = {key: data[key] for key in COMMAND if key in data}
    known, _ = read_fields(COMMAND, own, where, strict=True)
    if missing := COMMAND.keys() - known.keys():
        raise refused(f"{where} → {min(missing)}", None, COMMAND[min(missing)].expected)
    rest = {key: value for key, value in data.items() if key not in COMMAND}
    state: State | None = None
    if (state_data := rest.pop("state", None)) is not None:
        of_state: Data = {}
        left = state_data
        if strict or isinstance(state_data, dict):
            of_state, left = read_fields(STATE, state_data, f"{where} → state", strict=strict)
        if left or "mode" not in of_state:
            rest["state"] = state_data
        else:
            state = State(**of_state)
    return Command(
        id=known["id"],
        name=known["name"],
        packets=tuple(map(_read_packet, known["packets"])),
        state=state,
        beyond=rest,
    )


def _read_favourites(
    data: object, where: str, *, strict: bool
) -> tuple[tuple[Favourite, ...], list[object]]:
    """Return the favourites of a device, and invalid ones; if `strict`, raise ValueError."""
    where = f"{where} → {_FAVOURITES}"
    if not isinstance(data, list) or len(data) > MAX_FAVOURITES:
        if strict:
            raise refused(where, data, f"[{{…}}, …] (0 … {MAX_FAVOURITES})")
        return (), data if isinstance(data, list) else [data]
    favourites: dict[str, Favourite] = {}
    others: list[object] = []
    for record in data:
        known, rest = read_fields(FAVOURITE, record, where, strict=strict)
        state, left = read_fields(STATE, rest.pop("state", {}), where, strict=strict)
        if rest or left or "mode" not in state or known.keys() != FAVOURITE.keys():
            if strict:
                raise refused(where, record, '{"id": …, "name": …, "state": {"mode": …}}')
            others.append(record)
        else:
            favourites[known["name"]] = Favourite(**known, state=State(**state))
    return tuple(favourites.values()), others


def _read_packet(text: str) -> bytes:
    """Return a packet. Raise ValueError if invalid. Fast, since start-up reads thousands."""
    packet = b64decode(text, validate=True)
    if len(packet) > _HEADER and int.from_bytes(packet[2:_HEADER], "little") == (
        len(packet) - _HEADER
    ):
        return packet
    return from_bytes(packet)


def fields_data(of: Any, *, without: Iterable[str] = ()) -> Data:  # noqa: ANN401  (any dataclass)
    """Return the fields of a dataclass that differ from their defaults."""
    return {
        known_field.name: list(value) if isinstance(value, tuple) else value
        for known_field in fields(of)
        if known_field.name not in without
        and (value := getattr(of, known_field.name)) != known_field.default
        and not (callable(known_field.default_factory) and value == known_field.default_factory())
    }
