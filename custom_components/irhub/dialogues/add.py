"""Add a hub: find it by broadcast or by its host, authenticate, and offer to unlock it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, cast, override

from homeassistant.config_entries import SOURCE_IGNORE, ConfigFlow
from homeassistant.const import CONF_HOST, CONF_MAC, CONF_PORT, CONF_TYPE, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.selector import BooleanSelector, TextSelector
from homeassistant.helpers.service_info.dhcp import DhcpServiceInfo
from homeassistant.util.network import is_ipv4_address
import voluptuous as vol

from ..const import DEFAULT_PORT, DOMAIN, PLATFORMS
from ..entry import CONF_DEVICE_TYPE
from ..errors import HubError, HubLockedError, HubRefusedError, UserError, common_texts
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
from .form import select
from .page import Answers, AnyFlow, EndPage, Fields, Page, ProgressPage, Shown
from .without_hub import WITHOUT_HUB, WithoutHubPage, is_offered

CONF_UNLOCK: Final = "unlock"
BY_HOST: Final = "by_host"
"""The option to enter a host instead of choosing a discovered hub."""
SIMILAR_MODELS: Final = {
    "rm_mini": "RM mini, RM mini 3",
    "rm2": "RM pro, RM plus",
    "rm4_mini": "RM4 mini, RM4C mini",
    "rm4_pro": "RM4 pro, RM4C pro",
    "a1": "A1",
    "sp2": "SP2, SP mini, SC1",
    "sp4": "SP4",
    "mp1": "MP1",
}
"""Models that an unknown device can be treated as: `type` → model names printed on them."""
CORE_DOMAIN: Final = "broadlink"
HOST_FIELDS: Final[Fields] = {vol.Required(CONF_HOST): TextSelector()}


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A hub that may be added."""

    original: HubDevice
    """The device as identified by its reply."""
    device: HubDevice
    """The same device, as the model that the user has chosen for it."""
    host: str
    port: int
    like: str | None = None
    """The `type` that a device of an unknown model is treated as."""

    @property
    def texts(self) -> dict[str, str]:
        """Return the placeholders of pages about this hub."""
        return {
            "name": _name(self.device),
            "model": _model(self.device),
            "host": host_label(self.host, self.port),
        }


class AddPage(Page):
    """A page on the way to a new hub."""

    @property
    def config_flow(self) -> ConfigFlow:
        """Return the config flow."""
        return cast(ConfigFlow, self.flow)

    async def identify(self, host: str, port: int) -> Candidate:
        """Return the device at a host. Raise HubError if none answers."""
        return await async_identify(self.config_flow, host, port)

    async def go_on(self, candidate: Candidate) -> Page:
        """Return the next page for a device that has answered."""
        if not is_known(candidate.device):
            return SimilarModelPage(self, candidate)
        if not capabilities(candidate.device):
            return EndPage(self, "not_supported", candidate.texts)
        return await self.open(candidate)

    async def open(self, candidate: Candidate) -> Page:
        """Open a session, which proves that the hub accepts commands."""
        page: Page
        try:
            await try_session(candidate.device, use=candidate.like is not None)
        except HubLockedError:
            return LockedPage(self, candidate)
        except HubError as err:
            is_refused = isinstance(err, HubRefusedError) and candidate.like is not None
            page = (SimilarModelPage if is_refused else SessionPage)(self, candidate)
            page.problem = err
            return page
        return UnlockPage(self, candidate) if candidate.device.is_locked else self.finish(candidate)

    def finish(self, candidate: Candidate) -> Page:
        """Add the hub; ask for confirmation if core's integration uses it, too."""
        if _is_used_by_core(self.hass, candidate.device.mac.hex()):
            return SharedHubPage(self, candidate)
        return CreateEntryPage(self, candidate)


class SearchPage(ProgressPage[list[HubDevice]], AddPage):
    """Searches for hubs in all networks of this machine."""

    step = "user"
    action = "search"

    @override
    async def work(self) -> list[HubDevice]:
        return await discover_devices(self.hass)

    @override
    async def next_page(self, result: list[HubDevice]) -> Page:
        configured_ids = {
            entry.unique_id
            for entry in self.hass.config_entries.async_entries(DOMAIN, include_ignore=False)
        }
        hubs = {
            device.mac.hex(): device
            for device in result
            if device.mac.hex() not in configured_ids
            and (capabilities(device) or not is_known(device))
        }
        return ChooseHubPage(self, hubs) if hubs else HostPage(self, is_found=False)


