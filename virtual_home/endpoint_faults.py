"""Replies of broken, slow or hostile servers, down to socket level."""

import asyncio
from collections.abc import Awaitable, Callable
import gzip
import socket
import struct

from aiohttp import web

CHUNK = 65536
BOMB_SIZE = 64 * 1024 * 1024  # bytes, unpacked
_BODY = b'{"temperature": 21.5}'


def _transport(request: web.BaseRequest) -> asyncio.Transport:
    transport = request.transport
    if not isinstance(transport, asyncio.Transport):
        raise ConnectionResetError
    return transport


async def raw(request: web.BaseRequest, data: bytes) -> web.StreamResponse:
    """Send `data` unchanged, then close the connection."""
    _transport(request).write(data)
    _transport(request).close()
    return web.Response()


async def reset(request: web.BaseRequest, _: str) -> web.StreamResponse:
    """Reset the connection (RST) instead of answering."""
    transport = _transport(request)
    transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    transport.abort()
    return web.Response()


async def cut(request: web.BaseRequest, position: str) -> web.StreamResponse:
    """Close the connection after that many bytes of the reply, header included."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(_BODY)}\r\n"
    return await raw(request, (head.encode() + b"\r\n" + _BODY)[: int(position)])


async def half(request: web.BaseRequest, _: str) -> web.StreamResponse:
    """Announce 1,000 bytes, send 10, close."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    return await raw(request, head + b'{"temperat')


async def garbage(request: web.BaseRequest, _: str) -> web.StreamResponse:
    """Answer with bytes that are not HTTP."""
    return await raw(request, b"\x00\xff\x13 this is no HTTP\r\n\r\n")


async def drip(request: web.BaseRequest, pause: str) -> web.StreamResponse:
    """Send one byte every `pause` seconds, endlessly."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(float(pause))


async def endless(request: web.BaseRequest, _: str) -> web.StreamResponse:
    """Send as much as the peer accepts, endlessly."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b"x" * CHUNK)


async def huge(request: web.BaseRequest, size: str) -> web.StreamResponse:
    """Send a text of `size` bytes without Content-Length."""
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    left = int(size)
    while left > 0:
        await response.write(b"x" * min(CHUNK, left))
        left -= CHUNK
    await response.write_eof()
    return response


async def chunked(request: web.BaseRequest, size: str) -> web.StreamResponse:
    """Send a JSON dictionary in chunks of `size` bytes."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    for start in range(0, len(_BODY), int(size)):
        await response.write(_BODY[start : start + int(size)])
    await response.write_eof()
    return response


async def bomb(_request: web.BaseRequest, size: str) -> web.StreamResponse:
    """Send `size` zero bytes (default: 64 MiB), gzip-compressed a thousandfold."""
    packed = await asyncio.to_thread(gzip.compress, bytes(int(size or BOMB_SIZE)), 6)
    return web.Response(
        body=packed, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"}
    )


FAULTS: dict[str, Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]] = {
    "reset": reset,
    "cut": cut,
    "half": half,
    "garbage": garbage,
    "drip": drip,
    "endless": endless,
    "huge": huge,
    "chunked": chunked,
    "bomb": bomb,
}
