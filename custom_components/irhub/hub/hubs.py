"""Registry of the hubs in use, by MAC address."""

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
    """A hub, and the settings of each config entry or YAML entry that uses it."""

    hub: Hub
    status: StatusCoordinator
    uses: list[HubSettings]

    def apply(self) -> None:
        """Apply the merged settings of all uses."""
        settings = _merged(self.uses)
        self.hub.connection.apply(settings)
        self.hub.receiver.async_set_others(settings.others or Others.ALWAYS)
        self.hub.reception.async_choose(settings.receivers)


class Hubs:
    """The hubs by MAC address. A hub exists while at least one entry uses it."""

    def __init__(self, hass: HomeAssistant, device_types: DeviceTypes) -> None:
        self.device_types = device_types
        self.reloading = False
        """Whether YAML is being reloaded; `find` then reports an unknown hub as closed."""
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
        """Return the hub with a MAC address; None if it is not in use."""
        used = self._used.get(mac)
        return None if used is None else used.hub

    def get(self, mac: Mac) -> Transceiver | None:
        """Return the transceiver with a MAC address, `WithoutHub` for NO_HUB; None if unused."""
        return self._without_hub if mac == NO_HUB else self.hub(mac)

    @callback
    def use_without_hub(self, settings: WithoutHubSettings) -> WithoutHub:
        """Create and return the transceiver of a home without a hub; there is only one."""
        self._without_hub = WithoutHub(self._hass, settings, self.shared)
        return self._without_hub

    async def release_without_hub(self) -> None:
        """Close the transceiver of a home without a hub."""
        without_hub, self._without_hub = self._without_hub, None
        if without_hub is not None:
            await without_hub.close()

    @callback
    def use(self, settings: HubSettings) -> tuple[Hub, StatusCoordinator]:
        """Return the hub of these settings; connect in the background if it is new.

        The host of the first use applies, and the largest timeout and gap of all uses.
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
        """Release uses, identified by the settings object passed to `use`; close unused hubs."""
        released, unused = {id(settings) for settings in uses}, []
        for mac, used in list(self._used.items()):
            kept = [settings for settings in used.uses if id(settings) not in released]
            if not kept:
                unused.append(self._used.pop(mac))
                self.shared.receivers.async_remove(used.hub.receiver)
            elif len(kept) != len(used.uses):
                used.uses[:] = kept
                used.apply()
        await asyncio.gather(*map(_close, unused))

    def find(self, host: str) -> Hub:
        """Return the hub that a service call names.

        `host` is a configured host, or else the address it last resolved to, with or without
        port. Raise UserError with the configured hubs if none or more than one matches.
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
        matching = [
            used.hub for used in self._used.values() for use in used.uses if host in use.host_names
        ]
        return [*dict.fromkeys(matching)]

    def _at(self, host: str) -> list[Hub]:
        return [
            hub
            for hub in self.hubs
            if (address := hub.connection.locator.address) is not None
            and host in (address, f"{address}:{hub.settings.port}")
        ]

    async def stop(self) -> None:
        """Close all hubs for good, because Home Assistant is stopping."""
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
    """Return the first settings, with the hosts of all uses and the largest timeout and gap."""
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
