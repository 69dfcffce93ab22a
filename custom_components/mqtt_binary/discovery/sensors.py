"""The discovered sensors by place: add, change, move and remove them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
import logging
from typing import Any, NamedTuple, override

from homeassistant.const import CONF_DEVICE, CONF_UNIQUE_ID, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import EntityPlatform

from ..const import DOMAIN
from ..data import Data, DuplicateUniqueIdError
from ..entity.comeback import async_prepare_comeback
from ..settings import Settings
from .devices import remove_if_unused
from .entity import DiscoveredBinarySensor
from .message import MIGRATE_DISCOVERY, BadPayloadError, settings_of

_LOGGER = logging.getLogger(__name__)


class Place(NamedTuple):
    """The place where a sensor is announced: topic, and component id of a device's message."""

    topic: str
    component: str = ""

    @override
    def __str__(self) -> str:
        return f"{self.topic}, component {self.component}" if self.component else self.topic


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A sensor and its announced configuration."""

    config: Mapping[str, Any]
    sensor: DiscoveredBinarySensor


class AnnouncedSensors:
    """All discovered sensors, and what was logged about their announcements."""

    def __init__(
        self, hass: HomeAssistant, data: Data, platform: EntityPlatform, entry_id: str
    ) -> None:
        self._hass = hass
        self._data = data
        self._platform = platform
        self._entry_id = entry_id
        self.by_place: dict[Place, Announced] = {}
        self._waiting: dict[Place, Mapping[str, Any]] = {}  # until their unique id is free
        self._refused: dict[Place, str] = {}  # the reason that was logged
        self._unknown: set[str] = set()  # the keys that were logged
        self._without_device: set[Place] = set()  # for which it was logged

    async def announce(self, place: Place, config: Mapping[str, Any]) -> None:
        """Add or change a sensor, or log why not."""
        self._waiting.pop(place, None)
        announced = self._current(place)
        if announced is not None and announced.config == config:
            _LOGGER.debug("Discovery topic %s: ignored: it is the same as before", place)
            self._refused.pop(place, None)
            return
        try:
            settings, unknown = settings_of(config)
            self.log_unknown(place, unknown)
            self._log_ignored_device(place, config, settings)
            await self._unload_waiting_holder(settings)
            sensor = await self._change_or_add(place, announced, settings)
        except DuplicateUniqueIdError as err:
            self._waiting[place] = config
            self.refuse(place, err)
        except (BadPayloadError, HomeAssistantError) as err:
            self.refuse(place, err)
        else:
            self._refused.pop(place, None)
            self.by_place[place] = Announced(config=config, sensor=sensor)

    async def announce_waiting(self) -> None:
        """Add the waiting sensors whose unique id is free now."""
        unique_ids = self._data.unique_ids
        while free := [
            (place, config)
            for place, config in self._waiting.items()
            if unique_ids.holder(str(config[CONF_UNIQUE_ID])) is None
        ]:
            await self.announce(*free[0])

    async def remove(self, place: Place) -> None:
        """Remove a sensor permanently, and its device if that has no other sensor."""
        self._refused.pop(place, None)
        self._waiting.pop(place, None)
        self._without_device.discard(place)
        if (announced := self.by_place.get(place)) is None:
            return
        await self._unload(place, force_remove=True)
        if (registered := self._registered(announced.sensor)) is not None:
            er.async_get(self._hass).async_remove(registered.entity_id)
            remove_if_unused(self._hass, self._entry_id, registered.device_id)

    async def hand_over(self, place: Place) -> None:
        """Unload a sensor that will be announced elsewhere; its registry entry is kept."""
        if (announced := self.by_place.get(place)) is None:
            return
        if announced.sensor.unique_id is None:
            raise BadPayloadError(f"{MIGRATE_DISCOVERY}: the sensor has no unique_id to go on by")
        await self._unload(place)

    def places(self, topic: str) -> list[Place]:
        """Return all places of a topic, including refused and waiting sensors."""
        all_places = self.by_place.keys() | self._refused.keys() | self._waiting.keys()
        return [place for place in all_places if place.topic == topic]

    def refuse(self, place: Place, err: Exception) -> None:
        """Log once why a sensor is not added or not changed."""
        problem = str(err)
        level = logging.DEBUG if self._refused.get(place) == problem else logging.WARNING
        self._refused[place] = problem
        _LOGGER.log(level, "Discovery topic %s: the message is ignored: %s", place, problem)

    def forget_refusal(self, place: Place) -> None:
        """Forget what was logged about a place, so that it is logged again."""
        self._refused.pop(place, None)

    def log_unknown(self, place: Place | str, keys: Iterable[str]) -> None:
        """Log each unknown key once, since many devices send the same."""
        if new := [key for key in dict.fromkeys(keys) if key not in self._unknown]:
            self._unknown.update(new)
            _LOGGER.info("Discovery topic %s: unknown keys ignored: %s", place, ", ".join(new))

    def _log_ignored_device(
        self, place: Place, config: Mapping[str, Any], settings: Settings
    ) -> None:
        """Log once per place that a sensor without a unique id has no device."""
        if CONF_DEVICE not in config or settings.device is not None:
            self._without_device.discard(place)
        elif place not in self._without_device:
            self._without_device.add(place)
            _LOGGER.warning(
                "Discovery topic %s: %s ignored: it needs %s", place, CONF_DEVICE, CONF_UNIQUE_ID
            )

    @callback
    def release_ids(self) -> None:
        """Release the unique ids of all sensors, which are being unloaded."""
        for announced in self.by_place.values():
            self._data.unique_ids.release(announced.sensor)

    async def _unload_waiting_holder(self, settings: Settings) -> None:
        """Unload the sensor that holds the id if it waits for another: two may swap ids."""
        holder = self._data.unique_ids.holder(settings.unique_id)
        for place in self._waiting:
            if (announced := self.by_place.get(place)) and announced.sensor is holder:
                await self.hand_over(place)
                return

    async def _change_or_add(
        self, place: Place, announced: Announced | None, settings: Settings
    ) -> DiscoveredBinarySensor:
        unique_ids = self._data.unique_ids
        if announced is not None:
            sensor = announced.sensor
            unique_ids.check(settings, sensor)
            if sensor.unique_id != settings.unique_id:
                await self.remove(place)
            elif self._is_added(sensor):
                await sensor.async_apply(settings)
                return sensor
            else:
                # Disabled, so there is no entity to change.
                del self.by_place[place]
                unique_ids.release(sensor)
        sensor = DiscoveredBinarySensor(self._hass, self._data, settings, entry_id=self._entry_id)
        unique_ids.check(settings, sensor)
        sensor.register_device()
        unique_ids.claim(sensor)
        async_prepare_comeback(self._hass, settings)
        await self._platform.async_add_entities([sensor])
        if not self._is_added(sensor) and not self._is_disabled(sensor):
            unique_ids.release(sensor)
            raise HomeAssistantError("Home Assistant refused the sensor, see the error before")
        return sensor

    async def _unload(self, place: Place, *, force_remove: bool = False) -> None:
        sensor = self.by_place.pop(place).sensor
        self._data.unique_ids.release(sensor)
        if self._is_added(sensor):
            await sensor.async_remove(force_remove=force_remove)

    def _current(self, place: Place) -> Announced | None:
        """Return the announced sensor of a place, unless the user has deleted it since."""
        announced = self.by_place.get(place)
        if announced is None:
            return None
        sensor = announced.sensor
        if self._is_added(sensor) or self._is_disabled(sensor):
            return announced
        del self.by_place[place]
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
