"""Sensors that devices announce: one per topic, changed and removed by later messages."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
import logging
import re

from homeassistant.components import mqtt
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import EntityPlatform

from .const import DOMAIN
from .data import Data
from .device import remove_if_empty
from .discovered import DiscoveredBinarySensor
from .discovery_payload import BadPayloadError, read
from .settings import Settings
from .text import SUBSCRIPTION_ENCODING, Encoding

_LOGGER = logging.getLogger(__package__)

_UTF8 = Encoding("utf-8")
_TOPIC_LEVELS = re.compile(r"(?:[a-zA-Z0-9_-]+/)?[a-zA-Z0-9_-]+")

type DiscoveryConfigEntry = ConfigEntry[Discovery]


@dataclass(frozen=True, kw_only=True)
class Found:
    """A sensor and the message that describes it."""

    payload: str
    sensor: DiscoveredBinarySensor


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
        self.found: dict[str, Found] = {}
        self._refused: dict[str, int] = {}
        # Only the latest message of a topic counts, so a flood holds one per topic.
        self._pending: dict[str, str | bytes | bytearray] = {}
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
            for found in self.found.values():
                self._release(found.sensor)

        return stop

    async def async_subscribe(self) -> None:
        """Subscribe to the topics with and without a node id."""
        for levels in ("+", "+/+"):
            self._unsubscribes.append(
                await mqtt.async_subscribe(
                    self._hass,
                    f"{self._root}{levels}/config",
                    self._received,
                    encoding=SUBSCRIPTION_ENCODING,
                )
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
    def _received(self, message: mqtt.ReceiveMessage) -> None:
        self._pending[message.topic] = message.payload
        if self._worker is None:
            self._worker = self._entry.async_create_background_task(
                self._hass, self._work(), "mqtt_binary discovery", eager_start=False
            )

    async def _work(self) -> None:
        """Process one message after the other, and let others run in between."""
        try:
            while self._pending:
                topic = next(iter(self._pending))
                payload = self._pending.pop(topic)
                try:
                    await self._process(topic, payload)
                except Exception:
                    _LOGGER.exception("Discovery topic %s: unexpected failure", topic)
                await asyncio.sleep(0)
        finally:
            self._worker = None

    async def _process(self, topic: str, received: str | bytes | bytearray) -> None:
        if not received:
            self._refused.pop(topic, None)
            await self._remove(topic)
            return
        found = self.found.get(topic)
        if (found is not None and found.payload == received) or self._refused.get(topic) == hash(
            received
        ):
            return
        try:
            payload, settings = self._read(topic, received)
            if found is not None and found.sensor.unique_id != settings.unique_id:
                await self._remove(topic)
                found = None
            elif found is not None and not self._is_added(found.sensor):
                # Disabled: there is nothing running that could be changed.
                self._release(self.found.pop(topic).sensor)
                found = None
            if found is None:
                sensor = await self._add(topic, settings)
            else:
                sensor = found.sensor
                await sensor.async_apply(settings)
        except (BadPayloadError, UnicodeError, HomeAssistantError) as err:
            self._refused[topic] = hash(received)
            _LOGGER.warning("Discovery topic %s: the message is ignored: %s", topic, err)
            return
        self._refused.pop(topic, None)
        self.found[topic] = Found(payload=payload, sensor=sensor)

    def _read(self, topic: str, received: str | bytes | bytearray) -> tuple[str, Settings]:
        levels = topic.removeprefix(self._root).removesuffix("/config")
        if _TOPIC_LEVELS.fullmatch(levels) is None:
            raise BadPayloadError(
                "the node id and the object id in the topic may only have letters, digits, _ and -"
            )
        payload = _UTF8.decode(received)
        settings, unknown = read(payload)
        if unknown:
            _LOGGER.warning(
                "Discovery topic %s: unknown keys ignored: %s", topic, ", ".join(unknown)
            )
        return payload, settings

    async def _add(self, topic: str, settings: Settings) -> DiscoveredBinarySensor:
        @callback
        def forget() -> None:
            self.found.pop(topic, None)

        sensor = DiscoveredBinarySensor(
            self._hass, self._data, settings, entry_id=self._entry.entry_id, forget=forget
        )
        self._data.unique_ids.claim(settings.unique_id, sensor, settings.state_topic)
        await self._platform.async_add_entities([sensor])
        if not self._is_added(sensor) and not self._is_disabled(sensor):
            self._release(sensor)
            raise HomeAssistantError("Home Assistant refused the sensor, see the error before")
        return sensor

    async def _remove(self, topic: str) -> None:
        if (found := self.found.pop(topic, None)) is None:
            return
        sensor = found.sensor
        self._release(sensor)
        if self._is_added(sensor):
            await sensor.async_remove(force_remove=True)
        registry = er.async_get(self._hass)
        if (registered := self._registered(sensor)) is not None:
            registry.async_remove(registered.entity_id)
            remove_if_empty(self._hass, self._entry.entry_id, registered.device_id)

    def _release(self, sensor: DiscoveredBinarySensor) -> None:
        self._data.unique_ids.release(sensor.settings.unique_id, sensor)

    def _is_added(self, sensor: DiscoveredBinarySensor) -> bool:
        return sensor in self._platform.entities.values()

    def _is_disabled(self, sensor: DiscoveredBinarySensor) -> bool:
        registered = self._registered(sensor)
        return registered is not None and registered.disabled

    def _registered(self, sensor: DiscoveredBinarySensor) -> er.RegistryEntry | None:
        if (unique_id := sensor.settings.unique_id) is None:
            return None
        registry = er.async_get(self._hass)
        entity_id = registry.async_get_entity_id(Platform.BINARY_SENSOR, DOMAIN, unique_id)
        return None if entity_id is None else registry.async_get(entity_id)
