"""A remote control that is followed."""

from random import Random
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.event import async_track_state_change_event

from custom_components.irhub.entities.use import Use
from custom_components.irhub.ircodes import from_timings, to_timings
from custom_components.irhub.ircodes.protocols import learned
from tests.home import Home, until

from .dialogue import configure
from .home import HDMI, POWER
from .jitter import jittered

TV = {"power": [packet.hex() for packet in learned([POWER])], "hdmi": HDMI.hex()}
REMOTE_CONTROL = "event.tv_remote_control"


def pressed(packet: bytes) -> bytes:
    """Return a packet as it is heard the next time."""
    return from_timings(jittered(to_timings(packet), Random(7)))


async def teach(home: Home, remote: str, **codes: object) -> None:
    await home.hass.services.async_call(
        "irhub", "import_codes", {"entity_id": remote, "codes": codes}, blocking=True
    )


async def follow(hass: HomeAssistant, entry: ConfigEntry[Use]) -> list[dict[str, Any]]:
    """Follow the remote control of the television; return where its presses come."""
    dialogue = await (await configure(hass, entry)).choose("follow")
    await dialogue.submit(followed=["tv"])
    await until(lambda: hass.states.get(REMOTE_CONTROL))
    await hass.async_block_till_done()
    presses: list[dict[str, Any]] = []

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        before, after = event.data["old_state"], event.data["new_state"]
        if before is not None and after is not None and after.attributes.get("command"):
            presses.append(dict(after.attributes))

    async_track_state_change_event(hass, REMOTE_CONTROL, changed)
    return presses


async def follow_tv(hass: HomeAssistant, entry: ConfigEntry[Use]) -> list[dict[str, Any]]:
    """Have a television at the hub in the lounge, and follow its remote control."""
    data = {
        "entity_id": "remote.lounge",
        "codes": {"tv": {"hdmi": HDMI.hex(), "power": POWER.hex()}},
    }
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)
    return await follow(hass, entry)
