"""Temperature, humidity, light, air quality and noise, as a hub measures them."""

from datetime import timedelta
import logging
from typing import Final, override

from homeassistant.components.sensor import (
    PLATFORM_SCHEMA as SENSOR_PLATFORM_SCHEMA,
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import (
    CONF_MAC,
    CONF_MONITORED_CONDITIONS,
    CONF_NAME,
    CONF_SCAN_INTERVAL,
    PERCENTAGE,
    UnitOfTemperature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .measuring import reader
from .polling import Poll, shared_poll
from .readings import Readings
from .registry import async_get_hub
from .schema import hub_schema

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0

DEFAULT_NAME: Final = "Broadlink sensor"
DEFAULT_SCAN_INTERVAL: Final = timedelta(seconds=300)
DEFAULT_TIMEOUT_S: Final = 10
TOLERATED_MISSES: Final = 3
"""So many polls in a row may bring nothing before the last value is given up."""
_POLL: Final = "sensors"


def _level(key: str, name: str) -> SensorEntityDescription:
    return SensorEntityDescription(
        key=key, translation_key=key, name=name, state_class=SensorStateClass.MEASUREMENT
    )


CONDITIONS: Final = {
    description.key: description
    for description in (
        SensorEntityDescription(
            key="temperature",
            name="Temperature",
            device_class=SensorDeviceClass.TEMPERATURE,
            native_unit_of_measurement=UnitOfTemperature.CELSIUS,
            state_class=SensorStateClass.MEASUREMENT,
        ),
        SensorEntityDescription(
            key="humidity",
            name="Humidity",
            device_class=SensorDeviceClass.HUMIDITY,
            native_unit_of_measurement=PERCENTAGE,
            state_class=SensorStateClass.MEASUREMENT,
        ),
        _level("air_quality", "Air Quality"),
        _level("light", "Light"),
        _level("noise", "Noise"),
    )
}

PLATFORM_SCHEMA = SENSOR_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(timeout=DEFAULT_TIMEOUT_S, poll=DEFAULT_SCAN_INTERVAL),
        vol.Required(CONF_MONITORED_CONDITIONS): vol.All(
            cv.ensure_list, vol.Length(min=1), vol.Unique(), [vol.In(CONDITIONS)]
        ),
        vol.Optional(CONF_NAME, default=DEFAULT_NAME): cv.string,
    }
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Make one sensor per monitored condition."""
    if (hub := async_get_hub(hass, config)) is None:
        return
    poll = shared_poll(hub, _POLL, reader(hub))
    async_add_entities(
        ConditionSensor(poll, CONDITIONS[condition], config)
        for condition in config[CONF_MONITORED_CONDITIONS]
    )


class ConditionSensor(SensorEntity):
    """One condition of a hub."""

    _attr_available = False
    _attr_should_poll = False

    def __init__(
        self, poll: Poll[Readings], description: SensorEntityDescription, config: ConfigType
    ) -> None:
        self.entity_description = description
        self._attr_name = f"{config[CONF_NAME]} {description.name}"
        self._attr_unique_id = f"{config[CONF_MAC]}-{description.key}"
        self._poll = poll
        self._interval = config[CONF_SCAN_INTERVAL].total_seconds()
        self._complained = False

    @override
    async def async_added_to_hass(self) -> None:
        """Poll as soon as it is known that there is something to read."""
        self.async_on_remove(self._poll.hub.async_when_known(self._start))

    @callback
    def _start(self) -> None:
        if self._poll.hub.can("check_sensors"):
            self.async_on_remove(self._poll.async_subscribe(self._polled, self._interval))
            self._polled()
        else:
            self._complain(frozenset())

    @callback
    def _polled(self) -> None:
        readings, key = self._poll.data, self.entity_description.key
        if readings is None:
            return
        if key not in readings.offered:
            self._complain(readings.offered)
        without = readings.doubted.get(key, 0) + self._poll.missed
        self._attr_native_value = readings.believed.get(key)
        self._attr_available = key in readings.believed and without <= TOLERATED_MISSES
        self.async_write_ha_state()

    def _complain(self, offered: frozenset[str]) -> None:
        if self._complained:
            return
        self._complained = True
        _LOGGER.warning(
            "%s: the device at %s does not measure %s; it offers %s",
            self.entity_id,
            self._poll.hub.label,
            self.entity_description.key,
            ", ".join(condition for condition in CONDITIONS if condition in offered) or "nothing",
        )
