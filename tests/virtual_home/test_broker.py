"""The virtual MQTT broker, driven by a real client."""

import asyncio
from collections.abc import AsyncGenerator
import shutil
import socket
import threading

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
import pytest

from virtual_home import broker_mosquitto
from virtual_home.broker import Broker, EngineName

ENGINES: list[EngineName] = ["amqtt"]
if shutil.which("mosquitto"):
    ENGINES.append("mosquitto")

RECEIVE_TIMEOUT_S = 10.0


class Client:
    """A paho client on its own thread, with what it received in a queue."""

    def __init__(self, broker: Broker, *, username: str | None = None, password: str = "") -> None:
        self._loop = asyncio.get_running_loop()
        self._mqtt = paho.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        if username is not None:
            self._mqtt.username_pw_set(username, password)
        self._mqtt.on_connect = self._on_connect
        self._mqtt.on_disconnect = self._on_disconnect
        self._mqtt.on_message = self._on_message
        self._broker = broker
        self.connected: asyncio.Queue[bool] = asyncio.Queue()
        self.lost: asyncio.Queue[bool] = asyncio.Queue()
        self.received: asyncio.Queue[tuple[str, bytes, int, bool]] = asyncio.Queue()

    def _on_connect(self, *arguments: object) -> None:
        ok = not arguments[3].is_failure  # type: ignore[attr-defined]
        self._loop.call_soon_threadsafe(self.connected.put_nowait, ok)

    def _on_disconnect(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.lost.put_nowait, True)  # noqa: FBT003  (a queue item)

    def _on_message(self, _client: object, _user: object, message: paho.MQTTMessage) -> None:
        self._loop.call_soon_threadsafe(
            self.received.put_nowait, (message.topic, message.payload, message.qos, message.retain)
        )

    async def connect(self) -> bool:
        """Connect; false when the broker refuses."""
        self._mqtt.connect(self._broker.host, self._broker.port)
        self._mqtt.loop_start()
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
            return await self.connected.get()

    async def next(self) -> tuple[str, bytes, int, bool]:
        """Wait for a message: topic, payload, QoS, retained."""
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
            return await self.received.get()

    def subscribe(self, topic: str, qos: int = 0) -> None:
        """Subscribe, at this QoS at most."""
        self._mqtt.subscribe(topic, qos)

    def publish(self, topic: str, payload: bytes, qos: int = 0, *, retain: bool = False) -> None:
        """Publish."""
        self._mqtt.publish(topic, payload, qos, retain)

    def close(self) -> None:
        """Disconnect."""
        self._mqtt.disconnect()
        self._mqtt.loop_stop()


@pytest.fixture(params=ENGINES)
async def broker(request: pytest.FixtureRequest) -> AsyncGenerator[Broker]:
    async with Broker(engine=request.param) as running:
        yield running


@pytest.mark.parametrize("qos", [0, 1, 2])
async def test_delivers_to_a_wildcard_at_every_qos(broker: Broker, qos: int) -> None:
    client = Client(broker)
    assert await client.connect()
    client.subscribe("home/+/state", qos)
    client.publish("home/door/state", b"ON", qos)
    assert await client.next() == ("home/door/state", b"ON", qos, False)
    client.close()


async def test_retains(broker: Broker) -> None:
    client = Client(broker)
    assert await client.connect()
    client.publish("kept", b"old", 1, retain=True)
    client.publish("kept", b"new", 1, retain=True)
    client.subscribe("marker")
    client.publish("marker", b"")
    await client.next()
    client.subscribe("kept")
    assert await client.next() == ("kept", b"new", 0, True)
    client.close()


async def test_only_who_subscribed_gets_what_is_retained(broker: Broker) -> None:
    first = Client(broker)
    assert await first.connect()
    first.subscribe("kept")
    first.publish("kept", b"old", 1, retain=True)
    await first.next()
    second = Client(broker)
    assert await second.connect()
    second.subscribe("marker")
    second.publish("marker", b"here")
    assert (await second.next())[:2] == ("marker", b"here")
    first.close()
    second.close()


async def test_a_stop_breaks_connections_and_a_start_takes_the_same_port(broker: Broker) -> None:
    port = broker.port
    client = Client(broker)
    assert await client.connect()
    client.publish("kept", b"forgotten", 1, retain=True)
    await broker.stop()
    async with asyncio.timeout(RECEIVE_TIMEOUT_S):
        assert await client.lost.get()
    client.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(broker.host, port)
    await broker.stop()  # a second time does nothing

    await broker.start()
    assert broker.port == port
    client = Client(broker)
    assert await client.connect()
    client.subscribe("#")
    client.publish("marker", b"first")
    assert (await client.next())[:2] == ("marker", b"first")
    client.close()
    with pytest.raises(RuntimeError):
        await broker.start()


@pytest.mark.parametrize("engine", ENGINES)
async def test_asks_for_the_password(engine: EngineName) -> None:
    async with Broker(engine=engine, username="home", password="secret") as broker:
        for username, password, welcome in (
            ("home", "secret", True),
            ("home", "wrong", False),
            ("nobody", "secret", False),
            (None, "", False),
        ):
            client = Client(broker, username=username, password=password)
            assert await client.connect() is welcome
            client.close()


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_taken_port_is_an_error(broker: Broker, engine: EngineName) -> None:
    second = Broker(port=broker.port, engine=engine)
    before = set(threading.enumerate())
    for _ in range(20):  # of which some find its thread still ending, if nobody waits for that
        with pytest.raises(OSError, match=str(broker.port)):
            await second.start()
        assert set(threading.enumerate()) == before


@pytest.mark.parametrize("engine", ENGINES)
async def test_two_at_once_and_nothing_left_behind(engine: EngineName) -> None:
    before = set(threading.enumerate())
    async with Broker(engine=engine) as first, Broker(engine=engine) as second:
        assert first.port != second.port
    assert set(threading.enumerate()) == before


async def test_without_mosquitto_amqtt_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert Broker().engine_name == "amqtt"
    with pytest.raises(FileNotFoundError, match="mosquitto is not installed"):
        await Broker(engine="mosquitto").start()


@pytest.mark.skipif("mosquitto" not in ENGINES, reason="Mosquitto is not installed")
async def test_a_port_that_another_program_takes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the choice of a free port and the start of Mosquitto."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        free_port = broker_mosquitto._free_port  # noqa: SLF001  (the race cannot be made for real)
        chosen = iter([taken])
        monkeypatch.setattr(
            broker_mosquitto,
            "_free_port",
            lambda host, port: next(chosen, None) or free_port(host, port),
        )
        async with Broker(engine="mosquitto") as broker:
            assert broker.port != taken
