"""Where the codes of a file have gone: on the pages, in the action's response, in YAML's log."""

from base64 import b64encode
import json
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.errors import LISTED
from custom_components.irhub.ircodes import read_codes
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import add, configure
from ..home import commands, entry, known, our_hub, set_up
from ..ircodes.code_files import Codes, air_conditioner, bytes_of, write
from .appliances import begin, finish

CODES = Codes()
FILE = air_conditioner(
    {
        "off": CODES.packet(),
        "cool": CODES.nest(["low"], ["20", "21"]),
        "ifeel": CODES.nest(["low"], ["20", "21"]),
        "led": CODES.packet(),
        "broken": "JgAB",
    },
    operationModes=["cool", "ifeel"],
    fanModes=["low"],
)
WITHOUT_STATES = air_conditioner(
    {"off": CODES.packet(), "cool": {"low": {"20": "JgAB", "21": "JgAC"}}},
    operationModes=["cool"],
    fanModes=["low"],
)
ACCOUNT = (
    "codes in the file: 7; for states of an air conditioner: 4; other commands: 2; not used: 1"
)
PRESET = "2 codes of *ifeel* are available as a preset"
BROKEN = "broken: incomplete, or too long: '260001'"


TOGGLES = """functionname,protocol,device,subdevice,function
power,RC5,0,-1,12
mute,RC5,0,-1,13
play,RC5,0,-1,x
"""
READ = read_codes(TOGGLES, device="tv").commands["tv"]
POWER, MUTE = READ["power"], READ["mute"]
TWO_EACH = {
    "power": [b64encode(packet).decode() for packet in POWER],
    "mute": [b64encode(packet).decode() for packet in MUTE],
    "play": "JgAB",
}
BY_TURNS = (
    "codes in the file: 3; for states of an air conditioner: 0; other commands: 2; not used: 1"
)


async def call(hass: HomeAssistant, action: str, **data: object) -> Any:  # noqa: ANN401  (JSON)
    """Call an action of a thermostat."""
    data["entity_id"] = "climate.acme_a1"
    return await hass.services.async_call("climate", action, data, blocking=True)


def lines(text: str) -> list[str]:
    """Return the lines of a list as people read them."""
    return [line.removeprefix("- ").replace("\\", "") for line in text.splitlines()]


async def test_pages_count_the_codes_of_a_file(hass: HomeAssistant, lounge: VirtualHub) -> None:
    config_entry = await add(hass, lounge)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    assert dialogue.step == "ready"
    assert lines(dialogue.texts["account"]) == [ACCOUNT, PRESET, f"Acme A1 → {BROKEN}"]
    await dialogue.submit(**dialogue.suggested)
    dialogue = await (await configure(hass, config_entry)).choose("import_codes")
    await dialogue.submit(text=json.dumps(FILE), device="copy")
    assert dialogue.step == "preview"
    assert lines(dialogue.texts["account"]) == [ACCOUNT, PRESET, f"copy → {BROKEN}"]


async def test_many_codes_that_cannot_be_used_are_counted_by_reason(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await (await configure(hass, await add(hass, lounge))).choose("import_codes")
    await dialogue.submit(text=json.dumps({"tv": dict.fromkeys(map(str, range(LISTED + 1)), "x!")}))
    _, counted, *named = lines(dialogue.texts["account"])
    assert counted == f"{LISTED + 1} not used: not a code in Base64/hex/Pronto/Tuya: …"
    assert len(named) == LISTED


async def test_a_mode_that_home_assistant_lacks_becomes_a_preset(
    hass: HomeAssistant,
    lounge: VirtualHub,
) -> None:
    config_entry = await add(hass, lounge)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=json.dumps(FILE))
    await finish(hass, dialogue, "climate.acme_a1")
    await call(hass, "set_hvac_mode", hvac_mode="auto")
    assert lounge.transmitted[-1] == bytes_of(FILE["commands"]["ifeel"]["low"]["21"])
    state = hass.states.get("climate.acme_a1")
    assert state is not None
    assert (state.state, state.attributes["preset_mode"]) == ("auto", "ifeel")
    assert state.attributes["hvac_modes"] == ["off", "cool", "auto"]


