"""Subscribe to discovery messages and process them one by one."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
import logging
import re
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_DEVICE, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.entity_platform import EntityPlatform

from ..data import Data
from ..mqtt import ReceiveMessage, async_subscribe
from ..payload.text import Payload, UnreadablePayloadError, text_of
from .message import (
    MAX_CONFIG_CHARACTERS,
    MAX_DEVICE_CHARACTERS,
    BadPayloadError,
    components_of,
    config_of,
    is_migration,
    parse,
    unknown_of_device,
)
from .prefix import ENCODING, topics
from .sensors import AnnouncedSensors, Place

_LOGGER = logging.getLogger(__name__)

_TOPIC_LEVELS = re.compile(r"(?:[a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+")

type DiscoveryConfigEntry = ConfigEntry[Discovery]


class Discovery:
    """Subscribes to `<prefix>/<kind>/[<node_id>/]<object_id>/config`.

    The kind is `binary_sensor`, or `device` for a message with all components of a device.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        entry: DiscoveryConfigEntry,
        data: Data,
        platform: EntityPlatform,
        prefix: str,
    ) -> None:
        self._hass = hass
        self._entry = entry
        self._data = data
        self._prefix = prefix
        self.sensors = AnnouncedSensors(hass, data, platform, entry.entry_id)
        self._messages: deque[ReceiveMessage] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._unsubscribes: list[CALLBACK_TYPE] = []

    async def async_start(self) -> Callable[[], None]:
        """Start discovery; return a function that stops it."""
        await self._data.connection.async_join(self)

        @callback
        def stop() -> None:
            self._data.connection.leave(self)
            self._messages.clear()
            if self._worker is not None:
                self._worker.cancel()
            self.sensors.release_ids()

        return stop

    @property
    def idle(self) -> bool:
        """Return whether every message that arrived has been processed."""
        return self._worker is None

    async def async_subscribe(self) -> None:
        """Subscribe to the announcements of sensors and of devices."""
        if self._unsubscribes:
            return
        for topic in topics(self._prefix):
            self._unsubscribes.append(
                await async_subscribe(self._hass, topic, self._received, encoding=ENCODING)
            )

    @callback
    def unsubscribe(self) -> None:
        """Drop the subscriptions."""
        while self._unsubscribes:
            self._unsubscribes.pop()()

    @callback
    def connection_changed(self) -> None:
        """Do nothing: after a reconnection, the broker sends the retained messages again."""

    @callback
    def _received(self, message: ReceiveMessage) -> None:
        self._messages.append(message)
        if self._worker is None:
            self._worker = self._entry.async_create_background_task(
                self._hass, self._work(), "mqtt_binary discovery", eager_start=False
            )

    async def _work(self) -> None:
        """Process the queued messages, yielding to other tasks in between."""
        try:
            while self._messages:
                message = self._messages.popleft()
                try:
                    await self._process(message.topic, message.payload)
                    await self.sensors.announce_waiting()
                except Exception:
                    _LOGGER.exception("Discovery topic %s: unexpected failure", message.topic)
                await asyncio.sleep(0)
        finally:
            self._worker = None

    async def _process(self, topic: str, payload: Payload) -> None:
        if not payload:
            await self._remove(topic)
            return
        try:
            kind, _, levels = topic.removeprefix(f"{self._prefix}/").partition("/")
            if _TOPIC_LEVELS.fullmatch(levels.removesuffix("/config")) is None:
                raise BadPayloadError(  # noqa: TRY301  (logged like errors in the payload)
                    "the node id and the object id in the topic may only have letters, digits, "
                    "_ and -"
                )
            longest = MAX_DEVICE_CHARACTERS if kind == CONF_DEVICE else MAX_CONFIG_CHARACTERS
            message = parse(text_of(payload, ENCODING), longest=longest)
            if is_migration(message):
                for place in self.sensors.places(topic):
                    await self.sensors.hand_over(place)
            elif kind == CONF_DEVICE:
                await self._process_device(topic, message)
            elif not message:
                await self._remove(topic)  # as core does with `{}`
            else:
                await self.sensors.announce(Place(topic), message)
        except (BadPayloadError, UnreadablePayloadError) as err:
            self.sensors.refuse(Place(topic), err)

    async def _remove(self, topic: str) -> None:
        for place in self.sensors.places(topic):
            await self.sensors.remove(place)
        self.sensors.forget_refusal(Place(topic))

    async def _process_device(self, topic: str, message: Mapping[str, Any]) -> None:
        """Process each component; an error in one does not affect the others."""
        components = components_of(message)
        self.sensors.forget_refusal(Place(topic))
        self.sensors.log_unknown(topic, unknown_of_device(message))
        for component_id, component in components.items():
            place = Place(topic, component_id)
            try:
                platform, config = config_of(message, component)
            except BadPayloadError as err:
                self.sensors.refuse(place, err)
                continue
            if platform != Platform.BINARY_SENSOR:
                _LOGGER.debug("Discovery topic %s: ignored: a %s is not ours", place, platform)
            elif config:
                await self.sensors.announce(place, config)
                await asyncio.sleep(0)
            else:
                await self.sensors.remove(place)
