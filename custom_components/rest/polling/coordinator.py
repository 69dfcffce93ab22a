"""Poll one request for all entities that show it."""

import asyncio
from collections.abc import Callable, Collection
from datetime import timedelta
from itertools import islice
import logging
from pathlib import Path
import traceback
from weakref import WeakValueDictionary

from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CALLBACK_TYPE, CoreState, Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util.hass_dict import HassKey

from .._common.log_once import LogOnce
from ..const import DOMAIN
from ..reply.html import Selector
from ..reply.reply import Reply
from .client import Client
from .hosts import Hosts
from .login import Login
from .outages import Outages
from .request import ConfiguredLogin, ConfiguredRequest

_LOGGER = logging.getLogger(__name__)

FIRST_POLL_DELAY_S = 0.1  # gives the other entities of the request time to subscribe
FIRST_RETRY_S = 30.0  # doubled with each failure
MIN_INTERVAL_S = 1.0
SHOWN_ENTITIES = 5
NEVER = timedelta(0)
"""The interval of a request that is sent on demand only."""


class RestCoordinator:
    """Polls one request at one interval while it has listeners; backs off while polls fail.

    Not a subclass of Home Assistant's DataUpdateCoordinator, since most of it would have to be
    overridden: it updates listeners at the first failure only, logs neither a second reason nor a
    resource that flaps, delays a manual refresh by 10 s after the last one, and completes a poll
    after its last listener is removed.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        request: ConfiguredRequest,
        interval: timedelta,
        hosts: Hosts,
        login: Login | None,
    ) -> None:
        self.request = request
        self.data: Reply | None = None
        self.failures = 0
        self.reason: str | None = None
        self._hass = hass
        self._hosts = hosts
        self._client = Client(hass, request, hosts, self._warn)
        self._login = login
        self._interval = (
            None if interval == NEVER else max(interval.total_seconds(), MIN_INTERVAL_S)
        )
        self._listeners: dict[object, CALLBACK_TYPE] = {}
        self._selectors: dict[object, Selector] = {}
        self._outages = Outages(_LOGGER)
        self._log = LogOnce(_LOGGER)
        self._poll_task: asyncio.Task[Reply | None] | None = None
        self._cancel_next: CALLBACK_TYPE | None = None

    @property
    def entities(self) -> list[Entity]:
        """Return the entities that have subscribed."""
        return [listener for listener in self._listeners if isinstance(listener, Entity)]

    @property
    def is_idle(self) -> bool:
        """Return whether there are no listeners."""
        return not self._listeners

    @callback
    def async_add_listener(
        self, listener: object, update: CALLBACK_TYPE, selector: Selector | None
    ) -> CALLBACK_TYPE:
        """Call `update` after each poll; return a function that unsubscribes.

        Listeners are called in the order of their subscription. The first one starts a poll.
        `selector` is the HTML element that the listener reads, if any.
        """

        @callback
        def remove() -> None:
            del self._listeners[listener]
            self._selectors.pop(listener, None)
            if self.is_idle:
                self._unschedule()

        was_idle = self.is_idle
        self._listeners[listener] = update
        if selector:
            self._selectors[listener] = selector
        if was_idle:
            self.poll_soon()
        return remove

    @callback
    def poll_soon(self) -> None:
        """Schedule the first poll; a request with templates waits until Home Assistant has started.

        Do nothing while Home Assistant stops, since a reload may still be completing then.
        """

        @callback
        def schedule(_: HomeAssistant) -> None:
            self._schedule(self._hass.loop.time() + FIRST_POLL_DELAY_S)

        self._unschedule()
        if self._interval is None or self._hosts.is_closed:
            return
        if self.request.reads_states and self._hass.state is not CoreState.running:
            self._cancel_next = async_at_started(self._hass, schedule)
        else:
            schedule(self._hass)

    async def async_poll(self) -> None:
        """Poll now, or wait for the running poll, which continues if the caller is cancelled."""
        await asyncio.wait([self._start_poll(on_demand=True)])

    async def async_request(self) -> Reply:
        """Send a request and return its reply. Raise HomeAssistantError with the reason.

        The reply to a running poll may be older than this call, so another poll follows it.
        """
        poll = self._poll_task
        if poll:
            await asyncio.wait([poll])
        if poll is None or not poll.cancelled():  # cancelled: the coordinator was shut down
            poll = self._start_poll(on_demand=True)
            await asyncio.wait([poll])
        if poll.cancelled() or (reply := poll.result()) is None:
            raise _request_failed(self.request, self.reason or "it was stopped")
        return reply

    @callback
    def shut_down(self) -> None:
        """Stop polling permanently."""
        self._unschedule()
        if self._poll_task:
            self._poll_task.cancel()
        self._client.close()

    @callback
    def _schedule(self, when: float) -> None:
        """Schedule a poll, in event loop time."""
        self._cancel_next = self._hass.loop.call_at(when, self._start_poll).cancel

    @callback
    def _unschedule(self) -> None:
        if self._cancel_next:
            self._cancel_next()
            self._cancel_next = None

    @callback
    def _start_poll(self, *, on_demand: bool = False) -> asyncio.Task[Reply | None]:
        """Return the running poll, or start one; `on_demand` if a user has requested it."""
        return self._poll_task or self._hass.async_create_background_task(
            self._poll(on_demand=on_demand), f"rest poll {self.request.shown}"
        )

    async def _poll(self, *, on_demand: bool) -> Reply | None:
        """Poll, update the listeners, schedule the next poll; return the reply, None on failure."""
        self._poll_task = asyncio.current_task()
        self._unschedule()
        start = self._hass.loop.time()
        if self.request.remarks and self.data is None and not self.failures:
            remarks = "; ".join(self.request.remarks)
            _LOGGER.warning("%s: not all keys have effect: %s", self.name, remarks)
        result = None
        try:
            reply = await self._fetch(on_demand=on_demand)
            if reply.content.needs_thread(selectors := {*self._selectors.values()}):
                await self.async_parse(reply, selectors)
        except UpdateFailed as err:
            due = self._failed(str(err), err.retry_after or 0)
        except Exception as err:  # noqa: BLE001  (a bug must not stop the polls)
            self._report_bug(err)
            due = self._failed(f"internal error, please report it: {_place(err)}")
        else:
            result = reply
            due = self._succeeded(reply, start)
        finally:
            self._poll_task = None
        self._unschedule()  # a poll that a reload has scheduled meanwhile is not needed any more
        if due is not None and not self.is_idle and not self._hosts.is_closed:
            self._schedule(due)
        return result

    async def _fetch(self, *, on_demand: bool) -> Reply:
        if self._login:
            return await self._login.fetch(self._client, on_demand=on_demand)
        return await self._client.fetch()

    def _succeeded(self, reply: Reply, start: float) -> float | None:
        """Store a reply; return when the next poll is due."""
        content = reply.content
        is_repeated = self.data is not None and content is self.data.content
        self.data = reply
        if self.failures or self._outages.is_unstable:
            self.failures = 0
            self.reason = None
            self._outages.succeeded(self.name)
        self._update_listeners()
        if content.xml_error is not None:
            self._log.report(
                "xml",
                f"{self.name}: XML reply taken as text, {content.xml_error}",
            )
        if not is_repeated:
            content.forget()
        if self._interval is None:
            return None
        # Measured from start to start, or polls of 100 resources of a slow host would drift.
        due, now = start + self._interval, self._hass.loop.time()
        if due > now:
            return due
        self._hosts.late(self.request.shown, now)
        return now + MIN_INTERVAL_S

    def _failed(self, reason: str, server_wish: float = 0) -> float | None:
        """Count a failure; return when the next attempt is due."""
        self.failures += 1
        self.reason = reason
        wait = None
        if self._interval is not None:
            back_off = FIRST_RETRY_S * 2.0 ** min(self.failures - 1, 32)
            wait = max(min(self._interval, back_off), server_wish)
        self._outages.failed(self.name, reason, wait)
        self._update_listeners()
        return None if wait is None else self._hass.loop.time() + wait

    @callback
    def _update_listeners(self) -> None:
        for listener, update in list(self._listeners.items()):
            try:
                update()
            except Exception:
                name = listener.entity_id if isinstance(listener, Entity) else self.name
                _LOGGER.exception("Unexpected error updating %s", name)

    async def async_parse(self, reply: Reply, selectors: Collection[Selector] = ()) -> None:
        """Parse a reply, in a thread if that takes long."""
        await _parse(self._hass, reply, selectors)

    def _report_bug(self, err: Exception) -> None:
        """Log where a bug occurred, without the exception's text, which may contain a secret."""
        frames = "".join(traceback.format_tb(err.__traceback__))
        self._log.report(
            "internal error",
            f"Unexpected error polling {self.name}: {_place(err)}",
            detail=f"\nTraceback (most recent call last):\n{frames}{type(err).__name__}",
        )

    def _warn(self, problem: str) -> None:
        self._log.report("request", f"{self.name}: {problem}")

    @callback
    def is_page(self) -> bool:
        """Return whether the reply is a web page; logged once for all entities that read JSON."""
        if self.data is None or not self.data.content.is_html:
            return False
        self._log.report(
            "page",
            f"{self.name}: the reply is a web page where JSON is read; often it asks to log in",
        )
        return True

    @property
    def name(self) -> str:
        """Return the name for messages: the host and the entities, never a path."""
        ids = [entity.entity_id for entity in islice(self.entities, SHOWN_ENTITIES + 1)]
        if len(ids) > SHOWN_ENTITIES:
            ids[-1] = "…"
        return f"{self.request.shown} ({', '.join(ids)})" if ids else self.request.shown


