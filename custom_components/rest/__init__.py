"""REST sensors; everything else of the domain is Home Assistant's own `rest`.

A custom integration replaces core's of the same domain as a whole. Core's package stays
importable, so its set-up runs first and its platforms are passed on.
"""

from homeassistant.components import rest as core
from homeassistant.core import HomeAssistant
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN
from .reload import async_setup_reload

CONFIG_SCHEMA = core.CONFIG_SCHEMA  # type: ignore[attr-defined]  # core exports it since 2026.11

# Without DOMAIN, Home Assistant cannot tell that `rest:` is a list, and refuses it in packages.
__all__ = ["CONFIG_SCHEMA", "DOMAIN", "async_setup"]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up core's `rest:` blocks and service, and a reload that leaves nothing behind."""
    done = await core.async_setup(hass, config)
    async_setup_reload(hass)
    return done
