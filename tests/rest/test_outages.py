"""What the log says of a resource that fails: reasons, not repetitions, and nobody wrongly."""

import asyncio
import logging
import time
from types import SimpleNamespace

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
import pytest

from custom_components.rest.polling import outages
from virtual_home.endpoint_answer import Answer

from .home import RestHome

ENTRY = "- platform: rest\n  resource: URL/x\n"
MINUTE_S = 60.0


class Clock:
    """The clock of the log's hours, put forward by hand: nobody waits for an hour."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        self._real = time.monotonic
        monkeypatch.setattr(outages, "time", SimpleNamespace(monotonic=self._now))

    def _now(self) -> float:
        return self._real() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock."""
    return Clock(monkeypatch)


def failed(status: int) -> Answer:
    """Return a reply that is a failure."""
    return Answer.of("down", status=status)


async def test_the_reason_is_told_when_it_changes(home: RestHome) -> None:
    home.endpoint.set("/x", *map(failed, (503, 503, 401, 401, 404, 503, 401)))
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for _ in range(6):
        await home.update()
    assert [message.split("data: ")[1].split(";")[0] for message in home.log(logging.ERROR)] == [
        "status 503",
        "status 401",
        "status 404",
    ]


async def test_what_comes_and_goes_is_unstable(home: RestHome, clock: Clock) -> None:
    home.endpoint.set("/x", *[failed(503), Answer.of("1")] * 30)
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for _ in range(20):
        clock.ahead += MINUTE_S
        await home.update()
    lost, back, unstable = home.log(logging.INFO)
    assert "data: status 503" in lost
    assert back.endswith("data recovered")
    assert unstable.endswith("is unstable: soon after it came back it failed again")


async def flap(home: RestHome, clock: Clock, *after: Answer) -> None:
    """Let a resource fail, come back, fail and come back, until it is called unstable."""
    home.endpoint.set("/x", *[failed(503), Answer.of("1")] * 2, *after)
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for _ in range(3):
        clock.ahead += MINUTE_S
        await home.update()
    assert home.log(logging.INFO)[-1].endswith("failed again")


async def test_an_outage_that_began_unstable_is_told_once_it_lasts(
    home: RestHome, clock: Clock
) -> None:
    await flap(home, clock, *[failed(503)] * 5, Answer.of("1"))
    for minutes in (1, 40, 40, 40, 40):
        clock.ahead += minutes * MINUTE_S
        await home.update()
    assert "data: status 503" in home.log(logging.INFO)[-1]
    assert len(home.log(logging.INFO)) == 4
    await home.update()
    assert home.log(logging.INFO)[-1].endswith("data recovered")


async def test_what_was_unstable_and_stays_is_told_once_it_lasts(
    home: RestHome, clock: Clock
) -> None:
    await flap(home, clock, Answer.of("1"))
    for _ in range(5):
        clock.ahead += 40 * MINUTE_S
        await home.update()
    assert home.log(logging.INFO)[-1].endswith("data recovered")
    assert len(home.log(logging.INFO)) == 4


async def test_a_reason_that_comes_back_and_stays_is_the_last_line(
    home: RestHome, clock: Clock
) -> None:
    home.endpoint.set("/x", failed(503), failed(401), failed(503))
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for minutes in (1, 1, 40, 40, 40):
        clock.ahead += minutes * MINUTE_S
        await home.update()
    assert "data: status 503" in home.log()[-1]
    assert len(home.log()) == 3


async def test_an_outage_after_a_calm_is_told_again(home: RestHome, clock: Clock) -> None:
    home.endpoint.set("/x", failed(503), Answer.of("1"), failed(503), Answer.of("1"))
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    await home.update()
    clock.ahead += 11 * MINUTE_S
    for _ in range(2):
        await home.update()
    assert len(home.log(logging.ERROR)) == 2
    assert len(home.log(logging.INFO)) == 4


async def test_one_long_outage_is_told_once(home: RestHome, clock: Clock) -> None:
    home.endpoint.set("/x", failed(503))
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for _ in range(5):
        clock.ahead += 70 * MINUTE_S
        await home.update()
    assert len(home.log()) == 1


async def test_a_server_cannot_fill_the_log_with_reasons(home: RestHome, clock: Clock) -> None:
    answers = [
        Answer(status=302, headers={"Location": f"ftp://host{number}/"}) for number in range(40)
    ]
    home.endpoint.set("/x", *answers)
    await home.set_up(ENTRY)
    await home.state(STATE_UNAVAILABLE)
    for _ in range(39):
        clock.ahead += 1
        await home.update()
    assert len(home.log()) == outages.MAX_REASONS


@pytest.mark.parametrize(
    ("headers", "more", "reason"),
    [
        ({"Content-Encoding": "br"}, "", "the reply is packed with brotli, which Home Assistant"),
        (
            {"WWW-Authenticate": 'Digest realm="r", nonce="n", algorithm=ROT13'},
            "  username: u\n  password: p\n  authentication: digest\n",
            "the server asks for a digest that Home Assistant does not know",
        ),
    ],
)
async def test_what_cannot_be_read_is_named(
    home: RestHome, headers: dict[str, str], more: str, reason: str
) -> None:
    status = 401 if more else 200
    home.endpoint.set("/x", Answer(body=b"x", status=status, headers=headers))
    await home.set_up(ENTRY + more)
    await home.state(STATE_UNAVAILABLE)
    assert f"data: {reason}" in home.log()[0]


@pytest.mark.parametrize(("status", "method"), [(302, "GET"), (303, "GET"), (307, "POST")])
async def test_a_redirect_to_get_leaves_the_payloads_headers_behind(
    home: RestHome, status: int, method: str
) -> None:
    home.endpoint.set("/x", Answer(status=status, headers={"Location": "/values"}))
    await home.set_up(
        ENTRY + "  method: POST\n  payload: '{}'\n"
        "  headers: {Content-Type: application/json, Content-Language: en, X-Mine: a}\n"
    )
    await home.state(lambda state: "counter" in state.state)
    (request,) = home.endpoint.received("/values")
    assert request.method == method
    assert request.headers["X-Mine"] == "a"
    for name in ("Content-Type", "Content-Language"):
        assert (name in request.headers) is (method == "POST")


async def test_a_get_keeps_its_content_type(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(status=302, headers={"Location": "/values"}))
    await home.set_up(ENTRY + "  headers: {Content-Type: application/json}\n")
    await home.polls("/values", 1)
    assert home.endpoint.received("/values")[0].headers["Content-Type"] == "application/json"


async def test_a_stall_of_home_assistant_is_not_the_hosts_fault(home: RestHome) -> None:
    async def stall(_: web.BaseRequest) -> web.StreamResponse:
        time.sleep(2.5)  # noqa: ASYNC251  (the event loop is to stand still)
        return web.Response(text="1")

    home.endpoint.set("/x", stall, Answer.of("2"))
    await home.set_up(ENTRY + "  timeout: 1\n")
    await home.state(STATE_UNAVAILABLE, timeout=30)
    assert "data: Home Assistant stood still meanwhile" in home.log()[0]
    await asyncio.sleep(0)
    await home.update()
    await home.state("2")
