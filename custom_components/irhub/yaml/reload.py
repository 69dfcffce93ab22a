"""The action `irhub.reload`: read and validate the YAML, then set up all platforms again."""

from itertools import chain, combinations

from homeassistant.const import CONF_HOST, CONF_MAC, SERVICE_RELOAD
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.service import async_register_admin_service

from .._common.yaml_reload import (
    Entries,
    read_yaml,
    reload_failed,
    set_up_entries,
    uninterrupted,
    validate_entries,
)
from ..const import APPLIANCES, DOMAIN, PLATFORMS
from ..schema import hub_settings
from ..settings import Mac
from .hubs import DATA_YAML_HUBS, InYaml, check_same_device, hubs_in_yaml


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Register the action."""

    async def reload(call: ServiceCall) -> None:
        entries = await validate_entries(
            hass, DOMAIN, await read_yaml(hass, DOMAIN), (*PLATFORMS, *APPLIANCES)
        )
        _check_hubs(entries)
        yaml_hubs, named = hass.data[DATA_YAML_HUBS], hubs_in_yaml(entries)
        affected = _affected(hass, named)
        for entry_id in affected:
            await hass.config_entries.async_unload(entry_id)
        yaml_hubs.named = named
        try:
            async with yaml_hubs.reloading():
                await _remove_entities(hass)
                await set_up_entries(hass, DOMAIN, entries)
        finally:
            for entry_id in affected:
                await hass.config_entries.async_setup(entry_id)
        hass.bus.async_fire(f"event_{DOMAIN}_reloaded", context=call.context)

    async_register_admin_service(hass, DOMAIN, SERVICE_RELOAD, uninterrupted(hass, DOMAIN, reload))


def _check_hubs(entries: Entries) -> None:
    # The entry of an appliance may have a remote instead.
    named = (entry for entry in chain.from_iterable(entries.values()) if CONF_HOST in entry)
    for hub, other in combinations(map(hub_settings, named), 2):
        try:
            check_same_device(hub, other)
        except ServiceValidationError as err:
            raise reload_failed(DOMAIN, str(err)) from err


def _affected(hass: HomeAssistant, named: InYaml) -> list[str]:
    """Return the ids of config entries with platforms that move to or from YAML."""
    changed = {mac for _, mac, _ in named ^ hass.data[DATA_YAML_HUBS].named}
    return [
        entry.entry_id
        for entry in hass.config_entries.async_loaded_entries(DOMAIN)
        if Mac(entry.data[CONF_MAC]) in changed
    ]


async def _remove_entities(hass: HomeAssistant) -> None:
    """Remove the entities of YAML, but not those of config entries."""
    for platform in async_get_platforms(hass, DOMAIN):
        if platform.config_entry is None:
            await platform.async_reset()
