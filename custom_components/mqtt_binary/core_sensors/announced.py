"""Find binary sensors that devices announce to core, with the equivalent configuration of ours."""

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
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr, entity_registry as er

from .. import const, mqtt
from ..discovery.message import (
    MAX_DEVICE_CHARACTERS,
    BadPayloadError,
    components_of,
    config_of,
    parse,
    written_out,
)
from ..discovery.prefix import ENCODING, cores_prefixes, topics
from ..payload.text import UnreadablePayloadError, text_of
from ..schema import payloads

QUIET_S: Final = 1.5
"""Seconds after the last message at which all retained messages have been received."""
LONGEST_S: Final = 30.0
"""Maximum seconds to wait for a broker that keeps sending."""

# Keys that identify a single sensor, and keys that need a device.
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


type Config = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class CoreSensor:
    """A sensor of core, and the equivalent configuration of ours."""

    registry_id: str
    entity_id: str
    unique_id: str
    device_id: str | None
    device_name: str | None
    name: str
    announced: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Refused:
    """An announced sensor, or a whole announcement, that cannot become a sensor of ours."""

    place: str
    """The topic, and the component id in the message of a device."""
    unique_id: str | None
    """None if the announcement cannot be read so far."""
    reason: str


@dataclass(frozen=True, kw_only=True)
class CoreSensors:
    """The sensors that can be taken over, and a line for each that cannot: which and why."""

    usable: list[CoreSensor]
    refused: list[str]


def are_there(hass: HomeAssistant) -> bool:
    """Return whether core has binary sensors that may be discovered ones."""
    return bool(cores_prefixes(hass)) and any(
        entry.domain == Platform.BINARY_SENSOR and not entry.disabled
        for config_entry in hass.config_entries.async_entries(mqtt.DOMAIN)
        for entry in er.async_entries_for_config_entry(er.async_get(hass), config_entry.entry_id)
    )


async def async_find(hass: HomeAssistant) -> CoreSensors:
    """Return the sensors with retained announcements, after all have been received."""
    announced: dict[str, mqtt.ReceiveMessage] = {}
    loop = hass.loop
    latest_end, last_received_at = loop.time() + LONGEST_S, loop.time()

    @callback
    def received(message: mqtt.ReceiveMessage) -> None:
        nonlocal last_received_at
        announced[message.topic] = message
        last_received_at = loop.time()

    async with contextlib.AsyncExitStack() as subscriptions:
        for topic in announcement_topics(hass):
            subscriptions.callback(
                await mqtt.async_subscribe(hass, topic, received, encoding=ENCODING)
            )
        last_received_at = loop.time()
        while (wait := min(last_received_at + QUIET_S, latest_end) - loop.time()) > 0:  # noqa: ASYNC110 - each message extends it
            await asyncio.sleep(wait)
    usable, refused = [], []
    for message in announced.values():
        for sensor in _sensors(hass, message):
            if isinstance(sensor, CoreSensor):
                usable.append(sensor)
            else:
                refused.append(sensor)
        await asyncio.sleep(0)
    return CoreSensors(usable=usable, refused=sorted(refused))


def announcement_topics(hass: HomeAssistant) -> list[str]:
    """Return the topic filters of announcements to core."""
    return [topic for prefix in cores_prefixes(hass) for topic in topics(prefix)]


def announced_in(message: mqtt.ReceiveMessage) -> Iterator[tuple[str, Config] | Refused]:
    """Yield the unique id and the configuration of each binary sensor, or why there is none."""
    for config in _raw_configs(message):
        if isinstance(config, Refused):
            yield config
            continue
        unique_id = str(config.get(CONF_UNIQUE_ID))
        try:
            written = written_out(config)
        except BadPayloadError as err:
            yield Refused(place=message.topic, unique_id=unique_id, reason=str(err))
            continue
        own_config = {key: value for key, value in written.items() if key not in _ITS_OWN}
        for key in (CONF_PAYLOAD_ON, CONF_PAYLOAD_OFF):
            if key in own_config:
                own_config[key] = [*payloads(own_config[key])]
        if (name := _name_of(config)) is not None:
            own_config[CONF_NAME] = name
        yield unique_id, own_config


def _sensors(hass: HomeAssistant, message: mqtt.ReceiveMessage) -> Iterator[CoreSensor | str]:
    """Yield the sensors of an announcement that exist and are enabled in core.

    Yield a line instead for each that cannot be used, and for what cannot be read.
    """
    devices = dr.async_get(hass)
    for sensor in announced_in(message):
        if isinstance(sensor, Refused) and sensor.unique_id is None:
            yield f"{sensor.place}: {sensor.reason}"
            continue
        unique_id = sensor.unique_id if isinstance(sensor, Refused) else sensor[0]
        if (entry := _enabled(hass, str(unique_id))) is None:
            continue
        state = hass.states.get(entry.entity_id)
        name = state.name if state else entry.entity_id
        if isinstance(sensor, Refused):
            yield f"{name} ({entry.entity_id}): {sensor.reason}"
            continue
        unique_id, config = sensor
        device = devices.async_get(entry.device_id) if entry.device_id else None
        yield CoreSensor(
            registry_id=entry.id,
            entity_id=entry.entity_id,
            unique_id=unique_id,
            device_id=None if device is None else device.id,
            device_name=None if device is None else device.name_by_user or device.name,
            # A name set by the user is copied with the entity registry entry.
            name=name if entry.name is None or CONF_NAME not in config else config[CONF_NAME],
            announced=config,
        )


def _enabled(hass: HomeAssistant, unique_id: str) -> er.RegistryEntry | None:
    """Return the registry entry of core's sensor, unless there is none or it is disabled."""
    registry = er.async_get(hass)
    entity_id = registry.async_get_entity_id(Platform.BINARY_SENSOR, mqtt.DOMAIN, unique_id)
    entry = registry.async_get(entity_id) if entity_id else None
    return None if entry is None or entry.disabled else entry


def _raw_configs(message: mqtt.ReceiveMessage) -> Iterator[Config | Refused]:
    """Yield the configuration of each binary sensor, or why it cannot be read."""
    if not message.payload:
        return  # deleted
    try:
        parsed = parse(text_of(message.payload, ENCODING), longest=MAX_DEVICE_CHARACTERS)
        device_keys = {const.CONF_COMPONENTS, const.CONF_CHILD_DEVICES} & parsed.keys()
        components = components_of(parsed) if device_keys else {}
    except (BadPayloadError, UnreadablePayloadError) as err:
        yield Refused(place=message.topic, unique_id=None, reason=str(err))
        return
    if not device_keys:
        yield parsed
    for component_id, component in components.items():
        try:
            platform, config = config_of(parsed, component)
        except BadPayloadError as err:
            place = f"{message.topic} → {component_id}"
            yield Refused(place=place, unique_id=None, reason=str(err))
            continue
        if platform == Platform.BINARY_SENSOR and config:
            yield config


def _name_of(config: Mapping[str, Any]) -> str | None:
    """Return core's full name of a sensor: device name and own name."""
    device, sensor_name = config.get(CONF_DEVICE), config.get(CONF_NAME)
    device_name = (device.get(CONF_NAME) or device.get("n")) if isinstance(device, dict) else None
    return " ".join(str(part) for part in (device_name, sensor_name) if part) or None
