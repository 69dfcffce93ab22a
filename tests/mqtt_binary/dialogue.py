"""Adding a sensor in the dialogue."""

from collections.abc import Mapping
from typing import Any

from homeassistant.config_entries import SOURCE_RECONFIGURE, SOURCE_USER, ConfigEntry
from homeassistant.data_entry_flow import FlowResultType

from custom_components.mqtt_binary.const import SUBENTRY_SENSOR
from tests.home import until

from .home import MqttHome

type Result = Mapping[str, Any]


def entry_of(home: MqttHome) -> ConfigEntry:
    (entry,) = home.hass.config_entries.async_entries("mqtt_binary")
    return entry


async def begin(home: MqttHome, subentry_id: str | None = None) -> Result:
    """Open the dialogue that adds a sensor, or changes one."""
    flows = home.hass.config_entries.subentries
    handler = (entry_of(home).entry_id, SUBENTRY_SENSOR)
    if subentry_id is None:
        return await flows.async_init(handler, context={"source": SOURCE_USER})
    return await flows.async_init(
        handler, context={"source": SOURCE_RECONFIGURE, "subentry_id": subentry_id}
    )


async def enter(home: MqttHome, page: Result, values: Mapping[str, object]) -> Result:
    return await home.hass.config_entries.subentries.async_configure(page["flow_id"], dict(values))


async def choose(home: MqttHome, page: Result, option: str) -> Result:
    return await enter(home, page, {"next_step_id": option})


async def hear(home: MqttHome, page: Result) -> Result:
    """Wait for the end of what is waited for, and return the page that follows."""
    assert page["type"] is FlowResultType.SHOW_PROGRESS
    flows = home.hass.config_entries.subentries

    def page_now() -> Result:
        return next(flow for flow in flows.async_progress() if flow["flow_id"] == page["flow_id"])

    await until(lambda: page_now()["step_id"] != page["step_id"])
    return await flows.async_configure(page["flow_id"])
