"""A battery-powered window contact: MQTT messages, availability by last will."""

import asyncio
from typing import Self

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

CONNECT_TIMEOUT_S = 10.0


class Contact:
    """Publishes to `<topic>/state` and `<topic>/availability` of one broker.

    `async with Contact(broker.host, broker.port)` switches the device on.
    """

    def __init__(self, host: str, port: int, topic: str = "home/window") -> None:
        self.topic = topic
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2)
        self._client.will_set(f"{topic}/availability", "offline", retain=True)
        self._address = host, port

    async def __aenter__(self) -> Self:
        await self.power_up()
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._leave)

    def report(self, payload: str) -> None:
        """Report the contact's state."""
        self.publish(f"{self.topic}/state", payload)

    def publish(self, topic: str, payload: str | bytes, *, retain: bool = False) -> None:
        """Publish anything else, such as a discovery config."""
        self._client.publish(topic, payload, qos=1, retain=retain)

    async def lose_power(self) -> None:
        """Disconnect without DISCONNECT, so that the broker publishes the last will."""
        await asyncio.to_thread(self._cut)

    async def power_up(self) -> None:
        """Connect and publish that it is online."""
        await asyncio.to_thread(self._connect)

    def _connect(self) -> None:
        self._client.connect(*self._address)
        self._client.loop_start()
        self._client.publish(
            f"{self.topic}/availability", "online", qos=1, retain=True
        ).wait_for_publish(CONNECT_TIMEOUT_S)

    def _cut(self) -> None:
        self._client.loop_stop()
        if (socket := self._client.socket()) is not None:
            socket.close()

    def _leave(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
