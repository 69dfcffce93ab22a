"""A REST sensor outlives whatever happens to the network and to the server's name and papers."""

import asyncio
from datetime import UTC, datetime, timedelta
import ssl
import struct
from typing import cast, override

import aiohttp
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.helpers import aiohttp_client
from homeassistant.util import ssl as ssl_util
import pytest
import trustme

from custom_components.rest.polling.coordinator import async_coordinators
from tests.home import until
from tests.rest.home import RestHome, apart
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

pytestmark = pytest.mark.reliability

ENTRY = "- platform: rest\n  resource: {url}\n  name: {name}\n  scan_interval: 3600\n"
RESTARTS = 20
REDIRECTS = 10_000


async def test_a_server_killed_and_restarted(rest_home: RestHome) -> None:
    """20 times in the middle of a reply: unavailable, then the value again; told, not 20 times."""
    rest_home.endpoint.set("/x", {"a": 1})
    await rest_home.set_up(
        ENTRY.format(url="URL/x", name="x") + ENTRY.format(url="URL/slow/30", name="slow")
    )
    waiting: list[asyncio.Task[None]] = []
    for number in range(RESTARTS):
        await rest_home.update("sensor.x")
        await rest_home.state('{"a": 1}', "sensor.x")
        await rest_home.polls("/slow/30", number + 1)
        await rest_home.endpoint.stop()
        await rest_home.update("sensor.x")
        await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
        await rest_home.state(STATE_UNAVAILABLE, "sensor.slow")
        await rest_home.endpoint.start()
        waiting.append(asyncio.create_task(rest_home.update("sensor.slow")))
    await rest_home.update("sensor.x")
    await rest_home.state('{"a": 1}', "sensor.x")
    waiting.pop().cancel()
    await asyncio.gather(*waiting)
    ours = [line for line in rest_home.log(20) if "(sensor.x)" in line]
    lost, back, unstable = ours
    assert lost.startswith("Error fetching")
    assert back.endswith("recovered")
    assert "is unstable" in unstable


class NameServer(asyncio.DatagramProtocol):
    """DNS (RFC 1035): one question, answered with 127.0.0.1, or that there is no such name."""

    def __init__(self) -> None:
        self.known = True
        self.asked = 0

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember what to answer with."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    @override
    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer: header, the question again, and an A record that points back to its name."""
        self.asked += 1
        end = data.index(0, 12) + 5  # the name, its closing zero, type and class
        wants_ipv4 = data[end - 4 : end - 2] == b"\x00\x01"
        answers = 1 if self.known and wants_ipv4 else 0
        flags = 0x8180 if self.known else 0x8183  # NXDOMAIN
        header = data[:2] + struct.pack("!5H", flags, 1, answers, 0, 0)
        record = struct.pack("!3HIH4B", 0xC00C, 1, 1, 0, 4, 127, 0, 0, 1)
        self._transport.sendto(header + data[12:end] + record * answers, addr)


async def test_a_name_that_stops_resolving(
    rest_home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unavailable with the reason, and back when the name is; asked of a name server."""
    rest_home.endpoint.set("/x", Answer.of({"a": 1}, headers={"Connection": "close"}))
    listening, server = await asyncio.get_running_loop().create_datagram_endpoint(
        NameServer, local_addr=("127.0.0.1", 0)
    )
    host, port = listening.get_extra_info("sockname")
    # Home Assistant's own, which the test environment replaces, with another server to ask.
    names = aiohttp.AsyncResolver(nameservers=[f"{host}:{port}"])
    resolver = aiohttp_client._async_make_resolver(rest_home.hass)  # noqa: SLF001  (what all sessions ask)
    monkeypatch.setattr(resolver, "resolve", names.resolve)
    monkeypatch.setattr(aiohttp.connector._DNSCacheTable, "expired", lambda *_: True)  # noqa: SLF001  (it holds names for 10 s)
    url = f"http://device.home.invalid:{rest_home.endpoint.port}/x"
    await rest_home.set_up(ENTRY.format(url=url, name="x"))
    await rest_home.state('{"a": 1}', "sensor.x")
    server.known = False
    await rest_home.update("sensor.x")
    await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    assert "data: host name not found; next try" in rest_home.log()[0]
    asked = server.asked
    server.known = True
    await rest_home.update("sensor.x")
    await rest_home.state('{"a": 1}', "sensor.x")
    assert server.asked > asked > 1
    await names.close()
    listening.close()


