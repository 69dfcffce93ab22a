"""Sends a call and reads the reply: redirects, authentication, conditional requests, limits."""

import asyncio
from http import HTTPStatus

import aiohttp
from aiohttp import hdrs
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import (
    async_create_clientsession,
    async_get_clientsession,
)
from multidict import CIMultiDict
from yarl import URL

from .const import MAX_REDIRECTS, MAX_REPLY_SIZE
from .failure import PollError, reason_of, retry_after
from .hosts import Hosts
from .reply import Reply
from .request import Call, Request, http_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# What may go to another origin: nothing a secret is likely to stand in.
HARMLESS_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
SUCCESS = range(200, 300)
NO_TIMEOUT = aiohttp.ClientTimeout(total=None)
UNLIMITED = 300.0  # seconds, aiohttp's own default, for `timeout: 0`


class Client:
    """One request's side of HTTP, with what outlives a poll: digest session and last reply."""

    def __init__(self, hass: HomeAssistant, request: Request, hosts: Hosts) -> None:
        self._hass = hass
        self._request = request
        self._hosts = hosts
        self._timeout = request.timeout or UNLIMITED
        self._digest: tuple[URL, aiohttp.ClientSession] | None = None
        self._last: tuple[Call, URL, Reply] | None = None
        self._constant: Call | None = None
        self._slot: asyncio.Semaphore | None = None  # kept, so as not to be made for each poll

    def close(self) -> None:
        """Let go of the session made for digest authentication."""
        if self._digest:
            self._digest[1].detach()
            self._digest = None

    async def fetch(self) -> Reply:
        """Return the reply, the last one again when it still holds; PollError otherwise."""
        call = self._constant or self._request.render()
        if not self._request.is_templated:
            self._constant = call
        try:
            return await self._follow(call)
        except TimeoutError as err:
            raise PollError(f"no complete reply within {self._timeout:g} s") from err
        except (aiohttp.ClientError, OSError, ValueError) as err:
            raise PollError(reason_of(err)) from err

    async def _follow(self, call: Call) -> Reply:
        """Send, following redirects; each hop waits for its host, which does not count as time."""
        method, url, body = call.method, call.url, call.body
        left = self._timeout
        loop = self._hass.loop
        for _ in range(MAX_REDIRECTS + 1):
            self._slot = self._hosts.slot(url)
            async with self._slot:
                start = loop.time()
                async with asyncio.timeout(left):
                    outcome = await self._send(call, method, url, body)
                left -= loop.time() - start
            if isinstance(outcome, Reply):
                return outcome
            status, target = outcome
            if status not in (307, 308):
                method, body = hdrs.METH_GET, None
            elif body is not None and target.origin() != call.url.origin():
                raise PollError("redirected to another origin, where the payload is not sent")
            url = target
        raise PollError(f"more than {MAX_REDIRECTS} redirects")

    async def _send(
        self, call: Call, method: str, url: URL, body: bytes | None
    ) -> Reply | tuple[int, URL]:
        """Return the reply, or a redirect's status and target."""
        known = self._known(call, url)
        headers = self._headers(call, url, known)
        if body is None:
            headers.pop(hdrs.CONTENT_LENGTH, None)
        async with self._session(call, url).request(
            method, url, data=body, headers=headers, allow_redirects=False, timeout=NO_TIMEOUT
        ) as response:
            if response.status in REDIRECTS and (target := response.headers.get(hdrs.LOCATION)):
                return response.status, _target(url, target)
            if response.status == HTTPStatus.NOT_MODIFIED and known:
                return known
            self._check(response)
            reply = self._reply(response, await _read(response))
        if self._last and self._last[2].same_content(reply):
            self._last[2].etag, self._last[2].last_modified = reply.etag, reply.last_modified
            reply = self._last[2]
        self._last = (call, url, reply)
        return reply

    def _session(self, call: Call, url: URL) -> aiohttp.ClientSession:
        request = self._request
        if request.username is None or not request.digest or url.origin() != call.url.origin():
            return async_get_clientsession(
                self._hass, request.verify_ssl, ssl_cipher=request.ssl_cipher_list
            )
        if self._digest is None or self._digest[0] != url.origin():
            self.close()
            session = async_create_clientsession(
                self._hass,
                request.verify_ssl,
                auto_cleanup=False,
                ssl_cipher=request.ssl_cipher_list,
                middlewares=(
                    aiohttp.DigestAuthMiddleware(request.username, request.password or ""),
                ),
            )
            self._digest = (url.origin(), session)
        return self._digest[1]

    def _known(self, call: Call, url: URL) -> Reply | None:
        """Return the reply a conditional request can ask for."""
        if self._last is None or call.method != hdrs.METH_GET:
            return None
        last_call, last_url, reply = self._last
        marked = reply.etag or reply.last_modified
        return reply if marked and (last_call, last_url) == (call, url) else None

    def _headers(self, call: Call, url: URL, known: Reply | None) -> CIMultiDict[str]:
        home = url is call.url or url.origin() == call.url.origin()
        headers = CIMultiDict(
            [
                (name, value)
                for name, value in call.headers
                if home or name.lower() in HARMLESS_HEADERS
            ]
        )
        if home and call.basic:
            headers[hdrs.AUTHORIZATION] = call.basic
        if known and known.etag:
            headers.setdefault(hdrs.IF_NONE_MATCH, known.etag)
        if known and known.last_modified:
            headers.setdefault(hdrs.IF_MODIFIED_SINCE, known.last_modified)
        return headers

    def _check(self, response: aiohttp.ClientResponse) -> None:
        status, valid = response.status, self._request.valid_status
        if not (status in SUCCESS if valid is None else status in valid):
            if status == HTTPStatus.UNAUTHORIZED:
                self.close()  # the next poll starts digest authentication anew
            raise PollError(
                f"status {status}",
                retry_after=retry_after(response.headers.get(hdrs.RETRY_AFTER)),
            )
        if (response.content_length or 0) > MAX_REPLY_SIZE:
            raise PollError(_TOO_LARGE)

    def _reply(self, response: aiohttp.ClientResponse, body: bytes) -> Reply:
        return Reply(
            body=body,
            content_type=response.content_type.lower(),
            charset=response.charset,
            encoding=self._request.encoding,
            etag=response.headers.get(hdrs.ETAG),
            last_modified=response.headers.get(hdrs.LAST_MODIFIED),
        )


_TOO_LARGE = f"the reply is larger than {MAX_REPLY_SIZE // 1024**2} MiB"


async def _read(response: aiohttp.ClientResponse) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > MAX_REPLY_SIZE:
            response.close()
            raise PollError(_TOO_LARGE)
        chunks.append(chunk)
    return b"".join(chunks)


def _target(url: URL, location: str) -> URL:
    try:
        joined = url.join(URL(location))
    except ValueError:
        joined = URL()
    return http_url("the redirect", str(joined)).with_user(None)
