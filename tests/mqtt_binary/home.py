"""A home with a broker, core's own MQTT integration, and a device that publishes."""

import asyncio
from collections.abc import Mapping
import itertools
import socket
from typing import Any

from homeassistant.components import mqtt
from homeassistant.core import HomeAssistant, callback
from homeassistant.util.yaml import parse_yaml
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from tests.home import PATIENCE_S, Home, until
from virtual_home.broker import Broker

MARKERS = "mqtt_binary/marker"
"""Where `settled` publishes: a dialogue that watches all topics leaves out those of our prefix."""


class Device:
    """A device on the broker: a paho client on its own thread."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._client = paho.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        self._connected = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._client.on_connect = self._on_connect
        self._unacknowledged: list[paho.MQTTMessageInfo] = []

    def _on_connect(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._connected.set)

    async def connect(self, *, will: tuple[str, str] | None = None) -> None:
        """Connect; `will` is the topic and payload of the last will."""
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
        info = self._client.publish(topic, payload, qos, retain)
        if qos > 0:
            self._unacknowledged.append(info)

    def answer(self, topic: str, payload: str, messages: Mapping[str, str]) -> None:
        """Publish these messages (topic → payload) whenever this payload is received."""

        def received(_client: paho.Client, _userdata: object, message: paho.MQTTMessage) -> None:
            if message.payload.decode() == payload:
                for to, text in messages.items():
                    self._client.publish(to, text)

        self._client.message_callback_add(topic, received)
        self._client.subscribe(topic)

    async def acknowledged(self) -> None:
        """Wait until the broker has all: paho keeps back what is over 20 messages.

        What is published without quality of service would overtake that.
        """
        while self._unacknowledged:
            await until(self._unacknowledged[-1].is_published)
            self._unacknowledged = [i for i in self._unacknowledged if not i.is_published()]

    def cut(self) -> None:
        """Break the connection as a power failure does, without DISCONNECT."""
        sock = self._client.socket()
        if sock is not None:
            socket.fromfd(sock.fileno(), socket.AF_INET, socket.SOCK_STREAM).shutdown(2)
        self._client.loop_stop()

    def close(self) -> None:
        """Disconnect and end the thread."""
        self._client.disconnect()
        self._client.loop_stop()


class MqttHome(Home):
    """A home with a broker and a device that publishes."""

    def __init__(
        self, hass: HomeAssistant, caplog: pytest.LogCaptureFixture, broker: Broker
    ) -> None:
        super().__init__(hass, caplog)
        self.broker = broker
        self.device = Device(broker)
        self.publish = self.device.publish
        self.entry: MockConfigEntry | None = None
        self.protocol = "3.1.1"
        self._markers = itertools.count()

    async def start_mqtt(self, *, discovery: bool = False) -> MockConfigEntry:
        """Set up core's MQTT integration, as a user does, and wait for the connection."""
        entry = await self.add_mqtt(discovery=discovery)
        await until(lambda: mqtt.is_connected(self.hass))
        return entry

    async def change_mqtt(self, **options: Any) -> None:  # noqa: ANN401  (core's options)
        """Change options of core's MQTT integration, which reloads it; wait for the connection."""
        assert self.entry is not None
        self.hass.config_entries.async_update_entry(
            self.entry, options={**self.entry.options, **options}
        )
        await self.hass.async_block_till_done()
        await until(lambda: mqtt.is_connected(self.hass))

    def make_entry(self, *, discovery: bool = False) -> MockConfigEntry:
        """Make the config entry of core's MQTT integration."""
        self.entry = entry = MockConfigEntry(
            domain="mqtt",
            version=mqtt.CONFIG_ENTRY_VERSION,
            minor_version=mqtt.CONFIG_ENTRY_MINOR_VERSION,
            data={
                "broker": self.broker.host,
                "port": self.broker.port,
                "protocol": self.protocol,
            },
            options={"discovery": discovery, "birth_message": {}},
        )
        entry.add_to_hass(self.hass)
        return entry

    async def add_mqtt(self, *, discovery: bool = False) -> MockConfigEntry:
        """Set up core's MQTT integration."""
        entry = self.make_entry(discovery=discovery)
        assert await self.hass.config_entries.async_setup(entry.entry_id)
        return entry

    async def set_up(self, *sensors: str | dict[str, Any]) -> None:
        """Set up sensors from YAML, without their `platform` line, and wait for subscriptions."""
        config = [{"platform": "mqtt_binary"} | _parse(sensor) for sensor in sensors]
        await self.load({"binary_sensor": config})
        await self.settled()

    async def settled(self) -> None:
        """Wait until all subscriptions are made and all published messages are processed."""
        await self.device.acknowledged()
        marker = f"{MARKERS}/{next(self._markers)}"
        received = asyncio.Event()

        @callback
        def seen(_message: mqtt.ReceiveMessage) -> None:
            received.set()

        unsubscribe = await mqtt.async_subscribe(self.hass, marker, seen)
        ignore = mqtt.async_on_subscribe_done(
            self.hass, marker, mqtt.DEFAULT_QOS, lambda: self.publish(marker, "here")
        )
        async with asyncio.timeout(PATIENCE_S):
            await received.wait()
        ignore()
        unsubscribe()

    async def pass_time(self, seconds: float) -> None:
        """Advance the event loop's clock: everything due by then happens immediately."""
        loop = self.hass.loop
        now = loop.time
        loop.time = lambda: now() + seconds  # type: ignore[method-assign]
        await self.settled()


def _parse(yaml: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(yaml, dict):
        return yaml
    parsed = parse_yaml(yaml)
    assert isinstance(parsed, dict)
    return parsed
