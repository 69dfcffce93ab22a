"""Transmissions and presses of the last seconds, shared by all hubs and emitters.

A hub receives transmissions of other hubs, and several hubs may receive the same press. Followers
use this record to ignore echoes of our own transmissions and to report each press once.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Final, Protocol

from ..ircodes import Packet, read
from ..ircodes.protocols import same_button, same_press
from ..settings import EmitterId, ReceiverId
from .link_quality import Outcome

ECHO_S: Final = 1.5
"""Maximum delay, in seconds, between the end of a transmission and its report by another hub.

Hubs are polled every half second.
"""
ONE_PRESS_S: Final = 0.7
"""Captures of the same code within this time, in seconds, belong to one press."""


@dataclass(eq=False, kw_only=True)
class Press:
    """A press of a remote control, until the button is released."""

    packet: Packet
    first: ReceiverId
    """The receiver that reported it first."""
    at: float
    """Loop time of the last capture of it, by any receiver."""


@dataclass(eq=False)
class Emission:
    """One transmission of a packet by an emitter. All times are loop times, in seconds."""

    sent: bytes
    emitter: EmitterId
    began: float
    until: float
    """Receivers may report it until this time."""
    ended: float = field(default=inf, init=False)
    """When the transmission ended; infinite while it lasts."""
    heard_by: Sequence[ReceiverId] = field(default=(), init=False)
    missed_by: Sequence[ReceiverId] = field(default=(), init=False)
    """Receivers that usually receive this emitter, listened throughout, and received nothing."""
    outcome: Outcome | None = field(default=None, init=False)
    """The result so far; None if no receiver allows a conclusion."""
    is_final: bool = field(default=False, init=False)
    """Whether `outcome` is final."""

    @cached_property
    def packet(self) -> Packet:
        """Return the packet that was sent, decoded once for all receivers."""
        return read(self.sent)


class Observer(Protocol):
    """Observer of transmissions."""

    def started(self, emission: Emission) -> None:
        """Handle the start of a transmission."""

    def ended(self, emission: Emission) -> None:
        """Handle the end of a confirmed transmission."""

    def failed(self, emission: Emission) -> None:
        """Handle a transmission that failed, or may have failed."""


class RecentSignals:
    """The last transmissions and presses."""

    observer: Observer | None = None

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._sent: deque[Emission] = deque(maxlen=100)
        self._presses: deque[Press] = deque(maxlen=20)

    def begin(self, packet: bytes, emitter: EmitterId, seconds: float) -> Emission:
        """Record that a transmission starts, which takes at least `seconds`."""
        began = self._loop.time()
        until = began + seconds + ECHO_S
        while self._sent and self._sent[0].ended < inf and self._sent[0].until <= began:
            self._sent.popleft()  # no receiver can report it any more
        emission = Emission(packet, emitter, began, until)
        self._sent.append(emission)
        if self.observer is not None:
            self.observer.started(emission)
        return emission

    def end(self, emission: Emission, *, is_confirmed: bool, after: float = 0.0) -> None:
        """Record that a transmission ends in `after` seconds.

        Receivers may have received it even if it is not confirmed.
        """
        emission.ended = self._loop.time() + after
        emission.until = max(emission.until, emission.ended + ECHO_S)
        if self.observer is not None:
            (self.observer.ended if is_confirmed else self.observer.failed)(emission)

    def echoes(self, listener: ReceiverId) -> Iterator[Packet]:
        """Return the packets of other emitters that `listener` may report now.

        A hub's own transmissions are excluded: it does not listen while it transmits.
        """
        now = self._loop.time()
        return (
            emission.packet
            for emission in self._sent
            if emission.until > now and emission.emitter != listener
        )

    def press_of(self, packet: Packet, listener: ReceiverId) -> Press:
        """Return the press that a received packet belongs to: a recent one, or a new one."""
        now = self._loop.time()
        for press in reversed(self._presses):
            # The packets of an alternating button are separate presses for the same receiver,
            # but one press for two receivers.
            is_same = same_press if press.first == listener else same_button
            if now - press.at < ONE_PRESS_S and is_same(press.packet, packet):
                press.at = now
                return press
        press = Press(packet=packet, first=listener, at=now)
        self._presses.append(press)
        return press
