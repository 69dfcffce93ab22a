"""Give a hub another host."""

from typing import Any

from homeassistant.config_entries import (
    ConfigEntry,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
    UnknownEntry,
)
from homeassistant.const import CONF_HOST, CONF_MAC, CONF_PORT
from homeassistant.data_entry_flow import AbortFlow
import voluptuous as vol

from .._common.markdown import EscapedPages
from ..entry import async_reload_soon
from ..errors import HubError, WrongDeviceError
from ..hub.probe import identify
from ..schema import host_and_port
from ..settings import Mac, host_label
from .add import HOST_SCHEMA
from .form import show_form


class ReconfigureFlow(EscapedPages[ConfigFlowContext, ConfigFlowResult, str], ConfigFlow):
    """Changes the host of a hub; it stays the same device."""

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Enter the host, and see that the hub answers there."""
        entry = self._hubs_entry()
        error: HubError | vol.Invalid | None = None
        if user_input is not None:
            try:
                host, port = host_and_port(user_input[CONF_HOST])
                device = await identify(host, port)
                if (mac := device.mac.hex()) != entry.data[CONF_MAC]:
                    raise WrongDeviceError(
                        "wrong_device",
                        hub=host_label(host, port),
                        expected=Mac(entry.data[CONF_MAC]).label,
                        found=Mac(mac).label,
                    )
            except (HubError, vol.Invalid) as err:
                error = err
            else:
                entry = self._hubs_entry()
                done = self.async_update_and_abort(
                    entry,
                    data_updates={CONF_HOST: host, CONF_PORT: port},
                    reason="reconfigure_successful",  # without it, some hosts show their own text
                )
                async_reload_soon(self.hass, entry)
                return done
        suggested = user_input or {
            CONF_HOST: host_label(entry.data[CONF_HOST], entry.data[CONF_PORT])
        }
        return await show_form(
            self,
            "reconfigure",
            HOST_SCHEMA,
            suggested,
            error=error,
            placeholders={"name": entry.title},
        )

    def _hubs_entry(self) -> ConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it was removed meanwhile."""
        try:
            return self._get_reconfigure_entry()
        except UnknownEntry as err:
            raise AbortFlow("removed") from err
