"""States stored before a restart."""

from typing import Any

from homeassistant.core import HomeAssistant, State
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    mock_restore_cache_with_extra_data,
)

SENSOR = "binary_sensor.mqtt_binary_sensor"


def remember(hass: HomeAssistant, extra: dict[str, Any]) -> None:
    mock_restore_cache_with_extra_data(hass, [(State(SENSOR, "on"), extra)])