def _place(err: Exception) -> str:
    *_, frame = traceback.extract_tb(err.__traceback__)
    return f"{type(err).__name__} in {frame.name}, {Path(frame.filename).name}:{frame.lineno}"


def _request_failed(request: ConfiguredRequest, reason: str) -> HomeAssistantError:
    return HomeAssistantError(
        translation_domain=DOMAIN,
        translation_key="request_failed",
        translation_placeholders={"resource": request.shown, "reason": reason},
    )


async def _parse(hass: HomeAssistant, reply: Reply, selectors: Collection[Selector] = ()) -> None:
    if reply.content.needs_thread(selectors):
        await hass.async_add_executor_job(reply.content.parse, selectors)


class Coordinators:
    """All coordinators, one per distinct request and interval."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._all: dict[tuple[ConfiguredRequest, timedelta], RestCoordinator] = {}
        self._logins: WeakValueDictionary[ConfiguredLogin, Login] = WeakValueDictionary()
        self._hosts = Hosts()
        hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, self._stop)

    @callback
    def get(self, request: ConfiguredRequest, interval: timedelta) -> RestCoordinator:
        """Return the coordinator of a request at an interval."""
        key = (request, interval)
        if (coordinator := self._all.get(key)) is None:
            login = self._login(request.login) if request.login else None
            coordinator = RestCoordinator(self._hass, request, interval, self._hosts, login)
            self._all[key] = coordinator
        return coordinator

    def _login(self, configured: ConfiguredLogin) -> Login:
        """Return the login shared by all requests with this configuration."""
        if (login := self._logins.get(configured)) is None:
            login = self._logins[configured] = Login(self._hass, configured, self._hosts)
        return login

    async def async_try(self, request: ConfiguredRequest, warn: Callable[[str], None]) -> Reply:
        """Send an ad-hoc request; return the parsed reply.

        Raise HomeAssistantError with the reason if it fails.
        """
        client = Client(self._hass, request, self._hosts, warn)
        try:
            if request.login:
                login = Login(self._hass, request.login, self._hosts)
                reply = await login.fetch(client, on_demand=True)
            else:
                reply = await client.fetch()
        except UpdateFailed as err:
            raise _request_failed(request, str(err)) from None
        finally:
            client.close()
        await _parse(self._hass, reply)
        return reply

    def active(self) -> list[RestCoordinator]:
        """Return all coordinators with listeners."""
        return [coordinator for coordinator in self._all.values() if not coordinator.is_idle]

    @callback
    def drop_idle(self) -> None:
        """Shut down coordinators without listeners, after a reload."""
        for key, coordinator in list(self._all.items()):
            if coordinator.is_idle:
                self._all.pop(key).shut_down()

    @callback
    def _stop(self, _: Event) -> None:
        self._hosts.is_closed = True
        while self._all:
            self._all.popitem()[1].shut_down()


_COORDINATORS: HassKey[Coordinators] = HassKey("rest_coordinators")  # core has the key "rest"


@callback
def async_coordinators(hass: HomeAssistant) -> Coordinators:
    """Return the coordinators of this Home Assistant instance."""
    if (coordinators := hass.data.get(_COORDINATORS)) is None:
        coordinators = hass.data[_COORDINATORS] = Coordinators(hass)
    return coordinators
