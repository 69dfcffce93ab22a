"""Binary sensors are core's."""

from homeassistant.components.rest.binary_sensor import PLATFORM_SCHEMA, async_setup_platform

__all__ = ["PLATFORM_SCHEMA", "async_setup_platform"]
