"""Replies byte by byte: those of old and simple servers are read, damaged ones are not."""

from functools import partial

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
import pytest

from virtual_home.endpoint_faults import raw

from .home import RestHome

ENTRY = "- platform: rest\n  resource: URL/x\n  timeout: 2\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = HEAD + b"Content-Length: 4\r\n\r\n21.5"

READ: dict[str, bytes] = {
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\n21.5",
    "HTTP/1.0 with a length": b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n21.5",
    "until the connection closes": HEAD + b"\r\n21.5",
    "chunks with an extension and a trailer": CHUNKED
    + b"1;x=y\r\n2\r\n3\r\n1.5\r\n0\r\nX: y\r\n\r\n",
    "line feeds only": WHOLE.replace(b"\r\n", b"\n"),
    "no reason": WHOLE.replace(b"200 OK", b"200"),
    "an empty line first": b"\r\n" + WHOLE,
    "interim replies first": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX: y\r\n\r\n"
    + WHOLE,
    "a header on two lines": HEAD + b"X-A: a\r\n  b\r\nContent-Length: 4\r\n\r\n21.5",
    "bytes in a header": HEAD + b"X-A: \xff\xfe\r\nContent-Length: 4\r\n\r\n21.5",
    "a media type that is none": WHOLE.replace(b"text/plain", b";;;="),
    "two media types": HEAD + b"Content-Type: text/html\r\nContent-Length: 4\r\n\r\n21.5",
    "a broken cookie": HEAD + b'Set-Cookie: =;;;"\r\nContent-Length: 4\r\n\r\n21.5',
}
BROKE_OFF = "the reply broke off or could not be unpacked"
NO_HTTP = "the reply is no valid HTTP"
CLOSED = "the connection was closed before a reply arrived"
REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", CLOSED),
    "an empty line": (b"\r\n", CLOSED),
    "no header": (b"21.5", NO_HTTP),
    "another protocol": (b"ICY 200 OK\r\n\r\n21.5", NO_HTTP),
    "HTTP/2": (b"HTTP/2 200\r\n\r\n21.5", NO_HTTP),
    "less than announced": (WHOLE.replace(b": 4", b": 40"), BROKE_OFF),
    "more than announced": (WHOLE + b"canary", NO_HTTP),
    "a negative length": (WHOLE.replace(b": 4", b": -4"), NO_HTTP),
    "two lengths": (HEAD + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\n21.5", NO_HTTP),
    "chunks and a length": (HEAD + b"Content-Length: 2\r\n" + CHUNKED[len(HEAD) :], NO_HTTP),
    "no last chunk": (CHUNKED + b"4\r\n21.5\r\n", BROKE_OFF),
    "a chunk without a size": (CHUNKED + b"zz\r\n21.5\r\n0\r\n\r\n", NO_HTTP),
    "a line that is no header": (HEAD + b"canary\r\n\r\n21.5", NO_HTTP),
    "a zero byte in a header": (HEAD + b"X-A: a\x00b\r\n\r\n21.5", NO_HTTP),
    "a header of 100 KB": (HEAD + b"X-A: " + b"x" * 100_000 + b"\r\n\r\n21.5", NO_HTTP),
}


async def _answer(data: bytes, request: web.BaseRequest) -> web.StreamResponse:
    return await raw(request, data)


@pytest.mark.parametrize("data", READ.values(), ids=READ)
async def test_it_is_read(home: RestHome, data: bytes) -> None:
    home.endpoint.set("/x", partial(_answer, data))
    await home.set_up(ENTRY)
    await home.state("21.5")
    assert not home.log()


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
async def test_it_is_a_failure_with_its_reason(home: RestHome, data: bytes, reason: str) -> None:
    home.endpoint.set("/x", partial(_answer, data))
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    (message,) = home.log()
    assert f"data: {reason}; next try in 30 s" in message
    assert "canary" not in home.whole_log


async def test_no_proxy_of_the_environment_is_used(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with core: Home Assistant's client does not read them. Nothing listens there."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    home.endpoint.set("/x", "21.5")
    digest = "  username: u\n  password: p\n  authentication: digest\n"
    await home.set_up(ENTRY + ENTRY + "  name: digest\n" + digest)
    await home.state("21.5")
    await home.state("21.5", "sensor.digest")
