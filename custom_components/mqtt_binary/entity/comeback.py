"""Re-adding sensors that were removed: apply their current configuration."""

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    DOMAIN as BINARY_SENSOR_DOMAIN,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.typing import UNDEFINED

from ..const import DOMAIN
from ..settings import Settings


@callback
def async_prepare_comeback(hass: HomeAssistant, settings: Settings) -> None:
    """Update the entity registry's deleted entry of a sensor before the sensor is added again.

    The registry restores the deleted entry. As with core's sensors, the configuration decides
    whether the entity is enabled and visible, unless the user has disabled or hidden it, and
    which entity id it has.
    """
    registry = er.async_get(hass)
    unique_id = settings.unique_id
    if unique_id is None:
        return
    deleted = registry.deleted_entities.get((BINARY_SENSOR_DOMAIN, DOMAIN, unique_id))
    if deleted is None:
        return
    enable = (
        settings.enabled_by_default and deleted.disabled_by is er.RegistryEntryDisabler.INTEGRATION
    )
    show = settings.visible_by_default and deleted.hidden_by is er.RegistryEntryHider.INTEGRATION
    if not (enable or show or settings.default_entity_id):
        return
    entry = registry.async_get_or_create(BINARY_SENSOR_DOMAIN, DOMAIN, unique_id)
    entity_id = entry.entity_id
    if settings.default_entity_id:
        object_id = settings.default_entity_id.rpartition(".")[2]
        entity_id = registry.async_get_available_entity_id(
            BINARY_SENSOR_DOMAIN, object_id, current_entity_id=entity_id
        )
    registry.async_update_entity(
        entry.entity_id,
        disabled_by=None if enable else UNDEFINED,
        hidden_by=None if show else UNDEFINED,
        new_entity_id=entity_id if entity_id != entry.entity_id else UNDEFINED,
    )
