"""The dialogues: add and reconfigure a hub, its settings, its learned commands."""

from typing import override

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import callback

from ..const import DOMAIN
from .add import AddFlow
from .options import IrhubOptionsFlow
from .reconfigure import ReconfigureFlow

__all__ = ["IrhubConfigFlow"]


class IrhubConfigFlow(AddFlow, ReconfigureFlow, domain=DOMAIN):
    """Adds a hub, or gives one another host."""

    VERSION = 1

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> IrhubOptionsFlow:
        return IrhubOptionsFlow()
