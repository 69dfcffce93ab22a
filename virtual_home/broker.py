"""An MQTT broker on loopback: Mosquitto where it is installed, else amqtt inside this process.

`await broker.stop()` is like pulling its plug: connections break, everything is forgotten;
`await broker.start()` brings it back on the same port.
"""

import asyncio
from collections import deque
from concurrent.futures import Future
import contextlib
from dataclasses import dataclass
import hmac
import logging
from pathlib import Path
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from typing import Literal, Protocol, Self, override

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter  # type: ignore[import-untyped]
from amqtt.broker import Broker as AmqttBroker  # type: ignore[import-untyped]
from amqtt.contexts import BaseContext  # type: ignore[import-untyped]
from amqtt.plugins.base import BaseAuthPlugin  # type: ignore[import-untyped]
from amqtt.session import (  # type: ignore[import-untyped]
    OutgoingApplicationMessage,
    Session,
)

from .process import die_with_parent

type EngineName = Literal["auto", "amqtt", "mosquitto"]

START_TIMEOUT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where to listen (port 0: any free one) and who may connect (no user name: everyone)."""

    host: str
    port: int
    username: str | None
    password: str | None


class Engine(Protocol):
    """One running broker; made anew for each start."""

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""

    async def stop(self) -> None:
        """Cut every connection and forget everything."""


class Broker:
    """A broker that may be stopped and started again on its port, from any event loop.

    `engine` forces one of the two; `auto` takes Mosquitto when it is on PATH. Retained
    messages and sessions do not survive a stop, as with a broker without persistence.
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
        """Listen. Raises OSError if the port is taken."""
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


# amqtt brings no types.
class OneUser(BaseAuthPlugin):  # type: ignore[misc]
    """Lets in who names the configured user and password, or everyone when none is configured."""

    @dataclass
    class Config:
        """Set by `EmbeddedAmqtt`."""

        username: str | None = None
        password: str | None = None

    def __init__(self, context: BaseContext) -> None:
        super().__init__(context)
        self._user: OneUser.Config = self.config

    @override
    async def authenticate(self, *, session: Session) -> bool:
        if self._user.username is None:
            session.is_anonymous = True
            return True
        return session.username == self._user.username and hmac.compare_digest(
            session.password or "", self._user.password or ""
        )


class Amqtt(AmqttBroker):  # type: ignore[misc]
    """amqtt, put right where a home full of sensors meets it."""

    @override
    async def _run_broadcast(
        self, running_tasks: deque[asyncio.Task[OutgoingApplicationMessage]]
    ) -> None:
        """Deliver one message to who is connected.

        The original spends most of its time on describing each filter that does not match.
        """
        message = await self._broadcast_queue.get()
        topic: str = message["topic"]
        for pattern, subscriptions in self._subscriptions.items():
            wild = "+" in pattern or "#" in pattern
            if pattern != topic and not (wild and self._matches(topic, pattern)):
                continue
            for session, qos in subscriptions:
                handler = self._get_handler(session)
                if handler is None or session.transitions.state != "connected":
                    continue
                delivery = handler.mqtt_publish(
                    topic, message["data"], message.get("qos", qos), retain=False
                )
                running_tasks.append(asyncio.ensure_future(delivery))

    @override
    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """Send them to the session if it subscribed; the original sends all to whoever connects."""
        subscribers = self.subscriptions.get(subscription[0], ())
        if any(subscriber is session for subscriber, _ in subscribers):
            await super()._publish_retained_messages_for_subscription(subscription, session)


