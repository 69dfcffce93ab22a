"""Learning a whole remote control in the dialogue, press by press."""

from collections.abc import Sequence

from homeassistant.core import HomeAssistant

from custom_components.irhub.ircodes import from_timings
from virtual_home.hub import VirtualHub

from ..dialogue import Dialogue, add
from .appliances import begin as begin_appliance

TELEVISION = [
    *("power", "volume up", "volume down", "mute", "channel up", "channel down"),
    *("up", "down", "left", "right", "ok", "back", "home", "source"),
]


def code_of_button(number: int) -> bytes:
    """Return the code of a button, another one for each number (NEC)."""
    bits = f"{0x04:08b}{0xFB:08b}{number:08b}{number ^ 0xFF:08b}"
    spaces = [-1690 if bit == "1" else -560 for bit in bits]
    data = [us for space in spaces for us in (560, space)]
    return from_timings([9000, -4500, *data, 560, -40000])


async def begin(
    hass: HomeAssistant, hub: VirtualHub, *, names: Sequence[str] = TELEVISION, **keys: object
) -> Dialogue:
    """Say that it is a television, and go to where the hub listens."""
    [*entries] = hass.config_entries.async_entries("irhub")
    entry = entries[0] if entries else await add(hass, hub)
    dialogue = await (await begin_appliance(hass, entry, "television")).choose("learn_remote")
    assert dialogue.step == "names"
    await dialogue.submit(**{"name": "television", "buttons": [*names], **keys})
    return dialogue


async def wait_for_button(dialogue: Dialogue, name: str) -> None:
    """Wait until the hub listens for a button."""
    await dialogue.wait(lambda: dialogue.step == "press" and dialogue.texts["command"] == name)
