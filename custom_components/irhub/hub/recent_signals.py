"""What is in the air of a house: what its hubs send, and the presses that they hear.

A hub hears what another one sends, and one press is heard by each hub that is near.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final, Protocol

from ..ircodes import Packet, read
from ..ircodes.protocols import same_button, same_press
from ..settings import EmitterId, ReceiverId
from .link_quality import Outcome

ECHO_S: Final = 1.5
"""So long after a transmission another hub may tell of it: it is read every half second."""
ONE_PRESS_S: Final = 0.7
"""What is heard of the same code within this time is one press, or one that is held down."""


@dataclass(eq=False, kw_only=True)
class Press:
    """A press of a remote control, from its beginning until its button is let go."""

    packet: Packet
    first: ReceiverId
    """What has heard it first."""
    at: float
    """When it was heard last, by whatever receives."""


@dataclass(eq=False, kw_only=True)
class Emission:
    """A packet that an emitter transmits; times are those of the event loop's clock."""

    packet: Packet
    emitter: EmitterId
    began: float
    until: float
    """Until then others may tell of it."""
    ended: float = inf
    """When it was out of the air."""
    heard_by: list[ReceiverId] = field(default_factory=list)
    missed_by: list[ReceiverId] = field(default_factory=list)
    """Those that have heard the emitter before, have listened, and have not heard this."""
    outcome: Outcome | None = None
    """What other receivers say of it, as far as they have said something."""
    is_judged: bool = False
    """Whether nobody will say anything more."""


class Observer(Protocol):
    """Who is told of what is transmitted."""

    def begun(self, emission: Emission) -> None:
        """Note that it begins."""

    def ended(self, emission: Emission) -> None:
        """Note that it has gone out."""

    def failed(self, emission: Emission) -> None:
        """Note that nobody knows whether it has gone out."""


class _Sending:
    """Ends an emission; a generator in its place takes 1 µs more for each packet."""

    __slots__ = ("_after", "_emission", "_signals")

    def __init__(self, signals: RecentSignals, emission: Emission, after: float) -> None:
        self._signals = signals
        self._emission = emission
        self._after = after

    def __enter__(self) -> Emission:
        return self._emission

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._signals.end(self._emission, self._after, has_failed=error is not None)


class RecentSignals:
    """What the hubs of a house know of each other's signals."""

    observer: Observer | None = None

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._sent: deque[Emission] = deque(maxlen=100)
        self._presses: deque[Press] = deque(maxlen=20)

    def sending(
        self, packet: bytes, emitter: EmitterId, seconds: float, *, after: float = 0.0
    ) -> _Sending:
        """Note that a packet is in the air: for `seconds` at least, and `after` this ends.

        Others may have heard it then, whether or not it has failed.
        """
        now = self._loop.time()
        while self._sent and self._sent[0].ended < inf and self._sent[0].until <= now:
            self._sent.popleft()  # nobody hears it any more
        emission = Emission(
            packet=read(packet), emitter=emitter, began=now, until=now + seconds + ECHO_S
        )
        self._sent.append(emission)
        if self.observer is not None:
            self.observer.begun(emission)
        return _Sending(self, emission, after)

    def end(self, emission: Emission, after: float, *, has_failed: bool) -> None:
        """Note that a packet is out of the air `after` seconds."""
        emission.ended = self._loop.time() + after
        emission.until = max(emission.until, emission.ended + ECHO_S)
        if self.observer is not None:
            (self.observer.failed if has_failed else self.observer.ended)(emission)

    def echoes(self, listener: ReceiverId) -> Iterator[Packet]:
        """Yield the packets of others that may be heard now without a remote control.

        A hub's own are none of them: one that transmits does not listen.
        """
        now = self._loop.time()
        return (
            emission.packet
            for emission in self._sent
            if emission.until > now and emission.emitter != listener
        )

    def press_of(self, packet: Packet, listener: ReceiverId) -> Press:
        """Return the press that was heard: a new one, or one that is heard again."""
        now = self._loop.time()
        for press in reversed(self._presses):
            # Two presses of a button that alternates are heard as two by the same hub.
            is_same = same_press if press.first == listener else same_button
            if now - press.at < ONE_PRESS_S and is_same(press.packet, packet):
                press.at = now
                return press
        press = Press(packet=packet, first=listener, at=now)
        self._presses.append(press)
        return press
