"""Hundreds of MQTT binary sensors, ours or core's, on a real broker behind core's MQTT client."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
import contextlib
from dataclasses import dataclass
from itertools import count
from pathlib import Path
import time

from homeassistant.components import mqtt
from homeassistant.components.mqtt.models import DATA_MQTT
from homeassistant.core import HomeAssistant, callback
import paho.mqtt.client as paho

from demo.host import free_port

from .case import Addresses, Job
from .control import ask
from .host import Entry, bare, log_of, ours, set_up, write_config

INTEGRATION = "mqtt_binary"
CORE = "core"
FLOOR = "bare platform"
BARE_PLATFORM = Path(__file__).parent / "bare_platform"
DOMAINS = ("http", "mqtt", "binary_sensor")
DONE_TOPIC = "benchmark/done"
TIMEOUT_S = 60
RETRY_S = 0.2

_marks = count()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Sensors with the same configuration."""

    name: str
    config: Mapping[str, object]
    on: str = "ON"
    off: str = "OFF"

    def topics(self, count: int) -> list[str]:
        """Return the state topics."""
        return [f"home/{self.name}/{number}" for number in range(count)]

    def entities(self, count: int) -> list[str]:
        """Return the entity ids, in the same order."""
        return [f"binary_sensor.{self.name}_{number}" for number in range(count)]

    def yaml(self, count: int) -> list[dict[str, object]]:
        """Return the sensors' YAML, common to our integration and core's."""
        return [
            {"name": f"{self.name} {number}", "state_topic": topic, **self.config}
            for number, topic in enumerate(self.topics(count))
        ]


def client_entry(job: Job, *, disabled: bool = False) -> Entry:
    """Return the config entry of core's MQTT client."""
    return Entry(
        domain="mqtt",
        title="broker",
        data={"broker": "127.0.0.1", "port": job.peers.broker_port, "protocol": "3.1.1"},
        options={"discovery": False},
        version=2,
        disabled_by="user" if disabled else None,
    )


