"""All coordinators of one Home Assistant."""

from datetime import timedelta

from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.util.hass_dict import HassKey

from .coordinator import RestCoordinator
from .hosts import Hosts
from .request import Request

# Core keeps its own data under "rest", and replaces it on reload.
_COORDINATORS: HassKey[Coordinators] = HassKey("rest_coordinators")


class Coordinators:
    """One coordinator per distinct request and interval, made on demand, dropped when idle."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._all: dict[tuple[Request, timedelta], RestCoordinator] = {}
        self._hosts = Hosts()
        self._stopped = False
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._stop)

    @callback
    def get(self, request: Request, interval: timedelta) -> RestCoordinator:
        """Return the coordinator of a request at an interval."""
        key = (request, interval)
        if (found := self._all.get(key)) is None:
            found = self._all[key] = RestCoordinator(
                self._hass,
                request,
                interval,
                hosts=self._hosts,
                on_idle=lambda: self._drop(key),
            )
            if self._stopped:
                found.close()  # a reload under way makes sensors that poll no more
        return found

    def active(self) -> list[RestCoordinator]:
        """Return all that poll."""
        return list(self._all.values())

    def _drop(self, key: tuple[Request, timedelta]) -> None:
        self._all.pop(key, None)

    @callback
    def _stop(self, _: Event) -> None:
        self._stopped = True
        for coordinator in self.active():
            coordinator.close()
        self._all.clear()


@callback
def async_coordinators(hass: HomeAssistant) -> Coordinators:
    """Return this Home Assistant's coordinators."""
    if (found := hass.data.get(_COORDINATORS)) is None:
        found = hass.data[_COORDINATORS] = Coordinators(hass)
    return found
