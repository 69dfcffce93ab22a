"""The configuration of one sensor."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    BinarySensorDeviceClass,
)
from homeassistant.const import CONF_VALUE_TEMPLATE, EntityCategory
from homeassistant.helpers.template import Template

from . import const

type AvailabilityMode = Literal["all", "any", "latest"]


@dataclass(frozen=True, kw_only=True)
class AvailabilityTopic:
    """An availability topic of a device."""

    topic: str
    available: str
    not_available: str
    template: Template | None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The validated configuration; each field has the name and the default of its key.

    Durations are in seconds.
    """

    state_topic: str
    name: str | None = const.DEFAULT_NAME
    payload_on: tuple[str, ...] = const.DEFAULT_PAYLOAD_ON
    payload_off: tuple[str, ...] = const.DEFAULT_PAYLOAD_OFF
    value_template: Template | None = None
    encoding: str = const.DEFAULT_ENCODING
    qos: int = const.DEFAULT_QOS
    on_delay: float | None = None
    off_delay: float | None = None
    expire_after: float | None = None
    force_update: bool = False
    ignore_retained: bool = False
    restore: bool = False
    last_heard: bool = False
    availability: tuple[AvailabilityTopic, ...] = ()
    availability_mode: AvailabilityMode = "latest"
    json_attributes_topic: str | None = None
    json_attributes_template: Template | None = None
    device_class: BinarySensorDeviceClass | None = None
    icon: str | None = None
    entity_picture: str | None = None
    entity_category: EntityCategory | None = None
    enabled_by_default: bool = True
    visible_by_default: bool = True
    unique_id: str | None = None
    default_entity_id: str | None = None
    group: list[str] | None = None
    device: Mapping[str, Any] | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the settings from a configuration that `schema.py` has validated."""
        values = {key: value for key, value in config.items() if key in _KEYS}
        if not values.get(const.CONF_EXPIRE_AFTER):
            # Zero has always meant "never expires".
            values.pop(const.CONF_EXPIRE_AFTER, None)
        if topics := _availability(config):
            values[const.CONF_AVAILABILITY] = topics
        return cls(**values)

    @property
    def topics(self) -> dict[str, None]:
        """Return all topics to subscribe to as keys, the state topic last.

        A retained availability is thus usually received before a retained state.
        """
        topics = dict.fromkeys(topic.topic for topic in self.availability)
        if self.json_attributes_topic is not None:
            topics[self.json_attributes_topic] = None
        topics.pop(self.state_topic, None)
        topics[self.state_topic] = None
        return topics


def keys_without_effect(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys of a validated configuration that change nothing → what they need."""
    unused: dict[str, str] = {}
    if const.CONF_JSON_ATTRIBUTES_TOPIC not in config:
        unused[const.CONF_JSON_ATTRIBUTES_TEMPLATE] = const.CONF_JSON_ATTRIBUTES_TOPIC
    if const.CONF_AVAILABILITY_TOPIC not in config:
        needed = const.CONF_AVAILABILITY_TOPIC
        if const.CONF_AVAILABILITY in config:
            needed = f"to be in the items of {const.CONF_AVAILABILITY}"
        unused |= dict.fromkeys(_OF_AVAILABILITY_TOPIC, needed)
    if const.CONF_AVAILABILITY not in config:
        unused[const.CONF_AVAILABILITY_MODE] = const.CONF_AVAILABILITY
    return {
        key: needed
        for key, needed in unused.items()
        if config.get(key) not in (None, _DEFAULTS.get(key))
    }


_OF_AVAILABILITY_TOPIC = (
    const.CONF_AVAILABILITY_TEMPLATE,
    const.CONF_PAYLOAD_AVAILABLE,
    const.CONF_PAYLOAD_NOT_AVAILABLE,
)
_DEFAULTS = {
    const.CONF_AVAILABILITY_MODE: "latest",
    const.CONF_PAYLOAD_AVAILABLE: const.DEFAULT_PAYLOAD_AVAILABLE,
    const.CONF_PAYLOAD_NOT_AVAILABLE: const.DEFAULT_PAYLOAD_NOT_AVAILABLE,
}

_KEYS = {field.name for field in fields(Settings)}


def _availability(config: Mapping[str, Any]) -> tuple[AvailabilityTopic, ...]:
    if const.CONF_AVAILABILITY_TOPIC in config:
        return (
            _availability_topic(
                config,
                config[const.CONF_AVAILABILITY_TOPIC],
                config.get(const.CONF_AVAILABILITY_TEMPLATE),
            ),
        )
    return tuple(
        _availability_topic(item, item[const.CONF_TOPIC], item.get(CONF_VALUE_TEMPLATE))
        for item in config.get(const.CONF_AVAILABILITY, ())
    )


def _availability_topic(
    config: Mapping[str, Any], topic: str, template: Template | None
) -> AvailabilityTopic:
    return AvailabilityTopic(
        topic=topic,
        available=config.get(const.CONF_PAYLOAD_AVAILABLE, const.DEFAULT_PAYLOAD_AVAILABLE),
        not_available=config.get(
            const.CONF_PAYLOAD_NOT_AVAILABLE, const.DEFAULT_PAYLOAD_NOT_AVAILABLE
        ),
        template=template,
    )
