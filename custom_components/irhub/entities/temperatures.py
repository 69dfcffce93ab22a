"""Conversion of temperatures between the units of codes, of Home Assistant and of sensors.

`of_codes` is the unit of an air conditioner's codes, `shown` the one that Home Assistant shows.
"""

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
    """Return the step of the target temperature in the shown unit.

    Home Assistant converts temperatures but not steps: a step of 1 °C is one of 2 °F.
    """
    if of_codes == shown:
        return step
    if shown == UnitOfTemperature.FAHRENHEIT:
        return max(PRECISION_WHOLE, float(round(step * F_PER_C)))
    return max(PRECISION_HALVES, round(step / F_PER_C / PRECISION_HALVES) * PRECISION_HALVES)


def shown_limit(limit: float, of_codes: str, shown: str) -> float:
    """Return a limit in the unit of the codes, rounded in the shown unit if that differs."""
    return TemperatureConverter.convert(shown_degrees(limit, of_codes, shown), shown, of_codes)


def shown_degrees(degrees: float, of_codes: str, shown: str) -> float:
    """Return a temperature of the codes in the shown unit, rounded if the unit differs."""
    if of_codes == shown:
        return degrees
    digits = 0 if shown == UnitOfTemperature.FAHRENHEIT else 1
    return round(TemperatureConverter.convert(degrees, of_codes, shown), digits)


def measured(state: HassState | None, of_codes: str) -> float | None:
    """Return the value of a sensor, a temperature in the unit of the codes; None if unknown."""
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
