"""Pages during which the hub listens, for a single press or for successive presses."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil, inf
from typing import ClassVar, Final, override

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers.event import async_track_time_interval

from ..errors import IrhubError, NoSignalError
from ..hub.learning import LEARN_WINDOW_S, Captured, CommandType, Step
from ..hub.listening import Listening, NothingReceived
from .form import DOUBLE_CLICK_S, refresh_later
from .page import HubPage, Page, Shown
from .receiver import ReceiverPage

COUNTDOWN: Final = timedelta(seconds=5)
"""Interval at which the remaining seconds are updated; shorter ones make the page flicker."""


@dataclass(repr=False)
class ListenPage(HubPage):
    """A page during which the hub listens. Each press is passed to `handle_press`.

    It begins with a progress page: only after one does the frontend show changes immediately.
    """

    command_type: CommandType = field(default="ir", init=False)
    frequency: float | None = field(default=None, init=False)
    """Radio frequency of the remote control in MHz, if known."""
    presses: int = field(default=1, init=False)
    """Number of presses per button: 2 if it alternates between two codes."""
    to_do: Step | None = field(default=None, init=False)
    """The action that the user has to take; None while the hub does not listen."""
    listening: Listening | None = field(default=None, init=False)
    asks_for_receiver: bool = field(default=False, init=False)
    """Whether the user has to choose a receiver first."""
    _cancel_refresh: CALLBACK_TYPE | None = field(default=None, init=False)

    async def handle_press(self, captured: Sequence[Captured]) -> bool:
        """Process received presses. Return whether to listen for another. Raise IrhubError."""
        raise NotImplementedError

    @override
    async def enter(self) -> None:
        # Evaluated now, since the hub may be unavailable when the page is shown.
        is_chosen = bool(self.flow.receivers) or self.command_type == "rf"
        self.asks_for_receiver = not is_chosen and self.hub.reception.is_ambiguous
        if not self.asks_for_receiver:
            self.listen()

    @override
    async def leave(self) -> None:
        self._stop_refreshing()
        if self.listening is not None:
            await self.listening.stop()
        await super().leave()

    @callback
    @override
    def close(self) -> None:
        self._stop_refreshing()
        if self.listening is not None:
            self.listening.cancel()

    @callback
    def listen(self) -> None:
        """Start listening."""
        self.to_do = self.problem = None
        self.listening = Listening(
            hub=self.hub,
            on_step=self.show_step,
            on_captured=self._on_captured,
            on_missed=self._continues_after,
            receivers=() if self.command_type == "rf" else self.flow.receivers,
            command_type=self.command_type,
            frequency=self.frequency,
            presses=self.presses,
            window=LEARN_WINDOW_S,
        )
        self.listening.start(self.on_end)
        self._stop_refreshing()
        self._cancel_refresh = refresh_later(self.flow)

    @property
    def is_listening(self) -> bool:
        """Return whether the hub is listening or about to."""
        return self.listening is not None and not self.listening.is_over

    async def _on_captured(self, captured: Sequence[Captured]) -> bool:
        continues = await self.handle_press(captured)
        self.to_do = None  # until the hub listens again
        self._notify()
        return continues

    @callback
    def show_step(self, step: Step) -> None:
        """Show what the user has to do, now that the hub listens."""
        self.to_do = step
        self.flow.async_notify_flow_changed()

    @callback
    def on_end(self, problem: IrhubError | None) -> None:
        """Show that the hub has stopped listening, and why."""
        self.to_do, self.problem = None, problem
        self._stop_refreshing()
        self._notify()

    @callback
    def _notify(self) -> None:
        """Notify the browser that a press or the end has changed the page."""
        self.flow.async_notify_flow_changed()

    def _continues_after(self, err: NothingReceived) -> bool:
        return isinstance(err, NoSignalError) and self._keeps_waiting()

    def _keeps_waiting(self) -> bool:
        """Return whether to keep listening although no press came in time."""
        return False

    def _stop_refreshing(self) -> None:
        if self._cancel_refresh is not None:
            self._cancel_refresh()
            self._cancel_refresh = None


@dataclass(repr=False)
class OnePressPage(ListenPage):
    """Shows which button to press, until it is pressed."""

    step: ClassVar[str]
    """The step id."""
    to_press: ClassVar[str] = ""
    """The progress action whose text names the button to press."""
    _next: Page | None = field(default=None, init=False)

    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Return the next page for the received press. Raise IrhubError."""
        raise NotImplementedError

    async def on_failure(self) -> Page:
        """Return the page that shows the problem: by default, the page before."""
        return self.back_with(self.problem)

    @override
    async def handle_press(self, captured: Sequence[Captured]) -> bool:
        self._next = await self.next_page(captured)
        return False

    @override
    async def show(self) -> Shown | Page:
        if self.asks_for_receiver:
            return ReceiverPage(self)
        task = None if self.listening is None else self.listening.task
        if task is None or task.done():
            return await self.on_failure() if self._next is None else self._next
        action = "connect" if self.to_do is None else self.action
        return self.progress(self.step, action, task, seconds=str(LEARN_WINDOW_S), **self.texts)

    @callback
    @override
    def _notify(self) -> None:
        """Do nothing: Home Assistant itself notifies the browser when the progress is done.

        A second notification makes the browser draw the next page twice and lose a click on it.
        """

    @property
    def action(self) -> str:
        """Return the progress action whose text names the button to press."""
        return self.to_press

    @property
    def texts(self) -> Mapping[str, str]:
        """Return the placeholders of that text."""
        return {}


