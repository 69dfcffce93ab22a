"""Answers of the JSON endpoint, and requests that it has received."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
import json
from typing import Self

from aiohttp import web


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A reply. `delay` is the wait before the first byte, in seconds."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0

    @classmethod
    def of(
        cls,
        value: object,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        delay: float = 0,
    ) -> Self:
        """Return an answer with a JSON value; bytes and text are sent unchanged."""
        content_type = "application/json"
        match value:
            case bytes():
                body = value
            case str():
                body = value.encode()
                content_type = "text/plain; charset=utf-8"
            case _:
                body = json.dumps(value).encode()
        return cls(
            body=body,
            status=status,
            content_type=content_type,
            headers=headers or {},
            delay=delay,
        )

    def response(self) -> web.Response:
        """Return the aiohttp response."""
        return web.Response(
            body=self.body,
            status=self.status,
            headers={"Content-Type": self.content_type, **self.headers},
        )


type Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, kw_only=True)
class Received:
    """A received request."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
