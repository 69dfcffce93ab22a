"""States received from the remote control of an air conditioner, for automations."""

from collections.abc import Mapping
from typing import Final

from homeassistant.components.climate import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_FAN_MODE,
    ATTR_HVAC_MODE,
    ATTR_PRESET_MODE,
    ATTR_SWING_MODE,
    HVACMode,
)
from homeassistant.const import ATTR_TEMPERATURE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_send

from ..const import DOMAIN
from ..ircodes import Off, State
from .temperatures import shown_degrees

ATTR_MODE: Final = "mode"

type Received = Mapping[str, str | float]
"""Attributes with Home Assistant's names; settings that a press does not contain are omitted."""


def received_attributes(hass: HomeAssistant, state: State | Off, unit: str | None) -> Received:
    """Return a received state as attributes, with the temperature in Home Assistant's unit.

    `unit` is the unit of the codes, C or F. A mode that Home Assistant does not have is given as
    `mode` in place of `hvac_mode`.
    """
    if isinstance(state, Off):
        return {ATTR_HVAC_MODE: HVACMode.OFF.value}
    is_known = state.mode in set(HVACMode)
    degrees = state.temperature
    if degrees is not None:
        degrees = shown_degrees(degrees, f"°{unit or 'C'}", hass.config.units.temperature_unit)
    values = {
        ATTR_HVAC_MODE if is_known else ATTR_MODE: state.mode,
        ATTR_TEMPERATURE: degrees,
        ATTR_FAN_MODE: state.fan,
        ATTR_SWING_MODE: state.swing,
        ATTR_PRESET_MODE: state.preset,
    }
    return {name: value for name, value in values.items() if value is not None}


@callback
def async_send_received(hass: HomeAssistant, device_id: str, received: Received) -> None:
    """Send a received state to the device triggers of a device."""
    async_dispatcher_send(hass, signal_received(device_id), received)


def signal_pressed(device_id: str) -> str:
    """Return the dispatcher signal for received commands of a device."""
    return f"{DOMAIN}_pressed_{device_id}"


def signal_received(device_id: str) -> str:
    """Return the dispatcher signal for received states of an air conditioner."""
    return f"{DOMAIN}_received_{device_id}"
