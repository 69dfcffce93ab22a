"""mqtt_binary.reload: validate the YAML, then replace all its sensors."""

from homeassistant.const import SERVICE_RELOAD
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.service import async_register_admin_service
import voluptuous as vol

from ._common.yaml_reload import (
    read_yaml,
    reload_failed,
    set_up_entries,
    uninterrupted,
    validate_entries,
)
from .config_flow import async_import
from .const import DOMAIN, PLATFORMS
from .data import DATA
from .schema import CONFIG_SCHEMA


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Register the action."""

    async def reload(_call: ServiceCall) -> None:
        """Reload. Raise ServiceValidationError before, DuplicateUniqueIdError after the reload."""
        yaml = await read_yaml(hass, DOMAIN)
        try:
            discovery = CONFIG_SCHEMA(yaml).get(DOMAIN)
        except vol.Invalid as err:
            raise reload_failed(DOMAIN, str(err)) from err
        entries = await validate_entries(hass, DOMAIN, yaml, PLATFORMS)
        for platform in async_get_platforms(hass, DOMAIN):
            if platform.config_entry is None:
                await platform.async_reset()
        data = hass.data[DATA]
        # Sensors that Home Assistant refused or disabled still hold their ids.
        data.unique_ids.release_where(lambda owner: owner.entry_id is None)
        data.duplicate = None
        await set_up_entries(hass, DOMAIN, entries)
        if discovery is not None:
            await async_import(hass, discovery)
        if data.duplicate is not None:
            raise data.duplicate

    async_register_admin_service(hass, DOMAIN, SERVICE_RELOAD, uninterrupted(hass, DOMAIN, reload))
