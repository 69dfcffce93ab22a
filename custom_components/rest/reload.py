"""A reload that leaves nothing behind.

Core's handler empties one entity platform per domain, and sensors with another scan_interval
live in a platform of their own; it says nothing when the YAML is broken; and it validates the
first entry of a domain twice, which no template survives, unless that domain is set up.
"""

from collections.abc import Awaitable, Callable
from typing import cast

from homeassistant.const import SERVICE_RELOAD, Platform
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.reload import async_integration_yaml_config
from homeassistant.setup import async_setup_component

from .const import DOMAIN

_ENTITY_DOMAINS = frozenset({Platform.BINARY_SENSOR, Platform.SENSOR, Platform.SWITCH})


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Put our part in front of the handler that core has just registered."""
    core = hass.services.async_services_for_domain(DOMAIN)[SERVICE_RELOAD]
    handler = cast("Callable[[ServiceCall], Awaitable[None]]", core.job.target)

    async def reload(call: ServiceCall) -> None:
        try:
            config = await async_integration_yaml_config(hass, DOMAIN, raise_on_failure=True)
        except (HomeAssistantError, OSError) as err:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="reload_failed",
                translation_placeholders={"error": str(err)},
            ) from err
        for platform in list(async_get_platforms(hass, DOMAIN)):
            await platform.async_reset()
        for domain in _ENTITY_DOMAINS.intersection(config):
            await async_setup_component(hass, domain, {})
        await handler(call)

    hass.services.async_register(DOMAIN, SERVICE_RELOAD, reload, schema=core.schema)
