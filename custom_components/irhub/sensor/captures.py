"""Sensors that count a receiver's captures: presses, ambient infrared, unreadable signals."""

from typing import Final, override

from homeassistant.components.sensor import SensorEntity, SensorStateClass
from homeassistant.const import EntityCategory

from ..entities.entity import ListeningEntity
from ..entities.use import Use
from ..hub.receiver import Capture

_KEYS: Final = {
    Capture.PRESS: "captured_press",
    Capture.NOISE: "captured_noise",
    Capture.UNREADABLE: "captured_unreadable",
}


class CapturesSensor(ListeningEntity, SensorEntity):
    """Counts the captures of one kind since start-up; statistics show the number per day.

    It is polled, so that not every press writes a state.
    """

    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_entity_registry_enabled_default = False
    _attr_should_poll = True
    _attr_state_class = SensorStateClass.TOTAL_INCREASING

    def __init__(self, use: Use, capture: Capture) -> None:
        key = self._attr_translation_key = _KEYS[capture]
        super().__init__(use, key=key)
        self._capture = capture

    @property
    @override
    def native_value(self) -> int:
        """Return the number of captures."""
        return self._receiver.counts[self._capture]
