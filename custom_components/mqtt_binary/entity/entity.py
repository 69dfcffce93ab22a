"""The binary sensor."""

from typing import override

from homeassistant.components.binary_sensor import ENTITY_ID_FORMAT, BinarySensorEntity
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.entity import async_generate_entity_id
from homeassistant.helpers.group import IntegrationSpecificGroup
from homeassistant.helpers.restore_state import RestoreEntity

from ..const import DEFAULT_NAME
from ..data import Data
from ..mqtt import ReceiveMessage, async_subscribe
from ..payload.problems import Problems
from ..payload.reader import REFUSED, ValueReader
from ..payload.templates import Templates
from ..settings import Settings
from .attributes import read_attributes
from .availability import Availability
from .restore import LastValue
from .state import BinaryState

type Subscription = tuple[str, int, str]
"""Topic, quality of service, encoding."""


class MqttBinarySensor(BinarySensorEntity, RestoreEntity):
    """On, off or unknown, as the messages on its topic say.

    A message goes one way: availability, attributes and value each take what is theirs,
    then the state is written, once, if anything changed.
    """

    _attr_has_entity_name = True
    _attr_should_poll = False

    settings: Settings
    _reader: ValueReader

    def __init__(self, hass: HomeAssistant, data: Data, settings: Settings) -> None:
        self.hass = hass
        self._data = data
        self._problems = Problems()
        self._templates = Templates(data.renderer, self._problems)
        self._state = BinaryState(hass, self._write)
        self._availability: Availability | None = None
        self._available = False
        self._subscriptions: dict[Subscription, CALLBACK_TYPE] = {}
        if settings.default_entity_id is not None:
            self.entity_id = async_generate_entity_id(
                ENTITY_ID_FORMAT, settings.default_entity_id.rpartition(".")[2], hass=hass
            )
        if settings.group is not None:
            self.group = IntegrationSpecificGroup(self, list(settings.group))
        self._attr_extra_state_attributes = {}
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
        if settings.attributes_topic is None:
            self._attr_extra_state_attributes = {}
        self._availability = (
            Availability(settings.availability, settings.availability_mode, self._availability)
            if settings.availability
            else None
        )
        self._state.configure(off_delay=settings.off_delay, expire_after=settings.expire_after)
        self._reader = ValueReader(settings, self._templates, self._problems)

    def _name_of(self, settings: Settings) -> str | None:
        # There is no device to take a name from.
        return settings.name or DEFAULT_NAME

    def _prepare_to_read(self) -> None:
        self._templates.configure(self.settings.encoding, self.entity_id, self._attr_name)

    @property
    @override
    def is_on(self) -> bool | None:
        return self._state.value

    @property
    @override
    def available(self) -> bool:
        return self._available

    @property
    @override
    def extra_restore_state_data(self) -> LastValue | None:
        if not self.settings.restore:
            return None
        return LastValue(
            value=self._state.value,
            received=self._state.received,
            attributes=dict(self._attr_extra_state_attributes),
        )

    @override
    async def async_added_to_hass(self) -> None:
        self._data.unique_ids.claim(self.unique_id, self, self.settings.state_topic)
        self._prepare_to_read()
        await self._restore()
        self._state.start()
        await self._data.connection.async_join(self)
        self._available = self._is_available()

    async def _restore(self) -> None:
        if not self.settings.restore or self._state.started:
            return
        last = LastValue.from_stored(await self.async_get_last_extra_data())
        if last is None:
            return
        self._state.restore(last.value, last.received)
        if self.settings.attributes_topic is not None:
            self._attr_extra_state_attributes = last.attributes

    @override
    async def async_will_remove_from_hass(self) -> None:
        self._state.suspend()
        self._data.connection.leave(self)
        self._data.unique_ids.release(self.unique_id, self)

    async def async_subscribe(self) -> None:
        """Subscribe to what is not subscribed yet, and drop what is no longer wanted."""
        settings = self.settings
        wanted = [(topic, settings.qos, settings.encoding) for topic in settings.topics]
        for subscription in self._subscriptions.keys() - wanted:
            self._subscriptions.pop(subscription)()
        for subscription in wanted:
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
        if self._is_available() is not self._available:
            self._write()

    @callback
    def _received(self, message: ReceiveMessage) -> None:
        topic = message.subscribed_topic
        settings = self.settings
        write = False
        if self._availability is not None and topic in self._availability.topics:
            self._availability.receive(message, self._templates, self._problems)
            write = self._is_available() is not self._available
        if topic == settings.attributes_topic and self._take_attributes(message):
            write = True
        if topic == settings.state_topic and self._take_value(message):
            write = True
        if write:
            self._write()

    def _take_attributes(self, message: ReceiveMessage) -> bool:
        attributes = read_attributes(
            message, self.settings.attributes_template, self._templates, self._problems
        )
        if attributes is None or attributes == self._attr_extra_state_attributes:
            return False
        self._attr_extra_state_attributes = attributes
        return True

    def _take_value(self, message: ReceiveMessage) -> bool:
        settings = self.settings
        if message.retain and settings.ignore_retained:
            self._problems.not_for_us("value", message, "it is retained")
            return False
        value = self._reader.read(message)
        if value is REFUSED:
            return False
        return self._state.accept(value) or settings.force_update

    def _is_available(self) -> bool:
        return (
            self._data.connection.connected
            and (self._availability is None or self._availability.available)
            and not self._state.expired
        )

    @callback
    def _write(self) -> None:
        self._available = self._is_available()
        self.async_write_ha_state()
