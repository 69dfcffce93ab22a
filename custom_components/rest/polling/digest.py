"""Digest authentication for servers that offer other schemes or algorithms, too."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
import re
from typing import cast, override

import aiohttp
from aiohttp import hdrs
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

MAX_CHARACTERS = 4096
"""Of all challenges together; a challenge has a few hundred."""

_PART = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^",])+')
"""What stands between commas, which may also be inside quotes."""
_SCHEME = re.compile(r"([\w-]+)(?:\s+[\w-]+\s*=|\s*$)")
"""The beginning of a challenge, unlike that of another parameter."""
_UNKNOWN_TO_AIOHTTP = re.compile(r'\balgorithm\s*=\s*"?SHA-512', re.IGNORECASE)


class DigestAuth(aiohttp.DigestAuthMiddleware):
    """aiohttp's middleware, which otherwise reads only the first challenge of a server."""

    @override
    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send the request, and again with digest authentication if the server wants that."""

        async def challenge_once(request: aiohttp.ClientRequest) -> aiohttp.ClientResponse:
            response = await handler(request)
            if response.status == HTTPStatus.UNAUTHORIZED and (
                challenge := digest_challenge(response.headers.getall(hdrs.WWW_AUTHENTICATE, ()))
            ):
                return cast("aiohttp.ClientResponse", _ChallengedOnce(response, challenge))
            return response

        response: object = await super().__call__(request, challenge_once)
        if isinstance(response, _ChallengedOnce):
            return response.original
        return cast("aiohttp.ClientResponse", response)


@dataclass(frozen=True)
class _ChallengedOnce:
    """A response with a single challenge, as far as aiohttp's middleware reads it."""

    original: aiohttp.ClientResponse
    challenge: str
    status: int = HTTPStatus.UNAUTHORIZED

    @property
    def url(self) -> URL:
        return self.original.url

    @property
    def headers(self) -> CIMultiDictProxy[str]:
        return CIMultiDictProxy(CIMultiDict({hdrs.WWW_AUTHENTICATE: self.challenge}))


def digest_challenge(headers: Iterable[str]) -> str | None:
    """Return the digest challenge to answer, of those in `WWW-Authenticate` headers, if any.

    The first one that aiohttp can answer, since servers send the one that they prefer first.
    """
    challenges = _challenges(", ".join(headers)[:MAX_CHARACTERS])
    digests = [text for text in challenges if text.lower().startswith("digest ")]
    usable = [digest for digest in digests if not _UNKNOWN_TO_AIOHTTP.search(digest)]
    return next(iter(usable or digests), None)


def _challenges(header: str) -> Iterator[str]:
    """Yield the challenges, which are separated by commas, as their parameters are."""
    parts: list[str] = []
    for match in _PART.finditer(header):
        part = match[0].strip()
        if parts and _SCHEME.match(part):
            yield ", ".join(parts)
            parts = []
        if part:
            parts.append(part)
    if parts:
        yield ", ".join(parts)
