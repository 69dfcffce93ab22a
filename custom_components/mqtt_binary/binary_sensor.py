"""The binary sensor platform: sensors from YAML, the user interface and discovery."""

import asyncio
import logging

from homeassistant.config_entries import (
    SIGNAL_CONFIG_ENTRY_CHANGED,
    ConfigEntry,
    ConfigEntryChange,
)
from homeassistant.const import CONF_DEVICE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
    async_get_current_platform,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .const import CONF_DISCOVERY_PREFIX
from .core_sensors.following import FOLLOWERS
from .data import DATA, DuplicateUniqueIdError
from .discovery.listener import Discovery, DiscoveryConfigEntry
from .discovery.prefix import async_watch
from .entity.comeback import async_prepare_comeback
from .entity.entity import MqttBinarySensor
from .schema import PLATFORM_SCHEMA
from .settings import Settings, keys_without_effect
from .subentries import SubentrySensors

__all__ = ["PLATFORM_SCHEMA", "async_setup_entry", "async_setup_platform"]

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,  # noqa: ARG001  (part of the interface)
) -> None:
    """Add one sensor from YAML.

    Home Assistant sets up each entry of the YAML separately, but adding thousands of entities one
    by one is much slower than adding them together. So the first set-up also adds the sensors of
    those that run at the same time.
    """
    data = hass.data[DATA]
    if CONF_DEVICE in config and not data.logged_device_in_yaml:
        data.logged_device_in_yaml = True
        _LOGGER.warning(
            "'device' in YAML has no effect: only discovered sensors can belong to a device; "
            "announce the sensor through MQTT discovery instead"
        )
    settings = Settings.from_config(config)
    if unused := keys_without_effect(config):
        _LOGGER.warning(
            "%s: keys without effect: %s",
            settings.name or settings.state_topic,
            ", ".join(f"{key} (needs {needed})" for key, needed in unused.items()),
        )
    sensor = MqttBinarySensor(hass, data, settings)
    try:
        data.unique_ids.claim(sensor)
    except DuplicateUniqueIdError as err:
        # Raising it would make Home Assistant log a traceback, too.
        _LOGGER.error("%s.", err)  # noqa: TRY400  (same)
        data.duplicate = err
        return
    async_prepare_comeback(hass, settings)
    platform = async_get_current_platform()
    batch = data.batches.setdefault(platform, [])
    batch.append(sensor)
    if len(batch) == 1:
        await asyncio.sleep(0)
        async_add_entities(data.batches.pop(platform))


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DiscoveryConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the sensors of the subentries, and start discovery."""
    data, platform = hass.data[DATA], async_get_current_platform()
    sensors = SubentrySensors(hass, entry, data, platform, async_add_entities)
    sensors.update()
    hass.data.setdefault(FOLLOWERS, {})[entry.entry_id] = sensors.follower
    entry.async_on_unload(sensors.follower.stop)

    @callback
    def changed(_change: ConfigEntryChange, changed_entry: ConfigEntry) -> None:
        if changed_entry is entry:
            sensors.update()

    entry.async_on_unload(async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, changed))
    prefix = entry.options[CONF_DISCOVERY_PREFIX]
    entry.runtime_data = discovery = Discovery(hass, entry, data, platform, prefix)
    entry.async_on_unload(await discovery.async_start())
    entry.async_on_unload(async_watch(hass, prefix))
