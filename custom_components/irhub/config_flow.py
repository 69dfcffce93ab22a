"""The config, options and subentry flows; their pages are in `dialogues/`.

Home Assistant imports this module at its start. The pages, a fourth of the code, are imported when
a dialogue is opened.
"""

from types import ModuleType
from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
    SubentryFlowContext,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo

from .const import APPLIANCE, DOMAIN
from .dialogues.flow import PageFlow
from .ircodes import Content
from .settings import NO_HUB

__all__ = ["IrhubConfigFlow"]


class IrhubOptionsFlow(PageFlow[ConfigFlowContext, ConfigFlowResult, str], OptionsFlow):
    """Changes the settings and the commands of a hub."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the menu of the hub."""
        pages = await _pages(self.hass, "options")
        return await self.async_begin("init", user_input, pages.OverviewPage)


class ApplianceFlow(
    PageFlow[SubentryFlowContext, SubentryFlowResult, tuple[str, str]], ConfigSubentryFlow
):
    """Adds a device, or changes an existing one."""

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> SubentryFlowResult:
        """Add a device."""
        pages = await _pages(self.hass, "appliance")
        content = self.init_data if isinstance(self.init_data, Content) else None
        return await self.async_begin(
            "user", user_input, lambda flow: pages.ChooseKindPage(flow, content)
        )

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change an existing device."""
        pages, subentry = await _pages(self.hass, "appliance"), self._get_reconfigure_subentry()
        return await self.async_begin(
            "reconfigure", user_input, lambda flow: pages.ChangeDevicePage(flow, subentry)
        )


class IrhubConfigFlow(
    PageFlow[ConfigFlowContext, ConfigFlowResult, str], ConfigFlow, domain=DOMAIN
):
    """Adds a hub, or gives one another host."""

    VERSION = 1

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Add a hub."""
        pages = await _pages(self.hass, "add")
        return await self.async_begin("user", user_input, pages.SearchPage)

    @override
    async def async_step_dhcp(self, discovery_info: DhcpServiceInfo) -> ConfigFlowResult:
        """Offer a hub that was discovered by DHCP."""
        pages = await _pages(self.hass, "add")
        first = await pages.async_discovered(self, discovery_info)
        return await self.async_begin("dhcp", None, lambda _flow: first)

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the host of a hub."""
        entry_id = str(self.context["entry_id"])
        entry = self.hass.config_entries.async_get_entry(entry_id)
        if entry is not None and entry.unique_id == str(NO_HUB):
            return self.async_abort(reason="reconfigure_without_hub")
        pages = await _pages(self.hass, "reconfigure")
        return await self.async_begin(
            "reconfigure", user_input, lambda flow: pages.ReconfigurePage(flow, entry_id)
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


async def _pages(hass: HomeAssistant, name: str) -> ModuleType:
    """Return a module of pages."""
    return await async_import_module(hass, f"{__package__}.dialogues.{name}")
