"""What real hubs do that one would not expect, and what goes wrong on the way to them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

REORDER_DELAY_S = 0.05


@dataclass
class Quirks:
    """What the firmware of real hubs does. All of it is on; a test can turn one off."""

    remnants: bool = True
    """An RM pro or RM mini does not clear its buffer: earlier data stand behind a capture."""
    noise: bool = True
    """A hub hears ambient infrared (lamps, motion sensors) where no button is pressed: as soon as
    it listens for the first time, and whenever it is armed NOISE_S after the last time."""
    air_time: float = 0.1
    """Hubs answer after transmitting. This part of a packet's time in the air has to
    pass; 1 is reality, a tenth of it keeps tests fast."""


@dataclass
class Faults:
    """Faults of the network now in force, none at first. Probabilities are per datagram, 0 to 1.

    `loss` counts in both directions; the others happen to replies.
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
    no_session: bool = False  # nobody is let in, though the device is not locked
    errors: list[int] = field(default_factory=list)  # of the next requests; 0: none

    def clear(self) -> None:
        """Make everything work again."""
        vars(self).update(vars(Faults()))


@dataclass(frozen=True)
class Delivery:
    """One datagram to be sent: its bytes, after how long, and from which socket."""

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
        """Tell whether a datagram reaches the hub."""
        return not self._faults.silent and not self._happens(self._faults.loss)

    def carry(self, reply: bytes) -> Iterator[Delivery]:
        """Yield what becomes of a reply on its way to the client."""
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
