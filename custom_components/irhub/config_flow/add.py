"""Add a hub: found by broadcast or at a host, greeted, unlocked if need be."""

import asyncio
from typing import Any, Final, override

from homeassistant.config_entries import SOURCE_IGNORE, ConfigFlow, ConfigFlowResult
from homeassistant.const import CONF_HOST, CONF_MAC, CONF_PORT, CONF_TYPE, Platform
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
from homeassistant.util.network import is_ipv4_address
import voluptuous as vol

from ..const import DOMAIN
from ..entry import CONF_DEVICE_TYPE
from ..errors import HubError, HubLockedError
from ..hub.device_types import devtype_of
from ..hub.library import Device, capabilities, is_known, with_class_of
from ..hub.search import discover_devices
from ..hub.visit import greet, try_session, unlock
from ..schema import host_and_port, host_label, reverse_mac
from .form import show_form

CONF_UNLOCK: Final = "unlock"
BY_HOST: Final = "by_host"
"""Instead of a hub that was found."""
LOCK: Final = "\N{LOCK}"
LIKE: Final = {
    "rm_mini": "RM mini, RM mini 3",
    "rm2": "RM pro, RM plus",
    "rm4_mini": "RM4 mini, RM4C mini",
    "rm4_pro": "RM4 pro, RM4C pro",
    "a1": "A1",
    "sp2": "SP2, SP mini, SC1",
    "sp4": "SP4",
    "mp1": "MP1",
}
"""What an unknown device may be treated like: the `type` → what is printed on such devices."""
CORES_DOMAIN: Final = "broadlink"
HOST_SCHEMA: Final = vol.Schema({vol.Required(CONF_HOST): TextSelector()})
UNLOCK_SCHEMA: Final = vol.Schema({vol.Required(CONF_UNLOCK, default=True): BooleanSelector()})


