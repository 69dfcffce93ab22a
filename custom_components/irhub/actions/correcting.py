"""The action `irhub.set_state`: corrects assumed states without sending anything."""

from collections.abc import Iterable, Mapping
from typing import Final

from homeassistant.const import ATTR_ENTITY_ID, ATTR_STATE, ATTR_TEMPERATURE, ENTITY_MATCH_ALL
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.service import remove_entity_service_fields
from homeassistant.helpers.target import TargetSelection, async_extract_referenced_entity_ids
import voluptuous as vol

from ..entities.correcting import Correctable, Value, correctable_entities
from ..errors import UserError, list_names
from .permissions import async_check_control

_STATE: Final = "state"
_WORDS: Final = {True: "on", False: "off"}
"""YAML parses unquoted `on` and `off` as booleans."""


def _word(value: object) -> str:
    return cv.string(_WORDS[value] if isinstance(value, bool) else value)


_number = vol.All(vol.Coerce(float), vol.Range(min=0, max=100_000))
_FIELDS: Final[Mapping[vol.Marker, object]] = {
    vol.Exclusive(ATTR_STATE, _STATE): _word,
    vol.Exclusive("hvac_mode", _STATE): _word,
    **{
        vol.Optional(field): _number
        for field in (ATTR_TEMPERATURE, "percentage", "brightness", "color_temp_kelvin")
    },
    **{
        vol.Optional(field): _word
        for field in ("fan_mode", "swing_mode", "preset_mode", "direction", "effect")
    },
    **{vol.Optional(field): cv.string for field in ("source", "sound_mode")},
    **{vol.Optional(field): cv.boolean for field in ("oscillating", "is_volume_muted")},
}
SET_STATE_SCHEMA: Final = cv.make_entity_service_schema(dict(_FIELDS))


async def async_set_state(hass: HomeAssistant, call: ServiceCall) -> None:
    """Set the actual state of devices, even while their hub is unavailable.

    Not an entity service, since Home Assistant skips unavailable entities. An error of one entity
    does not affect the others. Raise Unauthorized if the user may not control one of them,
    UserError for an impossible state.
    """
    fields: dict[str, Value] = remove_entity_service_fields(call)
    errors: list[UserError] = []
    for entity in await _entities_of(hass, call):
        try:
            await entity.async_correct(fields, call.context)
        except UserError as err:
            errors.append(err)
    if errors:
        raise errors[0]


async def _entities_of(hass: HomeAssistant, call: ServiceCall) -> Iterable[Correctable]:
    """Return the entities that a call targets. Raise as `async_set_state`."""
    entities = correctable_entities(hass)
    if call.data.get(ATTR_ENTITY_ID) == ENTITY_MATCH_ALL:
        named, chosen = set[str](), {*entities}
    else:
        selected = async_extract_referenced_entity_ids(hass, TargetSelection(call.data))
        named = selected.referenced
        chosen = named | (selected.indirectly_referenced & entities.keys())
    for entity_id in sorted(chosen):
        await async_check_control(hass, call.context, entity_id)
    if unknown := named - entities.keys():
        raise UserError("correct_other", entity_id=list_names(unknown))
    if not chosen:
        raise UserError("correct_none")
    return [entities[entity_id] for entity_id in sorted(chosen)]
