"""REST in Settings → System → Repairs → System information."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .polling.coordinator import async_coordinators


@callback
def async_register(_hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    """Register the card."""
    register.async_register_info(_info)


async def _info(hass: HomeAssistant) -> dict[str, Any]:
    active = async_coordinators(hass).active()
    failing = [coordinator.name for coordinator in active if coordinator.failures]
    return {
        "resources": len(active),
        "sensors": sum(len(coordinator.entities) for coordinator in active),
        "failing": ", ".join(failing) or 0,
    }
