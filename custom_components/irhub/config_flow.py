"""The dialogues' entry point, where Home Assistant looks for it; they stand in `dialogues/`."""

from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
    ConfigSubentryFlow,
)
from homeassistant.core import callback
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo

from .const import APPLIANCE, DOMAIN
from .dialogues.add import Search, async_discovered
from .dialogues.appliance import ApplianceFlow
from .dialogues.flow import PageFlow
from .dialogues.options import IrhubOptionsFlow
from .dialogues.reconfigure import Reconfigure
from .settings import NO_HUB

__all__ = ["IrhubConfigFlow"]


class IrhubConfigFlow(
    PageFlow[ConfigFlowContext, ConfigFlowResult, str], ConfigFlow, domain=DOMAIN
):
    """Adds a hub, or gives one another host."""

    VERSION = 1

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Add a hub."""
        return await self.async_begin("user", user_input, Search)

    @override
    async def async_step_dhcp(self, discovery_info: DhcpServiceInfo) -> ConfigFlowResult:
        """Offer a hub that has come into the network."""
        first = await async_discovered(self, discovery_info)
        return await self.async_begin("dhcp", None, lambda _flow: first)

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Give a hub another host."""
        entry_id = str(self.context["entry_id"])
        entry = self.hass.config_entries.async_get_entry(entry_id)
        if entry is not None and entry.unique_id == str(NO_HUB):
            return self.async_abort(reason="reconfigure_without_hub")
        return await self.async_begin(
            "reconfigure", user_input, lambda flow: Reconfigure(flow, entry_id)
        )

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
