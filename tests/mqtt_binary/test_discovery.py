"""Sensors that announce themselves, and their devices."""

import json
import logging

from homeassistant.components import mqtt
from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from tests.home import until

from .announced import CONFIG, DEVICE, TOPIC, announce, devices, processed
from .home import MARKERS, MqttHome
from .logged import warnings

pytestmark = pytest.mark.usefixtures("discovery")


def device_of(home: MqttHome, entity_id: str) -> dr.DeviceEntry:
    entity = er.async_get(home.hass).async_get(entity_id)
    assert entity is not None
    assert entity.device_id is not None
    device = dr.async_get(home.hass).async_get(entity.device_id)
    assert isinstance(device, dr.DeviceEntry)
    return device


async def test_a_sensor_with_its_device(home: MqttHome) -> None:
    await announce(
        home,
        {
            "name": "Contact",
            "state_topic": "home/door",
            "unique_id": "door",
            "device_class": "door",
            "device": {
                "connections": [["mac", "02:00:00:00:00:01"]],
                "identifiers": ["serial-1", "serial-2"],
                "manufacturer": "Maker",
                "model": "M1",
                "name": "Front door",
                "sw_version": "1.2",
                "hw_version": "3",
                "serial_number": "sn",
                "configuration_url": "http://192.0.2.1/",
                "via_device": "bridge",
            },
        },
    )
    sensor = "binary_sensor.front_door_contact"
    assert home.value(sensor) == "unknown"
    device = device_of(home, sensor)
    assert device.identifiers == {("mqtt_binary", "serial-1"), ("mqtt_binary", "serial-2")}
    assert device.connections == {("mac", "02:00:00:00:00:01")}
    assert (device.manufacturer, device.model, device.name, device.sw_version) == (
        "Maker",
        "M1",
        "Front door",
        "1.2",
    )
    assert device.via_device_id is not None
    home.publish("home/door", "ON")
    await home.wait_for(sensor, "on")


async def test_the_default_name_follows_the_devices(home: MqttHome) -> None:
    device = {"identifiers": "1", "name": "Front door"}
    config = {"state_topic": "a", "unique_id": "1", "device_class": "door", "device": device}
    await announce(home, config)
    state = home.hass.states.get("binary_sensor.front_door_mqtt_binary_sensor")
    assert state is not None
    assert state.name == "Front door MQTT Binary Sensor"


async def test_abbreviations_and_the_base_topic(home: MqttHome) -> None:
    await announce(
        home,
        {
            "~": "home/door",
            "name": "Door",
            "stat_t": "~/state",
            "pl_on": "1",
            "pl_off": "0",
            "val_tpl": "{{ value_json.s }}",
            "avty": [{"t": "~/status", "pl_avail": "up", "pl_not_avail": "down"}],
            "json_attr_t": "attributes/of/~",
            "uniq_id": "door",
            "off_dly": 5,
            "exp_aft": 500,
            "dev": {"ids": "x", "cns": {"mac": "02:00:00:00:00:02"}, "mf": "Maker", "sw": "1"},
            "o": {"name": "test"},
        },
        "mqtt_binary/binary_sensor/node-1/door_1/config",
    )
    (sensor,) = home.hass.states.async_entity_ids("binary_sensor")
    home.publish("home/door/status", "up")
    home.publish("home/door/state", '{"s": 1}')
    home.publish("attributes/of/home/door", '{"battery": 90}')
    await home.wait_for(sensor, "on")
    await home.settled()
    state = home.hass.states.get(sensor)
    assert state is not None
    assert state.attributes["battery"] == 90
    device = device_of(home, sensor)
    assert device.connections == {("mac", "02:00:00:00:00:02")}
    assert device.manufacturer == "Maker"


