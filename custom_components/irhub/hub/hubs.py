"""All hubs of this Home Assistant, each of them one device."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..errors import UserError, list_names
from ..settings import HubSettings, Mac
from .air import Air
from .device_types import DeviceTypes
from .hub import Hub
from .polling import StatusCoordinator
from .search import Search


@dataclass(frozen=True, eq=False, kw_only=True)
class Claim:
    """Somebody's use of a hub, and how it is configured there."""

    hub: Hub
    status: StatusCoordinator
    settings: HubSettings


class Hubs:
    """The hubs by MAC address. Each lives while anyone claims it."""

    def __init__(self, hass: HomeAssistant, device_types: DeviceTypes) -> None:
        self.device_types = device_types
        self.reloading = False
        """Whether a hub that is not found may be one that comes back: `find` says so."""
        self._hass = hass
        self._claims: dict[Mac, list[Claim]] = {}
        self._search = Search(hass)
        self._stopped = False
        self._air = Air(hass.loop.time)

    @property
    def hubs(self) -> list[Hub]:
        """Return all configured hubs."""
        return [claims[0].hub for claims in self._claims.values()]

    def get(self, mac: Mac) -> Hub | None:
        """Return the hub with a MAC address, if anyone claims it."""
        claims = self._claims.get(mac)
        return None if claims is None else claims[0].hub

    @callback
    def claim(self, settings: HubSettings) -> Claim:
        """Return the hub of these settings, connecting in the background if it is new.

        The host is the first claim's, the largest timeout and gap of all claims hold.
        """
        if (claims := self._claims.get(settings.mac)) is not None:
            mine = replace(claims[0], settings=settings)
            claims.append(mine)
            mine.hub.connection.apply(_merged(claims))
            return mine
        hub = Hub(
            self._hass,
            settings,
            self._search,
            self._air,
            capabilities=self.device_types.recall(settings.mac, settings.fallback),
            remember=self.device_types.remember,
        )
        mine = Claim(hub=hub, status=StatusCoordinator(hub), settings=settings)
        self._claims[settings.mac] = [mine]
        if self._stopped:
            hub.begin_close()
        else:
            hub.connection.start()
        return mine

    async def release(self, released: Sequence[Claim]) -> None:
        """Give up claims; close the hubs that nobody else claims."""
        unused = []
        for mac, claims in list(self._claims.items()):
            kept = [claim for claim in claims if claim not in released]
            if not kept:
                unused.append(self._claims.pop(mac)[0])
            elif len(kept) != len(claims):
                self._claims[mac] = kept
                kept[0].hub.connection.apply(_merged(kept))
        await asyncio.gather(*map(_close, unused))

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
            case [] if self.reloading or self._stopped:
                raise UserError("closed", host=host)
            case []:
                labels = list_names(hub.settings.host_label for hub in self.hubs)
                raise UserError("unknown_hub", host=host, configured=labels)
            case several:
                labels = list_names(f"{host}:{hub.settings.port}" for hub in several)
                raise UserError("ambiguous_hub", host=host, candidates=labels)

    def _named(self, host: str) -> list[Hub]:
        return [
            claims[0].hub
            for claims in self._claims.values()
            if any(
                host in (claim.settings.host, f"{claim.settings.host}:{claim.settings.port}")
                for claim in claims
            )
        ]

    def _at(self, host: str) -> list[Hub]:
        return [
            hub
            for hub in self.hubs
            if (address := hub.connection.locator.address) is not None
            and host in (address, f"{address}:{hub.settings.port}")
        ]

    async def stop(self) -> None:
        """Close every hub, and start none again: Home Assistant is stopping."""
        self._stopped = True
        await self.release([claim for claims in self._claims.values() for claim in claims])


DATA_HUBS: HassKey[Hubs] = HassKey(DOMAIN)


async def _close(claim: Claim) -> None:
    claim.hub.begin_close()
    await claim.status.async_shutdown()
    await claim.hub.close()


def _merged(claims: list[Claim]) -> HubSettings:
    """Return the first claim's settings, with the hosts of all and the largest timeout and gap."""
    all_settings = [claim.settings for claim in claims]
    hosts = dict.fromkeys((settings.host, settings.port) for settings in all_settings)
    return replace(
        all_settings[0],
        name=next((settings.name for settings in all_settings if settings.name), None),
        other_hosts=tuple(hosts)[1:],
        timeout=max(settings.timeout for settings in all_settings),
        min_gap=max(settings.min_gap for settings in all_settings),
        fallback=next(
            (settings.fallback for settings in all_settings if settings.fallback is not None), None
        ),
    )
