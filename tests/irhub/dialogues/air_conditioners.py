"""Packets of air conditioners whose protocols are known."""

from random import Random

from custom_components.irhub.ircodes import OFF, from_timings, to_timings
from custom_components.irhub.ircodes.protocols import PROTOCOLS, Fields
from custom_components.irhub.ircodes.protocols.air_conditioners import written

from ..jitter import jittered


def packet(
    protocol: str, fields: Fields | None = None, *, power: bool = True, **state: object
) -> bytes:
    """Return what the remote control sends for a state, as a hub hears it."""
    states = PROTOCOLS[protocol].states(fields or {})
    command = next(
        command
        for candidate, command in states.items()
        if (candidate is not OFF) is power
        and all(getattr(candidate, key) == state[key] for key in state)
    )
    return from_timings(jittered(to_timings(written(command)), Random(1)))
