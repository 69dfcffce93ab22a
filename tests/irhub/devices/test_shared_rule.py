"""What somebody has taught is exported, and the next owner of the model needs no presses."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
import json
from pathlib import Path
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

from custom_components.irhub.devices.device import Device, Protocol, Taught
from custom_components.irhub.devices.exports import export_text
from custom_components.irhub.devices.importing import read_import, write_device
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.entities.registries import async_show_devices
from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import OFF, BitRule, Levels, Off, State, read
from custom_components.irhub.ircodes.files import MAX_COMMANDS
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure
from ..dialogues.appliances import act, begin, finish
from ..home import POWER, entry as yaml_entry, our_hub, set_up
from ..ircodes.teaching.remotes import (
    COMMON,
    RemoteControl,
    bytes_by_mode,
    clock_and_button,
    rolling_bit,
)
from .actions import respond
from .taught import CONTROL, NAME, taught, taught_by

NEVER_PRESSED = (
    State(mode="heat", fan="medium", temperature=19.5),
    State(mode="auto", fan="high", temperature=27.0),
)


@pytest.fixture
async def hub(hass: HomeAssistant, lounge: VirtualHub) -> VirtualHub:
    """Return a hub to share with, and to add to."""
    assert await async_setup_component(hass, "http", {})
    return lounge


async def shared(hass: HomeAssistant, entry: ConfigEntry[Use], format_name: str) -> str:
    """Have what was taught, share it, and have it no more; return the file."""
    devices = entry.runtime_data.devices
    await devices.load()
    await devices.put(taught())
    dialogue = await (await configure(hass, entry)).choose("share")
    await dialogue.submit(device=NAME, format=format_name)
    text: str = dialogue.suggested["text"]
    await devices.delete(taught())
    return text


async def imported(hass: HomeAssistant, entry: ConfigEntry[Use], text: str) -> Dialogue:
    """Import a text in the settings of the hub."""
    dialogue = await (await configure(hass, entry)).choose("import_codes")
    return await dialogue.submit(text=text)


async def sends(hass: HomeAssistant, hub: VirtualHub, entity_id: str) -> None:
    """Set what was never pressed, and turn it off; the remote control would send the same."""
    for state in NEVER_PRESSED:
        target: dict[str, Any] = {"entity_id": entity_id}
        await act(hass, "climate", "set_fan_mode", fan_mode=state.fan, **target)
        degrees = {"hvac_mode": state.mode, "temperature": state.temperature}
        await act(hass, "climate", "set_temperature", **degrees, **target)
        await heard(hub, state)
    await act(hass, "climate", "turn_off", entity_id=entity_id)
    await heard(hub, OFF)


async def heard(hub: VirtualHub, state: State | Off) -> None:
    """Wait until a packet is sent that says a state."""
    expected = read(CONTROL.packet(state)).key
    await until(lambda: bool(hub.transmitted) and read(hub.transmitted[-1]).key == expected)


@pytest.mark.parametrize("format_name", ["irhub", "smartir"])
async def test_a_shared_file_is_added_as_an_appliance(
    hass: HomeAssistant, hub: VirtualHub, format_name: str
) -> None:
    entry = await add(hass, hub)
    text = await shared(hass, entry, format_name)
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=text)
    assert dialogue.step == "ready"
    assert dialogue.suggested["name"] == NAME
    assert "Cool, Heat, Auto, Off" in dialogue.texts["found"]
    own = dialogue.suggested["more"].get("temperature_sensor", "")
    assert "of_its_owner" not in own, "that is of another house"
    await finish(hass, dialogue, "climate.acme_a1")
    await sends(hass, hub, "climate.acme_a1")


async def test_it_is_imported_under_a_name_of_its_own(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Two air conditioners may be called alike: a rule is not put into another's."""
    entry = await add(hass, hub)
    text = await shared(hass, entry, "irhub")
    other = text.replace("of-its-owner", "of-another-owner")
    for each, entity_id in ((text, "climate.acme_a1"), (other, "climate.acme_a1_2")):
        dialogue = await imported(hass, entry, each)
        assert dialogue.texts["count"] == dialogue.texts["total"] == "349"
        assert (await dialogue.choose("import_now")).texts["count"] == "349"
        await until(partial(hass.states.get, entity_id))
    await sends(hass, hub, "climate.acme_a1_2")
    assert {device.name for device in entry.runtime_data.devices.values()} == {NAME, f"{NAME} 2"}


