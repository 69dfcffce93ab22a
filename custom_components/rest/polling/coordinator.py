"""Polls one request for all entities that want it."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
import logging
from pathlib import Path
import traceback
from typing import override

from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed
from homeassistant.util.hass_dict import HassKey

from .._common.log_once import LogOnce
from ..reply.reply import Reply
from .client import Client, Hosts
from .request import ConfiguredRequest

_LOGGER = logging.getLogger(__name__)

FIRST_POLL_DELAY_S = 0.1  # the other entities of the request are on their way
FIRST_RETRY_S = 30.0  # doubled with each failure
MIN_INTERVAL = timedelta(seconds=1)
SHOWN_ENTITIES = 5


class RestCoordinator(DataUpdateCoordinator[Reply]):
    """One request at one interval: polls while anyone listens, backs off while it fails.

    What Home Assistant's coordinator does otherwise: it tells its listeners of the first failure
    only, counts the interval from the end of a poll, makes a manual refresh wait 10 s after the
    last one, and lets a poll run on that nobody waits for.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        request: ConfiguredRequest,
        interval: timedelta,
        hosts: Hosts,
    ) -> None:
        # Without an interval until the first poll, which the listeners' arrival sets off.
        super().__init__(hass, _LOGGER, config_entry=None, name=request.shown)
        self.request = request
        self.failures = 0
        self._interval = max(interval, MIN_INTERVAL)
        self._client = Client(hass, request, hosts)
        self._hosts = hosts
        self._log = LogOnce(_LOGGER)
        self._is_repeated = False
        self._poll: asyncio.Task[object] | None = None
        self._unsub_first: list[CALLBACK_TYPE] = []

    @property
    def entities(self) -> Iterator[Entity]:
        """Return the entities that listen."""
        return self.async_contexts()

    @property
    def is_idle(self) -> bool:
        """Return whether nobody listens."""
        return next(self.entities, None) is None

    @callback
    @override
    def async_add_listener(
        self, update_callback: CALLBACK_TYPE, context: Entity | None = None
    ) -> CALLBACK_TYPE:
        """Listen for replies and failures; the first listener sets off a poll."""
        was_idle = self.is_idle
        remove = super().async_add_listener(update_callback, context)
        if was_idle:
            self.poll_soon()
        return remove

    @override
    async def async_request_refresh(self) -> None:
        """Poll at once, or wait for the poll under way. Whoever waits may be cancelled."""
        await asyncio.wait([self._start_poll()])

    @override
    async def async_shutdown(self) -> None:
        """Stop for good."""
        await super().async_shutdown()
        self._cancel_first()
        if self._poll:
            self._poll.cancel()
        self._client.close()

    @callback
    def poll_soon(self) -> None:
        """Poll when the others have come; with templates, when Home Assistant has started.

        Not while it stops: a reload goes on to its end even then.
        """

        @callback
        def schedule(_: HomeAssistant) -> None:
            unsub = async_call_later(self.hass, FIRST_POLL_DELAY_S, self._first_poll)
            self._unsub_first.append(unsub)

        self._cancel_first()
        if self.hass.is_stopping:
            return
        if self.request.is_templated:
            self._unsub_first.append(async_at_started(self.hass, schedule))
        else:
            schedule(self.hass)

    @callback
    def _first_poll(self, _now: datetime) -> None:
        if self.is_idle or self.hass.is_stopping:
            return
        self.name = self._describe()
        if remarks := "; ".join(self.request.remarks):
            self._log.report("remarks", f"{self.name}: not all keys have effect: {remarks}")
        _ = self._start_poll()

    def _start_poll(self) -> asyncio.Task[object]:
        """Return the poll under way, or begin one."""
        self._cancel_first()
        return self._poll or self.hass.async_create_background_task(
            self.async_refresh(), f"rest poll {self.request.shown}"
        )

    def _cancel_first(self) -> None:
        while self._unsub_first:
            self._unsub_first.pop()()

    @override
    async def _async_update_data(self) -> Reply:
        start = self.hass.loop.time()
        self._poll = asyncio.current_task()
        self.update_interval = self._interval
        try:
            reply = await self._client.fetch()
            await self.async_parse(reply)
        except UpdateFailed as err:
            raise self._failed(str(err), err.retry_after or 0) from None
        except Exception as err:  # noqa: BLE001  (a mistake of ours must not stop the polls)
            raise self._failed(f"internal error, please report it: {_place(err)}") from None
        finally:
            self._poll = None
        self._is_repeated = reply is self.data
        self.failures = 0
        self.last_exception = None  # it holds the failed poll's frames and its response
        # The next poll starts one interval after this one did, on its part of the second.
        now = self.hass.loop.time()
        if passed := int(now) - int(start):
            self.update_interval = max(self._interval - timedelta(seconds=passed), MIN_INTERVAL)
            if now - start > self._interval.total_seconds():
                self._hosts.tell_slow(self.request.shown)
        return reply

    async def async_parse(self, reply: Reply) -> None:
        """Work out what a reply says, in a thread if it is large."""
        if reply.needs_thread:
            await self.hass.async_add_executor_job(reply.parse)

    @callback
    @override
    def _async_refresh_finished(self) -> None:
        """Tell the entities of the second failure in a row and all after it."""
        if self.failures > 1 and not self.last_update_success:
            self.async_update_listeners()

    @callback
    @override
    def async_update_listeners(self) -> None:
        """Let all read the reply, then keep it parsed only if it has come again already."""
        super().async_update_listeners()
        if self.failures or (reply := self.data) is None:
            return
        if reply.xml_error is not None:
            self._log.report(
                "xml", f"{self.name}: XML reply taken as text, it is broken: {reply.xml_error}"
            )
        if not self._is_repeated:
            reply.forget()

    def _failed(self, reason: str, server_wish: float = 0) -> UpdateFailed:
        """Return the failure, with the seconds until the next try."""
        self.failures += 1
        self.name = self._describe()
        back_off = FIRST_RETRY_S * 2.0 ** min(self.failures - 1, 32)
        wait = max(min(self._interval.total_seconds(), back_off), server_wish)
        # Home Assistant counts from the last whole second; a server must not be asked too early.
        return UpdateFailed(
            f"{reason}; next try in {wait:.0f} s",
            retry_after=wait + 1 if wait == server_wish else wait,
        )

    def _describe(self) -> str:
        """Return what messages call it: the host and its entities, never a path."""
        ids = [entity.entity_id for entity in islice(self.entities, SHOWN_ENTITIES + 1)]
        if len(ids) > SHOWN_ENTITIES:
            ids[-1] = "…"
        return f"{self.request.shown} ({', '.join(ids)})"


