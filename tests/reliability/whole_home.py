"""A home with all three integrations: REST sensors, MQTT sensors and hubs in permanent use."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
import logging
from typing import Any, Self, override

from aiohttp import web
from homeassistant.components import mqtt
from homeassistant.config import async_hass_config_yaml

from tests.home import until
from tests.irhub.home import POWER, entry
from tests.mqtt_binary.home import Device, MqttHome
from virtual_home.endpoint import Endpoint
from virtual_home.hub import VirtualHub, exchange_addresses

from .virtual_time import Clock

SENSORS = 100
TOPICS = 200
HUBS = 20
HOUR_S = 3600
POLL_S = 900
BROKER_RESTARTS_EVERY = 24
ADDRESSES_CHANGE_EVERY = 12
RELOADED_EVERY = {"rest": 1, "mqtt_binary": 6, "irhub": 6}
"""Hours."""


class Lines(logging.Handler):
    """Counts what a log file would have by default."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = Counter[str]()

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.count[f"{record.name}: {record.getMessage()[:100]}"] += 1


class WholeHome:
    """The home, its peers, and its expected states."""

    def __init__(self, home: MqttHome, clock: Clock) -> None:
        self._home = home
        self._hass = home.hass
        self._clock = clock
        self._hour = 0
        self._on = [False] * TOPICS
        self._endpoint = Endpoint()
        self._hubs = [
            VirtualHub("rm4_pro", host=f"127.0.1.{n + 1}", mac=f"34:EA:34:00:01:{n:02X}")
            for n in range(HUBS)
        ]
        self._entries: list[dict[str, Any]] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._endpoint)
        for hub in self._hubs:
            hub.port = self._hubs[0].port
            await self._stack.enter_async_context(hub)
            self._entries.append(entry(hub, name=f"hub {len(self._entries)}"))
        for number in range(SENSORS):
            self._endpoint.set(f"/{number}", self._answer)
        self._home.write(self._config())
        with self._clock.standing():
            await self._home.load(await async_hass_config_yaml(self._hass))
            await self._publish()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _config(self) -> dict[str, Any]:
        """Return the YAML of this hour: every tenth REST sensor changes its unit."""
        unit = "left" if self._hour % 2 else "right"
        rest = {"platform": "rest", "scan_interval": HOUR_S, "value_template": "{{ value_json.v }}"}
        return {
            "sensor": [
                {
                    **rest,
                    "resource": f"{self._endpoint.url}/{n}",
                    "name": f"rest {n}",
                    "unit_of_measurement": unit if n % 10 == 0 else "x",
                }
                for n in range(SENSORS)
            ]
            + [
                {**of_hub, "monitored_conditions": ["temperature"], "scan_interval": POLL_S}
                for of_hub in self._entries
            ],
            "binary_sensor": [
                {"platform": "mqtt_binary", "state_topic": f"t/{n}", "name": f"t {n}"}
                for n in range(TOPICS)
            ],
            "remote": self._entries,
        }

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer with the values of this hour; for one sensor, fail every other hour."""
        number = int(request.path[1:])
        if self._hour % 2 and number == self._hour % SENSORS:
            return web.Response(status=500)
        return web.json_response({"v": self._hour * 1000 + number})

    async def live_an_hour(self) -> None:
        """Change and reload everything, and let the hour pass."""
        self._hour += 1
        self._on = [(number + self._hour) % 3 == 0 for number in range(TOPICS)]
        for number, hub in enumerate(self._hubs):
            hub.state.temperature = 10.5 + (number + self._hour) % 10
        ends = self._clock.now + HOUR_S
        self._home.write(self._config())
        with self._clock.standing():  # the broker is another thread, and takes its time
            if self._hour % BROKER_RESTARTS_EVERY == 0:
                await self._restart_broker()
            for domain, hours in RELOADED_EVERY.items():
                if self._hour % hours == 0:
                    await self._hass.services.async_call(domain, "reload", blocking=True)
            await self._publish()
        if self._hour % ADDRESSES_CHANGE_EVERY == 0:
            index = self._hour // ADDRESSES_CHANGE_EVERY % HUBS
            await exchange_addresses(self._hubs[index], self._hubs[(index + 1) % HUBS])
            await asyncio.sleep(HOUR_S / 2)
        await self._learn(self._hour % HUBS)
        await asyncio.sleep(ends - self._clock.now)

    async def _learn(self, number: int) -> None:
        """Learn a command in place of the last of its name, and send it."""
        hub, remote = self._hubs[number], self._hass.services
        data = {"entity_id": f"remote.hub_{number}", "device": "tv", "command": "power"}
        learning = asyncio.create_task(
            remote.async_call("remote", "learn_command", data, blocking=True)
        )
        await hub.press_when_listening(POWER)
        await learning
        await remote.async_call("remote", "send_command", data, blocking=True)
        assert hub.transmitted == [POWER]
        hub.logs.transmitted.clear()

    async def _publish(self) -> None:
        """Publish each topic, and wait until all messages are received."""
        for number, on in enumerate(self._on):
            self._home.device.publish(f"t/{number}", "ON" if on else "OFF", retain=True)
        await until(lambda: not self.wrong("binary_sensor.t_"))

    async def _restart_broker(self) -> None:
        self._home.device.close()
        await self._home.broker.stop()
        await until(lambda: not mqtt.is_connected(self._hass))
        await self._home.broker.start()
        self._home.device = Device(self._home.broker)
        await self._home.device.connect()
        await until(lambda: mqtt.is_connected(self._hass))

    def _states(self) -> dict[str, str]:
        """Return all expected states."""
        degrees = [str(hub.state.temperature) for hub in self._hubs]
        return (
            {f"sensor.rest_{n}": str(self._hour * 1000 + n) for n in range(SENSORS)}
            | {f"binary_sensor.t_{n}": "on" if on else "off" for n, on in enumerate(self._on)}
            | {f"sensor.hub_{n}_temperature": value for n, value in enumerate(degrees)}
            | {f"remote.hub_{n}": "on" for n in range(HUBS)}
        )

    def wrong(self, prefix: str = "") -> dict[str, str]:
        """Return the actual states that differ from the expected ones."""
        shown = {state.entity_id: state.state for state in self._hass.states.async_all()}
        return {
            key: shown.get(key, "missing")
            for key, value in self._states().items()
            if key.startswith(prefix) and shown.get(key) != value
        }

    def forget(self) -> None:
        """Clear the records of all peers of the home."""
        self._endpoint.requests.clear()
        for hub in self._hubs:
            hub.logs.received.clear()
            hub.logs.transmitted.clear()
