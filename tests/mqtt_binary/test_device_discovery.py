"""Messages that describe all components of a device: shown of core's sensors and of ours alike.

What core leaves open, or does otherwise on purpose, is shown of ours alone at the end.
"""

import json
from typing import Any

from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from .announced import CONFIG, DEVICE, TOPIC, announce, devices
from .home import MqttHome
from .logged import warnings
from .sides import Config, Side, both_sides, side_fixture

__all__ = ["side_fixture"]

# In the words of a battery's controller that publishes all it has in one go.
BATTERY: Config = {
    "dev": {"ids": "bms-1", "name": "Battery", "mf": "Maker", "mdl": "B48", "sw": "1.4"},
    "o": {"name": "bms2mqtt", "sw": "2.1", "url": "https://example.com/support"},
    "avty_t": "bms/1/available",
    "cmps": {
        "charging": {
            "p": "binary_sensor",
            "name": "Charging",
            "uniq_id": "bms-1_charging",
            "stat_t": "bms/1/charging",
            "dev_cla": "battery_charging",
        },
        "alarm": {
            "p": "binary_sensor",
            "name": "Alarm",
            "uniq_id": "bms-1_alarm",
            "~": "bms/1",
            "stat_t": "~/alarm",
            "pl_on": "1",
            "pl_off": "0",
            "stat_cla": "measurement",
        },
        "voltage": {
            "p": "sensor",
            "name": "Voltage",
            "uniq_id": "bms-1_voltage",
            "stat_t": "bms/1/voltage",
            "unit_of_meas": "V",
        },
    },
}
CHARGING, ALARM = "battery_charging", "battery_alarm"

# In the words of a car's service: everything of one topic, in full.
CAR: Config = {
    "device": {
        "identifiers": ["car-7"],
        "connections": [["mac", "02:00:00:00:00:07"]],
        "name": "Car",
    },
    "origin": {"name": "car2mqtt"},
    "state_topic": "car/7",
    "availability": [{"topic": "car/status", "value_template": "{{ value_json.state }}"}],
    "qos": 1,
    "encoding": "utf-8",
    "components": {
        "doors": {
            "platform": "binary_sensor",
            "unique_id": "car-7_doors",
            "name": "doors",
            "value_template": "{{ value_json.doors }}",
        },
        "plugged": {
            "platform": "binary_sensor",
            "unique_id": "car-7_plugged",
            "name": "plugged",
            "state_topic": "car/7/plug",
            "availability": [{"topic": "car/7/plug/status"}],
        },
    },
}
DOORS, PLUGGED = "car_doors", "car_plugged"


def without(config: Config, component: str) -> Config:
    """Return the message with nothing but the platform of a component: it is to be removed."""
    key, platform = ("cmps", "p") if "cmps" in config else ("components", "platform")
    return config | {key: config[key] | {component: {platform: "binary_sensor"}}}


def registered(side: Side, name: str) -> er.RegistryEntry:
    entry = er.async_get(side.home.hass).async_get(f"binary_sensor.{name}")
    assert entry is not None
    return entry


def device_of(side: Side, name: str) -> dr.DeviceEntry:
    device = dr.async_get(side.home.hass).async_get(registered(side, name).device_id or "")
    assert isinstance(device, dr.DeviceEntry)
    return device


@both_sides
async def test_the_sensors_of_a_device(side: Side) -> None:
    await side.set_up()
    await side.announce_device(BATTERY)
    assert (side.state(CHARGING), side.state(ALARM)) == ("unavailable", "unavailable")
    await side.send("bms/1/available", "online")
    await side.send("bms/1/charging", "ON")
    await side.send("bms/1/alarm", "0")
    assert (side.state(CHARGING), side.state(ALARM)) == ("on", "off")
    assert side.attributes(CHARGING)["device_class"] == "battery_charging"
    assert side.attributes(CHARGING)["friendly_name"] == "Battery Charging"
    device = device_of(side, CHARGING)
    assert device == device_of(side, ALARM)
    assert (device.name, device.manufacturer, device.model, device.sw_version) == (
        "Battery",
        "Maker",
        "B48",
        "1.4",
    )
    await side.send("bms/1/available", "offline")
    assert (side.state(CHARGING), side.state(ALARM)) == ("unavailable", "unavailable")


