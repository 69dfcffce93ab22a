"""The climate platform: air conditioners, of which each command is a whole state."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import isfinite
from typing import Any, Final, TypedDict, Unpack, override

from homeassistant.components.climate import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_HVAC_MODE,
    PLATFORM_SCHEMA as CLIMATE_PLATFORM_SCHEMA,
    ClimateEntity,
    ClimateEntityFeature,
    HVACMode,
)
from homeassistant.const import (
    ATTR_TEMPERATURE,
    ATTR_UNIT_OF_MEASUREMENT,
    PRECISION_HALVES,
    PRECISION_WHOLE,
    UnitOfTemperature,
)
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util.unit_conversion import TemperatureConverter

from .appliances.entity import ApplianceEntity
from .appliances.schema import appliance_schema
from .appliances.setup import async_add_from_subentries, async_add_from_yaml
from .codes.state import OFF, Off, State
from .devices.names import Kind
from .devices.states import agreed
from .entry import IrhubConfigEntry
from .errors import UserError

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = appliance_schema(CLIMATE_PLATFORM_SCHEMA)

COMFORTABLE: Final = {UnitOfTemperature.CELSIUS: 22.0, UnitOfTemperature.FAHRENHEIT: 72.0}
"""What an air conditioner is set to before anybody has said anything."""
_FIRST: Final = ("auto", "cool", "heat_cool", "dry", "fan_only", "heat")
"""The mode before anybody has said anything: the first of these that there is."""
F_PER_C: Final = 1.8
_EXACT: Final = 0.01


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the air conditioner of a YAML entry."""
    await async_add_from_yaml(hass, config, async_add_entities, Kind.CLIMATE, AirConditioner)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the air conditioners among the appliances of a hub."""
    await async_add_from_subentries(entry, async_add_entities, Kind.CLIMATE, AirConditioner)


class _Changes(TypedDict, total=False):
    """What is set of a state."""

    mode: str
    preset: str
    fan: str
    swing: str
    temperature: float


class AirConditioner(ApplianceEntity, ClimateEntity):
    """An air conditioner: what a mode does not have is not offered in it."""

    _unit = UnitOfTemperature.CELSIUS
    _measured_temperature: float | None = None
    _wanted_temperature: float | None = None
    _limits = 0.0, 0.0
    _modes: Sequence[str] = ()
    _state: State | None = None
    """What it was set to; None: nobody has said."""

    @property
    def native_temperature_unit(self) -> str:
        """Return the unit of the codes."""
        return self._unit

    @property
    def native_current_temperature(self) -> float | None:
        """Return what the sensor measures."""
        return self._measured_temperature

    @property
    def native_target_temperature(self) -> float | None:
        """Return what it is set to."""
        return self._wanted_temperature

    if not hasattr(ClimateEntity, "native_temperature_unit"):  # their names until 2026.10
        temperature_unit = native_temperature_unit
        current_temperature = native_current_temperature
        target_temperature = native_target_temperature

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the sensors."""
        await super().async_added_to_hass()
        named = (self.settings.temperature_sensor, self.settings.humidity_sensor)
        if sensors := [sensor for sensor in named if sensor is not None]:
            self.async_on_remove(async_track_state_change_event(self.hass, sensors, self._measured))
            self._read_sensors()

    @override
    def _commands_changed(self) -> None:
        states = self._states = self._profile.climate
        self._unit = UnitOfTemperature(f"°{states.unit}")
        self._modes = [mode for mode in states.modes if mode in set(HVACMode)]
        can_be_off = bool(states.off) or states.toggle is not None
        self._attr_hvac_modes = [
            *([HVACMode.OFF] if can_be_off else ()),
            *map(HVACMode, self._modes),
        ]
        self._fit()

    @override
    def _show(self) -> None:
        state, is_on = self._shown, self._appliance_is_on
        mode = None if state is None else self._states.modes.get(state.mode)
        features = ClimateEntityFeature(0)
        if HVACMode.OFF in self._attr_hvac_modes:
            features |= ClimateEntityFeature.TURN_OFF
        if self._modes:
            features |= ClimateEntityFeature.TURN_ON
        self._attr_hvac_mode = HVACMode.OFF if is_on is False and self._modes else None
        if state is not None and mode is not None:
            if is_on:
                self._attr_hvac_mode = HVACMode(state.mode)
            # While it is off, one action may set the temperature and another mode.
            offered = [mode] if is_on else self._states.modes.values()
            if temperatures := [one for each in offered for one in each.temperatures]:
                features |= ClimateEntityFeature.TARGET_TEMPERATURE
                self._limits = min(temperatures), max(temperatures)
            if mode.fans:
                features |= ClimateEntityFeature.FAN_MODE
            if mode.swings:
                features |= ClimateEntityFeature.SWING_MODE
            if mode.presets:
                features |= ClimateEntityFeature.PRESET_MODE
            self._attr_fan_modes, self._attr_fan_mode = [*mode.fans], state.fan
            self._attr_swing_modes, self._attr_swing_mode = [*mode.swings], state.swing
            self._attr_preset_modes, self._attr_preset_mode = [*mode.presets], state.preset
            self._wanted_temperature = state.temperature
        self._attr_supported_features = features

    @property
    @override
    def target_temperature_step(self) -> float:
        """Return by how much a temperature is changed, in the unit that is shown."""
        shown = self.hass.config.units.temperature_unit
        return _shown_step(self._states.step, self._unit, shown)

    @property
    @override
    def min_temp(self) -> float:
        """Return the lowest temperature of the mode."""
        return min(self._limits[0], self._limit(self._limits[0]))

    @property
    @override
    def max_temp(self) -> float:
        """Return the highest temperature of the mode."""
        return max(self._limits[1], self._limit(self._limits[1]))

    def _limit(self, limit: float) -> float:
        """Return a limit as it is shown, rounded if in the other unit, in the codes' unit."""
        codes, shown = self._unit, self.hass.config.units.temperature_unit
        if codes == shown:
            return limit
        digits = 0 if shown == UnitOfTemperature.FAHRENHEIT else 1
        rounded = round(TemperatureConverter.convert(limit, codes, shown), digits)
        return TemperatureConverter.convert(rounded, shown, codes)

    @property
    def _shown(self) -> State | None:
        """Return what it is set to, or was before it was turned off; None: nothing is known."""
        if self._state is not None and self._state.mode in self._modes:
            return self._state
        if not self._modes or (self._appliance_is_on and not self.settings.power_restores):
            return None
        return self._usual

    @property
    def _usual(self) -> State:
        """Return what it is set to before anybody has said anything."""
        mode = min(self._modes, key=_FIRST.index)
        return self._states.fit(State(mode=mode, temperature=COMFORTABLE[self._unit]))

    @property
    @override
    def _kept(self) -> dict[str, Any]:
        """Return the state as it is kept over restarts."""
        return {} if self._state is None else asdict(self._state)

    @_kept.setter
    def _kept(self, kept: Mapping[str, Any]) -> None:
        self._state = _read(kept)
        self._fit()

    def _fit(self) -> None:
        """Let the state be one that there is: the commands may be others than when it was kept."""
        state = self._state
        if state is not None and state.mode in self._modes and self._states.find(state) is None:
            self._state = self._states.fit(state)

    @override
    @callback
    def _pressed(self, heard: Sequence[str | State | Off]) -> None:
        states: list[State] = []
        for each in heard:
            if isinstance(each, State):  # read by a rule: it may be more than is offered
                states += [self._states.fit(each)] if each.mode in self._modes else []
            elif each in self._states.states:
                states.append(self._states.states[str(each)])
        if OFF in heard or any(command in heard for command in self._states.off.values()):
            self._reached(on=False)
        elif states:
            self._state = agreed(states, self._state or self._usual)
            self._reached(on=True)
        else:
            super()._pressed(heard)

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        """Turn it off, or on in a mode; the other settings are taken along."""
        if hvac_mode is HVACMode.OFF:
            await self._turn_off()
        else:
            await self._set(on=True, mode=str(hvac_mode))

    @override
    async def async_turn_on(self) -> None:
        """Turn it on as it was."""
        await self._set(on=True)

    @override
    async def async_turn_off(self) -> None:
        """Turn it off."""
        await self._turn_off()

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the temperature, and the mode where one is named."""
        mode: HVACMode | None = kwargs.get(ATTR_HVAC_MODE)
        if mode is HVACMode.OFF:
            await self._turn_off()
            return
        changes: _Changes = {} if mode is None else {"mode": str(mode)}
        if (temperature := kwargs.get(ATTR_TEMPERATURE)) is not None:
            changes["temperature"] = temperature
        await self._set(on=None if mode is None else True, **changes)

    @override
    async def async_set_fan_mode(self, fan_mode: str) -> None:
        """Set the fan."""
        await self._set(fan=fan_mode)

    @override
    async def async_set_swing_mode(self, swing_mode: str) -> None:
        """Set the swing."""
        await self._set(swing=swing_mode)

    @override
    async def async_set_preset_mode(self, preset_mode: str) -> None:
        """Set the preset."""
        await self._set(preset=preset_mode)

    async def _set(self, *, on: bool | None = None, **changes: Unpack[_Changes]) -> None:
        """Send the state that is reached by changes; while it is off they are remembered."""
        async with self._changing():
            before = self._shown or self._usual
            state = replace(before, **changes)
            if "temperature" in changes:
                state = replace(state, temperature=self._temperature(state, before))
            if state.mode != before.mode and self._states.find(state) is None:
                # What the new mode does not have gives way; what was asked for stays.
                if state.temperature is not None and "temperature" in changes:
                    changes["temperature"] = state.temperature
                state = replace(self._states.fit(state), **changes)
            if (found := self._states.find(state)) is None:
                raise UserError(
                    "no_state",
                    entity_id=self.entity_id,
                    state=state,
                    nearest=", ".join(map(str, self._states.nearest(state))),
                )
            if on or self._appliance_is_on:
                first = [] if self._states.on is None else [self._states.on]
                await self._send(*first, self._states.sends[found])
                self._state = state
                self._reached(on=True)
            else:
                self._state = state
                self._reached()

    async def _turn_off(self) -> None:
        async with self._changing():
            off, state = self._states.off, self._shown
            of_mode = None if state is None else off.get(state.mode)
            if (command := of_mode or off.get("")) is not None:
                await self._send(command)
            else:
                await self._send(*self._switching(on=False))
            self._reached(on=False)

    def _temperature(self, state: State, before: State) -> float | None:
        """Return what a temperature that was asked for is in the codes' unit and steps."""
        temperatures, asked = self._states.modes[state.mode].temperatures, state.temperature
        if not temperatures or asked is None:
            return asked
        # A step that ends between two of them shall not end where it began.
        nearest = min(
            temperatures,
            key=lambda one: (round(abs(one - asked), 2), one == before.temperature),
        )
        return nearest if abs(nearest - asked) < self._states.step - _EXACT else asked

    @callback
    def _measured(self, _event: Event[EventStateChangedData]) -> None:
        self._read_sensors()
        self.async_write_ha_state()

    def _read_sensors(self) -> None:
        value, unit = self._measurement(self.settings.temperature_sensor)
        if value is not None and unit in (UnitOfTemperature.CELSIUS, UnitOfTemperature.FAHRENHEIT):
            value = TemperatureConverter.convert(value, unit, self._unit)
        self._measured_temperature = value
        self._attr_current_humidity, _ = self._measurement(self.settings.humidity_sensor)

    def _measurement(self, sensor: str | None) -> tuple[float | None, str | None]:
        """Return what a sensor says, and its unit."""
        if sensor is None or (state := self.hass.states.get(sensor)) is None:
            return None, None
        try:
            value = float(state.state)
        except ValueError:
            return None, None
        if not isfinite(value):
            return None, None
        return value, state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)


def _read(kept: Mapping[str, Any]) -> State | None:
    """Return the state that was kept; None if that is none."""
    match kept:
        case {
            "mode": str(mode),
            "preset": str() | None as preset,
            "fan": str() | None as fan,
            "swing": str() | None as swing,
            "temperature": int() | float() | None as temperature,
        }:
            return State(mode=mode, preset=preset, fan=fan, swing=swing, temperature=temperature)
        case _:
            return None


def _shown_step(step: float, of_codes: str, shown: str) -> float:
    """Return by how much a temperature is changed in the unit that is shown.

    Home Assistant converts temperatures, not steps: 1 °C are two of its steps in Fahrenheit.
    """
    if of_codes == shown:
        return step
    if shown == UnitOfTemperature.FAHRENHEIT:
        return max(PRECISION_WHOLE, float(round(step * F_PER_C)))
    return max(PRECISION_HALVES, round(step / F_PER_C / PRECISION_HALVES) * PRECISION_HALVES)
