"""URLs reach the server as they are written."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from homeassistant.setup import async_setup_component
import pytest

from custom_components.rest.polling.urls import http_url

from .home import RestHome

AS_WRITTEN = [
    "/a%2Cb",
    "/a,b",
    "/a%2Fb",
    "/a/../b",
    "/a/./b//c",
    "/%41%7e",
    "/x?sig=a%2Bb%2F%3D&x=a+b%20c",
    "/x?a=1,2&b=%2C&c=%5B0%5D",
    "/x?",
    "/x?a&b=&&c",
    "/rpc/Switch.Set?id=0&on=true",
    "/x?url=http%3A%2F%2Fh%2F%3Fa%3D1",
    "/x?redirect=http://h/a?b",
    "/;a=1/b;c",
    "/@a:b!$&'()*+",
]
ESCAPED = [
    ("", "/"),
    ("?a=1", "/?a=1"),
    ("/a b", "/a%20b"),
    ("/x?a=b c", "/x?a=b+c"),
    ("/Zürich?q=ü", "/Z%C3%BCrich?q=%C3%BC"),
    ("/100%", "/100%25"),
    ("/a%zz", "/a%25zz"),
    ('/x?a[0]="<1>"', "/x?a%5B0%5D=%22%3C1%3E%22"),
    ("/x#fragment", "/x"),
    ("/x?a#fragment", "/x?a"),
    ("/a\n/b\t", "/a/b"),
]


class Lines:
    """A server that keeps the first line of each request, as it came by the wire."""

    def __init__(self) -> None:
        self.port = 0
        self.targets: list[str] = []
        self.location: str | None = None

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep the request, and answer once with a redirect if there is one."""
        request = await reader.readuntil(b"\r\n\r\n")
        self.targets.append(request.split(b" ", 2)[1].decode("ascii"))
        location, self.location = self.location, None
        status = f"302 Found\r\nLocation: {location}" if location else "200 OK"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".encode()
        )
        writer.close()


@asynccontextmanager
async def lines() -> AsyncGenerator[Lines]:
    """Run such a server."""
    server = Lines()
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()


@pytest.mark.parametrize("key", ["resource", "resource_template"])
async def test_a_url_is_sent_as_it_is_written(home: RestHome, key: str) -> None:
    cases = [(target, target.removesuffix("?")) for target in AS_WRITTEN]
    async with lines() as server:
        await home.load({"sensor": []})
        await async_setup_component(home.hass, "rest", {})
        for number, (written, sent) in enumerate([*cases, *ESCAPED]):
            sensor = {
                "platform": "rest",
                key: f"http://127.0.0.1:{server.port}{written}",
                "name": f"s{number}",
                "scan_interval": 0,
            }
            await home.reload({"sensor": [sensor]})
            await home.update(f"sensor.s{number}")
            assert server.targets.pop() == sent


@pytest.mark.parametrize("target", ["/a%2Cb?sig=%2B%2F", "/a/%2e%2e/b?x=1,2", "?only=%2C"])
@pytest.mark.parametrize("is_absolute", [True, False])
async def test_a_redirect_is_followed_as_it_is_written(
    home: RestHome, target: str, is_absolute: bool
) -> None:
    async with lines() as server:
        origin = f"http://127.0.0.1:{server.port}"
        server.location = origin + target if is_absolute else target
        await home.load({"sensor": [{"platform": "rest", "resource": f"{origin}/first"}]})
        await home.state("ok")
        path = "/" if is_absolute else "/first"
        assert server.targets[1] == (path + target if target.startswith("?") else target)


async def test_parameters_are_added_to_what_is_written(home: RestHome) -> None:
    async with lines() as server:
        sensor = {
            "platform": "rest",
            "resource": f"http://127.0.0.1:{server.port}/x?sig=%2C%2F",
            "params": {"q": "a b,c"},
        }
        await home.load({"sensor": [sensor]})
        await home.state("ok")
        assert server.targets == ["/x?sig=%2C%2F&q=a+b,c"]


@pytest.mark.parametrize(
    "text", ["", "http://", "ftp://h/", "http:/h", "//h/a", "http://[::1", "http://h:x/", "h/a"]
)
def test_what_is_no_url(text: str) -> None:
    with pytest.raises(ValueError, match="no http or https URL"):
        http_url(text)


def test_a_host_is_written_as_the_network_knows_it() -> None:
    url = http_url("HTTP://Zürich.example:80/ü")
    assert (url.scheme, url.host, str(url)) == (
        "http",
        "zürich.example",
        "http://xn--zrich-kva.example/%C3%BC",
    )
