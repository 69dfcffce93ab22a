"""MQTT binary sensors in Settings → System → Repairs → System information."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .data import DATA
from .discovery.entity import DiscoveredBinarySensor
from .entity.entity import MqttBinarySensor


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:  # noqa: ARG001  (the interface)
    """Register the card."""
    register.async_register_info(_info)


async def _info(hass: HomeAssistant) -> dict[str, Any]:
    connection = hass.data[DATA].connection
    return {
        "mqtt": connection.status.value,
        "sensors": len(connection.members_of(MqttBinarySensor)),
        "discovered": len(connection.members_of(DiscoveredBinarySensor)),
    }
