"""The JSON endpoint's built-in paths with dynamic replies."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import lru_cache
import hashlib

from aiohttp import web

from .endpoint_answer import Answer
from .endpoint_auth import Digest, Login, basic_challenge
from .endpoint_documents import API_PASSWORD, STATE, document, values
from .endpoint_faults import FAULTS

MODIFIED = "Sat, 21 Nov 2026 09:00:00 GMT"

type Path = Callable[[web.BaseRequest, str], Awaitable[web.StreamResponse]]

_document = lru_cache(maxsize=16)(document)


async def _values(_request: web.BaseRequest, _: str) -> web.StreamResponse:
    return Answer.of(values()).response()


async def _size(_request: web.BaseRequest, size: str) -> web.StreamResponse:
    return Answer(body=_document(int(size))).response()


async def _etag(request: web.BaseRequest, size: str) -> web.StreamResponse:
    body = _document(int(size))
    mark = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if request.headers.get("If-None-Match") == mark:
        return web.Response(status=304, headers={"ETag": mark})
    return Answer(body=body, headers={"ETag": mark}).response()


async def _modified(request: web.BaseRequest, size: str) -> web.StreamResponse:
    if request.headers.get("If-Modified-Since") == MODIFIED:
        return web.Response(status=304)
    return Answer(body=_document(int(size)), headers={"Last-Modified": MODIFIED}).response()


async def _basic(request: web.BaseRequest, _: str) -> web.StreamResponse:
    return basic_challenge(request) or Answer.of(values()).response()


async def _slow(request: web.BaseRequest, seconds: str) -> web.StreamResponse:
    await asyncio.sleep(float(seconds.partition("/")[0]))
    return await _values(request, "")


async def _status(request: web.BaseRequest, status: str) -> web.StreamResponse:
    after = request.query.get("retry_after")
    return Answer.of(
        {"message": f"status {status}"},
        status=int(status),
        headers={"Retry-After": after} if after else {},
    ).response()


async def _redirect(request: web.BaseRequest, number: str) -> web.StreamResponse:
    left = int(number or 1) - 1
    to = request.query.get("to") or (f"/redirect/{left}" if left > 0 else "/values")
    return web.Response(status=302, headers={"Location": to})


async def _api(request: web.BaseRequest, _: str) -> web.StreamResponse:
    if request.query.get("api_password") != API_PASSWORD:
        return web.Response(status=401)
    return Answer.of(STATE).response()


async def _fault(request: web.BaseRequest, rest: str) -> web.StreamResponse:
    name, _, argument = rest.partition("/")
    return await FAULTS[name](request, argument)


def paths(digest: Digest) -> dict[str, Path]:
    """Return first path segment → handler; `digest` protects /digest, a token /behind_login."""

    async def _digest(request: web.BaseRequest, _: str) -> web.StreamResponse:
        return digest.challenge(request) or Answer.of(values()).response()

    login = Login()

    async def _login(request: web.BaseRequest, _: str) -> web.StreamResponse:
        return await login.answer(request)

    async def _behind_login(request: web.BaseRequest, _: str) -> web.StreamResponse:
        return login.challenge(request) or Answer.of(values()).response()

    return {
        "login": _login,
        "behind_login": _behind_login,
        "values": _values,
        "size": _size,
        "etag": _etag,
        "modified": _modified,
        "basic": _basic,
        "digest": _digest,
        "slow": _slow,
        "status": _status,
        "redirect": _redirect,
        "api": _api,
        "fault": _fault,
    }
