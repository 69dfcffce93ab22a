"""Switches are core's."""

from homeassistant.components.rest.switch import PLATFORM_SCHEMA, async_setup_platform

__all__ = ["PLATFORM_SCHEMA", "async_setup_platform"]