@both_sides
async def test_what_they_share_and_what_each_has_of_its_own(side: Side) -> None:
    await side.set_up()
    await side.announce_device(CAR, "node/car")
    await side.send("car/status", '{"state": "online"}')
    await side.send("car/7", '{"doors": "ON"}')
    assert (side.state(DOORS), side.state(PLUGGED)) == ("on", "unavailable")
    await side.send("car/7/plug/status", "online")
    await side.send("car/7/plug", "OFF")
    assert (side.state(DOORS), side.state(PLUGGED)) == ("on", "off")
    assert device_of(side, DOORS).connections == {("mac", "02:00:00:00:00:07")}


@both_sides
async def test_a_base_topic_inside_a_component_counts_for_what_is_shared(side: Side) -> None:
    component = CAR["components"]["doors"] | {"~": "house"}
    shared = {"state_topic": "~/door", "availability": {"topic": "status/of/~"}}
    await side.set_up()
    await side.announce_device(CAR | shared | {"components": {"doors": component}})
    await side.send("status/of/house", "online")
    await side.send("house/door", '{"doors": "ON"}')
    assert side.state(DOORS) == "on"


@both_sides
async def test_a_changed_message_changes_its_sensors(side: Side) -> None:
    await side.set_up()
    await side.announce_device(CAR)
    await side.send("car/status", '{"state": "online"}')
    await side.send("car/7", '{"doors": "ON"}')
    await side.announce_device(CAR | {"state_topic": "car/seven"})
    assert side.state(DOORS) == "on"
    await side.send("car/7", '{"doors": "OFF"}')
    assert side.state(DOORS) == "on"
    await side.send("car/seven", '{"doors": "OFF"}')
    assert side.state(DOORS) == "off"


@both_sides
async def test_a_component_is_removed_by_its_platform_alone(side: Side) -> None:
    await side.set_up()
    await side.announce_device(BATTERY)
    await side.announce_device(without(BATTERY, "alarm"))
    assert side.state(ALARM) is None
    assert er.async_get(side.home.hass).async_get(f"binary_sensor.{ALARM}") is None
    assert side.state(CHARGING) == "unavailable"
    # What is only left out stays; both keep the device.
    await side.announce_device(BATTERY | {"cmps": {"alarm": BATTERY["cmps"]["alarm"]}})
    assert (side.state(CHARGING), side.state(ALARM)) == ("unavailable", "unavailable")


@both_sides
async def test_an_empty_message_removes_the_device(side: Side) -> None:
    await side.set_up()
    await side.announce_device(CAR)
    device = device_of(side, DOORS)
    await side.announce_device("")
    assert (side.state(DOORS), side.state(PLUGGED)) == (None, None)
    assert dr.async_get(side.home.hass).async_get(device.id) is None
    await side.announce_device(CAR)
    assert side.state(DOORS) == "unavailable"


SINGLE: Config = {
    "name": "doors",
    "unique_id": "car-7_doors",
    "state_topic": "car/7",
    "value_template": "{{ value_json.doors }}",
    "device": CAR["device"],
}


@both_sides
async def test_a_sensor_moves_to_its_devices_message_and_back(side: Side) -> None:
    await side.set_up()
    await side.announce(SINGLE, "bla/doors")
    er.async_get(side.home.hass).async_update_entity(
        "binary_sensor.car_doors", new_entity_id="binary_sensor.my_car", name="My car"
    )
    await side.home.hass.async_block_till_done()
    await side.announce({"migrate_discovery": True}, "bla/doors")
    assert registered(side, "my_car").name == "My car"
    await side.announce_device(CAR)
    await side.announce("", "bla/doors")
    await side.send("car/status", '{"state": "online"}')
    await side.send("car/7", '{"doors": "ON"}')
    assert side.state("my_car") == "on"
    assert side.attributes("my_car")["friendly_name"] == "My car"

    await side.announce_device({"migr_discvry": True})
    await side.announce(SINGLE, "bla/doors")
    await side.announce_device("")
    await side.send("car/7", '{"doors": "OFF"}')
    assert side.state("my_car") == "off"
    assert registered(side, "my_car").name == "My car"


@both_sides
async def test_a_move_in_one_go(side: Side) -> None:
    await side.set_up()
    await side.announce(SINGLE, "bla/doors")
    er.async_get(side.home.hass).async_update_entity("binary_sensor.car_doors", name="My car")
    root = f"{side.prefix}/binary_sensor/bla/doors/config"
    side.home.publish(root, '{"migrate_discovery": true}', retain=True)
    side.home.publish(f"{side.prefix}/device/bla/config", json.dumps(CAR), retain=True)
    await side.announce("", "bla/doors")
    await side.send("car/status", '{"state": "online"}')
    assert side.attributes(DOORS)["friendly_name"] == "My car"


