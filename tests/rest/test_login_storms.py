"""A login that fails is not tried with each poll: it may lock an account, or cost money."""

import asyncio

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
import pytest

from custom_components.rest.polling import login
from custom_components.rest.polling.login import BackOff
from virtual_home.endpoint_answer import Answer

from .authorization import Server as OAuthServer, request as oauth2_request
from .gate import Gate, request
from .home import Form, RestHome

SENSOR = Form("sensor", is_block=False)
PAGE = Answer(body=b"<input type=password>", content_type="text/html")
FEW_POLLS_S = 3.5  # at one second


def form_request(home: RestHome, **more: object) -> dict[str, object]:
    """Return a request behind a form, polled each second."""
    return {
        **home.url("/x"),
        "scan_interval": 1,
        "login": {
            **home.url("/login"),
            "method": "POST",
            "login_page": "{{ 'type=password' in value }}",
            **more,
        },
    }


@pytest.mark.parametrize("more", [{}, {"values": {"token": "{{ value_json.token }}"}}], ids=str)
async def test_a_form_that_shows_itself_again_is_a_failed_login(
    home: RestHome, more: dict[str, object]
) -> None:
    """It answers 200, as most do."""
    home.endpoint.set("/login", PAGE)
    home.endpoint.set("/x", PAGE)
    await home.load(SENSOR.config(form_request(home, **more)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    await asyncio.sleep(FEW_POLLS_S)
    assert home.endpoint.count("/login") == 1
    assert "data: login: the login page is shown again" in home.log()[0]
    assert len(home.log()) == 1


async def test_what_stays_refused_asks_for_no_more_tokens(home: RestHome) -> None:
    OAuthServer(home)
    home.endpoint.set("/x", Answer.of({}, status=403))
    await home.load(SENSOR.config({**oauth2_request(home), "scan_interval": 1}))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    await asyncio.sleep(FEW_POLLS_S)
    assert home.endpoint.count("/token") == 1
    assert home.endpoint.count("/x") >= 3
    assert "data: status 403" in home.log()[0]


async def test_requests_that_stay_refused_share_one_login(home: RestHome) -> None:
    OAuthServer(home)
    blocks: list[dict[str, object]] = []
    for number in range(5):
        home.endpoint.set(f"/{number}", Answer.of({}, status=403))
        block = {**oauth2_request(home), **home.url(f"/{number}"), "scan_interval": 1}
        blocks.append({**block, "sensor": [{"name": f"s{number}"}]})
    await home.load({"rest": blocks})
    await asyncio.sleep(FEW_POLLS_S)
    assert all(home.endpoint.count(f"/{number}") >= 2 for number in range(5))
    assert home.endpoint.count("/token") == 1


async def test_a_redirect_to_the_login_directly_after_it_is_a_failed_login(home: RestHome) -> None:
    home.endpoint.set("/login", "welcome")
    home.endpoint.set("/x", Answer(status=302, headers={"Location": "/login"}))
    await home.load(SENSOR.config(form_request(home)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    await asyncio.sleep(FEW_POLLS_S)
    assert home.endpoint.count("/login") == 1


async def test_an_explicit_update_logs_in_at_once(home: RestHome) -> None:
    home.endpoint.set("/login", PAGE)
    home.endpoint.set("/x", PAGE)
    await home.load(SENSOR.config(form_request(home)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    home.endpoint.set("/login", "welcome")
    home.endpoint.set("/x", {"on": True})
    await asyncio.sleep(1.5)
    assert home.value("sensor.x") == STATE_UNAVAILABLE
    await home.update("sensor.x")
    assert home.value("sensor.x") == "True"
    assert home.endpoint.count("/login") == 2


async def test_one_refused_request_leaves_the_others_alone(home: RestHome) -> None:
    """They go on with the session, and begin another when it has ended."""
    gate = Gate(home)
    home.endpoint.set("/refused", Answer.of({}, status=403))
    blocks = [
        {**request(home, path), "scan_interval": 1, "sensor": [{"name": name}]}
        for name, path in (("good", "/a"), ("refused", "/refused"))
    ]
    await home.load({"rest": blocks})
    await home.state('{"on": true}', "sensor.good")
    await home.state(STATE_UNAVAILABLE, "sensor.refused")
    before = gate.count
    gate.forget()
    polls = home.endpoint.count("/a")
    states = home.changes("sensor.good")
    await home.polls("/a", polls + 3)
    assert STATE_UNAVAILABLE not in states
    assert home.value("sensor.good") == '{"on": true}'
    assert gate.count == before + 101


async def test_a_session_that_ends_soon_is_made_anew_with_the_next_poll(home: RestHome) -> None:
    gate = Gate(home)
    await home.load(SENSOR.config({**request(home, "/a"), "scan_interval": 1}))
    await home.state("True", "sensor.x")
    states = home.changes("sensor.x")
    for _ in range(2):
        gate.forget()
        await home.polls("/a", home.endpoint.count("/a") + 3)
    assert STATE_UNAVAILABLE not in states
    assert home.endpoint.count("/login") == 3
    assert not home.log()


async def test_a_login_reply_that_looks_like_the_login_page_is_no_failure(home: RestHome) -> None:
    """Only what is refused next tells: such a template was right for the other replies."""
    home.endpoint.set("/login", "welcome, no JSON here")
    home.endpoint.set("/x", {"on": True})
    await home.load(SENSOR.config(form_request(home, login_page="{{ value_json is undefined }}")))
    await home.state("True", "sensor.x")
    await home.polls("/x", 3)
    assert home.endpoint.count("/login") == 1
    assert not home.log()


@pytest.mark.parametrize(("status", "is_refused"), [(403, True), (400, True), (500, False)])
async def test_a_server_that_fails_is_tried_again_sooner_than_one_that_refuses(
    home: RestHome, monkeypatch: pytest.MonkeyPatch, status: int, is_refused: bool
) -> None:
    monkeypatch.setattr(login, "LONGEST_WAIT_UNANSWERED_S", 0.0)
    home.endpoint.set("/login", Answer.of("no", status=status))
    await home.load(SENSOR.config(form_request(home)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    await asyncio.sleep(FEW_POLLS_S)
    assert (home.endpoint.count("/login") == 1) is is_refused


async def test_retry_after_of_a_login_is_respected(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "LONGEST_WAIT_UNANSWERED_S", 0.0)
    tries = 0

    async def refuse(_: web.BaseRequest) -> web.StreamResponse:
        nonlocal tries
        tries += 1
        return web.Response(status=503, headers={"Retry-After": "30"})

    home.endpoint.set("/login", refuse)
    blocks = [
        {**form_request(home), **home.url(f"/{name}"), "sensor": [{"name": name}]} for name in "ab"
    ]
    await home.load({"rest": blocks})
    await home.state(STATE_UNAVAILABLE, "sensor.b")
    await asyncio.sleep(FEW_POLLS_S)
    assert tries == 1


def test_the_wait_doubles_up_to_hours() -> None:
    back_off = BackOff()
    assert back_off.is_over(0)
    now, waits = 1000.0, []
    for _ in range(14):
        back_off.fail(now, longest=login.LONGEST_WAIT_S)
        wait = next(wait for wait in range(10**6) if back_off.is_over(now + wait))
        waits.append(wait)
        now += wait
    assert waits[:4] == [20, 40, 80, 160]
    assert waits[-2:] == [6 * 3600, 6 * 3600]
    back_off.succeed()
    assert back_off.is_over(now)
