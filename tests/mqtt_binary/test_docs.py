"""The examples of the documentation work as written, and the page shows them verbatim."""

import json
from pathlib import Path
import re
from typing import Any

from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from custom_components.mqtt_binary import const
from custom_components.mqtt_binary.schema import DEVICE_SCHEMA, SENSOR_KEYS

from .announced import announce
from .home import MqttHome
from .logged import warnings

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "mqtt_binary.md").read_text()
EXAMPLES = sorted((DOCS / "examples" / "mqtt_binary").iterdir())


def example(name: str) -> str:
    return (DOCS / "examples" / "mqtt_binary" / name).read_text()


async def set_up(home: MqttHome, name: str) -> None:
    config: Any = parse_yaml(example(name))
    for domain in config:
        assert await async_setup_component(home.hass, domain, config)
    await home.hass.async_block_till_done()
    await home.settled()


def test_the_page_shows_the_examples_and_no_others() -> None:
    blocks = re.findall(r"```(?:yaml|json)\n(.*?)```", PAGE, re.DOTALL)
    assert sorted(blocks) == sorted(path.read_text() for path in EXAMPLES)


def test_every_key_is_documented() -> None:
    missing = [
        key
        for key in map(str, [*SENSOR_KEYS, *DEVICE_SCHEMA.schema, const.CONF_DISCOVERY_PREFIX])
        if f"`{key}`" not in PAGE
    ]
    assert not missing


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
async def test_each_example_is_accepted(
    home: MqttHome, caplog: pytest.LogCaptureFixture, path: Path
) -> None:
    if path.suffix == ".json":
        return  # test_announcements_beside_each_other
    await set_up(home, path.name)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    if path.name != "discovery.yaml":
        assert len(home.hass.states.async_entity_ids("binary_sensor")) == 1


async def test_the_window_contact(home: MqttHome) -> None:
    await set_up(home, "window_contact.yaml")
    sensor = "binary_sensor.window_contact"
    assert home.value(sensor) == "unavailable"
    home.publish("home/bedroom/window/availability", "online")
    home.publish("home/bedroom/window/contact", "ON")
    await home.wait_for(sensor, "on")
    home.publish("home/bedroom/window/contact", "OFF")
    await home.wait_for(sensor, "off")
    home.publish("home/bedroom/window/availability", "offline")
    await home.wait_for(sensor, "unavailable")


async def test_the_window_contact_with_json(home: MqttHome) -> None:
    await set_up(home, "window_contact_json.yaml")
    home.publish("home/bedroom/window/availability", "online")
    home.publish("home/bedroom/window", '{"state": "ON", "battery": 90}')
    state = await home.wait_for("binary_sensor.window_contact", "on")
    assert state.attributes["battery"] == 90


async def test_the_toggle(home: MqttHome) -> None:
    await set_up(home, "toggle.yaml")
    for state in ("on", "off", "on"):
        home.publish("home/button", "pressed")
        await home.wait_for("binary_sensor.button", state)


async def test_espeasy(home: MqttHome) -> None:
    await set_up(home, "espeasy.yaml")
    sensor = "binary_sensor.garage_door"
    home.publish("espeasy/garage/lwt", "Connected")
    home.publish("espeasy/garage/switch", "1")
    await home.wait_for(sensor, "on")
    home.publish("espeasy/garage/switch", "0")
    await home.wait_for(sensor, "off")
    home.publish("espeasy/garage/lwt", "Connection Lost")
    await home.wait_for(sensor, "unavailable")


async def test_the_leak_sensor_behind_a_bridge(home: MqttHome) -> None:
    await set_up(home, "availability.yaml")
    home.publish("zigbee/bridge/state", '{"state": "online"}')
    home.publish("zigbee/cellar/leak", '{"water_leak": true}')
    await home.settled()
    assert home.value("binary_sensor.leak") == "unavailable"
    home.publish("zigbee/cellar/leak/availability", "alive")
    await home.wait_for("binary_sensor.leak", "on")


async def test_announcements_beside_each_other(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    entry = MockConfigEntry(domain="mqtt_binary", options={"discovery_prefix": "mqtt_binary"})
    entry.add_to_hass(home.hass)
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    await home.settled()
    for kind, name in ("binary_sensor", "discovery.json"), ("device", "discovery_device.json"):
        await announce(home, json.loads(example(name)), f"mqtt_binary/{kind}/door/config")
    for door in "front_door", "back_door":
        home.publish(f"home/{door}/status", "online")
        home.publish(f"home/{door}/state", "ON")
        await home.wait_for(f"binary_sensor.{door}_contact", "on")
    assert not warnings(caplog)