@pytest.mark.usefixtures("hub")
async def test_the_action_counts_the_codes_of_a_file(hass: HomeAssistant) -> None:
    response = await hass.services.async_call(
        "irhub",
        "import_codes",
        {"entity_id": "remote.broadlink", "codes": json.dumps(FILE)},
        blocking=True,
        return_response=True,
    )
    assert response is not None
    assert {key: response[key] for key in ("codes", "states", "commands", "presets")} == {
        "codes": 7,
        "states": 4,
        "commands": 2,
        "presets": {"ifeel": 2},
    }
    assert response["rejected"] == [{"reason": "incomplete, or too long: …", "count": 1}]


@pytest.mark.parametrize("model", ["rm4_mini"])
async def test_the_log_counts_the_codes_of_a_file_in_yaml(
    hass: HomeAssistant, config_dir: Path, caplog: pytest.LogCaptureFixture, virtual_hub: VirtualHub
) -> None:
    name = write(config_dir, "codes/1000.json", FILE)
    await set_up(hass, "climate", entry(virtual_hub, file=name))
    assert f"{name}: {ACCOUNT}" in caplog.text
    assert f"{name}: {PRESET}" in caplog.text
    assert f"{name}: 1 commands cannot be used: " in caplog.text
    assert hass.states.get("climate.acme_a1") is not None


async def test_an_air_conditioner_without_states_is_rejected(
    hass: HomeAssistant, lounge: VirtualHub, config_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sentence = (
        "No state of an air conditioner can be used: codes in the file: 3; for states of an air"
        " conditioner: 0; other commands: 1; not used: 2; 2 not used: incomplete"
    )
    name = write(config_dir, "codes/1000.json", WITHOUT_STATES)
    await set_up(hass, "climate", entry(lounge, file=name))
    assert sentence in caplog.text
    assert not hass.states.async_entity_ids("climate")
    config_entry = await add(hass, lounge)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=json.dumps(WITHOUT_STATES))
    assert dialogue.step == "file"
    assert sentence in dialogue.texts["error"].replace("\\", "")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_alternating_codes_are_imported_by_both_pages(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    assert len({*POWER, *MUTE}) == 4
    text = json.dumps({"Television": TWO_EACH})
    config_entry = await add(hass, lounge)
    dialogue = await begin(hass, config_entry, "television")
    await (await dialogue.choose("file")).submit(text=text)
    assert lines(dialogue.texts["account"])[0] == BY_TURNS
    await finish(hass, dialogue, "media_player.television")
    dialogue = await (await configure(hass, config_entry)).choose("import_codes")
    await dialogue.submit(text=json.dumps({"copy": TWO_EACH}))
    assert lines(dialogue.texts["account"])[0] == BY_TURNS
    await dialogue.choose("import_now")
    both = {"power": [*POWER], "mute": [*MUTE]}
    assert commands(known(hass)) == {"Television": both, "copy": both}
    for is_muted in (True, False, True):
        await hass.services.async_call(
            "media_player",
            "volume_mute",
            {"entity_id": "media_player.television", "is_volume_muted": is_muted},
            blocking=True,
        )
    assert lounge.transmitted == [*MUTE, MUTE[0]]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_appliances_in_yaml_alternate_independently(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    """In a file a command is known by its name, which other files have, too."""
    (config_dir / "codes").mkdir()
    (config_dir / "codes" / "a.csv").write_text(TOGGLES)
    (config_dir / "codes" / "b.csv").write_text(TOGGLES)
    await set_up(
        hass,
        "media_player",
        entry(virtual_hub, name="A", file="codes/a.csv", delay=0),
        entry(virtual_hub, name="B", file="codes/b.csv", delay=0),
    )
    await until(lambda: our_hub(hass, virtual_hub).available)
    await hass.async_block_till_done()
    for name, is_muted in (("a", True), ("b", True), ("a", False), ("b", False)):
        await hass.services.async_call(
            "media_player",
            "volume_mute",
            {"entity_id": f"media_player.{name}", "is_volume_muted": is_muted},
            blocking=True,
        )
    assert virtual_hub.transmitted == [MUTE[0], MUTE[0], MUTE[1], MUTE[1]]
