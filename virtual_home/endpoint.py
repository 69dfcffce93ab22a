"""A JSON endpoint: a real HTTP server with the replies, good and bad, of a home's devices.

    async with Endpoint() as endpoint:
        endpoint.set("/mine", {"temperature": 21.5})
        ... read endpoint.url + "/mine" ...
        assert endpoint.count("/mine") == 1

Built-in paths:

| path | reply |
|---|---|
| /values | a dictionary that changes with every request |
| /rooms, /rooms/list | nested room data; the same as element 0 of a list |
| /repos/home/assistant/releases/latest | a release, with basic authentication |
| /api/3/mem, /arest | Glances, aREST |
| /api/states/ENTITY?api_password=… | another instance's state |
| /xml, /broken-xml | XML, and invalid XML |
| /size/BYTES | a static JSON dictionary of that size |
| /etag/BYTES, /modified/BYTES | the same, answering 304 to conditional requests |
| /basic, /digest | /values behind authentication (endpoint_auth) |
| /slow/SECONDS/… | /values after a wait |
| /status/CODE?retry_after=… | that status, with a body |
| /redirect/N, /redirect?to=URL | N redirects, then /values; one redirect |
| /fault/NAME/ARGUMENT | endpoint_faults |
"""

import asyncio
from collections import Counter, deque
import ssl
from types import TracebackType
from typing import Self, cast

from aiohttp import web

from .endpoint_answer import Answer, Handler, Received
from .endpoint_auth import Digest, basic_challenge
from .endpoint_documents import shapes
from .endpoint_paths import paths

LOG_LENGTH = 10_000  # requests


class Endpoint:
    """The server. `port` 0 takes a free one; `ssl_context` makes it HTTPS."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.digest = Digest()
        self.requests: deque[Received] = deque(maxlen=LOG_LENGTH)
        self.active = 0
        self.peak = 0
        self._ssl_context = ssl_context
        self._counts: Counter[str] = Counter()
        self._answers: dict[str, list[Answer | Handler]] = {}
        self._shapes = shapes()
        self._paths = paths(self.digest)
        self._arrived = asyncio.Condition()
        self._runner: web.ServerRunner | None = None

    @property
    def url(self) -> str:
        """Return scheme, host and port, without a slash at the end."""
        scheme = "https" if self._ssl_context else "http"
        return f"{scheme}://{self.host}:{self.port}"

    async def start(self) -> None:
        """Listen; after a `stop`, on the same port as before."""
        self._runner = web.ServerRunner(
            web.Server(self._handle, access_log=None, handler_cancellation=True),
            shutdown_timeout=0.1,
        )
        await self._runner.setup()
        site = web.TCPSite(
            self._runner, self.host, self.port, ssl_context=self._ssl_context, reuse_address=True
        )
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening and cut every connection."""
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def set(self, path: str, *answers: object) -> None:
        """Answer requests for `path` with these in turn, then always with the last.

        An answer is an `Answer`, a handler (a coroutine function taking the request), bytes,
        text, or a value sent as JSON.
        """
        self._answers[path] = [
            answer if isinstance(answer, Answer) else _answer_of(answer) for answer in answers
        ]

    def unset(self, path: str) -> None:
        """Answer `path` as if it had never been set."""
        self._answers.pop(path, None)

    def count(self, path: str | None = None) -> int:
        """Return the number of requests received, for one path or in total."""
        return self._counts.total() if path is None else self._counts[path]

    def received(self, path: str) -> list[Received]:
        """Return the requests for one path among the last 10,000, oldest first."""
        return [request for request in self.requests if request.path == path]

    async def wait_for(self, path: str, count: int = 1, *, timeout: float = 10) -> None:
        """Wait until `count` requests for `path` were received. Raise TimeoutError."""
        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: self.count(path) >= count)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            body = await request.read()
            self.requests.append(
                Received(
                    method=request.method,
                    path=request.path,
                    query=dict(request.query),
                    headers=request.headers.copy(),
                    body=body,
                )
            )
            self._counts[request.path] += 1
            async with self._arrived:
                self._arrived.notify_all()
            return await self._answer(request)
        finally:
            self.active -= 1

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        answer: Answer | Handler | None
        if chosen := self._answers.get(request.path):
            answer = chosen.pop(0) if len(chosen) > 1 else chosen[0]
        else:
            answer = self._shapes.get(request.path)
        if request.path.startswith("/repos/") and (refusal := basic_challenge(request)):
            return refusal
        if isinstance(answer, Answer):
            if answer.delay:
                await asyncio.sleep(answer.delay)
            return answer.response()
        if answer is not None:
            return await answer(request)
        _, name, *rest = request.path.split("/", 2)
        if path := self._paths.get(name):
            return await path(request, rest[0] if rest else "")
        return Answer.of({"message": "Not Found"}, status=404).response()


def _answer_of(answer: object) -> Answer | Handler:
    return cast("Handler", answer) if callable(answer) else Answer.of(answer)
