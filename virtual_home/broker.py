"""An MQTT broker on loopback: Mosquitto if installed, otherwise amqtt inside this process.

`await broker.stop()` is like a power cut: connections break and all data are lost;
`await broker.start()` starts it again on the same port.
"""

import shutil
from typing import Literal, Self

from .broker_amqtt import EmbeddedAmqtt
from .broker_engine import Engine, Settings
from .broker_mosquitto import Mosquitto

type EngineName = Literal["auto", "amqtt", "mosquitto"]


class Broker:
    """A broker that can be stopped and restarted on the same port, from any event loop.

    `engine` selects one of the two; `auto` uses Mosquitto if it is on PATH. Retained messages
    and sessions do not survive a stop, as with a broker without persistence.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        engine: EngineName = "auto",
        username: str | None = None,
        password: str | None = None,
    ) -> None:
        if engine == "auto":
            engine = "mosquitto" if shutil.which("mosquitto") else "amqtt"
        self.engine_name: EngineName = engine
        self.host = host
        self.port = port
        self._username = username
        self._password = password
        self._engine: Engine | None = None

    async def start(self) -> None:
        """Start listening. Raise OSError if the port is taken."""
        if self._engine is not None:
            raise RuntimeError("The broker is already running")
        engine: Engine = Mosquitto() if self.engine_name == "mosquitto" else EmbeddedAmqtt()
        self.port = await engine.start(
            Settings(
                host=self.host, port=self.port, username=self._username, password=self._password
            )
        )
        self._engine = engine

    async def stop(self) -> None:
        """Break all connections at once; does nothing when stopped already."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
