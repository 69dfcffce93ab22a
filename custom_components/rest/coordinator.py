"""Polls one request for all sensors that want it."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from functools import partial
import logging
from pathlib import Path
import traceback
from typing import Protocol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.start import async_at_started

from .client import Client
from .complaints import Complaints
from .failure import PollError
from .hosts import Hosts
from .large_json import TooManyError
from .reply import Reply
from .request import Request

_LOGGER = logging.getLogger(__package__)

FIRST_POLL_DELAY = 0.1  # seconds: the other sensors of the resource are on their way
FIRST_RETRY = 30.0  # seconds, doubled with each failure
MIN_INTERVAL = 1.0  # seconds
SLICE = 0.01  # seconds of work before the event loop gets a turn


def _place(err: Exception) -> str:
    *_, frame = traceback.extract_tb(err.__traceback__)
    return f"{type(err).__name__} in {frame.name}, {Path(frame.filename).name}:{frame.lineno}"


class Listener(Protocol):
    """A sensor, as its coordinator sees it."""

    entity_id: str
    wants_text: bool
    """Whether it reads `Reply.value`, not only `Reply.json`."""

    def on_reply(self, reply: Reply) -> None:
        """Take a reply, which may be the last one again."""

    def on_failure(self, failures: int) -> None:
        """Take note of that many failed polls in a row."""


class RestCoordinator:
    """One request at one interval: polls while anyone listens, backs off while it fails."""

    def __init__(
        self,
        hass: HomeAssistant,
        request: Request,
        interval: timedelta,
        *,
        hosts: Hosts,
        on_idle: Callable[[], None],
    ) -> None:
        self.request = request
        self.failures = 0
        self.listeners: dict[Listener, None] = {}
        self._hass = hass
        self._interval = max(interval.total_seconds(), MIN_INTERVAL)
        self._client = Client(hass, request, hosts)
        self._complaints = Complaints()
        self._on_idle = on_idle
        self._reply: Reply | None = None
        self._poll: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._unwait: CALLBACK_TYPE | None = None
        self._closed = False

    @callback
    def listen(self, listener: Listener) -> CALLBACK_TYPE:
        """Deliver replies to `listener` until the returned function is called."""
        first = not self.listeners
        self.listeners[listener] = None
        if first:
            self._begin()
        elif self.failures:
            listener.on_failure(self.failures)
        elif (reply := self._reply) is not None:
            if self._needs_thread(reply):
                self._start_poll()  # which works it out for the newcomer
            else:
                self._give(listener, lambda newcomer: newcomer.on_reply(reply))

        @callback
        def leave() -> None:
            self.listeners.pop(listener, None)
            if not self.listeners:
                self.close()
                self._on_idle()

        return leave

    async def poll(self) -> None:
        """Poll now, or wait for the poll under way; failures are the listeners' business."""
        if self._poll is None:
            self._start_poll()
        if self._poll is not None:
            await asyncio.wait([self._poll])

    @callback
    def close(self) -> None:
        """Stop for good."""
        self._closed = True
        self.listeners.clear()
        self._cancel_timer()
        if self._unwait:
            self._unwait()
            self._unwait = None
        if self._poll:
            self._poll.cancel()
        self._client.close()

    def _begin(self) -> None:
        if self._closed:
            return
        if not self.request.is_templated:
            self._schedule(FIRST_POLL_DELAY)
            return

        @callback
        def started(_: HomeAssistant) -> None:
            self._unwait = None
            self._schedule(FIRST_POLL_DELAY)

        self._unwait = async_at_started(self._hass, started)

    def _schedule(self, delay: float) -> None:
        self._cancel_timer()
        self._timer = self._hass.loop.call_later(delay, self._start_poll)

    def _cancel_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    @callback
    def _start_poll(self) -> None:
        self._cancel_timer()
        if self._poll is None and self.listeners and not self._closed:
            self._poll = self._hass.async_create_background_task(
                self._run(), f"rest poll {self.request.shown}", eager_start=False
            )

    async def _run(self) -> None:
        start = self._hass.loop.time()
        wait = self._interval
        try:
            reply = await self._fetch()
        except PollError as err:
            wait = await self._failed(err)
            start = self._hass.loop.time()
        else:
            await self._received(reply)
        finally:
            self._poll = None
            if self.listeners:
                self._schedule(max(0.0, start + wait - self._hass.loop.time()))

    async def _fetch(self) -> Reply:
        try:
            reply = await self._client.fetch()
            if self._reply and reply is not self._reply:
                self._reply.forget()  # first: the new one then takes its memory
            while self._needs_thread(reply):
                await self._hass.async_add_executor_job(
                    partial(reply.parse, text=self._wants_text())
                )
        except PollError:
            raise
        except TooManyError as err:
            raise PollError(str(err)) from err
        except Exception as err:
            # A mistake of ours must not stop the polls. Its message may hold anything.
            raise PollError(f"internal error, please report it: {_place(err)}") from err
        return reply

    def _needs_thread(self, reply: Reply) -> bool:
        return reply.is_large and not reply.is_parsed(text=self._wants_text())

    def _wants_text(self) -> bool:
        return any(listener.wants_text for listener in self.listeners)

    async def _received(self, reply: Reply) -> None:
        if self.failures:
            _LOGGER.info("%s answers again, after %d failed polls", self._name, self.failures)
        self.failures = 0
        self._reply = reply
        await self._deliver(lambda listener: listener.on_reply(reply))
        self._mention_xml(reply)

    async def _failed(self, err: PollError) -> float:
        """Tell the listeners and return the seconds until the next try."""
        self.failures += 1
        wait = min(self._interval, FIRST_RETRY * 2.0 ** min(self.failures - 1, 32))
        wait = max(wait, err.retry_after or 0.0)
        level = logging.WARNING if self.failures == 1 else logging.DEBUG
        sensors = ", ".join(listener.entity_id for listener in self.listeners)
        _LOGGER.log(
            level, "%s failed: %s; sensors: %s; next try in %.0f s", self._name, err, sensors, wait
        )
        await self._deliver(lambda listener: listener.on_failure(self.failures))
        return wait

    async def _deliver(self, give: Callable[[Listener], None]) -> None:
        slice_end = self._hass.loop.time() + SLICE
        for listener in list(self.listeners):
            if listener in self.listeners:
                self._give(listener, give)
            if self._hass.loop.time() > slice_end:
                await asyncio.sleep(0)
                slice_end = self._hass.loop.time() + SLICE

    def _give(self, listener: Listener, give: Callable[[Listener], None]) -> None:
        """Keep one sensor's trouble from the others."""
        try:
            give(listener)
        except Exception as err:  # noqa: BLE001  (whatever it is, the others get theirs)
            place = _place(err)
            self._complaints.say(
                "internal", f"{listener.entity_id}: internal error, please report it: {place}"
            )

    def _mention_xml(self, reply: Reply) -> None:
        if reply.xml_error is None:
            self._complaints.settle("xml")
        else:
            self._complaints.say(
                "xml", f"{self._name}: XML reply taken as text, it is broken: {reply.xml_error}"
            )

    @property
    def _name(self) -> str:
        return f"{self.request.method} {self.request.shown}"
