"""Infrared receivers of other integrations, in place of a hub's own or besides it."""

import json

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.irhub.dialogues import listening
from custom_components.irhub.entities.use import IrhubConfigEntry
from custom_components.irhub.ircodes import encode, to_timings
from tests.home import until
from tests.mqtt_binary.home import MqttHome
from virtual_home.hub import VirtualHub

from ..dialogue import add, configure
from ..followed import REMOTE_CONTROL, follow_tv
from ..home import FAN, HDMI, POWER, commands, known, our_hub
from ..infrared_entities import EMITTER, RECEIVER, RECEIVER_NAME, Blaster
from ..learning import learn

pytestmark = pytest.mark.usefixtures("no_pauses")

NOISE = [560, -30_000, 560, -25_000, 560, -30_000]
"""Of a lamp."""


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_command_is_learned_with_a_chosen_receiver(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await learn(dialogue, "power", RECEIVER)
    assert lounge.count("learn") == 0
    blaster.press(NOISE)
    blaster.press(POWER)
    await dialogue.arrive("heard")
    assert RECEIVER_NAME in dialogue.texts["heard"]
    await dialogue.choose("keep")
    assert commands(known(hass))["tv"].keys() == {"power"}
    # It is asked once in a dialogue.
    await learn(dialogue, "hdmi")
    blaster.press(HDMI)
    await dialogue.arrive("heard")


@pytest.mark.parametrize("by", ["hub", "entity"])
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_of_all_receivers_the_first_to_receive_a_press_is_used(
    hass: HomeAssistant, blaster: Blaster, by: str, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await learn(dialogue, "power", "all")
    if by == "hub":
        await lounge.press_when_listening(POWER)
    else:
        await lounge.until(lambda: lounge.receiver.listening == "ir")
        blaster.press(POWER)
    await dialogue.arrive("heard")
    assert (RECEIVER_NAME in dialogue.texts["heard"]) is (by == "entity")
    await dialogue.choose("keep")
    # Nobody listens any more.
    await lounge.until(lambda: lounge.receiver.listening is None)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_receiver_that_goes_while_it_listens_is_named(
    hass: HomeAssistant, blaster: Blaster, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await learn(dialogue, "power", RECEIVER)
    await blaster.end()
    await dialogue.arrive("learn")
    assert dialogue.error == f"The infrared receiver {RECEIVER_NAME} is not available"
    await dialogue.submit(device="tv", command="power", alternative=False)
    await dialogue.arrive("learn")
    await blaster.remove()
    await dialogue.submit(device="tv", command="power", alternative=False)
    await dialogue.arrive("learn")
    assert dialogue.error == f"Home Assistant has no infrared receiver {RECEIVER}"


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_receiver_that_goes_away_does_not_hinder_the_others(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await configure(hass, entry)
    await learn(dialogue, "power", "all")
    await blaster.end()
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_signal_that_is_no_packet_is_named_at_the_end(
    hass: HomeAssistant, blaster: Blaster, monkeypatch: pytest.MonkeyPatch, lounge: VirtualHub
) -> None:
    monkeypatch.setattr(listening, "LEARN_WINDOW_S", 0.5)
    dialogue = await configure(hass, await add(hass, lounge))
    await learn(dialogue, "power", RECEIVER)
    await dialogue.arrive("learn")
    assert dialogue.error == f"No signal was received by {RECEIVER_NAME}"
    await dialogue.submit(device="tv", command="power", alternative=False)
    await dialogue.progress("press")
    blaster.press([9000, 4500, 560])
    await dialogue.arrive("learn")
    assert "it is no packet that can be sent again" in dialogue.error
    # With all of them, they are named together.
    dialogue = await configure(hass, hass.config_entries.async_entries("irhub")[0])
    await learn(dialogue, "power", "all")
    await dialogue.arrive("learn")
    assert dialogue.error.startswith("No signal was received by ")
    assert RECEIVER_NAME in dialogue.error
    assert "Lounge" in dialogue.error


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_settings_say_what_is_followed_and_learned_with(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub, entry: IrhubConfigEntry
) -> None:
    dialogue = await (await configure(hass, entry)).choose("settings")
    options = dialogue.fields["receivers"].config["options"]
    assert [option["value"] for option in options] == ["own", "all", RECEIVER]
    await dialogue.submit(receivers=[RECEIVER])
    await hass.async_block_till_done()
    await until(lambda: our_hub(hass, lounge).available)
    events = await follow_tv(hass, entry)
    blaster.press(HDMI)
    await until(lambda: events)
    assert (events[0]["command"], events[0]["receiver"]) == ("hdmi", RECEIVER_NAME)
    assert lounge.count("learn") == 0
    # It goes and comes back.
    await blaster.end()
    await until(lambda: hass.states.is_state(REMOTE_CONTROL, "unavailable"))
    await blaster.begin()
    await until(lambda: not hass.states.is_state(REMOTE_CONTROL, "unavailable"))
    events.clear()
    blaster.press(POWER)
    await until(lambda: events)
    assert events[0]["command"] == "power"
    # The dialogue does not ask what is settled, nor does the action.
    learning_dialogue = await configure(hass, entry)
    await learn(learning_dialogue, "mute")
    blaster.press(FAN)
    await learning_dialogue.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_press_that_several_receivers_receive_counts_once(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub
) -> None:
    entry = await add(hass, lounge, receivers=["all"])
    events = await follow_tv(hass, entry)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    blaster.press(HDMI)
    await lounge.press_when_listening(HDMI)
    await lounge.until(lambda: lounge.receiver.listening == "ir")
    await hass.async_block_till_done()
    assert [event["command"] for event in events] == ["hdmi"]
    dialogue = await (await configure(hass, entry)).choose("last_heard")
    [shown] = dialogue.texts["heard"].splitlines()
    assert RECEIVER_NAME in shown
    assert "Lounge" in shown
    # What an emitter sends is no press, although this receiver hears it.
    device = known(hass).named("tv")
    dialogue = await (await configure(hass, entry)).choose("emitter")
    await dialogue.submit(emitter=[EMITTER])
    await hass.services.async_call(
        "remote",
        "send_command",
        {"entity_id": "remote.lounge", "device": device.name, "command": "power"},
        blocking=True,
    )
    await hass.async_block_till_done()
    assert [event["command"] for event in events] == ["hdmi"]


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_the_action_learns_with_the_receivers_of_the_settings(
    hass: HomeAssistant, blaster: Blaster, lounge: VirtualHub
) -> None:
    await add(hass, lounge, receivers=[RECEIVER])
    data = {"host": f"{lounge.host}:{lounge.port}", "timeout": 5}
    call = hass.async_create_task(
        hass.services.async_call("irhub", "learn", data, blocking=True, return_response=True)
    )
    receiver = our_hub(hass, lounge).reception.receivers()[0]
    await until(lambda: receiver.learning)
    blaster.press(POWER)
    response = await call
    assert response is not None
    assert response["hex"] == POWER.hex()
    with pytest.raises(HomeAssistantError, match="radio is learned with a hub only"):
        await hass.services.async_call(
            "irhub",
            "learn",
            {**data, "command_type": "rf", "frequency": 433.9},
            blocking=True,
            return_response=True,
        )


@pytest.mark.usefixtures("blaster")
@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_hub_that_goes_ends_what_learns_for_it(
    hass: HomeAssistant,
    lounge: VirtualHub,
) -> None:
    entry = await add(hass, lounge, receivers=[RECEIVER])
    receiver = our_hub(hass, lounge).reception.receivers()[0]
    dialogue = await configure(hass, entry)
    await learn(dialogue, "power")
    assert receiver.learning
    await hass.config_entries.async_unload(entry.entry_id)
    await until(lambda: not receiver.learning)
    await dialogue.wait(lambda: dialogue.type is FlowResultType.ABORT)


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_our_own_entities_are_not_counted_twice(
    hass: HomeAssistant, entry: IrhubConfigEntry
) -> None:
    assert hass.states.get("infrared.lounge_receiver") is not None
    reception = entry.runtime_data.hub.reception
    assert reception.choices == [entry.runtime_data.own_hub.receiver]
    dialogue = await (await configure(hass, entry)).choose("settings")
    assert "receivers" not in dialogue.fields


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_another_hub_is_a_receiver_and_nobody_is_asked(
    hass: HomeAssistant, lounge: VirtualHub, attic: VirtualHub
) -> None:
    await add(hass, attic)
    entry = await add(hass, lounge)
    dialogue = await learn(await configure(hass, entry), "power")
    await lounge.press_when_listening(POWER)
    await dialogue.arrive("heard")
    dialogue = await (await configure(hass, entry)).choose("settings")
    options = dialogue.fields["receivers"].config["options"]
    assert [option["value"] for option in options] == ["own", "all", "34ea34000002"]
    await dialogue.submit(receivers=["34ea34000002"])
    await hass.async_block_till_done()
    await until(lambda: our_hub(hass, lounge).available)
    dialogue = await learn(await configure(hass, entry), "power")
    await attic.press_when_listening(POWER)
    await dialogue.arrive("heard")


@pytest.mark.usefixtures("blaster")
@pytest.mark.parametrize("model", ["rm4_pro"])
async def test_radio_is_learned_with_the_hub_and_nobody_is_asked(
    hass: HomeAssistant,
    lounge: VirtualHub,
) -> None:
    dialogue = await configure(hass, await add(hass, lounge, frequency=433.92))
    await dialogue.choose("learn")
    await dialogue.submit(device="fan", command="on", command_type="rf", alternative=False)
    await dialogue.progress("press")
    await lounge.press_when_listening(FAN)
    await dialogue.arrive("heard")


@pytest.mark.parametrize("model", ["rm_mini"])
async def test_a_receiver_of_mqtt(bare_mqtt_home: MqttHome, lounge: VirtualHub) -> None:
    pytest.importorskip("homeassistant.components.mqtt.infrared")
    hass, mqtt_home = bare_mqtt_home.hass, bare_mqtt_home
    await mqtt_home.start_mqtt(discovery=True)
    config = {"schema": "receiver", "state_topic": "ir/heard", "name": "Bedroom", "uniq_id": "b"}
    mqtt_home.device.publish("homeassistant/infrared/b/config", json.dumps(config), retain=True)
    await mqtt_home.settled()
    await hass.async_block_till_done()
    await until(lambda: hass.states.get("infrared.bedroom"))
    dialogue = await configure(hass, await add(hass, lounge))
    await learn(dialogue, "power", "infrared.bedroom")
    await mqtt_home.settled()
    packet = encode("NEC", address=0x20, command=7)
    assert packet is not None
    timings = json.dumps({"timings": to_timings(packet)})
    mqtt_home.device.publish("ir/heard", timings)
    await dialogue.arrive("heard")
    assert "Bedroom" in dialogue.texts["heard"]
    assert "NEC" in dialogue.texts["heard"]
