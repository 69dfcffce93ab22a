"""Availability by the device's own messages."""

import time

from homeassistant.util import dt as dt_util
import pytest

from .home import Device, MqttHome
from .logged import warnings
from .remembered import remember

SENSOR = "binary_sensor.mqtt_binary_sensor"


async def test_unavailable_until_the_device_says_it_is_there(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, availability_topic: home/status}")
    assert home.value(SENSOR) == "unavailable"
    home.publish("home/door", "ON")
    await home.settled()
    assert home.value(SENSOR) == "unavailable"
    home.publish("home/status", "online")
    await home.wait_for(SENSOR, "on")
    home.publish("home/status", "offline")
    await home.wait_for(SENSOR, "unavailable")


@pytest.mark.parametrize(("payload", "state"), [("online", "unknown"), ("offline", "unavailable")])
async def test_a_retained_availability_is_taken_at_once(
    home: MqttHome, payload: str, state: str
) -> None:
    home.publish("home/status", payload, retain=True)
    await home.settled()
    await home.set_up("{state_topic: home/door, availability_topic: home/status}")
    await home.wait_for(SENSOR, state)


@pytest.mark.parametrize("payload", ["", "ONLINE", "online ", "0", b"\xff"])
async def test_other_payloads_change_nothing(home: MqttHome, payload: str | bytes) -> None:
    await home.set_up("{state_topic: home/door, availability_topic: home/status}")
    home.publish("home/status", "online")
    await home.wait_for(SENSOR, "unknown")
    changes = home.changes(SENSOR)
    home.publish("home/status", payload)
    await home.settled()
    assert not changes


async def test_payloads_of_ones_own_and_a_template(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        availability_topic: home/status
        availability_template: "{{ value_json.wifi }}"
        payload_available: up
        payload_not_available: down
        """
    )
    home.publish("home/status", '{"wifi": "up"}')
    await home.wait_for(SENSOR, "unknown")
    home.publish("home/status", '{"wifi": "down"}')
    await home.wait_for(SENSOR, "unavailable")


async def test_a_failing_template_warns_once(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up(
        "{state_topic: a, availability_topic: b, availability_template: '{{ value_json.x.y }}'}"
    )
    home.publish("b", "{}")
    home.publish("b", "{}")
    await home.settled()
    (warning,) = warnings(caplog)
    assert "(availability)" in warning
    assert "topic b" in warning


async def test_a_device_that_mixes_json_and_plain_payloads_is_available(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        availability_topic: home/status
        availability_template: "{{ value_json.state }}"
        """
    )
    for payload, state in (
        ("online", "unknown"),
        ('{"state": "offline"}', "unavailable"),
        ('{"state": "online"}', "unknown"),
        ("offline", "unavailable"),
    ):
        home.publish("home/status", payload)
        await home.wait_for(SENSOR, state)


@pytest.mark.parametrize(
    ("mode", "with_one", "with_both", "after_one_left"),
    [
        ("all", "unavailable", "unknown", "unavailable"),
        ("any", "unknown", "unknown", "unknown"),
        ("latest", "unknown", "unknown", "unavailable"),
    ],
)
async def test_modes(
    home: MqttHome, mode: str, with_one: str, with_both: str, after_one_left: str
) -> None:
    await home.set_up(
        f"""
        state_topic: home/door
        availability_mode: {mode}
        availability:
          - topic: home/bridge
          - topic: home/device
            payload_available: "1"
            payload_not_available: "0"
            value_template: "{{{{ value_json.up }}}}"
        """
    )
    assert home.value(SENSOR) == "unavailable"
    for topic, payload, state in (
        ("home/bridge", "online", with_one),
        ("home/device", '{"up": 1}', with_both),
        ("home/bridge", "offline", after_one_left),
    ):
        home.publish(topic, payload)
        await home.settled()
        assert home.value(SENSOR) == state


async def test_a_wildcard_availability_topic(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, availability_topic: home/+/status}")
    home.publish("home/bridge/status", "online")
    await home.wait_for(SENSOR, "unknown")


async def test_state_and_availability_on_one_topic(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        value_template: "{{ value_json.state }}"
        availability_topic: home/door
        availability_template: "{{ value_json.status }}"
        """
    )
    changes = home.changes(SENSOR)
    home.publish("home/door", '{"state": "ON", "status": "online"}')
    await home.wait_for(SENSOR, "on")
    assert changes == ["on"]


async def test_the_last_will_of_a_device_that_vanishes(home: MqttHome) -> None:
    await home.set_up("{state_topic: home/door, availability_topic: home/status, qos: 1}")
    device = Device(home.broker)
    await device.connect(will=("home/status", "offline"))
    device.publish("home/status", "online", retain=True)
    device.publish("home/door", "ON")
    await home.wait_for(SENSOR, "on")
    device.cut()
    await home.wait_for(SENSOR, "unavailable")


@pytest.mark.parametrize(("restore", "state"), [("true", "on"), ("false", "unavailable")])
async def test_availability_comes_back_after_a_restart(
    home: MqttHome, restore: str, state: str
) -> None:
    remember(
        home.hass,
        {
            "value": True,
            "received": time.time(),
            "attributes": {},
            "availability": {"home/status": True, "gone": False, "odd": "yes"},
        },
    )
    await home.set_up(
        f"{{state_topic: home/door, availability_topic: home/status, restore: {restore}}}"
    )
    await home.settled()
    assert home.value(SENSOR) == state
    home.publish("home/status", "offline")
    await home.settled()
    assert home.value(SENSOR) == "unavailable"
    home.publish("home/status", "online")
    await home.settled()
    assert home.value(SENSOR) == ("on" if restore == "true" else "unknown")


async def test_what_availability_said_is_remembered_in_its_order(home: MqttHome) -> None:
    await home.set_up(
        "{state_topic: a, restore: true, availability: [{topic: b}, {topic: c}]}",
    )
    for topic, payload in (("b", "online"), ("c", "offline"), ("b", "online")):
        home.publish(topic, payload)
    await home.settled()
    (sensor,) = home.hass.data["entity_components"]["binary_sensor"].entities
    last = sensor.extra_restore_state_data.as_dict()
    assert [*last["availability"].items()] == [("c", False), ("b", True)]


async def test_last_heard(home: MqttHome) -> None:
    await home.set_up("{state_topic: a, last_heard: true, json_attributes_topic: b}")

    def attribute(name: str) -> str | None:
        state = home.hass.states.get(SENSOR)
        return None if state is None else state.attributes.get(name)

    before = dt_util.utcnow()
    assert attribute("last_heard") is None
    home.publish("a", "ON")
    await home.settled()
    first = attribute("last_heard")
    assert first is not None
    shown_time = dt_util.parse_datetime(first)
    assert shown_time is not None
    assert before <= shown_time <= dt_util.utcnow()
    home.publish("a", "nonsense")
    home.publish("b", '{"battery": "low"}')
    await home.settled()
    assert (attribute("last_heard"), attribute("battery")) == (first, "low")
    home.publish("a", "ON")
    await home.settled()
    assert attribute("last_heard") != first
    assert attribute("battery") == "low"
