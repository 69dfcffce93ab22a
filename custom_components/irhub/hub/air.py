"""What is in the air of a house: what its hubs send, and the presses that they hear.

A hub hears what another one sends, and one press is heard by each hub that is near.
"""

from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..ircodes import Packet, read
from ..ircodes.protocols import same_button, same_press
from ..settings import Mac, ReceiverId

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


class Air:
    """What the hubs of a house know of each other's signals."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._sent: deque[tuple[float, Packet, Mac | None]] = deque(maxlen=100)
        """Until when who may be heard with what; None is an emitter that is no hub of ours."""
        self._presses: deque[Press] = deque(maxlen=20)

    def sending(self, packet: bytes, sender: Mac | None, seconds: float) -> None:
        """Note that a packet is in the air for `seconds` from now."""
        self._sent.append((self._loop.time() + seconds + ECHO_S, read(packet), sender))

    def echoes(self, listener: ReceiverId) -> Iterator[Packet]:
        """Yield the packets of others that may be heard now without a remote control.

        A hub's own are none of them: one that transmits does not listen.
        """
        now = self._loop.time()
        return (packet for until, packet, of in self._sent if until > now and of != listener)

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
