"""What a hub's ear makes of a remote control's signal."""

from collections.abc import Sequence
from random import Random

JITTER = 0.05
"""Of each duration, in both directions."""


def jittered(timings: Sequence[int], random: Random) -> list[int]:
    """Return durations as they are heard."""
    return [round(us * random.uniform(1 - JITTER, 1 + JITTER)) for us in timings]
