"""What every step of the options has: the hub, its learned commands, forms with errors."""

from abc import ABC, abstractmethod
from typing import Any

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowResult,
    OptionsFlowWithReload,
)
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)

from ..codes.codes import Codes
from ..entry import IrhubConfigEntry
from ..hub.hub import Hub


class OptionsStep(OptionsFlowWithReload, ABC):
    """A step of the options of one hub."""

    @property
    def _entry(self) -> IrhubConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it was unloaded or removed meanwhile."""
        entry: IrhubConfigEntry | None = self.hass.config_entries.async_get_entry(self.handler)
        if entry is None or entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("not_loaded")
        return entry

    @property
    def _hub(self) -> Hub:
        return self._entry.runtime_data.hub

    @property
    def _codes(self) -> Codes:
        return self._entry.runtime_data.codes

    @abstractmethod
    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what can be done with the hub."""

    def _show_done(self, step_id: str, *, again: str, **placeholders: str) -> ConfigFlowResult:
        """Say that something is done, and offer to do it again, or something else."""
        return self.async_show_menu(
            step_id=step_id,
            menu_options=[again, "init", "finish"],
            description_placeholders=placeholders,
        )

    def _device_selector(self) -> SelectSelector:
        """Return a field for a device that is there or a new one."""
        return SelectSelector(
            SelectSelectorConfig(
                options=sorted(self._codes.commands),
                custom_value=True,
                mode=SelectSelectorMode.DROPDOWN,
            )
        )
