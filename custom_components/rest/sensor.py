"""REST sensors, from `sensor:` entries and from `rest:` blocks."""

from datetime import date, datetime
from typing import Any, override

from homeassistant.components.sensor import CONF_STATE_CLASS, SensorDeviceClass, SensorEntity
from homeassistant.const import (
    CONF_DEVICE_CLASS,
    CONF_UNIT_OF_MEASUREMENT,
    MAX_LENGTH_STATE_STATE,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util import dt as dt_util

from .const import CONF_JSON_ATTRS, CONF_JSON_ATTRS_TEMPLATE, DEFAULT_SENSOR_NAME
from .entity import RestEntity, Source, async_sources
from .repairs import clear_too_long, report_too_long
from .reply.attributes import Attributes
from .reply.reply import Reply
from .schema import SENSOR_PLATFORM_SCHEMA as PLATFORM_SCHEMA

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0  # a coordinator orders the polls

# By value: older hosts have no `uptime`.
_POINTS_IN_TIME = ("timestamp", "uptime")


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the sensor of a `platform: rest` entry, or those of `rest:` blocks."""
    async_add_entities(map(RestSensor, async_sources(hass, config, discovery_info)))


class RestSensor(RestEntity, SensorEntity):
    """One value of a reply, and attributes."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, DEFAULT_SENSOR_NAME)
        config = source[1]
        self._attr_device_class = config.get(CONF_DEVICE_CLASS)
        self._attr_state_class = config.get(CONF_STATE_CLASS)
        self._attr_native_unit_of_measurement = config.get(CONF_UNIT_OF_MEASUREMENT)
        has_template = CONF_JSON_ATTRS_TEMPLATE in config
        has_attributes = has_template or config[CONF_JSON_ATTRS]
        self._attributes = Attributes(config, self._tell) if has_attributes else None
        self._has_templates |= has_template
        self._is_too_long = False

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Take back what was reported."""
        if self._is_too_long:
            clear_too_long(self.hass, self.entity_id)

    @override
    def _show_value(self, reply: Reply, variables: dict[str, Any]) -> None:
        if self._attributes:
            self._attr_extra_state_attributes = self._attributes.read(reply, variables)
        self._attr_native_value = self._native_value(reply, variables)

    def _native_value(
        self, reply: Reply, variables: dict[str, Any]
    ) -> str | date | datetime | None:
        if self._value:
            text = self._value.text(variables)
        else:
            text = None if reply.json is None else reply.value  # None is JSON's null
        if text is None:
            return None
        try:
            value = native_value(text, self._attr_device_class)
        except ValueError as err:
            self._tell("state", f"{err}; the state is unknown")
            return None
        is_too_long = isinstance(value, str) and len(value) > MAX_LENGTH_STATE_STATE
        if is_too_long and not self._is_too_long:
            report_too_long(self.hass, self.entity_id, str(self.name), len(text))
        elif self._is_too_long and not is_too_long:
            clear_too_long(self.hass, self.entity_id)
        self._is_too_long = is_too_long
        return None if is_too_long else value

    @override
    def _write(self) -> None:
        """Write the state; a value that Home Assistant refuses for its unit or class is unknown."""
        try:
            if self._home_assistant_writes:
                self.state  # noqa: B018  (raises what writing it would)
            super()._write()
        except ValueError:
            self._attr_native_value = None
            self._tell(
                "state", "the value is no number, as its unit or class wants; the state is unknown"
            )
            super()._write()
        else:
            if self._attr_native_value is not None:
                self._tell("state", None)


def native_value(
    text: str, device_class: SensorDeviceClass | str | None
) -> str | date | datetime | None:
    """Return what a text means; None for "None", which is how templates print nothing.

    Raise ValueError that says what is wrong, without the text.
    """
    if text == "None":
        return None
    if device_class in _POINTS_IN_TIME:
        moment = dt_util.parse_datetime(text.strip())
        if moment is None or moment.tzinfo is None:
            raise ValueError("the value is no date and time with a time zone")
        return moment
    if device_class == SensorDeviceClass.DATE:
        moment = dt_util.parse_datetime(text.strip())
        day = moment.date() if moment else dt_util.parse_date(text.strip())
        if day is None:
            raise ValueError("the value is no date")
        return day
    return text
