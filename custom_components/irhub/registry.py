"""All hubs of this Home Assistant."""

import asyncio
from collections import defaultdict
from functools import partial
import logging

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.hass_dict import HassKey

from .codes import Codes
from .const import DOMAIN
from .device_types import DeviceTypes
from .errors import UserError
from .hub import Hub
from .schema import HubSettings, hub_settings, same_mac, show_mac

_LOGGER = logging.getLogger(__package__)


class Registry:
    """The hubs by (host, port). They live from the first entry to the next reload."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.device_types = DeviceTypes(hass)
        self._hass = hass
        self._hubs: dict[tuple[str, int], Hub] = {}
        self._by_name: defaultdict[str, list[Hub]] = defaultdict(list)
        self._codes: dict[str, Codes] = {}
        self._closed = False
        self._stopped = False

    @property
    def hubs(self) -> list[Hub]:
        """All configured hubs."""
        return list(self._hubs.values())

    @callback
    def claim(self, settings: HubSettings) -> Hub:
        """Return the hub of these settings, connecting if it is new.

        Raises UserError if it has another MAC address by another entry.
        """
        key = (settings.host, settings.port)
        if (hub := self._hubs.get(key)) is None:
            hub = self._hubs[key] = Hub(
                self._hass,
                settings,
                device_class=self.device_types.recall(settings.mac, settings.fallback),
                remember=partial(self.device_types.remember, settings.mac),
            )
            for name in (settings.host, f"{settings.host}:{settings.port}"):
                self._by_name[name].append(hub)
            if self._stopped:
                hub.shut()
            else:
                hub.connection.start()
        else:
            check_same_device(hub.settings, settings)
            hub.widen(settings)
        return hub

    def find(self, host: str) -> Hub:
        """Return the hub that a service call names.

        By its configured host, else the address that last resolved to, or either with its
        port.
        Raises UserError that lists the configured hubs if there is none, or more than one.
        """
        host = host.strip().lower()
        match self._by_name.get(host) or [
            hub
            for hub in self._hubs.values()
            if (address := hub.connection.address) is not None
            and host in (address, f"{address}:{hub.settings.port}")
        ]:
            case [hub]:
                return hub
            case [] if self._closed:
                raise UserError("closed", host=host)
            case []:
                labels = ", ".join(sorted(hub.label for hub in self._hubs.values()))
                raise UserError("unknown_hub", host=host, configured=labels or "none")
            case several:
                labels = ", ".join(f"{host}:{hub.settings.port}" for hub in several)
                raise UserError("ambiguous_hub", host=host, candidates=labels)

    def codes(self, mac: str) -> Codes:
        """Return the learned commands of a remote: one object for one file, over reloads too."""
        if (codes := self._codes.get(mac)) is None:
            codes = self._codes[mac] = Codes(self._hass, mac)
        return codes

    async def close(self) -> None:
        """Close and forget every hub; until `reopen`, `find` says so."""
        self._closed = True
        hubs, self._hubs = self.hubs, {}
        self._by_name.clear()
        await asyncio.gather(*(hub.close() for hub in hubs))

    @callback
    def reopen(self) -> None:
        """The hubs are back: what `find` does not find now is not configured."""
        self._closed = self._stopped

    async def stop(self) -> None:
        """Close every hub, and start none again: Home Assistant is stopping."""
        self._stopped = True
        await self.close()


DATA_REGISTRY: HassKey[Registry] = HassKey(DOMAIN)


def check_same_device(one: HubSettings, other: HubSettings) -> None:
    """Raise UserError if two entries for one host name different devices."""
    if not same_mac(one.mac, other.mac):
        raise UserError(
            "mac_conflict", hub=one.label, one=show_mac(one.mac), other=show_mac(other.mac)
        )


@callback
def async_get_hub(hass: HomeAssistant, config: ConfigType) -> Hub | None:
    """Return the hub of a validated entry, connecting in the background from now on.

    None, with an error in the log and a repair, if another entry gives the same host
    another MAC address: the platform then sets up nothing.
    """
    settings = hub_settings(config)
    issue = f"mac_conflict_{settings.host}_{settings.port}"
    try:
        return hass.data[DATA_REGISTRY].claim(settings)
    except UserError as err:
        _LOGGER.error("%s", err)  # noqa: TRY400  (the user's mistake; a traceback says nothing)
        ir.async_create_issue(
            hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key="mac_conflict",
            translation_placeholders=err.translation_placeholders,
        )
        return None
