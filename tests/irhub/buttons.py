"""Helpers for learned commands: store them, press their buttons, list buttons and devices."""

from collections.abc import Mapping

from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er

from custom_components.irhub.entities.use import IrhubConfigEntry

REMOTE = "remote.lounge"


async def act(hass: HomeAssistant, action: str, **data: object) -> None:
    """Call an action of ours for the remote."""
    await hass.services.async_call("irhub", action, {"entity_id": REMOTE, **data}, blocking=True)
    await hass.async_block_till_done()


async def learn(hass: HomeAssistant, **devices: Mapping[str, str | list[str]]) -> None:
    await act(hass, "import_codes", codes=devices)


async def press(hass: HomeAssistant, entity_id: str) -> None:
    await hass.services.async_call("button", "press", {"entity_id": entity_id}, blocking=True)


def buttons(hass: HomeAssistant) -> dict[str, str]:
    """Return the existing buttons of commands: entity id → name."""
    registry = er.async_get(hass)
    return {
        state.entity_id: state.name
        for state in hass.states.async_all("button")
        if not state.attributes.get("restored")
        and (entity := registry.async_get(state.entity_id)) is not None
        and entity.translation_key != "listen"
    }


def devices(hass: HomeAssistant, entry: IrhubConfigEntry) -> dict[str | None, dr.DeviceEntry]:
    """Return the devices of an entry by their names."""
    registry = dr.async_get(hass)
    return {
        device.name: device
        for device in dr.async_entries_for_config_entry(registry, entry.entry_id)
    }
