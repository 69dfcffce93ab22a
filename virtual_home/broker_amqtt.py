"""amqtt as an engine of the virtual broker, inside this process."""

import asyncio
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
import hmac
import logging
import threading
from typing import override

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter  # type: ignore[import-untyped]
from amqtt.broker import Broker as AmqttBroker  # type: ignore[import-untyped]
from amqtt.contexts import BaseContext  # type: ignore[import-untyped]
from amqtt.plugins.base import BaseAuthPlugin  # type: ignore[import-untyped]
from amqtt.session import (  # type: ignore[import-untyped]
    OutgoingApplicationMessage,
    Session,
)

from .broker_engine import Settings


# amqtt has no type annotations.
class OneUser(BaseAuthPlugin):  # type: ignore[misc]
    """Accepts the configured user and password, or everyone if none is configured."""

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
    """amqtt with fixes that a home with many sensors needs."""

    @override
    async def _run_broadcast(
        self, running_tasks: deque[asyncio.Task[OutgoingApplicationMessage]]
    ) -> None:
        """Deliver one message to all matching subscriptions.

        The original spends most of its time on log messages about filters that do not match.
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
        """Send them only to a session that has subscribed; the original sends them to all."""
        subscribers = self.subscriptions.get(subscription[0], ())
        if any(subscriber is session for subscriber, _ in subscribers):
            await super()._publish_retained_messages_for_subscription(subscription, session)


class EmbeddedAmqtt:
    """amqtt in a thread with its own event loop, since a test's loop may be busy or replaced."""

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
        try:
            return await asyncio.wrap_future(self._listening)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Cut every connection and end the thread."""
        self._pulled.set_result(None)
        await asyncio.wrap_future(self._stopped)
        self._thread.join()

    def _run(self, settings: Settings) -> None:
        try:
            asyncio.run(self._serve(settings))
        except BaseException as err:  # noqa: BLE001  (passed to the caller of `start`)
            if not self._listening.done():
                self._listening.set_exception(err)
        finally:
            self._stopped.set_result(None)

    async def _serve(self, settings: Settings) -> None:
        # amqtt logs each cut connection as an error, but tests cut them on purpose.
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