# What follows is ours alone.

DEVICE_TOPIC = "mqtt_binary/device/battery/config"


@pytest.mark.usefixtures("discovery")
async def test_what_is_wrong_with_one_component_keeps_no_other_away(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    wrong: dict[str, Any] = {
        "no object": 5,
        "no platform": {"state_topic": "a", "unique_id": "1"},
        "no id": {"platform": "binary_sensor", "state_topic": "a"},
        "no topic": {"platform": "binary_sensor", "unique_id": "2"},
        "of no kind": {"platform": "flux_capacitor"},
    }
    message = BATTERY | {"cmps": wrong | BATTERY["cmps"]}
    for _ in range(2):
        await announce(home, message, DEVICE_TOPIC)
    logged = warnings(caplog)
    named = ("platform", "platform", "unique_id", "state_topic")
    for component, key in zip(wrong, named, strict=False):
        (line,) = (line for line in logged if f"component {component}:" in line)
        assert key in line
    assert len(logged) == 4
    assert "component voltage: ignored: a sensor is not ours" in caplog.text
    assert home.value("binary_sensor.battery_charging") == "unavailable"
    assert home.value("binary_sensor.battery_alarm") == "unavailable"


@pytest.mark.usefixtures("discovery")
@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("[]", "it is not a JSON object but list"),
        ("{", "it is not JSON"),
        ('{"device": {"ids": "a"}}', "components: expected an object"),
        ('{"cmps": {}}', "device: expected an object"),
        ('{"cmps": [], "dev": {"ids": "a"}}', "components: expected an object"),
        ('{"migrate_discovery": true, "cmps": {}}', "migrate_discovery: expected true"),
        ('{"migrate_discovery": "yes"}', "migrate_discovery: expected true"),
    ],
)
async def test_a_wrong_message_leaves_the_device_as_it_is(
    home: MqttHome, caplog: pytest.LogCaptureFixture, message: str, named: str
) -> None:
    await announce(home, BATTERY, DEVICE_TOPIC)
    await announce(home, message, DEVICE_TOPIC)
    (warning,) = warnings(caplog)
    assert f"{DEVICE_TOPIC}: the message is ignored: {named}" in warning
    assert home.value("binary_sensor.battery_alarm") == "unavailable"