class AddFlow(ConfigFlow):
    """Adds a hub."""

    def __init__(self) -> None:
        self._search: asyncio.Task[list[Device]] | None = None
        self._found: dict[str, Device] = {}
        self._device: Device
        self._host: str
        self._port: int
        self._like: str | None = None

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Look for hubs, in every network of this machine."""
        if self._search is None:
            self._search = self.hass.async_create_background_task(
                discover_devices(self.hass), "irhub: look for hubs"
            )
        if not self._search.done():
            return self.async_show_progress(
                step_id="user", progress_action="search", progress_task=self._search
            )
        there = self._async_current_ids(include_ignore=False)
        self._found = {
            device.mac.hex(): device
            for device in self._search.result()
            if device.mac.hex() not in there and (capabilities(device) or not is_known(device))
        }
        return self.async_show_progress_done(next_step_id="choose" if self._found else "host")

    async def async_step_choose(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose one of the hubs that were found, or another one."""
        error: HubError | None = None
        if user_input is not None:
            if (mac := user_input[CONF_MAC]) == BY_HOST:
                return await self.async_step_host()
            try:
                return await self._meet(*self._found[mac].host)
            except HubError as err:
                error = err
        hubs = [
            SelectOptionDict(value=mac, label=_label(device))
            for mac, device in sorted(self._found.items())
        ]
        selector = SelectSelector(
            SelectSelectorConfig(
                options=[*hubs, SelectOptionDict(value=BY_HOST, label=BY_HOST)],
                mode=SelectSelectorMode.LIST,
                translation_key="found_hub",
            )
        )
        schema = vol.Schema({vol.Required(CONF_MAC, default=hubs[0]["value"]): selector})
        return await show_form(self, "choose", schema, error=error)

    async def async_step_host(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Enter a host, and greet who answers there."""
        error: HubError | vol.Invalid | None = None
        if user_input is not None:
            try:
                return await self._meet(*host_and_port(user_input[CONF_HOST]))
            except (HubError, vol.Invalid) as err:
                error = err
        return await show_form(self, "host", HOST_SCHEMA, user_input, error=error)

    @override
    async def async_step_dhcp(self, discovery_info: DhcpServiceInfo) -> ConfigFlowResult:
        """Follow a hub to the address that the router has given it."""
        await self.async_set_unique_id(discovery_info.macaddress)
        by_address = {CONF_HOST: discovery_info.ip} if self._has_address() else None
        self._abort_if_unique_id_configured(updates=by_address)
        return self.async_abort(reason="not_added")

    def _has_address(self) -> bool:
        """Say if the hub's entry has an address; a name is for the name server to follow."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(
            DOMAIN, str(self.unique_id)
        )
        return entry is not None and is_ipv4_address(entry.data.get(CONF_HOST, ""))

    async def _meet(self, host: str, port: int) -> ConfigFlowResult:
        """Go on with the device at a host. Raise HubError if none answers."""
        device = self._device = await greet(host, port)
        self._host, self._port = host, port
        await self.async_set_unique_id(device.mac.hex(), raise_on_progress=False)
        self._abort_if_unique_id_configured(updates={CONF_HOST: self._host, CONF_PORT: self._port})
        if not is_known(device):
            return await self.async_step_like()
        if not capabilities(device):
            return self.async_abort(
                reason="not_supported", description_placeholders=self._placeholders
            )
        return await self.async_step_session()

    async def async_step_like(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose what a device of an unknown model is to be treated like."""
        if user_input is not None:
            self._like = user_input[CONF_TYPE]
            self._device = with_class_of(self._device, devtype_of(self._like))
            return await self.async_step_session()
        options = [SelectOptionDict(value=name, label=label) for name, label in LIKE.items()]
        selector = SelectSelector(SelectSelectorConfig(options=options))
        schema = vol.Schema({vol.Required(CONF_TYPE): selector})
        return await show_form(self, "like", schema, placeholders=self._placeholders)

    async def async_step_session(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Open a session, which shows that the hub will do what it is told."""
        try:
            await try_session(self._device)
        except HubLockedError:
            return await self.async_step_locked()
        except HubError as err:
            return await show_form(
                self, "session", vol.Schema({}), error=err, placeholders=self._placeholders
            )
        return await self.async_step_unlock() if self._device.is_locked else await self._finish()

    async def async_step_locked(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say how to unlock a hub that lets nobody in; then try again."""
        if user_input is not None:
            return await self.async_step_session()
        return self.async_show_form(step_id="locked", description_placeholders=self._placeholders)

    async def async_step_unlock(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Offer to unlock a hub that lets us in all the same."""
        error: HubError | None = None
        if user_input is not None:
            try:
                if user_input[CONF_UNLOCK]:
                    await unlock(self._device)
            except HubError as err:
                error = err
            else:
                return await self._finish()
        return await show_form(
            self, "unlock", UNLOCK_SCHEMA, error=error, placeholders=self._placeholders
        )

    async def _finish(self) -> ConfigFlowResult:
        if self._is_cores():
            return await self.async_step_shared()
        return self._create()

    def _is_cores(self) -> bool:
        """Say if Home Assistant's own Broadlink integration has this hub."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(
            CORES_DOMAIN, self._device.mac.hex()
        )
        return entry is not None and entry.source != SOURCE_IGNORE

    async def async_step_shared(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Say that two integrations will use the hub."""
        if user_input is not None:
            return self._create()
        return self.async_show_form(step_id="shared", description_placeholders=self._placeholders)

    def _create(self) -> ConfigFlowResult:
        self._abort_if_unique_id_configured()  # another dialogue, or a second click, was faster
        device = self._device
        data: dict[str, str | int] = {
            CONF_HOST: self._host,
            CONF_PORT: self._port,
            CONF_MAC: device.mac.hex(),
            CONF_DEVICE_TYPE: device.devtype,
        }
        if self._like is not None:
            data[CONF_TYPE] = self._like
        return self.async_create_entry(title=self._name_in_yaml() or _name(device), data=data)

    def _name_in_yaml(self) -> str | None:
        """Return how YAML calls the hub's remote, if it had one: so names stay what they were."""
        registry = er.async_get(self.hass)
        for mac in {self._device.mac.hex(), reverse_mac(self._device.mac.hex())}:
            if entity_id := registry.async_get_entity_id(Platform.REMOTE, DOMAIN, mac):
                return registry.entities[entity_id].original_name
        return None

    @property
    def _placeholders(self) -> dict[str, str]:
        device = self._device
        return {
            "name": _name(device),
            "model": _model(device),
            "host": host_label(self._host, self._port),
        }


def _name(device: Device) -> str:
    return device.name.strip() or _model(device)


def _model(device: Device) -> str:
    return device.model or f"0x{device.devtype:04x}"


def _label(device: Device) -> str:
    parts = [_name(device), _model(device), host_label(*device.host)]
    return " · ".join([*parts, LOCK] if device.is_locked else parts)
