"""Maker and model are chosen, and their code file is fetched when the user agrees."""

from collections.abc import AsyncGenerator
import json

from homeassistant.core import HomeAssistant
import pytest
import voluptuous as vol

from custom_components.irhub.dialogues import listening
from custom_components.irhub.ircodes import Collection, to_base64
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.hub import VirtualHub

from ..collected import collection_of, server
from ..dialogue import add
from ..ircodes.files.indexes import file_of, heard, state
from .lessons import begin, press

FILES = {f"codes/climate/{maker}.json": file_of(maker) for maker in (1, 2)}
COLLECTION = collection_of(FILES)
COMMANDS = {"cool": {"auto": {"24": to_base64(state(2, "cool", "auto", 24))}}}


@pytest.fixture(name="mirror")
async def mirror_fixture(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Endpoint]:
    """Return a server that has the files, whose index is the one that is shipped."""
    monkeypatch.setattr(Collection, "load", lambda: COLLECTION)
    monkeypatch.setattr(listening, "DOUBLE_CLICK_S", 0)
    async with server(hass) as mirror:
        for path, content in FILES.items():
            mirror.set(f"/{path}", Answer(body=json.dumps(content).encode()))
        yield mirror


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_model_is_chosen(hass: HomeAssistant, mirror: Endpoint, lounge: VirtualHub) -> None:
    entry = await add(hass, lounge, collection=mirror.url)
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await dialogue.choose("maker_and_model")
    assert dialogue.texts["count"] == "2"
    await dialogue.submit(model="codes/climate/2.json")
    assert dialogue.step == "consent"
    assert dialogue.texts == {
        "problem": "",
        "file": "Maker 2 A, B (2.json)",
        "size": "5 kB",
        "licence": "As you like",
        "source": f"{mirror.url}/codes/climate/2.json",
    }
    assert not mirror.count(), "nothing is fetched before the user agrees"
    mirror.set("/codes/climate/2.json", Answer(body=b"{}"))
    await (await dialogue.choose("fetch")).progress("fetching")
    assert dialogue.texts == {"file": "Maker 2 A, B (2.json)"}
    await dialogue.arrive("consent")
    assert "its checksum is another one" in dialogue.texts["problem"]
    mirror.set("/codes/climate/2.json", Answer(body=json.dumps(file_of(2)).encode()))
    assert dialogue.texts == (await dialogue.refresh()).texts, "pages are asked for twice"
    await (await dialogue.choose("fetch")).arrive("ready")
    assert mirror.count() == 2


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_press_names_the_model(
    hass: HomeAssistant, mirror: Endpoint, lounge: VirtualHub
) -> None:
    entry = await add(hass, lounge, collection=mirror.url)
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await press(dialogue, lounge, heard(state(1, "cool", "auto", 24), 1))
    await dialogue.choose("of_press")
    assert dialogue.texts["count"] == "1"
    await dialogue.submit(model="codes/climate/1.json")
    await (await dialogue.choose("fetch")).arrive("ready")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_nothing_is_chosen_or_fetched_without_consent(
    hass: HomeAssistant, mirror: Endpoint, lounge: VirtualHub
) -> None:
    """The frontend selects the first option of a field that is required."""
    entry = await add(hass, lounge, collection=mirror.url)
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await dialogue.choose("maker_and_model")
    schema = dialogue.shown["data_schema"]
    assert schema is not None
    assert [type(field) for field in schema.schema] == [vol.Optional]
    await dialogue.submit(model="codes/climate/2.json")
    await dialogue.choose("consent_back")
    assert dialogue.step == "maker_and_model"
    await dialogue.submit()
    assert dialogue.step == "how"
    assert not mirror.count()


@pytest.mark.parametrize("model", ["rm_mini"])
@pytest.mark.usefixtures("no_pauses")
async def test_a_second_press_tells_the_models_apart(
    hass: HomeAssistant, mirror: Endpoint, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    """Those of the collection too, wherever one was asked to press."""
    off = state(1, "cool", "auto", 0)
    of_other = {**COMMANDS, "off": to_base64(off)}
    both = {**FILES, "codes/climate/2.json": file_of(2, commands=of_other)}
    monkeypatch.setattr(Collection, "load", lambda: collection_of(both))
    entry = await add(hass, lounge, collection=mirror.url)
    dialogue = await (await begin(hass, entry)).choose("air_conditioner")
    await press(dialogue, lounge, off)
    assert "of_press" in dialogue.shown["menu_options"]
    await (await dialogue.choose("hear")).progress("press_more")
    await lounge.press_when_listening(heard(state(2, "cool", "auto", 24), 1))
    await dialogue.arrive("fits")
    assert dialogue.texts["count"] == "Matching models of a public collection: 1."
    await dialogue.choose("of_press")
    assert dialogue.texts["count"] == "1"
