"""Hubs that are connected: in YAML, or as an entry."""

from collections.abc import AsyncIterator

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.entities.use import IrhubConfigEntry
from virtual_home.hub import VirtualHub

from .dialogue import add
from .home import start


@pytest.fixture
async def hub(hass: HomeAssistant) -> AsyncIterator[VirtualHub]:
    """Return a hub with a remote that is connected."""
    async with VirtualHub() as hub:
        await start(hass, hub)
        yield hub


@pytest.fixture
def model() -> str:
    """Return the model of the hub in the lounge; a test that needs another is parametrized."""
    return "rm_pro"


@pytest.fixture
async def lounge(model: str) -> AsyncIterator[VirtualHub]:
    """Return a hub in the lounge that Home Assistant does not know yet."""
    async with VirtualHub(model, name="Lounge") as hub:
        yield hub


@pytest.fixture
async def entry(hass: HomeAssistant, lounge: VirtualHub) -> IrhubConfigEntry:
    """Return the entry of the hub in the lounge, which is connected."""
    return await add(hass, lounge)
