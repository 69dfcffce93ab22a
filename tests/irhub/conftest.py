"""A hub whose remote is connected."""

from collections.abc import AsyncIterator

from homeassistant.core import HomeAssistant
import pytest

from virtual_home.hub import VirtualHub

from .home import start


@pytest.fixture
async def hub(hass: HomeAssistant) -> AsyncIterator[VirtualHub]:
    """Return a hub with a remote that is connected."""
    async with VirtualHub() as hub:
        await start(hass, hub)
        yield hub
