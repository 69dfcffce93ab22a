"""A home for the REST tests: a real HTTP server, sensors from YAML, states waited for."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
import logging
from pathlib import Path
from threading import Thread
from typing import Any

from homeassistant.core import HomeAssistant, State
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    async_fire_time_changed,
)

from virtual_home.endpoint import Endpoint


@asynccontextmanager
async def apart(endpoint: Endpoint) -> AsyncGenerator[Endpoint]:
    """Run an endpoint in a thread of its own, where its own errors count as its own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    here = asyncio.get_running_loop()
    try:
        await here.run_in_executor(
            None, asyncio.run_coroutine_threadsafe(endpoint.start(), loop).result
        )
        yield endpoint
    finally:
        await here.run_in_executor(
            None, asyncio.run_coroutine_threadsafe(endpoint.stop(), loop).result
        )
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Home:
    """Home Assistant, the endpoint, and the user's hands and eyes."""

    def __init__(
        self, hass: HomeAssistant, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.hass = hass
        self.endpoint = endpoint
        self._caplog = caplog

    async def set_up(self, yaml: str, domain: str = "sensor") -> None:
        """Set up a domain from YAML, in which URL stands for the endpoint."""
        config: Any = parse_yaml(yaml.replace("URL", self.endpoint.url))
        assert await async_setup_component(self.hass, domain, {domain: config})
        await self.hass.async_block_till_done()

    def write(self, path: Path, yaml: str) -> None:
        """Write a configuration.yaml for the reload services."""
        path.write_text(yaml.replace("URL", self.endpoint.url))

    async def until(self, right: Callable[[], object], *, timeout: float = 10) -> None:
        """Wait for a condition."""
        async with asyncio.timeout(timeout):
            while not right():  # noqa: ASYNC110  (what is waited for has no event)
                await asyncio.sleep(0.01)

    async def state(
        self,
        right: str | Callable[[State], object],
        entity_id: str = "sensor.rest_sensor",
        *,
        timeout: float = 10,
    ) -> State:
        """Wait until the state is `right`, or fulfils it, and return it."""

        def found() -> bool:
            state = self.hass.states.get(entity_id)
            if state is None:
                return False
            return state.state == right if isinstance(right, str) else bool(right(state))

        try:
            await self.until(found, timeout=timeout)
        except TimeoutError:
            pytest.fail(f"{entity_id} stays {self.hass.states.get(entity_id)}\n{self.log()}")
        state = self.hass.states.get(entity_id)
        assert state
        return state

    async def update(self, *entity_ids: str) -> None:
        """Call homeassistant.update_entity."""
        await async_setup_component(self.hass, "homeassistant", {})
        await self.hass.services.async_call(
            "homeassistant",
            "update_entity",
            {"entity_id": entity_ids or ("sensor.rest_sensor",)},
            blocking=True,
        )

    async def passes(self, seconds: float) -> None:
        """Let Home Assistant's timers of the next `seconds` fire."""
        async_fire_time_changed(self.hass, dt_util.utcnow() + timedelta(seconds=seconds))
        await asyncio.sleep(0)

    async def polls(self, path: str, count: int) -> None:
        """Wait until the endpoint was asked so often."""
        await self.endpoint.wait_for(path, count)

    def log(self, level: int = logging.WARNING, name: str = "") -> list[str]:
        """Return our messages of that level and above."""
        return [
            record.getMessage()
            for record in self._caplog.records
            if record.levelno >= level and record.name.startswith(name or "custom_components.rest")
        ]

    @property
    def whole_log(self) -> str:
        """Everything logged by anyone, debug included."""
        return self._caplog.text


@pytest.fixture(name="endpoint")
async def endpoint_fixture() -> AsyncGenerator[Endpoint]:
    """Run the JSON endpoint."""
    async with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture(name="home")
def home_fixture(hass: HomeAssistant, endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> Home:
    """Return the home, with debug logging on."""
    caplog.set_level(logging.DEBUG)
    return Home(hass, endpoint, caplog)


@pytest.fixture(name="config")
def config_fixture(tmp_path: Path, home: Home) -> Path:
    """Return the path of a configuration.yaml, for reloads."""
    home.hass.config.config_dir = str(tmp_path)
    return tmp_path / "configuration.yaml"
