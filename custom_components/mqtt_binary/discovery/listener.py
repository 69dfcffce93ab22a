"""Sensors that devices announce: one per topic, changed and removed by later messages."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
import logging
import re
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import EntityPlatform

from ..const import DOMAIN
from ..data import Data
from ..mqtt import ReceiveMessage, async_subscribe
from ..payload import Payload, UnreadablePayloadError, text_of
from ..settings import Settings
from .devices import remove_if_unused
from .entity import DiscoveredBinarySensor
from .message import BadPayloadError, read

_LOGGER = logging.getLogger(__name__)

ENCODING: Final = "utf-8"

_TOPIC_LEVELS = re.compile(r"(?:[a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+")

type DiscoveryConfigEntry = ConfigEntry[Discovery]


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A sensor and the message that describes it."""

    payload: str
    sensor: DiscoveredBinarySensor


@dataclass(frozen=True, kw_only=True)
class Pending:
    """The latest message of a topic, and whether one before it took the sensor away."""

    payload: Payload
    removed: bool


class Discovery:
    """Listens to `<prefix>/binary_sensor/[<node_id>/]<object_id>/config`."""

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
        self._platform = platform
        self._root = f"{prefix}/{Platform.BINARY_SENSOR}/"
        self.announced: dict[str, Announced] = {}
        self._refused: dict[str, int] = {}  # topic → hash of the message
        self._pending: dict[str, Pending] = {}
        self._worker: asyncio.Task[None] | None = None
        self._unsubscribes: list[CALLBACK_TYPE] = []

    async def async_start(self) -> Callable[[], None]:
        """Listen from now on; call the result to stop."""
        await self._data.connection.async_join(self)

        @callback
        def stop() -> None:
            self._data.connection.leave(self)
            self._pending.clear()
            if self._worker is not None:
                self._worker.cancel()
            for announced in self.announced.values():
                self._data.unique_ids.release(announced.sensor)

        return stop

    @property
    def idle(self) -> bool:
        """Return whether every message that arrived has been processed."""
        return self._worker is None

    async def async_subscribe(self) -> None:
        """Subscribe to the topics with and without a node id."""
        if self._unsubscribes:
            return
        for levels in ("+", "+/+"):
            topic = f"{self._root}{levels}/config"
            self._unsubscribes.append(
                await async_subscribe(self._hass, topic, self._received, encoding=ENCODING)
            )

    @callback
    def unsubscribe(self) -> None:
        """Drop both subscriptions."""
        while self._unsubscribes:
            self._unsubscribes.pop()()

    @callback
    def connection_changed(self) -> None:
        """Do nothing: the broker sends the retained messages again by itself."""

    @callback
    def _received(self, message: ReceiveMessage) -> None:
        # Only the latest message of a topic counts, so a flood holds one per topic.
        previous = self._pending.get(message.topic)
        self._pending[message.topic] = Pending(
            payload=message.payload,
            removed=previous is not None and (previous.removed or not previous.payload),
        )
        if self._worker is None:
            self._worker = self._entry.async_create_background_task(
                self._hass, self._work(), "mqtt_binary discovery", eager_start=False
            )

    async def _work(self) -> None:
        """Process one message after the other, and let others run in between."""
        try:
            while self._pending:
                topic = next(iter(self._pending))
                pending = self._pending.pop(topic)
                try:
                    if pending.removed or not pending.payload:
                        self._refused.pop(topic, None)
                        await self._remove(topic)
                    if pending.payload:
                        await self._process(topic, pending.payload)
                except Exception:
                    _LOGGER.exception("Discovery topic %s: unexpected failure", topic)
                await asyncio.sleep(0)
        finally:
            self._worker = None

    async def _process(self, topic: str, received: Payload) -> None:
        announced = self._still_there(topic)
        if announced is not None and announced.payload == received:
            _LOGGER.debug(
                "Discovery topic %s: ignored a message of length %d: it is the same as before",
                topic,
                len(received),
            )
            return
        news = self._refused.get(topic) != hash(received)
        try:
            payload, settings, unknown = self._read(topic, received)
            if unknown and news:
                _LOGGER.warning(
                    "Discovery topic %s: unknown keys ignored: %s", topic, ", ".join(unknown)
                )
            sensor = await self._change_or_add(topic, announced, settings)
        except (BadPayloadError, UnreadablePayloadError, HomeAssistantError) as err:
            # When it comes again it is tried again: the unique id may have become free.
            self._refused[topic] = hash(received)
            level = logging.WARNING if news else logging.DEBUG
            _LOGGER.log(level, "Discovery topic %s: the message is ignored: %s", topic, err)
            return
        self._refused.pop(topic, None)
        self.announced[topic] = Announced(payload=payload, sensor=sensor)

    def _read(self, topic: str, received: Payload) -> tuple[str, Settings, list[str]]:
        levels = topic.removeprefix(self._root).removesuffix("/config")
        if _TOPIC_LEVELS.fullmatch(levels) is None:
            raise BadPayloadError(
                "the node id and the object id in the topic may only have letters, digits, _ and -"
            )
        payload = text_of(received, ENCODING)
        return payload, *read(payload)

    async def _change_or_add(
        self, topic: str, announced: Announced | None, settings: Settings
    ) -> DiscoveredBinarySensor:
        unique_ids = self._data.unique_ids
        if announced is not None:
            sensor = announced.sensor
            unique_ids.check(settings, sensor)
            if sensor.unique_id != settings.unique_id:
                await self._remove(topic)
            elif self._is_added(sensor):
                await sensor.async_apply(settings)
                return sensor
            else:
                # Disabled: there is nothing running that could be changed.
                del self.announced[topic]
                unique_ids.release(sensor)
        sensor = DiscoveredBinarySensor(
            self._hass, self._data, settings, entry_id=self._entry.entry_id
        )
        unique_ids.claim(sensor)
        await self._platform.async_add_entities([sensor])
        if not self._is_added(sensor) and not self._is_disabled(sensor):
            unique_ids.release(sensor)
            raise HomeAssistantError("Home Assistant refused the sensor, see the error before")
        return sensor

    async def _remove(self, topic: str) -> None:
        if (announced := self.announced.pop(topic, None)) is None:
            return
        sensor = announced.sensor
        self._data.unique_ids.release(sensor)
        if self._is_added(sensor):
            await sensor.async_remove(force_remove=True)
        if (registered := self._registered(sensor)) is not None:
            er.async_get(self._hass).async_remove(registered.entity_id)
            remove_if_unused(self._hass, self._entry.entry_id, registered.device_id)

    def _still_there(self, topic: str) -> Announced | None:
        """Return what was announced on a topic, unless the user has deleted it since."""
        announced = self.announced.get(topic)
        if announced is None:
            return None
        sensor = announced.sensor
        if self._is_added(sensor) or self._is_disabled(sensor):
            return announced
        del self.announced[topic]
        self._data.unique_ids.release(sensor)
        return None

    def _is_added(self, sensor: DiscoveredBinarySensor) -> bool:
        return self._platform.entities.get(sensor.entity_id or "") is sensor

    def _is_disabled(self, sensor: DiscoveredBinarySensor) -> bool:
        registered = self._registered(sensor)
        return registered is not None and registered.disabled

    def _registered(self, sensor: DiscoveredBinarySensor) -> er.RegistryEntry | None:
        if (unique_id := sensor.settings.unique_id) is None:
            return None
        registry = er.async_get(self._hass)
        entity_id = registry.async_get_entity_id(Platform.BINARY_SENSOR, DOMAIN, unique_id)
        return None if entity_id is None else registry.async_get(entity_id)