async def test_a_changed_message_changes_the_sensor_in_place(
    home: MqttHome,
) -> None:
    await announce(home, CONFIG)
    sensor = "binary_sensor.door_contact"
    home.publish("home/door", "ON")
    await home.wait_for(sensor, "on")
    before = home.changes(sensor)
    await announce(
        home,
        CONFIG
        | {
            "state_topic": "home/other",
            "payload_on": "OPEN",
            "device_class": "door",
            "icon": "mdi:door",
            "entity_category": "diagnostic",
            "device": DEVICE | {"sw_version": "2"},
        },
    )
    state = home.hass.states.get(sensor)
    assert state is not None
    assert state.state == "on"
    assert state.attributes["device_class"] == "door"
    assert "unavailable" not in before
    assert device_of(home, sensor).sw_version == "2"
    home.publish("home/door", "OFF")
    await home.settled()
    assert home.value(sensor) == "on"
    home.publish("home/other", "OFF")
    await home.wait_for(sensor, "off")
    home.publish("home/other", "OPEN")
    await home.wait_for(sensor, "on")


async def test_the_same_message_again_changes_nothing(home: MqttHome) -> None:
    await announce(home, CONFIG)
    before = home.hass.states.get("binary_sensor.door_contact")
    await announce(home, CONFIG)
    assert home.hass.states.get("binary_sensor.door_contact") is before


async def test_timing_and_availability_change_in_place(home: MqttHome) -> None:
    await announce(home, CONFIG)
    sensor = "binary_sensor.door_contact"
    home.publish("home/door", "ON")
    await home.wait_for(sensor, "on")
    await announce(home, CONFIG | {"expire_after": 0.1})
    await home.wait_for(sensor, "unavailable")
    await announce(home, CONFIG)
    await home.wait_for(sensor, "unknown")
    await announce(home, CONFIG | {"availability_topic": "home/status"})
    await home.wait_for(sensor, "unavailable")
    home.publish("home/status", "online")
    await home.wait_for(sensor, "unknown")
    await announce(home, CONFIG | {"availability_topic": "home/status", "qos": 1})
    assert home.value(sensor) == "unknown"


async def test_availability_topics_that_are_new_have_said_nothing_yet(home: MqttHome) -> None:
    two = [{"topic": "home/status"}, {"topic": "home/bridge"}]
    await announce(home, CONFIG | {"availability": two})
    sensor = "binary_sensor.door_contact"
    home.publish("home/bridge", "offline")
    home.publish("home/status", "online")
    await home.wait_for(sensor, "unknown")
    await announce(home, CONFIG | {"availability_topic": "home/elsewhere"})
    assert home.value(sensor) == "unavailable"
    await announce(home, CONFIG | {"availability": two})
    assert home.value(sensor) == "unavailable"
    home.publish("home/status", "online")
    await home.wait_for(sensor, "unknown")


async def test_what_has_expired_stays_so_when_another_key_changes(home: MqttHome) -> None:
    await announce(home, CONFIG | {"expire_after": 0.2})
    sensor = "binary_sensor.door_contact"
    await home.wait_for(sensor, "unavailable")
    await announce(home, CONFIG | {"expire_after": 0.2, "off_delay": 5})
    assert home.value(sensor) == "unavailable"
    home.publish("home/door", "ON")
    await home.wait_for(sensor, "on")


async def test_the_members_of_a_group_change_in_place(home: MqttHome) -> None:
    for name in ("a", "b"):
        single = {"state_topic": name, "unique_id": name, "name": name}
        await announce(home, single, TOPIC.replace("door", name))
    all_ = {"state_topic": "all", "unique_id": "all", "name": "all"}
    for members in (["a"], ["a", "b"], ["b"]):
        await announce(home, all_ | {"group": members})
        state = home.hass.states.get("binary_sensor.all")
        assert state is not None
        assert state.attributes["group_entities"] == [f"binary_sensor.{name}" for name in members]


async def test_another_device_and_another_unique_id(home: MqttHome) -> None:
    await announce(home, CONFIG)
    await announce(home, CONFIG | {"device": {"identifiers": "serial-2", "name": "Other"}})
    assert devices(home) == ["Other"]
    assert device_of(home, "binary_sensor.door_contact").name == "Other"
    await announce(
        home, CONFIG | {"unique_id": "new", "device": {"identifiers": "3", "name": "New"}}
    )
    assert devices(home) == ["New"]
    assert home.hass.states.async_entity_ids("binary_sensor") == ["binary_sensor.new"]
    await announce(home, {"state_topic": "home/door", "unique_id": "new", "name": "bare"})
    assert devices(home) == []
    assert len(home.hass.states.async_entity_ids("binary_sensor")) == 1


