"""Unexpected behaviour of real hubs, and faults of the network."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

REORDER_DELAY_S = 0.05


@dataclass
class Quirks:
    """Behaviour of real firmware. All quirks are on by default; a test can turn them off."""

    remnants: bool = True
    """An RM pro or RM mini does not clear its buffer: remnants of earlier data follow a capture."""
    noise: bool = True
    """A hub captures ambient infrared (lamps, motion sensors) without a button press: the first
    time it listens, and whenever it listens again more than NOISE_S after the last time."""
    air_time: float = 0.1
    """Hubs answer after transmitting. This fraction of the packet's duration has to pass; 1 is
    realistic, 0.1 keeps tests fast."""


@dataclass
class Faults:
    """Current faults of the network, none by default. Probabilities are per datagram, 0 to 1.

    `loss` applies in both directions, the others to replies.
    """

    silent: bool = False
    loss: float = 0.0
    slow: float = 0.0  # seconds before each reply
    duplicate: float = 0.0
    reorder: float = 0.0  # held back so that later replies overtake
    truncate: float = 0.0
    flip: float = 0.0  # one bit
    garbage: float = 0.0  # random bytes instead of the reply
    foreign: float = 0.0  # the reply comes from another address
    lose_replies: int = 0  # this many replies are lost after the request was acted on
    no_session: bool = False  # sessions are refused although the device is not locked
    errors: list[int] = field(default_factory=list)  # of the next requests; 0: none

    def clear(self) -> None:
        """End all faults."""
        vars(self).update(vars(Faults()))


@dataclass(frozen=True)
class Delivery:
    """A datagram to send: its bytes, its delay, and whether it comes from another address."""

    data: bytes
    delay: float
    foreign: bool


class Line:
    """The network between a hub and its clients, with its faults."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._random = Random(seed)

    def _happens(self, probability: float) -> bool:
        return self._random.random() < probability

    def arrives(self) -> bool:
        """Return whether a datagram reaches the hub."""
        return not self._faults.silent and not self._happens(self._faults.loss)

    def carry(self, reply: bytes) -> Iterator[Delivery]:
        """Yield the deliveries of a reply after the faults of the network."""
        faults = self._faults
        if faults.lose_replies:
            faults.lose_replies -= 1
            return
        for _ in range(1 + self._happens(faults.duplicate)):
            if self._happens(faults.loss):
                continue
            late = REORDER_DELAY_S if self._happens(faults.reorder) else 0.0
            yield Delivery(
                self._mangle(reply), faults.slow + late, foreign=self._happens(faults.foreign)
            )

    def _mangle(self, reply: bytes) -> bytes:
        if self._happens(self._faults.garbage):
            return self._random.randbytes(self._random.randrange(1, 2 * len(reply)))
        if self._happens(self._faults.truncate):
            return reply[: self._random.randrange(1, len(reply))]
        if self._happens(self._faults.flip):
            bit = self._random.randrange(8 * len(reply))
            flipped = bytearray(reply)
            flipped[bit // 8] ^= 1 << bit % 8
            return bytes(flipped)
        return reply
