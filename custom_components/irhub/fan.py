"""The fan platform."""

from collections.abc import Mapping
from typing import Any, Final, override

from homeassistant.components.fan import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_DIRECTION,
    ATTR_OSCILLATING,
    ATTR_PERCENTAGE,
    ATTR_PRESET_MODE,
    DIRECTION_FORWARD,
    DIRECTION_REVERSE,
    PLATFORM_SCHEMA as FAN_PLATFORM_SCHEMA,
    FanEntity,
    FanEntityFeature,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
from homeassistant.util.percentage import (
    ordered_list_item_to_percentage,
    percentage_to_ordered_list_item,
)

from .devices.kinds import Kind
from .devices.name_parsing import values
from .entities.correcting import Fields, Value
from .entities.device_entity import DeviceEntity
from .entities.device_setup import async_add_from_entry
from .entities.use import IrhubConfigEntry
from .yaml.appliances import async_add_from_yaml
from .yaml.device_schema import device_schema

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = device_schema(FAN_PLATFORM_SCHEMA)

_SPEED: Final = "speed"
_DIRECTION: Final = "direction"
_PRESET: Final = "preset"
_OSCILLATING: Final = "oscillating"


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the fan of a YAML entry."""
    await async_add_from_yaml(hass, config, async_add_entities, Kind.FAN, Fan)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the fans among the devices of a hub."""
    await async_add_from_entry(entry, async_add_entities, Platform.FAN, Fan)


class Fan(DeviceEntity, FanEntity):
    """A fan with speeds as percentages; the direction is part of a speed's command, or a button."""

    @override
    def _commands_changed(self) -> None:
        functions = self._profile.functions
        self._speeds = [*self._profile.speeds]
        self._turns = bool(values(functions, DIRECTION_REVERSE))
        features = FanEntityFeature.TURN_ON
        if functions.keys() & {"off", "toggle"}:
            features |= FanEntityFeature.TURN_OFF
        if self._speeds:
            features |= FanEntityFeature.SET_SPEED
            self._attr_speed_count = len(self._speeds)
        if self._turns or "reverse" in functions:
            features |= FanEntityFeature.DIRECTION
        if "oscillate" in functions:
            features |= FanEntityFeature.OSCILLATE
        if presets := [*values(functions, _PRESET)]:
            features |= FanEntityFeature.PRESET_MODE
            self._attr_preset_modes = presets
        self._attr_supported_features = features

    @override
    def _show(self) -> None:
        attributes, speed = self._attributes, self._attributes.get(_SPEED)
        is_on = self._is_turned_on
        self._attr_percentage = None if is_on is None else 0
        if is_on and self._speeds:
            self._attr_percentage = None
            if speed in self._speeds:
                self._attr_percentage = ordered_list_item_to_percentage(self._speeds, str(speed))
        self._attr_preset_mode = attributes.get(_PRESET) if is_on else None
        self._attr_current_direction = attributes.get(_DIRECTION, DIRECTION_FORWARD)
        self._attr_oscillating = attributes.get(_OSCILLATING, False)

    @override
    def _effect_of(self, function: str) -> tuple[bool | None, dict[str, object]]:
        name, _, value = function.partition(" ")
        match name:
            case "oscillate":
                return None, {_OSCILLATING: not self._attributes.get(_OSCILLATING, False)}
            case "reverse" if not value:
                turned = self._attr_current_direction == DIRECTION_FORWARD
                return None, {_DIRECTION: DIRECTION_REVERSE if turned else DIRECTION_FORWARD}
            case "forward" | "reverse":
                return True, {_DIRECTION: name, _SPEED: value, _PRESET: None}
            case "speed":
                return True, {_SPEED: value, _PRESET: None}
            case "preset":
                return True, {_PRESET: value}
            case _:
                return super()._effect_of(function)

    @override
    def _fields(self, *, on: bool) -> Fields:
        fields: dict[str, list[Value]] = {}
        if self._speeds and on:
            fields[ATTR_PERCENTAGE] = [*self._percentages]
        if on and self._attr_supported_features & FanEntityFeature.PRESET_MODE:
            fields[ATTR_PRESET_MODE] = [*(self._attr_preset_modes or ())]
        if self._attr_supported_features & FanEntityFeature.DIRECTION:
            fields[ATTR_DIRECTION] = [DIRECTION_FORWARD, DIRECTION_REVERSE]
        if self._attr_supported_features & FanEntityFeature.OSCILLATE:
            fields[ATTR_OSCILLATING] = [True, False]
        return fields

    @override
    def _attributes_of(self, fields: Mapping[str, Value]) -> Mapping[str, object]:
        attributes: dict[str, object] = {}
        for field, value in fields.items():
            match field:
                case "percentage":
                    attributes |= {_SPEED: self._percentages[int(value)], _PRESET: None}
                case "preset_mode":
                    attributes[_PRESET] = value
                case _:
                    attributes[field] = value
        return attributes

    @property
    def _percentages(self) -> Mapping[int, str]:
        return {
            ordered_list_item_to_percentage(self._speeds, speed): speed for speed in self._speeds
        }

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether it is on, at any speed."""
        return self._is_turned_on

    @override
    async def async_turn_on(
        self, percentage: int | None = None, preset_mode: str | None = None, **kwargs: Any
    ) -> None:
        """Turn it on at a speed, in a preset, or in its last state."""
        if percentage == 0:
            await self.async_switch(on=False)
            return
        attributes: dict[str, object] = {_PRESET: preset_mode}
        as_it_was = percentage is None and preset_mode is None
        async with self._changing():
            commands = self._switching(on=True) if as_it_was or not self.is_on else []
            if preset_mode is not None:
                commands.append(self._command(f"{_PRESET} {preset_mode}"))
            elif self._speeds:
                speed = self._attributes.get(_SPEED)
                if percentage is not None:
                    speed = percentage_to_ordered_list_item(self._speeds, percentage)
                elif speed not in self._speeds:
                    speed = self._speeds[0]
                attributes[_SPEED] = speed
                commands.append(self._speed_command(str(speed), self._attr_current_direction))
            await self._send(*commands)
            self._update_state(on=True, **attributes)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn it off."""
        await self.async_switch(on=False)

    @override
    async def async_set_percentage(self, percentage: int) -> None:
        """Turn it on at a speed, or off."""
        await self.async_turn_on(percentage)

    @override
    async def async_set_preset_mode(self, preset_mode: str) -> None:
        """Turn it on in a preset."""
        await self.async_turn_on(preset_mode=preset_mode)

    @override
    async def async_set_direction(self, direction: str) -> None:
        """Change the direction; while it is off, this takes effect when it is turned on."""
        async with self._changing():
            commands: list[str] = []
            if direction == self._attr_current_direction:
                return
            if not self._turns:
                commands = [self._command(DIRECTION_REVERSE)]
            elif self._is_turned_on:
                speed = self._attributes.get(_SPEED)
                speed = speed if speed in self._speeds else self._speeds[0]
                commands = [self._speed_command(str(speed), direction)]
            await self._send(*commands)
            self._update_state(direction=direction)

    @override
    async def async_oscillate(self, oscillating: bool) -> None:
        """Send the toggle if the assumed state differs."""
        await self._toggle_to("oscillate", _OSCILLATING, oscillating)

    def _speed_command(self, speed: str, direction: str | None) -> str:
        """Return the id of a speed's command, for a direction if there is one for each."""
        functions = self._profile.functions
        for function in (f"{direction} {speed}", f"{_SPEED} {speed}"):
            if function in functions:
                return functions[function]
        return self._command(f"{direction} {speed}")
