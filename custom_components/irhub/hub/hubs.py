"""All hubs of this Home Assistant, each of them one device."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from homeassistant.core import HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from ..const import DOMAIN
from ..errors import UserError, list_names
from ..settings import NO_HUB, HubSettings, Mac, Others, WithoutHubSettings
from .device_types import DeviceTypes
from .hub import Hub
from .polling import StatusCoordinator
from .search import Search
from .shared import SharedComponents
from .transceiver import Transceiver
from .without_hub import WithoutHub


@dataclass(frozen=True, eq=False, kw_only=True)
class _UsedHub:
    """A hub, and how it is configured by each that uses it."""

    hub: Hub
    status: StatusCoordinator
    uses: list[HubSettings]

    def apply(self) -> None:
        """Go on with what those who use it say together."""
        settings = _merged(self.uses)
        self.hub.connection.apply(settings)
        self.hub.receiver.async_set_others(settings.others or Others.ALWAYS)
        self.hub.reception.async_choose(settings.receivers)


class Hubs:
    """The hubs by MAC address. Each lives while anyone uses it."""

    def __init__(self, hass: HomeAssistant, device_types: DeviceTypes) -> None:
        self.device_types = device_types
        self.reloading = False
        """Whether a hub that is not found may be one that comes back: `find` says so."""
        self._hass = hass
        self._used: dict[Mac, _UsedHub] = {}
        self._search = Search(hass)
        self._stopped = False
        self.shared = SharedComponents(hass)
        self._without_hub: WithoutHub | None = None

    @property
    def hubs(self) -> list[Hub]:
        """Return all configured hubs."""
        return [used.hub for used in self._used.values()]

    def hub(self, mac: Mac) -> Hub | None:
        """Return the hub with a MAC address, if anyone uses it."""
        used = self._used.get(mac)
        return None if used is None else used.hub

    def get(self, mac: Mac) -> Transceiver | None:
        """Return the hub with a MAC address, or what is in its place, if anyone uses it."""
        return self._without_hub if mac == NO_HUB else self.hub(mac)

    @callback
    def use_without_hub(self, settings: WithoutHubSettings) -> WithoutHub:
        """Return what transmits and receives in a home without a hub; there is one of it."""
        self._without_hub = WithoutHub(self._hass, settings, self.shared)
        return self._without_hub

    async def release_without_hub(self) -> None:
        """Give it up."""
        without_hub, self._without_hub = self._without_hub, None
        if without_hub is not None:
            await without_hub.close()

    @callback
    def use(self, settings: HubSettings) -> tuple[Hub, StatusCoordinator]:
        """Return the hub of these settings, connecting in the background if it is new.

        The host is that of the first use, the largest timeout and gap of all uses hold.
        """
        if (used := self._used.get(settings.mac)) is not None:
            used.uses.append(settings)
            used.apply()
            return used.hub, used.status
        hub = Hub(
            self._hass,
            settings,
            self._search,
            self.shared,
            capabilities=self.device_types.recall(settings.mac, settings.fallback),
            remember=self.device_types.remember,
        )
        used = _UsedHub(hub=hub, status=StatusCoordinator(hub), uses=[settings])
        self._used[settings.mac] = used
        used.apply()
        self.shared.receivers.async_add(hub.receiver)
        hub.async_when_known(self.shared.receivers.async_changed)
        if self._stopped:
            hub.begin_close()
        else:
            hub.connection.start()
        return hub, used.status

    async def release(self, uses: Iterable[HubSettings]) -> None:
        """Give up uses, by the very settings they began with; close what nobody else uses."""
        ended, unused = {id(settings) for settings in uses}, []
        for mac, used in list(self._used.items()):
            kept = [settings for settings in used.uses if id(settings) not in ended]
            if not kept:
                unused.append(self._used.pop(mac))
                self.shared.receivers.async_remove(used.hub.receiver)
            elif len(kept) != len(used.uses):
                used.uses[:] = kept
                used.apply()
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
            used.hub
            for used in self._used.values()
            if any(host in (use.host, f"{use.host}:{use.port}") for use in used.uses)
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
        await self.release_without_hub()
        self.shared.delivery.close()
        await self.release([use for used in self._used.values() for use in used.uses])


DATA_HUBS: HassKey[Hubs] = HassKey(DOMAIN)


async def _close(used: _UsedHub) -> None:
    used.hub.begin_close()
    await used.status.async_shutdown()
    await used.hub.close()


def _merged(uses: Sequence[HubSettings]) -> HubSettings:
    """Return the first settings, with the hosts of all and the largest timeout and gap."""
    hosts = dict.fromkeys((settings.host, settings.port) for settings in uses)
    return replace(
        uses[0],
        name=next((settings.name for settings in uses if settings.name), None),
        other_hosts=tuple(hosts)[1:],
        timeout=max(settings.timeout for settings in uses),
        min_gap=max(settings.min_gap for settings in uses),
        receivers=next((settings.receivers for settings in uses if settings.receivers), ()),
        others=next((settings.others for settings in uses if settings.others is not None), None),
        fallback=next(
            (settings.fallback for settings in uses if settings.fallback is not None), None
        ),
    )
