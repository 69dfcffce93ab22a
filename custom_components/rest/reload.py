"""rest.reload: the YAML validated first, then what changed in it is set up anew.

An entity whose entry and request are the same stays as it is, so that nothing that reads its
state notices the reload.
"""

import asyncio

from homeassistant.config import async_process_component_and_handle_errors
from homeassistant.const import SERVICE_RELOAD, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ConfigValidationError
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.reload import async_reload_integration_platforms
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component
import voluptuous as vol

from ._common.yaml_reload import (
    Entries,
    read_yaml,
    reload_failed,
    set_up_entries,
    uninterrupted,
    validate_entries,
)
from .const import DOMAIN
from .entity import ENTITIES, RestEntity, Source, source_of_entry, sources_of_blocks
from .polling.coordinator import async_coordinators

OURS = (Platform.BINARY_SENSOR, Platform.SENSOR)
SWITCH = Platform.SWITCH
NOTIFY = Platform.NOTIFY


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Register the action, in place of core's."""

    async def reload(_call: ServiceCall) -> None:
        config = await read_yaml(hass, DOMAIN)
        blocks = await _validate_blocks(hass, config)
        entries = await validate_entries(hass, DOMAIN, config, (*OURS, SWITCH, NOTIFY))
        entries.pop(NOTIFY, None)
        coordinators = async_coordinators(hass)
        try:
            await _replace(hass, entries, blocks)
        finally:
            await coordinators.drop_idle()
        for coordinator in coordinators.active():
            coordinator.poll_soon()
        await async_reload_integration_platforms(hass, DOMAIN, [NOTIFY])

    hass.services.async_register(
        DOMAIN,
        SERVICE_RELOAD,
        uninterrupted(hass, DOMAIN, reload),
        schema=vol.Schema({}),
    )


async def _validate_blocks(hass: HomeAssistant, config: ConfigType) -> list[ConfigType]:
    """Return the `rest:` blocks. Raise ServiceValidationError if one is wrong."""
    integration = await async_get_integration(hass, DOMAIN)
    try:
        validated = await async_process_component_and_handle_errors(
            hass, config, integration, raise_on_failure=True
        )
    except ConfigValidationError as err:
        raise reload_failed(DOMAIN, str(err)) from err
    blocks: list[ConfigType] = validated.get(DOMAIN, [])
    return blocks


async def _replace(hass: HomeAssistant, entries: Entries, blocks: list[ConfigType]) -> None:
    """Remove what is no longer there as it was, and set up what is new."""
    of_entries = {
        domain: [source_of_entry(hass, entry) for entry in entries.pop(domain, [])]
        for domain in OURS
    }
    of_blocks = sources_of_blocks(hass, blocks)
    for platform in list(async_get_platforms(hass, DOMAIN)):
        if platform.domain == SWITCH:
            await platform.async_reset()
        for entity in list(platform.entities.values()):
            if isinstance(entity, RestEntity) and not (
                _taken(entity.source, of_entries[Platform(platform.domain)])
                or _taken(entity.source, of_blocks.get(Platform(platform.domain), []))
            ):
                await platform.async_remove_entity(entity.entity_id)
    for domain, sources in of_entries.items():
        entries[domain] = [entry for _, entry in sources]
    await asyncio.gather(
        set_up_entries(hass, DOMAIN, entries),
        *(_set_up_blocks(hass, domain, sources) for domain, sources in of_blocks.items()),
    )


def _taken(source: Source, sources: list[Source]) -> bool:
    """Take a source off the list of what is to be set up; return whether it was on it."""
    if source not in sources:
        return False
    sources.remove(source)
    return True


async def _set_up_blocks(hass: HomeAssistant, domain: Platform, sources: list[Source]) -> None:
    await async_setup_component(hass, domain, {})
    await hass.data[DATA_INSTANCES][domain].async_setup_platform(DOMAIN, {}, {ENTITIES: sources})
