"""Targets of `button.press`: whether an action names a button itself or its area or device."""

from typing import Any, Final

from homeassistant.components.button.const import DOMAIN as BUTTON, SERVICE_PRESS
from homeassistant.const import ATTR_DOMAIN, ATTR_ENTITY_ID, ATTR_SERVICE, EVENT_CALL_SERVICE
from homeassistant.core import CALLBACK_TYPE, Context, Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.target import TargetSelection, async_extract_referenced_entity_ids

_REMEMBERED: Final = 32
"""Maximum number of actions that are recorded."""


class PressTargets:
    """The targets of current `button.press` actions.

    Home Assistant does not pass the target to an entity, but fires an event before each action.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._targets: dict[str, dict[str, Any]] = {}
        """Context id → target of the action, latest last."""

    @callback
    def async_follow(self) -> CALLBACK_TYPE:
        """Start to record actions. Return a function that ends it."""
        return self._hass.bus.async_listen(EVENT_CALL_SERVICE, self._called, _is_press)

    @callback
    def _called(self, event: Event[dict[str, Any]]) -> None:
        self._targets.pop(event.context.id, None)
        self._targets[event.context.id] = event.data["service_data"]
        if len(self._targets) > _REMEMBERED:
            del self._targets[next(iter(self._targets))]

    @callback
    def names(self, entity_id: str, context: Context | None) -> bool:
        """Return whether the action names the button itself, by entity id, group or label.

        It is also true if the target of the action is unknown.
        """
        target = self._targets.get(context.id, {}) if context is not None else {}
        selected = TargetSelection(target)
        if not (
            selected.area_ids or selected.device_ids or selected.floor_ids or selected.label_ids
        ):
            return True
        ids = TargetSelection({ATTR_ENTITY_ID: [*selected.entity_ids]})
        if entity_id in async_extract_referenced_entity_ids(self._hass, ids).referenced:
            return True
        entry = er.async_get(self._hass).async_get(entity_id)
        return entry is not None and not entry.labels.isdisjoint(selected.label_ids)


@callback
def _is_press(data: dict[str, Any]) -> bool:
    return bool(data[ATTR_DOMAIN] == BUTTON and data[ATTR_SERVICE] == SERVICE_PRESS)
