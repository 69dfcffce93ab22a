"""Base class of receivers: that of a hub, or an infrared receiver entity."""

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
import logging
from typing import ClassVar, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ..errors import UserError
from ..ircodes import Packet, read
from ..ircodes.packet import from_capture
from ..ircodes.protocols import is_ambient, only_repeats, same_press, table
from ..settings import ReceiverId
from .arming import INFRARED, Tuned
from .learning import Learner, Learning
from .recent_signals import ONE_PRESS_S

_LOGGER = logging.getLogger(__package__)

SETTLED_S: Final = 0.5
"""Maximum delay, in seconds, between the end of a signal and its report; hubs are polled."""
REMEMBERED: Final = 10
"""Number of presses that are kept for *Last heard*."""

type PacketListener = Callable[[Packet], None]


class Capture(StrEnum):
    """Classification of a capture."""

    PRESS = "press"
    NOISE = "noise"
    """Ambient infrared, which is not reported."""
    UNREADABLE = "unreadable"


class NoiseError(ValueError):
    """A capture is ambient infrared, and no press."""


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A received press, with the time of its last capture and the number of captures."""

    packet: Packet
    at: datetime
    times: int = 1
    receivers: tuple[str, ...] = ()
    """Labels of the receivers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subscriber:
    """A subscriber to received packets."""

    tuned: Tuned
    on_packet: PacketListener
    name: str
    is_other: bool
    """Whether it belongs to another integration."""
    at: float = field(default=0)
    """Loop time of the subscription."""


class Receiver(ABC):
    """Passes received packets to subscribers, or only to a learning session while one is active."""

    busy: ClassVar[str] = "already_learning"
    """Translation key of the error for a second concurrent learning session."""
    is_asked_for: ClassVar[bool] = False
    """Whether dialogues ask which receiver to use if there is another one besides."""
    id: ReceiverId
    """The MAC address of a hub, or the id of an entity."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.remembered: deque[Remembered] = deque(maxlen=REMEMBERED)
        """The last presses, newest last."""
        self.counts = Counter[Capture]()
        """Numbers of captures since start-up."""
        self._subscribers: list[Subscriber] = []
        self._listeners: list[CALLBACK_TYPE] = []
        self._session: Learning | None = None
        """The active learning session, if any."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Return the name for messages."""

    @property
    @abstractmethod
    def available(self) -> bool:
        """Return whether it can receive now."""

    @abstractmethod
    def can_receive(self, tuned: Tuned) -> bool | None:
        """Return whether it supports a tuning; None while unknown."""

    @abstractmethod
    def has_listened(self, began: float, ended: float) -> bool:
        """Return whether it listened for infrared throughout, and has reported all captures.

        Times are loop times; `ended` must be at least SETTLED_S ago.
        """

    @abstractmethod
    def learn(self, learner: Learner) -> Learning:
        """Return a learning session, to be used as a context manager."""

    @property
    def learning(self) -> bool:
        """Return whether a learning session is active."""
        return self._session is not None

    @property
    def listens_for(self) -> list[str]:
        """Return the names of the active learner or subscribers."""
        if self._session is not None:
            return [self._session.learner.name]
        return sorted({subscriber.name for subscriber in self._active_subscribers})

    @property
    def _active_subscribers(self) -> list[Subscriber]:
        """Return the subscribers for whom it listens."""
        return self._subscribers

    @callback
    def async_subscribe(
        self, tuned: Tuned, on_packet: PacketListener, *, listener: str, is_other: bool = False
    ) -> CALLBACK_TYPE:
        """Call `on_packet` for every received packet. Return a function that unsubscribes.

        `listener` is the name of the subscriber; `is_other` marks other integrations.
        """
        subscriber = Subscriber(
            tuned=tuned,
            on_packet=on_packet,
            name=listener,
            is_other=is_other,
            at=self.hass.loop.time(),
        )
        if not self._subscribers:  # else the first press would block the event loop
            _ = self.hass.async_add_executor_job(table)
        self._subscribers.append(subscriber)
        self._subscribers_changed()

        @callback
        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)
                self._subscribers_changed()

        return unsubscribe

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` when `available` or `listens_for` may have changed.

        Return a function that unsubscribes.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def read_now(self) -> None:  # noqa: B027  (optional)
        """Read and report the pending capture, if the receiver has to be polled."""

    async def begin_learning(self, session: Learning) -> None:
        """Start a session's exclusive access, after another session has given way.

        Raise UserError if one of the two learners does not give way.
        """
        await self.hass.async_add_executor_job(table)
        while (other := self._session) is not None:
            give_way = other.learner.give_way
            if give_way is None or session.learner.give_way is None:
                raise UserError(self.busy, hub=self.label)
            await give_way(self.label)
        self._session = session
        self._learning_changed()

    @callback
    def end_learning(self) -> None:
        """Resume delivery to all subscribers."""
        self._session = None
        self._learning_changed()

    def packet_of(self, capture: bytes) -> Packet:
        """Return the packet of a capture, and count it; presses are also kept for *Last heard*.

        All recipients share this packet, so that it is decoded once. Raise NoiseError for ambient
        infrared, ValueError for an unreadable capture.
        """
        try:
            packet = from_capture(capture)
        except ValueError:
            self.counts[Capture.UNREADABLE] += 1
            raise
        if is_ambient(packet):
            self.counts[Capture.NOISE] += 1
            raise NoiseError("it is ambient infrared")
        self.counts[Capture.PRESS] += 1
        received = read(packet)
        self._remember(received)
        return received

    def _notify(self, packet: Packet, tuned: Tuned = INFRARED) -> None:
        for subscriber in list(self._active_subscribers):
            if subscriber.tuned == tuned:
                try:
                    subscriber.on_packet(packet)
                except Exception:
                    _LOGGER.exception("A listener to the receiver %s failed", self.label)

    def _remember(self, packet: Packet) -> None:
        press = Remembered(packet=packet, at=dt_util.utcnow(), receivers=(self.label,))
        if self.remembered:
            last = self.remembered[-1]
            is_soon = (press.at - last.at).total_seconds() < ONE_PRESS_S
            if is_soon and (only_repeats(packet) or same_press(last.packet, packet)):
                self.remembered.pop()
                press = replace(last, at=press.at, times=last.times + 1)
        self.remembered.append(press)

    @callback
    def _learning_changed(self) -> None:
        self._changed()

    @callback
    def _subscribers_changed(self) -> None:
        self._changed()

    def _changed(self) -> None:
        for listener in list(self._listeners):
            listener()
