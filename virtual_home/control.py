"""HTTP interface to control the virtual home, used by its command line.

GET  /                     addresses of everything
GET  /sent/{hub}           packets the hub transmitted, Base64, oldest first
POST /press/{hub}          press a button in front of a hub; body: Base64 packet, or empty
POST /fault/{hub}/{fault}  body: a number, or nothing to end it (faults: silent, loss, slow …)
POST /publish/{topic}      body: an MQTT payload, retained
"""

import base64
import binascii
from collections.abc import AsyncGenerator
import contextlib
from dataclasses import fields
import json

from aiohttp import web

from .home import Home
from .hub import Faults, VirtualHub

# LG television, power: NEC, address 0x04, command 0xc4
BUTTON = base64.b64decode(
    "JgBYAAABIJISExETETcSEhISEhQQFBETETcROBESEjcRNhM1EjcTNRMTERISNxEUERMSExE2EjYSNhM2EhIR"
    "OBE3ETcREhITEgAFGwABH0oSAAwzAAEfShEADQU="
)


class Control:
    """The request handlers for one `Home`."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def app(self) -> web.Application:
        """Return the web application."""
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._show),
                web.get("/sent/{hub}", self._sent),
                web.post("/press/{hub}", self._press),
                web.post("/fault/{hub}/{fault}", self._fault),
                web.post("/publish/{topic:.+}", self._publish),
            ]
        )
        return app

    def _hub(self, request: web.Request) -> VirtualHub:
        try:
            return self._home.hubs[request.match_info["hub"]]
        except KeyError:
            known = ", ".join(self._home.hubs)
            raise web.HTTPNotFound(text=f"There is no such hub: {known} exist.\n") from None

    async def _show(self, _request: web.Request) -> web.Response:
        return web.json_response(
            {
                "endpoint": self._home.endpoint.url,
                "broker": f"{self._home.broker.host}:{self._home.broker.port}",
                "hubs": {
                    name: {"model": hub.model, "host": hub.host, "port": hub.port, "mac": hub.mac}
                    for name, hub in self._home.hubs.items()
                },
            },
            dumps=lambda value: json.dumps(value, indent=2) + "\n",
        )

    async def _sent(self, request: web.Request) -> web.Response:
        packets = (base64.b64encode(packet).decode() for packet in self._hub(request).transmitted)
        return web.Response(text="".join(f"{packet}\n" for packet in packets))

    async def _press(self, request: web.Request) -> web.Response:
        try:
            packet = base64.b64decode(await request.text(), validate=True) or BUTTON
        except binascii.Error as err:
            raise web.HTTPBadRequest(text=f"The packet is no Base64: {err}.\n") from err
        try:
            heard = self._hub(request).press(packet)
        except TypeError as err:
            raise web.HTTPBadRequest(text=f"{err}.\n") from err
        return web.Response(text="heard\n" if heard else "the hub was not listening\n")

    async def _fault(self, request: web.Request) -> web.Response:
        name = request.match_info["fault"]
        faults = self._hub(request).faults
        kinds = {field.name: field.type for field in fields(Faults) if field.name != "errors"}
        if name not in kinds:
            raise web.HTTPNotFound(text=f"There is no such fault: {', '.join(kinds)} exist.\n")
        try:
            value = float(await request.text() or 0)
        except ValueError as err:
            raise web.HTTPBadRequest(text=f"{err}.\n") from err
        setattr(faults, name, type(getattr(faults, name))(value))
        return web.Response(text=f"{name} is {getattr(faults, name)}\n")

    async def _publish(self, request: web.Request) -> web.Response:
        self._home.contact.publish(request.match_info["topic"], await request.text(), retain=True)
        return web.Response(text="published\n")


@contextlib.asynccontextmanager
async def serve(home: Home, port: int) -> AsyncGenerator[str]:
    """Serve the interface on loopback; yield its URL."""
    runner = web.AppRunner(Control(home).app())
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
