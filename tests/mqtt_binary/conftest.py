"""Fixtures of the MQTT tests: a real broker, core's real MQTT integration, a real publisher."""

import asyncio
from collections.abc import AsyncGenerator, Callable
import contextlib
import itertools
from pathlib import Path
import socket
from typing import Any

from homeassistant.components import mqtt
from homeassistant.components.mqtt import client as core_client
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from virtual_home.broker import Broker

PATIENCE_S = 10.0
CONNECTING_S = 0.5  # to a broker that is there


class Device:
    """A device on the broker: a paho client on its own thread."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._client = paho.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        self._connected = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._client.on_connect = self._on_connect

    def _on_connect(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._connected.set)

    async def connect(self, *, will: tuple[str, str] | None = None) -> None:
        """Connect; `will` is the topic and payload the broker publishes when we vanish."""
        if will is not None:
            self._client.will_set(*will, qos=1, retain=True)
        self._connected.clear()
        self._client.connect(self._broker.host, self._broker.port)
        self._client.loop_start()
        async with asyncio.timeout(PATIENCE_S):
            await self._connected.wait()

    def publish(
        self, topic: str, payload: str | bytes = "", *, qos: int = 0, retain: bool = False
    ) -> None:
        """Publish."""
        self._client.publish(topic, payload, qos, retain)

    def cut(self) -> None:
        """Break the connection as a power failure does: without a word."""
        sock = self._client.socket()
        if sock is not None:
            socket.fromfd(sock.fileno(), socket.AF_INET, socket.SOCK_STREAM).shutdown(2)
        self._client.loop_stop()

    def close(self) -> None:
        """Say goodbye and end the thread."""
        self._client.disconnect()
        self._client.loop_stop()


class Home:
    """Home Assistant, a broker, and a device that publishes."""

    def __init__(self, hass: HomeAssistant, broker: Broker, yaml: Path) -> None:
        hass.config.config_dir = str(yaml.parent)
        yaml.write_text("")
        self.yaml = yaml
        self.hass = hass
        self.broker = broker
        self.device = Device(broker)
        self.publish = self.device.publish
        self.entry: MockConfigEntry | None = None
        self._markers = itertools.count()
        self._seen: set[str] = set()

    async def start_mqtt(self) -> MockConfigEntry:
        """Set up core's MQTT integration, as a user does, and wait for the connection."""
        entry = await self.add_mqtt()
        await self.until(lambda: mqtt.is_connected(self.hass))
        return entry

    async def change_mqtt(self, **options: Any) -> None:  # noqa: ANN401  (core's options)
        """Change options of core's MQTT integration, which reloads it; wait for the connection."""
        assert self.entry is not None
        self.hass.config_entries.async_update_entry(
            self.entry, options={**self.entry.options, **options}
        )
        await self.hass.async_block_till_done()
        await self.until(lambda: mqtt.is_connected(self.hass))

    async def add_mqtt(self) -> MockConfigEntry:
        """Set up core's MQTT integration."""
        self.entry = entry = MockConfigEntry(
            domain="mqtt",
            version=mqtt.CONFIG_ENTRY_VERSION,
            minor_version=mqtt.CONFIG_ENTRY_MINOR_VERSION,
            data={"broker": self.broker.host, "port": self.broker.port, "protocol": "3.1.1"},
            options={"discovery": False, "birth_message": {}},
        )
        entry.add_to_hass(self.hass)
        assert await self.hass.config_entries.async_setup(entry.entry_id)
        return entry

    async def set_up(self, *sensors: str | dict[str, Any]) -> None:
        """Set up sensors from YAML, without their `platform` line, and wait for subscriptions."""
        config: list[Any] = [{"platform": "mqtt_binary"} | _parse(sensor) for sensor in sensors]
        assert await async_setup_component(self.hass, "binary_sensor", {"binary_sensor": config})
        await self.hass.async_block_till_done()
        await self.settled()

    async def settled(self) -> None:
        """Wait until all that was subscribed is, and all that was published is processed."""
        marker = f"marker/{next(self._markers)}"
        received = asyncio.Event()

        @callback
        def seen(_message: mqtt.ReceiveMessage) -> None:
            received.set()

        unsubscribe = await mqtt.async_subscribe(self.hass, marker, seen)
        async with asyncio.timeout(PATIENCE_S):
            while not received.is_set():
                self.publish(marker, "here")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(received.wait(), 0.05)
        unsubscribe()

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something is so."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not true():  # noqa: ASYNC110  (nothing announces it)
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pytest.fail("it did not become so")

    async def wait_for(self, entity_id: str, value: str) -> State:
        """Wait until the state is `value`."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (  # noqa: ASYNC110  (an event could be missed between the two)
                    state := self.hass.states.get(entity_id)
                ) is None or state.state != value:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pytest.fail(f"{entity_id} is {self.hass.states.get(entity_id)}, not {value}")
        return state

    def state(self, entity_id: str) -> str:
        """Return the state as it is now."""
        state = self.hass.states.get(entity_id)
        assert state is not None, f"no {entity_id}"
        return state.state

    def changes(self, entity_id: str) -> list[str]:
        """Return a list that grows by each state written from now on."""
        changes: list[str] = []

        @callback
        def changed(event: Event[EventStateChangedData]) -> None:
            if (state := event.data["new_state"]) is not None:
                changes.append(state.state)

        async_track_state_change_event(self.hass, entity_id, changed)
        return changes


def _parse(yaml: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(yaml, dict):
        return yaml
    parsed = parse_yaml(yaml)
    assert isinstance(parsed, dict)
    return parsed


@pytest.fixture(autouse=True)
def impatient_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten core's waits: they are meant for brokers far away."""
    monkeypatch.setattr(core_client, "INITIAL_SUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "SUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "UNSUBSCRIBE_COOLDOWN", 0.01)
    monkeypatch.setattr(core_client, "RECONNECT_INTERVAL_SECONDS", 0.1)
    monkeypatch.setattr(core_client, "TIMEOUT_ACK", 0.5)
    # Core tries MQTT 5 first, with a wait of seconds for brokers that do not know it.
    monkeypatch.setattr(mqtt, "try_connection", lambda _config: False)


@pytest.fixture(name="broker")
async def broker_fixture() -> AsyncGenerator[Broker]:
    """Run the broker."""
    async with Broker() as broker:
        yield broker


@pytest.fixture(name="bare_home")
async def bare_home_fixture(
    hass: HomeAssistant, broker: Broker, tmp_path: Path
) -> AsyncGenerator[Home]:
    """Run Home Assistant without core's MQTT integration set up; it is stopped at the end."""
    home = Home(hass, broker, tmp_path / "configuration.yaml")
    await home.device.connect()
    yield home
    home.device.close()
    for entry in hass.config_entries.async_entries(mqtt.DOMAIN):
        if entry.state is ConfigEntryState.LOADED:
            # Core's client leaves a timer behind when it is unloaded while it connects.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CONNECTING_S):
                    while not mqtt.is_connected(hass):  # noqa: ASYNC110  (as in `until`)
                        await asyncio.sleep(0.01)
            await hass.config_entries.async_unload(entry.entry_id)


@pytest.fixture(name="home")
async def home_fixture(bare_home: Home) -> Home:
    """Run Home Assistant with core's MQTT integration connected to the broker."""
    await bare_home.start_mqtt()
    return bare_home
