"""Adding an appliance to a hub, changing and deleting it, as the frontend does."""

import copy
import json
from pathlib import Path
from typing import Any

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
    ConfigEntryState,
)
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import area_registry as ar, device_registry as dr, entity_registry as er
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons, learn
from ..dialogue import add, configure
from ..home import NEC, RC5, commands
from ..ircodes.code_files import air_conditioner, bytes_of, code_file, write
from .appliances import CODES, FILE, act, begin, change, finish


def hub_of(hass: HomeAssistant, entry: ConfigEntry) -> dr.DeviceEntry:
    """Return the hub's own device."""
    of_entry = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    return next(device for device in of_entry if device.name == entry.title)


@pytest.mark.parametrize("is_learned", [True, False])
async def test_the_last_page_sets_the_area_and_leads_to_the_device(
    hass: HomeAssistant, entry: IrhubConfigEntry, *, is_learned: bool
) -> None:
    """Whether the device is registered already, since it has buttons, or is new."""
    areas, registry = ar.async_get(hass), dr.async_get(hass)
    attic, study = areas.async_create("Attic"), areas.async_create("Study")
    registry.async_update_device(hub_of(hass, entry).id, area_id=attic.id)
    if is_learned:
        await learn(hass, tv={"power": NEC, "mute": RC5})
        dialogue = await (await begin(hass, entry, "television")).choose("commands")
        await dialogue.submit(device="tv")
    else:
        dialogue = await (await begin(hass, entry)).choose("file")
        await dialogue.submit(text=json.dumps(FILE))
    await dialogue.submit(**{**dialogue.suggested, "area_id": study.id, "then": "finish"})
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    page = dialogue.texts["page"]
    await hass.async_block_till_done()
    [device] = [
        device
        for device in dr.async_entries_for_config_entry(registry, entry.entry_id)
        if device != hub_of(hass, entry)
    ]
    assert device.area_id == study.id
    assert page == f"/config/devices/device/{device.id}"


async def test_the_page_names_the_states_that_an_air_conditioner_lacks(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    """It is found where the user looks for a fan speed or an "off" that is not offered."""
    file = copy.deepcopy(FILE)
    del file["commands"]["off"], file["commands"]["cool"]["low"]["21"]
    lacking = "- Not available: Off; Dry (Fan mode, Target temperature); Cool (states: 1)"
    entry = await add(hass, lounge)
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(file))
    assert dialogue.texts["found"].splitlines()[-1] == lacking
    await finish(hass, dialogue, "climate.acme_a1")
    assert (await change(hass, entry)).texts["found"].splitlines()[-1] == lacking


async def test_an_air_conditioner_is_added_from_the_text_of_a_file(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    attic = ar.async_get(hass).async_create("Attic")
    entry = await add(hass, lounge)
    dr.async_get(hass).async_update_device(hub_of(hass, entry).id, area_id=attic.id)
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    assert dialogue.step == "ready"
    assert dialogue.texts["commands"] == "Commands: 7"
    total, broken = dialogue.texts["account"].splitlines()
    assert total.endswith("not used: 1")
    assert broken.startswith("- Acme A1 → broken: incomplete")
    assert dialogue.texts["found"] == (
        "- Cool, Dry, Off\n- 20 \N{EN DASH} 21 °C\n- Fan mode: Low, High"
        "\n- Not available: Dry (Fan mode, Target temperature)"
    )
    assert {"temperature_sensor", "power_sensor"} <= {*dialogue.folded}
    assert dialogue.suggested["area_id"] == attic.id
    assert dialogue.suggested["name"] == "Acme A1"
    answers = {"name": "Air con", "area_id": attic.id, "more": {"buttons": "none"}}
    await dialogue.submit(**answers, then="try_it")
    await dialogue.submit(command="cool low 20")
    assert dialogue.texts["note"] == "cool low 20 was sent. Did it react?"
    assert lounge.transmitted == [bytes_of(FILE["commands"]["cool"]["low"]["20"])]
    await finish(hass, dialogue, "climate.attic_air_con")

    await act(hass, "climate", "turn_on", entity_id="climate.attic_air_con")
    assert lounge.transmitted[1:] == [bytes_of(FILE["commands"]["cool"]["low"]["21"])]
    assert [*buttons(hass)] == []
    registered = er.async_get(hass).async_get("climate.attic_air_con")
    assert registered is not None
    [device] = [
        device
        for device in dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
        if device.id == registered.device_id
    ]
    assert (device.name, device.manufacturer, device.model) == ("Air con", "Acme", "A1, A2")
    assert device.area_id == attic.id
    assert device.via_device_id == hub_of(hass, entry).id
    await act(
        hass,
        "remote",
        "send_command",
        entity_id="remote.lounge",
        device="Air con",
        command="turbo",
    )
    assert lounge.transmitted[2:] == [bytes_of(FILE["commands"]["turbo"])]


async def test_an_uploaded_file_and_a_file_of_the_configuration_folder(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, config_dir: Path, lounge: VirtualHub
) -> None:
    assert await async_setup_component(hass, "file_upload", {})
    name = write(config_dir, "codes/fan/1.json", code_file(CODES.nest(["1", "2", "off"])))
    entry = await add(hass, lounge)
    client = await hass_client()
    reply = await client.post("/api/file_upload", data={"file": json.dumps(FILE).encode("utf-8")})
    uploaded = (await reply.json())["file_id"]
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(file=uploaded)
    assert dialogue.step == "ready"
    assert dialogue.texts["commands"] == "Commands: 7"
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(path=name)
    assert dialogue.texts["commands"] == "Commands: 3"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("{", "neither"),
        ('{"a": {"b": "hex: 26"}}', "a → b: "),
    ],
)
async def test_a_text_that_is_no_code_file_is_rejected(
    hass: HomeAssistant, text: str, problem: str, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=text)
    assert problem in dialogue.error
    await dialogue.submit(text=json.dumps(FILE))
    assert dialogue.step == "ready"
    await dialogue.submit(name=" ", then="finish")
    assert "empty" in dialogue.error


