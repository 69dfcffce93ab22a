"""Updates settings when the id of an entity that they refer to is changed."""

from collections.abc import Mapping
import logging
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er

from .const import CONF_DEFAULT_EMITTERS, CONF_RECEIVERS, DOMAIN
from .devices.store import devices_with
from .entry import async_reload_soon
from .errors import StorageFailedError
from .hub.hubs import DATA_HUBS

_LOGGER = logging.getLogger(__package__)


@callback
def async_follow_renames(hass: HomeAssistant) -> None:
    """Update the settings of entries and devices when the id of an entity is changed.

    This includes entries and hubs that are not set up, but not YAML.
    """

    @callback
    def is_rename(data: Mapping[str, Any]) -> bool:
        return "old_entity_id" in data

    async def follow(event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        data = event.data
        if data["action"] == "update":
            await _follow(hass, data["old_entity_id"], data["entity_id"])

    hass.bus.async_listen(er.EVENT_ENTITY_REGISTRY_UPDATED, follow, event_filter=is_rename)


async def _follow(hass: HomeAssistant, old: str, new: str) -> None:
    for devices in await devices_with(hass, f'"{old}"'):
        try:
            await devices.follow_rename(old, new)
        except StorageFailedError as err:
            _LOGGER.error("%s", err)  # noqa: TRY400  (says it all)
    if (hubs := hass.data.get(DATA_HUBS)) is not None:
        hubs.shared.delivery.async_follow_rename(old, new)
    for entry in hass.config_entries.async_entries(DOMAIN):
        options = dict(entry.options)
        for key in {CONF_RECEIVERS, CONF_DEFAULT_EMITTERS} & options.keys():
            options[key] = [new if id_ == old else id_ for id_ in options[key]]
        is_changed = hass.config_entries.async_update_entry(entry, options=options)
        if is_changed and entry.state is ConfigEntryState.LOADED:
            async_reload_soon(hass, entry)
