"""The configuration of one entity; each field has the name of its key in the YAML."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core does
    BinarySensorDeviceClass,
)
from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.const import Platform
from homeassistant.helpers.template import Template

from .const import DEFAULT_BUTTON_NAME, DEFAULT_MAX_FAILURES
from .reply.html import Selector


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of every entity."""

    name: Template | str | None = None
    unique_id: str | None = None
    entity_namespace: str | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Return the settings from a configuration that `schema.py` has validated."""
        keys = (field.name for field in fields(cls))
        return cls(**{key: config[key] for key in keys if key in config})

    def is_same_entity(self, other: Settings) -> bool:
        """Return whether both have the same unique id or, without one, the same name."""
        if self.unique_id is not None:
            return self.unique_id == other.unique_id
        return self.name == other.name


@dataclass(frozen=True, kw_only=True)
class ValueSettings(Settings):
    """Settings of sensors and binary sensors."""

    name: Template | None = None
    for_each: Template | None = None
    key: Template | None = None
    select: str | None = None
    index: int = 0
    attribute: str | None = None
    value_template: Template | None = None
    availability: Template | None = None
    icon: Template | None = None
    picture: Template | None = None
    force_update: bool = False
    restore: bool = False
    max_failures: int = DEFAULT_MAX_FAILURES

    @property
    def selector(self) -> Selector | None:
        """Return the selector of the HTML element that it shows, if any."""
        if self.select is None:
            return None
        return Selector(css=self.select, index=self.index, attribute=self.attribute)


@dataclass(frozen=True, kw_only=True)
class SensorSettings(ValueSettings):
    """Settings of a sensor."""

    device_class: SensorDeviceClass | None = None
    state_class: SensorStateClass | None = None
    unit_of_measurement: str | None = None
    json_attributes: list[str] = field(default_factory=list)
    json_attributes_path: str | None = None
    json_attributes_template: Template | None = None


@dataclass(frozen=True, kw_only=True)
class BinarySensorSettings(ValueSettings):
    """Settings of a binary sensor."""

    device_class: BinarySensorDeviceClass | None = None


@dataclass(frozen=True, kw_only=True)
class ButtonSettings(Settings):
    """Settings of a button."""

    name: str = DEFAULT_BUTTON_NAME
    icon: str = "mdi:refresh"


SETTINGS: Mapping[Platform, type[Settings]] = {
    Platform.SENSOR: SensorSettings,
    Platform.BINARY_SENSOR: BinarySensorSettings,
    Platform.BUTTON: ButtonSettings,
}
"""Platforms that a `rest:` block may contain → settings."""
