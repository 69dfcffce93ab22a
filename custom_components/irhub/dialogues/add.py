"""Add a hub: found by broadcast or at a host, greeted, unlocked if need be."""

import asyncio
from typing import Any, Final, override

from homeassistant.config_entries import (
    SOURCE_IGNORE,
    ConfigFlow,
    ConfigFlowContext,
    ConfigFlowResult,
)
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

from .._common.markdown import EscapedPages
from ..const import DEFAULT_PORT, DOMAIN, PLATFORMS
from ..entry import CONF_DEVICE_TYPE
from ..errors import HubError, HubLockedError, HubRefusedError, IrhubError, UserError
from ..hub.device_types import devtype_of
from ..hub.library import (
    HubDevice,
    capabilities,
    is_known,
    model_of,
    nearest_type,
    same_class,
    with_class_of,
)
from ..hub.probe import identify, try_session, unlock
from ..hub.search import discover_devices
from ..schema import host_and_port
from ..settings import Mac, host_label
from ..yaml.hubs import DATA_YAML_HUBS
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
HOST_OR_NONE_SCHEMA: Final = vol.Schema({vol.Optional(CONF_HOST): TextSelector()})
UNLOCK_SCHEMA: Final = vol.Schema({vol.Required(CONF_UNLOCK, default=True): BooleanSelector()})


