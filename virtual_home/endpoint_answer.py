"""What the JSON endpoint answers with, and what it was asked."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
import json
from typing import Self

from aiohttp import web


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One reply. `delay` is in seconds, waited before the first byte."""

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
        """Answer with a JSON value; bytes and text are sent as they are."""
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
        """Return it as aiohttp sends it."""
        return web.Response(
            body=self.body,
            status=self.status,
            headers={"Content-Type": self.content_type, **self.headers},
        )


type Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
