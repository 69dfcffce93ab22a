"""Temperatures of air conditioners in the unit that Home Assistant shows, and those of sensors."""

from math import isfinite
from typing import Final

from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    PRECISION_HALVES,
    PRECISION_WHOLE,
    UnitOfTemperature,
)
from homeassistant.core import State as HassState
from homeassistant.util.unit_conversion import TemperatureConverter

F_PER_C: Final = 1.8


def shown_step(step: float, of_codes: str, shown: str) -> float:
    """Return by how much a temperature is changed in the unit that is shown.

    Home Assistant converts temperatures, not steps: 1 °C are two of its steps in Fahrenheit.
    """
    if of_codes == shown:
        return step
    if shown == UnitOfTemperature.FAHRENHEIT:
        return max(PRECISION_WHOLE, float(round(step * F_PER_C)))
    return max(PRECISION_HALVES, round(step / F_PER_C / PRECISION_HALVES) * PRECISION_HALVES)


def shown_limit(limit: float, of_codes: str, shown: str) -> float:
    """Return a limit as it is shown, rounded if in the other unit, in the codes' unit."""
    return TemperatureConverter.convert(shown_degrees(limit, of_codes, shown), shown, of_codes)


def shown_degrees(degrees: float, of_codes: str, shown: str) -> float:
    """Return a temperature of the codes in the unit that is shown, rounded if it is the other."""
    if of_codes == shown:
        return degrees
    digits = 0 if shown == UnitOfTemperature.FAHRENHEIT else 1
    return round(TemperatureConverter.convert(degrees, of_codes, shown), digits)


def measured(state: HassState | None, of_codes: str) -> float | None:
    """Return what a sensor measures; a temperature in the codes' unit. None if it says nothing."""
    if state is None:
        return None
    try:
        value = float(state.state)
    except ValueError:
        return None
    unit = state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
    if not isfinite(value):
        return None
    if unit in (UnitOfTemperature.CELSIUS, UnitOfTemperature.FAHRENHEIT):
        return TemperatureConverter.convert(value, unit, of_codes)
    return value
