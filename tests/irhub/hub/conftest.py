"""An infrared proxy of ESPHome, in a home without a hub."""

from collections.abc import AsyncIterator

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.entities.use import Use
from virtual_home.esphome import EsphomeProxy

from ..esphome_proxy import add_proxy
from ..without_hub import add_without_hub


@pytest.fixture
async def proxy(hass: HomeAssistant) -> AsyncIterator[EsphomeProxy]:
    """Return a proxy that Home Assistant is connected to."""
    async with EsphomeProxy() as proxy:
        await add_proxy(hass, proxy)
        yield proxy
        [entry] = hass.config_entries.async_entries("esphome")
        await hass.config_entries.async_unload(entry.entry_id)
    assert proxy.requests[-1] == "DisconnectRequest"


@pytest.fixture
async def entry_with_proxy(hass: HomeAssistant, proxy: EsphomeProxy) -> ConfigEntry[Use]:
    """Return the entry of a home without a hub, which has the proxy."""
    assert proxy.is_connected
    return await add_without_hub(hass)
