"""Sensors that were added in the user interface: each is a subentry of the config entry."""

from collections.abc import Mapping
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.const import CONF_UNIQUE_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback, EntityPlatform
import voluptuous as vol

from .const import CONF_REPLACES
from .core_sensors import async_give_back
from .data import Data
from .entity.entity import MqttBinarySensor
from .schema import SENSOR_SCHEMA
from .settings import Settings

_LOGGER = logging.getLogger(__name__)


def settings_of(data: Mapping[str, Any], subentry_id: str) -> Settings:
    """Return the settings of a sensor, as its form or subentry has them. Raise vol.Invalid."""
    config = {key: value for key, value in data.items() if key != CONF_REPLACES}
    return Settings.from_config(SENSOR_SCHEMA({**config, CONF_UNIQUE_ID: subentry_id}))


@callback
def give_back(hass: HomeAssistant, data: Mapping[str, Any]) -> None:
    """Begin to bring back what a sensor has replaced that is being removed, if anything."""
    if CONF_REPLACES in data:
        # Not before Home Assistant has taken the sensor out of the registry.
        _ = hass.async_create_task(
            async_give_back(hass, data), "mqtt_binary give back", eager_start=False
        )


class SubentrySensors:
    """Keeps the sensors as the subentries are, without touching what others announce."""

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
        self._known: dict[str, Mapping[str, Any]] = {}
        self._sensors: dict[str, MqttBinarySensor] = {}

    @callback
    def update(self) -> None:
        """Add what is new, and change what has changed; Home Assistant removes what has gone."""
        subentries = self._entry.subentries
        for subentry_id in self._known.keys() - subentries.keys():
            give_back(self._hass, self._known.pop(subentry_id))
            self._sensors.pop(subentry_id, None)
        for subentry_id, subentry in subentries.items():
            if self._known.get(subentry_id) is not subentry.data:
                self._known[subentry_id] = subentry.data
                self._update_one(subentry)

    @callback
    def _update_one(self, subentry: ConfigSubentry) -> None:
        try:
            settings = settings_of(subentry.data, subentry.subentry_id)
        except vol.Invalid as err:
            # Such as a template with a filter that a later Home Assistant has dropped.
            _LOGGER.error("%s: the sensor cannot be set up: %s", subentry.title, err)  # noqa: TRY400  (the sentence is enough)
            return
        sensor = self._sensors.get(subentry.subentry_id)
        if sensor is None:
            sensor = MqttBinarySensor(
                self._hass, self._data, settings, entry_id=self._entry.entry_id
            )
            self._sensors[subentry.subentry_id] = sensor
            self._add([sensor], config_subentry_id=subentry.subentry_id)
        elif self._is_added(sensor):
            _ = self._entry.async_create_task(self._hass, sensor.async_apply(settings))

    def _is_added(self, sensor: MqttBinarySensor) -> bool:
        """Return whether it runs; one that is disabled is made anew when it is enabled."""
        return self._platform.entities.get(sensor.entity_id or "") is sensor
