"""RESTful sensors and binary sensors; switches and notifications are Home Assistant's own.

A custom integration replaces core's of the same domain as a whole. Core's package stays
importable, so its set-up runs first and its other platforms are passed on.
"""

from homeassistant.components import rest as core
from homeassistant.core import HomeAssistant
from homeassistant.helpers.discovery import async_load_platform
from homeassistant.helpers.typing import ConfigType

from .const import DOMAIN
from .entity import ENTITIES, sources_of_blocks
from .reload import async_setup_reload
from .schema import CONFIG_SCHEMA

# Without DOMAIN, Home Assistant cannot tell that `rest:` is a list, and refuses it in packages.
__all__ = ["CONFIG_SCHEMA", "DOMAIN", "async_setup"]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up what core's has besides, the reload, and the entities of `rest:` blocks."""
    is_done = await core.async_setup(hass, {})
    async_setup_reload(hass)
    for platform, sources in sources_of_blocks(hass, config.get(DOMAIN, [])).items():
        # A task: it may wait for the whole entity component, which in turn waits for us.
        _ = hass.async_create_task(
            async_load_platform(hass, platform, DOMAIN, {ENTITIES: sources}, config),
            f"rest: {platform} of blocks",
        )
    return is_done
