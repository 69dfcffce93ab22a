"""A login by OAuth 2 client credentials: a token asked for, sent, and renewed."""

from homeassistant.const import STATE_UNAVAILABLE
import pytest

from virtual_home.endpoint_answer import Answer

from .authorization import Server, request
from .home import Form, RestHome


@pytest.mark.parametrize("where", ["header", "body"])
async def test_a_token_is_asked_for_and_sent(home: RestHome, form: Form, where: str) -> None:
    server = Server(home)
    more = {"scope": ["read", "list"], "parameters": {"audience": "a&b"}}
    config = form.config(request(home, client_authentication=where, **more))
    await home.load(config)
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    (sent,) = server.forms
    assert ("client_secret" in sent) is (where == "body")
    assert (
        sent.items()
        >= {
            "grant_type": "client_credentials",
            "scope": "read list",
            "audience": "a&b",
        }.items()
    )
    before = home.hass.states.get(form.entity_id)
    await home.reload(config)
    assert home.hass.states.get(form.entity_id) is before
    assert "canary" not in home.whole_log


async def test_a_token_is_used_as_long_as_it_lasts(home: RestHome) -> None:
    server = Server(home, expires_in=3600)
    await home.load(Form("sensor", is_block=False).config(request(home)))
    await home.state("True", "sensor.x")
    await home.update("sensor.x")
    assert server.count == 1


async def test_a_token_is_renewed_by_its_expiry_and_when_it_is_refused(home: RestHome) -> None:
    server = Server(home, expires_in=0.001)
    await home.load(Form("sensor", is_block=False).config(request(home)))
    await home.state("True", "sensor.x")
    await home.update("sensor.x")
    assert (server.count, home.endpoint.count("/x")) == (2, 2)
    server.count += 1
    await home.update("sensor.x")
    await home.state("True", "sensor.x")
    assert not home.log()


async def test_a_header_of_ones_own_stays(home: RestHome) -> None:
    Server(home)
    home.endpoint.set("/x", {"on": True})
    headers = {"authorization": "Token {{ login.token }}", "X-Mine": "a"}
    await home.load(Form("sensor", is_block=False).config(request(home) | {"headers": headers}))
    await home.state("True", "sensor.x")
    received = home.endpoint.received("/x")[0].headers
    assert (received["Authorization"], received["X-Mine"]) == ("Token canary-1", "a")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer.of({"error": "canary"}, status=400), "login: status 400"),
        (Answer.of({"access_token": None}), "login: values 'token' is empty"),
        (Answer.of("canary"), "login: values 'token' failed"),
    ],
)
async def test_no_token_is_told(home: RestHome, answer: Answer, reason: str) -> None:
    home.endpoint.set("/token", answer)
    await home.load(Form("sensor", is_block=False).config(request(home)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    "more",
    [{"token_url": "ftp://h/canary"}, {"client_id": None}, {"method": "POST"}, {"scope": {"a": 1}}],
)
async def test_a_mistake_shows_no_secret(
    home: RestHome, form: Form, more: dict[str, object]
) -> None:
    await home.load(form.config(request(home, **more)))
    (error,) = home.log(40, "homeassistant.config")
    assert "login" in error
    assert "canary" not in home.whole_log