async def test_what_the_library_cannot_write_is_refused(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    """The other devices of the file are imported."""
    entry = await add(hass, hub)
    newer = Device(
        id="newer", name="Newer", kind=Kind.AIR_CONDITIONER, rule=Protocol(name="Future AC")
    )
    dialogue = await imported(hass, entry, export_text([newer, taught()]))
    assert dialogue.texts["devices"] == NAME
    (reported,) = (line for line in dialogue.texts["account"].split("\n") if "Newer" in line)
    assert reported.startswith("- Newer: ")
    assert "cannot write Future AC" in reported
    await dialogue.choose("import_now")
    await until(lambda: hass.states.get("climate.acme_a1") is not None)

    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=export_text([newer]))
    assert "cannot write Future AC" in dialogue.error
    await dialogue.submit(text=export_text([newer, taught()]))
    assert dialogue.step == "which_device"
    await dialogue.submit(device="Newer")
    assert "cannot write Future AC" in dialogue.error


def with_many_temperatures(rule: dict[str, Any]) -> None:
    """Let a rule say far more states than any remote control has."""
    of = rule["temperature"]
    count = MAX_COMMANDS // 12 + 1  # for each of three modes and four fan speeds
    of["values"] = " ".join(map(str, range(count)))
    of["tables"] = ["0:" + " 1" * count for _ in of["tables"]]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (with_many_temperatures, "more than 20000 commands"),
        (lambda rule: rule.update(off="Zm9v"), "incomplete"),
        (lambda rule: rule["signal"].update(frames=["many"]), "not a "),
        (lambda rule: rule.update(mode=[]), "not a "),
        (lambda rule: rule.clear(), "not a "),
    ],
)
async def test_a_damaged_rule_is_refused(
    hass: HomeAssistant,
    hub: VirtualHub,
    damage: Callable[[dict[str, Any]], None],
    problem: str,
) -> None:
    """What somebody brings may be anything: it is tried before it is kept."""
    entry = await add(hass, hub)
    content = json.loads(export_text([taught()]))
    damage(content["devices"][0]["rule"]["taught"])
    dialogue = await imported(hass, entry, json.dumps(content))
    assert problem in dialogue.error
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(content))
    assert problem in dialogue.error


async def test_a_shared_file_in_yaml(hass: HomeAssistant, hub: VirtualHub) -> None:
    folder = Path(hass.config.config_dir) / "codes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "acme.json").write_text(export_text([taught()]), encoding="utf-8")
    await set_up(
        hass, "climate", yaml_entry(hub, name="Office", file="codes/acme.json", unique_id="office")
    )
    await until(lambda: our_hub(hass, hub).available)
    await sends(hass, hub, "climate.office")


async def test_devices_of_commands_keep_what_these_do(hass: HomeAssistant, hub: VirtualHub) -> None:
    """An export holds more than rules."""
    entry = await add(hass, hub)
    devices = entry.runtime_data.devices
    await devices.store({"Fan": {"aus": [CONTROL.packet(OFF)], "sanft": [CONTROL.press(OFF)]}})
    fan = devices.named("Fan")
    off, soft = fan.commands
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(
        text=export_text(
            [
                Device(
                    id="x",
                    name="Vent",
                    kind=Kind.FAN,
                    commands=fan.commands,
                    functions={"off": off, "speed sanft": soft},
                )
            ]
        )
    )
    assert "sanft" in dialogue.texts["found"]
    await finish(hass, dialogue, "fan.vent")
    vent = devices.named("Vent")
    assert {vent.commands[id_].name for id_ in vent.functions.values()} == {"aus", "sanft"}
    assert not vent.commands.keys() & fan.commands.keys()


def test_the_table_for_smartir_is_in_order() -> None:
    """As the levels are offered: two exports of the same can be compared."""
    content = json.loads(write_device("smartir", taught()).text)
    assert [*content["commands"]] == ["off", "cool", "heat", "auto"]
    for mode in ("cool", "heat", "auto"):
        fans = content["commands"][mode]
        assert [*fans] == content["fanModes"] == ["auto", "low", "medium", "high"]
        for of_fan in fans.values():
            assert [float(degrees) for degrees in of_fan] == [half / 2 for half in range(32, 61)]
    assert (content["minTemperature"], content["maxTemperature"]) == (16, 30)
    assert (content["precision"], content["temperatureUnit"]) == (0.5, "C")
    assert content["commandsEncoding"] == "Base64"
    [read] = read_import(json.dumps(content)).states.values()
    rule = taught().rule
    assert isinstance(rule, Taught)
    assert {*read.values()} == {
        State(mode=mode, fan=fan, temperature=half / 2)
        for mode in ("cool", "heat", "auto")
        for fan in content["fanModes"]
        for half in range(32, 61)
    }


