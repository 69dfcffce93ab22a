"""Actions of irhub that respond."""

from typing import Any

from homeassistant.core import HomeAssistant

from ..home import NEC, RC5

TV = {"power": RC5, "vol up": NEC}


async def respond(hass: HomeAssistant, action: str, **data: object) -> dict[str, Any]:
    """Call an action of ours that answers."""
    response = await hass.services.async_call(
        "irhub", action, data, blocking=True, return_response=True
    )
    await hass.async_block_till_done()
    assert response is not None
    return dict(response)


REMOTE = "remote.lounge"


async def changes(hass: HomeAssistant, **data: object) -> list[dict[str, Any]]:
    listed = await respond(hass, "list_changes", entity_id=REMOTE, **data)
    return list(listed["changes"])


async def undo(hass: HomeAssistant, number: int = 0) -> dict[str, Any]:
    """Undo a change by the action; 0 is the last one."""
    listed = await changes(hass)
    return await respond(hass, "undo_change", entity_id=REMOTE, change=listed[number]["id"])
