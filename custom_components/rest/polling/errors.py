"""Reasons why a poll failed, without secrets, and when the server allows the next one."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
import re

import aiohttp
from homeassistant.helpers.aiohttp_client import SSRFRedirectError
from homeassistant.helpers.update_coordinator import UpdateFailed

from .tls import openssl_reason

MAX_RETRY_AFTER = 86400.0  # seconds

# aiohttp's messages about an unsupported Content-Encoding and an unsupported challenge.
_PACKING = re.compile(r"Can not decode content-encoding: (\w+)")
_DIGEST = "Digest auth"
# The first bytes of gzip and compress, and the names of codings that a Content-Encoding may list.
_PACKED = (b"\x1f\x8b", b"\x1f\x9d")
_CODING = re.compile(r"(?:x-)?(?:gzip|compress)|deflate|br|zstd")


class RefusedError(UpdateFailed):
    """The server requires other credentials: 401, 403 or its login page."""


class LoginRefusedError(UpdateFailed):
    """The server has replied to a login, but not with the expected values."""


class StatusError(UpdateFailed):
    """The status is not valid for a reply."""

    def __init__(self, status: int, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(f"status {status}{detail}", retry_after=retry_after)
        self.status = status


def retry_after(header: str | None, *, date: str | None = None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; one day at most.

    `date` is the Date header of the reply: the server's clock, which may differ from ours.
    """
    if header is None:
        return None
    text = header.strip()
    try:
        if text.isascii() and text.isdigit():
            seconds = float(text)
        else:
            seconds = (_date(text) - _now(date)).total_seconds()
    except ValueError, OverflowError:
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _now(date: str | None) -> datetime:
    try:
        return _date(date) if date else datetime.now(UTC)
    except ValueError, OverflowError:
        return datetime.now(UTC)


def _date(text: str) -> datetime:
    date = parsedate_to_datetime(text)
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date


def reason_of(err: Exception) -> str:
    """Return the reason of a connection error, without the URL, which may contain a secret."""
    if tls := openssl_reason(err):
        return tls
    if packing := _PACKING.search(str(err)):
        return _packed_with(packing[1])
    if _DIGEST in str(err):
        return "the server asks for a digest that Home Assistant does not know"
    return _reason_of_class(err)


def reason_still_packed(body: bytes, content_encoding: str | None) -> str | None:
    """Return the reason if aiohttp has not unpacked a body, as with `x-gzip` or `gzip, gzip`."""
    if not content_encoding or not body.startswith(_PACKED):
        return None
    return _packed_with(", ".join(_CODING.findall(content_encoding.lower())) or "gzip")


def _packed_with(name: str) -> str:
    return f"the reply is packed with {name}, which Home Assistant cannot unpack"


def _reason_of_class(err: Exception) -> str:  # noqa: PLR0911  (a table)
    match err:
        case aiohttp.ClientConnectorDNSError():
            return "host name not found"
        case aiohttp.ClientConnectorError():
            return f"cannot connect: {err.os_error.strerror or type(err.os_error).__name__}"
        case SSRFRedirectError():
            return "redirected to Home Assistant's own machine, which it does not follow"
        case aiohttp.ClientPayloadError():
            return "the reply broke off or could not be unpacked"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError() | OSError():
            return "the connection was closed before a reply arrived"
        case aiohttp.ClientResponseError():
            return "the reply is no valid HTTP"
        case aiohttp.InvalidURL():
            return "the URL is invalid"
        case _:
            return type(err).__name__