@dataclass(repr=False)
class ChooseHubPage(AddPage):
    """Asks which of the discovered hubs to add, or whether to add another one."""

    hubs: Mapping[str, HubDevice]

    @override
    async def show(self) -> Shown:
        locked = (await common_texts(self.hass))["locked_in_app"]
        labels = {mac: _label(device, locked) for mac, device in sorted(self.hubs.items())}
        labels[BY_HOST] = BY_HOST
        if is_offered(self.hass):
            labels[WITHOUT_HUB] = WITHOUT_HUB
        hubs = select(
            labels, as_list=True, label_of=labels.__getitem__, translation_key="found_hub"
        )
        return await self.form("choose", {vol.Optional(CONF_MAC): hubs})

    @override
    async def submit(self, answers: Answers) -> Page:
        mac = answers.get(CONF_MAC)
        if mac == BY_HOST:
            return HostPage(self, is_found=True)
        if mac == WITHOUT_HUB:
            return WithoutHubPage(self)
        if mac is None:
            raise UserError("no_hub_chosen")
        return await self.go_on(await self.identify(*self.hubs[mac].host))


@dataclass(repr=False)
class HostPage(AddPage):
    """Asks for a host. After a search without a result, no host means: search again."""

    is_found: bool

    @override
    async def show(self) -> Shown:
        if self.is_found or self.answers:
            return await self.form("host", HOST_FIELDS)
        fields: dict[vol.Marker, object] = {vol.Optional(CONF_HOST): TextSelector()}
        if is_offered(self.hass):
            fields[vol.Optional(WITHOUT_HUB, default=False)] = BooleanSelector()
        return await self.form("nothing_found", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        if answers.get(WITHOUT_HUB):
            return WithoutHubPage(self)
        if not self.is_found and not answers.get(CONF_HOST, "").strip():
            return SearchPage(self)
        return await self.go_on(await self.identify(*host_and_port(answers[CONF_HOST])))


@dataclass(repr=False)
class CandidatePage(AddPage):
    """A form about a hub that has answered."""

    step: ClassVar[str]
    fields: ClassVar[Fields] = {}
    candidate: Candidate

    @override
    async def show(self) -> Shown:
        return await self.form(self.step, self.fields, **self.candidate.texts)


class DiscoveredPage(CandidatePage):
    """Asks whether to add a hub that DHCP has discovered."""

    step = "discovered"

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.go_on(self.candidate)


class SimilarModelPage(CandidatePage):
    """Asks which known model a device of an unknown model is treated as."""

    @override
    async def show(self) -> Shown:
        candidate = self.candidate
        nearest = nearest_type(candidate.original.devtype)
        suggested = candidate.like or next(
            (name for name in SIMILAR_MODELS if same_class(devtype_of(name), nearest)), None
        )
        return await self.form(
            "like",
            {vol.Required(CONF_TYPE): select(SIMILAR_MODELS, label_of=SIMILAR_MODELS.__getitem__)},
            {CONF_TYPE: suggested},
            **candidate.texts,
            nearest=model_of(nearest),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        like, original = answers[CONF_TYPE], self.candidate.original
        device = with_class_of(original, devtype_of(like))
        return await self.open(replace(self.candidate, like=like, device=device))


class SessionPage(CandidatePage):
    """Shows why the session failed, and lets the user try again."""

    step = "session"

    @override
    async def submit(self, answers: Answers) -> Page:
        return await self.open(self.candidate)


class LockedPage(SessionPage):
    """Explains how to unlock a hub, or reports that it is still locked."""

    @override
    async def show(self) -> Shown:
        is_still_locked = isinstance(self.before, LockedPage)
        return await self.form(
            "still_locked" if is_still_locked else "locked", **self.candidate.texts
        )


class UnlockPage(CandidatePage):
    """Offers to unlock a hub that accepts a session although it reports being locked."""

    step = "unlock"
    fields: ClassVar[Fields] = {vol.Required(CONF_UNLOCK, default=True): BooleanSelector()}

    @override
    async def submit(self, answers: Answers) -> Page:
        if answers[CONF_UNLOCK]:
            await unlock(self.candidate.device)
        return self.finish(self.candidate)


class SharedHubPage(CandidatePage):
    """Warns that two integrations will use the hub."""

    step = "shared"

    @override
    async def submit(self, answers: Answers) -> Page:
        return CreateEntryPage(self, self.candidate)


@dataclass(repr=False)
class CreateEntryPage(AddPage):
    """Creates the config entry and ends the dialogue."""

    candidate: Candidate

    @override
    async def show(self) -> Shown:
        candidate, flow = self.candidate, self.config_flow
        flow._abort_if_unique_id_configured()  # noqa: SLF001 - another dialogue was faster
        device = candidate.device
        data: dict[str, str | int] = {
            CONF_HOST: candidate.host,
            CONF_PORT: candidate.port,
            CONF_MAC: device.mac.hex(),
            CONF_DEVICE_TYPE: device.devtype,
        }
        if candidate.like is not None:
            data[CONF_TYPE] = candidate.like
        title = _name_in_yaml(self.hass, device) or _name(device)
        return flow.async_create_entry(title=title, data=data)


async def async_identify(flow: ConfigFlow, host: str, port: int) -> Candidate:
    """Return the device at a host. Raise HubError.

    If the hub is configured already, update the address of its entry and abort.
    """
    device = await identify(host, port)
    await flow.async_set_unique_id(device.mac.hex(), raise_on_progress=False)
    flow._abort_if_unique_id_configured(updates={CONF_HOST: host, CONF_PORT: port})  # noqa: SLF001
    return Candidate(original=device, device=device, host=host, port=port)


async def async_discovered(flow: AnyFlow, discovery: DhcpServiceInfo) -> Page:
    """Update the address of a configured hub from DHCP, or offer to add a new hub."""
    config_flow, hass = cast(ConfigFlow, flow), flow.hass
    await config_flow.async_set_unique_id(discovery.macaddress)
    mac = str(config_flow.unique_id)
    by_address = {CONF_HOST: discovery.ip} if _has_address(hass, mac) else None
    config_flow._abort_if_unique_id_configured(updates=by_address)  # noqa: SLF001
    if _is_used_by_core(hass, mac) or _is_in_yaml(hass, mac):
        return EndPage(flow, "not_added")
    try:
        candidate = await async_identify(config_flow, discovery.ip, DEFAULT_PORT)
    except HubError:
        return EndPage(flow, "not_added")
    if is_known(candidate.device) and not capabilities(candidate.device):
        return EndPage(flow, "not_supported", candidate.texts)
    flow.context["title_placeholders"] = candidate.texts
    return DiscoveredPage(flow, candidate)


def _has_address(hass: HomeAssistant, mac: str) -> bool:
    """Return whether the hub's entry has an IP address: host names are resolved by DNS instead."""
    entry = hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, mac)
    return entry is not None and is_ipv4_address(entry.data.get(CONF_HOST, ""))


def _is_used_by_core(hass: HomeAssistant, mac: str) -> bool:
    """Return whether core's Broadlink integration has an entry for a hub."""
    entry = hass.config_entries.async_entry_for_domain_unique_id(CORE_DOMAIN, mac)
    return entry is not None and entry.source != SOURCE_IGNORE


def _is_in_yaml(hass: HomeAssistant, mac: str) -> bool:
    """Return whether a hub is configured in YAML."""
    uses = hass.data.get(DATA_YAML_HUBS)
    return uses is not None and len(uses.platforms_beside(Mac(mac))) < len(PLATFORMS)


def _name_in_yaml(hass: HomeAssistant, device: HubDevice) -> str | None:
    """Return the name of the hub's remote from YAML, if it had one, so that it is kept."""
    registry, mac = er.async_get(hass), Mac(device.mac.hex())
    for unique_id in (str(mac), str(mac.reversed)):
        if entity_id := registry.async_get_entity_id(Platform.REMOTE, DOMAIN, unique_id):
            return registry.entities[entity_id].original_name
    return None


def _name(device: HubDevice) -> str:
    return device.name.strip() or _model(device)


def _model(device: HubDevice) -> str:
    return device.model or f"0x{device.devtype:04x}"


def _label(device: HubDevice, locked: str) -> str:
    """Return name, model and address; `locked` says that it is locked in the vendor's app."""
    parts = [_name(device), _model(device), host_label(*device.host)]
    return " · ".join(dict.fromkeys([*parts, locked] if device.is_locked else parts))
