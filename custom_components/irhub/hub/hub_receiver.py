"""The receiver of a hub, for its subscribers or for a learning session."""

import asyncio
from contextlib import suppress
from functools import partial
import logging
from typing import Final, override

from homeassistant.core import CALLBACK_TYPE, callback

from ..errors import HubClosedError, HubError, HubRefusedError, IrhubError, UserError
from ..settings import Others
from .arming import INFRARED, Arming, Tuned
from .hub_learning import LEARNING_READ_S, HubLearning
from .learning import Learner
from .library import (
    FAILED,
    SESSION_LOST,
    SILENT,
    Capability,
    HubDevice,
    begin_listening,
    end_listening,
    end_listening_at_once,
    read_capture,
)
from .queue import Queue
from .receiver import SETTLED_S, Receiver, Subscriber
from .recent_signals import ONE_PRESS_S

_LOGGER = logging.getLogger(__package__)

READ_S: Final = 0.5
"""Interval of reading the device, in seconds. Shorter (LEARNING_READ_S) during learning and within
ONE_PRESS_S after a press, so that repeat frames of a held button are received in time."""
TURN_S: Final = 10
"""Length of a turn, in seconds, if there are subscribers to infrared and to radio."""
OTHERS_S: Final = 120
"""Duration of listening for other integrations on request, in seconds."""
NEW_S: Final = 60
"""Duration, in seconds, of listening for a new subscriber of another integration, whatever the
settings are: enough for learning there, or for editing an automation."""
RETRY_S: Final = 60
"""Delay, in seconds, of a retry after the hub has refused to listen."""


