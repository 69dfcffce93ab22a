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


@pytest.mark.parametrize(
    ("name", "sensor", "start", "messages"),
    [
        (
            "window_contact.yaml",
            "window_contact",
            "unavailable",
            [
                ("home/bedroom/window/availability", "online", "unknown"),
                ("home/bedroom/window/contact", "ON", "on"),
                ("home/bedroom/window/contact", "OFF", "off"),
                ("home/bedroom/window/availability", "offline", "unavailable"),
            ],
        ),
        (
            "toggle.yaml",
            "button",
            "unknown",
            [
                ("home/button", "pressed", "on"),
                ("home/button", "pressed", "off"),
                ("home/button", "pressed", "on"),
            ],
        ),
        (
            "espeasy.yaml",
            "garage_door",
            "unavailable",
            [
                ("espeasy/garage/lwt", "Connected", "unknown"),
                ("espeasy/garage/switch", "1", "on"),
                ("espeasy/garage/switch", "0", "off"),
                ("espeasy/garage/lwt", "Connection Lost", "unavailable"),
            ],
        ),
        (
            "availability.yaml",  # behind a bridge
            "leak",
            "unavailable",
            [
                ("zigbee/bridge/state", '{"state": "online"}', "unavailable"),
                ("zigbee/cellar/leak", '{"water_leak": true}', "unavailable"),
                ("zigbee/cellar/leak/availability", "alive", "on"),
            ],
        ),
    ],
)
async def test_the_states_after_messages(
    home: MqttHome, name: str, sensor: str, start: str, messages: list[tuple[str, str, str]]
) -> None:
    await set_up(home, name)
    assert home.value(f"binary_sensor.{sensor}") == start
    for topic, payload, state in messages:
        home.publish(topic, payload)
        await home.settled()
        assert home.value(f"binary_sensor.{sensor}") == state, (topic, payload)


async def test_the_window_contact_with_json(home: MqttHome) -> None:
    await set_up(home, "window_contact_json.yaml")
    home.publish("home/bedroom/window/availability", "online")
    home.publish("home/bedroom/window", '{"state": "ON", "battery": 90}')
    state = await home.wait_for("binary_sensor.window_contact", "on")
    assert state.attributes["battery"] == 90


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
