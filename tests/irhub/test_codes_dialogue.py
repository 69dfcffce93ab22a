"""Trying, renaming, deleting, importing and exporting commands in the dialogue."""

import json
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from tests.home import until
from virtual_home.hub import VirtualHub

from .dialogues import Dialogue, add, configure
from .home import HDMI, NEC, POWER, RC5
from .test_button import buttons, learn

TV: dict[str, dict[str, str | list[str]]] = {
    "television": {"power": RC5, "mute": NEC},
    "fan": {"off": NEC},
}


def value(device: str, command: str | None = None) -> str:
    """Return how the dialogue calls a command, or a device."""
    return json.dumps([device, command])


def offered(dialogue: Dialogue, field: str) -> list[str]:
    return [option["label"] for option in dialogue.fields[field].config["options"]]


async def start(hass: HomeAssistant, hub: VirtualHub) -> Dialogue:
    """Open the dialogue of a hub that has learned TV."""
    entry = await add(hass, hub)
    await learn(hass, **TV)
    return await configure(hass, entry)


async def test_without_commands_there_is_little_to_do(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        assert dialogue.shown["menu_options"] == ["learn", "import_codes", "settings"]


async def test_try(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await start(hass, hub)
        await dialogue.choose("try_command")
        assert offered(dialogue, "command") == [
            "fan → off",
            "television → mute",
            "television → power",
        ]
        await dialogue.submit(command=value("television", "power"))
        assert dialogue.step == "tried_command"
        assert dialogue.texts == {"command": "television → power"}
        await dialogue.submit(command=value("television", "mute"))
        assert hub.transmitted == [POWER, HDMI]
        hub.faults.silent = True
        await dialogue.submit(command=value("television", "mute"))
        assert "did not confirm" in dialogue.error


async def test_rename(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await start(hass, hub)
        await dialogue.choose("rename")
        assert offered(dialogue, "command")[:2] == ["fan", "fan → off"]
        await dialogue.submit(command=value("television", "mute"))
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
        await dialogue.submit(command=value("television"))
        assert [*dialogue.fields] == ["device"]
        await dialogue.submit(device="tv")
        await dialogue.choose("init")
        assert dialogue.step == "init"
        await hass.async_block_till_done()
        assert buttons(hass)["button.television_mute"] == "tv silence"


async def test_delete(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await start(hass, hub)
        await dialogue.choose("delete")
        await dialogue.submit(commands=[])
        assert dialogue.step == "delete"
        await dialogue.submit(
            commands=[value("fan"), value("fan", "off"), value("television", "mute")]
        )
        assert dialogue.step == "confirm_delete"
        assert dialogue.texts["commands"] == "fan, fan → off, television → mute"
        assert len(buttons(hass)) == 3
        await dialogue.submit()
        assert dialogue.step == "deleted"
        await hass.async_block_till_done()
        assert buttons(hass).keys() == {"button.television_power"}
        await dialogue.choose("finish")
        assert dialogue.type is FlowResultType.CREATE_ENTRY


async def test_what_is_gone_already_is_said(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await start(hass, hub)
        await dialogue.choose("delete")
        await dialogue.submit(commands=[value("fan", "off")])
        [entry] = hass.config_entries.async_entries("irhub")
        await entry.runtime_data.codes.delete("fan")
        await dialogue.submit()
        assert "No device fan was learned" in dialogue.error


async def test_export_and_import(hass: HomeAssistant) -> None:
    async with (
        VirtualHub(name="Lounge") as hub,
        VirtualHub(mac="34:EA:34:00:00:02", name="Attic") as other,
    ):
        dialogue = await start(hass, hub)
        await dialogue.choose("export_codes")
        schema = dialogue.shown["data_schema"]
        assert schema is not None
        [field] = schema.schema
        text = field.description["suggested_value"]
        await dialogue.submit(text=text)
        assert dialogue.step == "init"

        target = await configure(hass, await add(hass, other))
        await target.choose("import_codes")
        await target.submit(text=text)
        assert target.step == "imported"
        assert target.texts == {"count": "3"}
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
    ("given", "expected"),
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
async def test_import_of_what_people_have(
    hass: HomeAssistant, given: dict[str, str], expected: set[str]
) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("import_codes")
        await dialogue.submit(**given)
        assert dialogue.step == "imported"
        await hass.async_block_till_done()
        assert buttons(hass).keys() == expected


async def test_what_cannot_be_imported_is_explained(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        await dialogue.choose("import_codes")
        await dialogue.submit(text="television: {power: nonsense}")
        assert dialogue.step == "import_codes"
        assert dialogue.error.startswith("Nothing was imported: television → power: ")
        assert buttons(hass) == {}


async def test_a_disk_that_cannot_be_written(hass: HomeAssistant, config_dir: Path) -> None:
    async with VirtualHub("rm_mini", name="Lounge") as hub:
        dialogue = await start(hass, hub)
        codes = config_dir / ".storage" / "irhub_remote_34ea34000001_codes"
        codes.unlink()
        codes.mkdir()
        await dialogue.choose("import_codes")
        await dialogue.submit(text=RC5, device="tv", command="power")
        assert "could not be written" in dialogue.error

        dialogue = await configure(hass, hass.config_entries.async_entries("irhub")[0])
        await dialogue.choose("learn")
        await dialogue.submit(device="tv", command="power", alternative=False)
        await hub.press_when_listening(POWER)
        await dialogue.arrive("heard")
        await dialogue.choose("keep")
        assert dialogue.step == "heard"
        assert "could not be written" in dialogue.texts["problem"]
        codes.rmdir()
        await dialogue.choose("keep")
        assert dialogue.step == "kept"


async def test_a_disk_that_cannot_be_read(hass: HomeAssistant, config_dir: Path) -> None:
    codes = config_dir / ".storage" / "irhub_remote_34ea34000001_codes"
    codes.mkdir(parents=True)
    async with VirtualHub(name="Lounge") as hub:
        dialogue = await configure(hass, await add(hass, hub))
        assert dialogue.type is FlowResultType.ABORT
        assert "cannot be read" in dialogue.texts["error"]


async def test_the_dialogue_of_a_hub_that_is_off(hass: HomeAssistant) -> None:
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
        await learn(hass, **TV)
        hub.faults.silent = True
        entry.runtime_data.hub.connection.doubt()
        await until(lambda: not entry.runtime_data.hub.available)
        dialogue = await configure(hass, entry)
        await dialogue.choose("rename")
        await dialogue.submit(command=value("fan", "off"))
        await dialogue.submit(device="fan", command="stop")
        assert dialogue.step == "renamed"


@pytest.mark.parametrize("removed", [True, False])
async def test_the_dialogue_of_a_hub_that_is_gone_ends(hass: HomeAssistant, removed: bool) -> None:
    async with VirtualHub(name="Lounge") as hub:
        entry = await add(hass, hub)
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
