"""Sensor for the subscribers of a hub's receiver."""

from typing import Any, Final, override

from homeassistant.components.sensor import SensorEntity
from homeassistant.const import EntityCategory
from homeassistant.core import callback
from homeassistant.helpers.typing import StateType

from ..entities.entity import ListeningEntity
from ..entities.use import Use

_MAX_STATE: Final = 255
"""Maximum length of a state in Home Assistant."""


class ListeningSensor(ListeningEntity, SensorEntity):
    """Shows for whom a hub listens: learning sessions, followers, other integrations."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_translation_key = "listening"

    def __init__(self, use: Use) -> None:
        super().__init__(use, key="listening")

    @property
    @override
    def native_value(self) -> StateType:
        """Return the names, truncated to the length of a state; the attribute has all."""
        return ", ".join(self._receiver.listens_for)[:_MAX_STATE] or "nobody"

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the names as a list."""
        return {"listeners": self._receiver.listens_for}

    @callback
    @override
    def _hub_changed(self) -> None:
        self._attr_available = self._is_available()
        self.async_write_ha_state()
