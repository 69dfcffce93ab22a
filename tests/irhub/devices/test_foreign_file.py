"""A device file of somebody else, each field of it wrong in each way: it hurts itself alone."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
import dataclasses
from functools import cache
import json
import logging
import time
from typing import Any

from homeassistant.components.cover import CoverDeviceClass
from homeassistant.components.media_player import (  # type: ignore[attr-defined]  # since 2026.10 imported
    MediaPlayerDeviceClass,
)
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import Event, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.irhub.devices import fields
from custom_components.irhub.devices.device import (
    DEVICE_CLASSES,
    Command,
    Device,
    Protocol,
    Settings,
)
from custom_components.irhub.devices.exports import export_data
from custom_components.irhub.devices.importing import ImportedDevices, read_import
from custom_components.irhub.devices.json_format import device_data, read_device
from custom_components.irhub.entities.registries import async_show_devices
from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import RefusedError, State, to_base64
from custom_components.irhub.ircodes.files import MAX_COMMANDS
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import act, learn
from ..dialogue import add
from ..home import HDMI, NEC, POWER, known
from ..issues import MAC, issues
from .taught import taught

PACKET = to_base64(POWER)
NAN = float("nan")
WRONG: dict[str, Any] = {
    "number": 5,
    "negative": -1,
    "huge": 10**30,
    "larger": 1e300,
    "NaN": NAN,
    "infinite": float("inf"),
    "true": True,
    "null": None,
    "text": "nonsense",
    "empty": "",
    "long": "x" * 100_000,
    "half": "\ud83d",
    "list": [],
    "inner": [[5]],
    "numbers": [0, NAN, 10**30],
    "mapping": {},
    "other": {"nonsense": [None]},
    "deep": json.loads("[" * 100 + "]" * 100),
}


LEVELS, UNKNOWN = {"capabilities", "steps"}, {"unknown_keys"}
IDS: dict[str, Any] = {"MAC": MAC, "listening": f"{MAC}-listen"}
"""Of the hub itself."""


def a_device(kind: str, *names: str, **more: object) -> dict[str, Any]:
    """Return a device as an export has it, each command a function of its kind."""
    return {
        "id": f"their {kind}",
        "name": kind,
        "kind": kind,
        "manufacturer": "Acme",
        "model": "A1",
        "commands": [
            {"id": f"{kind} {name}", "name": name, "packets": [PACKET, NEC]} for name in names
        ],
        "functions": {name: f"{kind} {name}" for name in names},
        "unconfirmed": False,
        "entity": f"entity of {kind}",
        **more,
    }


SETTINGS: Mapping[str, Any] = {
    "delay": 1.5,
    "repeats": 2,
    "repeat_delay": 0.1,
    "temperature_sensor": "sensor.theirs",
    "humidity_sensor": "sensor.theirs",
    "power_sensor": "sensor.theirs",
    "power_threshold": 3.5,
    "power_delay": 1,
    "report_temperature": True,
    "power_restores": False,
    "device_class": "tv",
    "source_names": {"HDMI 1": "Console"},
    "emitter": "infrared.theirs",
    "more_emitters": ["infrared.further"],
    "follow": True,
    "events": True,
    "resend": True,
    "buttons": ["television mute"],
}


@cache
def exported() -> list[dict[str, Any]]:
    """Return one device of each kind, with all that an export can say."""
    state = {"mode": "cool", "preset": "eco", "fan": "low", "swing": "on", "temperature": 21.5}
    [rule] = export_data([taught()])["devices"]
    return [
        a_device("television", "toggle", "mute", "source HDMI 1", settings=SETTINGS),
        a_device("other", "on", settings={"events": True}, entity=None),
        a_device("fan", "off", "speed low", "speed high", levels={"speeds": ["low", "high"]}),
        a_device(
            "light",
            *("on", "off", "brighten", "dim", "warmer", "colder"),
            levels={"brightnesses": [10, 255], "kelvins": [2700, 6500]},
        ),
        a_device("cover", "open", "close", settings={"device_class": "shade"}),
        a_device(
            "air_conditioner",
            levels={
                "modes": ["cool"],
                "presets": ["eco"],
                "fans": ["low"],
                "swings": ["on"],
                "step": 0.5,
                "unit": "C",
            },
            commands=[{"id": "cool", "name": "cool", "packets": [NEC], "state": state}],
        ),
        a_device("air_conditioner", rule={"name": "LG AC", "fields": {"model": "x"}}),
        rule,
    ]


def places(data: object, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to each value in a device, whole lists and mappings among them."""
    if path:
        yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, *path, key)
    if isinstance(data, list):
        for index, value in enumerate(data[:2]):
            yield from places(value, *path, index)


