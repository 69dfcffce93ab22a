"""Discovery is switched on in the user interface, or by YAML."""

from typing import Any, override

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowResult,
    OptionsFlowWithReload,
)
from homeassistant.core import HomeAssistant, callback
import voluptuous as vol

from .const import CONF_DISCOVERY_PREFIX, DEFAULT_DISCOVERY_PREFIX, DOMAIN
from .prefix import is_cores
from .schema import discovery_prefix

TITLE = "MQTT Binary Sensor"


def _form(user_input: dict[str, Any] | None, default: str) -> vol.Schema:
    prefix = default if user_input is None else user_input[CONF_DISCOVERY_PREFIX]
    return vol.Schema({vol.Required(CONF_DISCOVERY_PREFIX, default=prefix): str})


def _check(
    hass: HomeAssistant, user_input: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the options and the errors, by field."""
    try:
        prefix = discovery_prefix(user_input[CONF_DISCOVERY_PREFIX])
    except vol.Invalid:
        return {}, {CONF_DISCOVERY_PREFIX: "invalid_prefix"}
    if is_cores(hass, prefix):
        return {}, {CONF_DISCOVERY_PREFIX: "prefix_of_core"}
    return {CONF_DISCOVERY_PREFIX: prefix}, {}


class MqttBinaryConfigFlow(ConfigFlow, domain=DOMAIN):
    """Asks for the discovery prefix."""

    VERSION = 1

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> MqttBinaryOptionsFlow:
        return MqttBinaryOptionsFlow()

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        errors: dict[str, str] = {}
        if user_input is not None:
            options, errors = _check(self.hass, user_input)
            if not errors:
                return self.async_create_entry(title=TITLE, data={}, options=options)
        return self.async_show_form(
            step_id="user",
            data_schema=_form(user_input, DEFAULT_DISCOVERY_PREFIX),  # type: ignore[arg-type]  # as in reload.py
            errors=errors,
        )

    async def async_step_import(self, import_data: dict[str, Any]) -> ConfigFlowResult:
        """Take what was checked with the YAML."""
        return self.async_create_entry(title=TITLE, data={}, options=import_data)


class MqttBinaryOptionsFlow(OptionsFlowWithReload):
    """Changes the discovery prefix."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the form, or take what was entered."""
        errors: dict[str, str] = {}
        if user_input is not None:
            options, errors = _check(self.hass, user_input)
            if not errors:
                return self.async_create_entry(data=options)
        return self.async_show_form(
            step_id="init",
            data_schema=_form(  # type: ignore[arg-type]  # as in reload.py
                user_input, self.config_entry.options[CONF_DISCOVERY_PREFIX]
            ),
            errors=errors,
        )
