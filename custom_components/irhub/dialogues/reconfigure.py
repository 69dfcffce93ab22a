"""Change the host of a hub."""

from dataclasses import dataclass
from typing import override

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_HOST, CONF_MAC, CONF_PORT
from homeassistant.data_entry_flow import AbortFlow

from ..entry import async_reload_soon
from ..errors import WrongDeviceError
from ..hub.probe import identify
from ..schema import host_and_port
from ..settings import Mac, host_label
from .add import HOST_FIELDS
from .page import Answers, EndPage, Page, Shown


@dataclass(repr=False)
class ReconfigurePage(Page):
    """Asks for the host of a hub, and checks that this hub answers there."""

    entry_id: str

    @override
    async def show(self) -> Shown:
        entry = self._entry
        suggested = {CONF_HOST: host_label(entry.data[CONF_HOST], entry.data[CONF_PORT])}
        return await self.form("reconfigure", HOST_FIELDS, suggested, name=entry.title)

    @override
    async def submit(self, answers: Answers) -> Page:
        host, port = host_and_port(answers[CONF_HOST])
        mac = (await identify(host, port)).mac.hex()
        entry = self._entry
        if mac != (expected := entry.data[CONF_MAC]):
            raise WrongDeviceError(
                "wrong_device",
                hub=host_label(host, port),
                expected=Mac(expected).label,
                found=Mac(mac).label,
            )
        data = {**entry.data, CONF_HOST: host, CONF_PORT: port}
        self.hass.config_entries.async_update_entry(entry, data=data)
        async_reload_soon(self.hass, entry)
        return EndPage(self, "reconfigure_successful")

    @property
    def _entry(self) -> ConfigEntry:
        """Return the hub's entry. Raise AbortFlow if it was removed in the meantime."""
        if (entry := self.hass.config_entries.async_get_entry(self.entry_id)) is None:
            raise AbortFlow("removed")
        return entry
