"""An air conditioner in YAML, and what its thermostat shows."""

from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant

from tests.home import until
from virtual_home.hub import VirtualHub

from .home import entry, our_hub, set_up
from .ircodes.code_files import write

AC = "climate.office"


async def start(
    hass: HomeAssistant, config_dir: Path, hub: VirtualHub, file: dict[str, Any], **keys: object
) -> None:
    """Have the air conditioner of a code file, and wait until its hub is connected."""
    name = write(config_dir, "codes/ac.json", file)
    await set_up(hass, "climate", entry(hub, name="Office", file=name, delay=0, **keys))
    await until(lambda: our_hub(hass, hub).available)
    await hass.async_block_till_done()


async def act(hass: HomeAssistant, action: str, **data: object) -> None:
    await hass.services.async_call("climate", action, {"entity_id": AC, **data}, blocking=True)


def attributes(hass: HomeAssistant) -> dict[str, Any]:
    state = hass.states.get(AC)
    assert state is not None
    return {"state": state.state, **state.attributes}


async def reach(hass: HomeAssistant, mode: str, **levels: str | float) -> None:
    """Set a whole state as a user does, one after the other."""
    await act(hass, "set_hvac_mode", hvac_mode=mode)
    for level, value in levels.items():
        action = "set_temperature" if level == "temperature" else f"set_{level}"
        await act(hass, action, **{level: value})
