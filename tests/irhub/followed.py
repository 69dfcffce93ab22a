"""A remote control that is followed."""

from random import Random

from custom_components.irhub.ircodes import from_timings, to_timings
from custom_components.irhub.ircodes.protocols import learned
from tests.home import Home

from .ear import jittered
from .home import HDMI, POWER

TV = {"power": [packet.hex() for packet in learned([POWER])], "hdmi": HDMI.hex()}


def pressed(packet: bytes) -> bytes:
    """Return a packet as it is heard the next time."""
    return from_timings(jittered(to_timings(packet), Random(7)))


async def teach(home: Home, remote: str, **codes: object) -> None:
    await home.hass.services.async_call(
        "irhub", "import_codes", {"entity_id": remote, "codes": codes}, blocking=True
    )
