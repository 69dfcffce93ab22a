"""REST sensors, from `sensor:` entries and from `rest:` blocks."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any, override

from homeassistant.components.rest import sensor as core
from homeassistant.components.sensor import CONF_STATE_CLASS, SensorDeviceClass, SensorEntity
from homeassistant.components.sensor.const import NON_NUMERIC_DEVICE_CLASSES, STATE_CLASS_UNITS
from homeassistant.const import (
    CONF_UNIT_OF_MEASUREMENT,
    MAX_LENGTH_STATE_STATE,
    Platform,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util import dt as dt_util

from .adding import async_add
from .const import CONF_JSON_ATTRS, CONF_JSON_ATTRS_PATH, DEFAULT_SENSOR_NAME
from .entity import RestEntity
from .repairs import clear_too_long, report_too_long
from .reply.attributes import Attributes
from .reply.reply import ABSENT, Reply, without_surrogates
from .schema import SENSOR_PLATFORM_SCHEMA as PLATFORM_SCHEMA
from .settings import SensorSettings
from .sources import Source

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0  # a coordinator orders the polls

# By value, since older versions of Home Assistant do not have `uptime`.
_POINTS_IN_TIME = ("timestamp", "uptime")


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the sensor of a `platform: rest` entry, or those of `rest:` blocks."""
    await async_add(
        hass,
        Platform.SENSOR,
        RestSensor,
        config,
        async_add_entities=async_add_entities,
        discovery_info=discovery_info,
    )


OF_ENTRIES = ("async_setup_entry",)
"""Functions for config entries, which Home Assistant looks up here; newer cores have them."""


def __getattr__(name: str) -> object:
    """Return core's function for the set-up of config entries."""
    if name in OF_ENTRIES:
        return getattr(core, name)
    raise AttributeError(name)


class RestSensor(RestEntity[SensorSettings], SensorEntity):
    """A value of a reply, with attributes."""

    def __init__(self, source: Source[SensorSettings]) -> None:
        super().__init__(source, DEFAULT_SENSOR_NAME)
        settings = source.settings
        self._attr_device_class = settings.device_class
        self._attr_state_class = settings.state_class
        self._attr_native_unit_of_measurement = settings.unit_of_measurement
        is_a_number = self._attr_device_class not in NON_NUMERIC_DEVICE_CLASSES
        self._wants_number = is_a_number and any(
            value is not None
            for value in (
                self._attr_device_class,
                self._attr_state_class,
                self._attr_native_unit_of_measurement,
            )
        )
        self._ignored = dict(self._without_contradictions(is_a_number=is_a_number))
        if settings.json_attributes_path and not settings.json_attributes:
            self._ignored[CONF_JSON_ATTRS_PATH] = f"it needs {CONF_JSON_ATTRS} beside it"
        has_template = settings.json_attributes_template is not None
        self._attributes = (
            Attributes(
                keys=settings.json_attributes,
                path=settings.json_attributes_path,
                template=settings.json_attributes_template,
                report=self._report,
            )
            if has_template or settings.json_attributes
            else None
        )
        self._has_templates |= has_template
        self._is_too_long = False

    @override
    async def async_added_to_hass(self) -> None:
        """Subscribe to polls, and report contradictory keys of the YAML."""
        await super().async_added_to_hass()
        for key, reason in self._ignored.items():
            self._report(key, f"{key} ignored: {reason}")

    def _without_contradictions(self, *, is_a_number: bool) -> Iterator[tuple[str, str]]:
        """Drop keys that would make Home Assistant raise with each state; yield (key, reason)."""
        if not is_a_number and self._attr_native_unit_of_measurement:
            self._attr_native_unit_of_measurement = None
            problem = f"a value of device_class {self._attr_device_class} has none"
            yield CONF_UNIT_OF_MEASUREMENT, f"{problem}; remove one of the two from the YAML"
        unit, state_class = self._attr_native_unit_of_measurement, self._attr_state_class
        if state_class and unit not in (units := STATE_CLASS_UNITS.get(state_class, [unit])):
            self._attr_state_class = None
            problem = f"{state_class} is for the unit {' or '.join(map(str, units))}"
            yield CONF_STATE_CLASS, f"{problem}; correct one of the two in the YAML"

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Delete the repair issue; a renamed entity creates one under its new id."""
        if self._is_too_long:
            clear_too_long(self.hass, self.entity_id)
            self._is_too_long = False

    @override
    def _stored(self) -> dict[str, Any]:
        value = self._attr_native_value
        text = value.isoformat() if isinstance(value, date) else value
        return {"value": text, "attributes": self.extra_state_attributes or {}}

    @override
    def _restore(self, stored: dict[str, Any]) -> bool:
        match stored:
            case {"value": str() | None as value, "attributes": dict() as attributes}:
                self._attr_native_value = self._native_value(value)
                if self._attributes:
                    self._attr_extra_state_attributes = attributes
                return True
        return False

    @override
    def _show_value(self, reply: Reply, variables: dict[str, Any]) -> None:
        if self._attributes:
            self._attr_extra_state_attributes = self._attributes.read(
                reply.content, variables, self._item
            )
        # A JSON null is no text if it is the whole reply or the whole element.
        part = reply.content.json if self._item is ABSENT else self._item
        is_null = not (self._value or self._selector) and part is None
        text = None if is_null else self._text(reply, variables)
        self._attr_native_value = self._native_value(text)

    def _native_value(self, text: str | None) -> str | date | datetime | None:
        """Return the value, or log why Home Assistant would reject it and return None."""
        if text is None:
            return None
        try:
            value = native_value(text, self._attr_device_class)
        except ValueError as err:
            self._report("state", f"{err}; the state is unknown")
            return None
        is_too_long = isinstance(value, str) and len(value) > MAX_LENGTH_STATE_STATE
        if is_too_long is not self._is_too_long:
            self._is_too_long = is_too_long
            self._report_length(len(text))
        if is_too_long:
            return None
        if self._wants_number and not is_number(str(value)):
            self._report(
                "state", "the value is no number, as its unit or class wants; the state is unknown"
            )
            return None
        self._report("state")
        return value

    def _report_length(self, length: int) -> None:
        """Create a repair issue for a state that is too long, or delete it if the state fits."""
        if self._is_too_long:
            report_too_long(self.hass, self.entity_id, str(self.name), length)
        else:
            clear_too_long(self.hass, self.entity_id)


def is_number(text: str) -> bool:
    """Return whether Home Assistant accepts a text as a number."""
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def native_value(text: str, device_class: SensorDeviceClass | str | None) -> str | date | datetime:
    """Return the value of a text.

    Raise ValueError with the reason, without the text, if it is invalid.
    """
    text = without_surrogates(text)  # a template can produce them
    if device_class in _POINTS_IN_TIME:
        moment = dt_util.parse_datetime(text.strip())
        if moment is None or moment.tzinfo is None:
            raise ValueError("the value is no date and time with a time zone")
        try:
            return moment.astimezone(UTC)
        except OverflowError:
            raise ValueError("the value is too far from now for a date and time") from None
    if device_class == SensorDeviceClass.DATE:
        moment = dt_util.parse_datetime(text.strip())
        day = moment.date() if moment else dt_util.parse_date(text.strip())
        if day is None:
            raise ValueError("the value is no date")
        return day
    return text