def _place(err: Exception) -> str:
    *_, frame = traceback.extract_tb(err.__traceback__)
    return f"{type(err).__name__} in {frame.name}, {Path(frame.filename).name}:{frame.lineno}"


class Coordinators:
    """One coordinator per distinct request and interval."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._all: dict[tuple[ConfiguredRequest, timedelta], RestCoordinator] = {}
        self._hosts = Hosts()
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._stop)

    @callback
    def get(self, request: ConfiguredRequest, interval: timedelta) -> RestCoordinator:
        """Return the coordinator of a request at an interval."""
        key = (request, interval)
        if (coordinator := self._all.get(key)) is None:
            coordinator = RestCoordinator(self._hass, request, interval, self._hosts)
            self._all[key] = coordinator
        return coordinator

    def active(self) -> list[RestCoordinator]:
        """Return all that poll."""
        return [coordinator for coordinator in self._all.values() if not coordinator.is_idle]

    async def drop_idle(self) -> None:
        """Shut those down that nobody listens to any more, after a reload."""
        for key, coordinator in list(self._all.items()):
            if coordinator.is_idle:
                del self._all[key]
                await coordinator.async_shutdown()

    async def _stop(self, _: Event) -> None:
        while self._all:
            await self._all.popitem()[1].async_shutdown()


_COORDINATORS: HassKey[Coordinators] = HassKey("rest_coordinators")  # core has the key "rest"


@callback
def async_coordinators(hass: HomeAssistant) -> Coordinators:
    """Return this Home Assistant's coordinators."""
    if (coordinators := hass.data.get(_COORDINATORS)) is None:
        coordinators = hass.data[_COORDINATORS] = Coordinators(hass)
    return coordinators
