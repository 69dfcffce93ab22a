"""The binary sensor entity."""

from typing import Any, Final, override

from homeassistant.components.binary_sensor import ENTITY_ID_FORMAT, BinarySensorEntity
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.entity import async_generate_entity_id
from homeassistant.helpers.group import IntegrationSpecificGroup
from homeassistant.helpers.restore_state import RestoreEntity
from homeassistant.util import dt as dt_util

from .. import const
from ..data import Data
from ..mqtt import ReceiveMessage, async_subscribe
from ..payload.reader import REFUSED, Reader
from ..settings import Settings
from .availability import Availability
from .state import BinaryState, LastValue

type Subscription = tuple[str, int, str]
"""Topic, quality of service, encoding."""

_NO_ATTRIBUTES: Final[dict[str, Any]] = {}


class MqttBinarySensor(BinarySensorEntity, RestoreEntity):
    """A binary sensor, set by the messages on its topic.

    A message updates availability, attributes and value, as far as its topic is theirs; then the
    state is written once if anything has changed.
    """

    _attr_has_entity_name = True
    _attr_should_poll = False
    _unrecorded_attributes = frozenset({const.CONF_LAST_HEARD})

    settings: Settings
    _reader: Reader
    group: IntegrationSpecificGroup | None = None
    is_announced = True
    """Whether the device still announces it, if it follows announcements."""

    def __init__(
        self,
        hass: HomeAssistant,
        data: Data,
        settings: Settings,
        *,
        entry_id: str | None = None,
        last: LastValue | None = None,
    ) -> None:
        """Create the sensor; `entry_id` is that of its config entry, None for YAML.

        `last` is the last value of the sensor that it replaces.
        """
        self.hass = hass
        self.entry_id = entry_id
        self._data = data
        self._last = last
        self._state = BinaryState(hass, self.async_write_ha_state)
        self._availability: Availability | None = None
        self._subscriptions: dict[Subscription, CALLBACK_TYPE] = {}
        self._attr_extra_state_attributes = _NO_ATTRIBUTES
        if settings.default_entity_id:
            self.entity_id = async_generate_entity_id(
                ENTITY_ID_FORMAT, settings.default_entity_id.rpartition(".")[2], hass=hass
            )
        if settings.group is not None:
            self.group = IntegrationSpecificGroup(self, settings.group)
        self._take_settings(settings)

    def _take_settings(self, settings: Settings) -> None:
        self.settings = settings
        self._attr_unique_id = settings.unique_id
        self._attr_name = self._name_of(settings)
        self._attr_device_class = settings.device_class
        self._attr_icon = settings.icon
        self._attr_entity_picture = settings.entity_picture
        self._attr_entity_category = settings.entity_category
        self._attr_force_update = settings.force_update
        self._attr_entity_registry_enabled_default = settings.enabled_by_default
        self._attr_entity_registry_visible_default = settings.visible_by_default
        if self.group is not None:
            self.group.member_unique_ids = settings.group or []
        if settings.json_attributes_topic is None:
            self._attr_extra_state_attributes = (
                _last_heard_in(self._attr_extra_state_attributes)
                if settings.last_heard
                else _NO_ATTRIBUTES
            )
        self._availability = (
            Availability(settings.availability, settings.availability_mode, self._availability)
            if settings.availability
            else None
        )
        self._state.configure(
            on_delay=settings.on_delay,
            off_delay=settings.off_delay,
            expire_after=settings.expire_after,
        )

    def _create_reader(self, settings: Settings) -> None:
        self._reader = Reader(self.hass, self._data.json, settings, self.entity_id, self._attr_name)

    def _name_of(self, settings: Settings) -> str | None:
        # Without a device, the sensor needs a name.
        return settings.name or const.DEFAULT_NAME

    @property
    @override
    def is_on(self) -> bool | None:
        return self._state.value

    @property
    @override
    def available(self) -> bool:
        return (
            self._data.connection.connected
            and self.is_announced
            and (self._availability is None or self._availability.available)
            and not self._state.expired
        )

    @property
    @override
    def extra_restore_state_data(self) -> LastValue | None:
        if not self.settings.restore:
            return None
        return LastValue(
            value=self._state.value,
            received=self._state.received,
            attributes=self._attr_extra_state_attributes,
            availability={} if self._availability is None else self._availability.by_topic,
            pending=self._state.pending,
        )

    @override
    async def async_added_to_hass(self) -> None:
        settings = self.settings
        self._data.unique_ids.claim(self)
        self._create_reader(settings)
        # A sensor that is added again, for example under a new entity id, still has its value.
        if self._state.started is None:
            last = self._last
            if last is None and settings.restore:
                last = LastValue.from_stored(await self.async_get_last_extra_data())
            if last is not None:
                self._restore(last)
        self._state.start()
        await self._data.connection.async_join(self)

    def _with_last_heard(self, attributes: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return new attributes, with `last_heard` kept."""
        if attributes is None or not self.settings.last_heard:
            return attributes
        return attributes | _last_heard_in(self._attr_extra_state_attributes)

    def _restore(self, last: LastValue) -> None:
        self._state.restore(last)
        if self.settings.json_attributes_topic is not None:
            self._attr_extra_state_attributes = last.attributes
        elif self.settings.last_heard:
            self._attr_extra_state_attributes = _last_heard_in(last.attributes)
        if self._availability is not None:
            self._availability.restore(last.availability)

    def attach_to_device(self, device: dr.AnyDeviceEntry | None) -> None:
        """Attach to a device of another integration; the sensor's name includes the device name."""
        self.device_entry = device
        self._attr_has_entity_name = False

    @override
    async def async_will_remove_from_hass(self) -> None:
        self._state.stop()
        self._data.connection.leave(self)
        self._data.unique_ids.release(self)

    async def async_apply(self, settings: Settings) -> None:
        """Apply new settings; the value is kept until the next message."""
        self._take_settings(settings)
        self._create_reader(settings)
        if self._data.connection.set_up:
            await self.async_subscribe()
        self.async_write_ha_state()

    async def async_subscribe(self) -> None:
        """Subscribe to missing topics, and unsubscribe from those not needed any more."""
        settings = self.settings
        subscriptions = [(topic, settings.qos, settings.encoding) for topic in settings.topics]
        for subscription in self._subscriptions.keys() - subscriptions:
            self._subscriptions.pop(subscription)()
        for subscription in subscriptions:
            if subscription not in self._subscriptions:
                topic, qos, encoding = subscription
                self._subscriptions[subscription] = await async_subscribe(
                    self.hass, topic, self._received, qos, encoding or None
                )

    @callback
    def unsubscribe(self) -> None:
        """Drop all subscriptions."""
        while self._subscriptions:
            self._subscriptions.popitem()[1]()

    @callback
    def connection_changed(self) -> None:
        """Become available or unavailable with the broker."""
        if self.available is self.hass.states.is_state(self.entity_id, STATE_UNAVAILABLE):
            self.async_write_ha_state()

    @callback
    def _received(self, message: ReceiveMessage) -> None:
        topic = message.subscribed_topic
        settings = self.settings
        write = False
        availability = self._availability
        if availability is not None and topic in availability.topics:
            was_available = self.available
            is_available = self._reader.availability(availability.topics[topic], message)
            if is_available is not None:
                availability.receive(topic, is_available=is_available)
                write = self.available is not was_available
        if topic == settings.json_attributes_topic:
            attributes = self._with_last_heard(self._reader.attributes(message))
            if attributes not in (None, self._attr_extra_state_attributes):
                self._attr_extra_state_attributes = attributes
                write = True
        if topic == settings.state_topic:
            value = self._reader.value(message)
            if value is not REFUSED:
                write |= self._state.accept(value) or settings.force_update
                if settings.last_heard:
                    self._attr_extra_state_attributes = {
                        **self._attr_extra_state_attributes,
                        const.CONF_LAST_HEARD: dt_util.utcnow().isoformat(),
                    }
                    write = True
        if write:
            self.async_write_ha_state()


def _last_heard_in(attributes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if key == const.CONF_LAST_HEARD}