class AddFlow(EscapedPages[ConfigFlowContext, ConfigFlowResult, str], ConfigFlow):
    """Adds a hub."""

    def __init__(self) -> None:
        self._search: asyncio.Task[list[HubDevice]] | None = None
        self._found: dict[str, HubDevice] = {}
        self._device: HubDevice
        self._host: str
        self._port: int
        self._as_found: HubDevice
        self._like: str | None = None
        self._was_locked = False

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
        step = "choose" if self._found else "nothing_found"
        return self.async_show_progress_done(next_step_id=step)

    async def async_step_choose(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose one of the hubs that were found, or another one."""
        error: IrhubError | None = None
        if user_input is not None:
            mac = user_input.get(CONF_MAC)
            if mac == BY_HOST:
                return await self.async_step_host()
            try:
                if mac is None:
                    raise UserError("no_hub_chosen")
                await self._identify(*self._found[mac].host)
            except IrhubError as err:
                error = err
            else:
                return await self._go_on()
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
        schema = vol.Schema({vol.Optional(CONF_MAC): selector})
        return await show_form(self, "choose", schema, user_input, error=error)

    async def async_step_host(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Enter a host, and greet who answers there."""
        error: HubError | vol.Invalid | None = None
        if user_input is not None:
            try:
                await self._identify(*host_and_port(user_input[CONF_HOST]))
            except (HubError, vol.Invalid) as err:
                error = err
            else:
                return await self._go_on()
        step = "host" if self._found or user_input else "nothing_found"
        schema = HOST_SCHEMA if step == "host" else HOST_OR_NONE_SCHEMA
        return await show_form(self, step, schema, user_input, error=error)

    async def async_step_nothing_found(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Take a host, or look again without one."""
        if user_input is not None and not user_input.get(CONF_HOST, "").strip():
            self._search = None
            return await self.async_step_user()
        return await self.async_step_host(user_input)

    @override
    async def async_step_dhcp(self, discovery_info: DhcpServiceInfo) -> ConfigFlowResult:
        """Follow a hub to the address that the router has given it, or offer a new one."""
        await self.async_set_unique_id(discovery_info.macaddress)
        by_address = {CONF_HOST: discovery_info.ip} if self._has_address() else None
        self._abort_if_unique_id_configured(updates=by_address)
        mac = str(self.unique_id)
        if self._is_cores(mac) or self._is_in_yaml(mac):
            return self.async_abort(reason="not_added")
        try:
            await self._identify(discovery_info.ip, DEFAULT_PORT)
        except HubError:
            return self.async_abort(reason="not_added")
        if is_known(self._device) and not capabilities(self._device):
            return self._refuse()
        self.context["title_placeholders"] = self._placeholders
        return await self.async_step_discovered()

    async def async_step_discovered(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask whether the hub that has come into the network is to be added."""
        if user_input is not None:
            return await self._go_on()
        return self.async_show_form(
            step_id="discovered", description_placeholders=self._placeholders
        )

    def _has_address(self) -> bool:
        """Say if the hub's entry has an address; a name is for the name server to follow."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(
            DOMAIN, str(self.unique_id)
        )
        return entry is not None and is_ipv4_address(entry.data.get(CONF_HOST, ""))

    async def _identify(self, host: str, port: int) -> None:
        """Take the device that answers at a host. Raise HubError if none does."""
        device = self._device = self._as_found = await identify(host, port)
        self._host, self._port = host, port
        await self.async_set_unique_id(device.mac.hex(), raise_on_progress=False)
        self._abort_if_unique_id_configured(updates={CONF_HOST: self._host, CONF_PORT: self._port})

    async def _go_on(self) -> ConfigFlowResult:
        """Go on with the device that answered."""
        if not is_known(self._device):
            return await self.async_step_like()
        return await self.async_step_session() if capabilities(self._device) else self._refuse()

    def _refuse(self) -> ConfigFlowResult:
        return self.async_abort(reason="not_supported", description_placeholders=self._placeholders)

    async def async_step_like(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Choose what a device of an unknown model is to be treated like."""
        if user_input is not None:
            self._like = user_input[CONF_TYPE]
            self._device = with_class_of(self._as_found, devtype_of(self._like))
            return await self.async_step_session()
        return await self._show_like()

    async def _show_like(self, error: HubError | None = None) -> ConfigFlowResult:
        nearest = nearest_type(self._as_found.devtype)
        options = [SelectOptionDict(value=name, label=label) for name, label in LIKE.items()]
        selector = SelectSelector(SelectSelectorConfig(options=options))
        schema = vol.Schema({vol.Required(CONF_TYPE): selector})
        suggested = next((name for name in LIKE if same_class(devtype_of(name), nearest)), None)
        return await show_form(
            self,
            "like",
            schema,
            {CONF_TYPE: suggested if error is None else self._like},
            error=error,
            placeholders={**self._placeholders, "nearest": model_of(nearest)},
        )

    async def async_step_session(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Open a session, which shows that the hub will do what it is told."""
        try:
            await try_session(self._device, use=self._like is not None)
        except HubLockedError:
            return await self._show_locked()
        except HubRefusedError as err:
            if self._like is not None:
                return await self._show_like(err)
            return await self._show_session(err)
        except HubError as err:
            return await self._show_session(err)
        return await self.async_step_unlock() if self._device.is_locked else await self._finish()

    async def _show_session(self, error: HubError) -> ConfigFlowResult:
        return await show_form(
            self, "session", vol.Schema({}), error=error, placeholders=self._placeholders
        )

    async def _show_locked(self) -> ConfigFlowResult:
        """Say how to unlock a hub, or that it still is locked."""
        step, self._was_locked = "still_locked" if self._was_locked else "locked", True
        return self.async_show_form(step_id=step, description_placeholders=self._placeholders)

    async def async_step_locked(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Try again, once the user has unlocked the hub."""
        return await (self._show_locked() if user_input is None else self.async_step_session())

    async_step_still_locked = async_step_locked

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
        if self._is_cores(self._device.mac.hex()):
            return await self.async_step_shared()
        return self._create()

    def _is_cores(self, mac: str) -> bool:
        """Say if Home Assistant's own Broadlink integration has a hub."""
        entry = self.hass.config_entries.async_entry_for_domain_unique_id(CORES_DOMAIN, mac)
        return entry is not None and entry.source != SOURCE_IGNORE

    def _is_in_yaml(self, mac: str) -> bool:
        """Say if YAML names a hub."""
        uses = self.hass.data.get(DATA_YAML_HUBS)
        return uses is not None and len(uses.platforms_beside(Mac(mac))) < len(PLATFORMS)

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
        mac = Mac(self._device.mac.hex())
        for unique_id in (str(mac), str(mac.reversed)):
            if entity_id := registry.async_get_entity_id(Platform.REMOTE, DOMAIN, unique_id):
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


def _name(device: HubDevice) -> str:
    return device.name.strip() or _model(device)


def _model(device: HubDevice) -> str:
    return device.model or f"0x{device.devtype:04x}"


def _label(device: HubDevice) -> str:
    parts = [_name(device), _model(device), host_label(*device.host)]
    return " · ".join([*parts, LOCK] if device.is_locked else parts)
