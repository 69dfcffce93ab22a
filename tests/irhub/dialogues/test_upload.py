"""One entrance for files: whatever is brought goes on in the right place."""

from base64 import b64encode
from collections.abc import Awaitable, Callable
import json
from pathlib import Path
import struct

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.devices.device import Command, Device
from custom_components.irhub.devices.exports import export_text
from custom_components.irhub.dialogues import exchange, upload
from custom_components.irhub.entities.use import IrhubConfigEntry
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure
from ..home import HDMI, NEC, RC5, commands, known
from ..ircodes.files.indexes import file_of, heard, state, zipped
from .appliances import begin, finish
from .remotes import wait_for_button

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses")

type Upload = Callable[[bytes], Awaitable[str]]

PLAIN = struct.pack("<67H", 9000, 4500, *(560, 560, 560, 1690) * 16, 560)
"""An infrared code as tuya_local keeps it: microseconds."""
TWO = {"tv": {"power": NEC, "mute": RC5}, "fan": {"off": NEC}}


@pytest.fixture(name="upload")
async def upload_fixture(hass: HomeAssistant, hass_client: ClientSessionGenerator) -> Upload:
    """Return what takes a file of the user's computer, as the frontend does."""
    assert await async_setup_component(hass, "file_upload", {})
    client = await hass_client()

    async def upload(content: bytes) -> str:
        reply = await client.post("/api/file_upload", data={"file": content})
        return str((await reply.json())["file_id"])

    return upload


async def add_text(hass: HomeAssistant, hub: VirtualHub, kind: str, **answers: object) -> Dialogue:
    """Bring something to *Add appliance*."""
    dialogue = await begin(hass, await add(hass, hub), kind)
    return await (await dialogue.choose("file")).submit(**answers)


