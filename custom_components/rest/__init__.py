"""RESTful sensors, binary sensors and buttons; switches and notifications are core's.

A custom integration replaces the core integration of the same domain entirely. Core's package
can still be imported, so its set-up runs first and its other platforms are re-exported.
"""

import asyncio

from homeassistant.components import rest as core
from homeassistant.core import HomeAssistant
from homeassistant.helpers.discovery import async_load_platform
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.typing import ConfigType

from .adding import BLOCKS_ADDED
from .config import CONFIG_SCHEMA
from .const import DOMAIN
from .reload import async_setup_reload
from .services import async_setup_services
from .sources import ENTITIES, sources_of_blocks

__all__ = ["CONFIG_SCHEMA", "DOMAIN", "async_setup"]


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Set up core's other platforms, the actions, the trial page, and the entities of blocks."""
    is_done = await core.async_setup(hass, {})
    async_setup_reload(hass)
    async_setup_services(hass)
    for component, module in (("websocket_api", "websocket"), ("frontend", "panel")):
        if component in hass.config.components:  # otherwise its requirements may be missing
            of_trial = await async_import_module(hass, f"{__package__}.trial.{module}")
            await of_trial.async_setup(hass)
    blocks = sources_of_blocks(hass, config.get(DOMAIN, []))
    hass.data[BLOCKS_ADDED] = {platform: asyncio.Event() for platform in blocks}
    for platform, sources in blocks.items():
        # A task, since it may wait for the entity component, which waits for this set-up.
        _ = hass.async_create_task(
            async_load_platform(hass, platform, DOMAIN, {ENTITIES: sources}, config),
            f"rest: {platform} of blocks",
        )
    return is_done


OF_ENTRIES = ("async_setup_entry", "async_unload_entry", "async_migrate_entry")
"""Functions for config entries, which Home Assistant looks up here; newer cores have them."""


def __getattr__(name: str) -> object:
    """Return core's function for the set-up, unload or migration of config entries."""
    if name in OF_ENTRIES:
        return getattr(core, name)
    raise AttributeError(name)