def write_all(job: Job, sides: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Write the configuration of the sensors of all sides for one process."""
    our_sensors, core_sensors = (
        [entry for side, sensors in sides.items() if (side == CORE) is core for entry in sensors]
        for core in (False, True)
    )
    config = {
        "http": {"server_host": "127.0.0.1", "server_port": free_port()},
        "binary_sensor": [{"platform": INTEGRATION, **entry} for entry in our_sensors],
        "mqtt": {"binary_sensor": core_sensors},
    }
    write_config(job, ours(job, INTEGRATION), config, [client_entry(job)])


def write(job: Job, entries: Sequence[Mapping[str, object]], client: Entry | None = None) -> None:
    """Write the configuration of these sensors for the job's side, and of the MQTT client."""
    config: dict[str, object] = {
        "http": {"server_host": "127.0.0.1", "server_port": free_port()}  # core's MQTT needs one
    }
    integrations = ours(job, INTEGRATION)
    if job.side == FLOOR:
        integrations = [BARE_PLATFORM]
    if integrations:
        platform = integrations[0].name
        config["binary_sensor"] = [{"platform": platform, **entry} for entry in entries]
    else:
        config["mqtt"] = {"binary_sensor": entries}
    write_config(job, integrations, config, [client or client_entry(job)])


class Wire:
    """Sends messages from another process through the broker, over real sockets."""

    def __init__(self, hass: HomeAssistant, peers: Addresses) -> None:
        self._hass = hass
        self._peers = peers
        self._topic = ""
        self._mark = ""
        self._done = asyncio.Event()

    async def until_subscribed(self) -> None:
        """Wait until the broker has processed all subscriptions made so far."""
        # Home Assistant sends subscriptions in order: once this one works, all do.
        self._topic = f"{DONE_TOPIC}/{next(_marks)}"
        await mqtt.async_subscribe(self._hass, self._topic, self._arrived)
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                with contextlib.suppress(TimeoutError):
                    return await self.publish([], [], within=RETRY_S)

    async def publish(
        self, topics: Sequence[str], payloads: Sequence[str], *, within: float = TIMEOUT_S
    ) -> None:
        """Publish each payload to all topics; return when the last message was handled.

        With one publisher, one broker and one connection, the mark that is sent last arrives last.
        """
        self._mark = str(next(_marks))
        self._done.clear()
        last = {"topic": self._topic, "payload": self._mark}
        await ask(self._peers, "publish", topics=topics, payloads=payloads, last=last)
        async with asyncio.timeout(within):
            await self._done.wait()

    @callback
    def _arrived(self, message: mqtt.ReceiveMessage) -> None:
        if message.payload == self._mark:
            self._done.set()


@contextlib.asynccontextmanager
async def listening(
    job: Job, kinds: Sequence[Kind], count: int
) -> AsyncGenerator[tuple[HomeAssistant, Wire]]:
    """Yield a Home Assistant with `count` sensors of each kind, all subscribed and on."""
    write(job, [entry for kind in kinds for entry in kind.yaml(count)])
    async with _listening(job, kinds, count) as listening_:
        yield listening_


@contextlib.asynccontextmanager
async def all_listening(
    job: Job, kinds: Mapping[str, Kind], count: int
) -> AsyncGenerator[tuple[HomeAssistant, Wire]]:
    """Do the same with the sensors of all sides in one Home Assistant."""
    write_all(job, {side: kind.yaml(count) for side, kind in kinds.items()})
    async with _listening(job, list(kinds.values()), count) as listening_:
        yield listening_


@contextlib.asynccontextmanager
async def _listening(
    job: Job, kinds: Sequence[Kind], count: int
) -> AsyncGenerator[tuple[HomeAssistant, Wire]]:
    async with bare(job.folder) as hass:
        await set_up(hass, DOMAINS)
        missing = [
            entity
            for kind in kinds
            for entity in kind.entities(count)
            if hass.states.get(entity) is None
        ]
        if missing:
            raise RuntimeError(f"{len(missing)} sensors are missing: {log_of(job.folder)}")
        wire = Wire(hass, job.peers)
        await wire.until_subscribed()
        for kind in kinds:
            await hand_over(hass, kind.topics(count), [kind.on])
            check_states(hass, kind, count, "on")
        yield hass, wire


async def hand_over(hass: HomeAssistant, topics: Sequence[str], payloads: Sequence[str]) -> None:
    """Pass messages to core's MQTT client in the same way as paho does after reading one."""
    received = hass.data[DATA_MQTT].client._async_mqtt_on_message  # noqa: SLF001  (where paho calls)
    for payload in payloads:
        for topic in topics:
            message = paho.MQTTMessage(topic=topic.encode())
            message.payload = payload.encode()
            message.timestamp = time.monotonic()
            received(None, None, message)  # type: ignore[arg-type]  # it uses neither
        await asyncio.sleep(0)


def check_states(hass: HomeAssistant, kind: Kind, count: int, value: str) -> None:
    """Raise RuntimeError unless all sensors of a kind have this state."""
    states = [hass.states.get(entity) for entity in kind.entities(count)]
    if wrong := sum(state is None or state.state != value for state in states):
        raise RuntimeError(f"{wrong} of {count} {kind.name} sensors are not {value}")


async def cost(
    feed: Callable[[Sequence[str], Sequence[str]], Awaitable[None]],
    topics: Sequence[str],
    payloads: Sequence[str],
) -> float:
    """Return microseconds of CPU per message; `feed` returns when all were handled."""
    start = time.process_time()
    await feed(topics, payloads)
    return (time.process_time() - start) / (len(topics) * len(payloads)) * 1e6


async def ignore_all(hass: HomeAssistant, topics: Sequence[str]) -> None:
    """Subscribe to topics with a callback that does nothing."""

    @callback
    def ignore(_: mqtt.ReceiveMessage) -> None:
        pass

    for topic in topics:
        await mqtt.async_subscribe(hass, topic, ignore)