@dataclass(repr=False)
class PressesPage(ListenPage):
    """Shows the next button of several together with menu options; each press advances the page."""

    _readiness: asyncio.Event = field(init=False)
    _ready: asyncio.Task[object] | None = field(default=None, init=False)
    _deadline: float = field(default=0.0, init=False)
    """When the hub stops listening, in event loop time."""
    _turned_at: float = field(default=-inf, init=False)
    """When a menu option has last changed the page, in event loop time."""
    _end_countdown: CALLBACK_TYPE | None = field(default=None, init=False)

    async def show_next(self) -> Shown | Page:
        """Return the page that names the next press, or the page after the last press."""
        raise NotImplementedError

    @override
    async def show(self) -> Shown | Page:
        if self.asks_for_receiver:
            return ReceiverPage(self)
        if self._ready is not None and not self._ready.done() and not self._readiness.is_set():
            return self.progress("connect", "connect", self._ready)
        return await self.show_next()

    @callback
    @override
    def listen(self) -> None:
        super().listen()
        self._readiness = asyncio.Event()
        self._ready = self.hass.async_create_background_task(
            self._readiness.wait(), f"irhub: wait for {self.hub.label}", eager_start=False
        )
        self._end_countdown = async_track_time_interval(self.hass, self._count_down, COUNTDOWN)

    @property
    def seconds_left(self) -> int:
        """Return how many seconds the hub will still listen, in steps of the countdown."""
        seconds = self._deadline - asyncio.get_running_loop().time()
        step = COUNTDOWN.seconds
        return max(0, ceil(seconds / step)) * step

    async def change_button(self, select_button: Callable[[], Awaitable[None]]) -> Page:
        """Call `select_button`, unless this is a double click; return self."""
        now = asyncio.get_running_loop().time()
        if now - self._turned_at >= DOUBLE_CLICK_S:
            self._turned_at = now
            await select_button()
            self._extend()
            if not self.is_listening:
                self.listen()
        return self

    @callback
    @override
    def show_step(self, step: Step) -> None:
        self._extend()
        self._readiness.set()
        super().show_step(step)

    @callback
    @override
    def on_end(self, problem: IrhubError | None) -> None:
        self._readiness.set()
        super().on_end(problem)

    @override
    def _keeps_waiting(self) -> bool:
        return self.seconds_left > 0  # another button was selected meanwhile

    @override
    def _stop_refreshing(self) -> None:
        super()._stop_refreshing()
        if self._end_countdown is not None:
            self._end_countdown()
            self._end_countdown = None

    def _extend(self) -> None:
        self._deadline = asyncio.get_running_loop().time() + LEARN_WINDOW_S

    @callback
    def _count_down(self, _now: datetime) -> None:
        if self.to_do is not None:
            self.flow.async_notify_flow_changed()
