"""HTTP client of a request: redirects, credentials, conditional requests, limits."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
import ssl

import aiohttp
from aiohttp import hdrs
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import (
    async_create_clientsession,
    async_get_clientsession,
)
from homeassistant.helpers.update_coordinator import UpdateFailed
from multidict import CIMultiDict
import orjson
from yarl import URL

from ..reply.reply import Content, Reply, without_surrogates
from .conditional import (
    NO_VALIDATORS,
    Conditional,
    NotModified,
    Validators,
    is_blamed_on_condition,
    is_conditional,
)
from .digest import DigestAuth
from .errors import RefusedError, StatusError, reason_of, reason_still_packed, retry_after
from .hosts import Hosts, Slot
from .request import ConfiguredRequest, RenderedRequest
from .tls import TlsFiles, certificate_reason
from .urls import redirect_url

MAX_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
SUCCESS = range(200, 300)
# Headers that describe the payload; a redirect to GET drops both.
PAYLOAD_HEADERS = frozenset(
    {"content-type", "content-encoding", "content-language", "content-location", "content-length"}
)
MAX_OAUTH_ERROR = 4096  # bytes
# RFC 6749, section 5.2. Other texts of a reply may contain anything, so they are not shown.
OAUTH_ERRORS = (
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "unauthorized_client",
    "unsupported_grant_type",
)
NO_TIMEOUT = aiohttp.ClientTimeout(total=None)
UNLIMITED_S = 300.0  # aiohttp's own default, for `timeout: 0`

STALL_S = 1.0
"""A timeout that fires this many seconds late means that the event loop was blocked."""

# Headers that may be sent to another origin, since they are unlikely to contain a secret.
HARMLESS_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent"})
# Headers that aiohttp, and so core, drops when a redirect leads from http to https.
CREDENTIAL_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})


class Origin(Enum):
    """The target of a redirect, relative to the URL of the request."""

    HOME = auto()
    """The same scheme, host and port."""
    SECURED = auto()
    """The same host, by https instead of http."""
    FOREIGN = auto()
    """Any other origin."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Session:
    """The result of a login: values for the templates of requests, and cookies."""

    values: Mapping[str, str]
    cookies: aiohttp.CookieJar
    ends: float
    """When the session expires, in event loop time."""
    pages: tuple[URL, ...] = ()
    """URLs of the login: a redirect to one of them means that the session has ended."""
    is_doubtful: bool = False
    """Whether the reply to the login looked like the login page, so it may have been refused."""


@dataclass(frozen=True, kw_only=True)
class Hop:
    """A single HTTP request; a redirect leads to the next hop."""

    method: str
    url: URL
    body: bytes | None


@dataclass(frozen=True, kw_only=True)
class Redirect:
    """A redirect that a server has answered."""

    status: int
    url: URL
    cookies: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class _OwnSession:
    """An HTTP session used by one request only, and the purpose that it was created for."""

    digest_at: URL | None
    cookies: aiohttp.CookieJar
    session: aiohttp.ClientSession


