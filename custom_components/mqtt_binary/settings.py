"""What one sensor was configured to be."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    BinarySensorDeviceClass,
)
from homeassistant.const import CONF_NAME, CONF_VALUE_TEMPLATE, EntityCategory
from homeassistant.helpers.template import Template

from . import const

type AvailabilityMode = Literal["all", "any", "latest"]


@dataclass(frozen=True, kw_only=True)
class AvailabilityTopic:
    """A topic that tells whether a device is there."""

    topic: str
    available: str
    not_available: str
    template: Template | None


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The validated configuration: a field is the key of its name, None where that is not set.

    Durations are in seconds.
    """

    state_topic: str
    name: str | None
    payload_on: tuple[str, ...]
    payload_off: tuple[str, ...]
    value_template: Template | None
    encoding: str
    qos: int
    off_delay: float | None
    expire_after: float | None
    force_update: bool
    ignore_retained: bool
    restore: bool
    availability: tuple[AvailabilityTopic, ...]
    availability_mode: AvailabilityMode
    json_attributes_topic: str | None
    json_attributes_template: Template | None
    device_class: BinarySensorDeviceClass | None
    icon: str | None
    entity_picture: str | None
    entity_category: EntityCategory | None
    enabled_by_default: bool
    visible_by_default: bool
    unique_id: str | None
    default_entity_id: str | None
    group: list[str] | None
    device: Mapping[str, Any] | None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Read a configuration that `schema.py` has validated."""
        values: dict[str, Any] = {key: config.get(key) for key in _KEYS}
        values[CONF_NAME] = config.get(CONF_NAME, const.DEFAULT_NAME)
        # Zero has always meant "never expires".
        values[const.CONF_EXPIRE_AFTER] = config.get(const.CONF_EXPIRE_AFTER) or None
        values[const.CONF_AVAILABILITY] = _availability(config)
        return cls(**values)

    @property
    def topics(self) -> dict[str, None]:
        """Return every topic to subscribe to, once each, the state's last.

        A retained availability thus tends to arrive before a retained state.
        """
        topics = dict.fromkeys(topic.topic for topic in self.availability)
        if self.json_attributes_topic is not None:
            topics[self.json_attributes_topic] = None
        topics.pop(self.state_topic, None)
        topics[self.state_topic] = None
        return topics


_KEYS = [field.name for field in fields(Settings)]


def _availability(config: Mapping[str, Any]) -> tuple[AvailabilityTopic, ...]:
    topics = config.get(const.CONF_AVAILABILITY, ())
    if (topic := config.get(const.CONF_AVAILABILITY_TOPIC)) is not None:
        template = config.get(const.CONF_AVAILABILITY_TEMPLATE)
        topics = [{**config, const.CONF_TOPIC: topic, CONF_VALUE_TEMPLATE: template}]
    return tuple(
        AvailabilityTopic(
            topic=item[const.CONF_TOPIC],
            available=item[const.CONF_PAYLOAD_AVAILABLE],
            not_available=item[const.CONF_PAYLOAD_NOT_AVAILABLE],
            template=item.get(CONF_VALUE_TEMPLATE),
        )
        for item in topics
    )
