"""A home without a hub: Home Assistant's infrared emitters and receivers in its place."""

import asyncio
import json
from pathlib import Path
import re
import textwrap
from typing import Any
from unittest.mock import patch

from homeassistant.components import mqtt
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import device_registry as dr
from homeassistant.util.yaml import parse_yaml
import pytest

from custom_components.irhub.diagnostics import async_get_config_entry_diagnostics
from custom_components.irhub.ircodes import OFF, State, parse_text, to_base64, to_timings
from custom_components.irhub.ircodes.packet import TICK_US
from tests.home import until
from tests.mqtt_binary.home import MqttHome
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add, configure, reconfigure
from ..dialogues.appliances import act, begin, finish
from ..home import FAN, HDMI, NEC, POWER, RC5, RF, known
from ..infrared_entities import EMITTER, RECEIVER, RECEIVER_NAME, Blaster
from ..remotes_of_protocols import shows, state_in
from ..without_hub import NO_HUB, add_without_hub, import_codes, search, send

pytestmark = pytest.mark.usefixtures("no_hubs", "no_pauses")

PAGE = Path(__file__).parents[3] / "docs/any_emitter.md"


@pytest.fixture
def blaster(absent_blaster: Blaster) -> Blaster:
    """Return what a test has to begin."""
    return absent_blaster


async def test_it_says_what_is_there_and_what_is_missing(
    hass: HomeAssistant, blaster: Blaster
) -> None:
    dialogue = await (await search(hass)).submit(without_hub=True)
    assert "There is no infrared emitter yet" in dialogue.texts["there"]
    assert "There is no infrared receiver yet" in dialogue.texts["there"]
    await blaster.begin()
    await dialogue.refresh()
    assert f"- {RECEIVER_NAME}" in dialogue.texts["there"]
    assert "is there yet" not in dialogue.texts["there"]
    await dialogue.submit()
    assert dialogue.shown["title"] == "Infrared"
    # There is one such entry; a hub can still be added.
    dialogue = await search(hass)
    assert dialogue.step == "nothing_found"
    assert "without_hub" not in dialogue.fields
    [entry] = hass.config_entries.async_entries("irhub")
    assert (await reconfigure(hass, entry)).shown["reason"] == "reconfigure_without_hub"
    [device] = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    assert not device.connections


