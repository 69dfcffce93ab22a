"""Sensors for the measurements of hubs, air sensors, plugs and strips."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
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
    CONF_MONITORED_CONDITIONS,
    PERCENTAGE,
    Platform,
    UnitOfDensity,
    UnitOfElectricCurrent,
    UnitOfElectricPotential,
    UnitOfEnergy,
    UnitOfPower,
    UnitOfTemperature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.helpers.update_coordinator import CoordinatorEntity
import voluptuous as vol

from .._common.log_once import LogOnce
from ..entities.entity import IrhubEntity, async_add_if_able
from ..entities.use import IrhubConfigEntry, Use
from ..hub.library import Capability, Conditions, is_silent_meter
from ..hub.polling import StatusCoordinator
from ..hub.receiver import Capture
from ..schema import hub_schema
from ..yaml.hubs import async_use_in_yaml
from .captures import CapturesSensor
from .delivery import async_add_deliveries
from .listening import ListeningSensor
from .readings import NO_CABLE, NO_THERMOMETER, Range, Reading

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0

DEFAULT_SCAN_INTERVAL: Final = timedelta(seconds=300)
DEFAULT_TIMEOUT_S: Final = 10
TOLERATED_MISSES: Final = 3
"""Number of failed polls in a row after which a sensor becomes unavailable."""


@dataclass(frozen=True, kw_only=True)
class ConditionDescription(SensorEntityDescription):
    """Description of a measurement."""

    plausible: Range
    """Values outside of this range are rejected."""
    levels: tuple[str, ...] = ()
    """Meanings of the numbers from 0. Sensors in YAML show the numbers, for automations."""

    @property
    def in_words(self) -> ConditionDescription:
        """Return the description as an enumeration if it has levels."""
        if not self.levels:
            return self
        return replace(
            self, device_class=SensorDeviceClass.ENUM, options=[*self.levels], state_class=None
        )


def _condition(
    key: str,
    name: str,
    plausible: Range,
    device_class: SensorDeviceClass | None = None,
    unit: str | None = None,
    *,
    levels: tuple[str, ...] = (),
    state_class: SensorStateClass = SensorStateClass.MEASUREMENT,
) -> ConditionDescription:
    return ConditionDescription(
        key=key,
        translation_key=key,
        name=name,
        plausible=plausible,
        device_class=device_class,
        native_unit_of_measurement=unit,
        levels=levels,
        state_class=state_class,
    )


_C: Final = UnitOfTemperature.CELSIUS
_DUST: Final = UnitOfDensity.MICROGRAMS_PER_CUBIC_METER
_DUST_RANGE: Final = (0.0, 10_000.0)
CONDITIONS: Final = {
    description.key: description
    for description in (
        _condition("temperature", "Temperature", (-50, 150), SensorDeviceClass.TEMPERATURE, _C),
        _condition("humidity", "Humidity", (0, 100), SensorDeviceClass.HUMIDITY, PERCENTAGE),
        _condition(
            "air_quality", "Air Quality", (0, 3), levels=("excellent", "good", "normal", "bad")
        ),
        _condition("light", "Light", (0, 3), levels=("dark", "dim", "normal", "bright")),
        _condition("noise", "Noise", (0, 2), levels=("quiet", "normal", "noisy")),
        _condition("pm10", "PM10", _DUST_RANGE, SensorDeviceClass.PM10, _DUST),
        _condition("pm2_5", "PM2.5", _DUST_RANGE, SensorDeviceClass.PM25, _DUST),
        _condition("pm1", "PM1", _DUST_RANGE, SensorDeviceClass.PM1, _DUST),
        _condition("power", "Power", (0, 100_000), SensorDeviceClass.POWER, UnitOfPower.WATT),
        _condition(
            "current",
            "Current",
            (0, 1_000),
            SensorDeviceClass.CURRENT,
            UnitOfElectricCurrent.AMPERE,
        ),
        _condition(
            "voltage",
            "Voltage",
            (0, 1_000),
            SensorDeviceClass.VOLTAGE,
            UnitOfElectricPotential.VOLT,
        ),
        _condition(
            "total_consumption",
            "Total consumption",
            (0, 1e9),
            SensorDeviceClass.ENERGY,
            UnitOfEnergy.KILO_WATT_HOUR,
            state_class=SensorStateClass.TOTAL_INCREASING,
        ),
    )
}

PLATFORM_SCHEMA = SENSOR_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(
            name="Broadlink sensor", timeout=DEFAULT_TIMEOUT_S, poll=DEFAULT_SCAN_INTERVAL
        ),
        vol.Required(CONF_MONITORED_CONDITIONS): vol.All(
            cv.ensure_list, vol.Length(min=1), vol.Unique(), [vol.In(CONDITIONS)]
        ),
    }
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add one sensor per monitored condition."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        async_add_entities(
            ConditionSensor(use, CONDITIONS[condition])
            for condition in config[CONF_MONITORED_CONDITIONS]
        )


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add a sensor for each condition that the hub has actually reported.

    Its model is not sufficient: an RM4 measures only with its sensor cable. A hub that can learn
    also has a sensor for its listeners. Devices have a sensor for deliveries.
    """
    use = entry.runtime_data
    if await use.devices.try_load():
        async_add_deliveries(use, async_add_entities)
    if use.coordinator is None:
        return
    async_add_if_able(use, Capability.LEARN, async_add_entities, ListeningSensor)
    for capture in Capture:
        count = partial(CapturesSensor, capture=capture)
        async_add_if_able(use, Capability.LEARN, async_add_entities, count)
    made: set[str] = set()

    @callback
    def make(measured: Iterable[str]) -> None:
        new = [key for key in CONDITIONS if key in measured and key not in made]
        made.update(new)
        async_add_entities(ConditionSensor(use, CONDITIONS[key].in_words) for key in new)

    @callback
    def read() -> None:
        reply = use.status.data.conditions
        if reply in (None, NO_CABLE, NO_THERMOMETER) or is_silent_meter(reply):
            return
        make(reply)

    @callback
    def known() -> None:
        if CONDITIONS.keys() & (use.hub.capabilities or frozenset()):
            use.async_on_end(use.status.async_add_listener(read, _interval_s(use)))
            read()

    prefix = use.unique_id("")
    make(
        {
            registered.unique_id.removeprefix(prefix)
            for registered in er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
            if registered.domain == Platform.SENSOR
        }
    )
    use.async_on_end(use.hub.async_when_known(known))


