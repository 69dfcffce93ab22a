"""Sensors added in the user interface, each a subentry of the config entry."""

import asyncio
from collections.abc import Mapping
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback, EntityPlatform
import voluptuous as vol

from .const import CONF_DEFAULT_ENTITY_ID, CONF_REPLACES
from .core_sensors.following import Follower
from .core_sensors.links import async_update_links
from .core_sensors.merging import OWN_KEYS
from .core_sensors.replacing import async_replace, device_of, replaced_by
from .data import Data
from .entity.entity import MqttBinarySensor
from .entity.state import LastValue
from .settings import Settings
from .subentry_settings import settings_of

_LOGGER = logging.getLogger(__name__)


class SubentrySensors:
    """Keeps the sensors in line with the subentries; discovered sensors are not affected."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        data: Data,
        platform: EntityPlatform,
        add: AddConfigEntryEntitiesCallback,
    ) -> None:
        self._hass = hass
        self._entry = entry
        self._data = data
        self._platform = platform
        self._add = add
        self._data_by_id: dict[str, Mapping[str, Any]] = {}
        self._sensors: dict[str, MqttBinarySensor] = {}
        self._replacing = asyncio.Lock()
        self.follower = Follower(hass, entry, data.connection, self._show_missing)

    @callback
    def update(self) -> None:
        """Add new sensors and update changed ones; Home Assistant removes deleted ones."""
        async_update_links(self._hass, self._entry)
        subentries = self._entry.subentries
        for subentry_id in self._data_by_id.keys() - subentries.keys():
            del self._data_by_id[subentry_id]
            self._sensors.pop(subentry_id, None)
        for subentry_id, subentry in subentries.items():
            old_data = self._data_by_id.get(subentry_id)
            if old_data is not subentry.data:
                self._data_by_id[subentry_id] = subentry.data
                if old_data is None or _config_in(old_data) != _config_in(subentry.data):
                    self._update_sensor(subentry)
        self.follower.update()

    @callback
    def _update_sensor(self, subentry: ConfigSubentry) -> None:
        try:
            settings = settings_of(subentry.data, subentry.subentry_id)
        except vol.Invalid as err:
            # For example a template with a filter that Home Assistant has removed since.
            _LOGGER.error("%s: the sensor cannot be set up: %s", subentry.title, err)  # noqa: TRY400  (the sentence is enough)
            return
        sensor = self._sensors.get(subentry.subentry_id)
        if sensor is not None:
            if self._is_added(sensor):
                _ = self._entry.async_create_task(self._hass, sensor.async_apply(settings))
        elif self._is_to_replace(subentry):
            _ = self._entry.async_create_task(self._hass, self._replace(subentry, settings))
        else:
            self._add_sensor(subentry, settings)

    def _is_to_replace(self, subentry: ConfigSubentry) -> bool:
        return (
            CONF_REPLACES in subentry.data
            and CONF_DEFAULT_ENTITY_ID not in subentry.data  # replaced already, possibly by 0.4.0
            and subentry.subentry_id not in replaced_by(self._entry)
        )

    async def _replace(self, subentry: ConfigSubentry, settings: Settings) -> None:
        """Add a sensor that replaces core's; if core's is gone, just add it."""
        async with self._replacing:
            last_value = await async_replace(self._hass, self._entry, subentry, settings)
        subentry_id = subentry.subentry_id
        if subentry_id not in self._entry.subentries or subentry_id in self._sensors:
            return
        self._add_sensor(subentry, settings, last_value)
        data = {key: value for key, value in subentry.data.items() if key != CONF_REPLACES}
        if (replaced := replaced_by(self._entry).get(subentry_id)) is not None:
            # 0.4.0 needs both to restore core's sensor after a downgrade.
            data[CONF_REPLACES] = replaced.registry_id
            data[CONF_DEFAULT_ENTITY_ID] = replaced.entity_id
        self._hass.config_entries.async_update_subentry(self._entry, subentry, data=data)

    @callback
    def _add_sensor(
        self, subentry: ConfigSubentry, settings: Settings, last_value: LastValue | None = None
    ) -> None:
        sensor = MqttBinarySensor(
            self._hass, self._data, settings, entry_id=self._entry.entry_id, last=last_value
        )
        if (device_id := device_of(self._hass, subentry)) is not None:
            sensor.attach_to_device(dr.async_get(self._hass).async_get(device_id))
        self._sensors[subentry.subentry_id] = sensor
        self._add([sensor], config_subentry_id=subentry.subentry_id)

    @callback
    def _show_missing(self) -> None:
        """Make sensors unavailable that are not announced any more."""
        for subentry_id, sensor in self._sensors.items():
            is_announced = subentry_id not in self.follower.missing
            if sensor.is_announced is not is_announced:
                sensor.is_announced = is_announced
                if self._is_added(sensor):
                    sensor.async_write_ha_state()

    def _is_added(self, sensor: MqttBinarySensor) -> bool:
        """Return whether the sensor is added; a disabled one is recreated when enabled."""
        return self._platform.entities.get(sensor.entity_id or "") is sensor


def _config_in(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in OWN_KEYS}
