"""Clocks that were captured with a code file: bits that changed while the file was recorded.

A code file has its states in the order of the recording. From one temperature to the next, a bit of
the state changes with all fan speeds and swings, or with none. A bit of a clock, or of the button
that was pressed last, changes with some of them. Such bits are found without the taught rule, and
only in bytes that mostly stay the same, or count minutes: others may be a check.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final, Self

from custom_components.irhub.ircodes import State
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.states.checks import BYTE, Check, units
from custom_components.irhub.ircodes.teaching.check_search import find_checks
from known_rows.clock import clock_bits

_FEWEST: Final = 5
"""Irregular changes of a bit: a file has up to four by its mistakes."""
_STEADY: Final = 0.5
"""Minimum share of the steps from one temperature to the next in which a byte stays the same."""
_SAMPLES: Final = 40
"""Number of messages in which checks are searched."""
_CHECKED: Final = 0.97
"""Minimum share of the messages with correct checks."""


@dataclass(frozen=True, kw_only=True)
class RecordedClock:
    """Bits that change from press to press as they did from one recorded state to the next."""

    layout: messages.Layout
    bits: int
    checks: Sequence[Check]
    recorded: Sequence[int]
    """The messages in the order of the recording."""

    @classmethod
    def find(cls, codes: Mapping[State, bytes], layout: messages.Layout) -> Self | None:
        """Return the clock of a code file; None if there is none, or if no check confirms it."""
        decoded = {state: messages.read(packet) for state, packet in codes.items()}
        states = {s: found[1] for s, found in decoded.items() if found and found[0] == layout}
        recorded, frames = [*states.values()], layout.frames
        found_checks = find_checks(recorded[:: max(1, len(recorded) // _SAMPLES)], frames)
        checks = [
            check
            for check, *_ in found_checks
            if sum(check.compute(message, frames) == message for message in recorded)
            >= _CHECKED * len(recorded)
        ]
        checked = reduce(or_, (check.target.mask for check in checks), 0)
        bits = _irregular_bits(states, frames, checked)
        confirmed = reduce(or_, (check.confirms(frames) for check in checks), 0)
        if not bits or bits & ~confirmed:
            return None
        return cls(layout=layout, bits=bits, checks=checks, recorded=recorded)

    def at(self, packet: bytes, press: int) -> bytes:
        """Return a packet as the n-th press would send it."""
        decoded, signal = messages.read(packet, like=self.layout), read(packet).signal
        if decoded is None or signal is None or decoded[0] != self.layout:
            return packet
        moment = self.recorded[press % len(self.recorded)]
        return messages.write(signal, self._with_bits_of(moment, decoded[1]))

    def is_same(self, message: int, other: int) -> bool:
        """Return whether messages differ only in the clock, and have the same checks otherwise."""
        return self._with_bits_of(message, other) == message

    def _with_bits_of(self, moment: int, message: int) -> int:
        """Return a message with the clock of another one, and with correct checks."""
        message = message & ~self.bits | moment & self.bits
        for check in reversed(self.checks):
            message = check.compute(message, self.layout.frames)
        return message


def _irregular_bits(states: Mapping[State, int], frames: tuple[int, ...], checked: int) -> int:
    """Return the bits of clocks and last buttons; 0 if other bytes are irregular, too."""
    steps = [*_steps(states)]
    minutes = clock_bits(states, frames)
    bits = 0
    for unit in units(frames, BYTE):
        irregular = {
            1 << bit: sum(_irregular(differing, 1 << bit) for differing in steps)
            for bit in range(unit.start, unit.end)
            if not checked >> bit & 1
        }
        if max(irregular.values(), default=0) < _FEWEST:
            continue
        every = [differing for of_step in steps for differing in of_step]
        steady = sum(not differing & unit.mask for differing in every)
        if steady < _STEADY * len(every) and not unit.mask & minutes:
            return 0
        bits |= sum(bit for bit, count in irregular.items() if count)
    return bits


def _steps(states: Mapping[State, int]) -> Iterator[Sequence[int]]:
    """Yield the differing bits of each step of temperatures, in all columns that have it."""
    steps: dict[tuple[str, float | None, float | None], list[int]] = defaultdict(list)
    for state, after in pairwise(states):
        if replace(state, temperature=None) == replace(after, temperature=None):
            step = state.mode, state.temperature, after.temperature
            steps[step].append(states[state] ^ states[after])
    yield from steps.values()


def _irregular(differing: Sequence[int], bit: int) -> int:
    """Return in how many columns a bit does not change as in most others."""
    changed = sum(bool(of_column & bit) for of_column in differing)
    return min(changed, len(differing) - changed)
