"""The climate platform: air conditioners, whose commands are complete states."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Final, Unpack, override

from homeassistant.components.climate import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_FAN_MODE,
    ATTR_HVAC_MODE,
    ATTR_PRESET_MODE,
    ATTR_SWING_MODE,
    PLATFORM_SCHEMA as CLIMATE_PLATFORM_SCHEMA,
    ClimateEntity,
    ClimateEntityFeature,
    HVACAction,
    HVACMode,
)
from homeassistant.const import (
    ATTR_STATE,
    ATTR_TEMPERATURE,
    PRECISION_WHOLE,
    Platform,
    UnitOfTemperature,
)
from homeassistant.core import Context, Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.helpers.restore_state import ExtraStoredData, RestoredExtraData
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util.unit_conversion import TemperatureConverter

from .devices.device import Taught
from .devices.kinds import Kind
from .devices.rules import Sends
from .devices.thermostat import Change, Thermostat, kept_state, state_of_press
from .entities import favourites
from .entities.batching import ChangeBatches, Scenes
from .entities.correcting import Fields, Value
from .entities.device_entity import DeviceEntity, watts_of
from .entities.device_issues import async_delete_off_issue, async_update_off_issue
from .entities.device_setup import async_add_from_entry
from .entities.off_timer import ATTR_OFF_AT, OffTimer
from .entities.received_state import async_send_received, received_attributes
from .entities.room_reports import RoomReports
from .entities.temperatures import measured, shown_degrees, shown_limit, shown_step
from .entities.use import IrhubConfigEntry
from .errors import StateText, UserError
from .ircodes import BitRule, Off, State
from .ircodes.states import Changes
from .yaml.appliances import async_add_from_yaml
from .yaml.device_schema import device_schema

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = device_schema(CLIMATE_PLATFORM_SCHEMA)

SENT_RECENTLY_S: Final = 1.0
"""A state that the same context sets again within this time, in seconds, is not sent again."""
_BEYOND: Final = "beyond"
RUNNING_W: Final = 100
"""The compressor is off if the power is lower, in watts."""
_ACTIONS: Final = {
    HVACMode.COOL: HVACAction.COOLING,
    HVACMode.HEAT: HVACAction.HEATING,
    HVACMode.DRY: HVACAction.DRYING,
}
"""Mode → action while the compressor runs; in other modes it depends on the temperatures."""


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the air conditioner of a YAML entry."""
    kind = Kind.AIR_CONDITIONER
    await async_add_from_yaml(hass, config, async_add_entities, kind, AirConditioner)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the air conditioners among the devices of a hub."""
    await async_add_from_entry(entry, async_add_entities, Platform.CLIMATE, AirConditioner)


@dataclass(frozen=True, kw_only=True)
class _RequestedChange(Change):
    """A change requested by an action."""

    silences: int
    """`Transceiver.silences` at the time of the request."""


class AirConditioner(DeviceEntity, ClimateEntity):
    """An air conditioner; its features depend on its present mode."""

    _attr_translation_key = Kind.AIR_CONDITIONER.value
    state_fields = ATTR_STATE, ATTR_HVAC_MODE
    _unit = UnitOfTemperature.CELSIUS
    _measured_temperature: float | None = None
    _watts: float | None = None
    _target_temperature: float | None = None
    _limits = 0.0, 0.0
    _modes: Sequence[str] = ()
    _scenes: Scenes
    _state: State | None = None
    """The last state that was set; None if unknown."""
    _is_beyond = False
    """Whether `_state` was set by the remote control and cannot be set by the rule."""
    _sent: tuple[str, float] | None = None
    """Context id and loop time of the last transmission."""

    @property
    def native_temperature_unit(self) -> str:
        """Return the unit of the codes."""
        return self._unit

    @property
    def native_current_temperature(self) -> float | None:
        """Return the temperature of the sensor."""
        return self._measured_temperature

    @property
    def native_target_temperature(self) -> float | None:
        """Return the temperature that it is set to."""
        return self._target_temperature

    if not hasattr(ClimateEntity, "native_temperature_unit"):  # their names until 2026.10
        temperature_unit = native_temperature_unit
        current_temperature = native_current_temperature
        target_temperature = native_target_temperature

    @cached_property
    def _off_timer(self) -> OffTimer:
        return OffTimer(self.async_turn_off, self.async_write_ha_state)

    @cached_property
    def _reports(self) -> RoomReports | None:
        """Return the reports of the room's temperature, if they are enabled and supported."""
        rule = self._packet_rule
        if not self.settings.report_temperature or not isinstance(rule, BitRule):
            return None
        if rule.room is None:
            return None
        return RoomReports(rule.room, self._room_to_report, self._report_room)

    @cached_property
    def _batches(self) -> ChangeBatches[_RequestedChange]:
        return ChangeBatches(self._change, self._lock)

    @override
    async def async_added_to_hass(self) -> None:
        """Restore the timer, and track scenes and sensors."""
        await super().async_added_to_hass()
        stored = await self.async_get_last_extra_data()
        at = None if stored is None else stored.as_dict().get(ATTR_OFF_AT)
        self.async_on_remove(self._off_timer.stop)
        self._scenes = Scenes(self.hass, self.entity_id)
        self.async_on_remove(self._scenes.follow())
        self._watts = watts_of(self.hass.states.get(self.settings.power_sensor or ""))
        self._state = self._thermostat.fitted
        self._show()
        self._update_off_issue()
        self.async_on_remove(lambda: async_delete_off_issue(self.hass, self.device))
        if self._reports is not None:
            self.async_on_remove(self._reports.start(self.hass, self.entity_id))
        named = (self.settings.temperature_sensor, self.settings.humidity_sensor)
        if sensors := [sensor for sensor in named if sensor is not None]:
            self.async_on_remove(async_track_state_change_event(self.hass, sensors, self._measured))
            self._read_sensors()
        # Last, since an overdue timer turns the device off immediately.
        self._off_timer.restore(self.hass, at, available=self.available)

    @override
    def _commands_changed(self) -> None:
        rule = self._rule = self._profile.rule
        self._unit = UnitOfTemperature(f"°{rule.capabilities.unit}")
        self._modes = [mode for mode in rule.capabilities if mode in set(HVACMode)]
        self._attr_hvac_modes = [
            *([HVACMode.OFF] if rule.can_turn_off else ()),
            *map(HVACMode, self._modes),
        ]
        self._state = self._thermostat.fitted
        self._update_off_issue()

    def _update_off_issue(self) -> None:
        """Update the repair issue about a device that was taught without *Off*."""
        if self.hass is not None and self.device.entity is not None:
            is_missing = isinstance(self.device.rule, Taught) and not self._rule.can_turn_off
            devices = self.use.devices
            async_update_off_issue(self.hass, devices, self.device, is_missing=is_missing)

    @override
    def _show(self) -> None:
        thermostat, is_on = self._thermostat, self._is_turned_on
        state, levels = thermostat.shown, thermostat.levels
        features = ClimateEntityFeature(0)
        if HVACMode.OFF in self._attr_hvac_modes:
            features |= ClimateEntityFeature.TURN_OFF
        if self._modes:
            features |= ClimateEntityFeature.TURN_ON
        if (limits := thermostat.limits) is not None:
            features |= ClimateEntityFeature.TARGET_TEMPERATURE
            self._limits = limits
        self._target_temperature = None if state is None else state.temperature
        self._attr_hvac_mode = HVACMode.OFF if is_on is False and self._modes else None
        if state is not None and levels is not None:
            if is_on:
                self._attr_hvac_mode = HVACMode(state.mode)
            if levels.fans:
                features |= ClimateEntityFeature.FAN_MODE
            if levels.swings:
                features |= ClimateEntityFeature.SWING_MODE
            if levels.presets:
                features |= ClimateEntityFeature.PRESET_MODE
            self._attr_fan_modes, self._attr_fan_mode = [*levels.fans], state.fan
            self._attr_swing_modes, self._attr_swing_mode = [*levels.swings], state.swing
            self._attr_preset_modes, self._attr_preset_mode = [*levels.presets], state.preset
        self._attr_supported_features = features
        self._attr_hvac_action = self._action

    @property
    def _thermostat(self) -> Thermostat:
        """Return the model of the air conditioner with its current state."""
        return Thermostat(
            rule=self._rule,
            modes=self._modes,
            state=self._state,
            is_on=self._is_turned_on,
            is_beyond=self._is_beyond,
            room=self._room,
            is_restored=self.settings.power_restores,
        )

    @property
    def _action(self) -> HVACAction | None:
        """Return the current action by power sensor and thermometer; None if unknown."""
        if self._watts is None or (mode := self._attr_hvac_mode) is None:
            return None
        if mode is HVACMode.OFF:
            return HVACAction.OFF
        if mode is HVACMode.FAN_ONLY:
            return HVACAction.FAN
        if self._watts < RUNNING_W:
            return HVACAction.IDLE
        measured, target = self._measured_temperature, self._target_temperature
        if mode in _ACTIONS or measured is None or target is None:
            return _ACTIONS.get(mode)
        return HVACAction.COOLING if measured > target else HVACAction.HEATING

    @override
    @callback
    def _power_changed(self, _event: Event[EventStateChangedData] | None = None) -> None:
        super()._power_changed(_event)
        if self._is_turned_on is False and self._off_timer.at is not None:
            self._off_timer.end()
            self.async_write_ha_state()
        self._watts = watts_of(self.hass.states.get(self.settings.power_sensor or ""))
        self._action_changed()

    def _action_changed(self) -> None:
        if self._attr_hvac_action != self._action:
            self._attr_hvac_action = self._action
            self.async_write_ha_state()

    @property
    @override
    def target_temperature_step(self) -> float:
        """Return the step of the target temperature, in Home Assistant's unit."""
        step = self._rule.capabilities.step or PRECISION_WHOLE
        return shown_step(step, self._unit, self.hass.config.units.temperature_unit)

    @property
    @override
    def min_temp(self) -> float:
        """Return the lowest temperature of the mode."""
        return min(self._limits[0], self._shown_limit(self._limits[0]))

    @property
    @override
    def max_temp(self) -> float:
        """Return the highest temperature of the mode."""
        return max(self._limits[1], self._shown_limit(self._limits[1]))

    def _shown_limit(self, limit: float) -> float:
        return shown_limit(limit, self._unit, self.hass.config.units.temperature_unit)

    @property
    @override
    def _attributes(self) -> dict[str, Any]:
        """Return the state as JSON, for restoring it."""
        if self._state is None:
            return {}
        return asdict(self._state) | ({_BEYOND: True} if self._is_beyond else {})

    @_attributes.setter
    def _attributes(self, attributes: Mapping[str, Any]) -> None:
        self._state, self._is_beyond = kept_state(attributes), attributes.get(_BEYOND) is True

    @override
    @callback
    def _remote_pressed(self, received: Sequence[str | State | Off]) -> None:
        super()._remote_pressed(received)
        state = state_of_press(self._rule, received)
        if state is not None and not self.settings.events:  # else its event entity sends it
            unit = self._rule.capabilities.unit
            received_now = received_attributes(self.hass, state, unit)
            async_send_received(self.hass, self.device.id, received_now)

    @override
    @callback
    def _pressed(self, received: Sequence[str | State | Off]) -> None:
        match self._thermostat.received(received):
            case Off():
                self._update_state(on=False)
            case State() as state:
                self._state = state
                self._is_beyond = self._thermostat.cannot_send(state)
                self._update_state(on=True)
            case None:
                super()._pressed(received)

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        """Turn it off, or on in a mode; other settings are kept."""
        if hvac_mode is HVACMode.OFF:
            await self._set(on=False)
        else:
            await self._set(on=True, mode=str(hvac_mode))

    @override
    async def async_turn_on(self) -> None:
        """Turn it on in its last state."""
        await self._set(on=True)

    @override
    async def async_turn_off(self) -> None:
        """Turn it off."""
        await self._set(on=False)

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the temperature, and the mode if it is given."""
        mode: HVACMode | None = kwargs.get(ATTR_HVAC_MODE)
        if mode is HVACMode.OFF:
            await self._set(on=False)
            return
        changes: Changes = {} if mode is None else {"mode": str(mode)}
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

    @property
    @override
    def possible(self) -> Mapping[str, Fields]:
        return {HVACMode.OFF.value: {}, **{mode: self._fields_in(mode) for mode in self._modes}}

    @property
    @override
    def assumed(self) -> str | None:
        if self._is_turned_on and (shown := self._thermostat.shown) is not None:
            return shown.mode
        return HVACMode.OFF.value if self._is_turned_on is False else None

    def _fields_in(self, mode: str) -> Fields:
        levels, unit = self._rule.capabilities[mode], self.hass.config.units.temperature_unit
        degrees = (shown_degrees(degrees, self._unit, unit) for degrees in levels.temperatures)
        fields: dict[str, Sequence[Value]] = {
            ATTR_TEMPERATURE: [*dict.fromkeys(degrees)],
            ATTR_FAN_MODE: levels.fans,
            ATTR_SWING_MODE: levels.swings,
            ATTR_PRESET_MODE: levels.presets,
        }
        return {field: values for field, values in fields.items() if values}

    @callback
    @override
    def _correct(self, state: str | None, fields: Mapping[str, Value]) -> None:
        self._sent = None  # the sent state is not the actual one
        if state == HVACMode.OFF:
            self._off_timer.end()
            super()._update_state(on=False)
            return
        before = self._thermostat.shown or self._rule.usual
        corrected = self._rule.after(before, self._changes(state or before.mode, fields))
        if self._rule.find(corrected) is None:
            raise self._no_state(corrected)
        self._state, self._is_beyond = corrected, False
        super()._update_state(on=True)

    async def async_reach(self, state: State) -> None:
        """Turn it on in a state."""
        changes = {name: value for name, value in asdict(state).items() if value is not None}
        await self._set(on=True, **changes)

    async def async_save_favourite(self, name: str) -> None:
        """Save its current state as a favourite. Raise UserError if the state is unknown."""
        if (state := self._state) is None:
            raise UserError("no_state_known", entity_id=self.entity_id)
        await favourites.async_save(self.use.devices, self.device, name, state)

    async def async_delete_favourite(self, name: str) -> None:
        """Delete a favourite. Raise UserError if there is none of that name."""
        await favourites.async_delete(self.use.devices, self.device, name)

    async def async_turn_off_in(self, duration: timedelta) -> None:
        """Turn it off after a duration; 0 cancels that. Raise UserError if it is already off."""
        if duration and self._is_turned_on is False:
            raise UserError("already_off", entity_id=self.entity_id)
        self._off_timer.start(self.hass, duration)
        self.async_write_ha_state()

    @property
    @override
    def extra_state_attributes(self) -> dict[str, str] | None:
        """Return the time at which it will be turned off, if any."""
        at = self._off_timer.at
        return None if at is None else {ATTR_OFF_AT: at.isoformat()}

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData:
        return RestoredExtraData(
            {**super().extra_restore_state_data.as_dict(), **(self.extra_state_attributes or {})}
        )

    @override
    @callback
    def _update_state(self, *, on: bool | None = None, **attributes: object) -> None:
        self._off_timer.end()  # a new state cancels the timer
        super()._update_state(on=on, **attributes)

    @override
    @callback
    def _hub_changed(self) -> None:
        super()._hub_changed()
        if self._attr_available:
            self._off_timer.catch_up()

    async def _set(self, *, on: bool | None = None, **changes: Unpack[Changes]) -> None:
        """Change the state; while it is off, changes are only remembered. Raise as `Hub.transmit`.

        Changes of one context in quick succession are sent as one packet, and later changes of the
        context that have no effect are not sent.
        """
        context = self._context or Context()
        change = _RequestedChange(
            on=on,
            changes=changes,
            upcoming=self._upcoming_changes(context),
            silences=self._hub.silences,
        )
        if not self._was_just_sent(context, change):
            await self._batches.carry_out(self.hass, context, change)

    def _was_just_sent(self, context: Context, change: _RequestedChange) -> bool:
        """Return whether this context has just sent a state that includes a change."""
        if self._sent is None:
            return False
        context_id, sent_at = self._sent
        if context_id != context.id or self.hass.loop.time() - sent_at > SENT_RECENTLY_S:
            return False
        return self._thermostat.is_unchanged_by(change)

    async def _change(
        self, context: Context, changes: Sequence[_RequestedChange]
    ) -> list[UserError | None]:
        """Send the state that results from several changes; return the error of each change."""
        await self._take_over_from_remote()
        self._check_online_since(changes[0].silences)
        thermostat = self._thermostat
        result = thermostat.after(changes)
        errors = [
            None if impossible is None else self._no_state(impossible)
            for impossible in result.refused
        ]
        if result.is_refused:
            return errors
        self.async_set_context(context)
        if result.on is not None:
            sends = result.sends if result.on else self._turning_off(thermostat.base_state)
            await self._send(*sends)
            if self._reports is not None:
                self._reports.sent(thermostat.room)
            self._sent = context.id, self.hass.loop.time()
        self._state, self._is_beyond = result.state, False
        self.async_set_context(context)  # may have been replaced meanwhile
        self._update_state(on=result.on)
        return errors

    @property
    def _room(self) -> float | None:
        """Return the sensor's temperature in °C, if it is to be reported to the device."""
        if self._reports is None or (degrees := self._measured_temperature) is None:
            return None
        return TemperatureConverter.convert(degrees, self._unit, UnitOfTemperature.CELSIUS)

    def _room_to_report(self) -> float | None:
        return None if self._thermostat.report is None else self._room

    async def _report_room(self) -> None:
        async with self._changing():
            if (report := self._thermostat.report) is not None:  # it may be off by now
                await self._send(report)

    def _no_state(self, state: State) -> UserError:
        """Return the error for a state that cannot be sent, with the nearest states."""
        unit = self._rule.capabilities.unit
        return UserError(
            "no_state",
            entity_id=self.entity_id,
            state=StateText(state, unit=unit),
            nearest=StateText(*self._rule.nearest(state), unit=unit),
        )

    def _turning_off(self, state: State | None) -> Sequence[Sends]:
        code = self._rule.off_in(None if state is None else state.mode)
        return self._switching(on=False) if code is None else [code]

    def _upcoming_changes(self, context: Context) -> Changes:
        """Return all changes of a scene that is being activated in this context."""
        scene = self._scenes.take(context)
        if scene is None or scene.state not in self._modes:
            return Changes()
        return self._changes(scene.state, scene.attributes)

    def _changes(self, mode: str, attributes: Mapping[str, object]) -> Changes:
        """Return the changes for a mode and Home Assistant's attributes."""
        changes = Changes(mode=mode)
        if isinstance(degrees := attributes.get(ATTR_TEMPERATURE), int | float):
            shown = self.hass.config.units.temperature_unit
            changes["temperature"] = TemperatureConverter.convert(degrees, shown, self._unit)
        if isinstance(fan := attributes.get(ATTR_FAN_MODE), str):
            changes["fan"] = fan
        if isinstance(swing := attributes.get(ATTR_SWING_MODE), str):
            changes["swing"] = swing
        if isinstance(preset := attributes.get(ATTR_PRESET_MODE), str):
            changes["preset"] = preset
        return changes

    @callback
    def _measured(self, _event: Event[EventStateChangedData]) -> None:
        self._read_sensors()
        self._attr_hvac_action = self._action
        self.async_write_ha_state()

    def _read_sensors(self) -> None:
        self._measured_temperature = self._measurement(self.settings.temperature_sensor)
        self._attr_current_humidity = self._measurement(self.settings.humidity_sensor)

    def _measurement(self, sensor: str | None) -> float | None:
        return None if sensor is None else measured(self.hass.states.get(sensor), self._unit)
