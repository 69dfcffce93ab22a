"""Config flow of the entry, which holds discovery and the sensors of the user interface."""

import logging
from typing import Any, Final, override

from homeassistant.config_entries import (
    SOURCE_IMPORT,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlowWithReload,
)
from homeassistant.core import HomeAssistant, callback
import voluptuous as vol

from ._common.markdown import EscapedPages
from .const import CONF_DISCOVERY_PREFIX, DEFAULT_DISCOVERY_PREFIX, DOMAIN, SUBENTRY_SENSOR
from .discovery.prefix import is_cores
from .schema import discovery_prefix
from .sensor_flow import SensorFlow

_LOGGER = logging.getLogger(__name__)

TITLE: Final = "MQTT Binary Sensor"


async def async_import(hass: HomeAssistant, config: dict[str, Any]) -> None:
    """Create the config entry of `mqtt_binary:` in YAML, or update the existing one."""
    if is_cores(hass, prefix := config[CONF_DISCOVERY_PREFIX]):
        _LOGGER.error(
            "%s: in YAML: core's MQTT discovery listens under %r too; choose another %s",
            DOMAIN,
            prefix,
            CONF_DISCOVERY_PREFIX,
        )
        return
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.options.get(CONF_DISCOVERY_PREFIX) != prefix:
            hass.config_entries.async_update_entry(entry, options=config)
            if entry.state is ConfigEntryState.LOADED:
                hass.config_entries.async_schedule_reload(entry.entry_id)
        return
    await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_IMPORT}, data=config
    )


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


class MqttBinaryConfigFlow(
    EscapedPages[ConfigFlowContext, ConfigFlowResult, str], ConfigFlow, domain=DOMAIN
):
    """Asks for the discovery prefix."""

    VERSION = 1

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> MqttBinaryOptionsFlow:
        return MqttBinaryOptionsFlow()

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        return {SUBENTRY_SENSOR: SensorFlow}

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        errors: dict[str, str] = {}
        if user_input is not None:
            options, errors = _check(self.hass, user_input)
            if not errors:
                return self.async_create_entry(title=TITLE, data={}, options=options)
        return self.async_show_form(
            step_id="user",
            data_schema=_form(user_input, DEFAULT_DISCOVERY_PREFIX),
            errors=errors,
        )

    async def async_step_import(self, import_data: dict[str, Any]) -> ConfigFlowResult:
        """Create the entry from YAML, which is validated already."""
        return self.async_create_entry(title=TITLE, data={}, options=import_data)


class MqttBinaryOptionsFlow(
    EscapedPages[ConfigFlowContext, ConfigFlowResult, str], OptionsFlowWithReload
):
    """Changes the discovery prefix."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the form, or save its input."""
        errors: dict[str, str] = {}
        if user_input is not None:
            options, errors = _check(self.hass, user_input)
            if not errors:
                return self.async_create_entry(data=options)
        return self.async_show_form(
            step_id="init",
            data_schema=_form(user_input, self.config_entry.options[CONF_DISCOVERY_PREFIX]),
            errors=errors,
        )
