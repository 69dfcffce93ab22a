"""A reload that leaves nothing behind.

Core's handler empties one entity platform per domain, and sensors with another scan_interval
live in a platform of their own; and it says nothing when the YAML is broken.
"""

from collections.abc import Awaitable, Callable
from typing import cast

from homeassistant.const import SERVICE_RELOAD
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.reload import async_integration_yaml_config

from .const import DOMAIN


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Put our part in front of the handler that core has just registered."""
    core = hass.services.async_services_for_domain(DOMAIN)[SERVICE_RELOAD]
    handler = cast("Callable[[ServiceCall], Awaitable[None]]", core.job.target)

    async def reload(call: ServiceCall) -> None:
        try:
            await async_integration_yaml_config(hass, DOMAIN, raise_on_failure=True)
        except HomeAssistantError as err:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="reload_failed",
                translation_placeholders={"error": str(err)},
            ) from err
        for platform in list(async_get_platforms(hass, DOMAIN)):
            await platform.async_reset()
        await handler(call)

    hass.services.async_register(DOMAIN, SERVICE_RELOAD, reload, schema=core.schema)