class Client:
    """HTTP client of one request; keeps its own session and the last reply between polls."""

    def __init__(
        self,
        hass: HomeAssistant,
        request: ConfiguredRequest,
        hosts: Hosts,
        warn: Callable[[str], None],
    ) -> None:
        self.url: URL | None = None
        """The URL of the last request."""
        self._hass = hass
        self._warn = warn
        self._request = request
        self._hosts = hosts
        self._timeout = request.timeout or UNLIMITED_S
        self._own_session: _OwnSession | None = None
        self._own_cookies: aiohttp.CookieJar | None = None
        self._tls: ssl.SSLContext | None = None
        self._conditional = Conditional(warn, is_allowed=request.conditional)
        self._constant: RenderedRequest | None = None
        self._slots: asyncio.Semaphore | None = None  # a reference keeps it alive between polls

    def close(self) -> None:
        """Close its own session, if any; the next poll opens another."""
        if self._own_session:
            self._own_session.session.detach()
            self._own_session = None

    def forget(self) -> None:
        """Discard the last reply, so that the next request is unconditional."""
        self._conditional.forget()

    async def fetch(self, session: Session | None = None) -> Reply:
        """Return the reply, or the last one if the server answers 304. Raise UpdateFailed."""
        values = session.values if session else None
        request = self._constant or self._request.render(values, self._warn)
        if not self._request.is_templated:
            self._constant = request
        return await self.send(request, session)

    async def send(self, request: RenderedRequest, session: Session | None) -> Reply:
        """Send a rendered request; return the reply. Raise UpdateFailed."""
        self.url = request.url
        if self._tls is None and self._request.tls_files:
            self._tls = await self._load(self._request.tls_files)
        try:
            return await self._follow(request, session)
        except TimeoutError:
            raise UpdateFailed(f"no complete reply within {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as err:
            self._tls = None  # read the files again, which may have changed
            if isinstance(err, aiohttp.ClientConnectorCertificateError):
                raise UpdateFailed(await certificate_reason(err)) from None
            raise UpdateFailed(reason_of(err)) from None

    async def _load(self, files: TlsFiles) -> ssl.SSLContext:
        request = self._request
        try:
            return await self._hass.async_add_executor_job(
                files.load,
                self._hass.config.path,
                request.verify_ssl,
                request.ssl_cipher_list,
            )
        except ValueError as err:
            raise UpdateFailed(str(err)) from None

    async def _follow(self, request: RenderedRequest, session: Session | None) -> Reply:
        """Send, following redirects. Waiting for a host's slot does not count for the timeout."""
        hop = Hop(method=request.method, url=request.url, body=request.body)
        remaining_s = self._timeout
        loop = self._hass.loop
        cookies: dict[str, str] = {}
        for _ in range(MAX_REDIRECTS + 1):
            self._slots = self._hosts.slots(hop.url)
            await self._slots.acquire()
            start = loop.time()
            with Slot(self._slots, start):
                try:
                    async with asyncio.timeout_at(start + remaining_s):
                        outcome = await self._send(request, session, hop)
                except TimeoutError:
                    if loop.time() > start + remaining_s + STALL_S:
                        raise UpdateFailed("Home Assistant stood still meanwhile") from None
                    raise
            if isinstance(outcome, Reply):
                reply = outcome
                if cookies:
                    reply = replace(outcome, cookies={**cookies, **outcome.cookies})
                return reply
            remaining_s -= loop.time() - start
            url = outcome.url
            cookies |= outcome.cookies
            if session and any(
                _is_at(page, url) and not _is_at(page, request.url) for page in session.pages
            ):
                raise RefusedError("redirected to the login page")
            if outcome.status not in (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT):
                hop = Hop(method=hdrs.METH_GET, url=url, body=None)
                continue
            if hop.body is not None and origin_of(request.url, url) is Origin.FOREIGN:
                raise UpdateFailed("redirected to another origin, where the payload is not sent")
            hop = replace(hop, url=url)
        raise UpdateFailed(f"more than {MAX_REDIRECTS} redirects")

    async def _send(
        self, request: RenderedRequest, session: Session | None, hop: Hop
    ) -> Reply | Redirect:
        """Send a request, conditionally if possible.

        If it may have been refused because of its condition, send it again without.
        """
        conditional = self._conditional
        exchange = partial(self._exchange, request, session, hop)
        validators = conditional.validators(request, hop.url)
        try:
            outcome = await exchange(validators)
        except asyncio.CancelledError:
            if validators:
                conditional.unanswered()
            raise
        except (UpdateFailed, aiohttp.ClientError) as err:
            if not validators or not is_blamed_on_condition(err):
                raise
            conditional.request_whole_reply()
            validators = NO_VALIDATORS
            outcome = await exchange(validators)
            conditional.refuse()
        if isinstance(outcome, NotModified):
            if last_reply := conditional.not_modified(request, hop.url, outcome):
                return last_reply
            validators = NO_VALIDATORS
            outcome = await exchange(validators)
        if isinstance(outcome, NotModified):
            raise StatusError(HTTPStatus.NOT_MODIFIED)
        if isinstance(outcome, Reply):
            conditional.keep(request, hop.url, outcome, validators)
        return outcome

    async def _exchange(
        self,
        request: RenderedRequest,
        session: Session | None,
        hop: Hop,
        validators: Validators,
    ) -> Reply | Redirect | NotModified:
        """Send a request with these validators; return the response."""
        method, url, body = hop.method, hop.url, hop.body
        origin = origin_of(request.url, url)
        headers = _headers(request, origin)
        headers.update(validators)
        if method != request.method:
            for name in PAYLOAD_HEADERS:
                headers.popall(name, None)
        elif body is None:
            headers.pop(hdrs.CONTENT_LENGTH, None)
        async with self._session(url, origin, session).request(
            method,
            url,
            data=body,
            headers=headers,
            allow_redirects=False,
            timeout=NO_TIMEOUT,
            ssl=True if self._tls is None or origin is Origin.FOREIGN else self._tls,
        ) as response:
            cookies = _cookies(response)
            if response.status in REDIRECTS and (target := response.headers.get(hdrs.LOCATION)):
                return Redirect(status=response.status, url=_target(url, target), cookies=cookies)
            if response.status == HTTPStatus.NOT_MODIFIED and is_conditional(headers):
                return NotModified(headers=response.headers, cookies=cookies)
            await self._check(response)
            received = await self._read(response)
            packing = response.headers.get(hdrs.CONTENT_ENCODING)
            if packed := reason_still_packed(received, packing):
                raise UpdateFailed(packed)
            content = Content(
                received,
                content_type=response.content_type.lower(),
                charset=response.charset,
                encoding=self._request.encoding,
            )
            return Reply(
                content=self._conditional.known(content),
                url=url,
                status=response.status,
                headers=response.headers,
                cookies=cookies,
            )

    def _session(self, url: URL, origin: Origin, session: Session | None) -> aiohttp.ClientSession:
        """Return Home Assistant's session, or an own one for cookies or digest authentication."""
        request = self._request
        is_digest = request.digest and origin is Origin.HOME
        if origin is Origin.FOREIGN or not (is_digest or session):
            return async_get_clientsession(
                self._hass, request.verify_ssl, ssl_cipher=request.ssl_cipher_list
            )
        if self._own_cookies is None:
            self._own_cookies = aiohttp.CookieJar()
        cookies = session.cookies if session else self._own_cookies
        digest_at = url.origin() if is_digest else None
        own_session = self._own_session
        if (
            own_session is None
            or own_session.digest_at != digest_at
            or own_session.cookies is not cookies
        ):
            self.close()
            # Only for digest: the middleware rejects credentials that are valid for basic.
            digests = (
                [DigestAuth(request.username or "", request.password or "")] if is_digest else []
            )
            own_session = self._own_session = _OwnSession(
                digest_at=digest_at,
                cookies=cookies,
                session=async_create_clientsession(
                    self._hass,
                    request.verify_ssl,
                    auto_cleanup=False,
                    ssl_cipher=request.ssl_cipher_list,
                    cookie_jar=cookies,
                    middlewares=digests,
                ),
            )
        return own_session.session

    async def _check(self, response: aiohttp.ClientResponse) -> None:
        status, valid = response.status, self._request.valid_status
        if not (status in SUCCESS if valid is None else status in valid):
            if status == HTTPStatus.UNAUTHORIZED:
                self.close()
            is_refused = status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
            wait = retry_after(
                response.headers.get(hdrs.RETRY_AFTER), date=response.headers.get(hdrs.DATE)
            )
            code = await _oauth_error(response)
            if is_refused:
                raise RefusedError(f"status {status}{code}", retry_after=wait)
            raise StatusError(status, code, retry_after=wait)
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
        limit = f"{size / 1024**2:.3g} MiB" if size >= 1024**2 else f"{size} bytes"
        return UpdateFailed(f"the reply is larger than max_size, {limit}")


def origin_of(home: URL, url: URL) -> Origin:
    """Return the origin of `url` relative to `home`."""
    if url is home or url.origin() == home.origin():
        return Origin.HOME
    if url.host == home.host and (home.scheme, url.scheme) == ("http", "https"):
        return Origin.SECURED
    return Origin.FOREIGN


def _is_at(page: URL, url: URL) -> bool:
    """Return whether a URL is that of a page; it may have additional query parameters."""
    return (
        page.host == url.host
        and page.path.rstrip("/") == url.path.rstrip("/")
        and set(page.query.items()) <= set(url.query.items())
    )


def _headers(request: RenderedRequest, origin: Origin) -> CIMultiDict[str]:
    headers = CIMultiDict(request.headers)
    if origin is not Origin.HOME:
        for name in {name.lower() for name in headers}:
            if name in CREDENTIAL_HEADERS or (
                origin is Origin.FOREIGN and name not in HARMLESS_HEADERS
            ):
                headers.popall(name)
    return headers


async def _oauth_error(response: aiohttp.ClientResponse) -> str:
    """Return the OAuth error code of a token server in brackets; empty for other servers."""
    if response.method != hdrs.METH_POST or response.content_type != "application/json":
        return ""
    try:
        error = orjson.loads(await response.content.read(MAX_OAUTH_ERROR))["error"]
    except ValueError, TypeError, KeyError:
        return ""
    return f" ({error})" if error in OAUTH_ERRORS else ""


def _cookies(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: without_surrogates(cookie.value) for name, cookie in response.cookies.items()}


def _target(url: URL, location: str) -> URL:
    try:
        return redirect_url(url, location).with_user(None)
    except ValueError as err:
        raise UpdateFailed(f"the redirect gives {err}") from None
