"""What was added can be changed later: taught again, turned off otherwise, made another way."""

import json

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import OFF, State, read
from tests.home import until
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure
from ..home import HDMI, NEC, POWER, RC5, known
from ..ircodes.teaching.remotes import bytes_by_mode, rolling_bit
from .appliances import act, begin as begin_appliance, change, finish
from .lessons import (
    add_taught,
    answers_about,
    begin,
    begin_lesson,
    question_of,
    teach,
)
from .remotes import wait_for_button

pytestmark = pytest.mark.usefixtures("no_collection", "no_pauses", "no_double_clicks")

TELEVISION = {"tv": {"power": NEC, "mute": RC5}}


async def add_television(hass: HomeAssistant, hub: VirtualHub) -> ConfigEntry:
    """Have a television of two commands."""
    entry = await add(hass, hub)
    dialogue = await begin_appliance(hass, entry, "television")
    await (await dialogue.choose("file")).submit(text=json.dumps(TELEVISION))
    await finish(hass, dialogue, "media_player.tv")
    return entry


async def test_add_appliance_offers_to_continue_a_lesson(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    control = rolling_bit()
    assert "continue_lesson" not in (await begin(hass, entry)).shown["menu_options"]
    dialogue = await begin_lesson(hass, entry, lounge, control, presses=5)
    asked = await question_of(dialogue)
    hass.config_entries.subentries.async_abort(dialogue.shown["flow_id"])
    await until(lambda: not entry.runtime_data.own_hub.receiver.learning)

    dialogue = await begin(hass, entry)
    assert dialogue.shown["menu_options"][0] == "continue_lesson"  # type: ignore[index]
    assert dialogue.texts["number"] == "5"
    await dialogue.choose("continue_lesson")
    assert await question_of(dialogue) == asked
    await teach(hass, dialogue, lounge, control)
    await finish(hass, dialogue, "climate.air_conditioner")
    assert "continue_lesson" not in (await begin(hass, entry)).shown["menu_options"]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_last_page_links_to_the_device_and_contains_its_card(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    dialogue = await begin_appliance(hass, entry, "television")
    await (await dialogue.choose("file")).submit(text=json.dumps(TELEVISION))
    await dialogue.submit(name='My "TV"', then="finish")
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    texts = dialogue.texts
    assert texts["device"] == 'My "TV"'
    assert texts["page"].startswith("/config/")
    assert 'type: custom:irhub-remote\ndevice: "My \\"TV\\""' in texts["card"]


async def test_off_of_a_taught_air_conditioner_is_replaced_by_a_press(
    hass: HomeAssistant,
    lounge: VirtualHub,
    entry: IrhubConfigEntry,
) -> None:
    control = rolling_bit()
    await add_taught(hass, entry, lounge, control)
    dialogue = await change(hass, entry)
    await (await dialogue.submit(then="own_off")).progress("press_off")
    await lounge.press_when_listening(control.press(State(mode="cool", fan="low", temperature=20)))
    await dialogue.arrive("ready")
    assert "Off" in dialogue.error
    await (await dialogue.submit(then="own_off")).progress("press_off")
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    await hass.async_block_till_done()
    await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
    assert lounge.transmitted[-1] == POWER


async def test_a_taught_air_conditioner_is_taught_again(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    """It stays the same device; the lesson that it came from can be gone on with."""
    first, second = rolling_bit(), bytes_by_mode()
    await add_taught(hass, entry, lounge, first)
    [before] = known(hass).values()
    dialogue = await change(hass, entry)
    await dialogue.submit(then="another_way")
    await dialogue.choose("teach")
    assert dialogue.step == "teach_kept"
    await dialogue.choose("teach_anew")
    assert dialogue.suggested["modes"] == [*first.remote]
    await dialogue.submit(**answers_about(second))
    await teach(hass, dialogue, lounge, second)
    await dialogue.submit(then="finish")
    assert dialogue.shown["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    [after] = known(hass).values()
    assert (after.id, after.name, after.entity) == (before.id, before.name, before.entity)
    assert after.rule != before.rule
    await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
    assert read(lounge.transmitted[-1]).key == read(second.packet(OFF)).key


async def test_an_air_conditioner_learns_a_button(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await add_taught(hass, entry, lounge, rolling_bit())
    dialogue = await change(hass, entry)
    await dialogue.submit(then="learn_remote")
    await dialogue.submit(buttons=["light"])
    await wait_for_button(dialogue, "light")
    await lounge.press_when_listening(HDMI)
    await dialogue.arrive("ready")
    await dialogue.submit(then="finish")
    await until(lambda: hass.states.get("button.air_conditioner_light") is not None)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_television_gets_another_file(hass: HomeAssistant, lounge: VirtualHub) -> None:
    """It stays the same device, and a command of the same name the same command."""
    entry = await add_television(hass, lounge)
    [before] = known(hass).values()
    dialogue = await change(hass, entry)
    await dialogue.submit(then="another_way")
    assert "teach" not in dialogue.shown["menu_options"]
    await dialogue.choose("file")
    other = {"other": {"power": RC5, "vol up": NEC}}
    await dialogue.submit(text=json.dumps(other))
    assert dialogue.step == "ready"
    await dialogue.submit(then="finish")
    await hass.async_block_till_done()
    [after] = known(hass).values()
    assert (after.id, after.name, after.entity) == (before.id, before.name, before.entity)
    assert [*after.by_name] == ["power", "vol up"]
    assert after.by_name["power"].id == before.by_name["power"].id
    assert after.by_name["power"].packets == (POWER,)
    assert er.async_get(hass).async_get("media_player.tv") is not None
    assert len(entry.subentries) == 1


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_page_of_sources_leads_back_to_the_device(
    hass: HomeAssistant, lounge: VirtualHub
) -> None:
    dialogue = await change(hass, await add_television(hass, lounge))
    await dialogue.submit(then="another_way")
    await dialogue.choose("user")
    assert dialogue.step == "ready"


async def test_only_devices_that_can_be_followed_are_offered(
    hass: HomeAssistant, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    await add_taught(hass, entry, lounge, rolling_bit())
    dialogue: Dialogue = await configure(hass, entry)
    assert "follow" not in dialogue.shown["menu_options"]
    hass.config_entries.options.async_abort(dialogue.shown["flow_id"])
    await known(hass).store({"tv": {"power": [HDMI]}})
    dialogue = await (await configure(hass, entry)).choose("follow")
    assert dialogue.fields["followed"].config["options"] == ["tv"]