class HubReceiver(Receiver):
    """The receiver of a hub; it is armed and read only while there are subscribers.

    It cannot receive infrared and radio at the same time: subscribers take turns of TURN_S, those
    to infrared first.
    """

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue.hass)
        self.id = queue.settings.mac
        self.problem: IrhubError | None = None
        """Why the hub cannot receive although there is a session; None if it can."""
        self._queue = queue
        self._others = Others.ALWAYS
        self._others_end: asyncio.TimerHandle | None = None
        """Timer of listening for other integrations on request."""
        self._new: set[asyncio.TimerHandle] = set()
        """Timers of listening for new subscribers."""
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._tuned: Tuned | None = None
        """The tuning whose turn it is."""
        self._turn_ends = 0.0
        self._pressed_until = 0.0
        """Loop time until which the last button may still be held."""
        self._armed: tuple[Tuned, Arming[bytes]] | None = None
        """The last arming; None if the device's capture belongs to no subscriber."""
        self._clear_problem_timer: asyncio.TimerHandle | None = None

    @property
    @override
    def label(self) -> str:
        return self._queue.label

    @property
    @override
    def available(self) -> bool:
        queue = self._queue
        return queue.available and bool(queue.can(Capability.LEARN)) and self.problem is None

    @override
    def can_receive(self, tuned: Tuned) -> bool | None:
        return self._queue.can(Capability.LEARN if tuned == INFRARED else Capability.RADIO)

    @override
    def has_listened(self, began: float, ended: float) -> bool:
        if self._armed is None or self.learning or not self.available:
            return False
        tuned, arming = self._armed
        return tuned == INFRARED and arming.has_listened(began, ended, ended + SETTLED_S)

    @override
    def learn(self, learner: Learner) -> HubLearning:
        return HubLearning(self._queue, self, learner)

    @property
    def tunings(self) -> list[Tuned]:
        """Return the tunings of active subscribers, infrared first."""
        tunings = {
            subscriber.tuned for subscriber in self._subscribers if self._is_active(subscriber)
        }
        return sorted(tunings, key=lambda tuned: tuned.frequency or 0)

    @property
    @override
    def _active_subscribers(self) -> list[Subscriber]:
        return [subscriber for subscriber in self._subscribers if self._is_active(subscriber)]

    @callback
    def async_set_others(self, others: Others) -> None:
        """Set whether and when the hub listens for other integrations."""
        if others is not self._others:
            self._others = others
            self._subscribers_changed()

    @callback
    def async_listen_for_others(self) -> None:
        """Listen for other integrations for OTHERS_S.

        Raise UserError if the settings forbid it, or the device cannot receive.
        """
        self._check(INFRARED)
        if self._others is Others.NEVER:
            raise UserError("never_listens", hub=self._queue.label)
        if self._others_end is not None:
            self._others_end.cancel()
        self._others_end = self._queue.hass.loop.call_later(OTHERS_S, self._end_others)
        self._subscribers_changed()

    @property
    def listens_for_others(self) -> bool:
        """Return whether the hub listens for subscribers of other integrations now."""
        if self._others is Others.ALWAYS or self._new:
            return True
        return self._others is Others.ON_REQUEST and self._others_end is not None

    @callback
    def async_listen_to_new(self) -> CALLBACK_TYPE:
        """Listen for other integrations for NEW_S, for a new subscriber.

        Return a function that ends it.
        """

        @callback
        def end() -> None:
            timer.cancel()
            if timer in self._new:
                self._new.remove(timer)
                self._subscribers_changed()

        timer = self._queue.hass.loop.call_later(NEW_S, end)
        self._new.add(timer)
        self._subscribers_changed()
        return end

    async def before_transmission(self, device: HubDevice) -> None:
        """Read the pending capture. After the transmission the device is armed again.

        Raise the library's exception if the device does not answer or needs a new session.
        """
        if self._armed is None or not self._armed[1].is_armed:
            return
        tuned, arming = self._armed
        try:
            capture = await arming.read(device)
        except (*SILENT, *SESSION_LOST):
            raise
        except FAILED as err:  # must not prevent the transmission
            _LOGGER.debug("The hub %s cannot be read: %s", self._queue.label, err)
        else:
            if capture is not None:
                self._handle_capture(tuned, capture)
        arming.is_armed = False
        self._wake.set()

    @override
    async def read_now(self) -> None:
        if self._armed is None or not self._armed[1].is_armed or not self._queue.available:
            return
        tuned, arming = self._armed
        with suppress(HubError):
            if (capture := await self._queue.request(arming.read)) is not None:
                self._handle_capture(tuned, capture)
                self._wake.set()

    async def close(self) -> None:
        """Stop listening, including the device, within about a second."""
        if self._session is not None:
            await self._session.stop()
        self._subscribers.clear()
        if (task := self._task) is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])
        for timer in (self._clear_problem_timer, self._others_end, *self._new):
            if timer is not None:
                timer.cancel()
        device = self._queue.connection.device
        if device is not None and self._armed is not None and self._armed[1].is_armed:
            await end_listening_at_once(device)

    @callback
    @override
    def _learning_changed(self) -> None:
        if self._armed is not None:
            self._armed[1].is_wanted = False  # a pending request must not arm it again
            self._armed = None
        self._wake.set()
        self._changed()

    def _is_active(self, subscriber: Subscriber) -> bool:
        return not subscriber.is_other or self.listens_for_others

    @callback
    def _end_others(self) -> None:
        self._others_end = None
        self._subscribers_changed()

    @callback
    @override
    def _subscribers_changed(self) -> None:
        self._wake.set()
        self._changed()
        if self.tunings and (self._task is None or self._task.done()):
            self._task = self._queue.hass.async_create_background_task(
                self._run(), f"irhub: receive with {self._queue.label}"
            )

    async def _run(self) -> None:
        end = self._queue.async_add_listener(self._wake.set)
        try:
            while self.tunings:
                await self._listen()
                if self._queue.connection.device is not None:
                    with suppress(HubError):
                        await self._queue.request(self._disarm)
        except HubClosedError:
            return
        finally:
            end()

    async def _listen(self) -> None:
        """Arm and read the device while there are active subscribers."""
        while (tuned := self._turn()) is not None:
            self._wake.clear()
            delay: float | None = READ_S
            try:
                if self._queue.connection.device is None or self.learning:
                    delay = None  # woken by a new session or the end of learning
                else:
                    self._check(tuned)
                    if self._armed is None or self._armed[0] != tuned:
                        arm = partial(begin_listening, frequency=tuned.frequency)
                        self._armed = tuned, Arming(self._queue, arm, read_capture)
                    capture = await self._queue.request(self._armed[1].read_and_arm)
                    if capture is not None:
                        self._handle_capture(tuned, capture)
                        delay = 0
                    elif self._queue.hass.loop.time() < self._pressed_until:
                        delay = min(READ_S, LEARNING_READ_S)
                    self._report(None)
            except HubClosedError:
                raise
            except (HubRefusedError, UserError) as err:
                self._report(err)
                delay = RETRY_S
            except HubError as err:
                _LOGGER.debug("Listening goes on: %s", err)
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._wake.wait()

    def _turn(self) -> Tuned | None:
        """Return the tuning whose turn it is now; None if there is none."""
        now, tunings = self._queue.hass.loop.time(), self.tunings
        if self._tuned not in tunings or (len(tunings) > 1 and now >= self._turn_ends):
            place = tunings.index(self._tuned) + 1 if self._tuned in tunings else 0
            self._tuned = tunings[place % len(tunings)] if tunings else None
            self._turn_ends = now + TURN_S
        return self._tuned

    def _check(self, tuned: Tuned) -> None:
        """Raise UserError if the device cannot receive a tuning."""
        if not self._queue.can(Capability.LEARN):
            raise UserError("cannot_learn", hub=self._queue.label)
        if tuned != INFRARED and not self._queue.can(Capability.RADIO):
            raise UserError("no_radio", hub=self._queue.label)

    async def _disarm(self, device: HubDevice) -> None:
        if self._armed is not None and not self.tunings and not self.learning:
            self._armed = None
            await end_listening(device)

    def _handle_capture(self, tuned: Tuned, capture: bytes) -> None:
        try:
            packet = self.packet_of(capture)
        except ValueError as err:
            _LOGGER.debug("A capture of the hub %s is no press: %s", self._queue.label, err)
            return
        self._pressed_until = self._queue.hass.loop.time() + ONE_PRESS_S
        self._notify(packet, tuned)

    def _report(self, problem: IrhubError | None) -> None:
        if problem is None:
            self._queue.log.settle("listening")
        else:
            self._queue.log.report("listening", str(problem))
            if self._clear_problem_timer is not None:
                self._clear_problem_timer.cancel()
            # Clear the problem later, so that subscribers that left meanwhile come back.
            self._clear_problem_timer = self._queue.hass.loop.call_later(
                RETRY_S, self._set_problem, None
            )
        self._set_problem(problem)

    def _set_problem(self, problem: IrhubError | None) -> None:
        if problem is not self.problem and str(problem) != str(self.problem):
            self.problem = problem
            self._changed()
