"""One press tells the device: the functions that files know of it are tried, then kept."""

import base64
import json
from pathlib import Path
from random import Random

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.ircodes import Collection, from_timings, meaning, to_timings
from custom_components.irhub.ircodes.files import Language
from custom_components.irhub.ircodes.files.fingerprints import fingerprint, key_of
from custom_components.irhub.ircodes.protocols.protocols import functions, press as pressed
from virtual_home.endpoint_answer import Answer
from virtual_home.hub import VirtualHub

from ..collected import collection_of, server
from ..dialogue import add
from ..home import known
from ..ircodes.files.indexes import heard, put, state, zipped
from .appliances import act, finish
from .lessons import Clicks, begin, press

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses", "no_double_clicks")

LG = {"power": 8, "volume_up": 2, "volume_down": 3, "mute": 9, "smart": 124}
"""Functions of NEC, device 4."""
NAMES = "codes/LG/TV/4,-1.csv"
"""A file as irdb has them."""


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm_mini"


def irdb(functions: dict[str, int], protocol: str = "NEC1", device: str = "4,-1") -> str:
    rows = [f"{name},{protocol},{device},{number}" for name, number in functions.items()]
    return "\n".join(["functionname,protocol,device,subdevice,function", *rows])


def lg(function: int) -> bytes:
    """Return what the television's remote control sends."""
    [packet] = pressed("NEC1", {"D": 4, "F": function}) or []
    return packet


async def begin_television(hass: HomeAssistant, entry: ConfigEntry, hub: VirtualHub) -> Clicks:
    """Press a button of a television, as a receiver hears it."""
    dialogue = await begin(hass, entry)
    await dialogue.choose("television")
    await press(dialogue, hub, heard(lg(LG["volume_up"]), 1))
    return dialogue


