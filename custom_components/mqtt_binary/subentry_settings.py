"""The settings of a sensor from a subentry."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.const import CONF_UNIQUE_ID

from . import const
from .schema import SENSOR_SCHEMA
from .settings import Settings

_BESIDE: Final = {const.CONF_ANNOUNCED, const.CONF_REPLACES}


def settings_of(data: Mapping[str, Any], subentry_id: str) -> Settings:
    """Return the settings of a sensor from form or subentry data. Raise vol.Invalid."""
    config = {key: value for key, value in data.items() if key not in _BESIDE}
    return Settings.from_config(SENSOR_SCHEMA({**config, CONF_UNIQUE_ID: subentry_id}))