async def test_an_empty_message_removes_the_sensor_and_the_last_its_device(
    home: MqttHome,
) -> None:
    second = TOPIC.replace("door", "tamper")
    await announce(home, CONFIG)
    await announce(home, CONFIG | {"unique_id": "tamper", "name": "Tamper"}, second)
    assert devices(home) == ["Door contact"]
    await announce(home, "")
    assert home.hass.states.async_entity_ids("binary_sensor") == [
        "binary_sensor.door_contact_tamper"
    ]
    assert devices(home) == ["Door contact"]
    await announce(home, "", second)
    assert home.hass.states.async_entity_ids("binary_sensor") == []
    assert devices(home) == []
    await announce(home, "")
    await announce(home, CONFIG)
    assert home.value("binary_sensor.door_contact") == "unknown"


async def test_the_device_in_between_goes_with_the_last_it_leads_to(home: MqttHome) -> None:
    topics = [TOPIC.replace("door", name) for name in ("one", "two")]
    for topic in topics:
        device = {"identifiers": topic, "name": topic, "via_device": "bridge"}
        await announce(home, CONFIG | {"unique_id": topic, "device": device}, topic)
    assert len(devices(home)) == 3
    await announce(home, "", topics[0])
    assert len(devices(home)) == 2
    await announce(home, "", topics[1])
    assert devices(home) == []


async def test_a_sensor_without_unique_id(home: MqttHome) -> None:
    await announce(home, {"state_topic": "home/door"})
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.mqtt_binary_sensor", "on")
    await announce(home, {"state_topic": "home/window"})
    home.publish("home/window", "OFF")
    await home.wait_for("binary_sensor.mqtt_binary_sensor", "off")
    await announce(home, "")
    assert home.hass.states.async_entity_ids("binary_sensor") == []


