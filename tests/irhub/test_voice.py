"""What is said to Assist, in Home Assistant's own sentences, is sent by the hub."""

from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import area_registry as ar, device_registry as dr, entity_registry as er
from homeassistant.helpers.intent import IntentResponseType
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from tests.files import ROOT
from tests.home import until
from virtual_home.hub import VirtualHub

from .buttons import learn
from .dialogue import add, add_of_before
from .dialogues.appliances import begin, finish
from .entities.appliances import appliance
from .home import NEC, our_hub
from .ircodes.code_files import Codes, bytes_of

CODES = Codes()
PLAYER = ("power", "volume up", "volume down", "mute", "next", "pause", "5", "2")
COVER = ("open", "close", "stop")
FAN = ("off", "low", "high")
DEVICES = {
    device: {name: CODES.packet() for name in names}
    for device, names in (("Television", PLAYER), ("Blinds", COVER), ("Ceiling fan", FAN))
}
NAMES = {bytes_of(text): name for of in DEVICES.values() for name, text in of.items()}
EXAMPLE = ROOT / "docs/examples/irhub/actions/voice.yaml"


@pytest.fixture
async def hub(hass: HomeAssistant, lounge: VirtualHub) -> VirtualHub:
    """Return a hub with a television, blinds and a fan, in a home that listens."""
    for component in ("homeassistant", "intent", "conversation"):
        assert await async_setup_component(hass, component, {})
    entry = await add(hass, lounge)
    await learn(hass, **DEVICES)
    for device, kind in zip(DEVICES, ("media_player", "cover", "fan"), strict=True):
        await add_of_before(hass, entry, appliance(device, kind))
        await hass.async_block_till_done()
    entities = "media_player.television", "cover.blinds", "fan.ceiling_fan"
    await until(lambda: None not in map(hass.states.get, entities))
    await until(lambda: our_hub(hass, lounge).available)
    return lounge


async def say(hass: HomeAssistant, hub: VirtualHub, sentence: str) -> list[str] | None:
    """Say a sentence; return the commands that went out, or None if it is not understood."""
    before = len(hub.transmitted)
    result = await conversation.async_converse(hass, sentence, None, Context(), language="en")
    await hass.async_block_till_done()
    if result.response.response_type is IntentResponseType.ERROR:
        return None
    return [NAMES[packet] for packet in hub.transmitted[before:]]


async def test_home_assistants_own_sentences(hass: HomeAssistant, hub: VirtualHub) -> None:
    for sentence, sent in (
        ("turn on the television", ["power"]),
        ("mute the television", ["mute"]),
        ("unmute the television", ["mute"]),
        ("turn off the television", ["power"]),
        ("open the blinds", ["open"]),
        ("close the blinds", ["close"]),
        ("turn on the ceiling fan", ["low"]),
        ("set the ceiling fan to 100%", ["high"]),
        ("turn off the ceiling fan", ["off"]),
    ):
        assert await say(hass, hub, sentence) == sent, sentence


async def test_channel_and_volume_need_the_sentences_of_the_page(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    """Home Assistant has none for a channel; its volume is a level, which no remote sets."""
    for sentence in ("channel 52", "turn up the television", "television volume up"):
        assert await say(hass, hub, sentence) is None, sentence
    config = parse_yaml(EXAMPLE.read_text("utf-8"))
    assert isinstance(config, dict)
    assert await async_setup_component(hass, "automation", config)
    await hass.async_block_till_done()
    assert await say(hass, hub, "channel 52") == ["5", "2"]
    assert await say(hass, hub, "switch to channel 5") == ["5"]
    assert await say(hass, hub, "television louder") == ["volume up"] * 3


async def test_what_needs_a_player_that_plays_is_refused(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    """Home Assistant pauses and skips only what it knows to be playing."""
    await say(hass, hub, "turn on the television")
    assert await say(hass, hub, "pause the television") is None
    assert await say(hass, hub, "next track on the television") is None


SENTENCES = {
    "en": "set the Bedroom temperature to 21 degrees",
    "de": "Bedroom auf 22 Grad kühlen",
    "nl": "zet Bedroom temperatuur op 23 graden",
    "es": "establece la temperatura de Bedroom a 24 grados",
    "fr": "règle Bedroom à 25 degrés",
}


async def test_a_temperature_in_five_languages(hass: HomeAssistant, lounge: VirtualHub) -> None:
    states = {f"cool {degrees}": CODES.packet() for degrees in range(20, 26)}
    for component in ("homeassistant", "intent", "conversation"):
        assert await async_setup_component(hass, component, {})
    entry = await add(hass, lounge)
    await learn(hass, ac={"off": CODES.packet(), **states})
    await add_of_before(hass, entry, appliance("ac", "climate"))
    await until(lambda: hass.states.get("climate.ac") is not None)
    await until(lambda: our_hub(hass, lounge).available)
    area = ar.async_get(hass).async_create("Bedroom")
    entity = er.async_get(hass).async_get("climate.ac")
    assert entity is not None
    assert entity.device_id is not None
    dr.async_get(hass).async_update_device(entity.device_id, area_id=area.id)
    await hass.services.async_call(
        "climate",
        "set_hvac_mode",
        {"entity_id": "climate.ac", "hvac_mode": "cool"},
        blocking=True,
    )
    for degrees, (language, sentence) in enumerate(SENTENCES.items(), 21):
        result = await conversation.async_converse(
            hass, sentence, None, Context(), language=language
        )
        await hass.async_block_till_done()
        assert result.response.response_type is not IntentResponseType.ERROR, sentence
        assert lounge.transmitted[-1] == bytes_of(states[f"cool {degrees}"]), sentence


async def test_a_television_under_another_name_is_called_tv_too(
    hass: HomeAssistant, hub: VirtualHub
) -> None:
    [entry] = hass.config_entries.async_entries("irhub")
    registry = er.async_get(hass)
    await learn(hass, den={"power": CODES.packet(), "up": CODES.packet()}, loft={"on": NEC})
    dialogue = await (await begin(hass, entry, "television")).choose("commands")
    await dialogue.submit(device="den")
    assert dialogue.suggested["alias"] == "TV"
    await finish(hass, dialogue, "media_player.den")
    before = len(hub.transmitted)
    await conversation.async_converse(hass, "turn on the TV", None, Context(), language="en")
    assert len(hub.transmitted) == before + 1
    den = registry.async_get("media_player.den")
    assert den is not None
    assert "TV" in den.aliases

    # Whoever takes it away does not get it back, and it is suggested once.
    registry.async_update_entity("media_player.den", aliases=[])
    await hass.config_entries.async_reload(entry.entry_id)
    await until(lambda: not hass.states.is_state("media_player.den", "unavailable"))
    den = registry.async_get("media_player.den")
    assert den is not None
    assert "TV" not in den.aliases
    registry.async_update_entity("media_player.television", aliases=["tv"])
    dialogue = await (await begin(hass, entry, "television")).choose("commands")
    await dialogue.submit(device="loft")
    assert "alias" in dialogue.fields
    assert not dialogue.suggested.get("alias")
