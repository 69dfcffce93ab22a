"""The sensor platform."""

from .platform import PARALLEL_UPDATES, PLATFORM_SCHEMA, async_setup_entry, async_setup_platform

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_entry", "async_setup_platform"]
