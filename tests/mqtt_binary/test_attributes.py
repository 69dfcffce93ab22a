"""Attributes from JSON messages."""

import json

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, callback
import pytest

from .home import MqttHome
from .logged import warnings

SENSOR = "binary_sensor.mqtt_binary_sensor"
YAML = "{state_topic: home/door, json_attributes_topic: home/door/info}"


def attributes(home: MqttHome) -> dict[str, object]:
    state = home.hass.states.get(SENSOR)
    assert state is not None
    return {key: value for key, value in state.attributes.items() if key != "friendly_name"}


async def test_attributes_come_from_their_topic(home: MqttHome) -> None:
    await home.set_up(YAML)
    home.publish("home/door/info", '{"battery": 90, "nested": {"a": [1]}}')
    await home.settled()
    assert attributes(home) == {"battery": 90, "nested": {"a": [1]}}
    assert home.value(SENSOR) == "unknown"
    home.publish("home/door/info", '{"rssi": -70}')
    await home.settled()
    assert attributes(home) == {"rssi": -70}


async def test_the_template_extracts_the_dictionary(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        json_attributes_topic: home/door/info
        json_attributes_template: "{{ value_json.inner | tojson }}"
        """
    )
    home.publish("home/door/info", '{"inner": {"battery": 90}}')
    await home.settled()
    assert attributes(home) == {"battery": 90}


async def test_one_topic_for_both_makes_one_state_write(home: MqttHome) -> None:
    await home.set_up(
        """
        state_topic: home/door
        value_template: "{{ value_json.state }}"
        json_attributes_topic: home/door
        """
    )
    events: list[Event[EventStateChangedData]] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        events.append(event)

    home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    home.publish("home/door", '{"state": "ON", "battery": 90}')
    await home.wait_for(SENSOR, "on")
    assert len(events) == 1
    assert attributes(home) == {"battery": 90}


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ("[1]", "JSON result was not a dictionary"),
        ("5", "JSON result was not a dictionary"),
        ("{", "Erroneous JSON"),
        ("", "Erroneous JSON"),
        ('{"a":' * 500 + "1" + "}" * 500, "ecursion"),
        (json.dumps({"a": "x" * 2_000_000}), "1048576"),
    ],
    ids=["list", "number", "open", "empty", "deep", "huge"],
)
async def test_bad_messages_leave_the_old_and_warn_once(
    home: MqttHome, caplog: pytest.LogCaptureFixture, payload: str | bytes, problem: str
) -> None:
    await home.set_up(YAML)
    home.publish("home/door/info", '{"battery": 90}')
    for _ in range(2):
        home.publish("home/door/info", payload)
    await home.settled()
    assert attributes(home) == {"battery": 90}
    (warning,) = warnings(caplog)
    assert "(attributes)" in warning
    assert "home/door/info" in warning
    assert problem in warning
    home.publish("home/door/info", '{"battery": 80}')
    home.publish("home/door/info", payload)
    await home.settled()
    assert attributes(home) == {"battery": 80}
    assert len(warnings(caplog)) == 1


async def test_attributes_that_would_shadow_the_state_are_dropped(home: MqttHome) -> None:
    await home.set_up(YAML)
    home.publish(
        "home/door/info",
        '{"entity_id": "x", "friendly_name": "x", "device_class": "x", "icon": "x", '
        '"unique_id": "x", "state": "x", "available": false, "battery": 90}',
    )
    await home.settled()
    assert attributes(home) == {"battery": 90}


async def test_the_same_attributes_are_not_written_again(home: MqttHome) -> None:
    await home.set_up(YAML)
    home.publish("home/door/info", '{"battery": 90}')
    await home.settled()
    before = home.hass.states.get(SENSOR)
    home.publish("home/door/info", '{"battery": 90}')
    await home.settled()
    assert home.hass.states.get(SENSOR) is before


async def test_the_payload_is_used_if_the_template_fails(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.set_up(
        """
        state_topic: home/door
        json_attributes_topic: home/door/info
        json_attributes_template: "{{ value_json.data.inner | tojson }}"
        """
    )
    home.publish("home/door/info", '{"battery": 90}')
    await home.settled()
    assert attributes(home) == {"battery": 90}
    assert len(warnings(caplog)) == 1
