"""A large reply does not stop Home Assistant."""

import asyncio

from homeassistant.core import HomeAssistant

from virtual_home.endpoint_documents import document

from .conftest import Home

SIZE = 16 * 1024 * 1024 - 1
TICK = 0.005  # seconds


async def longest_stall(hass: HomeAssistant, until: asyncio.Event) -> float:
    """Return the longest time in seconds that the event loop was away."""
    longest = 0.0
    while not until.is_set():
        start = hass.loop.time()
        await asyncio.sleep(TICK)
        longest = max(longest, hass.loop.time() - start - TICK)
    return longest


async def test_the_loop_goes_on(home: Home) -> None:
    home.endpoint.set("/big", document(SIZE))
    done = asyncio.Event()
    stall = asyncio.create_task(longest_stall(home.hass, done))
    await home.set_up(
        "- platform: rest\n  resource: URL/big\n  timeout: 60\n"
        "  value_template: '{{ value_json.records | length }}'\n  json_attributes: temperature\n"
    )
    state = await home.state(lambda state: state.state.isdigit(), timeout=60)
    done.set()
    assert state.attributes["temperature"] == 21.5
    assert await stall < 0.5  # parsing alone would take it away for a second
