"""What is in the air of a house: what its hubs send, and the presses that they hear.

A hub hears what another one sends, and one press is heard by each hub that is near.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from ..codes.presses import same_button

ECHO_S: Final = 1.5
"""So long after a transmission another hub may tell of it: it is read every half second."""
ONE_PRESS_S: Final = 0.7
"""What is heard of the same code within this time is one press, or one that is held down."""


class Air:
    """What the hubs of a house know of each other's signals; `now` is the event loop's clock.

    A hub is whatever object its callers name it by; None is an emitter that is no hub of ours.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._sent: deque[tuple[float, bytes, object]] = deque(maxlen=100)
        """Until when who may hear what."""
        self._presses: deque[tuple[float, bytes, object]] = deque(maxlen=20)
        """When was heard what by whom."""

    def sending(self, packet: bytes, sender: object, seconds: float) -> None:
        """Note that a packet is in the air for `seconds` from now."""
        self._sent.append((self._now() + seconds + ECHO_S, packet, sender))

    def echoes(self, listener: object) -> Iterator[bytes]:
        """Yield the packets of others that a hub may hear now without a remote control.

        Its own are none of them: a hub that transmits does not listen.
        """
        now = self._now()
        return (packet for until, packet, of in self._sent if until > now and of is not listener)

    def is_first(self, packet: bytes, listener: object) -> bool:
        """Return whether no other hub has heard this press before; note that it was heard."""
        now = self._now()
        for when, other, of in self._presses:
            if of is not listener and now - when < ONE_PRESS_S and same_button(other, packet):
                return False
        self._presses.append((now, packet, listener))
        return True
