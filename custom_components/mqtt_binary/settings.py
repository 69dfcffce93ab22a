"""What one sensor was configured to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    BinarySensorDeviceClass,
)
from homeassistant.const import (
    CONF_DEVICE,
    CONF_DEVICE_CLASS,
    CONF_ENTITY_CATEGORY,
    CONF_FORCE_UPDATE,
    CONF_ICON,
    CONF_NAME,
    CONF_PAYLOAD_OFF,
    CONF_PAYLOAD_ON,
    CONF_UNIQUE_ID,
    CONF_VALUE_TEMPLATE,
    EntityCategory,
)
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
    """The validated configuration; durations in seconds, None where not set."""

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
    attributes_topic: str | None
    attributes_template: Template | None
    device_class: BinarySensorDeviceClass | None
    icon: str | None
    entity_picture: str | None
    entity_category: EntityCategory | None
    enabled_by_default: bool
    visible_by_default: bool
    unique_id: str | None
    default_entity_id: str | None
    group: tuple[str, ...] | None
    device: Mapping[str, Any] | None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Read a configuration that `schema.py` has validated."""
        return cls(
            state_topic=config[const.CONF_STATE_TOPIC],
            name=config.get(CONF_NAME, const.DEFAULT_NAME),
            payload_on=config[CONF_PAYLOAD_ON],
            payload_off=config[CONF_PAYLOAD_OFF],
            value_template=config.get(CONF_VALUE_TEMPLATE),
            encoding=config[const.CONF_ENCODING],
            qos=config[const.CONF_QOS],
            off_delay=config.get(const.CONF_OFF_DELAY),
            # Zero has always meant "never expires".
            expire_after=config.get(const.CONF_EXPIRE_AFTER) or None,
            force_update=config[CONF_FORCE_UPDATE],
            ignore_retained=config[const.CONF_IGNORE_RETAINED],
            restore=config[const.CONF_RESTORE],
            availability=_availability(config),
            availability_mode=config[const.CONF_AVAILABILITY_MODE],
            attributes_topic=config.get(const.CONF_JSON_ATTRIBUTES_TOPIC),
            attributes_template=config.get(const.CONF_JSON_ATTRIBUTES_TEMPLATE),
            device_class=config.get(CONF_DEVICE_CLASS),
            icon=config.get(CONF_ICON),
            entity_picture=config.get(const.CONF_ENTITY_PICTURE),
            entity_category=config.get(CONF_ENTITY_CATEGORY),
            enabled_by_default=config[const.CONF_ENABLED_BY_DEFAULT],
            visible_by_default=config[const.CONF_VISIBLE_BY_DEFAULT],
            unique_id=config.get(CONF_UNIQUE_ID),
            default_entity_id=config.get(const.CONF_DEFAULT_ENTITY_ID),
            group=tuple(config[const.CONF_GROUP]) if const.CONF_GROUP in config else None,
            device=config.get(CONF_DEVICE),
        )

    @property
    def topics(self) -> dict[str, None]:
        """Return every topic to subscribe to, once each, the state's last.

        A retained availability thus tends to arrive before a retained state.
        """
        topics = dict.fromkeys(topic.topic for topic in self.availability)
        if self.attributes_topic is not None:
            topics[self.attributes_topic] = None
        topics.pop(self.state_topic, None)
        topics[self.state_topic] = None
        return topics


def _availability(config: Mapping[str, Any]) -> tuple[AvailabilityTopic, ...]:
    if const.CONF_AVAILABILITY_TOPIC in config:
        return (
            AvailabilityTopic(
                topic=config[const.CONF_AVAILABILITY_TOPIC],
                available=config[const.CONF_PAYLOAD_AVAILABLE],
                not_available=config[const.CONF_PAYLOAD_NOT_AVAILABLE],
                template=config.get(const.CONF_AVAILABILITY_TEMPLATE),
            ),
        )
    return tuple(
        AvailabilityTopic(
            topic=item[const.CONF_TOPIC],
            available=item[const.CONF_PAYLOAD_AVAILABLE],
            not_available=item[const.CONF_PAYLOAD_NOT_AVAILABLE],
            template=item.get(CONF_VALUE_TEMPLATE),
        )
        for item in config.get(const.CONF_AVAILABILITY, ())
    )
