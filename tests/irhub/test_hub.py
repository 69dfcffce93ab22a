"""The hub: connecting, staying connected, and the one queue."""

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
import voluptuous as vol

from custom_components.irhub.hub import Hub
from custom_components.irhub.packet import parse_text
from custom_components.irhub.registry import async_get_hub
from custom_components.irhub.schema import hub_schema
from virtual_home.hub import VirtualHub

from .home import entry, until

POWER = parse_text("JgAcAB0dHB44HhweGx4cHR06HB0cHhwdHB8bHhwADQUAAAAAAAAAAAAAAAA=")


async def claim(hass: HomeAssistant, virtual: VirtualHub, **keys: object) -> Hub:
    assert await async_setup_component(hass, "irhub", {})
    config = vol.Schema(hub_schema(timeout=5), extra=vol.ALLOW_EXTRA)(entry(virtual, **keys))
    hub = async_get_hub(hass, config)
    assert hub is not None
    return hub


@pytest.mark.parametrize("model", ["rm_mini", "rm_mini_b", "rm_pro", "rm4_mini", "rm4_pro"])
async def test_it_connects_by_itself_and_transmits(hass: HomeAssistant, model: str) -> None:
    async with VirtualHub(model) as virtual:
        hub = await claim(hass, virtual)
        await until(lambda: hub.available)
        await hub.transmit([POWER])
        assert virtual.transmitted == [POWER]