async def test_a_certificate_expires_and_is_renewed(rest_home: RestHome) -> None:
    """Unavailable with the reason; after the renewal the value again, without a restart."""
    authority = trustme.CA()
    authority.configure_trust(
        ssl_util.client_context(ssl_util.SSLCipherList.PYTHON_DEFAULT, ssl_util.SSL_ALPN_HTTP11)
    )
    now = datetime.now(UTC)
    valid = authority.issue_cert("127.0.0.1")
    expired = authority.issue_cert(
        "127.0.0.1", not_before=now - timedelta(2), not_after=now - timedelta(1)
    )
    port = 0
    for certificate in (valid, expired, valid, expired, valid):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        certificate.configure_cert(context)
        async with apart(Endpoint(port=port, ssl_context=context)) as endpoint:
            if port == 0:
                port = endpoint.port
                await rest_home.set_up(ENTRY.format(url=endpoint.url + "/values", name="x"))
            await rest_home.update("sensor.x")
            if certificate is valid:
                await rest_home.state(lambda state: "counter" in state.state, "sensor.x")
            else:
                await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    expired_once, unstable = rest_home.log()
    assert "data: TLS certificate not accepted: it expired on " in expired_once
    assert "is unstable" in unstable


async def test_10_000_redirects(rest_home: RestHome) -> None:
    """The eleventh is not followed, however many stand behind it; nor is a circle."""
    rest_home.endpoint.set("/a", Answer(status=307, headers={"Location": "/b"}))
    rest_home.endpoint.set("/b", Answer(status=307, headers={"Location": "/a"}))
    await rest_home.set_up(
        ENTRY.format(url=f"URL/redirect/{REDIRECTS}", name="x")
        + ENTRY.format(url="URL/a", name="circle")
    )
    await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    await rest_home.state(STATE_UNAVAILABLE, "sensor.circle")
    assert rest_home.endpoint.count() == 22
    assert all("more than 10 redirects" in line for line in rest_home.log())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("authentication", ["basic", "digest"])
async def test_no_credential_follows_to_another_origin(
    rest_home: RestHome, status: int, authentication: str
) -> None:
    """Not to another port, not to another address, not by way of a third; nor back again."""
    async with Endpoint() as port, Endpoint(host="127.0.0.2") as address:
        here, login = rest_home.endpoint.url, address.url.replace("//", "//canary:canary@")
        hops = {
            rest_home.endpoint: port.url,
            port: login,
            address: "/values",
        }
        for server, target in hops.items():
            server.set("/hop", Answer(status=status, headers={"Location": target + "/hop"}))
        address.set("/values/hop", {"a": 1})
        await rest_home.set_up(
            ENTRY.format(url=here + "/hop", name="x")
            + f"  username: canary\n  password: canary\n  authentication: {authentication}\n"
            "  headers: {X-Token: canary, Cookie: canary, Authorization-X: canary}\n"
        )
        await rest_home.state('{"a": 1}', "sensor.x")
        received = [*port.requests, *address.requests]
        assert len(received) == 3
        for request in received:
            assert "canary" not in f"{request}".lower()
            assert "Authorization" not in request.headers


@pytest.mark.parametrize(
    "scheme",
    ["file", "ftp", "gopher", "data", "javascript", "unix", "ws", "wss", "http+unix", "//", ""],
)
async def test_other_schemes_are_refused(rest_home: RestHome, scheme: str) -> None:
    """From a template and from a redirect, before anything is opened."""
    target = f"{scheme}:///etc/passwd"
    rest_home.endpoint.set("/to", Answer(status=302, headers={"Location": target}))
    await rest_home.set_up(
        ENTRY.format(url="URL/to", name="x")
        + "- platform: rest\n  name: y\n  resource_template: \"{{ '"
        + target
        + "' }}\"\n"
    )
    await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    await rest_home.state(STATE_UNAVAILABLE, "sensor.y")
    assert rest_home.endpoint.count() == 1 or scheme in ("//", "")
    assert all("no http or https URL" in line or "404" in line for line in rest_home.log())


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_respected(rest_home: RestHome, status: int) -> None:
    """Retry-After beats the interval, on each of ten refusals, and ends with the value."""
    refuse = Answer(status=status, headers={"Retry-After": "120"})
    rest_home.endpoint.set("/x", *[refuse] * 10, {"a": 1})
    await rest_home.set_up(
        ENTRY.format(url="URL/x", name="x").replace("scan_interval: 3600", "scan_interval: 5")
    )
    (coordinator,) = async_coordinators(rest_home.hass).active()
    for number in range(1, 11):
        await rest_home.polls("/x", number)
        await until(lambda: coordinator.failures == number)  # noqa: B023  (at once)
        assert coordinator.reason
        await rest_home.passes(115)
        await asyncio.sleep(0.02)
        assert rest_home.endpoint.count("/x") == number
        await rest_home.passes(121)
    await rest_home.state('{"a": 1}', "sensor.x")
    assert len(rest_home.log()) == 1
