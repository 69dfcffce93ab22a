"""The JSON endpoint, read by an independent client (aiohttp's own, and bare sockets)."""

import asyncio
import base64
from collections.abc import AsyncGenerator
import json
import ssl

import aiohttp
import pytest
import trustme

from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_auth import PASSWORD, USERNAME
from virtual_home.endpoint_documents import API_PASSWORD, document


@pytest.fixture(name="endpoint")
async def endpoint_fixture() -> AsyncGenerator[Endpoint]:
    async with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture(name="session")
async def session_fixture() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def test_values_change_and_requests_are_logged(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    async with session.post(endpoint.url + "/values?a=1", data="x", headers={"X-A": "b"}) as reply:
        first = await reply.json()
    async with session.get(endpoint.url + "/values") as two:
        second = await two.json()
    assert second["counter"] == first["counter"] + 1
    assert endpoint.count() == endpoint.count("/values") == 2
    request = endpoint.received("/values")[0]
    assert (request.method, request.query, request.body) == ("POST", {"a": "1"}, b"x")
    assert request.headers["X-A"] == "b"


async def test_answers_follow_each_other(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    endpoint.set("/x", {"a": 1}, Answer.of("text", status=503))
    got = []
    for _ in range(3):
        async with session.get(endpoint.url + "/x") as reply:
            got.append((reply.status, await reply.text()))
    assert got == [(200, '{"a": 1}'), (503, "text"), (503, "text")]


@pytest.mark.parametrize("size", [64, 1000, 100_000, 1_000_000])
def test_a_document_has_the_size_asked_for(size: int) -> None:
    assert len(document(size)) == size
    assert json.loads(document(size))["temperature"] == 21.5


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/rooms", "rooms"),
        ("/api/3/mem", "used"),
        ("/arest", "variables"),
        (f"/api/states/sensor.garden?api_password={API_PASSWORD}", "state"),
        ("/slow/0.01", "counter"),
        ("/redirect/3", "counter"),
        ("/fault/chunked/3", "temperature"),
    ],
)
async def test_shapes(
    endpoint: Endpoint, session: aiohttp.ClientSession, path: str, key: str
) -> None:
    async with session.get(endpoint.url + path) as reply:
        assert key in await reply.json()


async def test_a_wrong_api_password_is_refused(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    async with session.get(endpoint.url + "/api/states/sensor.x?api_password=no") as reply:
        assert reply.status == 401


@pytest.mark.parametrize("path", ["/etag/1000", "/modified/1000"])
async def test_conditional(endpoint: Endpoint, session: aiohttp.ClientSession, path: str) -> None:
    async with session.get(endpoint.url + path) as reply:
        marks = {
            "If-None-Match": reply.headers.get("ETag", ""),
            "If-Modified-Since": reply.headers.get("Last-Modified", ""),
        }
    async with session.get(endpoint.url + path, headers=marks) as reply:
        assert (reply.status, await reply.read()) == (304, b"")


async def test_basic(endpoint: Endpoint, session: aiohttp.ClientSession) -> None:
    for path in ("/basic", "/repos/home/assistant/releases/latest"):
        async with session.get(endpoint.url + path) as reply:
            assert reply.status == 401
        token = base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
        header = {"Authorization": f"Basic {token}"}
        async with session.get(endpoint.url + path, headers=header) as reply:
            assert reply.status == 200


async def test_digest_refuses_an_old_nonce(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    right = aiohttp.DigestAuthMiddleware(USERNAME, PASSWORD)
    for _ in range(2):
        async with session.get(endpoint.url + "/digest", middlewares=(right,)) as reply:
            assert reply.status == 200
        endpoint.digest.rotate()
    assert endpoint.count("/digest") == 4
    wrong = aiohttp.DigestAuthMiddleware(USERNAME, "wrong")
    async with session.get(endpoint.url + "/digest", middlewares=(wrong,)) as reply:
        assert reply.status == 401


@pytest.mark.parametrize("fault", ["reset", "half", "garbage", "cut/20"])
async def test_faults_break_the_reply(
    endpoint: Endpoint, session: aiohttp.ClientSession, fault: str
) -> None:
    with pytest.raises(aiohttp.ClientError):
        async with session.get(endpoint.url + "/fault/" + fault) as reply:
            await reply.read()


async def test_a_cut_reply_is_a_prefix(endpoint: Endpoint) -> None:
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    writer.write(b"GET /fault/cut/30 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert len(await reader.read()) == 30
    writer.close()


async def test_drip_and_endless_never_end(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    async with session.get(endpoint.url + "/fault/drip/0.01") as reply:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reply.read(), 0.1)
    async with session.get(endpoint.url + "/fault/endless") as reply:
        assert len(await reply.content.readexactly(5_000_000)) == 5_000_000


async def test_a_bomb_is_small_on_the_wire(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    async with session.get(endpoint.url + "/fault/bomb/1000000") as reply:
        assert len(await reply.read()) == 1_000_000
        assert int(reply.headers["Content-Length"]) < 5000
    async with session.get(endpoint.url + "/fault/huge/100000") as reply:
        assert len(await reply.read()) == 100_000


async def test_tls_and_a_restart_on_the_same_port() -> None:
    authority = trustme.CA()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    async with Endpoint(ssl_context=server) as endpoint, aiohttp.ClientSession() as session:
        url = endpoint.url
        assert url.startswith("https://")
        await endpoint.stop()
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.get(url + "/values", ssl=client)
        await endpoint.start()
        assert endpoint.url == url
        async with session.get(url + "/values", ssl=client) as reply:
            assert reply.status == 200


async def test_peak_counts_requests_at_a_time(
    endpoint: Endpoint, session: aiohttp.ClientSession
) -> None:
    await asyncio.gather(*(session.get(f"{endpoint.url}/slow/0.2/{n}") for n in range(3)))
    assert endpoint.peak == 3
    await endpoint.wait_for("/slow/0.2/1")
    with pytest.raises(TimeoutError):
        await endpoint.wait_for("/never", timeout=0.05)
