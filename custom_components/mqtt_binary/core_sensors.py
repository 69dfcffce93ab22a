"""Sensors that core's MQTT discovery has made: found, taken over, given back."""

import asyncio
from collections.abc import Iterator, Mapping
import contextlib
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.const import (
    CONF_DEVICE,
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_UNIQUE_ID,
    Platform,
)
from homeassistant.core import HomeAssistant, callback, split_entity_id
from homeassistant.helpers import entity_registry as er

from . import const, mqtt
from .discovery.message import (
    MAX_DEVICE_CHARACTERS,
    BadPayloadError,
    components_of,
    config_of,
    parse,
    written_out,
)
from .discovery.prefix import ENCODING, cores_prefixes, topics
from .payload.text import UnreadablePayloadError, text_of
from .schema import payloads

LISTEN_S: Final = 3.0
"""What is retained comes at once, and that of a large home within a second or two."""
GONE_S: Final = 5.0
"""So long an entity may take to leave its id."""

ENDING: Final = "mqtt"
"""What the entity id of core's sensor ends with when ours has taken its place."""

# What a sensor has for itself, and what only one with a device has.
_ITS_OWN: Final = {
    CONF_DEVICE,
    CONF_UNIQUE_ID,
    const.CONF_DEFAULT_ENTITY_ID,
    const.CONF_ENABLED_BY_DEFAULT,
    const.CONF_GROUP,
    const.CONF_MESSAGE_EXPIRY_INTERVAL,
    const.CONF_ORIGIN,
    const.CONF_VISIBLE_BY_DEFAULT,
}


@dataclass(frozen=True, kw_only=True)
class CoreSensor:
    """A sensor of core's, and the configuration of one of ours that reads the same."""

    registry_id: str
    entity_id: str
    config: Mapping[str, Any]


def are_there(hass: HomeAssistant) -> bool:
    """Return whether core has a binary sensor that it may have discovered."""
    return bool(cores_prefixes(hass)) and any(
        entry.domain == Platform.BINARY_SENSOR and not entry.disabled
        for config_entry in hass.config_entries.async_entries(mqtt.DOMAIN)
        for entry in er.async_entries_for_config_entry(er.async_get(hass), config_entry.entry_id)
    )


async def async_find(hass: HomeAssistant) -> list[CoreSensor]:
    """Return the sensors whose announcements the broker has kept."""
    announced: dict[str, mqtt.ReceiveMessage] = {}

    @callback
    def received(message: mqtt.ReceiveMessage) -> None:
        announced[message.topic] = message

    async with contextlib.AsyncExitStack() as subscriptions:
        for prefix in cores_prefixes(hass):
            for topic in topics(prefix):
                subscriptions.callback(
                    await mqtt.async_subscribe(hass, topic, received, encoding=ENCODING)
                )
        await asyncio.sleep(LISTEN_S)
    found = []
    for message in announced.values():
        found += [*_sensors(hass, message)]
        await asyncio.sleep(0)
    return found


def _sensors(hass: HomeAssistant, message: mqtt.ReceiveMessage) -> Iterator[CoreSensor]:
    """Yield what runs of what a message announces, if we can read it."""
    registry = er.async_get(hass)
    for config in _configs(message):
        unique_id = str(config.get(CONF_UNIQUE_ID))
        entity_id = registry.async_get_entity_id(Platform.BINARY_SENSOR, mqtt.DOMAIN, unique_id)
        entry = entity_id and registry.async_get(entity_id)
        if not entry or entry.disabled:
            continue
        with contextlib.suppress(BadPayloadError):
            ours = {key: value for key, value in written_out(config).items() if key not in _ITS_OWN}
            for key in (CONF_PAYLOAD_ON, CONF_PAYLOAD_OFF):
                if key in ours:
                    ours[key] = [*payloads(ours[key])]
            state = hass.states.get(entry.entity_id)
            ours[CONF_NAME] = state.name if state else entry.entity_id
            yield CoreSensor(registry_id=entry.id, entity_id=entry.entity_id, config=ours)


def _configs(message: mqtt.ReceiveMessage) -> Iterator[dict[str, Any]]:
    """Yield the configuration of each binary sensor in an announcement."""
    try:
        parsed = parse(text_of(message.payload, ENCODING), longest=MAX_DEVICE_CHARACTERS)
        components = components_of(parsed) if const.CONF_COMPONENTS in parsed else {}
    except BadPayloadError, UnreadablePayloadError:
        return
    if not components:
        yield parsed
    for component in components.values():
        with contextlib.suppress(BadPayloadError):
            platform, config = config_of(parsed, component)
            if platform == Platform.BINARY_SENSOR:
                yield config


async def async_replace(hass: HomeAssistant, sensor: CoreSensor) -> dict[str, str]:
    """Disable core's sensor, and free its entity id; return what ours is to remember of it."""
    registry = er.async_get(hass)
    if (entry := registry.async_get(sensor.registry_id)) is None:
        return {}
    entity_id = entry.entity_id
    domain, object_id = split_entity_id(entity_id)
    registry.async_update_entity(
        entity_id,
        disabled_by=er.RegistryEntryDisabler.USER,
        new_entity_id=registry.async_get_available_entity_id(domain, f"{object_id}_{ENDING}"),
    )
    await _gone(hass, entity_id)
    return {const.CONF_DEFAULT_ENTITY_ID: entity_id, const.CONF_REPLACES: sensor.registry_id}


async def async_give_back(hass: HomeAssistant, data: Mapping[str, Any]) -> None:
    """Enable what a removed sensor of ours has replaced, under the entity id that it had.

    What the user has enabled or removed since stays as it is.
    """
    registry = er.async_get(hass)
    entity_id = data[const.CONF_DEFAULT_ENTITY_ID]
    await _gone(hass, entity_id)
    entry = registry.async_get(data[const.CONF_REPLACES])
    if entry is None or entry.disabled_by is not er.RegistryEntryDisabler.USER:
        return
    registry.async_update_entity(
        entry.entity_id,
        disabled_by=None,
        new_entity_id=registry.async_get_available_entity_id(
            *split_entity_id(entity_id), current_entity_id=entry.entity_id
        ),
    )


async def _gone(hass: HomeAssistant, entity_id: str) -> None:
    """Wait until an entity has left its id."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(GONE_S):
            while hass.states.get(entity_id) is not None:  # noqa: ASYNC110 - once, and for a moment
                await asyncio.sleep(0.05)
