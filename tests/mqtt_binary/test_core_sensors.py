"""Sensors that core's own MQTT discovery has made, taken over in the user interface."""

import json

from homeassistant.config_entries import RELOAD_AFTER_UPDATE_DELAY
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.mqtt_binary.core_sensors import announced

from .core_sensors import (
    CORES,
    DOOR,
    USER,
    announce,
    disabled_by,
    home_fixture,
    pages_of,
    suggested,
    take_over,
)
from .dialogue import begin, choose, enter, entry_of, hear
from .home import MqttHome

__all__ = ["home_fixture"]


async def test_ours_takes_the_place_of_cores_and_gives_it_back(home: MqttHome) -> None:
    subentry_id = await take_over(home)
    await home.wait_for(CORES, "on")
    registry = er.async_get(home.hass)
    ours = registry.async_get(CORES)
    assert ours is not None
    assert (ours.platform, ours.config_subentry_id) == ("mqtt_binary", subentry_id)
    assert disabled_by(home, f"{CORES}_mqtt") is USER
    state = home.hass.states.get(CORES)
    assert state is not None
    assert (state.name, state.attributes["device_class"]) == ("Door Contact", "door")
    home.publish("zigbee/bridge", json.dumps({"state": "offline"}))
    await home.wait_for(CORES, "unavailable")
    home.publish("zigbee/bridge", json.dumps({"state": "online"}))
    home.publish("zigbee/door", json.dumps({"contact": True}))
    await home.wait_for(CORES, "off")

    # After a restart of either, all is as before.
    await home.hass.config_entries.async_reload(entry_of(home).entry_id)
    await home.change_mqtt(birth_message={})
    await home.wait_for(CORES, "on")  # retained
    assert home.hass.states.get(f"{CORES}_mqtt") is None

    home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, CORES) is None
    assert registry.async_get(f"{CORES}_mqtt") is None
    await home.pass_time(RELOAD_AFTER_UPDATE_DELAY)
    await home.wait_for(CORES, "on")


async def test_what_cores_sensor_has_besides_stays_through_a_change(home: MqttHome) -> None:
    subentry_id = await take_over(home)
    page = await begin(home, subentry_id)
    page = await enter(home, page, suggested(page) | {"name": "Front door"})
    # It has two of them already, which stand in no field.
    wrong = await enter(home, page, suggested(page) | {"availability_topic": "zigbee/door/status"})
    assert (wrong["step_id"], wrong["errors"]) == ("details", {"base": "invalid"})
    details = {key: value for key, value in suggested(page).items() if "topic" not in key}
    page = await hear(home, await enter(home, page, details | {"off_delay": 60}))
    done = await choose(home, page, "keep")
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "reconfigure_successful")
    home.publish("zigbee/bridge", json.dumps({"state": "offline"}))
    await home.wait_for(CORES, "unavailable")
    home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, CORES) is None


async def test_ours_beside_cores_changes_nothing_of_it(home: MqttHome) -> None:
    page = await choose(home, await pages_of(home, CORES), "keep")
    await choose(home, page, "beside")
    await home.hass.async_block_till_done()
    await home.wait_for(f"{CORES}_2", "on")
    assert home.value(CORES) == "on"
    assert disabled_by(home, CORES) is None


async def test_what_the_user_has_enabled_since_is_left_alone(home: MqttHome) -> None:
    subentry_id = await take_over(home)
    registry = er.async_get(home.hass)
    registry.async_update_entity(f"{CORES}_mqtt", disabled_by=None)
    home.hass.config_entries.async_remove_subentry(entry_of(home), subentry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, f"{CORES}_mqtt") is None


async def test_the_end_of_the_integration_gives_back_too(home: MqttHome) -> None:
    await take_over(home)
    await home.hass.config_entries.async_remove(entry_of(home).entry_id)
    await home.hass.async_block_till_done()
    assert disabled_by(home, CORES) is None


