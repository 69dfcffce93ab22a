"""Listen to press after press behind a page with buttons."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from math import ceil
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.core import callback
from homeassistant.helpers.event import async_track_time_interval

from ..errors import IrhubError, NoSignalError
from ..hub.ear import LEARN_WINDOW_S, Captured, CommandType, Step
from ..hub.hub import Hub
from .appliance_step import ApplianceStep, Input
from .form import DOUBLE_CLICK_S, told_again

COUNTDOWN: Final = timedelta(seconds=5)
"""How often the seconds left are shown anew: more often, the page would flicker."""

type Take = Callable[[Captured], Awaitable[bool]]
"""Takes what was heard. Returns whether another press is wanted."""


class ListeningStep(ApplianceStep):
    """Lets the hub listen while a page says what to press; each press leads to the next page."""

    _session: asyncio.Task[None] | None = None
    """Listens, while it is there."""
    _readiness: asyncio.Task[object] | None = None
    _page: str
    """The step that says what to press."""
    _to_do: Step | None = None
    """What the user has to do; nothing while the hub does not listen."""
    _deadline = 0.0
    """When the hub stops listening, in the time of the event loop."""
    _frequency: float | None = None
    """Of a remote control by radio, in MHz, as far as it is known."""
    _turned = 0.0
    """When a button has turned to another page, in the time of the event loop."""

    @callback
    @override
    def async_remove(self) -> None:
        """Stop listening with the dialogue."""
        if self._session is not None:
            self._session.cancel()

    async def _listen(
        self, page: str, take: Take, *, command_type: CommandType = "ir"
    ) -> SubentryFlowResult:
        """Let the hub listen, and show `page`.

        A page of progress comes first: from that on, the frontend shows each change at once.
        """
        await self._end_listening()
        hub, ready = self._hub, asyncio.Event()
        self._page, self._problem, self._to_do = page, None, None
        self._readiness = self.hass.async_create_background_task(
            ready.wait(), f"irhub: wait for {hub.label}", eager_start=False
        )
        self._session = self.hass.async_create_background_task(
            self._hear_all(hub, take, command_type, ready),
            f"irhub: hear press after press with {hub.label}",
            eager_start=False,
        )
        return await self.async_step_connect()

    async def async_step_connect(self, _user_input: Input = None) -> SubentryFlowResult:
        """Wait until the hub listens."""
        if self._readiness is None or self._readiness.done():
            return self.async_show_progress_done(next_step_id=self._page)
        return self.async_show_progress(
            step_id="connect", progress_action="connect", progress_task=self._readiness
        )

    async def _end_listening(self) -> None:
        """Stop listening, and wait until another session can begin."""
        session, self._session = self._session, None
        if session is not None:
            session.cancel()
            await asyncio.wait({session})

    async def _hear_all(
        self, hub: Hub, take: Take, command_type: CommandType, ready: asyncio.Event
    ) -> None:
        """Take press after press until no more are wanted, or nobody presses."""

        @callback
        def ask(step: Step) -> None:
            self._to_do = step
            self._extend()
            ready.set()
            self.async_notify_flow_changed()

        end_countdown = async_track_time_interval(self.hass, self._count_down, COUNTDOWN)
        try:
            async with told_again(self), hub.learn() as session:
                wanted = True
                while wanted:
                    try:
                        [captured] = await session.capture(
                            ask, command_type=command_type, frequency=self._frequency
                        )
                    except NoSignalError:
                        if self._seconds_left():  # another page was chosen meanwhile
                            continue
                        raise
                    self._frequency = captured.frequency
                    wanted = await take(captured)
                    self._to_do = None
                    self.async_notify_flow_changed()
        except IrhubError as err:
            self._problem, self._frequency = (self._page, err), self._frequency_said
        finally:
            end_countdown()
            ready.set()
            self._session = None
            self.async_notify_flow_changed()

    @property
    def _frequency_said(self) -> float | None:
        """Return the frequency that the hub's settings say."""
        return self._entry.runtime_data.options.frequency

    def _extend(self) -> None:
        self._deadline = asyncio.get_running_loop().time() + LEARN_WINDOW_S

    def _seconds_left(self) -> int:
        """Return how long the hub still listens, in steps of the countdown."""
        left = self._deadline - asyncio.get_running_loop().time()
        step = COUNTDOWN.seconds
        return max(0, ceil(left / step)) * step

    @callback
    def _count_down(self, _now: datetime) -> None:
        if self._to_do is not None:
            self.async_notify_flow_changed()

    def _is_double_click(self) -> bool:
        """Say if a button that turns the page was clicked twice; else note that it was."""
        now = asyncio.get_running_loop().time()
        if now - self._turned < DOUBLE_CLICK_S:
            return True
        self._turned = now
        return False
