"""Sends a request and reads the reply: hosts, redirects, credentials, conditional, limits."""

import asyncio
from enum import Enum, auto
from http import HTTPStatus
import logging
from weakref import WeakValueDictionary

import aiohttp
from aiohttp import hdrs
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import (
    async_create_clientsession,
    async_get_clientsession,
)
from homeassistant.helpers.update_coordinator import UpdateFailed
from multidict import CIMultiDict
from yarl import URL

from .._common.log_once import LogOnce
from ..reply.reply import Reply
from .errors import reason_of, retry_after
from .request import ConfiguredRequest, RenderedRequest, http_url

_LOGGER = logging.getLogger(__name__)

MAX_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SUCCESS = range(200, 300)
NO_TIMEOUT = aiohttp.ClientTimeout(total=None)
UNLIMITED_S = 300.0  # aiohttp's own default, for `timeout: 0`

REQUESTS_AT_A_TIME = 4
PATIENCE_S = 1.0
"""A request unanswered for so long gives its place away: what hangs must not starve the others."""

# What may go to a foreign server: nothing a secret is likely to stand in.
HARMLESS_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
# What aiohttp, and so core, drops when a redirect leads from http to https.
CREDENTIAL_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})


class Origin(Enum):
    """Where a redirect has led."""

    HOME = auto()
    """The scheme, host and port that were asked for."""
    SECURED = auto()
    """The same host, by https instead of http."""
    FOREIGN = auto()
    """Anywhere else."""


