"""A Home Assistant that runs for ten minutes, with or without one of our integrations.

Run as a program (folder, integration, "with" or "without") it prints, as JSON, the changed
global state of the process, and the numbers of its resources.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
import gc
import json
import os
from pathlib import Path
import socket
import sys
import threading
from typing import Any
from unittest.mock import patch

from homeassistant import bootstrap, core_config, loader
from homeassistant.components import mqtt, persistent_notification
from homeassistant.config_entries import ConfigEntries
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

import custom_components  # noqa: F401  (ours, before the test package's)
from tests.home import until
from tests.irhub.home import NEC, POWER, RC5, entry
from tests.mqtt_binary.home import Device
from tests.reliability.process_state import differences, process_state
from tests.reliability.virtual_time import leaping
from virtual_home.broker import Broker
from virtual_home.endpoint import Endpoint
from virtual_home.hub import VirtualHub

MINUTES = 10
MESSAGES = 50
"""A minute."""
PAYLOADS = (b"ON", b"OFF", b'{"on": "ON"}', bytes(range(256)))

POOLS = ("asyncio_", "SyncWorker_", "ImportExecutor_")
"""Names of threads that come and go with the load."""
DOMAINS = (
    "http",
    "homeassistant",
    "sensor",
    "binary_sensor",
    "remote",
    "button",
    "switch",
    "notify",
)


type Live = Callable[[Guest], Awaitable[None]]
"""Ten minutes, with the peers of the guest."""


class Guest:
    """A home with or without one of our integrations, the guest."""

    def __init__(self, hass: HomeAssistant, domain: str, *, is_there: bool) -> None:
        self._hass = hass
        self._domain = domain
        self.is_there = is_there

    async def enter(self, config: dict[str, Any]) -> None:
        """Set the guest up with entities from YAML."""
        if self.is_there:
            self._write(config)
            assert await async_setup_component(self._hass, self._domain, {})
            await self.act("reload")

    def _write(self, config: dict[str, Any]) -> None:
        Path(self._hass.config.path("configuration.yaml")).write_text(json.dumps(config))

    async def act(self, action: str, **data: object) -> None:
        """Call one of its actions."""
        if self.is_there:
            await self._hass.services.async_call(self._domain, action, data, blocking=True)
            await self._hass.async_block_till_done()

    async def shows(self, entity_id: str, value: str) -> None:
        """Wait for a state of one of its entities."""

        def is_shown() -> bool:
            state = self._hass.states.get(entity_id)
            return state is not None and value in state.state

        if self.is_there:
            await until(is_shown)


def prepare(folder: Path) -> dict[str, Any]:
    """Make the folder, and return the configuration of `http`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        http = {"server_host": ["127.0.0.1"], "server_port": free.getsockname()[1]}
    # The newest Home Assistant takes a new port from YAML back when nobody confirms it.
    stored = {"version": 1, "minor_version": 1, "key": "http", "data": http}
    (folder / ".storage").mkdir(parents=True)
    (folder / ".storage" / "http").write_text(json.dumps(stored))
    (folder / "configuration.yaml").write_text("")
    return http


async def start(folder: str) -> HomeAssistant:
    """Start the common parts."""
    hass = HomeAssistant(folder)
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, {})
    assert await bootstrap.async_load_base_functionality(hass)
    await core_config.async_process_ha_core_config(hass, {})
    assert await persistent_notification.async_setup(hass, {})
    http = prepare(Path(folder))
    for domain in DOMAINS:
        assert await async_setup_component(hass, domain, {"http": http})
    async_get_clientsession(hass)  # changes `zeroconf`, which Home Assistant itself does
    await hass.async_start()
    return hass


@asynccontextmanager
async def rest(hass: HomeAssistant) -> AsyncGenerator[Live]:
    """Poll replies of all kinds."""
    async with Endpoint() as endpoint:
        sensor = {"platform": "rest", "scan_interval": 10}
        paths = ("values", "size/1000000", "status/500", "fault/half", "xml", "digest")

        async def live(guest: Guest) -> None:
            await guest.enter(
                {
                    "sensor": [
                        {**sensor, "resource": f"{endpoint.url}/{path}", "name": path}
                        for path in paths
                    ],
                    "rest": [
                        {
                            "resource": f"{endpoint.url}/values",
                            "encoding": "latin-1",
                            "binary_sensor": [{"name": "on", "value_template": "{{ 1 }}"}],
                        }
                    ],
                }
            )
            await guest.shows("sensor.values", "counter")
            with leaping(hass):
                await asyncio.sleep(MINUTES * 60)
            await guest.act("reload")

        yield live


