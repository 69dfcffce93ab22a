"""All hubs of this Home Assistant, each of them one device."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
import logging
from typing import Final

from homeassistant.config import config_per_platform
from homeassistant.const import CONF_MAC
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.hass_dict import HassKey
import voluptuous as vol

from ..codes.codes import Codes
from ..const import DOMAIN, PLATFORMS
from ..errors import UserError, list_names
from ..schema import HubSettings, hub_settings, identity, mac, reverse_mac, same_mac, show_mac
from .device_types import DeviceTypes
from .hub import Hub
from .search import Search

_LOGGER = logging.getLogger(__package__)

type InYaml = frozenset[tuple[str, str]]
"""Entity domain and identity of each hub that YAML has entities of there."""

YAML: Final = "yaml"
"""The owner of every claim by a YAML entry. A config entry's claim is its id's."""


@dataclass(frozen=True)
class _Claim:
    """Somebody's use of a hub, and how it is configured there."""

    owner: str
    settings: HubSettings


@dataclass
class _Claimed:
    """A hub and who uses it."""

    hub: Hub
    claims: list[_Claim]


class Hubs:
    """The hubs by MAC address. Each lives while anyone claims it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.device_types = DeviceTypes(hass)
        self.in_yaml: InYaml = frozenset()
        self._hass = hass
        self._claimed: dict[str, _Claimed] = {}
        self._codes: dict[str, Codes] = {}
        self._search = Search(hass)
        self._on_release: defaultdict[str, list[CALLBACK_TYPE]] = defaultdict(list)
        self._conflicts: set[str] = set()
        self._reloading = False
        self._stopped = False

    @property
    def hubs(self) -> list[Hub]:
        """Return all configured hubs."""
        return [claimed.hub for claimed in self._claimed.values()]

    def get(self, mac: str) -> Hub | None:
        """Return the hub with a MAC address, in either byte order, if anyone claims it."""
        claimed = self._claimed.get(identity(mac))
        return None if claimed is None else claimed.hub

    def is_in_yaml(self, domain: str, mac: str) -> bool:
        """Say if YAML has entities of a hub in a domain, so that nobody else makes them."""
        return (domain, identity(mac)) in self.in_yaml

    @callback
    def claim(self, settings: HubSettings, owner: str) -> Hub:
        """Return the hub of these settings, connecting in the background if it is new.

        `owner` is YAML, which may claim a hub several times, or the id of a config entry.
        The host is the first claim's, the largest timeout and gap of all claims hold.
        Raise UserError if another claim of YAML's gives the same host another MAC address.
        """
        if owner == YAML:
            for claimed in self._claimed.values():
                for claim in claimed.claims:
                    if claim.owner == YAML:
                        check_same_device(claim.settings, settings)
        mine = _Claim(owner, settings)
        if (known := self._claimed.get(identity(settings.mac))) is not None:
            known.claims.append(mine)
            known.hub.connection.apply(_merged(known.claims))
            return known.hub
        hub = Hub(
            self._hass,
            settings,
            self._search,
            capabilities=self.device_types.recall(
                (settings.mac, reverse_mac(settings.mac)), settings.fallback
            ),
            remember=self.device_types.remember,
        )
        self._claimed[identity(settings.mac)] = _Claimed(hub, [mine])
        if self._stopped:
            hub.shut()
        else:
            hub.connection.start()
        return hub

    @callback
    def async_on_release(self, owner: str, forget: CALLBACK_TYPE) -> None:
        """Call `forget` when the owner's claims are released, or before: `end_following`."""
        self._on_release[owner].append(forget)

    @callback
    def end_following(self, owner: str) -> None:
        """Let nothing new reach an owner: its entities are about to be removed."""
        for forget in self._on_release.pop(owner, ()):
            forget()

    async def release(self, owner: str) -> None:
        """Give up every claim of an owner; close the hubs that nobody else claims."""
        self.end_following(owner)
        unused = []
        for key, claimed in list(self._claimed.items()):
            kept = [claim for claim in claimed.claims if claim.owner != owner]
            if not kept:
                unused.append(self._claimed.pop(key).hub)
            elif len(kept) != len(claimed.claims):
                claimed.claims = kept
                claimed.hub.connection.apply(_merged(kept))
        await asyncio.gather(*(hub.close() for hub in unused))

    @asynccontextmanager
    async def reloading(self) -> AsyncIterator[None]:
        """Release YAML's claims before the entries are set up anew.

        Until the end a hub that is not found may be one that comes back: `find` says so.
        """
        self._reloading = True
        try:
            await self.release(YAML)
            while self._conflicts:
                ir.async_delete_issue(self._hass, DOMAIN, self._conflicts.pop())
            yield
        finally:
            self._reloading = False

    def find(self, host: str) -> Hub:
        """Return the hub that a service call names.

        By a configured host, else the address that last resolved to, or either with its
        port.
        Raise UserError that lists the configured hubs if there is none, or more than one.
        """
        host = host.strip().lower()
        match self._named(host) or self._at(host):
            case [hub]:
                return hub
            case [] if self._reloading or self._stopped:
                raise UserError("closed", host=host)
            case []:
                labels = list_names(hub.label for hub in self.hubs)
                raise UserError("unknown_hub", host=host, configured=labels)
            case several:
                labels = list_names(f"{host}:{hub.settings.port}" for hub in several)
                raise UserError("ambiguous_hub", host=host, candidates=labels)

    def _named(self, host: str) -> list[Hub]:
        return [
            claimed.hub
            for claimed in self._claimed.values()
            if any(
                host in (claim.settings.host, f"{claim.settings.host}:{claim.settings.port}")
                for claim in claimed.claims
            )
        ]

    def _at(self, host: str) -> list[Hub]:
        return [
            hub
            for hub in self.hubs
            if (address := hub.connection.whereabouts.address) is not None
            and host in (address, f"{address}:{hub.settings.port}")
        ]

    def codes(self, mac: str) -> Codes:
        """Return the learned commands of a remote: one object for one file, over reloads too."""
        if (codes := self._codes.get(identity(mac))) is None:
            codes = self._codes[identity(mac)] = Codes(self._hass, mac)
        return codes

    async def stop(self) -> None:
        """Close every hub, and start none again: Home Assistant is stopping."""
        self._stopped = True
        hubs, self._claimed = self.hubs, {}
        await asyncio.gather(*(hub.close() for hub in hubs))

    @callback
    def report_conflict(self, settings: HubSettings, error: UserError) -> None:
        """Say in the log and in a repair that YAML names two devices by one host."""
        _LOGGER.error("%s", error)
        issue = f"mac_conflict_{settings.host}_{settings.port}"
        self._conflicts.add(issue)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="mac_conflict",
            translation_placeholders=error.translation_placeholders,
        )


