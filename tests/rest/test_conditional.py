"""Conditional requests: of servers that answer them as they should, and of those that do not."""

import asyncio
from collections.abc import Callable
import time
from types import SimpleNamespace

from aiohttp import hdrs, web
import pytest

from custom_components.rest.polling import conditional
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_faults import reset

from .home import Form, RestHome

SENSOR = "- platform: rest\n  resource: URL/x\n"
LIE = "the server answered that nothing had changed (304) although it had"
REFUSAL = "the server refuses conditional requests"
HOUR_S = 3600.0


def is_conditional(request: web.BaseRequest) -> bool:
    """Return whether a request asks for news only."""
    return hdrs.IF_NONE_MATCH in request.headers or hdrs.IF_MODIFIED_SINCE in request.headers


class Server:
    """A server of one value, which answers conditional requests as `answer` does."""

    def __init__(self, home: RestHome) -> None:
        self.value = 0
        self.marks: dict[str, str] = {"ETag": '"same"'}
        self._home = home
        home.endpoint.set("/x", self._answer)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if is_conditional(request):
            return await self.conditional(request)
        return self.whole()

    async def conditional(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a conditional request by the version that it names."""
        if request.headers[hdrs.IF_NONE_MATCH] == self.marks["ETag"]:
            return web.Response(status=304, headers=self.marks)
        return self.whole()

    def whole(self) -> web.Response:
        """Answer with the value."""
        return web.Response(text=str(self.value), headers=self.marks)

    def be(self, value: int) -> None:
        """Have a value, and a version of it that a conditional request can name."""
        self.value = value
        self.marks = {"ETag": f'"{value}"'}

    @property
    def asked(self) -> list[bool]:
        """Return of each request whether it was conditional."""
        return [
            hdrs.IF_NONE_MATCH in request.headers or hdrs.IF_MODIFIED_SINCE in request.headers
            for request in self._home.endpoint.received("/x")
        ]


class Lying(Server):
    """Answers every conditional request with 304."""

    async def conditional(self, request: web.BaseRequest) -> web.StreamResponse:  # noqa: ARG002
        """Answer that nothing has changed."""
        return web.Response(status=304)


async def poll(home: RestHome) -> str:
    """Poll once more; return the state."""
    await home.update()
    return home.value("sensor.rest_sensor")


@pytest.mark.parametrize(
    "marks",
    [
        {"ETag": '"file"'},
        {"ETag": 'W/"file"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"},
        {"Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"},
    ],
    ids=["etag", "both", "modified"],
)
async def test_a_value_that_changes_behind_a_304_is_not_frozen(
    home: RestHome, marks: dict[str, str]
) -> None:
    """As of a page with placeholders, whose file never changes."""
    server = Lying(home)
    server.marks, server.value = marks, 21
    await home.set_up(SENSOR)
    await home.state("21")
    states = []
    for server.value in (22, 23, 24, 25):
        states.append(await poll(home))
    assert states == ["21", "23", "24", "25"]
    assert server.asked == [False, True, False, False, False]
    (message,) = home.log()
    assert LIE in message


async def test_a_304_is_wrong_though_each_reply_has_a_version_of_its_own(home: RestHome) -> None:
    server = Lying(home)
    server.be(21)
    await home.set_up(SENSOR)
    await home.state("21")
    states = []
    for value in (22, 23, 24, 25):
        server.be(value)
        states.append(await poll(home))
    assert states == ["21", "23", "24", "25"]
    assert server.asked == [False, True, False, True, False, False]
    (message,) = home.log()
    assert LIE in message


async def test_a_change_right_after_a_304_is_no_fault_of_the_server(home: RestHome) -> None:
    server = Server(home)
    server.be(1)
    await home.set_up(SENSOR)
    await home.state("1")
    assert await poll(home) == "1"
    server.be(2)
    assert await poll(home) == "2"
    assert await poll(home) == "2"
    assert await poll(home) == "2"
    assert server.asked == [False, True, False, True, True]
    assert not home.log()


async def test_a_value_that_returns_is_no_fault_of_the_server(home: RestHome) -> None:
    """The 304 that follows is of the reply before, which is true once more."""
    server = Server(home)
    server.be(1)
    await home.set_up(SENSOR)
    await home.state("1")
    states = []
    for value in (1, 2, 1, 1):
        server.be(value)
        states.append(await poll(home))
    assert states == ["1", "2", "1", "1"]
    assert server.asked == [False, True, False, True, False, True]
    assert not home.log()


async def test_304_are_verified_soon_at_first_and_seldom_later(home: RestHome) -> None:
    server = Server(home)
    await home.set_up(SENSOR)
    await home.state("0")
    for _ in range(20):
        await poll(home)
    wholes = [number for number, is_conditional in enumerate(server.asked) if not is_conditional]
    assert wholes == [0, 2, 5, 10, 19]
    assert not home.log()


async def test_a_304_is_verified_after_an_hour(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = 0.0
    monkeypatch.setattr(
        conditional, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead)
    )
    server = Server(home)
    await home.set_up(SENSOR)
    await home.state("0")
    for _ in range(6):
        await poll(home)
    assert server.asked[-1]
    ahead = HOUR_S
    await poll(home)
    assert not server.asked[-1]


REFUSALS: dict[str, Callable[[web.BaseRequest], web.StreamResponse] | None] = {
    "400": lambda _: web.Response(status=400),
    "412": lambda _: web.Response(status=412),
    "500": lambda _: web.Response(status=500),
    "closed": None,
}


class Refusing(Server):
    """Refuses conditional requests."""

    answer: Callable[[web.BaseRequest], web.StreamResponse] | None = None
    is_down = False

    async def conditional(self, request: web.BaseRequest) -> web.StreamResponse:
        """Refuse."""
        return self.answer(request) if self.answer else await reset(request, "")

    def whole(self) -> web.Response:
        """Answer with the value, or fail."""
        return web.Response(status=500) if self.is_down else super().whole()


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize(
    "marks",
    [{"ETag": '"a"'}, {"Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"}],
    ids=["etag", "modified"],
)
async def test_a_refused_condition_is_left_out_at_once_and_for_good(
    home: RestHome, refusal: str, marks: dict[str, str]
) -> None:
    server = Refusing(home)
    server.answer, server.marks = REFUSALS[refusal], marks
    await home.set_up(SENSOR)
    await home.state("0")
    states = []
    for server.value in (1, 2, 3):
        states.append(await poll(home))
    assert states == ["1", "2", "3"]
    wholes = server.asked.count(False)
    assert wholes == 4
    # The client asks twice where a connection that it had kept is closed.
    assert 1 <= server.asked.count(True) <= 2
    (message,) = home.log()
    assert REFUSAL in message


async def test_a_failing_server_is_tried_once_without_condition(home: RestHome) -> None:
    """Its condition is not to blame: it is asked conditionally again once it is back."""
    server = Refusing(home)
    server.answer = REFUSALS["500"]
    await home.set_up(SENSOR)
    await home.state("0")
    server.is_down = True
    for _ in range(3):
        assert await poll(home) == "unavailable"
    assert server.asked == [False, True, False, False, False]
    assert not [message for message in home.log() if REFUSAL in message]
    server.is_down = False
    assert await poll(home) == "0"


@pytest.mark.parametrize(
    "answer",
    [Answer(status=404), Answer(status=503, headers={"Retry-After": "5"}), Answer(status=403)],
    ids=["not found", "wait", "forbidden"],
)
async def test_a_failure_that_has_another_reason_is_not_followed_by_a_request(
    home: RestHome, answer: Answer
) -> None:
    server = Refusing(home)
    server.answer = lambda _: answer.response()
    await home.set_up(SENSOR)
    await home.state("0")
    assert await poll(home) == "unavailable"
    assert server.asked == [False, True]


class Silent(Server):
    """Does not answer conditional requests."""

    async def conditional(self, request: web.BaseRequest) -> web.StreamResponse:  # noqa: ARG002
        """Answer too late."""
        await asyncio.sleep(30)
        return web.Response(status=304)


async def test_a_condition_that_is_never_answered_is_left_out(home: RestHome) -> None:
    Silent(home)
    await home.set_up(SENSOR + "  timeout: 1\n")
    await home.state("0")
    states = [await poll(home) for _ in range(6)]
    assert states == ["unavailable", "0", "unavailable", "0", "0", "0"]
    assert [message for message in home.log() if REFUSAL in message]


@pytest.mark.parametrize(
    "marks",
    [
        {"ETag": "unquoted"},
        {"ETag": '"open'},
        {"ETag": 'w/"lower"'},
        {"ETag": '"a b"'},
        {"Last-Modified": "yesterday"},
        {"Last-Modified": "-1"},
        {"Last-Modified": ""},
    ],
    ids=str,
)
async def test_what_is_malformed_is_not_sent_back(home: RestHome, marks: dict[str, str]) -> None:
    server = Server(home)
    server.marks = marks
    await home.set_up(SENSOR)
    await home.state("0")
    await poll(home)
    assert server.asked == [False, False]


async def test_a_condition_of_the_users_own_is_sent_as_it_is(home: RestHome) -> None:
    server = Server(home)
    server.marks = {"ETag": '"theirs"', "Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"}
    form = Form("sensor", is_block=False)
    request = {**home.url("/x"), "headers": {"If-None-Match": '"mine"'}}
    await home.load(form.config(request, value_template="{{ value }}"))
    await home.state("0", form.entity_id)
    server.marks = {"ETag": '"mine"'}
    server.value = 1
    await home.update(form.entity_id)
    assert home.value(form.entity_id) == "0"
    sent = home.endpoint.received("/x")[1].headers
    assert sent.getall("If-None-Match") == ['"mine"']  # type: ignore[attr-defined]
    assert "If-Modified-Since" not in sent
