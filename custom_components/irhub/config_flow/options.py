"""Configure a hub: an overview of what can be done, and the settings."""

from typing import Any, Final, override

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_SCAN_INTERVAL, CONF_TIMEOUT, UnitOfFrequency, UnitOfTime
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
)
import voluptuous as vol

from ..const import CONF_FREQUENCY, CONF_MIN_GAP, FREQUENCIES_MHZ
from ..errors import StorageFailedError
from ..hub.library import Capability
from ..schema import MAX_S
from .codes import CodesFlow
from .form import sentence
from .learn import LearnFlow

_UNPOLLED: Final = {
    Capability.TRANSMIT,
    Capability.LEARN,
    Capability.RADIO,
    Capability.MUTE_PLUG,
}
MAX_INTERVAL_S: Final = 24 * 60 * 60


def _number(lowest: float, highest: float, unit: str) -> NumberSelector:
    return NumberSelector(
        NumberSelectorConfig(
            min=lowest,
            max=highest,
            step="any",
            mode=NumberSelectorMode.BOX,
            unit_of_measurement=unit,
        )
    )


class IrhubOptionsFlow(LearnFlow, CodesFlow):
    """Changes what can be changed of a hub that is there: its settings and its commands."""

    @override
    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what can be done with the hub."""
        if not self._hub.can(Capability.LEARN):
            return await self.async_step_settings()
        try:
            await self._codes.load()
        except StorageFailedError as err:
            error = await sentence(self.hass, err)
            return self.async_abort(reason="failed", description_placeholders={"error": error})
        learned = bool(self._codes.commands)
        options = {
            "learn": True,
            "try_command": learned,
            "rename": learned,
            "delete": learned,
            "import_codes": True,
            "export_codes": learned,
            "settings": True,
        }
        return self.async_show_menu(
            step_id="init", menu_options=[step for step, shown in options.items() if shown]
        )

    async def async_step_settings(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change the settings; the hub is then set up anew."""
        options = self._entry.options
        if user_input is not None:
            return self.async_create_entry(data=user_input)
        return self.async_show_form(
            step_id="settings",
            data_schema=self.add_suggested_values_to_schema(self._settings(), options),
        )

    async def async_step_finish(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Close the dialogue; the settings stay."""
        return self.async_create_entry(data=self._entry.options)

    def _settings(self) -> vol.Schema:
        """Return the form of the settings that mean something for this hub."""
        can = self._hub.capabilities or frozenset()
        seconds = UnitOfTime.SECONDS
        fields = {vol.Optional(CONF_TIMEOUT): _number(0.1, MAX_S, seconds)}
        if Capability.TRANSMIT in can:
            fields[vol.Optional(CONF_MIN_GAP)] = _number(0, MAX_S, seconds)
        if can - _UNPOLLED:
            fields[vol.Optional(CONF_SCAN_INTERVAL)] = _number(1, MAX_INTERVAL_S, seconds)
        if Capability.RADIO in can:
            fields[vol.Optional(CONF_FREQUENCY)] = _number(
                *FREQUENCIES_MHZ, UnitOfFrequency.MEGAHERTZ
            )
        return vol.Schema(fields)
