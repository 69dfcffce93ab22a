"""The card under Settings → System → Repairs → System information."""

from homeassistant.components import system_health
from homeassistant.core import HomeAssistant, callback

from .hub.hubs import DATA_HUBS


@callback
def async_register(_hass: HomeAssistant, register: system_health.SystemHealthRegistration) -> None:
    """Register the information."""
    register.async_register_info(_info)


async def _info(hass: HomeAssistant) -> dict[str, int]:
    hubs = hass.data[DATA_HUBS].hubs
    online = sum(hub.available for hub in hubs)
    return {"hubs_online": online, "hubs_offline": len(hubs) - online}