class EmbeddedAmqtt:
    """amqtt on a thread with an event loop of its own: a test's loop may be busy or replaced."""

    def __init__(self) -> None:
        self._listening: Future[int] = Future()
        self._stopped: Future[None] = Future()
        self._pulled: Future[None] = Future()
        self._connections: set[asyncio.StreamWriter] = set()

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""
        self._thread = threading.Thread(
            target=self._run, args=(settings,), name="virtual MQTT broker", daemon=True
        )
        self._thread.start()
        return await asyncio.wrap_future(self._listening)

    async def stop(self) -> None:
        """Cut every connection and end the thread."""
        self._pulled.set_result(None)
        await asyncio.wrap_future(self._stopped)
        self._thread.join()

    def _run(self, settings: Settings) -> None:
        try:
            asyncio.run(self._serve(settings))
        except BaseException as err:  # noqa: BLE001  (handed to whoever waits for the start)
            if not self._listening.done():
                self._listening.set_exception(err)
        finally:
            self._stopped.set_result(None)

    async def _serve(self, settings: Settings) -> None:
        # A cut connection is what a test asks for, and amqtt reports each one as an error.
        logging.getLogger("amqtt").setLevel(logging.CRITICAL)
        logging.getLogger("transitions").setLevel(logging.CRITICAL)
        broker = Amqtt(
            {
                "listeners": {"default": {"type": "external", "bind": "external"}},
                "plugins": {
                    f"{__name__}.{OneUser.__name__}": {
                        "username": settings.username,
                        "password": settings.password,
                    }
                },
            }
        )
        await broker.start()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._connections.add(writer)
            try:
                await broker.external_connected(
                    StreamReaderAdapter(reader), StreamWriterAdapter(writer), "default"
                )
            finally:
                self._connections.discard(writer)
                writer.close()

        server = await asyncio.start_server(connected, settings.host, settings.port)
        self._listening.set_result(server.sockets[0].getsockname()[1])
        await asyncio.wrap_future(self._pulled)
        server.close()
        for writer in self._connections:
            writer.transport.abort()
        await broker.shutdown()


class Mosquitto:
    """The `mosquitto` program as a child process."""

    def __init__(self) -> None:
        self._running = contextlib.ExitStack()

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""
        with contextlib.ExitStack() as running:
            port = _free_port(settings.host, settings.port)
            process = self._spawn(running, settings, port)
            deadline = time.monotonic() + START_TIMEOUT_S
            while not await _answers(settings.host, port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise OSError(f"mosquitto did not start on {settings.host}:{port}")
                await asyncio.sleep(0.02)
            self._running = running.pop_all()
        return port

    async def stop(self) -> None:
        """Kill it."""
        self._running.close()

    def _spawn(
        self, running: contextlib.ExitStack, settings: Settings, port: int
    ) -> subprocess.Popen[bytes]:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="virtual-broker-")))
        lines = [
            f"listener {port} {settings.host}",
            "user root",  # ignored unless started as root, which could not read its files otherwise
            "persistence false",
            "log_dest none",
            "max_queued_messages 0",
            f"allow_anonymous {str(settings.username is None).lower()}",
        ]
        if settings.username is not None:
            passwords = folder / "passwords"
            subprocess.run(  # noqa: S603  (our own arguments, no shell)
                [
                    _program("mosquitto_passwd"),
                    "-c",
                    "-b",
                    str(passwords),
                    settings.username,
                    settings.password or "",
                ],
                check=True,
                capture_output=True,
            )
            lines.append(f"password_file {passwords}")
        config = folder / "mosquitto.conf"
        config.write_text("\n".join(lines) + "\n")
        process = subprocess.Popen(  # noqa: S603  (our own arguments, no shell)
            [_program("mosquitto"), "-c", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent,  # noqa: PLW1509  (it takes no lock)
        )
        running.callback(process.wait)
        running.callback(process.kill)
        return process


def _program(name: str) -> str:
    if (path := shutil.which(name)) is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path


def _free_port(host: str, port: int) -> int:
    """Return `port`, or any free one for 0. Raises OSError if it is taken."""
    with socket.create_server((host, port)) as probe:
        free: int = probe.getsockname()[1]
        return free


async def _answers(host: str, port: int) -> bool:
    with contextlib.suppress(OSError):
        _, writer = await asyncio.open_connection(host, port)
        writer.close()
        return True
    return False
