"""The switch platform."""

from .platform import PARALLEL_UPDATES, async_setup_entry, async_setup_platform
from .schema import PLATFORM_SCHEMA

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_entry", "async_setup_platform"]
