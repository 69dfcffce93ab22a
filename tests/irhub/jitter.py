"""The signal of a remote control as a hub receives it."""

from collections.abc import Sequence
from random import Random

JITTER = 0.05
"""Of each duration, in both directions."""


def jittered(timings: Sequence[int], random: Random) -> list[int]:
    """Return durations with a random error, as a receiver measures them."""
    return [round(us * random.uniform(1 - JITTER, 1 + JITTER)) for us in timings]