@pytest.mark.parametrize("suffix", ["ir", "json"])
async def test_a_device_without_a_name_is_named_after_its_file(
    hass: HomeAssistant, config_dir: Path, suffix: str, lounge: VirtualHub
) -> None:
    (config_dir / "codes").mkdir()
    power = "name: power\ntype: raw\nfrequency: 38000\ndata: 9000 4500 560 560 560"
    (config_dir / "codes" / f"lounge tv.{suffix}").write_text(
        f"\ufeffFiletype: IR signals file\nVersion: 1\n#\n{power}\n"
    )
    entry = await add(hass, lounge)
    dialogue = await (await begin(hass, entry, "television")).choose("file")
    await dialogue.submit(path=f"codes/lounge tv.{suffix}")
    assert dialogue.step == "ready"
    assert dialogue.suggested["name"] == "lounge tv"


async def test_a_file_for_another_controller_is_rejected_with_the_reason(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
) -> None:
    xiaomi = air_conditioner({"off": "Z6VHABcCAAA2AQAAeQ=="}, supportedController="Xiaomi")
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(xiaomi))
    assert "Acme A1 → off: " in dialogue.error


async def test_a_television_is_added_from_learned_commands(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    names = ["power", "vol up", "vol down", "hdmi 1", "game", "teletext", "x"]
    packets = {name: CODES.packet() for name in names}
    codes: dict[str, Any] = {"tv": packets, "lamp": {"on": CODES.packet()}}
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes=codes)
    await hass.async_block_till_done()
    assert len(buttons(hass)) == 8
    dialogue = await (await begin(hass, entry, "television")).choose("commands")
    await dialogue.submit(device="tv")
    await dialogue.submit(then="functions")
    suggested = dialogue.suggested
    assert suggested == {
        "toggle": "power",
        "volume_up": "vol up",
        "volume_down": "vol down",
        "sources": ["hdmi 1", "game"],
    }
    await dialogue.submit(**suggested | {"mute": "x", "sources": ["hdmi 1"]})
    assert dialogue.texts["found"] == ("- Power, Volume up, Volume down, Mute\n- Source: hdmi 1")
    await dialogue.submit(more={"buttons": "chosen"}, then="finish")
    assert dialogue.step == "buttons"
    await dialogue.submit(buttons=["teletext"])
    await finish(hass, dialogue, "media_player.tv")
    await until(lambda: len(buttons(hass)) == 2)
    assert set(buttons(hass)) == {
        "button.tv_teletext",
        "button.lamp_on",
    }
    await act(hass, "media_player", "turn_on", entity_id="media_player.tv")
    await act(
        hass, "media_player", "volume_mute", entity_id="media_player.tv", is_volume_muted=True
    )
    assert lounge.transmitted == [bytes_of(packets["power"]), bytes_of(packets["x"])]

    # It is no device to choose any more.
    dialogue = await (await begin(hass, entry, "light")).choose("commands")
    assert dialogue.fields["device"].config["options"] == ["lamp"]


async def test_an_appliance_is_changed_and_deleted(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    packets = {name: CODES.packet() for name in ("power", "speed 1", "speed 2", "x")}
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes={"fan": packets})
    dialogue = await (await begin(hass, entry, "fan")).choose("commands")
    await dialogue.submit(device="fan")
    assert dialogue.texts["found"] == "- Power\n- Speed: speed 1, speed 2"
    await finish(hass, dialogue, "fan.fan")
    assert [*buttons(hass)] == ["button.fan_x"]

    dialogue = await change(hass, entry)
    assert dialogue.step == "ready"
    await dialogue.submit(then="functions")
    await dialogue.submit(toggle="power", speeds=["speed 1", "x", "speed 2"])
    await dialogue.submit(then="finish")
    assert dialogue.type is FlowResultType.ABORT
    await until(lambda: not buttons(hass))
    await until(lambda: hass.states.is_state("fan.fan", "unknown"))
    await act(hass, "fan", "turn_on", entity_id="fan.fan", percentage=66)
    assert lounge.transmitted == [bytes_of(packets["power"]), bytes_of(packets["x"])]

    [subentry_id] = entry.subentries
    hass.config_entries.async_remove_subentry(entry, subentry_id)
    await hass.async_block_till_done()
    await until(lambda: len(buttons(hass)) == 4)
    assert hass.states.get("fan.fan") is None
    assert commands(entry.runtime_data.devices)["fan"].keys() == packets.keys()