def test_without_fan_speeds_smartir_finds_the_level() -> None:
    """It looks for one below each mode, and names the first when it starts."""
    levels = Levels(temperatures=COMMON.temperatures)
    control = RemoteControl(dict.fromkeys(("cool", "heat"), levels), CONTROL.says)
    content = json.loads(write_device("smartir", taught_by(control)).text)
    assert content["fanModes"] == ["-"]
    assert [*content["commands"]["cool"]] == ["-"]
    assert len(content["commands"]["cool"]["-"]) == len(COMMON.temperatures)
    [read] = read_import(json.dumps(content)).states.values()
    assert {*read.values()} == {
        State(mode=mode, temperature=degrees)
        for mode in ("cool", "heat")
        for degrees in COMMON.temperatures
    }


@pytest.mark.parametrize("make", [rolling_bit, clock_and_button, bytes_by_mode])
async def test_states_that_were_never_pressed_are_followed(
    hass: HomeAssistant, hub: VirtualHub, make: Callable[[], RemoteControl]
) -> None:
    """Whatever changes by itself in them: what the remote control sends is read by the rule."""
    control = make()
    device = taught_by(control)
    entry = await add(hass, hub)
    await entry.runtime_data.devices.load()
    await entry.runtime_data.devices.put(
        replace(device, settings=replace(device.settings, follow=True))
    )
    async_show_devices(hass, entry.runtime_data.devices)
    await until(partial(hass.states.get, "climate.acme_a1"))

    async def follows(pressed: State | Off, shown: Mapping[str, object]) -> None:
        await hub.until(lambda: hub.receiver.listening == "ir")
        await hub.press_when_listening(control.packet(pressed, 40, 90))
        await until(lambda: attributes().items() >= shown.items())

    def attributes() -> dict[str, object]:
        state = hass.states.get("climate.acme_a1")
        assert state is not None
        return {"state": state.state, **state.attributes}

    for mode, fan, swing, degrees in (
        ("heat", "medium", "on", 21.0),
        ("cool", "high", "off", 29.0),
        ("cool", "low", "on", 17.0),
    ):
        state = State(mode=mode, fan=fan, swing=swing, temperature=degrees)
        shown = {"state": mode, "fan_mode": fan, "swing_mode": swing, "temperature": degrees}
        await follows(state, shown)
    await follows(OFF, {"state": "off", "temperature": 17.0})
    assert not hub.transmitted


async def test_a_toggle_without_a_state_is_a_button_beside_the_rule(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    """Swing as a button of its own is learned into the device; the thermostat stays as it is."""
    entry = await add(hass, hub)
    devices = entry.runtime_data.devices
    await devices.load()
    await devices.put(taught())
    async_show_devices(hass, devices)
    await until(partial(hass.states.get, "climate.acme_a1"))
    await devices.store({NAME: {"swing": [POWER]}})
    await until(partial(hass.states.get, "button.acme_a1_swing"))
    await act(hass, "button", "press", entity_id="button.acme_a1_swing")
    assert hub.transmitted == [POWER]
    await sends(hass, hub, "climate.acme_a1")
    assert {command.name for command in devices.named(NAME).commands.values()} == {"swing"}
    again = read_import(export_text([devices.named(NAME)]))
    assert again.count == 350
    whole = json.loads(write_device("smartir", devices.named(NAME)).text)["commands"]
    assert "swing" in whole


async def test_an_air_conditioner_with_a_rule_is_moved(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """It is imported with its rule, sends, and is exported as it came."""
    rule = taught_by(clock_and_button()).rule
    assert isinstance(rule, Taught)
    device = {
        "id": "34ea34000001-12345678",
        "name": "Bedroom",
        "kind": "air_conditioner",
        "commands": [],
        "rule": {"taught": rule.data},
        "entity": "34ea34000001-12345678",
    }
    await add(hass, lounge)
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes={"devices": [device]})
    await until(lambda: hass.states.get("climate.bedroom") is not None)
    of = {"entity_id": "climate.bedroom"}
    await act(hass, "climate", "set_temperature", **of, hvac_mode="cool", temperature=19)
    await act(hass, "climate", "set_fan_mode", **of, fan_mode="high")
    sent = BitRule.from_data(rule.data).decode(lounge.transmitted[-1])
    assert sent == State(mode="cool", fan="high", swing="off", temperature=19.0)
    exported = await respond(hass, "export_codes", entity_id="remote.lounge")
    assert exported["codes"] == {}
    [moved] = exported["devices"]
    assert moved["rule"] == {"taught": rule.data}
