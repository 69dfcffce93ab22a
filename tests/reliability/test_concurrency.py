"""Every action of the three integrations, fifty at a time, in the worst of moments."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
import time
from typing import Any

from homeassistant.config import async_hass_config_yaml
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest
import voluptuous as vol

from tests.home import until
from tests.irhub.home import RC5, our_hub
from virtual_home.endpoint import Endpoint
from virtual_home.hub import VirtualHub

from .virtual_time import leaping

pytestmark = pytest.mark.reliability

AT_A_TIME = 50
PATIENCE_S = 30.0
STOP_S = 2.0

YAML = """
sensor:
  - {{platform: rest, resource: '{url}/slow/0.2', timeout: 1, name: slow}}
  - {{platform: rest, resource: '{url}/values', timeout: 1, name: values, value_template: OK}}
  - {{platform: irhub, {hub}, monitored_conditions: [temperature]}}
binary_sensor:
  - {{platform: mqtt_binary, state_topic: t, name: motion}}
remote:
  - {{platform: irhub, {hub}, name: hub}}
switch:
  - {{platform: irhub, {hub}, switches: {{tv: {{command_on: {packet}, command_off: {packet}}}}}}}
"""


@dataclass
class Crowd:
    """A home in which everybody does everything at once."""

    hass: HomeAssistant
    hub: VirtualHub

    def calls(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return each action of ours once, and those of other domains that reach us."""
        remote = {"entity_id": "remote.hub"}
        host = {"host": "127.0.0.1"}
        tv = {**remote, "device": "d", "command": ["tv"]}
        return [
            ("rest", "reload", {}),
            ("mqtt_binary", "reload", {}),
            ("irhub", "reload", {}),
            ("irhub", "send", {**host, "packet": [RC5]}),
            ("irhub", "learn", {**host, "timeout": 1}),
            ("irhub", "import_codes", {**remote, "codes": {"d": {"tv": [RC5, RC5]}}}),
            ("irhub", "export_codes", remote),
            ("remote", "send_command", {**tv, "delay_secs": 0}),
            ("remote", "learn_command", {**tv, "timeout": 1}),
            ("remote", "delete_command", tv),
            ("remote", "turn_on", remote),
            ("switch", "turn_on", {"entity_id": "switch.tv"}),
            ("switch", "turn_off", {"entity_id": "switch.tv"}),
            ("homeassistant", "update_entity", {"entity_id": ["sensor.slow", "sensor.values"]}),
        ]

    async def call(self, domain: str, service: str, data: dict[str, Any]) -> str:
        """Return how a call ended: "done", or its clear error."""
        responds = self.hass.services.supports_response(domain, service).value != "none"
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self.hass.services.async_call(
                    domain, service, data, blocking=True, return_response=responds
                )
        except (HomeAssistantError, vol.Invalid) as err:
            return str(err)
        return "done"

    def start(self) -> list[asyncio.Task[str]]:
        """Start every call fifty times, mixed."""
        return [
            asyncio.create_task(self.call(*call)) for _ in range(AT_A_TIME) for call in self.calls()
        ]


async def _crowd(hass: HomeAssistant, folder: Path, hub: VirtualHub, url: str) -> Crowd:
    hass.config.config_dir = str(folder)
    keys = f"host: {hub.host}, port: {hub.port}, mac: '{hub.mac}', timeout: 1, min_gap: 0"
    (folder / "configuration.yaml").write_text(YAML.format(url=url, hub=keys, packet=RC5))
    config = await async_hass_config_yaml(hass)
    for domain in ("homeassistant", "rest", "irhub", *config):
        assert await async_setup_component(hass, domain, config)
    await hass.async_block_till_done()
    await until(lambda: our_hub(hass, hub).available)
    return Crowd(hass, hub)


@pytest.fixture(name="crowd")
async def crowd_fixture(hass: HomeAssistant, tmp_path: Path) -> AsyncGenerator[Crowd]:
    """Set up a hub, an endpoint, and entities of all three integrations."""
    async with Endpoint() as endpoint, VirtualHub() as hub:
        yield await _crowd(hass, tmp_path, hub, endpoint.url)


async def test_while_reloading_every_call_ends_with_a_result_or_a_clear_error(
    crowd: Crowd,
) -> None:
    """Fifty of each action, the reloads among them; afterwards everything works."""
    before = set(crowd.hass.states.async_entity_ids())
    outcomes = await asyncio.gather(*crowd.start())
    assert len(outcomes) == AT_A_TIME * len(crowd.calls())
    assert "done" in outcomes
    assert all(outcome == "done" or " " in outcome for outcome in outcomes), "no sentence"
    await until(lambda: our_hub(crowd.hass, crowd.hub).available)
    assert set(crowd.hass.states.async_entity_ids()) == before
    for call in crowd.calls():
        if call[1] not in ("learn", "learn_command", "delete_command", "send_command"):
            assert await crowd.call(*call) == "done", call
            await until(lambda: our_hub(crowd.hass, crowd.hub).available)


@pytest.mark.parametrize("silent", [False, True], ids=["hub answers", "hub silent"])
async def test_stopping_takes_under_two_seconds_and_ends_every_call(
    crowd: Crowd, silent: bool
) -> None:
    """Home Assistant stops amid fifty of each action; nobody is left waiting."""
    crowd.hub.faults.silent = silent
    calls = crowd.start()
    await asyncio.sleep(0.3)
    crowd.hass.loop.set_debug(False)  # as Home Assistant runs: it takes the stack of each handle
    with leaping(crowd.hass) as clock:
        # what is waited for, and the work: not what else the machine is busy with
        start = clock.now + time.process_time()
        await crowd.hass.async_stop()
        took = clock.now + time.process_time() - start
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert not [
        outcome
        for outcome in outcomes
        if isinstance(outcome, Exception) or not outcome  # cancelled by the stop is an end, too
    ]
    assert took < STOP_S, f"stopping took {took:.2f} s"
