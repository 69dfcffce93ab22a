"""Notifications are core's."""

from homeassistant.components.rest.notify import PLATFORM_SCHEMA, async_get_service

__all__ = ["PLATFORM_SCHEMA", "async_get_service"]
