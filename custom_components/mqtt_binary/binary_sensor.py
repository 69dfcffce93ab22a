"""The platform: sensors from YAML, read again by `mqtt_binary.reload`, and discovered ones."""

import asyncio
import logging

from homeassistant.const import CONF_DEVICE, SERVICE_RELOAD
from homeassistant.core import HomeAssistant, ServiceCall, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
    async_get_current_platform,
    async_get_platforms,
)
from homeassistant.helpers.service import async_register_admin_service
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from ._common.yaml_reload import (
    read_yaml,
    reload_failed,
    set_up_entries,
    uninterrupted,
    validate_entries,
)
from .config_flow import async_import
from .const import CONF_DISCOVERY_PREFIX, DOMAIN, PLATFORMS
from .data import DATA
from .discovery.entity import DiscoveredBinarySensor
from .discovery.listener import Discovery, DiscoveryConfigEntry
from .entity import MqttBinarySensor
from .schema import CONFIG_SCHEMA, PLATFORM_SCHEMA
from .settings import Settings

__all__ = ["PLATFORM_SCHEMA", "async_setup_entry", "async_setup_platform"]

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,  # noqa: ARG001  (part of the interface)
) -> None:
    """Add one sensor from YAML. Raise DuplicateUniqueIdError.

    Home Assistant sets up each entry of the YAML by itself; adding thousands of entities
    one by one takes much longer than adding them together. So the first adds those whose
    set-up runs at the same time.
    """
    data = hass.data[DATA]
    if CONF_DEVICE in config and not data.told_about_devices:
        data.told_about_devices = True
        _LOGGER.warning(
            "'device' in YAML has no effect: only discovered sensors can belong to a device; "
            "announce the sensor through MQTT discovery instead"
        )
    sensor = MqttBinarySensor(hass, data, Settings.from_config(config))
    data.unique_ids.claim(sensor)
    platform = async_get_current_platform()
    batch = data.batches.setdefault(platform, [])
    batch.append(sensor)
    if len(batch) == 1:
        await asyncio.sleep(0)
        async_add_entities(data.batches.pop(platform))


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DiscoveryConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,  # noqa: ARG001  (the platform adds them)
) -> None:
    """Listen for sensors that announce themselves."""
    entry.runtime_data = discovery = Discovery(
        hass,
        entry,
        hass.data[DATA],
        async_get_current_platform(),
        entry.options[CONF_DISCOVERY_PREFIX],
    )
    entry.async_on_unload(await discovery.async_start())


@callback
def async_register_reload(hass: HomeAssistant) -> None:
    """Register `mqtt_binary.reload`."""

    async def reload(_call: ServiceCall) -> None:
        """Replace all sensors of the YAML by those it has now."""
        yaml = await read_yaml(hass, DOMAIN)
        try:
            discovery = CONFIG_SCHEMA(yaml).get(DOMAIN)
        except vol.Invalid as err:
            raise reload_failed(DOMAIN, str(err)) from err
        entries = await validate_entries(hass, DOMAIN, yaml, PLATFORMS)
        for platform in async_get_platforms(hass, DOMAIN):
            if platform.config_entry is None:
                await platform.async_reset()
        # Sensors that were refused or disabled hold their ids still.
        hass.data[DATA].unique_ids.release_where(
            lambda owner: not isinstance(owner, DiscoveredBinarySensor)
        )
        await set_up_entries(hass, DOMAIN, entries)
        if discovery is not None:
            await async_import(hass, discovery)

    async_register_admin_service(hass, DOMAIN, SERVICE_RELOAD, uninterrupted(hass, DOMAIN, reload))
