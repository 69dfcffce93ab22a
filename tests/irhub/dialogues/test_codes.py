"""Trying, renaming, deleting, importing and exporting commands in the dialogue."""

from http import HTTPStatus
import json
from pathlib import Path
from uuid import uuid4

from aiohttp import FormData
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)
import voluptuous as vol

from custom_components.irhub.devices.exports import export_data
from custom_components.irhub.dialogues import options
from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until
from virtual_home.hub import VirtualHub

from ..buttons import buttons, learn, press
from ..dialogue import Dialogue, add, configure, download_link
from ..home import HDMI, NEC, POWER, RC5

TV: dict[str, dict[str, str | list[str]]] = {
    "television": {"power": RC5, "mute": NEC},
    "fan": {"off": NEC},
}


def offered(dialogue: Dialogue, field: str) -> list[str]:
    options = dialogue.fields[field].config["options"]
    return [option["label"] if isinstance(option, dict) else option for option in options]


async def start(hass: HomeAssistant, hub: VirtualHub) -> Dialogue:
    """Open the dialogue of a hub that has learned TV."""
    entry = await add(hass, hub)
    await learn(hass, **TV)
    return await configure(hass, entry)


@pytest.mark.parametrize("can_hand_over", [True, False])
async def test_the_menu_without_commands(
    *, hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, can_hand_over: bool, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(options, "CAN_HAND_OVER", can_hand_over)
    dialogue = await configure(hass, await add(hass, lounge))
    assert dialogue.shown["menu_options"] == [
        *(["add_appliance"] if can_hand_over else []),
        "learn",
        "last_heard",
        "import_codes",
        "settings",
    ]


async def test_a_command_is_tried(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("try_command")
    assert offered(dialogue, "device") == ["fan", "television"]
    await dialogue.submit(device="radio")
    assert "No device radio was learned; there are: fan, television" in dialogue.error
    await dialogue.submit(device="television")
    assert offered(dialogue, "command") == ["mute", "power"]
    await dialogue.submit(command="power")
    assert dialogue.step == "tried"
    assert dialogue.texts == {"device": "television", "command": "power"}
    await dialogue.submit(command="mute")
    assert lounge.transmitted == [POWER, HDMI]
    lounge.faults.silent = True
    await dialogue.submit(command="mute")
    assert "does not answer: is it plugged in" in dialogue.error
    await dialogue.submit()
    assert dialogue.step == "try_command"
    await dialogue.submit()
    assert dialogue.step == "init"


async def test_a_command_that_toggles_is_tried_code_by_code(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, television={"power": [RC5, NEC]})
    dialogue = await configure(hass, entry)
    await dialogue.choose("try_command")  # one device is no choice
    for _ in range(3):
        await dialogue.submit(command="power")
    assert lounge.transmitted == [POWER, HDMI, POWER]
    await dialogue.submit()
    assert dialogue.step == "init"


async def test_commands_and_devices_are_renamed(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("rename")
    await dialogue.submit(device="television")
    await dialogue.submit(command="mute")
    assert dialogue.step == "new_name"
    assert dialogue.texts == {"chosen": "television → mute"}
    await dialogue.submit(device="television", command=" ")
    assert "name is empty" in dialogue.error
    await dialogue.submit(device="television", command="power")
    assert "has these commands already: power" in dialogue.error
    await dialogue.submit(device="television", command=" silence ")
    assert dialogue.step == "renamed"
    await hass.async_block_till_done()
    assert buttons(hass)["button.television_mute"] == "television silence"

    await dialogue.choose("rename")
    await dialogue.submit(device="television")
    await dialogue.submit()
    assert [*dialogue.fields] == ["device"]
    await dialogue.submit(device="fan")
    assert "There is a device fan already" in dialogue.error
    await dialogue.submit(device="tv")
    await dialogue.choose("init")
    assert dialogue.step == "init"
    await hass.async_block_till_done()
    assert buttons(hass)["button.television_mute"] == "tv silence"


async def test_a_command_is_repeated_as_often_as_its_device_needs(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("rename")
    await dialogue.submit(device="television")
    await dialogue.submit(command="power")
    assert dialogue.suggested["repeats"] == POWER[1] == 0
    names = {"device": "television", "command": "power"}
    for wrong in (256, -1, float("inf"), float("nan")):
        await dialogue.submit(**names, repeats=wrong)
        assert f"{wrong:g} is not possible here; enter a number from 0 to 255" in dialogue.error
    await dialogue.submit(**names, repeats=2)
    assert dialogue.step == "renamed"
    data = {"entity_id": "remote.lounge", "device": "television", "command": ["power"]}
    await hass.services.async_call("remote", "send_command", data, blocking=True)
    assert lounge.transmitted == [bytes([POWER[0], 2, *POWER[2:]])]

    await dialogue.choose("rename")
    await dialogue.submit(device="television")
    await dialogue.submit()
    assert [*dialogue.fields] == ["device"], "a device is not repeated"


async def test_an_unchanged_name_leads_back_to_the_menu(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("rename")
    await dialogue.submit(device="fan")
    await dialogue.submit(command="off")
    await dialogue.submit(device="fan", command="off")
    assert dialogue.step == "init"


async def test_a_device_is_shown_under_its_name_in_home_assistant(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    registry = dr.async_get(hass)
    [entry] = hass.config_entries.async_entries("irhub")
    devices = dr.async_entries_for_config_entry(registry, entry.entry_id)
    [fan] = [device for device in devices if device.name == "fan"]
    registry.async_update_device(fan.id, name_by_user="Ceiling fan")
    await dialogue.choose("try_command")
    assert offered(dialogue, "device") == ["Ceiling fan", "television"]
    await dialogue.submit(device="fan")
    assert dialogue.texts == {"device": "Ceiling fan"}


async def test_commands_are_deleted_after_confirmation(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("delete")
    # The frontend chooses the first of a required field by itself.
    schema = dialogue.shown["data_schema"]
    assert schema is not None
    assert all(isinstance(field, vol.Optional) for field in schema.schema)
    await dialogue.submit(device="television")
    await dialogue.submit(whole=False)
    assert dialogue.step == "delete"
    await dialogue.submit(device="television")
    await dialogue.submit(commands=["mute"], whole=False)
    assert dialogue.step == "confirm_delete"
    assert dialogue.texts == {
        "device": "television",
        "count": "1",
        "total": "2",
        "problem": "",
    }
    assert len(buttons(hass)) == 3
    await dialogue.choose("delete_now")
    assert dialogue.step == "deleted"
    await hass.async_block_till_done()
    assert buttons(hass).keys() == {"button.television_power", "button.fan_off"}
    await dialogue.choose("finish")
    await dialogue.submit(next_step_id="finish")  # a double click
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    assert dialogue.type is FlowResultType.ABORT
    assert dialogue.shown["reason"] == "finished"


async def test_a_whole_device_is_deleted(hass: HomeAssistant, lounge: VirtualHub) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("delete")
    await dialogue.submit(device="television")
    await dialogue.submit(whole=True)
    assert dialogue.texts["count"] == "2"
    await dialogue.choose("delete_now")
    await hass.async_block_till_done()
    assert buttons(hass).keys() == {"button.fan_off"}


async def test_a_device_that_was_deleted_meanwhile_is_reported(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("delete")
    await dialogue.submit(device="fan")
    await dialogue.submit(commands=["off"], whole=False)
    [entry] = hass.config_entries.async_entries("irhub")
    await entry.runtime_data.devices.delete_named("fan")
    await dialogue.choose("delete_now")
    assert "No device fan was learned" in dialogue.texts["problem"]
    await dialogue.choose("init")


async def test_an_export_is_imported_by_another_hub(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    await dialogue.choose("export_codes")
    schema = dialogue.shown["data_schema"]
    assert schema is not None
    [field] = schema.schema
    text = field.description["suggested_value"]
    await dialogue.submit(text=text)
    assert dialogue.step == "init"

    target = await configure(hass, await add(hass, attic))
    await target.choose("import_codes")
    await target.submit(text=text)
    assert target.step == "preview"
    assert {key: target.texts[key] for key in ("count", "new", "replaced")} == {
        "count": "3",
        "new": "3",
        "replaced": "0",
    }
    await target.choose("import_now")
    assert target.step == "imported"
    assert target.texts == {"count": "3", "own": "", "problem": ""}
    await hass.async_block_till_done()
    assert len(buttons(hass)) == 6


SMARTIR = {
    "manufacturer": "Daikin",
    "supportedModels": ["FTX"],
    "supportedController": "Broadlink",
    "commandsEncoding": "Base64",
    "commands": {"off": RC5, "cool": {"auto": {"24": NEC}}},
}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"text": RC5, "device": "tv", "command": "power"}, {"button.tv_power"}),
        (
            {"text": json.dumps(SMARTIR)},
            {"button.daikin_ftx_off", "button.daikin_ftx_cool_auto_24"},
        ),
        (
            {"text": json.dumps(SMARTIR), "device": "bedroom"},
            {"button.bedroom_off", "button.bedroom_cool_auto_24"},
        ),
    ],
)
async def test_import_of_common_formats(
    hass: HomeAssistant, answers: dict[str, str], expected: set[str], entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await dialogue.choose("import_codes")
    await dialogue.submit(**answers)
    await dialogue.choose("import_now")
    assert dialogue.step == "imported"
    await hass.async_block_till_done()
    assert buttons(hass).keys() == expected


async def test_names_in_a_file_are_escaped_in_markdown(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    name = "[tv](https://example.com)"
    shown = r"\[tv\](https\://example.com)"
    dialogue = await configure(hass, await add(hass, lounge))
    await dialogue.choose("import_codes")
    await dialogue.submit(text=json.dumps({name: {"power": RC5, "# b": "no packet"}}))
    assert dialogue.texts["devices"] == shown
    assert shown in dialogue.texts["account"]
    await dialogue.choose("import_now")
    await hass.async_block_till_done()
    await dialogue.choose("finish")
    dialogue = await configure(hass, hass.config_entries.async_entries("irhub")[0])
    await dialogue.choose("try_command")
    assert dialogue.texts["device"] == shown


async def test_an_import_stores_manufacturer_and_model_of_the_file(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    for own, named in (
        ("LG Infrared", {"manufacturer": "LG Electronics", "supportedModels": ["OLED", "B7"]}),
        ("", {"manufacturer": "Long" * 64, "supportedModels": ["X"]}),
    ):
        await dialogue.choose("import_codes")
        await dialogue.submit(text=json.dumps(SMARTIR | named), device="screen")
        await dialogue.choose("import_now")
        note = dialogue.texts["own"]
        assert own in note
        assert bool(own) == ("an integration of its own" in note)
        screen = _device(hass, "screen")
        assert screen.manufacturer == named["manufacturer"]
        assert screen.model == ", ".join(named["supportedModels"])
        await dialogue.choose("init")
    await learn(hass, screen={"mute": NEC})  # which says neither
    assert _device(hass, "screen").model == "X"


@pytest.mark.usefixtures("entry")
async def test_the_import_action_stores_manufacturer_and_model_of_the_file(
    hass: HomeAssistant,
) -> None:
    await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.lounge", "codes": json.dumps(SMARTIR)},
        blocking=True,
    )
    noted = _device(hass, "Daikin FTX")
    assert (noted.manufacturer, noted.model) == ("Daikin", "FTX")


def _device(hass: HomeAssistant, name: str) -> dr.DeviceEntry:
    [entry] = hass.config_entries.async_entries("irhub")
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    return next(device for device in devices if device.name == name)


async def test_an_empty_import_leads_back_to_the_menu(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await dialogue.choose("import_codes")
    await dialogue.submit()
    assert dialogue.step == "init"


async def test_commands_that_cannot_be_imported_are_listed_with_the_reason(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    hass.config.language = "de"
    dialogue = await configure(hass, await add(hass, lounge))
    await dialogue.choose("import_codes")
    await dialogue.submit(text="television: {power: nonsense}")
    assert dialogue.step == "preview"
    *_, named = dialogue.texts["account"].splitlines()
    assert named == "- television → power: kein Code in Base64/hex/Pronto/Tuya: 'nonsense'"
    assert dialogue.texts["account"].count("kein Code") == 1
    assert "import_now" not in dialogue.shown["menu_options"]
    await dialogue.choose("import_codes")
    await dialogue.submit(text="{")
    assert dialogue.error.startswith("Nichts wurde importiert: ")
    await dialogue.submit(text=RC5)
    assert "Das ist ein einzelnes Paket" in dialogue.error
    assert buttons(hass) == {}


async def test_an_import_is_previewed(hass: HomeAssistant, lounge: VirtualHub) -> None:
    hass.config.language = "de"
    dialogue = await start(hass, lounge)
    await dialogue.choose("import_codes")
    brought = {"television": {"power": NEC, "source": RC5, "odd": ""}}
    await dialogue.submit(text=json.dumps(brought))
    assert dialogue.step == "preview"
    texts = dialogue.texts
    assert (texts["count"], texts["total"], texts["new"]) == ("2", "3", "1")
    assert texts["replaced"] == "1 (television → power)"
    assert "- television → odd: " in texts["account"]
    await dialogue.choose("import_codes")
    await dialogue.submit(text=json.dumps(brought))
    assert buttons(hass).keys() == {
        *("button.television_power", "button.television_mute", "button.fan_off")
    }
    await dialogue.choose("import_now")
    await hass.async_block_till_done()
    assert "button.television_source" in buttons(hass)
    await press(hass, "button.television_power")
    assert lounge.transmitted == [HDMI]


async def test_commands_are_uploaded_and_downloaded_as_a_file(
    hass: HomeAssistant,
    hass_client: ClientSessionGenerator,
    hass_client_no_auth: ClientSessionGenerator,
    lounge: VirtualHub,
) -> None:
    assert await async_setup_component(hass, "file_upload", {})
    assert await async_setup_component(hass, "config", {})
    entry = await add(hass, lounge)
    await learn(hass, lamp={"on": NEC})
    first = await configure(hass, entry)
    await first.choose("export_codes")
    client = await hass_client()  # its server takes no views that come later, as real ones do
    dialogue = await configure(hass, entry)
    await dialogue.choose("import_codes")
    for content, expected in (
        (json.dumps(TV), "preview"),
        (b"\x89PNG\r\n\x1a\n\0", "import_codes"),
    ):
        form = FormData()
        form.add_field("file", content, filename="tv.json")
        uploaded = await client.post("/api/file_upload", data=form)
        await dialogue.submit(file=(await uploaded.json())["file_id"])
        assert dialogue.step == expected
        if expected == "preview":
            await dialogue.choose("import_now")
            await dialogue.choose("import_codes")
    assert dialogue.error == "Nothing was imported: this is no text file"
    await dialogue.submit(file=str(uuid4()))
    assert "Nothing was imported" in dialogue.error
    await dialogue.submit()
    await dialogue.choose("export_codes")
    link = await download_link(client, dialogue)
    stranger = await hass_client_no_auth()
    signed = await stranger.get(link)
    assert signed.status == HTTPStatus.OK
    assert "lounge.json" in signed.headers["Content-Disposition"]
    assert await signed.json() == export_data(entry.runtime_data.devices.values())
    unsigned = await stranger.get(link.partition("?")[0])
    assert unsigned.status == HTTPStatus.UNAUTHORIZED
    unknown = await client.get("/api/irhub/codes/unknown")
    assert unknown.status == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_disk_that_cannot_be_written_is_reported(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    dialogue = await start(hass, lounge)
    codes = config_dir / ".storage" / "irhub_devices_34ea34000001"
    codes.unlink()
    codes.mkdir()
    await dialogue.choose("import_codes")
    await dialogue.submit(text=RC5, device="tv", command="power")
    await dialogue.choose("import_now")
    assert "could not be written" in dialogue.texts["problem"]

    dialogue = await configure(hass, hass.config_entries.async_entries("irhub")[0])
    await dialogue.choose("learn")
    await dialogue.submit(device="tv", command="power", alternative=False)
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    await dialogue.choose("keep")
    assert dialogue.step == "heard"
    assert "could not be written" in dialogue.texts["problem"]
    codes.rmdir()
    await dialogue.choose("keep")
    assert dialogue.step == "kept"


async def test_a_disk_that_cannot_be_read_ends_the_dialogue(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    codes = config_dir / ".storage" / "irhub_devices_34ea34000001"
    codes.mkdir(parents=True)
    dialogue = await configure(hass, await add(hass, lounge))
    assert dialogue.type is FlowResultType.ABORT
    assert "cannot be read" in dialogue.texts["error"]
    shown = await hass.config_entries.subentries.async_init(
        (hass.config_entries.async_entries("irhub")[0].entry_id, "appliance"),
        context={"source": "user"},
    )
    assert (shown["type"], shown["reason"]) == (FlowResultType.ABORT, "failed")


async def test_the_dialogue_of_a_hub_that_is_off(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await learn(hass, **TV)
    lounge.faults.silent = True
    entry.runtime_data.own_hub.connection.check_now()
    await until(lambda: not entry.runtime_data.hub.available)
    dialogue = await configure(hass, entry)
    await dialogue.choose("rename")
    await dialogue.submit(device="fan")
    await dialogue.submit(command="off")
    await dialogue.submit(device="fan", command="stop")
    assert dialogue.step == "renamed"


@pytest.mark.parametrize("removed", [True, False])
async def test_the_dialogue_of_a_removed_hub_ends(
    hass: HomeAssistant, removed: bool, entry: IrhubConfigEntry
) -> None:
    open_at = [await configure(hass, entry) for _ in range(3)]
    for dialogue, option in zip(open_at, ("settings", "learn", "import_codes"), strict=True):
        await dialogue.choose(option)
    if removed:
        await hass.config_entries.async_remove(entry.entry_id)
    else:
        await hass.config_entries.async_unload(entry.entry_id)
    answers: list[dict[str, object]] = [
        {"timeout": 2},
        {"device": "tv", "command": "power", "alternative": False},
        {"text": RC5, "device": "tv", "command": "power"},
    ]
    for dialogue, answer in zip(open_at, answers, strict=True):
        await dialogue.submit(**answer)
        assert dialogue.type is FlowResultType.ABORT
        assert dialogue.shown["reason"] == "not_loaded"
