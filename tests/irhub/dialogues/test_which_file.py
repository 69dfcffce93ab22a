"""Which code file fits? The dialogue asks for a press, and names the files that hold it."""

from pathlib import Path

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from benchmarks.virtual_remotes import VirtualRemote
from custom_components.irhub.dialogues import listening
from custom_components.irhub.ircodes import OFF
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from ..home import POWER
from ..ircodes.files.indexes import FOLDER, file_of, heard, put, state, zipped
from ..remotes_of_protocols import file_of as file_of_protocol, shows, with_a_lamp
from .appliances import begin

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses")
COUNT = "Matching files, best first: {}."
"""Models of the public collection are mentioned only if there are some."""


async def press(dialogue: Dialogue, hub: VirtualHub, packet: bytes) -> None:
    """Press a button when the dialogue asks for it."""
    await dialogue.progress("press_more")
    assert dialogue.texts["seconds"] == "20"
    await hub.press_when_listening(packet)
    await dialogue.wait(lambda: dialogue.type is FlowResultType.MENU)


async def open_file_search(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Dialogue:
    """Press a button that is in no file, and choose to look in others."""
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await dialogue.progress("press_state")
    await hub.press_when_listening(POWER)
    await dialogue.arrive("heard")
    assert "choose_file" not in dialogue.shown["menu_options"]
    return await dialogue.choose("which_file")


async def test_an_air_conditioner_is_added_from_the_file_of_a_press(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    ours, theirs = file_of(1), file_of(2)
    ours |= {
        "operationModes": ["cool", "heat", "dry"],
        "fanModes": ["auto", "low"],
        "minTemperature": 18,
        "maxTemperature": 25,
    }
    theirs["commands"]["cool"]["auto"]["24"] = ours["commands"]["cool"]["auto"]["24"]  # type: ignore[index]
    put(config_dir, {f"{FOLDER}/1.json": ours, f"{FOLDER}/2.json": theirs, "codes/bad.json": "{"})
    entry = await add(hass, lounge)
    dialogue = await open_file_search(hass, entry, lounge)
    assert "- irhub/codes\n" in dialogue.texts["folders"]
    await dialogue.submit()
    await press(dialogue, lounge, POWER)
    assert (dialogue.step, dialogue.texts["files"]) == ("fits_none", "2")

    await dialogue.choose("press_anew")
    await press(dialogue, lounge, heard(state(1, "cool", "auto", 24), 1))
    assert dialogue.step == "fits"
    assert dialogue.texts["matches"] == (
        f"- {FOLDER}/1.json (Maker 1 A, B): cool auto 24\n"
        f"- {FOLDER}/2.json (Maker 2 A, B): cool auto 24"
    )
    assert dialogue.texts["count"] == COUNT.format(2)
    assert dialogue.texts["next"].startswith("Each further press narrows them down")
    assert "cool auto 24" not in dialogue.texts["next"]  # which both files have
    await dialogue.choose("choose_file")
    assert [*dialogue.fields] == ["fitting"]
    await dialogue.submit()  # nothing is chosen for the user
    assert dialogue.step == "fits"

    await dialogue.choose("hear")
    await press(dialogue, lounge, heard(state(1, "heat", "low", 18), 2))
    assert (dialogue.texts["count"], dialogue.texts["next"]) == (COUNT.format(1), "")
    assert dialogue.texts["matches"].endswith("cool auto 24; heat low 18")
    await dialogue.choose("choose_file")
    assert (dialogue.step, dialogue.texts["commands"]) == ("ready", "Commands: 19")
    await dialogue.submit(name="Office", then="finish")
    await until(lambda: hass.states.get("climate.office") is not None)
    await hass.async_block_till_done()
    await until(lambda: entry.runtime_data.hub.available)
    data = {"entity_id": "climate.office", "hvac_mode": "cool", "temperature": 24}
    await hass.services.async_call("climate", "set_temperature", data, blocking=True)
    assert lounge.transmitted[-1] == state(1, "cool", "auto", 24)


async def test_a_press_of_no_file_leads_to_the_files_of_its_protocol(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    """With what the file calls the state that was pressed, and how many packets were compared."""
    gree, panasonic = (
        file_of_protocol(name, VirtualRemote(name).packet(OFF)) for name in ("GREE", "PANASONIC_AC")
    )
    fewer = file_of_protocol("GREE", VirtualRemote("GREE").packet(OFF), degrees=range(24, 26))
    files = {"1.json": fewer, "2.json": gree, "3.json": panasonic, "4.json": file_of(1)}
    put(config_dir, {f"{FOLDER}/{name}": file for name, file in files.items()})
    dialogue = await open_file_search(hass, await add(hass, lounge), lounge)
    await dialogue.submit()
    await press(dialogue, lounge, with_a_lamp(shows("GREE", "cool", 23, "low")))
    assert dialogue.step == "fits_protocol"
    assert (dialogue.texts["protocol"], dialogue.texts["count"]) == ("GREE", "2")
    assert dialogue.texts["matches"] == (
        f"- {FOLDER}/2.json (Acme A1, A2): cool level1 23 · GREE 7/7\n"
        f"- {FOLDER}/1.json (Acme A1, A2): \N{EN DASH} · GREE 5/5"
    )
    await dialogue.choose("hear")
    await press(dialogue, lounge, with_a_lamp(shows("GREE", "cool", 24, "high")))
    assert (
        dialogue.texts["matches"]
        .splitlines()[0]
        .endswith("cool level1 23; cool level2 24 · GREE 7/7")
    )
    await dialogue.choose("choose_file")
    await dialogue.submit(fitting=f"{FOLDER}/2.json")
    assert (dialogue.step, dialogue.texts["commands"]) == ("ready", "Commands: 7")


async def test_the_file_is_found_in_an_uploaded_zip(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, lounge: VirtualHub
) -> None:
    assert await async_setup_component(hass, "file_upload", {})
    content = zipped({f"codes/{maker}.json": file_of(maker) for maker in range(3)})
    entry = await add(hass, lounge)
    client = await hass_client()

    async def uploaded(content: bytes) -> str:
        reply = await client.post("/api/file_upload", data={"file": content})
        return str((await reply.json())["file_id"])

    dialogue = await open_file_search(hass, entry, lounge)
    await dialogue.submit(zip=await uploaded(b"PK nonsense"))
    await dialogue.arrive("which_file")
    assert dialogue.error == "Nothing was imported: no zip file"
    await dialogue.submit(zip=await uploaded(zipped({"a.json": "{"})))
    await dialogue.arrive("which_file")
    assert dialogue.error.startswith("Nothing was imported: a.json: ")
    await dialogue.submit(zip=await uploaded(zipped({})))
    await dialogue.arrive("which_file")
    assert dialogue.error.startswith("No code files were found")
    await dialogue.submit(zip=await uploaded(content))
    await press(dialogue, lounge, heard(state(2, "dry", "low", 25), 3))
    assert dialogue.texts["matches"] == "- codes/2.json (Maker 2 A, B): dry low 25"
    await dialogue.choose("choose_file")
    assert dialogue.step == "ready"


async def test_unreadable_files_of_a_zip_are_listed(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, lounge: VirtualHub
) -> None:
    """What was pressed may be in one of them."""
    assert await async_setup_component(hass, "file_upload", {})
    deep = "/".join("abcdefghi")
    content = zipped({"1.json": file_of(1), "2.json": "{", f"{deep}/3.json": file_of(3)})
    hass.config.language = "de"
    entry = await add(hass, lounge)
    client = await hass_client()
    dialogue = await open_file_search(hass, entry, lounge)
    reply = await client.post("/api/file_upload", data={"file": content})
    await dialogue.submit(zip=str((await reply.json())["file_id"]))
    await press(dialogue, lounge, heard(state(3, "dry", "low", 25), 3))
    assert dialogue.step == "fits_none"
    assert dialogue.texts["skipped"] == (
        "Dateien, die nicht gelesen wurden: 2 (2.json: weder ein Paket noch YAML noch JSON:"
        f" Zeile 1, Spalte 2; {deep}/3.json: die Datei liegt in mehr als 8 ineinander"
        " liegenden Ordnern)"
    )
    await dialogue.choose("press_anew")
    await press(dialogue, lounge, heard(state(1, "dry", "low", 25), 3))
    assert dialogue.step == "fits"
    assert "2.json" in dialogue.texts["skipped"]


async def test_a_timeout_and_a_missing_file_are_reported(
    hass: HomeAssistant, config_dir: Path, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    put(config_dir, {f"{FOLDER}/1.json": file_of(1)})
    entry = await add(hass, lounge)
    dialogue = await open_file_search(hass, entry, lounge)
    with monkeypatch.context() as patch:
        patch.setattr(listening, "LEARN_WINDOW_S", 0.3)
        await dialogue.submit()
        await dialogue.arrive("fits_none")
    assert "No signal was received" in dialogue.texts["problem"]
    await dialogue.choose("press_anew")
    await press(dialogue, lounge, state(1, "dry", "low", 25))
    (config_dir / FOLDER / "1.json").unlink()
    await dialogue.choose("choose_file")
    assert dialogue.step == "fits"
    assert f"{FOLDER}/1.json" in dialogue.texts["problem"]
    await dialogue.choose("how")
    assert dialogue.step == "how"