async def test_from_a_single_press_to_a_television(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    put(
        config_dir,
        {
            NAMES: irdb(LG),
            "codes/LG/Other/4,-1.csv": irdb({"Vol+": 2, "mute": 9, "home": 124}),
            "codes/Acme/TV/5,-1.csv": irdb(LG, device="5,-1"),
        },
    )
    dialogue = await begin_television(hass, await add(hass, lounge), lounge)
    code = "A button was received. Its code, by a known protocol: NEC 0x04/0x02"
    assert dialogue.texts["heard"] == code
    assert dialogue.texts["speaks"] == (
        "Files that speak to the same device, NEC 0x04: 2"
        " (codes/LG/TV/4,-1.csv, codes/LG/Other/4,-1.csv)"
    )
    await dialogue.choose("other_functions")
    options = dialogue.fields["functions"].config["options"]
    assert {each["label"] for each in options} == {
        *("power (1)", "volume_down (1)", "mute (2)", "Vol+ (2)", "home (2)")
    }
    # The suggested are those that a television has; "home" is a key for the card.
    assert "9" in dialogue.suggested["functions"]
    await dialogue.submit(functions=["2", "9", "8"])
    assert not lounge.transmitted, "nothing is sent before the user says so"
    for name, works in (("Vol+", True), ("mute", True), ("power", False)):
        assert dialogue.texts["function"] == name
        assert "keep_function" not in dialogue.shown["menu_options"], "not tried yet"
        await dialogue.choose("send_function")
        assert dialogue.step == "function_sent"
        await dialogue.choose("keep_function" if works else "skip_function")
    assert lounge.transmitted == [lg(2), lg(9), lg(8)]
    assert dialogue.step == "ready"
    await finish(hass, dialogue, "media_player.television")
    device = known(hass).named("Television")
    assert {*device.by_name} == {"Vol+", "mute"}
    assert {*device.functions} == {"volume_up", "mute"}
    await act(hass, "media_player", "volume_up", entity_id="media_player.television")
    assert lounge.transmitted[3:] == [lg(2)]


async def test_files_of_the_collection_are_fetched_when_the_user_agrees(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    path = "codes/media_player/1.json"
    content = {
        "manufacturer": "LG",
        "supportedModels": ["A", "B"],
        "commandsEncoding": "Base64",
        "supportedController": "Broadlink",
        "commands": {
            name: base64.b64encode(heard(lg(number), number)).decode()
            for name, number in (("off", 8), ("volumeUp", 2), ("mute", 9))
        },
    }
    monkeypatch.setattr(Collection, "load", lambda: collection_of({path: content}))
    async with server(hass) as mirror:
        dialogue = await begin_television(
            hass, await add(hass, lounge, collection=mirror.url), lounge
        )
        await dialogue.choose("other_functions")
        assert dialogue.shown["menu_options"] == ["fetch_functions", "heard"]
        assert f"LG A, B (1.json): {mirror.url}/{path}" in dialogue.texts["files"]
        assert dialogue.texts["licence"] == "As you like"
        assert not mirror.count()
        await dialogue.choose("heard")
        await dialogue.choose("other_functions")
        await dialogue.choose("fetch_functions")
        assert "1.json" in dialogue.texts["problem"], "the mirror has no such file"
        mirror.set(f"/{path}", Answer(body=json.dumps(content).encode()))
        await dialogue.choose("fetch_functions")
        assert dialogue.step == "choose_functions"
        await dialogue.submit(functions=["8"])
        await dialogue.choose("send_function")
        assert lounge.transmitted == [lg(8)], "as the protocol has it, not as somebody has heard it"
        await dialogue.choose("functions_done")
        assert dialogue.step == "heard", "nothing was kept"


async def test_functions_are_taken_from_an_uploaded_zip(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, lounge: VirtualHub
) -> None:
    """No file of it has the button that was pressed, and yet it speaks to that device."""
    assert await async_setup_component(hass, "file_upload", {})
    dialogue = await begin_television(hass, await add(hass, lounge), lounge)
    assert dialogue.texts["speaks"] == ""
    assert "other_functions" not in dialogue.shown["menu_options"]
    client = await hass_client()
    content = zipped({"LG/TV/4,-1.csv": irdb({"power": 8, "mute": 9})})
    reply = await client.post("/api/file_upload", data={"file": content})
    await dialogue.choose("which_file")
    await dialogue.submit(zip=str((await reply.json())["file_id"]))
    await dialogue.progress("press_more")
    await lounge.press_when_listening(heard(lg(2), 2))
    await dialogue.arrive("fits_none")
    await dialogue.choose("other_functions")
    assert dialogue.texts["count"] == "2"
    await dialogue.submit()
    assert dialogue.step == "fits_none", "nothing was chosen"


async def test_the_page_of_functions_leads_back(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, lounge: VirtualHub
) -> None:
    """One that was brought is searched by a press, without a page of what was heard before."""
    assert await async_setup_component(hass, "file_upload", {})
    content = zipped({f"LG/TV/{n}.csv": irdb({"power": 8, f"key {n}": n}) for n in range(20, 32)})
    dialogue = await begin(hass, await add(hass, lounge))
    await dialogue.choose("television")
    reply = await (await hass_client()).post("/api/file_upload", data={"file": content})
    await dialogue.choose("file")
    await dialogue.submit(file=str((await reply.json())["file_id"]))
    await dialogue.progress("press_more")
    await lounge.press_when_listening(heard(lg(2), 2))
    await dialogue.arrive("fits_none")
    await dialogue.choose("other_functions")
    assert dialogue.step == "choose_functions"
    await dialogue.submit(functions=["8"])
    await dialogue.choose("functions_done")
    assert dialogue.step == "fits_none", "nothing was kept"


async def test_codes_with_a_toggle_bit_alternate(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    put(config_dir, {"codes/0.csv": irdb({"on": 12, "mute": 13}, "RC5", "0,-1")})
    entry = await add(hass, lounge)
    dialogue = await begin(hass, entry)
    await dialogue.choose("receiver")
    both = pressed("RC5", {"D": 0, "F": 13}) or []
    await press(dialogue, lounge, heard(both[1], 1))
    await dialogue.choose("other_functions")
    await dialogue.submit(functions=["13"])
    for _ in range(3):
        await dialogue.choose("send_function")
    assert lounge.transmitted == [*both, both[0]]
    await dialogue.choose("keep_function")
    await finish(hass, dialogue, "media_player.receiver")
    assert known(hass).named("Receiver").named("mute").packets == (*both,)  # type: ignore[union-attr]


async def test_a_hub_that_does_not_answer_is_reported(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    put(config_dir, {NAMES: irdb(LG)})
    dialogue = await begin_television(hass, await add(hass, lounge, timeout=0.2), lounge)
    await dialogue.choose("other_functions")
    await dialogue.submit(functions=["9"])
    lounge.faults.silent = True
    await dialogue.choose("send_function")
    assert dialogue.step == "try_function", "not sent, and so not to be kept"
    assert "Lounge" in dialogue.texts["problem"]


async def test_an_air_conditioner_is_not_offered_functions(
    hass: HomeAssistant, config_dir: Path, lounge: VirtualHub
) -> None:
    put(config_dir, {NAMES: irdb(LG)})
    dialogue = await begin(hass, await add(hass, lounge))
    await dialogue.choose("air_conditioner")
    await press(dialogue, lounge, lg(2))
    assert "other_functions" not in dialogue.shown["menu_options"]


def codes(*packets: bytes) -> frozenset[int]:
    return frozenset(fingerprint(key_of(packet)) for packet in packets)


def test_a_single_common_code_does_not_identify_a_file() -> None:
    language = Language.of_press(lg(2))
    assert language is not None
    assert language.device == "NEC 0x04"
    files = {"one": codes(lg(2)), "two": codes(lg(3), lg(9)), "all": codes(*map(lg, range(99)))}
    assert language.matching_files(files.items()) == ["all", "two"]


def test_equal_bits_behind_another_leader_are_another_device() -> None:
    language = Language.of_press(lg(2))
    assert language is not None
    other = [from_timings([4500, *to_timings(lg(each))[1:]]) for each in (2, 9)]
    text = "\n".join(f"key {n}: {base64.b64encode(each).decode()}" for n, each in enumerate(other))
    assert key_of(other[0]) == key_of(lg(2))
    assert language.functions({"file": text, "broken": "<html>"}) == []


def test_a_packet_that_no_protocol_reads_has_no_functions() -> None:
    assert Language.of_press(state(1, "cool", "auto", 24)) is None
    assert functions(state(1, "cool", "auto", 24)) == {}
    xmp = (pressed("XMP", {"D": 1, "F": 2}) or [b""])[0]
    assert meaning(xmp) is not None
    assert functions(xmp) == {}, "65,536 of them are too many"


@pytest.mark.parametrize(
    ("protocol", "values"),
    [
        ("NEC1", {"D": 4, "S": 17, "F": 8}),
        ("Kaseikyo", {"D": 1, "S": 2, "F": 8, "M": 3, "N": 4}),
        ("Sony15", {"D": 84, "F": 8}),
        ("RC6", {"D": 0, "F": 8}),
        ("JVC", {"D": 3, "F": 8}),
        ("Nokia32", {"D": 128, "S": 35, "X": 38, "F": 8}),
    ],
)
def test_only_the_function_differs_between_codes_of_a_device(
    protocol: str, values: dict[str, int]
) -> None:
    """A sum that checks the others is another one with each function."""
    packet = (pressed(protocol, values) or [])[0]
    of_device = functions(heard(packet, Random(1).randrange(99)))
    assert of_device[8][0] in (pressed(protocol, values) or [])
    for number in (0, 5, 99):
        assert [*of_device[number]] == pressed(protocol, {**values, "F": number})
