"""Presses that a receiver has cut into pieces: put together before anybody is told of them.

A receiver ends a capture when it has been dark for a while, ESPHome's after 10 ms by default. The
frames of many air conditioners are further apart. How far follows from when captures came, since
each is told of as soon as it is over.
"""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ..ircodes import Packet, from_timings, meaning, read
from ..ircodes.packet import LIMITS, is_noise
from ..ircodes.protocols import only_repeats, same_press

# Measured by `python -m benchmarks.measure_pieces`, on public codes and on presses one after the
# other: docs/any_emitter.md has what came of it.
MOST_APART_S: Final = 0.07
"""Pieces of one press are no further apart: frames are up to 0.05 s, and a capture may come late.
Who presses twice takes 0.1 s and more in between."""
LATE_S: Final = 0.045
"""So much later than it was over the capture before a piece may come."""
LONGEST_PIECE_S: Final = 0.3
AS_LONG: Final = 1.2
"""The pieces of a message that has the form of a known protocol are as long as its first one."""
SHORTEST_DARK_S: Final = 0.01
"""What is between pieces at least."""
UNCUT_S: Final = 0.036
"""A receiver that has once waited for so long cuts no message."""
MOST_COPIES: Final = 2
"""Of a button that is held, so many messages are one press if they come at once."""
MOST_PIECES: Final = 12
FEWEST_PULSES: Final = 4
"""A capture of fewer is a piece only if it is a leader, one long pulse: a reflection of something
else must not spoil the press behind it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Piece:
    timings: Sequence[int]
    """Up to the dark time at its end."""
    packet: Packet

    @property
    def lasts_s(self) -> float:
        return sum(map(abs, self.timings)) / 1e6

    @property
    def wait_s(self) -> float:
        """Return how long after it the next piece may come."""
        if only_repeats(self.packet):
            return 0  # nothing else follows
        is_known = meaning(self.packet) is not None
        return MOST_APART_S + (self.lasts_s * AS_LONG if is_known else LONGEST_PIECE_S)


class Reassembler:
    """Calls `on_signal` with what was received, as a receiver does that cuts nothing.

    Noise, and what is no packet, it passes on at once.
    """

    def __init__(self, loop: AbstractEventLoop, on_signal: Callable[[Sequence[int]], None]) -> None:
        self._loop = loop
        self._on_signal = on_signal
        self._pieces: list[_Piece] = []
        self._signal: list[int] = []
        """The pieces, with the dark times between them and at the end."""
        self._at = 0.0
        """When the last one came."""
        self._timer: TimerHandle | None = None
        self._waited_s = 0.0
        """The longest dark time that the receiver has had within a capture."""

    def received(self, timings: Sequence[int]) -> None:
        """Take a capture: marks positive, spaces negative, in microseconds."""
        piece = _read(timings)
        if piece is None:
            self._on_signal(timings)
            return
        now = self._loop.time()
        apart = now - self._at - piece.lasts_s
        self._waited_s = max(self._waited_s, -min(piece.timings) / 1e6)
        if not (-LATE_S <= apart <= MOST_APART_S and self._is_continued_by(piece)):
            self.flush()
        self._stop_waiting()
        if self._pieces:
            self._signal = [*_lit(self._signal), -round(max(apart, SHORTEST_DARK_S) * 1e6)]
        self._signal += timings
        self._pieces.append(piece)
        self._at = now
        wait_s = 0 if self._waited_s >= UNCUT_S else piece.wait_s
        if wait_s:
            self._timer = self._loop.call_later(wait_s, self.flush)
        else:
            self.flush()

    def flush(self) -> None:
        """Pass on what was received so far."""
        signal = self._signal
        self.clear()
        if signal:
            self._on_signal(signal)

    def clear(self) -> None:
        """Forget what was received so far."""
        self._stop_waiting()
        self._pieces, self._signal = [], []

    def _is_continued_by(self, piece: _Piece) -> bool:
        """Return whether a piece may belong to the same press as those before it."""
        if not self._pieces or len(self._pieces) == MOST_PIECES:
            return False
        first = self._pieces[0].packet
        if not same_press(first, piece.packet):
            return True
        return sum(same_press(first, known.packet) for known in self._pieces) < MOST_COPIES

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _read(timings: Sequence[int]) -> _Piece | None:
    """Return a capture as a piece; None if it is no packet, or noise."""
    lit = _lit(timings)
    try:
        packet = read(from_timings(lit))
    except ValueError:
        return None
    is_short = len(lit) < 2 * FEWEST_PULSES - 1 and max(lit) < LIMITS.leader_us
    return None if is_short or is_noise(packet) else _Piece(timings=lit, packet=packet)


def _lit(timings: Sequence[int]) -> Sequence[int]:
    """Return a signal without the dark time at its end."""
    return timings[:-1] if timings and timings[-1] < 0 else timings
