"""The state of a sensor or binary sensor out of a text."""

from datetime import date, datetime

from homeassistant.components.sensor import SensorDeviceClass
from homeassistant.const import MAX_LENGTH_STATE_STATE
from homeassistant.util import dt as dt_util

# By value: older hosts have no `uptime`.
_POINTS_IN_TIME = ("timestamp", "uptime")
_YES = ("true", "on", "open", "yes")


class TooLongError(ValueError):
    """The text does not fit into a state."""

    def __init__(self, length: int) -> None:
        super().__init__(f"{length} characters do not fit into a state")
        self.length = length


def native_value(
    text: str, device_class: SensorDeviceClass | str | None
) -> str | date | datetime | None:
    """Return a sensor's value; None for "None", which is how templates print nothing.

    Raise ValueError that says what is wrong, without the text.
    """
    if text == "None":
        return None
    if device_class in _POINTS_IN_TIME:
        moment = dt_util.parse_datetime(text.strip())
        if moment is None or moment.tzinfo is None:
            raise ValueError("the value is no date and time with a time zone")
        return moment
    if device_class == SensorDeviceClass.DATE:
        moment = dt_util.parse_datetime(text.strip())
        day = moment.date() if moment else dt_util.parse_date(text.strip())
        if day is None:
            raise ValueError("the value is no date")
        return day
    if len(text) > MAX_LENGTH_STATE_STATE:
        raise TooLongError(len(text))
    return text


def is_on(text: str) -> bool:
    """Return a binary sensor's value: whole numbers but 0, and four words, are on, as in core."""
    try:
        return bool(int(text))
    except ValueError:
        return text.lower() in _YES
