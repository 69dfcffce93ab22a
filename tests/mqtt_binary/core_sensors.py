"""A binary sensor of core's MQTT, and what ours proposes to do with it."""

import json
from typing import Any

from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.mqtt_binary.core_sensors import announced

from .dialogue import Result, begin, choose, enter, entry_of, hear
from .home import MqttHome

USER = er.RegistryEntryDisabler.USER


# As zigbee2mqtt announces a door: abbreviated, payloads that are no text, several availabilities.
DOOR = {
    "name": "Contact",
    "~": "zigbee/door",
    "stat_t": "~",
    "val_tpl": "{{ value_json.contact }}",
    "pl_on": False,
    "pl_off": True,
    "dev_cla": "door",
    "avty": [{"t": "zigbee/bridge", "val_tpl": "{{ value_json.state }}"}],
    "avty_mode": "all",
    "uniq_id": "0x42_contact",
    "dev": {"ids": ["0x42"], "name": "Door"},
    "o": {"name": "zigbee"},
}


CORES = "binary_sensor.door_contact"


@pytest.fixture(name="home")
async def home_fixture(bare_mqtt_home: MqttHome, monkeypatch: pytest.MonkeyPatch) -> MqttHome:
    """Return a home where core has discovered a door, and ours is set up with its own prefix."""
    monkeypatch.setattr(announced, "QUIET_S", 0.5)
    home = bare_mqtt_home
    await home.device.connect()
    await home.start_mqtt(discovery=True)
    await home.load({"mqtt_binary": None})
    await announce(home, "binary_sensor/0x42/contact", DOOR)
    home.publish("zigbee/bridge", json.dumps({"state": "online"}), retain=True)
    home.publish("zigbee/door", json.dumps({"contact": False}), retain=True)
    await home.wait_for(CORES, "on")
    return home


async def announce(home: MqttHome, levels: str, message: dict[str, Any], **how: bool) -> None:
    """Announce to core, and wait until that has been processed."""
    home.publish(f"homeassistant/{levels}/config", json.dumps(message), **{"retain": True} | how)
    await home.settled()
    await home.hass.async_block_till_done()


async def pages_of(home: MqttHome, chosen: str) -> Result:
    """Choose one of core's sensors, leave both pages as they are; return what follows the trial."""
    page = await choose(home, await begin(home), "discovered")
    page = await hear(home, page)
    assert page["step_id"] == "which"
    registered = er.async_get(home.hass).async_get(chosen)
    assert registered is not None
    page = await enter(home, page, {"sensors": [registered.id]})
    assert page["step_id"] == "read"
    page = await enter(home, page, suggested(page))
    page = await enter(home, page, suggested(page))
    return await hear(home, page)


def suggested(page: Result) -> dict[str, Any]:
    """Return what a form has been filled in with."""
    return {
        str(key): key.description["suggested_value"]
        for key in page["data_schema"].schema
        if key.description
    }


def disabled_by(home: MqttHome, entity_id: str) -> er.RegistryEntryDisabler | None:
    entry = er.async_get(home.hass).async_get(entity_id)
    assert entry is not None
    assert entry.platform == "mqtt"
    return entry.disabled_by


async def take_over(home: MqttHome) -> str:
    """Let ours take the place of core's; return the subentry's id."""
    page = await pages_of(home, CORES)
    assert page["step_id"] == "heard_on"
    page = await choose(home, page, "keep")
    assert page["step_id"] == "place"
    assert page["description_placeholders"]["entity_id"] == f"- {CORES}"
    done = await choose(home, page, "replace")
    assert (done["type"], done["title"]) == (FlowResultType.CREATE_ENTRY, "Door Contact")
    await home.hass.async_block_till_done()
    await home.settled()
    (subentry_id,) = entry_of(home).subentries
    return subentry_id
