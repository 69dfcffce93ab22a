"""Conditional requests (RFC 9110, section 13), while a server answers them correctly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
import re
import time

import aiohttp
from aiohttp import hdrs
from homeassistant.helpers.update_coordinator import UpdateFailed
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from ..reply.reply import Content, Reply
from .errors import StatusError
from .request import RenderedRequest

# Number of consecutive 304 accepted before a whole reply is requested to verify them.
FIRST_VERIFIED = 1
SELDOM_VERIFIED = 64
VERIFIED_AFTER_S = 3600.0
"""Seconds after which a 304 is verified in any case."""
UNANSWERED_BLAMED = 2
"""Consecutive timeouts of conditional requests after which no more are made."""

# Statuses that do not depend on the condition; the request would fail without it, too.
_UNBLAMED_STATUS = frozenset({404, 407, 408, 410, 429})
_ENTITY_TAG = re.compile(r'(?:W/)?"[!#-~\x80-\xff]*"')

type Validators = Mapping[str, str]
"""Headers that make a request conditional."""
NO_VALIDATORS: Validators = {}


@dataclass(frozen=True, kw_only=True)
class NotModified:
    """A 304 response: the last reply is still valid."""

    headers: CIMultiDictProxy[str]
    cookies: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class _Exchange:
    """A request and its reply; `url` is that after redirects."""

    request: RenderedRequest
    url: URL
    reply: Reply

    def is_of(self, request: RenderedRequest, url: URL) -> bool:
        return self.url == url and self.request == request


class Conditional:
    """The last reply of one request, and whether the next request may be conditional."""

    def __init__(self, warn: Callable[[str], None], *, is_allowed: bool) -> None:
        self._warn = warn
        self._is_allowed = is_allowed
        self._last: _Exchange | None = None
        self._doubted: _Exchange | None = None
        """An exchange whose 304 may have been wrong; the next reply shows whether it was."""
        self._is_denied = False
        """Whether another 304 has confirmed the doubted reply."""
        self._is_whole_next = False
        self._believed = 0
        """Number of 304 since the last whole reply."""
        self._believed_at_most = FIRST_VERIFIED
        self._verified_at = 0.0
        self._unanswered = 0

    def forget(self) -> None:
        """Discard the last reply, so that the next request is unconditional."""
        self._last = self._doubted = None

    def validators(self, request: RenderedRequest, url: URL) -> Validators:
        """Return the headers that make this request conditional; empty for a whole reply."""
        exchange = self._doubted or self._last
        if (
            exchange is None
            or not (validators := validators_of(exchange.reply.headers))
            or not self._is_allowed
            or self._is_whole_next
            or request.method != hdrs.METH_GET
            or self._last is None
            or not self._last.is_of(request, url)
            or is_conditional(CIMultiDict(request.headers))
        ):
            return NO_VALIDATORS
        is_due = self._believed >= self._believed_at_most or (
            self._believed and time.monotonic() > self._verified_at + VERIFIED_AFTER_S
        )
        return NO_VALIDATORS if is_due and not self._doubted else validators

    def not_modified(self, request: RenderedRequest, url: URL, answer: NotModified) -> Reply | None:
        """Return the reply that a 304 stands for; None if a whole reply has to be requested.

        Headers of the 304 replace those of the same name.
        """
        last = self._last
        self._unanswered = 0
        if self._doubted:
            self._is_denied = True
            return None
        if last is None or not last.is_of(request, url):
            return None
        self._believed += 1
        merged = CIMultiDict(last.reply.headers)
        merged.update(answer.headers)
        return replace(
            last.reply,
            headers=CIMultiDictProxy(merged),
            cookies={**last.reply.cookies, **answer.cookies},
        )

    def known(self, content: Content) -> Content:
        """Return the last content if it is the same, since it is parsed already."""
        last = self._last
        return last.reply.content if last and last.reply.content.is_same_as(content) else content

    def keep(
        self, request: RenderedRequest, url: URL, reply: Reply, validators: Validators
    ) -> None:
        """Store a whole reply to a request with these validators, or without."""
        last, doubted = self._last, self._doubted
        self._doubted = None
        if doubted and self._is_denied and not doubted.reply.content.is_same_as(reply.content):
            self._mistrust()
        elif last and self._believed and not validators and last.is_of(request, url):
            self._verify(last, reply)
        if validators:
            self._unanswered = 0
        self._is_denied = self._is_whole_next = False
        self._believed = 0
        self._verified_at = time.monotonic()
        self._last = _Exchange(request=request, url=url, reply=reply)

    def _verify(self, last: _Exchange, reply: Reply) -> None:
        """Compare the reply that a 304 stood for with the next whole reply."""
        old_validators = validators_of(last.reply.headers)
        if reply.content is last.reply.content:
            self._believed_at_most = min(2 * self._believed_at_most, SELDOM_VERIFIED)
        elif old_validators == validators_of(reply.headers):
            self._mistrust()
        elif old_validators:  # it may have changed since
            self._doubted = last

    def request_whole_reply(self) -> None:
        """Make requests unconditional until a whole reply arrives."""
        self._is_whole_next = True

    def unanswered(self) -> None:
        """Count a conditional request that timed out."""
        self.request_whole_reply()
        self._unanswered += 1
        if self._unanswered >= UNANSWERED_BLAMED:
            self.refuse()

    def refuse(self) -> None:
        """Stop making conditional requests, since the server fails with them."""
        self._stop("the server refuses conditional requests, so it gets none any more")

    def _mistrust(self) -> None:
        self._stop(
            "the server answered that nothing had changed (304) although it had, "
            "so it gets no conditional requests any more"
        )

    def _stop(self, problem: str) -> None:
        if self._is_allowed:
            self._is_allowed = False
            self._warn(problem)


def is_conditional(headers: CIMultiDict[str]) -> bool:
    """Return whether a request with these headers may be answered 304."""
    return hdrs.IF_NONE_MATCH in headers or hdrs.IF_MODIFIED_SINCE in headers


def validators_of(headers: Mapping[str, str]) -> Validators:
    """Return the conditional headers for a reply with these headers; malformed ones are skipped."""
    validators: dict[str, str] = {}
    if (tag := headers.get(hdrs.ETAG)) and _ENTITY_TAG.fullmatch(tag):
        validators[hdrs.IF_NONE_MATCH] = tag
    if (modified := headers.get(hdrs.LAST_MODIFIED)) and _is_date(modified):
        validators[hdrs.IF_MODIFIED_SINCE] = modified
    return validators


def _is_date(text: str) -> bool:
    try:
        parsedate_to_datetime(text)
    except ValueError:
        return False
    return text.isascii() and text.isprintable()


def is_blamed_on_condition(err: Exception) -> bool:
    """Return whether a conditional request may have failed because of its condition."""
    match err:
        case StatusError():
            return err.retry_after is None and err.status not in _UNBLAMED_STATUS
        case UpdateFailed() | aiohttp.ClientConnectorError() | aiohttp.InvalidURL():
            return False
    return isinstance(err, aiohttp.ClientError)
