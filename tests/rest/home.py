"""A home with an endpoint on HTTP, and the ways to write what is polled from it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Thread
from typing import Any, override

from homeassistant.core import HomeAssistant, State
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    async_fire_time_changed,
)

from tests.home import PATIENCE_S, Home
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
        # Closing the loop does not wait for the threads that pack a large reply.
        await here.run_in_executor(
            None, asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result
        )
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class RestHome(Home):
    """A home with an endpoint, for which URL stands in YAML."""

    def __init__(
        self, hass: HomeAssistant, caplog: pytest.LogCaptureFixture, endpoint: Endpoint
    ) -> None:
        super().__init__(hass, caplog)
        self.endpoint = endpoint

    async def set_up(self, yaml: str, domain: str = "sensor") -> None:
        """Set up a domain from YAML."""
        config: Any = parse_yaml(yaml.replace("URL", self.endpoint.url))
        await self.load({domain: config})

    @override
    def write(self, config: str | Mapping[str, Any]) -> None:
        if isinstance(config, str):
            config = config.replace("URL", self.endpoint.url)
        super().write(config)

    async def reload(self, config: Mapping[str, Any]) -> None:
        """Write configuration.yaml and call rest.reload."""
        self.write(config)
        await self.hass.services.async_call("rest", "reload", blocking=True)

    def url(self, path: str) -> dict[str, object]:
        """Return a request for a path of the endpoint."""
        return {"resource": self.endpoint.url + path}

    async def state(
        self,
        right: str | Callable[[State], object],
        entity_id: str = "sensor.rest_sensor",
        *,
        timeout: float = PATIENCE_S,
    ) -> State:
        """Wait for the state of a sensor, by default of the one that YAML gives no name."""
        return await self.wait_for(entity_id, right, timeout)

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


@dataclass(frozen=True)
class Form:
    """One of the ways to write an entity."""

    domain: str
    is_block: bool

    def __str__(self) -> str:
        return f"rest block, {self.domain}" if self.is_block else self.domain

    @property
    def entity_id(self) -> str:
        """Return the id of an entity called x."""
        return f"{self.domain}.x"

    @property
    def on(self) -> str:
        """Return the state of a reply that says true."""
        return "on" if self.domain == "binary_sensor" else "True"

    def config(self, request: Mapping[str, object], **entity: object) -> dict[str, Any]:
        """Return the YAML of one entity; without a name and template, those of x.

        None leaves a key out.
        """
        entity = {"name": "x", "value_template": "{{ value_json.on }}", **entity}
        entity = {key: value for key, value in entity.items() if value is not None}
        if self.is_block:
            return {"rest": [{**request, self.domain: [entity]}]}
        return {self.domain: [{"platform": "rest", **request, **entity}]}


FORMS = [Form(domain, block) for block in (False, True) for domain in ("sensor", "binary_sensor")]


def put(home: RestHome, name: str, data: bytes) -> str:
    """Write a file of the configuration folder; return its name."""
    path = home.yaml.parent / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return name
