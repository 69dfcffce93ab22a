"""The dialogues' entry point, where Home Assistant looks for it; they stand in `dialogues/`."""

from typing import override

from homeassistant.config_entries import ConfigEntry, ConfigSubentryFlow
from homeassistant.core import callback

from .const import APPLIANCE, DOMAIN
from .dialogues.add import AddFlow
from .dialogues.appliance import ApplianceFlow
from .dialogues.options import IrhubOptionsFlow
from .dialogues.reconfigure import ReconfigureFlow

__all__ = ["IrhubConfigFlow"]


class IrhubConfigFlow(AddFlow, ReconfigureFlow, domain=DOMAIN):
    """Adds a hub, or gives one another host."""

    VERSION = 1

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> IrhubOptionsFlow:
        return IrhubOptionsFlow()

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        return {APPLIANCE: ApplianceFlow}