class Place:
    """A place among a host's requests, given back when left, or after PATIENCE_S."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places: asyncio.Semaphore | None = places
        self._timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._give_back)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._give_back()

    def _give_back(self) -> None:
        if self._places:
            self._places.release()
            self._places = None


class Hosts:
    """How many requests a host gets at a time; one that nobody asks any more is forgotten."""

    def __init__(self) -> None:
        self._all: WeakValueDictionary[tuple[str | None, int | None], asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        self._log = LogOnce(_LOGGER)

    def places(self, url: URL) -> asyncio.Semaphore:
        """Return the places at the host and port of a URL, which are waited for in turn."""
        key = (url.host, url.port)
        if (places := self._all.get(key)) is None:
            places = self._all[key] = asyncio.Semaphore(REQUESTS_AT_A_TIME)
        return places

    def tell_slow(self, host: str) -> None:
        """Warn, once per host, that a round of polls takes longer than its interval."""
        self._log.report(
            host,
            f"{host}: its polls take longer than their scan_interval, so values come later than "
            "asked for; poll fewer of its resources, or less often",
        )


class Client:
    """One request's side of HTTP, with what outlives a poll: digest session and last reply."""

    def __init__(self, hass: HomeAssistant, request: ConfiguredRequest, hosts: Hosts) -> None:
        self._hass = hass
        self._request = request
        self._hosts = hosts
        self._timeout = request.timeout or UNLIMITED_S
        self._digest: tuple[URL, aiohttp.ClientSession] | None = None
        self._cookies: aiohttp.CookieJar | None = None
        self._last: tuple[RenderedRequest, URL, Reply] | None = None
        self._constant: RenderedRequest | None = None
        self._places: asyncio.Semaphore | None = None  # kept, so as not to be made for each poll

    def close(self) -> None:
        """Let go of the session for digest authentication; the next poll begins another."""
        if self._digest:
            self._digest[1].detach()
            self._digest = None

    async def fetch(self) -> Reply:
        """Return the reply, the last one again when it still holds. Raise UpdateFailed."""
        request = self._constant or self._request.render()
        if not self._request.is_templated:
            self._constant = request
        try:
            return await self._follow(request)
        except TimeoutError:
            raise UpdateFailed(f"no complete reply within {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as err:
            raise UpdateFailed(reason_of(err)) from None

    async def _follow(self, request: RenderedRequest) -> Reply:
        """Send, following redirects; each hop waits for its host, which does not count as time."""
        method, url, body = request.method, request.url, request.body
        left = self._timeout
        loop = self._hass.loop
        for _ in range(MAX_REDIRECTS + 1):
            self._places = self._hosts.places(url)
            await self._places.acquire()
            with Place(self._places):
                start = loop.time()
                async with asyncio.timeout(left):
                    outcome = await self._send(request, method, url, body)
                left -= loop.time() - start
            if isinstance(outcome, Reply):
                return outcome
            status, url = outcome
            if status not in (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT):
                method, body = hdrs.METH_GET, None
            elif body is not None and _origin(request.url, url) is Origin.FOREIGN:
                raise UpdateFailed("redirected to another origin, where the payload is not sent")
        raise UpdateFailed(f"more than {MAX_REDIRECTS} redirects")

    async def _send(
        self, request: RenderedRequest, method: str, url: URL, body: bytes | None
    ) -> Reply | tuple[int, URL]:
        """Return the reply, or a redirect's status and target."""
        origin = _origin(request.url, url)
        known = self._known(request, url)
        headers = _headers(request, origin, known)
        if body is None:
            headers.pop(hdrs.CONTENT_LENGTH, None)
        async with self._session(url, origin).request(
            method, url, data=body, headers=headers, allow_redirects=False, timeout=NO_TIMEOUT
        ) as response:
            if response.status in REDIRECTS and (target := response.headers.get(hdrs.LOCATION)):
                return response.status, _target(url, target)
            if response.status == HTTPStatus.NOT_MODIFIED and known:
                return known
            self._check(response)
            reply = Reply(
                body=await self._read(response),
                content_type=response.content_type.lower(),
                charset=response.charset,
                encoding=self._request.encoding,
                etag=response.headers.get(hdrs.ETAG),
                last_modified=response.headers.get(hdrs.LAST_MODIFIED),
            )
        if self._last and self._last[2].same_content(reply):
            self._last[2].etag, self._last[2].last_modified = reply.etag, reply.last_modified
            reply = self._last[2]
        self._last = (request, url, reply)
        return reply

    def _session(self, url: URL, origin: Origin) -> aiohttp.ClientSession:
        request = self._request
        if request.username is None or not request.digest or origin is not Origin.HOME:
            return async_get_clientsession(
                self._hass, request.verify_ssl, ssl_cipher=request.ssl_cipher_list
            )
        if self._digest is None or self._digest[0] != url.origin():
            self.close()
            self._cookies = self._cookies or aiohttp.CookieJar()
            session = async_create_clientsession(
                self._hass,
                request.verify_ssl,
                auto_cleanup=False,
                ssl_cipher=request.ssl_cipher_list,
                cookie_jar=self._cookies,
                middlewares=(
                    aiohttp.DigestAuthMiddleware(request.username, request.password or ""),
                ),
            )
            self._digest = (url.origin(), session)
        return self._digest[1]

    def _known(self, request: RenderedRequest, url: URL) -> Reply | None:
        """Return the reply that a conditional request can ask for."""
        if self._last is None or not self._request.conditional or request.method != hdrs.METH_GET:
            return None
        last_request, last_url, reply = self._last
        marked = reply.etag or reply.last_modified
        return reply if marked and (last_request, last_url) == (request, url) else None

    def _check(self, response: aiohttp.ClientResponse) -> None:
        status, valid = response.status, self._request.valid_status
        if not (status in SUCCESS if valid is None else status in valid):
            if status == HTTPStatus.UNAUTHORIZED:
                self.close()
            raise UpdateFailed(
                f"status {status}",
                retry_after=retry_after(response.headers.get(hdrs.RETRY_AFTER)),
            )
        if (response.content_length or 0) > self._request.max_size:
            raise self._too_large()

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while chunk := await response.content.readany():
            size += len(chunk)
            if size > self._request.max_size:
                response.close()
                raise self._too_large()
            chunks.append(chunk)
        return b"".join(chunks)

    def _too_large(self) -> UpdateFailed:
        size = self._request.max_size
        shown = f"{size / 1024**2:.3g} MiB" if size >= 1024**2 else f"{size} bytes"
        return UpdateFailed(f"the reply is larger than max_size, {shown}")


def _origin(home: URL, url: URL) -> Origin:
    if url is home or url.origin() == home.origin():
        return Origin.HOME
    if url.host == home.host and (home.scheme, url.scheme) == ("http", "https"):
        return Origin.SECURED
    return Origin.FOREIGN


def _headers(request: RenderedRequest, origin: Origin, known: Reply | None) -> CIMultiDict[str]:
    headers = CIMultiDict(request.headers)
    if origin is not Origin.HOME:
        for name in {name.lower() for name in headers}:
            if name in CREDENTIAL_HEADERS or (
                origin is Origin.FOREIGN and name not in HARMLESS_HEADERS
            ):
                headers.popall(name)
    if known and known.etag:
        headers.setdefault(hdrs.IF_NONE_MATCH, known.etag)
    if known and known.last_modified:
        headers.setdefault(hdrs.IF_MODIFIED_SINCE, known.last_modified)
    return headers


def _target(url: URL, location: str) -> URL:
    try:
        joined = str(url.join(URL(location)))
    except ValueError:
        joined = ""
    try:
        return http_url(joined).with_user(None)
    except ValueError as err:
        raise UpdateFailed(f"the redirect gives {err}") from None