async def test_a_device_works_only_with_a_unique_id(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    without = {key: value for key, value in CONFIG.items() if key != "unique_id"}
    for off_delay in (1, 2):
        await announce(home, without | {"off_delay": off_delay})
    assert home.value("binary_sensor.mqtt_binary_sensor") == "unknown"
    assert not devices(home)
    assert warnings(caplog) == [f"Discovery topic {TOPIC}: device ignored: it needs unique_id"]
    await announce(home, CONFIG)
    assert home.value("binary_sensor.door_contact") == "unknown"
    assert devices(home)
    await announce(home, without)
    assert len(warnings(caplog)) == 2


async def test_nothing_is_published(home: MqttHome) -> None:
    received: set[tuple[str, object]] = set()

    @callback
    def on_message(message: mqtt.ReceiveMessage) -> None:
        if not message.topic.startswith(MARKERS):
            received.add((message.topic, message.payload))

    unsubscribe = await mqtt.async_subscribe(home.hass, "#", on_message)
    await announce(home, CONFIG)
    await home.set_up(
        "{state_topic: home/window, json_attributes_topic: home/window, unique_id: window,"
        " availability_topic: home/status}"
    )
    published = [("home/status", "online"), ("home/window", "ON"), ("home/door", "ON")]
    for topic, payload in published:
        home.publish(topic, payload)
    await home.wait_for("binary_sensor.door_contact", "on")
    for entity_id in [*er.async_get(home.hass).entities]:
        er.async_get(home.hass).async_remove(entity_id)
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    await processed(home)
    assert received == {(TOPIC, json.dumps(CONFIG)), *published}
    unsubscribe()


BAD: dict[str, tuple[str | bytes, str]] = {
    "no JSON": ("{", "not JSON"),
    "no object": ("[1]", "list"),
    "too long": (json.dumps({"state_topic": "x" * 100_000}), "65536"),
    "too deep": ("[" * 100_000 + "]" * 100_000, "65536"),
    "deep": ('{"a":' * 5000 + "1" + "}" * 5000, "not JSON"),
    "no topic": ('{"name": "x"}', "state_topic"),
    "bad topic": ('{"state_topic": "a/#/b"}', "state_topic"),
    "topic a list": ('{"state_topic": ["a"]}', "state_topic"),
    "infinite qos": ('{"state_topic": "a", "qos": 1e999}', "not JSON"),
    "bad qos": ('{"state_topic": "a", "qos": {}}', "qos"),
    "bad template": ('{"state_topic": "a", "value_template": "{{"}', "value_template"),
    "long template": (
        json.dumps({"state_topic": "a", "val_tpl": "{{ value }}" + " " * 4_096}),
        "value_template",
    ),
    "long template in a list": (
        json.dumps({"state_topic": "a", "avty": {"t": "b", "val_tpl": "x" * 4_097}}),
        "value_template",
    ),
    "deep template": (
        json.dumps({"state_topic": "a", "val_tpl": "{{ " + "(" * 2_000 + ")" * 2_000 + " }}"}),
        "value_template",
    ),
    "bad base": ('{"~": 5, "state_topic": "a"}', "~"),
    "device without identifiers": (
        '{"state_topic": "a", "uniq_id": "x", "device": {"name": "x"}}',
        "identifiers",
    ),
    "device no object": ('{"state_topic": "a", "uniq_id": "x", "device": 5}', "device"),
    "bad connections": (
        '{"state_topic": "a", "uniq_id": "x", "device": {"cns": [["mac"]]}}',
        "device.connections",
    ),
    "both payloads": ('{"state_topic": "a", "payload_on": "OFF"}', "payload_off"),
    "bad availability": ('{"state_topic": "a", "avty": [{"x": 1}]}', "availability"),
}


@pytest.mark.parametrize(("payload", "named"), BAD.values(), ids=BAD)
async def test_a_bad_message_warns_once_and_disturbs_nothing(
    home: MqttHome,
    caplog: pytest.LogCaptureFixture,
    payload: str | bytes,
    named: str,
) -> None:
    await announce(home, CONFIG)
    for _ in range(2):
        await announce(home, payload)
    await announce(home, payload, TOPIC.replace("door", "other"))
    logged = warnings(caplog)
    assert len(logged) == 2
    assert TOPIC in logged[0]
    assert named in logged[0]
    assert "Traceback" not in caplog.text
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")
    assert len(home.hass.states.async_entity_ids("binary_sensor")) == 1


async def test_unknown_keys_are_named_and_ignored(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(
        home,
        CONFIG
        | {
            "bogus": 1,
            "device": DEVICE | {"colour": "red"},
            "availability": [{"t": "a", "of": "b"}, {"t": "b", "of": "b"}],
        },
    )
    ignored = "bogus, device.colour, availability.of"
    assert home.log(logging.INFO)[-1].endswith(f"{TOPIC}: unknown keys ignored: {ignored}")
    home.publish("b", "online")
    await home.wait_for("binary_sensor.door_contact", "unknown")
    assert not warnings(caplog)
    assert home.value("binary_sensor.door_contact") == "unknown"


async def test_an_illegal_topic_is_named(home: MqttHome, caplog: pytest.LogCaptureFixture) -> None:
    await announce(home, CONFIG, "mqtt_binary/binary_sensor/do or/config")
    (warning,) = warnings(caplog)
    assert "do or" in warning
    await announce(home, CONFIG, "mqtt_binary/sensor/door/config")
    assert home.hass.states.async_entity_ids("binary_sensor") == []


async def test_yaml_and_discovery_share_one_set_of_unique_ids(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(home, CONFIG)
    home.yaml.write_text(
        "binary_sensor:\n- {platform: mqtt_binary, state_topic: yaml, unique_id: door, name: y}\n"
    )
    with pytest.raises(HomeAssistantError, match="Two MQTT binary sensors"):
        await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    assert home.hass.states.get("binary_sensor.y") is None

    await announce(home, "")
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    await home.settled()
    caplog.clear()
    await announce(home, CONFIG)
    (warning,) = warnings(caplog)
    assert TOPIC in warning
    assert "home/door" in warning
    assert "yaml" in warning
    home.publish("yaml", "ON")
    await until(lambda: home.hass.states.async_all("binary_sensor")[0].state == "on")


async def test_two_announcements_with_one_unique_id(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(home, CONFIG)
    await announce(home, CONFIG | {"state_topic": "home/2"}, TOPIC.replace("door", "two"))
    (warning,) = warnings(caplog)
    assert "home/door" in warning
    assert "home/2" in warning
    assert len(home.hass.states.async_entity_ids("binary_sensor")) == 1


async def test_a_unique_id_that_has_become_free_can_be_announced_again(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    two = TOPIC.replace("door", "two")
    await announce(home, CONFIG)
    await announce(home, CONFIG | {"state_topic": "home/moved"})
    for _ in range(2):
        await announce(home, CONFIG | {"state_topic": "home/2"}, two)
    (warning,) = warnings(caplog)
    assert "home/moved" in warning
    assert "home/2" in warning
    await announce(home, "")
    await announce(home, CONFIG | {"state_topic": "home/2"}, two)
    home.publish("home/2", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")
    assert len(warnings(caplog)) == 1


async def test_a_sensor_stays_when_its_new_unique_id_is_taken(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    other = {"state_topic": "home/other", "unique_id": "other", "name": "other"}
    await announce(home, CONFIG)
    await announce(home, other, TOPIC.replace("door", "other"))
    await announce(home, CONFIG | {"unique_id": "other"})
    assert len(warnings(caplog)) == 1
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")


async def test_retained_announcements_bring_sensors_back_after_a_reload(
    home: MqttHome, discovery: MockConfigEntry, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(home, CONFIG)
    for _ in range(2):
        assert await home.hass.config_entries.async_reload(discovery.entry_id)
        await processed(home)
        await home.wait_for("binary_sensor.door_contact", "unknown")
    assert not warnings(caplog)
    assert await home.hass.config_entries.async_unload(discovery.entry_id)
    await home.settled()
    assert home.value("binary_sensor.door_contact") == "unavailable"


async def test_a_broker_restart_and_a_reload_of_core_keep_discovered_sensors(
    home: MqttHome,
) -> None:
    await announce(home, CONFIG)
    assert home.entry is not None
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.wait_for("binary_sensor.door_contact", "unknown")
    await announce(home, CONFIG | {"state_topic": "home/new"})
    home.publish("home/new", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")


async def test_what_the_user_deletes_returns_with_the_next_announcement(
    home: MqttHome,
) -> None:
    await announce(home, CONFIG)
    er.async_get(home.hass).async_remove("binary_sensor.door_contact")
    await home.hass.async_block_till_done()
    assert home.hass.states.get("binary_sensor.door_contact") is None
    await announce(home, CONFIG)
    assert home.value("binary_sensor.door_contact") == "unknown"


async def test_what_was_disabled_and_deleted_returns_too(home: MqttHome) -> None:
    config = CONFIG | {"enabled_by_default": False}
    await announce(home, config)
    registry = er.async_get(home.hass)
    registry.async_remove("binary_sensor.door_contact")
    await home.hass.async_block_till_done()
    await announce(home, config)
    assert registry.async_get("binary_sensor.door_contact") is not None


async def test_what_the_user_disabled_and_deleted_returns_too(home: MqttHome) -> None:
    await announce(home, CONFIG)
    registry = er.async_get(home.hass)
    registry.async_update_entity(
        "binary_sensor.door_contact", disabled_by=er.RegistryEntryDisabler.USER
    )
    await home.hass.async_block_till_done()
    assert home.hass.states.get("binary_sensor.door_contact") is None
    registry.async_remove("binary_sensor.door_contact")
    await home.hass.async_block_till_done()
    await announce(home, CONFIG)
    assert registry.async_get("binary_sensor.door_contact") is not None


@pytest.mark.parametrize("enabled", [True, False])
async def test_a_deleted_device_returns_with_its_sensor(home: MqttHome, *, enabled: bool) -> None:
    config = CONFIG | {"enabled_by_default": enabled}
    await announce(home, config)
    device = device_of(home, "binary_sensor.door_contact")
    dr.async_get(home.hass).async_remove_device(device.id)
    await home.hass.async_block_till_done()
    assert devices(home) == []
    await announce(home, config)
    assert devices(home) == ["Door contact"]
    assert (home.hass.states.get("binary_sensor.door_contact") is not None) is enabled


async def test_the_device_goes_with_its_last_enabled_sensor(home: MqttHome) -> None:
    second = TOPIC.replace("door", "tamper")
    await announce(home, CONFIG)
    await announce(
        home,
        CONFIG | {"unique_id": "tamper", "name": "Tamper", "enabled_by_default": False},
        second,
    )
    await announce(home, "")
    assert devices(home) == []
    registry = er.async_get(home.hass)
    assert registry.async_get("binary_sensor.door_contact_tamper") is None
    # The disabled one is not forgotten for good: it is there again with its next announcement.
    await announce(
        home,
        CONFIG | {"unique_id": "tamper", "name": "Tamper", "enabled_by_default": False},
        second,
    )
    assert devices(home) == ["Door contact"]


async def test_what_is_removed_and_announced_in_one_go_is_new(home: MqttHome) -> None:
    await announce(home, CONFIG)
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")
    for payload in ("", json.dumps(CONFIG)):
        home.publish(TOPIC, payload, retain=True)
    await processed(home)
    assert home.value("binary_sensor.door_contact") == "unknown"
    for payload in ("", json.dumps(CONFIG), "", json.dumps(CONFIG), ""):
        home.publish(TOPIC, payload, retain=True)
    await processed(home)
    assert home.hass.states.get("binary_sensor.door_contact") is None
    assert devices(home) == []


async def test_ignored_announcements_are_named_at_debug_level(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(home, CONFIG)
    caplog.clear()
    await announce(home, CONFIG)
    assert f"{TOPIC}: ignored: it is the same as before" in caplog.text


@pytest.mark.parametrize(
    "template",
    [
        "{{ value_json.items() | map(attribute=1) | select('match', 'O[N]') | first }}",
        "{{ {'open': 'ON'}[value_json.state] | default('OFF') }}",
        "{% macro m(x) %}{{ 'ON' if x else 'OFF' }}{% endmacro %}{{ m(value_json.state) }}",
        "{% for i in range(3) %}{% for j in range(3) %}{% endfor %}{% endfor %}ON",
        "{{ 'ON' if 2 ** 3 == 8 and 'a'.center(3) == ' a ' }}",
        "{{ 'ON' if states('sun.sun') == 'unknown' }}",
    ],
)
async def test_announced_templates_run_as_cores_do(home: MqttHome, template: str) -> None:
    await announce(home, CONFIG | {"value_template": template})
    home.publish("home/door", '{"state": "open", "s": "ON"}')
    await home.wait_for("binary_sensor.door_contact", "on")


async def test_a_disabled_sensor_can_be_removed(home: MqttHome) -> None:
    await announce(home, CONFIG | {"enabled_by_default": False})
    registry = er.async_get(home.hass)
    assert registry.async_get("binary_sensor.door_contact") is not None
    await announce(home, CONFIG | {"enabled_by_default": False, "qos": 1})
    await announce(home, "")
    assert registry.async_get("binary_sensor.door_contact") is None
    assert devices(home) == []


async def test_a_flood_of_announcements(home: MqttHome) -> None:
    for number in range(300):
        topic = f"mqtt_binary/binary_sensor/s{number % 100}/config"
        home.publish(
            topic, json.dumps({"state_topic": f"s/{number}", "name": f"s{number % 100}"}), qos=1
        )
    await until(lambda: len(home.hass.states.async_entity_ids("binary_sensor")) == 100)
    await processed(home)
    home.publish("s/299", "ON")
    await home.wait_for("binary_sensor.s99", "on")