async def find_file(dialogue: Dialogue, hub: VirtualHub) -> None:
    """Press a button, and take the file of a collection that has it."""
    await dialogue.progress("press_more")
    await hub.press_when_listening(heard(state(2, "dry", "low", 25), 1))
    await dialogue.wait(lambda: dialogue.type is FlowResultType.MENU)
    assert dialogue.texts["matches"] == "- codes/2.json (Maker 2 A, B): dry low 25"
    await dialogue.choose("choose_file")
    assert dialogue.step == "ready"


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_an_uploaded_packet_is_treated_as_a_press(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await add_text(hass, lounge, "television", text=f"hex: {HDMI.hex()}")
    assert dialogue.step == "heard"
    await dialogue.choose("learn_remote")
    await dialogue.submit(name="TV", buttons=["power", "mute"], pressed="mute")
    await wait_for_button(dialogue, "power")
    assert commands(known(hass)) == {"TV": {"mute": [HDMI]}}


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_device_of_a_file_with_several_is_chosen(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await add_text(hass, lounge, "television", text=json.dumps(TWO))
    assert (dialogue.step, dialogue.texts) == ("which_device", {"count": "2"})
    await dialogue.submit(device="tv")
    assert dialogue.step == "ready"
    assert dialogue.suggested["name"] == "tv"
    await finish(hass, dialogue, "media_player.tv")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_device_of_an_export_that_cannot_be_used_is_explained(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    power = Command(id="power", name="power", packets=(HDMI,))
    export = json.loads(export_text([Device(id="1", name="tv").with_commands(power)]))
    export["devices"].append({**export["devices"][0], "name": "fan", "kind": "toaster"})
    dialogue = await add_text(hass, lounge, "television", text=json.dumps(export))
    assert dialogue.step == "which_device"
    await dialogue.submit(device="fan")
    assert "toaster" in dialogue.error
    await dialogue.submit(device="tv")
    assert dialogue.step == "ready"


async def test_a_file_of_an_uploaded_collection_is_found_by_a_press(
    hass: HomeAssistant, lounge: VirtualHub, upload: Upload
) -> None:
    content = zipped({f"codes/{maker}.json": file_of(maker) for maker in range(12)})
    dialogue = await add_text(hass, lounge, "air_conditioner", file=await upload(content))
    await find_file(dialogue, lounge)


async def test_a_zip_of_a_single_file_is_treated_as_that_file(
    hass: HomeAssistant, lounge: VirtualHub, upload: Upload
) -> None:
    content = zipped({"readme.txt": "Hello", "codes/2.json": file_of(2)})
    dialogue = await add_text(hass, lounge, "air_conditioner", file=await upload(content))
    assert dialogue.step == "ready"


async def test_the_log_of_a_receiver_is_added(hass: HomeAssistant, lounge: VirtualHub) -> None:
    """Its codes have no names; what they do is asked."""
    log = "\n".join(
        f"[12:00:0{number}][I][remote.raw]: Received Raw: 9000, -4500, 560, -{us}, 560, -1690, 560"
        for number, us in enumerate((560, 1690))
    )
    dialogue = await add_text(hass, lounge, "television", text=log)
    assert dialogue.step == "functions"
    await dialogue.submit(toggle="1 Raw")
    assert dialogue.step == "ready"
    assert dialogue.suggested["name"] == "Television"


async def test_the_search_for_a_file_accepts_a_single_file(
    hass: HomeAssistant, upload: Upload, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await begin(hass, entry)
    await dialogue.choose("press_button")
    await dialogue.progress("press_state")
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("heard")
    await dialogue.choose("which_file")
    await dialogue.submit(zip=await upload(json.dumps(file_of(2)).encode()))
    assert dialogue.step == "ready"


async def test_imported_commands_lead_to_add_appliance(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, entry: IrhubConfigEntry
) -> None:
    monkeypatch.setattr(exchange, "CAN_HAND_OVER", True)
    dialogue = await (await configure(hass, entry)).choose("import_codes")
    await dialogue.submit(text=json.dumps(file_of(2)))
    await dialogue.choose("import_now")
    assert dialogue.step == "imported"
    await dialogue.choose("add_appliance")
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    flows = hass.config_entries.subentries
    _, flow_id = dialogue.shown["next_flow"]
    other = Dialogue(flows.async_configure, await flows.async_configure(flow_id))  # type: ignore[arg-type]  # a subentry's result
    await other.choose("air_conditioner")
    assert "commands" in other.shown["menu_options"]


async def test_an_import_of_a_collection_leads_to_add_appliance(
    hass: HomeAssistant, upload: Upload, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(exchange, "CAN_HAND_OVER", True)
    content = zipped({f"codes/{maker}.json": file_of(maker) for maker in range(12)})
    dialogue = await configure(hass, await add(hass, lounge))
    await dialogue.choose("import_codes")
    await dialogue.submit(file=await upload(content))
    assert (dialogue.step, dialogue.texts["count"]) == ("collection", "12")
    await dialogue.choose("add_appliance")
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)
    flows = hass.config_entries.subentries
    _, flow_id = dialogue.shown["next_flow"]
    other = Dialogue(flows.async_configure, await flows.async_configure(flow_id))  # type: ignore[arg-type]  # a subentry's result
    await other.choose("air_conditioner")
    await find_file(other, lounge)


def put_store(config_dir: Path, id_: str, content: object) -> str:
    """Write what a remote of tuya_local has learned; return where that is."""
    path = config_dir / ".storage" / f"tuya_local_remote_{id_}_codes"
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path.relative_to(config_dir))


def store_of(devices: object) -> dict[str, object]:
    """Return a file of `.storage` with devices."""
    return {"version": 1, "minor_version": 1, "key": "", "data": devices}


def stores(dialogue: Dialogue) -> dict[str, str]:
    """Return what a form offers of this Home Assistant: path → label."""
    options = dialogue.fields["path"].config["options"]
    return {option["value"]: option["label"] for option in options}


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_commands_learned_by_tuya_local_are_offered(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    blaster = MockConfigEntry(domain="tuya_local", title="Blaster", data={"device_id": "bf01"})
    blaster.add_to_hass(hass)
    learned = {
        "tv": {"power": b64encode(PLAIN).decode(), "mute": [NEC, RC5], "play": "x!"},
        "fan": {"off": NEC},
    }
    path = put_store(config_dir, "bf01", store_of(learned))
    put_store(config_dir, "empty", store_of({}))
    before = (config_dir / path).read_bytes()
    config_entry = await add(hass, lounge)
    dialogue = await (await configure(hass, config_entry)).choose("import_codes")
    assert stores(dialogue) == {path: "Learned by tuya_local: Blaster (commands: 4)"}
    await dialogue.submit(path=path)
    assert (dialogue.step, dialogue.texts["count"]) == ("preview", "3")
    assert "tv → play" in dialogue.texts["account"]
    await dialogue.choose("import_now")
    assert [*map(len, commands(known(hass))["tv"].values())] == [1, 2]
    dialogue = await (await begin(hass, config_entry, "television")).choose("file")
    assert [*stores(dialogue)] == [path]
    await dialogue.submit(path=path)
    assert dialogue.step == "which_device"
    assert (config_dir / path).read_bytes() == before


@pytest.mark.parametrize("model", ["rm_mini"])
@pytest.mark.parametrize("content", ["", "{"])
async def test_an_unreadable_store_of_tuya_local_is_explained(
    hass: HomeAssistant, config_dir: Path, content: str, lounge: VirtualHub
) -> None:
    path = put_store(config_dir, "bf01", content)
    good = put_store(config_dir, "bf02", store_of({"tv": {"power": NEC}}))
    dialogue = await configure(hass, await add(hass, lounge))
    await dialogue.choose("import_codes")
    assert stores(dialogue) == {
        path: path,
        good: "Learned by tuya_local: bf02 (commands: 1)",
    }
    await dialogue.submit(path=path)
    assert dialogue.step == "import_codes"
    assert path in dialogue.error.replace("\\", "")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_without_a_store_nothing_is_offered(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    assert "path" not in (await dialogue.choose("import_codes")).fields


async def test_the_page_counts_the_files_that_cannot_be_chosen(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "MAX_FILES", 2)
    codes = config_dir / "codes"
    codes.mkdir()
    entry = await add(hass, lounge)
    for number in range(1, 4):
        (codes / f"{number}.json").write_text("{}")
        dialogue = await (await begin(hass, entry)).choose("file")
        offered = [option["value"] for option in dialogue.fields["path"].config["options"]]
        assert offered == [f"codes/{file}.json" for file in range(1, min(number, 2) + 1)]
        if number <= 2:
            assert dialogue.texts["more"] == ""
        else:
            assert dialogue.texts["more"].startswith("Of 3 files in the folders for codes, only ")