def with_wrong(device: Mapping[str, Any], path: tuple[str | int, ...], value: object) -> Any:  # noqa: ANN401  (JSON)
    """Return a device with another value in one place."""
    changed: Any = deepcopy(dict(device))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a file with one wrong field, and what is wrong there."""
    for number, device in enumerate(exported()):
        for path in places(device):
            of_ids = IDS if path[-1] in ("id", "entity") else {}
            for wrong, value in (WRONG | of_ids).items():
                where = f"{number} {'/'.join(map(str, path))} {wrong}"
                named = device if path == ("name",) else {**device, "name": where}
                yield where, with_wrong(named, path, value)


def test_every_field_is_among_those_that_are_tried() -> None:
    tried = {key for device in exported() for path in places(device) for key in path}
    tables = (fields.DEVICE, fields.COMMAND, fields.STATE, fields.LEVELS, fields.SETTINGS)
    assert {key for table in (*tables, fields.PROTOCOL) for key in table} <= tried


@pytest.mark.parametrize(
    ("of", "table", "apart"),
    [
        (
            Device,
            fields.DEVICE,
            {"id", "name", "commands", "favourites", "rule", "settings"} | LEVELS | UNKNOWN,
        ),
        (Command, fields.COMMAND, {"state"} | UNKNOWN),
        (State, fields.STATE, set()),
        (Settings, fields.SETTINGS, set()),
        (Protocol, fields.PROTOCOL, set()),
    ],
)
def test_every_field_has_a_type_and_limits(
    of: type[Any], table: Mapping[str, fields.Field], apart: set[str]
) -> None:
    """Another field is read somewhere else; one that comes with a new version fails here."""
    assert {each.name for each in dataclasses.fields(of)} == table.keys() | apart


@pytest.mark.parametrize("text", [False, True])
def test_each_is_read_or_refused_at_once_with_a_sentence(text: bool) -> None:
    """Whatever it is, it is a ValueError that is quick, short and names the place."""
    accepted = 0
    for where, device in files():
        content: object = {"devices": [device]}
        began = time.process_time()
        error: ValueError | None = None
        try:
            read_import(json.dumps(content) if text else content)
        except ValueError as err:
            error = err
        accepted += error is None
        assert error is None or 0 < len(str(error)) < 1000, where
        assert time.process_time() - began < 2, where
    assert accepted > 100, "what is right is taken"


async def reload(hass: HomeAssistant, entry: ConfigEntry[Use]) -> None:
    """Set the hub up anew."""
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()


async def restart(hass: HomeAssistant, entry: ConfigEntry[Use]) -> None:
    """Set the hub up anew, from its file."""
    assert await hass.config_entries.async_unload(entry.entry_id)
    known(hass)._loaded = False  # noqa: SLF001  (as a restart does)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()


async def works(hass: HomeAssistant, hub: VirtualHub, entry: ConfigEntry[Use]) -> None:
    """Use the devices that were there before: one with an entity, one with buttons."""
    assert entry.state is ConfigEntryState.LOADED
    await until(lambda: entry.runtime_data.hub.available)
    count = len(hub.transmitted)
    for domain, action, entity_id in (
        ("cover", "open_cover", "cover.screen"),
        ("button", "press", "button.radio_power"),
    ):
        data = {"entity_id": entity_id}
        await hass.services.async_call(domain, action, data, blocking=True)
    assert hub.transmitted[count:] == [POWER, HDMI]
    assert {"remote.lounge", "button.lounge_listen_for_others"} <= {*hass.states.async_entity_ids()}


async def test_whatever_is_imported_all_others_work(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, lounge: VirtualHub
) -> None:
    """Import, reload, restart: the hub, its own entities, and the devices that were there."""
    events: list[Event[Any]] = []
    hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, events.append)
    hass.bus.async_listen(dr.EVENT_DEVICE_REGISTRY_UPDATED, events.append)
    entry = await add(hass, lounge)
    screen = a_device("cover", "open", name="screen", entity="its own")
    screen["commands"][0]["packets"] = [PACKET]
    await act(hass, "import_codes", codes={"devices": [screen]})
    await learn(hass, radio={"power": NEC})
    await works(hass, lounge, entry)
    before = {id_: known(hass)[id_] for id_ in known(hass)}
    accepted: list[Device] = []
    for where, device in files():
        with suppress(ValueError):
            imported = read_import({"devices": [device]})
            assert isinstance(imported, ImportedDevices), where
            accepted += imported.devices
    await known(hass).import_devices(accepted)
    async_show_devices(hass, known(hass))
    await hass.async_block_till_done()
    assert len(events) < 20 * len(accepted)
    assert {id_: known(hass)[id_] for id_ in before} == before
    await works(hass, lounge, entry)
    for again in (reload, restart):
        await again(hass, entry)
        await works(hass, lounge, entry)
    assert {id_: known(hass)[id_] for id_ in before} == before
    ids = [id_ for device in known(hass).values() for id_ in (device.id, *device.commands)]
    assert len({*ids}) == len(ids)
    assert MAC not in ids
    assert not any(f"{MAC}-listen" in device.commands for device in known(hass).values())
    assert [each for each in issues(hass) if not each.startswith("appliance_")] == []
    warned = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.getMessage() for record in warned if record.exc_info] == []
    assert "does not generate unique IDs" not in caplog.text


@pytest.mark.usefixtures("entry")
async def test_many_devices_come_at_once(hass: HomeAssistant) -> None:
    """All that have a part in it look at the devices a few times, not once for each device."""
    looks: list[None] = []
    devices = [
        a_device("fan", "on", id=f"fan {number}", name=f"fan {number}", entity=f"e{number}")
        for number in range(20)
    ]
    known(hass).async_add_listener(lambda: looks.append(None))
    await act(hass, "import_codes", codes={"devices": devices})
    await hass.async_block_till_done()
    assert len(hass.states.async_entity_ids("fan")) == len(devices)
    assert len(looks) < 5


def rule_with(**values: int) -> dict[str, Any]:
    """Return a taught device whose rule has so many values of each attribute."""
    [device] = export_data([taught()])["devices"]
    changed: dict[str, Any] = deepcopy(device)
    rule = changed["rule"]["taught"]
    modes = " ".join("0" for _ in rule["mode"]["values"])
    for attribute, count in values.items():
        names = [f"{attribute}{number}" for number in range(count)]
        degrees = " ".join(map(str, range(count)))
        rule[attribute] = {
            "values": degrees if attribute == "temperature" else names,
            "tables": ["0:" + " 1" * count],
            "modes": modes,
        }
    return changed


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize(
    "content",
    [
        lambda: [rule_with(fan=30, swing=30, preset=30, temperature=20)],
        lambda: [rule_with(fan=1000, swing=1000, preset=1000, temperature=1000)],
        lambda: [rule_with(temperature=500_000)],
        lambda: [a_device("fan", *map(str, range(MAX_COMMANDS + 1)))],
        lambda: [a_device("fan", *map(str, range(MAX_COMMANDS // 2 + 1))) for _ in range(2)],
        lambda: [a_device("fan", "on") for _ in range(fields.MAX_DEVICES + 1)],
        lambda: [rule_with(fan=20, swing=20, temperature=5)] * 5,
    ],
    ids=["millions", "never", "temperatures", "commands", "of two", "devices", "states"],
)
async def test_what_is_too_much_is_refused_before_it_is_computed(
    hass: HomeAssistant, content: Callable[[], list[dict[str, Any]]]
) -> None:
    devices = content()
    began = time.process_time()
    with pytest.raises(ServiceValidationError, match="more than"):
        await act(hass, "import_codes", codes={"devices": devices})
    assert time.process_time() - began < 5
    assert not known(hass)


async def test_one_wrong_device_of_a_file_hurts_only_itself(
    hass: HomeAssistant, lounge: VirtualHub, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = a_device("cover", "open"), a_device("light", "on", settings={"delay": "soon"})
    await add(hass, lounge)
    await act(hass, "import_codes", codes={"devices": [bad, good]})
    assert {device.name for device in known(hass).values()} == {"cover"}
    assert "light → settings → delay is 'soon'; it can be 0 … 3600" in caplog.text


def test_all_that_is_wrong_in_a_device_is_named_at_once() -> None:
    bad = a_device("light", "on", settings={"delay": "soon", "repeats": 0, "follow": True})
    bad["commands"].append({"id": "x", "name": 5, "packets": [NEC]})
    bad["model"] = ["A1"]
    with pytest.raises(RefusedError) as error:
        read_import({"devices": [bad]})
    assert str(error.value) == (
        "light → model is ['A1']; it can be \"…\" (0 … 4096);"
        " light → settings → delay is 'soon'; it can be 0 … 3600;"
        " light → settings → repeats is 0; it can be 1 … 50;"
        ' light → 5 → name is 5; it can be "…" (0 … 4096)'
    )
    bad["settings"] = {key: {"nonsense": None} for key in fields.SETTINGS}
    with pytest.raises(RefusedError) as error:
        read_import({"devices": [bad]})
    assert str(error.value).count("it can be") == fields.MAX_REPORTED


@pytest.mark.usefixtures("entry")
async def test_ids_are_new_unless_they_are_ours_and_free(hass: HomeAssistant) -> None:
    """An export that comes back keeps what Home Assistant knows of its entities."""
    await act(hass, "import_codes", codes={"devices": [a_device("cover", "open")]})
    [device] = known(hass).values()
    [command] = device.commands.values()
    for id_ in (device.id, device.entity, command.id):
        assert str(id_).startswith(f"{MAC}-")
    assert device.functions == {"open": command.id}
    exported = export_data([device])
    await known(hass).delete(device)
    await act(hass, "import_codes", codes=exported)
    assert [*known(hass).values()] == [device]
    stolen = exported["devices"][0] | {"id": command.id, "name": "thief", "entity": device.id}
    await act(hass, "import_codes", codes={"devices": [stolen]})
    thief = known(hass).named("thief")
    assert not {device.id, command.id} & {thief.id, thief.entity, *thief.commands}
    assert known(hass).named("cover") == device


def test_every_device_class_of_home_assistant_is_known() -> None:
    classes = {each.value for of in (MediaPlayerDeviceClass, CoverDeviceClass) for each in of}
    assert classes <= {*DEVICE_CLASSES}


def test_no_favourite_is_lost_when_two_have_the_same_name() -> None:
    favourite: dict[str, Any] = {"id": "d/1", "name": "Night", "state": {"mode": "cool"}}
    data: dict[str, Any] = {"id": "d", "name": "AC", "kind": "air_conditioner", "commands": []}
    data |= {"favourites": [favourite, favourite | {"id": "d/2"}]}
    assert device_data(read_device(data)) == data  # in our own file
    with pytest.raises(RefusedError, match="favourites"):
        read_device(data, strict=True)