async def test_sensors_of_a_devices_message_and_what_cannot_be_read(home: MqttHome) -> None:
    components = {
        "leak": {"p": "binary_sensor", "name": "Leak", "uniq_id": "leak", "stat_t": "leak"},
        "wet": {"p": "sensor", "name": "Wet", "uniq_id": "wet", "stat_t": "leak"},
        # Ours has no name for this encoding, core does not mind.
        "odd": {"p": "binary_sensor", "uniq_id": "odd", "stat_t": "odd", "e": "nothing"},
    }
    message = {"dev": {"ids": "cellar", "name": "Cellar"}, "o": {"name": "x"}, "cmps": components}
    await announce(home, "device/cellar", message)
    await announce(
        home, "binary_sensor/fleeting", DOOR | {"uniq_id": "y", "name": "Y"}, retain=False
    )
    home.publish("homeassistant/binary_sensor/broken/config", "{", retain=True)
    home.publish("leak", "ON", retain=True)
    await home.settled()
    page = await hear(home, await choose(home, await begin(home), "discovered"))
    (select,) = page["data_schema"].schema.values()
    labels = [option["label"] for option in select.config["options"]]
    assert sorted(labels) == [
        "Cellar Leak (binary_sensor.cellar_leak)",
        "Door Contact (binary_sensor.door_contact)",
    ]
    note = page["description_placeholders"]["note"]
    assert "in total: 2," in note
    odd, broken = [line for line in note.splitlines() if line.startswith("- ")]
    assert "(binary_sensor.cellar_mqtt_binary_sensor): encoding: there is no" in odd
    assert broken.startswith("- homeassistant/binary_sensor/broken/config: it is not JSON")
    home.hass.config_entries.subentries.async_abort(page["flow_id"])
    assert (await pages_of(home, "binary_sensor.cellar_leak"))["step_id"] == "heard_on"


async def test_the_only_sensor_cannot_be_used(home: MqttHome) -> None:
    await announce(home, "binary_sensor/0x42/contact", DOOR | {"e": "nothing"})
    done = await hear(home, await choose(home, await begin(home), "discovered"))
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "none_usable")
    assert f"- Door Contact ({CORES}): encoding" in done["description_placeholders"]["note"]


async def test_what_is_not_there_for_core_is_not_named(home: MqttHome) -> None:
    """An announcement that was deleted, and a sensor that is disabled."""
    await announce(home, "binary_sensor/odd", DOOR | {"e": "nothing", "uniq_id": "odd"})
    er.async_get(home.hass).async_update_entity(f"{CORES}_2", disabled_by=USER)
    await home.hass.async_block_till_done()
    page = await hear(home, await choose(home, await begin(home), "discovered"))
    assert page["description_placeholders"]["note"] == ""


async def test_nothing_is_retained(home: MqttHome) -> None:
    await announce(home, "binary_sensor/fleeting", DOOR | {"uniq_id": "fleeting"}, retain=False)
    er.async_get(home.hass).async_update_entity(CORES, disabled_by=USER)
    await home.hass.async_block_till_done()
    done = await hear(home, await choose(home, await begin(home), "discovered"))
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "nothing_announced")


async def test_where_core_has_discovered_nothing_that_is_not_offered(
    home: MqttHome,
) -> None:
    er.async_get(home.hass).async_update_entity(CORES, disabled_by=USER)
    await home.hass.async_block_till_done()
    assert (await begin(home))["menu_options"] == ["read", "watch"]


async def test_a_closed_dialogue_reads_no_announcements(
    home: MqttHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announced, "QUIET_S", 20.0)  # until the dialogue is closed
    client = home.hass.data["mqtt"].client
    page = await choose(home, await begin(home), "discovered")
    await home.settled()
    listeners = len(client.subscriptions)
    home.hass.config_entries.subentries.async_abort(page["flow_id"])
    await home.hass.async_block_till_done()
    assert len(client.subscriptions) == listeners - 4