@pytest.mark.usefixtures("discovery")
async def test_a_sensor_without_unique_id_cannot_move(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await announce(home, {"name": "bare", "state_topic": "a"})
    await announce(home, {"migrate_discovery": True})
    (warning,) = warnings(caplog)
    assert "migrate_discovery: the sensor has no unique_id to go on by" in warning
    assert home.value("binary_sensor.bare") == "unknown"


@pytest.mark.usefixtures("discovery")
async def test_a_device_that_is_announced_twice_needs_no_help_once_the_old_topic_is_empty(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    components = {"door": {"platform": "binary_sensor"} | CONFIG}
    await announce(home, CONFIG)
    await announce(home, {"device": CONFIG["device"], "components": components}, DEVICE_TOPIC)
    (warning,) = warnings(caplog)
    assert "component door" in warning
    await announce(home, "")
    home.publish("home/door", "ON")
    await home.wait_for("binary_sensor.door_contact", "on")
    await announce(home, "", DEVICE_TOPIC)
    assert devices(home) == []


@pytest.mark.usefixtures("discovery")
async def test_a_deleted_sensor_returns_and_the_others_of_its_device_notice_nothing(
    home: MqttHome,
) -> None:
    await announce(home, BATTERY, DEVICE_TOPIC)
    before = home.hass.states.get("binary_sensor.battery_charging")
    er.async_get(home.hass).async_remove("binary_sensor.battery_alarm")
    await home.hass.async_block_till_done()
    await announce(home, BATTERY, DEVICE_TOPIC)
    assert home.value("binary_sensor.battery_alarm") == "unavailable"
    assert home.hass.states.get("binary_sensor.battery_charging") is before


@pytest.mark.usefixtures("discovery")
async def test_a_disabled_sensor_moves_too(home: MqttHome) -> None:
    disabled = CONFIG | {"enabled_by_default": False}
    components = {"door": {"platform": "binary_sensor"} | disabled}
    await announce(home, disabled)
    await announce(home, {"migrate_discovery": True})
    await announce(home, {"device": CONFIG["device"], "components": components}, DEVICE_TOPIC)
    await announce(home, "")
    registry = er.async_get(home.hass)
    assert registry.async_get("binary_sensor.door_contact") is not None
    await announce(home, "", DEVICE_TOPIC)
    assert registry.async_get("binary_sensor.door_contact") is None


@pytest.mark.usefixtures("discovery")
@pytest.mark.parametrize("count", [2, 3])
async def test_sensors_can_exchange_their_unique_ids(home: MqttHome, count: int) -> None:
    def topic(number: int) -> str:
        return TOPIC.replace("door", f"door{number}")

    def config(number: int, unique_id: int) -> Config:
        name = f"door{number}"
        return {"state_topic": name, "unique_id": f"id{unique_id % count}", "name": name}

    for number in range(count):
        await announce(home, config(number, number), topic(number))
    for number in range(count):
        await announce(home, config(number, number + 1), topic(number))
    states = home.hass.states
    assert len(states.async_entity_ids("binary_sensor")) == count
    for number in range(count):
        home.publish(f"door{number}", "ON" if number else "OFF")
        await home.settled()
    registry = er.async_get(home.hass)
    for number in range(count):
        unique_id = f"id{(number + 1) % count}"
        entity_id = registry.async_get_entity_id("binary_sensor", "mqtt_binary", unique_id)
        assert home.value(entity_id or "") == ("on" if number else "off")


@pytest.mark.usefixtures("discovery")
async def test_keys_are_silent_if_core_knows_them_and_told_once_if_nobody_does(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    core_keys = {"object_id": "x", "stat_cla": "measurement", "cmd_t": "a", "p": "binary_sensor"}
    for name in ("one", "two"):
        config = CONFIG | core_keys | {"unique_id": name, "colour": "red"}
        await announce(home, config, TOPIC.replace("door", name))
    await announce(home, BATTERY | {"colour": "red", "sub_devices": []}, DEVICE_TOPIC)
    logged = [line for line in home.log(level=20) if "unknown keys" in line]
    assert [line.partition("ignored: ")[2] for line in logged] == ["colour", "sub_devices"]
    assert not warnings(caplog)


# A strip of two sockets, in the words of Home Assistant 2026.11, which has child devices.
STRIP: Config = {
    "dev": {"ids": "strip-1", "name": "Strip", "mf": "Maker"},
    "o": {"name": "strip2mqtt"},
    "avty_t": "strip/available",
    "cmps": {"fuse": {"p": "binary_sensor", "uniq_id": "fuse", "name": "Fuse", "stat_t": "fuse"}},
    "cdevs": [
        {
            "ids": f"strip-1-{number}",
            "name": f"Socket {number}",
            "cmps": {
                f"load_{number}": {
                    "p": "binary_sensor",
                    "uniq_id": f"load_{number}",
                    "name": "Load",
                    "stat_t": f"strip/{number}",
                }
            },
        }
        for number in (1, 2)
    ],
}


def of_strip(home: MqttHome) -> dict[str, str | None]:
    """Return the names of the sensors' devices, each with the one above it."""
    registry = dr.async_get(home.hass)
    parents = {}
    for entity in er.async_get(home.hass).entities.values():
        device = registry.async_get(entity.device_id or "")
        assert device is not None
        above = (
            device.via_device_id if isinstance(device, dr.DeviceEntry) else device.parent_device_id
        )
        parents[str(device.name)] = None if above is None else name_of(registry.async_get(above))
    return parents


def name_of(device: dr.AnyDeviceEntry | None) -> str:
    assert device is not None
    return str(device.name)


@pytest.mark.usefixtures("discovery")
async def test_the_sensors_of_child_devices(home: MqttHome) -> None:
    await announce(home, STRIP, DEVICE_TOPIC)
    assert of_strip(home) == {"Strip": None, "Socket 1": "Strip", "Socket 2": "Strip"}
    home.publish("strip/available", "online")
    home.publish("strip/1", "ON")
    home.publish("strip/2", "OFF")
    await home.settled()
    first, second = [
        entity.entity_id
        for entity in er.async_get(home.hass).entities.values()
        if entity.unique_id.startswith("load")
    ]
    assert (home.value(first), home.value(second)) == ("on", "off")

    # One socket is called something else, one goes, what they hang on stays until all have gone.
    first_socket, second_socket = STRIP["cdevs"]
    second_socket = second_socket | {"cmps": {"load_2": {"p": "binary_sensor"}}}
    await announce(
        home, STRIP | {"cdevs": [first_socket | {"name": "Lamp"}, second_socket]}, DEVICE_TOPIC
    )
    assert of_strip(home) == {"Strip": None, "Lamp": "Strip"}
    assert home.value(first) == "on"
    one_left = STRIP | {"cmps": {"fuse": {"p": "binary_sensor"}}, "cdevs": [first_socket]}
    await announce(home, one_left, DEVICE_TOPIC)
    assert of_strip(home) == {"Socket 1": "Strip"}
    await announce(home, "", DEVICE_TOPIC)
    assert devices(home) == []
    assert not er.async_get(home.hass).entities


@pytest.mark.usefixtures("discovery")
async def test_one_sensor_announces_the_child_it_belongs_to(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    child = {"ids": "serial-1-a", "name": "Lock", "colour": "red"}
    await announce(home, CONFIG | {"device": DEVICE | {"cdev": child}})
    assert of_strip(home) == {"Lock": "Door contact"}
    assert "unknown keys ignored: child_device.colour" in caplog.text
    await announce(home, CONFIG)
    assert of_strip(home) == {"Door contact": None}
    await announce(home, "")
    assert devices(home) == []


@pytest.mark.usefixtures("discovery")
@pytest.mark.parametrize(
    ("children", "named"),
    [
        ({}, "child_devices: expected a list of objects"),
        ([5], "child_devices: expected a list of objects"),
        ([{"ids": "a"}], "components: expected an object"),
        ([{"ids": "a", "cmps": {"fuse": {}}}], "components: 'fuse' is there twice"),
        ([{"ids": "strip-1", "cmps": {}}], "identifiers: two devices of the message have"),
        ([{"ids": [1], "cmps": {}}, {"ids": "1", "cmps": {}}], "two devices of the message have"),
    ],
)
async def test_wrong_child_devices_are_named_and_change_nothing(
    home: MqttHome, caplog: pytest.LogCaptureFixture, children: object, named: str
) -> None:
    await announce(home, STRIP, DEVICE_TOPIC)
    await announce(home, STRIP | {"cdevs": children}, DEVICE_TOPIC)
    (warning,) = warnings(caplog)
    assert named in warning
    assert of_strip(home) == {"Strip": None, "Socket 1": "Strip", "Socket 2": "Strip"}


@pytest.mark.usefixtures("discovery")
async def test_a_child_device_without_identifiers_keeps_no_other_away(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    first_socket, second_socket = STRIP["cdevs"]
    del (nameless := dict(first_socket))["ids"]
    await announce(home, STRIP | {"cdevs": [nameless, second_socket]}, DEVICE_TOPIC)
    (warning,) = warnings(caplog)
    assert "component load_1: the message is ignored: device.child_device.identifiers" in warning
    assert of_strip(home) == {"Strip": None, "Socket 2": "Strip"}


# A message as zigbee2mqtt 2 has them.
ZIGBEE: Config = {
    "availability": [
        {"topic": "zigbee2mqtt/bridge/state", "value_template": "{{ value_json.state }}"}
    ],
    "availability_mode": "all",
    "default_entity_id": "binary_sensor.hall_occupancy",
    "device": {
        "identifiers": ["zigbee2mqtt_0x0017880100000001"],
        "manufacturer": "Maker",
        "model": "Motion sensor",
        "model_id": "MS-1",
        "name": "Hall",
        "via_device": "zigbee2mqtt_bridge_0x0017880100000000",
    },
    "device_class": "occupancy",
    "json_attributes_topic": "zigbee2mqtt/Hall",
    "object_id": "hall_occupancy",
    "origin": {"name": "Zigbee2MQTT", "sw": "2.6.1", "url": "https://www.zigbee2mqtt.io"},
    "payload_off": False,
    "payload_on": True,
    "state_topic": "zigbee2mqtt/Hall",
    "unique_id": "0x0017880100000001_occupancy_zigbee2mqtt",
    "value_template": "{{ value_json.occupancy }}",
}


@both_sides
async def test_zigbee2mqtt(side: Side, caplog: pytest.LogCaptureFixture) -> None:
    await side.set_up()
    await side.announce(ZIGBEE, "0x0017880100000001/occupancy")
    await side.send("zigbee2mqtt/bridge/state", '{"state": "online"}')
    await side.send("zigbee2mqtt/Hall", '{"occupancy": true, "battery": 97}')
    assert side.state("hall_occupancy") == "on"
    assert side.attributes("hall_occupancy")["battery"] == 97
    assert "unknown keys" not in caplog.text
