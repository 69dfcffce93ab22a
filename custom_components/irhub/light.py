"""The light platform: lights with buttons for brighter, darker, warmer, colder and night."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, override

from homeassistant.components.light import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_BRIGHTNESS,
    ATTR_COLOR_TEMP_KELVIN,
    ATTR_EFFECT,
    PLATFORM_SCHEMA as LIGHT_PLATFORM_SCHEMA,
    ColorMode,
    LightEntity,
    LightEntityFeature,
)
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .devices.kinds import Kind
from .entities.correcting import Fields, Value
from .entities.device_entity import DeviceEntity
from .entities.device_setup import async_add_from_entry
from .entities.use import IrhubConfigEntry
from .yaml.appliances import async_add_from_yaml
from .yaml.device_schema import device_schema

PARALLEL_UPDATES = 0
PLATFORM_SCHEMA = device_schema(LIGHT_PLATFORM_SCHEMA)

NIGHT: Final = "night"
BRIGHTNESSES: Final = tuple(round(255 * step / 10) for step in range(1, 11))
"""Default steps of the brightness."""
KELVINS: Final = (2700, 3500, 4500, 5500, 6500)
"""Default steps of the colour temperature, in kelvin."""


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the light of a YAML entry."""
    await async_add_from_yaml(hass, config, async_add_entities, Kind.LIGHT, Light)


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the lights among the devices of a hub."""
    await async_add_from_entry(entry, async_add_entities, Platform.LIGHT, Light)


class Light(DeviceEntity, LightEntity):
    """A light whose brightness and colour temperature are changed in steps, one per command.

    They are unknown until they are set for the first time.
    """

    @override
    def _commands_changed(self) -> None:
        functions = self._profile.functions
        steps = self.device.steps
        self._brightnesses = steps.brightnesses or BRIGHTNESSES
        self._kelvins = steps.kelvins or KELVINS
        mode = ColorMode.ONOFF
        if {"brighten", "dim"} <= functions.keys():
            mode = ColorMode.BRIGHTNESS
            if {"colder", "warmer"} <= functions.keys():
                mode = ColorMode.COLOR_TEMP
                self._attr_min_color_temp_kelvin = self._kelvins[0]
                self._attr_max_color_temp_kelvin = self._kelvins[-1]
        self._attr_color_mode = mode
        self._attr_supported_color_modes = {mode}
        if NIGHT in functions:
            self._attr_supported_features = LightEntityFeature.EFFECT
            self._attr_effect_list = [NIGHT]

    @override
    def _show(self) -> None:
        self._attr_is_on = self._is_turned_on
        self._attr_effect = self._attributes.get(ATTR_EFFECT)
        if self._attr_color_mode is not ColorMode.ONOFF:
            self._attr_brightness = self._attributes.get(ATTR_BRIGHTNESS)
        if self._attr_color_mode is ColorMode.COLOR_TEMP:
            self._attr_color_temp_kelvin = self._attributes.get(ATTR_COLOR_TEMP_KELVIN)

    @override
    def _fields(self, *, on: bool) -> Fields:
        fields: dict[str, list[Value]] = {}
        if on and self._attr_color_mode is not ColorMode.ONOFF:
            fields[ATTR_BRIGHTNESS] = [*self._brightnesses]
        if on and self._attr_color_mode is ColorMode.COLOR_TEMP:
            fields[ATTR_COLOR_TEMP_KELVIN] = [*self._kelvins]
        if on and NIGHT in self._profile.functions:
            fields[ATTR_EFFECT] = [NIGHT]
        return fields

    @override
    def _attributes_of(self, fields: Mapping[str, Value]) -> Mapping[str, object]:
        return {ATTR_EFFECT: None, **fields}

    @override
    def _effect_of(self, function: str) -> tuple[bool | None, dict[str, object]]:
        match function:
            case "brighten" | "dim":
                up = function == "brighten"
                level = _stepped(self._brightnesses, self._attr_brightness, up=up)
                return None, {ATTR_BRIGHTNESS: level}
            case "colder" | "warmer":
                level = _stepped(
                    self._kelvins, self._attr_color_temp_kelvin, up=function == "colder"
                )
                return None, {ATTR_COLOR_TEMP_KELVIN: level}
            case "night":
                return True, {ATTR_EFFECT: NIGHT}
            case _:
                on, attributes = super()._effect_of(function)
                return on, {**attributes, ATTR_EFFECT: None}

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn it on, and step to the nearest brightness and colour temperature."""
        async with self._changing():
            commands = [] if self.is_on and kwargs else self._switching(on=True)
            if not kwargs and not commands and "toggle" not in self._profile.functions:
                self._command("on")  # raises, since there is no command to send
            attributes: dict[str, object] = {ATTR_EFFECT: kwargs.get(ATTR_EFFECT)}
            if (effect := kwargs.get(ATTR_EFFECT)) is not None:
                commands.append(self._command(effect if effect == NIGHT else f"effect {effect}"))
            if (target := kwargs.get(ATTR_BRIGHTNESS)) is not None:
                steps = self._steps(self._brightnesses, self.brightness, target, "dim", "brighten")
                attributes[ATTR_BRIGHTNESS], presses = steps
                commands += presses
            if (target := kwargs.get(ATTR_COLOR_TEMP_KELVIN)) is not None:
                steps = self._steps(
                    self._kelvins, self.color_temp_kelvin, target, "warmer", "colder"
                )
                attributes[ATTR_COLOR_TEMP_KELVIN], presses = steps
                commands += presses
            await self._send(*commands)
            self._update_state(on=True, **attributes)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn it off."""
        await self.async_switch(on=False)

    def _steps(
        self, levels: Sequence[int], now: int | None, target: int, down: str, up: str
    ) -> tuple[int, list[str]]:
        """Return the level nearest to the target, and the commands that lead to it.

        For the lowest or highest level, as many commands as there are levels are sent, which works
        from any actual level. From an unknown level the nearer end is reached first.
        """
        to, last = _next_to(levels, target), len(levels) - 1
        upwards, downwards = [self._command(up)] * last, [self._command(down)] * last
        at = None if now is None else _next_to(levels, now)
        if to == at:
            presses = []
        elif to == last:
            presses = upwards
        elif to == 0:
            presses = downwards
        elif at is None:
            over_top, over_bottom = upwards + downwards[: last - to], downwards + upwards[:to]
            presses = min(over_bottom, over_top, key=len)
        else:
            presses = upwards[: to - at] if to > at else downwards[: at - to]
        return levels[to], presses


def _stepped(levels: Sequence[int], now: int | None, *, up: bool) -> int | None:
    """Return the level after one step; None if the current level is unknown."""
    if now is None:
        return None
    at = _next_to(levels, now) + (1 if up else -1)
    return levels[min(max(at, 0), len(levels) - 1)]


def _next_to(levels: Sequence[int], target: int) -> int:
    return min(range(len(levels)), key=lambda index: abs(levels[index] - target))
