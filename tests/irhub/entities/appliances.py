"""Appliances of an entry, and their entities."""

from types import MappingProxyType

from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.core import HomeAssistant

from custom_components.irhub.entities.use import IrhubConfigEntry
from tests.home import until


def appliance(device: str, kind: str, **data: object) -> ConfigSubentry:
    """Return the subentry of an appliance."""
    return ConfigSubentry(
        data=MappingProxyType({"kind": kind, "device": device, **data}),
        subentry_type="appliance",
        title=device,
        unique_id=device,
    )


async def settle(hass: HomeAssistant, entry: IrhubConfigEntry, entity_id: str) -> None:
    """Wait until the hub is set up anew, with that entity."""
    await until(
        lambda: (
            entry.state is ConfigEntryState.LOADED
            and (state := hass.states.get(entity_id)) is not None
            and state.state != "unavailable"
        )
    )
    await hass.async_block_till_done()
