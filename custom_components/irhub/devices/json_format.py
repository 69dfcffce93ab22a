"""JSON format of devices, in the storage file and in exports.

```
{"id": …, "name": …, "kind": …, "commands": [{"id": …, "name": …, "packets": ["JgB…"]}],
 "functions": {"volume_up": id}, "settings": {…}}
```
Fields at their defaults are omitted. Packets are base64.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final

from ..ircodes import BitRule, Capabilities, Levels, State
from ..ircodes.packet import from_bytes
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
)
from .fields import (
    COMMAND,
    DEVICE,
    FAVOURITE,
    LEVELS,
    MAX_FAVOURITES,
    PROTOCOL,
    SETTINGS,
    STATE,
    Data,
    Refusals,
    read_fields,
    refused,
)

COMMANDS: Final = "commands"
_FAVOURITES: Final = "favourites"
_APART: Final = {"id", "name", COMMANDS, "rule", "levels", "settings", _FAVOURITES}
"""Fields of a device that are read separately."""
_PARTS: Final = {
    *(COMMANDS, "rule", "capabilities", "steps", "settings", _FAVOURITES, "unknown_keys"),
}
"""Fields of a device that are written separately."""
_OF_DEVICE: Final = {"levels": LEVELS, "settings": SETTINGS}
"""Parts of a device that are records, with their fields."""
_OF_MODES: Final = ("presets", "fans", "swings")
"""Keys of the levels of modes."""
_HEADER: Final = 4
"""Bytes of a packet before its durations."""
SHOWN: Final = 60
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
    rest = {**device.unknown_keys}
    data["commands"] += rest.pop(COMMANDS, ())
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

    What is not understood is kept in `Device.unknown_keys`; if `strict`, an invalid field raises
    RefusedError.
    """
    match data:
        case {"id": str(id_), "name": str(name), "commands": list(commands)} if id_ and name:
            pass
        case _:
            raise ValueError("not a device: id, name or commands are missing")
    where = name[:SHOWN]
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
        rest[COMMANDS] = unknown
    favourites, others = _read_favourites(data.get(_FAVOURITES, []), where, strict=strict)
    rest |= {_FAVOURITES: others} if others else {}
    functions = known.pop("functions", {})
    if without := {key: id_ for key, id_ in functions.items() if id_ not in of_device}:
        rest.setdefault("functions", without)
    return Device(
        id=id_,
        name=name,
        commands=with_own_names(of_device),
        functions={key: id_ for key, id_ in functions.items() if id_ in of_device},
        rule=_read_rule(data.get("rule"), where, strict=strict),
        unknown_keys=rest,
        **known,
        **read_levels(parts["levels"]),
        settings=Settings(**parts["settings"]),
        favourites=favourites,
    )


def check_fields(data: object, where: str) -> None:
    """Raise one RefusedError for all invalid fields of a device that the user provides."""
    if not isinstance(data, dict) or not isinstance(commands := data.get(COMMANDS), list):
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
        for key, rest in device.unknown_keys.items()
        for part in (rest if isinstance(rest, dict) else [None])
    ]
    if isinstance(device.rule, UnknownRule):
        places.append(f"{device.name} → rule")
    places += [
        f"{device.name} → {command.name} → {key}"
        for command in device.commands.values()
        for key in command.unknown_keys
    ]
    return places


def with_own_names(commands: Mapping[str, Command]) -> dict[str, Command]:
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


def _check_rule(rule: BitRule) -> None:
    """Raise ValueError if a provided rule has an unknown state or makes an invalid packet."""
    for state in rule.states:
        levels = {key: value for key in STATE if (value := getattr(state, key)) is not None}
        read_fields(STATE, levels, "rule", strict=True)
    off = () if rule.off is None else (rule.off,)
    signals = (part.signal for part in (rule, *rule.others))
    for packet in (*(signal.packet() for signal in signals), *rule.pressed.values(), *off):
        from_bytes(packet)


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
    return merged(data, command.unknown_keys)


def _read_command(data: object, device: str, *, strict: bool) -> Command:
    """Return a command. Raise ValueError if its id, name or packets are invalid."""
    if not isinstance(data, dict):
        raise refused(f"{device} → {COMMANDS}", data, "{…}")
    where = f"{device} → {str(data.get('name'))[:SHOWN]}"
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
        unknown_keys=rest,
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
        is_whole = known.keys() == FAVOURITE.keys() and "mode" in state
        if rest or left or not is_whole or known["name"] in favourites:
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


def fields_data(instance: Any, *, without: Iterable[str] = ()) -> Data:  # noqa: ANN401  (any dataclass)
    """Return the fields of a dataclass that differ from their defaults."""
    return {
        known_field.name: list(value) if isinstance(value, tuple) else value
        for known_field in fields(instance)
        if known_field.name not in without
        and (value := getattr(instance, known_field.name)) != known_field.default
        and not (callable(known_field.default_factory) and value == known_field.default_factory())
    }