async def test_an_appliance_without_functions_and_a_wrong_threshold_are_rejected(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await act(
        hass,
        "irhub",
        "import_codes",
        entity_id="remote.lounge",
        codes={"gate": {"a": CODES.packet()}},
    )
    dialogue = await (await begin(hass, entry, "fan")).choose("commands")
    await dialogue.submit(device="gate")
    assert dialogue.step == "functions"
    await dialogue.submit()
    assert "choose at least one" in dialogue.error
    await dialogue.submit(toggle="a")
    assert dialogue.step == "ready"
    await dialogue.submit(more={"power_threshold": 10001}, then="finish")
    assert "from 0 to 10000" in dialogue.error


async def test_a_new_cover_follows_its_remote_control_if_chosen(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    codes = {"blind": {"open": CODES.packet(), "close": CODES.packet()}}
    await act(hass, "irhub", "import_codes", entity_id="remote.lounge", codes=codes)
    dialogue = await (await begin(hass, entry, "cover")).choose("commands")
    await dialogue.submit(device="blind")
    assert dialogue.folded == ["device_class", "follow", "events", "emitter"]
    assert dialogue.suggested["more"]["device_class"] == "blind"
    await dialogue.submit(more={"follow": True, "device_class": "blind"}, then="finish")
    await lounge.press_when_listening(bytes_of(codes["blind"]["open"]))
    await until(lambda: hass.states.is_state("cover.blind", "open"))
    await lounge.press_when_listening(bytes_of(codes["blind"]["close"]))
    await until(lambda: hass.states.is_state("cover.blind", "closed"))
    assert lounge.transmitted == []


async def test_changes_of_appliances_do_not_affect_other_entities_of_the_hub(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": NEC, "vol up": CODES.packet()}, box={"ok": CODES.packet()})
    dialogue = await (await begin(hass, entry, "television")).choose("commands")
    await finish(hass, await dialogue.submit(device="tv"), "media_player.tv")
    others = {"remote.lounge", "media_player.tv", "button.box_ok", "infrared.lounge_infrared"}
    assert others <= {*hass.states.async_entity_ids()}
    unavailable: list[str] = []
    states: list[ConfigEntryState] = []

    @callback
    def state_changed(event: Event[EventStateChangedData]) -> None:
        state = event.data["new_state"]
        if state is None or state.state == "unavailable":
            unavailable.append(event.data["entity_id"])

    @callback
    def entry_changed(_change: ConfigEntryChange, changed: ConfigEntry) -> None:
        if changed is entry:
            states.append(changed.state)

    hass.bus.async_listen("state_changed", state_changed)
    async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, entry_changed)

    before = {*entry.subentries}
    dialogue = await (await begin(hass, entry)).choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    await finish(hass, dialogue, "climate.acme_a1")
    [added] = {*entry.subentries} - before
    assert "button.acme_a1_turbo" in hass.states.async_entity_ids()

    dialogue = await change(hass, entry, added)
    follow = {**dialogue.suggested["more"], "follow": True}
    await finish(hass, dialogue, "climate.acme_a1", more=follow)

    dialogue = await change(hass, entry, added)
    await dialogue.submit(then="kind")
    await dialogue.submit(kind="fan")
    await finish(hass, dialogue, "fan.acme_a1")
    assert er.async_get(hass).async_get("climate.acme_a1") is None

    assert hass.config_entries.async_remove_subentry(entry, added)
    await until(lambda: hass.states.get("fan.acme_a1") is None)
    await hass.async_block_till_done()
    # What it was made of stays, each command with its button.
    await until(lambda: "button.acme_a1_off" in hass.states.async_entity_ids())

    assert not others & {*unavailable}, unavailable
    assert {*states} == {ConfigEntryState.LOADED}


async def test_a_restored_device_appears_without_a_reload_of_the_hub(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    await learn(hass, tv={"power": NEC})
    use = entry.runtime_data
    dialogue = await (await begin(hass, entry, "television")).choose("commands")
    await finish(hass, await dialogue.submit(device="tv"), "media_player.tv")
    deleted = await use.devices.delete_named("tv")
    await until(lambda: hass.states.get("media_player.tv") is None)
    assert not entry.subentries
    dialogue = await (await configure(hass, entry)).choose("restore")
    await dialogue.submit(deleted=[deleted.id])
    await until(lambda: hass.states.get("media_player.tv") is not None)
    assert entry.runtime_data is use
