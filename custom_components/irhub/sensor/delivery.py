"""Sensor for the delivery of a device's last command."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final, override

from homeassistant.components.sensor import SensorDeviceClass, SensorEntity
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from ..devices.deliveries import Delivered
from ..devices.device import Device
from ..entities.entity import IrhubEntity
from ..entities.use import Use
from ..hub.link_quality import Outcome

_SUFFIX: Final = "-delivery"
"""Suffix of the unique id, after the id of the device."""
ATTR_HEARD_BY: Final = "heard_by"
ATTR_MISSED_BY: Final = "missed_by"
ATTR_SENT_AGAIN: Final = "sent_again"


class DeliverySensor(IrhubEntity, SensorEntity):
    """The last command of a device: confirmed, in doubt, or unknown."""

    _attr_device_class = SensorDeviceClass.ENUM
    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _attr_entity_registry_enabled_default = False
    _attr_options: ClassVar[list[str]] = [outcome.value for outcome in Outcome]  # type: ignore[misc]  # nobody changes it
    _attr_translation_key = "delivery"

    def __init__(self, use: Use, device: Device) -> None:
        super().__init__(use, None)
        self._attr_unique_id = device.id + _SUFFIX
        self._use = use
        self._device_id = device.id
        self._delivered = Delivered(outcome=None)

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the deliveries of the device, for which all receivers listen."""
        deliveries = self._use.devices.sender.deliveries
        self.async_on_remove(deliveries.async_follow(self._use.hub, self._device_id, self._sent))

    @callback
    def _sent(self, delivered: Delivered) -> None:
        self._delivered = delivered
        self.async_write_ha_state()

    @property
    @override
    def native_value(self) -> str | None:
        """Return the outcome; None if nothing can be concluded."""
        outcome = self._delivered.outcome
        return None if outcome is None else outcome.value

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, Any]:
        """Return the receivers that received or missed it, and how often it was sent again."""
        return {
            ATTR_HEARD_BY: self._delivered.heard_by,
            ATTR_MISSED_BY: self._delivered.missed_by,
            ATTR_SENT_AGAIN: self._delivered.sent_again,
        }


@callback
def async_add_deliveries(use: Use, async_add_entities: AddConfigEntryEntitiesCallback) -> None:
    """Add the sensor of each device whose commands another receiver may receive."""
    registries, added = use.registries, set[str]()

    def make(device: Device, use: Use) -> list[DeliverySensor]:
        sensor = DeliverySensor(use, device)
        sensor.async_on_remove(partial(removed, device.id))
        return [sensor]

    @callback
    def removed(id_: str) -> None:
        """Handle a removed sensor; if it is not registered any more, it may be added again."""
        if registries.entity_id(Platform.SENSOR, id_ + _SUFFIX) is None:
            added.discard(id_)

    def is_observable(device: Device) -> bool:
        emitters = use.devices.sender.emitters_of(device) or use.hub.emitter_ids
        return not device.is_radio and use.hub.delivery.has_others(emitters)

    @callback
    def changed() -> None:
        added.intersection_update(use.devices)
        for id_, device in use.devices.items():
            is_ready = id_ not in added and not registries.lacks_subentry(device)
            if is_ready and (
                registries.entity_id(Platform.SENSOR, id_ + _SUFFIX) is not None
                or is_observable(device)
            ):
                added.add(id_)
                with use.isolated_setup(device, Platform.SENSOR):
                    use.add(async_add_entities, device, partial(make, device))

    use.async_on_end(use.devices.async_add_listener(changed))
    use.async_on_end(use.hub.delivery.async_when_others(changed))
    changed()
