"""Diagnostics and the system health card."""

import json
from typing import Any

from homeassistant.components.system_health import DOMAIN as SYSTEM_HEALTH
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
    get_system_health_info,
)

from custom_components.mqtt_binary.const import SUBENTRY_SENSOR
from custom_components.mqtt_binary.diagnostics import async_get_config_entry_diagnostics

from .announced import announce
from .home import MqttHome


async def test_diagnostics_show_what_is_found_without_what_is_private(home: MqttHome) -> None:
    hall = {"name": "Hall", "state_topic": "home/hall"}
    entry = MockConfigEntry(
        domain="mqtt_binary",
        options={"discovery_prefix": "mqtt_binary"},
        subentries_data=[
            ConfigSubentryData(
                data=hall, subentry_type=SUBENTRY_SENSOR, title="Hall", unique_id=None
            )
        ],
    )
    entry.add_to_hass(home.hass)
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    await home.settled()
    await announce(
        home,
        {
            "stat_t": "home/door",
            "uniq_id": "door",
            "name": "Door",
            "dev": {
                "ids": "PRIVATE-1",
                "cns": [["mac", "PRIVATE-2"]],
                "sn": "PRIVATE-3",
                "via_device": "PRIVATE-4",
            },
        },
    )
    diagnostics: dict[str, Any] = await async_get_config_entry_diagnostics(home.hass, entry)
    text = json.dumps(diagnostics)
    assert "PRIVATE" not in text
    (discovered,) = diagnostics["discovered"]
    assert discovered["topic"] == "mqtt_binary/binary_sensor/door/config"
    assert discovered["state"] == "unknown"
    assert discovered["message"]["state_topic"] == "home/door"
    assert diagnostics["mqtt"] == "connected"
    assert diagnostics["added"] == [hall]
    assert diagnostics["sensors"] == 2
    assert diagnostics["discovery_prefix"] == "mqtt_binary"
    assert await home.hass.config_entries.async_unload(entry.entry_id)
    assert (await async_get_config_entry_diagnostics(home.hass, entry))["discovered"] == []


async def test_the_system_health_card(home: MqttHome) -> None:
    await home.set_up("state_topic: a", "state_topic: b")
    assert await async_setup_component(home.hass, SYSTEM_HEALTH, {})
    await home.hass.async_block_till_done()
    info = await get_system_health_info(home.hass, "mqtt_binary")
    assert info == {"mqtt": "connected", "sensors": 2, "discovered": 0}