DATA_HUBS: HassKey[Hubs] = HassKey(DOMAIN)


def _merged(claims: list[_Claim]) -> HubSettings:
    """Return the first claim's settings, with the hosts of all and the largest timeout and gap."""
    all_settings = [claim.settings for claim in claims]
    hosts = dict.fromkeys((settings.host, settings.port) for settings in all_settings)
    return replace(
        all_settings[0],
        other_hosts=tuple(hosts)[1:],
        timeout=max(settings.timeout for settings in all_settings),
        min_gap=max(settings.min_gap for settings in all_settings),
        fallback=next(
            (settings.fallback for settings in all_settings if settings.fallback is not None), None
        ),
    )


def check_same_device(one: HubSettings, other: HubSettings) -> None:
    """Raise UserError if two entries for one host and port name different devices."""
    if (one.host, one.port) == (other.host, other.port) and not same_mac(one.mac, other.mac):
        raise UserError(
            "mac_conflict", hub=one.label, one=show_mac(one.mac), other=show_mac(other.mac)
        )


def hubs_in_yaml(config: ConfigType) -> InYaml:
    """Return the entity domain and the identity of the hub of each irhub entry in YAML.

    An entry may still be wrong: then what it says is missing, until it is right.
    """
    named: set[tuple[str, str]] = set()
    for domain in PLATFORMS:
        for platform, entry in config_per_platform(config, domain):
            if platform == DOMAIN:
                with suppress(vol.Invalid):
                    named.add((domain, identity(mac(entry.get(CONF_MAC)))))
    return frozenset(named)


@callback
def async_get_hub(hass: HomeAssistant, config: ConfigType) -> Hub | None:
    """Return the hub of a validated YAML entry, connecting in the background from now on.

    None, with an error in the log and a repair, if another entry gives the same host
    another MAC address: the platform then sets up nothing.
    """
    hubs, settings = hass.data[DATA_HUBS], hub_settings(config)
    try:
        return hubs.claim(settings, YAML)
    except UserError as err:
        hubs.report_conflict(settings, err)
        return None
