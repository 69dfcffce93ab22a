"""The whole virtual home: six hubs, a JSON endpoint, an MQTT broker with a window contact."""

import contextlib
import errno
import json
from typing import Self

from .broker import Broker
from .contact import Contact
from .endpoint import Endpoint
from .endpoint_auth import PASSWORD, USERNAME
from .hub import VirtualHub

# name: model, last byte of the address and of the MAC
HUBS = {
    "lounge": ("rm4_pro", 2),
    "air": ("a1", 3),
    "lamp": ("sp2s", 4),
    "strip": ("mp1", 5),
    "attic": ("rm_pro", 6),
    "bedroom": ("rm4_mini", 7),
}


class Home:
    """`async with Home() as home` starts everything on free loopback ports.

    With `discovery_port`, the hubs also answer broadcasts to that port.
    """

    def __init__(self, *, discovery_port: int | None = None) -> None:
        self._discovery_port = discovery_port
        self._stack = contextlib.AsyncExitStack()
        self.endpoint = Endpoint()
        self.broker = Broker()
        self.hubs: dict[str, VirtualHub] = {}

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self.endpoint)
            await stack.enter_async_context(self.broker)
            for name, (model, number) in HUBS.items():
                self.hubs[name] = await self._hub(stack, name, model, number)
            self.contact = await stack.enter_async_context(
                Contact(self.broker.host, self.broker.port)
            )
            self._stack = stack.pop_all()
        self.hubs["lamp"].state.watts = 12.5
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _hub(
        self, stack: contextlib.AsyncExitStack, name: str, model: str, number: int
    ) -> VirtualHub:
        mac = f"34:EA:34:00:00:{number:02X}"

        async def start(host: str) -> VirtualHub:
            port = self._discovery_port
            hub = VirtualHub(model, host=host, mac=mac, name=name, discovery_port=port)
            return await stack.enter_async_context(hub)

        try:
            return await start(f"127.0.0.{number}")
        except OSError as err:
            if err.errno != errno.EADDRNOTAVAIL:
                raise
            return await start("127.0.0.1")  # some systems have no other; the ports differ anyway

    def secrets(self) -> dict[str, object]:
        """Return all values that a configuration.yaml refers to as `!secret …`."""
        found: dict[str, object] = {
            f"{name}_url": f"{self.endpoint.url}/{name}"
            for name in ("values", "rooms", "login", "behind_login")
        }
        found["login_body"] = json.dumps({"user": USERNAME, "password": PASSWORD})
        for name, hub in self.hubs.items():
            found |= {f"{name}_host": hub.host, f"{name}_port": hub.port, f"{name}_mac": hub.mac}
        return found
