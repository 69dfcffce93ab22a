"""What receives remote controls: the ear of a hub, or a receiver of Home Assistant's."""

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
from ..ircodes.packet import from_capture, is_noise
from ..ircodes.protocols import only_repeats, same_press
from ..settings import ReceiverId
from .arming import INFRARED, Tuned
from .learning import Learner, Learning
from .recent_signals import ONE_PRESS_S

_LOGGER = logging.getLogger(__package__)

SETTLED_S: Final = 0.5
"""So long after its end a receiver may take to tell of a signal; a hub is read that often."""
REMEMBERED: Final = 10
"""So many presses are kept for people to look at."""

type PacketListener = Callable[[Packet], None]


class Capture(StrEnum):
    """What a capture turned out to be."""

    PRESS = "press"
    NOISE = "noise"
    """Ambient infrared, which is told to nobody."""
    UNREADABLE = "unreadable"


class NoiseError(ValueError):
    """A capture is ambient infrared: nobody has pressed a button."""


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A press, when it was received last, and how often if its button was held."""

    packet: Packet
    at: datetime
    times: int = 1
    receivers: tuple[str, ...] = ()
    """The names of those who have received it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subscriber:
    """One who is told of what is received."""

    tuned: Tuned
    on_packet: PacketListener
    name: str
    is_other: bool
    """Whether it is another integration."""
    at: float = field(default=0)
    """When it has subscribed, by the event loop's clock."""


class Receiver(ABC):
    """Tells subscribers what it receives. While somebody learns, only they receive."""

    busy: ClassVar[str] = "already_learning"
    """What is said to the second one who learns."""
    is_asked_for: ClassVar[bool] = False
    """Whether a dialogue asks for the receiver where there are this one and another."""
    id: ReceiverId
    """The MAC address of a hub, or the id of an entity."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.remembered: deque[Remembered] = deque(maxlen=REMEMBERED)
        """What was received last."""
        self.counts = Counter[Capture]()
        """How many captures there were of each kind, since Home Assistant has started."""
        self._subscribers: list[Subscriber] = []
        self._listeners: list[CALLBACK_TYPE] = []
        self._session: Learning | None = None
        """Of one who learns."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Return what messages call it."""

    @property
    @abstractmethod
    def available(self) -> bool:
        """Return whether it can receive now."""

    @abstractmethod
    def can_receive(self, tuned: Tuned) -> bool | None:
        """Return whether it is made for that; None while it is not known."""

    @abstractmethod
    def has_listened(self, began: float, ended: float) -> bool:
        """Return whether it listened to infrared all that time, and has told what it received.

        `ended` is SETTLED_S ago at least; times are those of the event loop's clock.
        """

    @abstractmethod
    def learn(self, learner: Learner) -> Learning:
        """Return a learning session, which is to be entered."""

    @property
    def learning(self) -> bool:
        """Return whether somebody learns."""
        return self._session is not None

    @property
    def listens_for(self) -> list[str]:
        """Return for whom it listens: the names of those who learn or have subscribed."""
        if self._session is not None:
            return [self._session.learner.name]
        return sorted({subscriber.name for subscriber in self._subscribers_heard})

    @property
    def _subscribers_heard(self) -> list[Subscriber]:
        """Return those for whom it listens."""
        return self._subscribers

    @callback
    def async_subscribe(
        self, tuned: Tuned, on_packet: PacketListener, *, listener: str, is_other: bool = False
    ) -> CALLBACK_TYPE:
        """Call `on_packet` with each packet that is received. Return what ends that.

        `listener` says for whom; `is_other` that it is another integration.
        """
        subscriber = Subscriber(
            tuned=tuned,
            on_packet=on_packet,
            name=listener,
            is_other=is_other,
            at=self.hass.loop.time(),
        )
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
        """Call `listener` when `available` or `listens_for` may have changed. Return its end."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def read_now(self) -> None:  # noqa: B027  (what is told at once has nothing to read)
        """Read what was received so far, and pass it on."""

    async def begin_learning(self, session: Learning) -> None:
        """Let one session receive alone, once another one has given way to it.

        Raise UserError if one of the two learners does not.
        """
        while (other := self._session) is not None:
            give_way = other.learner.give_way
            if give_way is None or session.learner.give_way is None:
                raise UserError(self.busy, hub=self.label)
            await give_way(self.label)
        self._session = session
        self._learning_changed()

    @callback
    def end_learning(self) -> None:
        """Let all subscribers receive again."""
        self._session = None
        self._learning_changed()

    def packet_of(self, capture: bytes) -> Packet:
        """Return the packet of a capture. All who are told get this one, which is decoded once.

        It is remembered, whoever receives it. Raise NoiseError if it is ambient infrared,
        ValueError if it is no packet; count either.
        """
        try:
            packet = from_capture(capture)
        except ValueError:
            self.counts[Capture.UNREADABLE] += 1
            raise
        if is_noise(packet):
            self.counts[Capture.NOISE] += 1
            raise NoiseError("it is ambient infrared")
        self.counts[Capture.PRESS] += 1
        received = read(packet)
        self._remember(received)
        return received

    def _tell(self, packet: Packet, tuned: Tuned = INFRARED) -> None:
        for subscriber in list(self._subscribers_heard):
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