@asynccontextmanager
async def irhub(hass: HomeAssistant) -> AsyncGenerator[Live]:
    """Poll, learn and send."""
    async with VirtualHub("rm4_pro") as hub:

        async def live(guest: Guest) -> None:
            ours = entry(hub, name="hub")
            switch = {"command_on": RC5, "command_off": NEC}
            remote, host = {"entity_id": "remote.hub"}, f"{hub.host}:{hub.port}"
            await guest.enter(
                {
                    "remote": [ours],
                    "button": [entry(hub)],
                    "switch": [{**entry(hub), "switches": {"fan": switch}}],
                    "sensor": [
                        {**ours, "monitored_conditions": ["temperature"], "scan_interval": 30}
                    ],
                }
            )
            await guest.shows("sensor.hub_temperature", "21.5")
            await guest.act("import_codes", **remote, codes={"tv": {"power": [RC5, NEC]}})
            with leaping(hass):
                for _ in range(MINUTES):
                    if guest.is_there:
                        learning = asyncio.create_task(guest.act("learn", host=host))
                        await hub.press_when_listening(POWER)
                        await learning
                    await guest.act("send", host=host, device="tv", command="power")
                    await asyncio.sleep(60)
            await guest.act("reload")
            await guest.shows("sensor.hub_temperature", "21.5")

        yield live


@asynccontextmanager
async def mqtt_binary(hass: HomeAssistant) -> AsyncGenerator[Live]:
    """Receive valid and invalid messages, and announcements."""
    # Core tries MQTT 5 first, with a wait of seconds for brokers that do not know it.
    patch.object(mqtt, "try_connection", return_value=False).start()
    async with Broker() as broker:
        device = Device(broker)
        await device.connect()
        broker_entry = MockConfigEntry(
            domain="mqtt",
            version=mqtt.CONFIG_ENTRY_VERSION,
            minor_version=mqtt.CONFIG_ENTRY_MINOR_VERSION,
            data={"broker": broker.host, "port": broker.port, "protocol": "3.1.1"},
            options={"discovery": True, "birth_message": {}},
        )
        broker_entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(broker_entry.entry_id)
        await until(lambda: mqtt.is_connected(hass))
        received: list[object] = []
        await mqtt.async_subscribe(hass, "end", lambda message: received.append(message.payload))

        async def until_received(end: str) -> None:
            """Publish until the message comes back: then all earlier ones have arrived."""

            def has_come() -> bool:
                device.publish("end", end)
                return end in received

            await until(has_come)

        async def live(guest: Guest) -> None:
            sensor = {"platform": "mqtt_binary", "state_topic": "x"}
            await guest.enter(
                {
                    "mqtt_binary": {},
                    "binary_sensor": [
                        {**sensor, "name": "plain"},
                        {**sensor, "name": "latin", "encoding": "latin-1", "off_delay": 30},
                        {**sensor, "name": "raw", "encoding": "", "expire_after": 30},
                        {**sensor, "name": "json", "value_template": "{{ value_json.on }}"},
                    ],
                }
            )
            await until_received("start")
            announced = {"state_topic": "x", "name": "g", "unique_id": "g"}
            with leaping(hass) as clock:
                for minute in range(MINUTES):
                    with clock.standing():  # the broker is another thread, and takes its time
                        device.publish("mqtt_binary/binary_sensor/g/config", json.dumps(announced))
                        for number in range(MESSAGES):
                            device.publish("x", PAYLOADS[number % len(PAYLOADS)])
                        await until_received(f"minute {minute}")
                    await asyncio.sleep(60)
            device.publish("x", b"ON", retain=True)
            await guest.act("reload")
            await guest.shows("binary_sensor.plain", "on")

        yield live
        device.close()


def counts() -> dict[str, int]:
    """Return the numbers of resources that a guest can use up."""
    collections = sum(generation["collections"] for generation in gc.get_stats())
    gc.collect()
    return {
        "collections": collections,
        "objects": len(gc.get_objects()),
        "threads": sum(not thread.name.startswith(POOLS) for thread in threading.enumerate()),
        "tasks": len(asyncio.all_tasks()),
        "files": len(list(Path("/proc/self/fd").iterdir())),
    }


async def main(folder: str, domain: str, presence: str) -> None:
    """Run for ten minutes, and print the changes of the process."""
    hass = await start(folder)
    async with {"rest": rest, "irhub": irhub, "mqtt_binary": mqtt_binary}[domain](hass) as live:
        before = process_state()
        await live(Guest(hass, domain, is_there=presence == "with"))
        changed = differences(before, process_state())
        print(json.dumps({"changed": changed, "counts": counts()}), flush=True)  # noqa: T201
        os._exit(0)  # the stop is not measured here


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