def _interval_s(use: Use) -> float:
    return (use.options.scan_interval or DEFAULT_SCAN_INTERVAL).total_seconds()


class ConditionSensor(IrhubEntity, CoordinatorEntity[StatusCoordinator], SensorEntity):
    """One condition of a hub."""

    _attr_available = False

    entity_description: ConditionDescription

    def __init__(self, use: Use, description: ConditionDescription) -> None:
        CoordinatorEntity.__init__(self, use.status, _interval_s(use))
        IrhubEntity.__init__(self, use, f"{use.name} {description.name}", description.key)
        self.entity_description = description
        self._reading = Reading()
        self._reply: Conditions | None = None
        self._log = LogOnce(_LOGGER)

    @property
    @override
    def available(self) -> bool:
        """Return whether there is a recent value of the condition."""
        return self._attr_available

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub's status."""
        await super().async_added_to_hass()
        self._handle_coordinator_update()

    @callback
    @override
    def _handle_coordinator_update(self) -> None:
        """Process the last reading, each only once."""
        status, key = self.coordinator.data, self.entity_description.key
        if (reply := status.conditions) is not None:
            if reply is not self._reply:
                self._reply = reply
                self._reading = self._reading.after(key, reply, self.entity_description.plausible)
                self._report_problems(reply)
            reading, missed = self._reading, status.missed
            if reading.value is None:  # available but unknown, if it is measured at all
                measured = key in reply and reply != NO_CABLE
            else:
                measured, missed = True, missed + reading.rejected
            self._attr_available = measured and missed <= TOLERATED_MISSES
            self._attr_native_value = self._shown(reading.value)
        self.async_write_ha_state()

    def _shown(self, value: float | None) -> float | str | None:
        words = self.entity_description.options
        return value if words is None or value is None else words[int(value)]

    def _report_problems(self, reply: Conditions) -> None:
        label = self.coordinator.hub.label
        if self.entity_description.key not in reply:
            offered = ", ".join(condition for condition in CONDITIONS if condition in reply)
            self._log.report(
                "condition",
                f"{self.entity_id}: the device at {label} does not measure"
                f" {self.entity_description.key}; it offers {offered or 'nothing'}",
            )
        elif reply == NO_CABLE and self._reading.value is None:
            self.coordinator.hub.log.report(
                "cable",
                f"The hub {label} reports 0 °C and 0 %: no sensor cable is plugged into it",
            )
