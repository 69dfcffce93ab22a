"""A reload that leaves nothing behind.

Core's handler empties one entity platform per domain, and sensors with another scan_interval
live in a platform of their own; it says nothing when the YAML is broken, and drops entries that
are not valid; and it validates the first entry of a domain twice, which no template survives,
unless that domain is set up.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import cast

from homeassistant import config as conf_util
from homeassistant.const import SERVICE_RELOAD, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component

from .const import DOMAIN

_ENTITY_DOMAINS = (Platform.BINARY_SENSOR, Platform.SENSOR, Platform.SWITCH)


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Put our part in front of the handler that core has just registered."""
    core = hass.services.async_services_for_domain(DOMAIN)[SERVICE_RELOAD]
    handler = cast("Callable[[ServiceCall], Awaitable[None]]", core.job.target)
    lock = asyncio.Lock()

    async def reload(call: ServiceCall) -> None:
        async with lock:
            if not hass.is_stopping:
                await replace(call)

    async def replace(call: ServiceCall) -> None:
        try:
            config = await _read(hass)
        except (HomeAssistantError, OSError) as err:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="reload_failed",
                translation_placeholders={"error": str(err)},
            ) from err
        for platform in list(async_get_platforms(hass, DOMAIN)):
            await platform.async_reset()
        for domain in _ENTITY_DOMAINS:
            if domain in config:
                await async_setup_component(hass, domain, {})
        await handler(call)

    hass.services.async_register(DOMAIN, SERVICE_RELOAD, reload, schema=core.schema)


async def _read(hass: HomeAssistant) -> ConfigType:
    """Return the YAML. Raises HomeAssistantError if a block or an entry of ours is wrong."""
    config = await conf_util.async_hass_config_yaml(hass)
    await _validate(hass, DOMAIN, config)
    for domain in (*_ENTITY_DOMAINS, Platform.NOTIFY):
        entries = [
            entry for name, entry in conf_util.config_per_platform(config, domain) if name == DOMAIN
        ]
        if entries:
            await _validate(hass, domain, {domain: entries})
    return config


async def _validate(hass: HomeAssistant, domain: str, config: ConfigType) -> None:
    integration = await async_get_integration(hass, domain)
    await conf_util.async_process_component_and_handle_errors(
        hass, config, integration, raise_on_failure=True
    )
