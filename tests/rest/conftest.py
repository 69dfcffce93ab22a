"""Fixtures of the REST tests: a real HTTP server, sensors set up from YAML, states waited for."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

from homeassistant.core import HomeAssistant, State
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest

from virtual_home.endpoint import Endpoint

type SetUp = Callable[..., Awaitable[None]]
type WaitFor = Callable[..., Awaitable[State]]


@pytest.fixture(name="endpoint")
async def endpoint_fixture() -> AsyncGenerator[Endpoint]:
    """Run the JSON endpoint."""
    async with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture(name="set_up")
def set_up_fixture(hass: HomeAssistant, endpoint: Endpoint) -> SetUp:
    """Set up `sensor:` from YAML in which URL stands for the endpoint."""

    async def set_up(yaml: str, *, domain: str = "sensor") -> None:
        config: Any = parse_yaml(yaml.replace("URL", endpoint.url))
        assert await async_setup_component(hass, domain, {domain: config})
        await hass.async_block_till_done()

    return set_up


@pytest.fixture(name="wait_for")
def wait_for_fixture(hass: HomeAssistant) -> WaitFor:
    """Wait until an entity's state is `value`, or fulfils it."""

    async def wait_for(
        entity_id: str, value: str | Callable[[State], bool], *, timeout: float = 10
    ) -> State:
        def right(state: State | None) -> bool:
            if state is None:
                return False
            return state.state == value if isinstance(value, str) else value(state)

        try:
            async with asyncio.timeout(timeout):
                while not right(state := hass.states.get(entity_id)):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pytest.fail(f"{entity_id} is {hass.states.get(entity_id)}")
        assert state
        return state

    return wait_for
