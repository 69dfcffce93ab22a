"""irhub.reload: read and validate the YAML first, then set every platform up anew."""

import asyncio
from collections.abc import Iterable

from homeassistant import config as conf_util
from homeassistant.const import SERVICE_RELOAD, Platform
from homeassistant.core import Context, HomeAssistant, ServiceCall, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.helpers.service import async_register_admin_service
from homeassistant.helpers.typing import ConfigType
from homeassistant.loader import async_get_integration
from homeassistant.setup import async_setup_component

from .const import DOMAIN, PLATFORMS
from .errors import UserError
from .registry import DATA_REGISTRY, check_same_device
from .schema import HubSettings, hub_settings

type Entries = dict[Platform, list[ConfigType]]


@callback
def async_setup_reload(hass: HomeAssistant) -> None:
    """Register the action.

    Core's own helper logs broken YAML and goes on, and resets only one entity platform
    per domain: entries with another scan_interval would stay behind.
    """
    lock = asyncio.Lock()

    async def reload(context: Context) -> None:
        async with lock:
            if hass.is_stopping:
                return
            entries = await _read(hass)
            await _tear_down(hass)
            try:
                await asyncio.gather(
                    *(_set_up(hass, domain, of_domain) for domain, of_domain in entries.items())
                )
            finally:
                hass.data[DATA_REGISTRY].reopen()
        hass.bus.async_fire(f"event_{DOMAIN}_reloaded", context=context)

    async def handle(call: ServiceCall) -> None:
        # A script that is stopped in the middle must not leave Home Assistant without entities.
        await asyncio.shield(hass.async_create_task(reload(call.context), "irhub: reload"))

    async_register_admin_service(hass, DOMAIN, SERVICE_RELOAD, handle)


async def _read(hass: HomeAssistant) -> Entries:
    """Return the validated entries of this integration. Raises UserError on any mistake."""
    try:
        config = await conf_util.async_hass_config_yaml(hass)
        entries: Entries = {}
        for domain in PLATFORMS:
            ours = [
                entry
                for name, entry in conf_util.config_per_platform(config, domain)
                if name == DOMAIN
            ]
            if ours:
                integration = await async_get_integration(hass, domain)
                validated = await conf_util.async_process_component_and_handle_errors(
                    hass, {domain: ours}, integration, raise_on_failure=True
                )
                entries[domain] = validated[domain]
        _check_hubs(entry for of_domain in entries.values() for entry in of_domain)
    except HomeAssistantError as err:
        raise UserError("not_reloaded", error=err) from err
    return entries


def _check_hubs(entries: Iterable[ConfigType]) -> None:
    known: dict[tuple[str, int], HubSettings] = {}
    for settings in map(hub_settings, entries):
        check_same_device(known.setdefault((settings.host, settings.port), settings), settings)


async def _tear_down(hass: HomeAssistant) -> None:
    """Close all hubs, so that none makes another entity, then remove the entities."""
    await hass.data[DATA_REGISTRY].close()
    for platform in async_get_platforms(hass, DOMAIN):
        await platform.async_reset()


async def _set_up(hass: HomeAssistant, domain: Platform, entries: list[ConfigType]) -> None:
    if (component := hass.data.get(DATA_INSTANCES, {}).get(domain)) is None:
        await async_setup_component(hass, domain, {domain: entries})
        return
    await asyncio.gather(*(component.async_setup_platform(DOMAIN, entry) for entry in entries))
