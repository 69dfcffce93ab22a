"""Reassembly of presses that a receiver has split into several captures.

A receiver ends a capture after a pause, ESPHome's after 10 ms by default. The frames of many air
conditioners are further apart. The length of a pause is derived from the arrival times of the
captures, since each is reported as soon as it ends.
"""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ..ircodes import Packet, from_timings, meaning, read
from ..ircodes.packet import LIMITS
from ..ircodes.protocols import is_ambient, only_repeats, same_press

# Measured by `python -m benchmarks.measure_pieces`, with public codes and with presses in quick
# succession; results in docs/any_emitter.md.
MOST_APART_S: Final = 0.07
"""Maximum pause between pieces of one press, in seconds: up to 0.05 s between frames, plus the
delay of a capture. Between two presses it is at least 0.1 s."""
LATE_S: Final = 0.045
"""Maximum delay, in seconds, between the end of a capture and its arrival."""
LONGEST_PIECE_S: Final = 0.3
"""Assumed maximum length, in seconds, of the next piece of another message."""
AS_LONG: Final = 1.2
"""Maximum length of the next piece, relative to the last one, in a message of a protocol that has a
command or a state, and thus a length. Others (Kaseikyo) carry any number of bytes."""
LONGEST_BLOCK_S: Final = 1.0
"""If the event loop was blocked while a piece was waited for, for this long at most, the piece may
have arrived in time. In a longer time, somebody may have pressed another button."""
SHORTEST_DARK_S: Final = 0.01
"""Minimum pause between pieces, in seconds."""
UNCUT_S: Final = 0.036
"""A receiver that has reported a pause of this length, in seconds, does not split messages."""
MOST_COPIES: Final = 2
"""Maximum number of identical messages in one press, while a button is held."""
MOST_PIECES: Final = 12
FEWEST_PULSES: Final = 4
"""A shorter capture is a piece only if it contains a leader (one long mark). Otherwise a reflection
would spoil the press that follows it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class _Piece:
    timings: Sequence[int]
    """Without the space at the end."""
    packet: Packet

    @property
    def lasts_s(self) -> float:
        return sum(map(abs, self.timings)) / 1e6

    @property
    def wait_s(self) -> float:
        """Return how many seconds after this piece the next one may arrive."""
        if only_repeats(self.packet):
            return 0  # a repeat frame ends a message
        content = meaning(self.packet)
        has_length = content is not None and (content.state or content.command is not None)
        return MOST_APART_S + (self.lasts_s * AS_LONG if has_length else LONGEST_PIECE_S)


class Reassembler:
    """Calls `on_signal` with complete signals, made of the captures that `received` is given.

    Noise and captures that are no packet are passed on at once, unchanged.
    """

    def __init__(self, loop: AbstractEventLoop, on_signal: Callable[[Sequence[int]], None]) -> None:
        self._loop = loop
        self._on_signal = on_signal
        self._pieces: list[_Piece] = []
        self._signal: list[int] = []
        """The timings of all pieces, with the spaces between them and at the end."""
        self._at = 0.0
        """Loop time at which the last piece arrived."""
        self._timer: TimerHandle | None = None
        self._waits_until = 0.0
        """Loop time at which `_timer` is due."""
        self._waited_s = 0.0
        """The longest space, in seconds, that the receiver has reported within a capture."""

    def received(self, timings: Sequence[int]) -> None:
        """Process a capture: durations in µs, marks positive, spaces negative."""
        now = self._loop.time()  # decoding, the first time above all, takes long
        piece = _read(timings)
        if piece is None:
            self._on_signal(timings)
            return
        apart = now - self._at - piece.lasts_s
        if self._timer is not None and 0 < now - self._waits_until <= LONGEST_BLOCK_S:
            apart = min(apart, MOST_APART_S)  # the timer is late, and so is the piece
        self._waited_s = max(self._waited_s, -min(piece.timings) / 1e6)
        if not (-LATE_S <= apart <= MOST_APART_S and self._is_continued_by(piece)):
            self.flush()
        self._stop_waiting()
        if self._pieces:
            self._signal = [
                *_without_final_space(self._signal),
                -round(max(apart, SHORTEST_DARK_S) * 1e6),
            ]
        self._signal += timings
        self._pieces.append(piece)
        self._at = now
        wait_s = 0 if self._waited_s >= UNCUT_S else piece.wait_s
        if wait_s:
            self._waits_until = now + wait_s
            self._timer = self._loop.call_later(wait_s, self.flush)
        else:
            self.flush()

    def flush(self) -> None:
        """Pass on the pieces received so far."""
        signal = self._signal
        self.clear()
        if signal:
            self._on_signal(signal)

    def clear(self) -> None:
        """Discard the pieces received so far."""
        self._stop_waiting()
        self._pieces, self._signal = [], []

    def _is_continued_by(self, piece: _Piece) -> bool:
        """Return whether a piece may belong to the same press as the previous ones."""
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
    trimmed = _without_final_space(timings)
    try:
        packet = read(from_timings(trimmed))
    except ValueError:
        return None
    is_short = len(trimmed) < 2 * FEWEST_PULSES - 1 and max(trimmed) < LIMITS.leader_us
    return None if is_short or is_ambient(packet) else _Piece(timings=trimmed, packet=packet)


def _without_final_space(timings: Sequence[int]) -> Sequence[int]:
    """Return a signal without the space at its end."""
    return timings[:-1] if timings and timings[-1] < 0 else timings
