"""A home without a hub, as a user adds it."""

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from custom_components.irhub.entities.use import Use

from .dialogue import Dialogue, begin_add

NO_HUB = "026972687562"
"""What is in the place of a hub's MAC address."""


async def search(hass: HomeAssistant) -> Dialogue:
    """Click on "Add integration", and let Home Assistant itself look at the page, too."""
    dialogue = await begin_add(hass)
    await hass.async_block_till_done()
    return dialogue


async def add_without_hub(hass: HomeAssistant) -> ConfigEntry[Use]:
    """Add it in the user interface."""
    dialogue = await search(hass)
    assert dialogue.step == "nothing_found"
    await dialogue.submit(without_hub=True)
    assert dialogue.step == "without_hub"
    await dialogue.submit()
    assert dialogue.type is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    [entry] = hass.config_entries.async_entries("irhub")
    return entry


async def send(hass: HomeAssistant, **data: object) -> None:
    """Send commands by its remote."""
    await hass.services.async_call(
        "remote", "send_command", {"entity_id": "remote.infrared", **data}, blocking=True
    )


async def import_codes(hass: HomeAssistant, **codes: dict[str, str | list[str]]) -> None:
    """Have these commands."""
    data = {"entity_id": "remote.infrared", "codes": codes}
    await hass.services.async_call("irhub", "import_codes", data, blocking=True)
    await hass.async_block_till_done()
