"""Time periods in YAML."""

from datetime import timedelta

from homeassistant.helpers import config_validation as cv
import voluptuous as vol


def period(value: object) -> timedelta:
    """Return a time period: seconds, "HH:MM:SS" or a map of units. Raise vol.Invalid."""
    try:
        result: timedelta = cv.time_period(value)
    except OverflowError as err:
        raise vol.Invalid("the time is too long; an example is 30, in seconds") from err
    return result
