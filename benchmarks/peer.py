"""The virtual home in a separate process, so that its CPU time is not measured.

Runs control it over HTTP, at the address of the JSON endpoint (bodies and replies are JSON):

POST /control/publish  {"topics": […], "payloads": […], "last": {"topic": …, "payload": …}}: publish
                       each payload to all topics, then the last message
POST /control/press    {"hub": n, "after": seconds, "packet": Base64}: press a button in front of
                       the hub; replies with the time of the press
POST /control/sent     {"hub": n}: replies with the times of the hub's transmissions and clears them
POST /control/delay    {"seconds": n, "hang": n}: set the delay of /late/… and /later/…, and /hang/…
POST /control/arrivals {path: times}: times of the requests of these paths since the last delay
order
POST /control/count    number of all requests to the endpoint
GET  /changing/BYTES   a JSON dictionary of that size, different in each reply
GET  /late/N, /later/N /changing/1000 after the delay; /hang/N after its own

Times are seconds of CLOCK_MONOTONIC, which all processes share.
"""

import asyncio
import base64
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
import contextlib
from functools import lru_cache
from itertools import count
import json
from multiprocessing.connection import Connection
import time
from typing import Any

from aiohttp import web
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from virtual_home.broker import Broker
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_documents import document
from virtual_home.hub import VirtualHub, free_udp_port

from .case import Addresses, Peers

MODEL = "rm4_pro"
SIZES = (1_000, 100_000, 1_000_000, 314_573, 2_097_152, 4_194_304, 8_388_608)  # bytes
LATE = ("late", "later", "hang")
LATE_RESOURCES = 200
CHANGE_SIZE = 21  # bytes of what makes each reply another

_document = lru_cache(document)


def serve(connection: Connection, peers: Peers) -> None:
    """Run until the other end of the connection is closed."""
    asyncio.run(_serve(connection, peers))


async def _serve(connection: Connection, peers: Peers) -> None:
    async with contextlib.AsyncExitStack() as stack:
        home = await stack.enter_async_context(_home(peers))
        connection.send(home)
        with contextlib.suppress(EOFError):
            await asyncio.to_thread(connection.recv)


@contextlib.asynccontextmanager
async def _home(peers: Peers) -> AsyncGenerator[Addresses]:
    async with contextlib.AsyncExitStack() as stack:
        endpoint = await stack.enter_async_context(Endpoint())
        hubs = [await stack.enter_async_context(hub) for hub in _hubs(peers)]
        control = Control(endpoint, hubs)
        port = 0
        if peers.broker:
            broker = await stack.enter_async_context(Broker())
            control.publisher = mqtt.Client(CallbackAPIVersion.VERSION2)
            await asyncio.to_thread(control.publisher.connect, broker.host, broker.port)
            control.publisher.loop_start()
            stack.callback(control.publisher.loop_stop)
            port = broker.port
        yield Addresses(
            url=endpoint.url,
            broker_port=port,
            hubs=[(hub.host, hub.mac) for hub in hubs],
            hub_port=hubs[0].port if hubs else 0,
        )


def _hubs(peers: Peers) -> list[VirtualHub]:
    """Return hubs at 127.0.0.2 and up, with a common port, because core supports only one."""
    port = free_udp_port() if peers.hubs else 0
    hubs = [
        VirtualHub(MODEL, host=f"127.0.0.{number}", port=port, mac=f"34:EA:34:00:00:{number:02X}")
        for number in range(2, 2 + peers.hubs)
    ]
    for hub in hubs:
        hub.faults.silent = peers.silent_hubs
        hub.quirks.noise = False  # core takes it for a button
        hub.quirks.air_time = 0.0  # the integrations are measured, not the packets
    return hubs


class Control:
    """Handles the orders of runs."""

    def __init__(self, endpoint: Endpoint, hubs: Sequence[VirtualHub]) -> None:
        self.publisher: mqtt.Client | None = None
        self._endpoint = endpoint
        self._hubs = hubs
        self._turn = count(1)
        self._delay = 0.0
        self._hang = 0.0
        self._arrivals: defaultdict[str, list[float]] = defaultdict(list)
        for size in SIZES:
            endpoint.set(f"/changing/{size}", self._changing)
        for number in range(LATE_RESOURCES):
            for kind in LATE:
                endpoint.set(f"/{kind}/{number}", self._late)
        endpoint.set("/control/delay", self._set_delay)
        endpoint.set("/control/arrivals", self._report_arrivals)
        endpoint.set("/control/publish", self._publish)
        endpoint.set("/control/press", self._press)
        endpoint.set("/control/sent", self._sent)
        endpoint.set("/control/count", self._count)

    async def _changing(self, request: web.BaseRequest) -> web.Response:
        return self._change(int(request.path.rpartition("/")[2]))

    async def _late(self, request: web.BaseRequest) -> web.Response:
        self._arrivals[request.path].append(time.monotonic())
        await asyncio.sleep(self._hang if request.path.startswith("/hang/") else self._delay)
        return self._change(SIZES[0])

    def _change(self, size: int) -> web.Response:
        body = _document(size - CHANGE_SIZE)
        change = b'{"turn": %10d, ' % next(self._turn)
        return web.Response(body=change + body[1:], content_type="application/json")

    async def _set_delay(self, request: web.BaseRequest) -> web.Response:
        order = json.loads(await request.read())
        self._delay = float(order["seconds"])
        self._hang = float(order.get("hang", 0))
        self._arrivals.clear()
        return web.json_response(None)

    async def _report_arrivals(self, _request: web.BaseRequest) -> web.Response:
        return web.json_response(self._arrivals)

    async def _publish(self, request: web.BaseRequest) -> web.Response:
        await asyncio.to_thread(self._publish_all, json.loads(await request.read()))
        return web.json_response(None)

    def _publish_all(self, order: dict[str, Any]) -> None:
        if self.publisher is None:
            raise RuntimeError("This benchmark asked for no broker")
        for payload in order["payloads"]:
            for topic in order["topics"]:
                self.publisher.publish(topic, payload)
        self.publisher.publish(**order["last"])

    async def _press(self, request: web.BaseRequest) -> web.Response:
        order = json.loads(await request.read())
        hub = self._hubs[order["hub"]]
        packet = base64.b64decode(order["packet"])
        await hub.until(lambda: hub.receiver.listening is not None)
        await asyncio.sleep(order["after"])
        await hub.press_when_listening(packet)
        return web.json_response(time.monotonic())

    async def _sent(self, request: web.BaseRequest) -> web.Response:
        log = self._hubs[json.loads(await request.read())["hub"]].logs.transmitted
        times = [entry.at for entry in log]
        log.clear()
        return web.json_response(times)

    async def _count(self, _request: web.BaseRequest) -> web.Response:
        return web.json_response(self._endpoint.count())