async def test_from_nothing_to_a_thermostat_of_two_presses(
    hass: HomeAssistant, blaster: Blaster
) -> None:
    """What comes later is used; what goes away is said."""
    entry = await add_without_hub(hass)
    assert hass.states.is_state("remote.infrared", "unavailable")
    await blaster.begin()
    assert not hass.states.is_state("remote.infrared", "unavailable")
    dialogue = await (await begin(hass, entry)).choose("press_button")
    await dialogue.progress("press_state")
    blaster.press(shows("COOLIX", "cool", 24))
    await dialogue.arrive("heard")
    await dialogue.choose("known_state")
    await dialogue.progress("press_another")
    blaster.press(shows("COOLIX", "cool", 22))
    await dialogue.arrive("ready")
    await finish(hass, dialogue, "climate.air_conditioner", name="Air conditioner")

    data = {"entity_id": "climate.air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    sent = state_in(blaster.heard[-1])
    assert isinstance(sent, State)
    assert (sent.mode, sent.temperature) == ("cool", 21)
    await act(hass, "climate", "turn_off", entity_id="climate.air_conditioner")
    assert state_in(blaster.heard[-1]) is OFF

    # It is kept, over a restart of the entry, and there when the emitter is.
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert hass.states.is_state("climate.air_conditioner", "off")
    await blaster.end()
    assert hass.states.is_state("climate.air_conditioner", "unavailable")
    assert hass.states.is_state("remote.infrared", "unavailable")
    await blaster.begin()
    assert hass.states.is_state("climate.air_conditioner", "off")


async def test_buttons_events_undo_and_diagnostics(hass: HomeAssistant, blaster: Blaster) -> None:
    await blaster.begin()
    entry = await add_without_hub(hass)
    dialogue = await (await configure(hass, entry)).choose("learn")
    await dialogue.submit(device="tv", command="power", alternative=False)
    await dialogue.progress("press")
    blaster.press(POWER)
    await dialogue.arrive("heard")
    assert RECEIVER_NAME in dialogue.texts["heard"]
    await dialogue.choose("keep")
    await hass.async_block_till_done()
    count = len(blaster.heard)
    await act(hass, "button", "press", entity_id="button.tv_power")
    assert len(blaster.heard) == count + 1

    dialogue = await (await configure(hass, entry)).choose("follow")
    await dialogue.submit(followed=["tv"])
    await hass.async_block_till_done()
    # What is sent is no press; what the remote control sends is one.
    await act(hass, "button", "press", entity_id="button.tv_power")
    state = hass.states.get("event.tv_remote_control")
    assert state is not None
    assert state.state == "unknown"

    [receiver] = entry.runtime_data.hub.reception.receivers()
    await until(lambda: receiver.remembered)
    dialogue = await (await configure(hass, entry)).choose("last_heard")
    assert "tv: power" in dialogue.texts["heard"]
    dialogue = await (await configure(hass, entry)).choose("history")
    assert dialogue.step == "history"
    report = await async_get_config_entry_diagnostics(hass, entry)
    assert report["receivers"][0]["entity_id"] == RECEIVER
    with pytest.raises(ServiceValidationError, match="no hub that could listen for others"):
        await hass.services.async_call("irhub", "listen", {"hub": "remote.infrared"}, blocking=True)


async def test_actions_send_and_learn_and_radio_is_refused(
    hass: HomeAssistant, blaster: Blaster
) -> None:
    await blaster.begin()
    entry = await add_without_hub(hass)
    await import_codes(hass, tv={"power": [RC5, NEC]}, fan={"on": RF})
    call: dict[str, Any] = {"hub": "remote.infrared", "packet": RC5}
    await hass.services.async_call("irhub", "send", call, blocking=True)
    await send(hass, device="tv", command=["power", "power", "power"])
    assert len(blaster.heard) == 4
    for data in ({"device": "fan", "command": "on"}, {"command": f"b64:{to_base64(FAN)}"}):
        with pytest.raises(ServiceValidationError, match="send no radio"):
            await send(hass, **data)
    receiver = entry.runtime_data.hub.reception.receivers()[0]
    learn = hass.async_create_task(
        hass.services.async_call(
            "remote",
            "learn_command",
            {"entity_id": "remote.infrared", "device": "tv", "command": ["mute"]},
            blocking=True,
        )
    )
    await until(lambda: receiver.learning)
    blaster.press(HDMI)
    await learn
    assert known(hass, NO_HUB).named("tv").named("mute") is not None


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_an_emitter_is_to_be_chosen_among_several(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub
) -> None:
    await blaster.begin()
    await add(hass, lounge)
    dialogue = await search(hass)
    await (await dialogue.submit(without_hub=True)).submit()
    await hass.async_block_till_done()
    [entry] = [
        entry for entry in hass.config_entries.async_entries("irhub") if entry.unique_id == NO_HUB
    ]
    await import_codes(hass, tv={"power": RC5})
    with pytest.raises(ServiceValidationError, match=r"several infrared emitters \(.*lounge"):
        await send(hass, device="tv", command="power")
    dialogue = await (await configure(hass, entry)).choose("settings")
    assert {*dialogue.fields} == {
        *("default_emitters", "min_gap", "receivers", "collection"),
    }
    await dialogue.submit(default_emitters=["infrared.lounge_infrared"])
    await hass.async_block_till_done()
    await send(hass, device="tv", command="power")
    assert len(lounge.transmitted) == 1
    # A device's own go before.
    device = known(hass, NO_HUB).named("tv")
    dialogue = await (await configure(hass, entry)).choose("emitter")
    await dialogue.submit(emitter=[EMITTER])
    await hass.async_block_till_done()
    await send(hass, device=device.name, command="power")
    assert len(lounge.transmitted) == 1
    assert len(blaster.heard) == 1


async def test_nothing_is_there(hass: HomeAssistant, blaster: Blaster) -> None:
    entry = await add_without_hub(hass)
    await import_codes(hass, tv={"power": RC5})
    call = {"device": "tv", "command": "power"}
    with pytest.raises(ServiceValidationError, match="has no infrared emitter yet"):
        await hass.services.async_call("irhub", "send", call, blocking=True)
    with pytest.raises(ServiceValidationError, match="has no infrared receiver yet"):
        await hass.services.async_call(
            "irhub", "learn", {"hub": "remote.infrared"}, blocking=True, return_response=True
        )
    await blaster.begin()
    await hass.services.async_call("irhub", "send", call, blocking=True)
    assert len(blaster.heard) == 1
    assert await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert hass.states.get("remote.infrared") is None


async def test_it_ends_while_it_learns(hass: HomeAssistant, blaster: Blaster) -> None:
    await blaster.begin()
    entry = await add_without_hub(hass)
    receiver = entry.runtime_data.hub.reception.receivers()[0]
    assert str(receiver.id) == RECEIVER
    dialogue: Dialogue = await (await configure(hass, entry)).choose("learn")
    await dialogue.submit(device="tv", command="power", alternative=False)
    await dialogue.progress("press")
    await hass.config_entries.async_unload(entry.entry_id)
    assert entry.state is ConfigEntryState.NOT_LOADED
    await until(lambda: not receiver.learning)


async def test_with_a_blaster_of_mqtt(bare_mqtt_home: MqttHome) -> None:
    pytest.importorskip("homeassistant.components.mqtt.infrared")
    hass, mqtt_home = bare_mqtt_home.hass, bare_mqtt_home
    await mqtt_home.start_mqtt(discovery=True)
    entry = await add_without_hub(hass)
    sent: list[dict[str, Any]] = []
    for kind, topic in (("emitter", "command_topic"), ("receiver", "state_topic")):
        config = {"schema": kind, topic: f"ir/{kind}", "name": f"Bedroom {kind}", "uniq_id": kind}
        mqtt_home.device.publish(
            f"homeassistant/infrared/{kind}/config", json.dumps(config), retain=True
        )
    await until(lambda: len(hass.states.async_entity_ids("infrared")) == 2)
    end = await mqtt.async_subscribe(
        hass, "ir/emitter", callback(lambda message: sent.append(json.loads(message.payload)))
    )
    await mqtt_home.settled()
    dialogue = await (await begin(hass, entry)).choose("press_button")
    for step, packet in (
        ("press_state", shows("COOLIX", "cool", 24)),
        ("press_another", shows("COOLIX", "cool", 22)),
    ):
        await dialogue.progress(step)
        mqtt_home.device.publish("ir/receiver", json.dumps({"timings": to_timings(packet)}))
        await dialogue.wait(lambda: dialogue.step in ("heard", "ready"))
        if dialogue.step == "heard":
            await dialogue.choose("known_state")
    await finish(hass, dialogue, "climate.air_conditioner", name="Air conditioner")
    data = {"entity_id": "climate.air_conditioner", "hvac_mode": "cool", "temperature": 21}
    await act(hass, "climate", "set_temperature", **data)
    await until(lambda: sent)
    assert len(sent[0]["timings"]) > 50
    end()


async def test_the_zigbee_blaster_of_the_page(bare_mqtt_home: MqttHome) -> None:
    """Its template writes codes that are read as the same packets."""
    pytest.importorskip("homeassistant.components.mqtt.infrared")
    hass = bare_mqtt_home.hass
    page = await hass.async_add_executor_job(PAGE.read_text, "utf-8")
    [block] = re.findall(r"^   ```yaml\n(.*?)^   ```", page, re.DOTALL | re.MULTILINE)
    config = parse_yaml(textwrap.dedent(block))
    assert isinstance(config, dict)
    with patch("homeassistant.config.load_yaml_config_file", return_value=config):
        await bare_mqtt_home.start_mqtt()
    await until(lambda: hass.states.get("infrared.blaster"))
    await add_without_hub(hass)
    sent: list[str] = []
    topic, subscribed = "zigbee2mqtt/blaster/set", asyncio.Event()
    end = await mqtt.async_subscribe(
        hass,
        topic,
        callback(lambda message: sent.append(json.loads(message.payload)["ir_code_to_send"])),
    )
    end_waiting = mqtt.async_on_subscribe_done(hass, topic, 0, subscribed.set)
    await subscribed.wait()
    end_waiting()
    await import_codes(hass, tv={"power": NEC, "set": shows("ELECTRA_AC", "cool", 24).hex()})
    for command in ("power", "set"):
        await send(hass, device="tv", command=command)
        await until(lambda: sent)
        [packet] = known(hass, NO_HUB).named("tv").by_name[command].packets
        received = to_timings(parse_text(f"tuya:{sent.pop()}"))
        for sent_us, received_us in zip(to_timings(packet), received, strict=False):
            assert abs(min(abs(sent_us), 65_535) - abs(received_us)) <= TICK_US + 1
    end()
