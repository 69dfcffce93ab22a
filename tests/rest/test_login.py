"""A request that comes before others: what it gives reaches them, and nobody else."""

import asyncio

from aiohttp import web
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED, STATE_UNAVAILABLE
from homeassistant.core import CoreState
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest

from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .gate import Gate, request
from .home import Form, RestHome


async def test_a_token_in_a_header(home: RestHome, form: Form) -> None:
    gate = Gate(home)
    await home.load(form.config(request(home, "/a")))
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    assert gate.count == 1
    assert home.endpoint.count("/a") == 2
    assert "canary" not in home.whole_log
    assert not any("canary" in str(state.as_dict()) for state in home.hass.states.async_all())


async def test_a_session_in_a_cookie(home: RestHome, form: Form) -> None:
    """Set by a redirect, as login forms do."""
    gate = Gate(home, by_cookie=True)
    home.endpoint.set("/welcome", "hello")
    config = form.config(
        {
            **home.url("/a"),
            "login": {**home.url("/login"), "method": "POST", "payload": "canary-password"},
        }
    )
    await home.load(config)
    await home.state(form.on, form.entity_id)
    gate.forget()
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    assert home.endpoint.count("/login") == 2
    assert "canary" not in home.whole_log


async def test_a_cookie_of_a_redirect_in_a_header(home: RestHome) -> None:
    """As forms do that protect what is sent from other pages."""

    async def welcome(_: web.BaseRequest) -> web.StreamResponse:
        answer = web.HTTPFound("/welcome")
        answer.set_cookie("csrf", "token")
        return answer

    home.endpoint.set("/login", welcome)
    home.endpoint.set("/welcome", Answer.of("hello", headers={"Set-Cookie": "shown=1"}))
    home.endpoint.set("/a", {"on": True})
    values = {"csrf": "{{ cookies.csrf }}{{ cookies.shown }}"}
    config = request(home, "/a", values=values) | {"headers": {"X-CSRF": "{{ login.csrf }}"}}
    await home.load(Form("sensor", is_block=True).config(config))
    await home.state("True", "sensor.x")
    assert home.endpoint.received("/a")[0].headers["X-CSRF"] == "token1"


async def test_a_login_with_templates_waits_for_home_assistant_to_start(home: RestHome) -> None:
    home.hass.set_state(CoreState.not_running)
    home.endpoint.set("/login", {})
    home.endpoint.set("/a", {"on": True})
    home.endpoint.set("/plain", {"on": True})
    login = {**home.url("/login"), "method": "POST", "payload_template": "{{ states('lock.x') }}"}
    await home.load(
        {
            "rest": [
                {**home.url("/a"), "login": login, "sensor": [{"name": "a"}]},
                {**home.url("/plain"), "sensor": [{"name": "plain"}]},
            ]
        }
    )
    await home.polls("/plain", 1)
    await asyncio.sleep(0.2)
    assert home.endpoint.count() == 1
    home.hass.states.async_set("lock.x", "secret")
    home.hass.set_state(CoreState.running)
    home.hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await home.polls("/a", 1)
    assert home.endpoint.received("/login")[0].body == b"secret"


async def test_values_in_params_payload_and_resource(home: RestHome) -> None:
    home.endpoint.set("/login", Answer.of({"t": "abc"}, headers={"X-Id": "7"}))
    home.endpoint.set("/x/7", "1")
    await home.set_up(
        "- platform: rest\n  resource_template: 'URL/x/{{ login.id }}'\n  method: POST\n"
        "  payload_template: '{{ login.t }}'\n  params: {k: '{{ login.t }}'}\n"
        "  login:\n    resource: URL/login\n    values:\n"
        "      t: '{{ value_json.t }}'\n      id: \"{{ headers['x-id'] }}\"\n"
    )
    await home.state("1")
    (sent,) = home.endpoint.received("/x/7")
    assert (sent.body, dict(sent.query)) == (b"abc", {"k": "abc"})


async def test_one_login_for_all_that_use_it(home: RestHome) -> None:
    gate = Gate(home)
    blocks = [
        {**request(home, path), "sensor": [{"name": path, "value_template": "ok"}]}
        for path in ("/a", "/b")
    ]
    await home.load({"rest": blocks})
    for name in "ab":
        await home.state("ok", f"sensor.{name}")
    assert home.endpoint.count("/login") == 1
    gate.forget()
    await home.update("sensor.a", "sensor.b")
    for name in "ab":
        await home.state("ok", f"sensor.{name}")
    assert home.endpoint.count("/login") == 2


@pytest.mark.parametrize("status", [401, 403])
async def test_it_logs_in_again_but_once_per_poll(home: RestHome, status: int) -> None:
    gate = Gate(home)
    await home.load(Form("sensor", is_block=False).config(request(home, "/a")))
    await home.state("True", "sensor.x")
    home.endpoint.set("/a", Answer.of({}, status=status))
    await home.update("sensor.x")
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert home.endpoint.count("/login") == 2
    assert home.endpoint.count("/a") == 3
    assert f"data: status {status}" in home.log()[0]
    assert gate.count == 2


async def test_an_update_after_a_failed_login_logs_in_at_once(home: RestHome, form: Form) -> None:
    gate = Gate(home)
    gate.is_shut = True
    config = form.config(request(home, "/a"))
    await home.load(config)
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    gate.is_shut = False
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)


async def test_simultaneous_requests_try_a_login_once(home: RestHome) -> None:
    Gate(home).is_shut = True
    blocks = [{**request(home, path), "sensor": [{"name": path}]} for path in ("/a", "/b")]
    await home.load({"rest": blocks})
    for name in "ab":
        await home.state(STATE_UNAVAILABLE, f"sensor.{name}")
    await home.update("sensor.a", "sensor.b")
    assert home.endpoint.count("/login") == 2


@pytest.mark.parametrize(("lasts", "logins"), [("{{ value_json.lasts }}", 1), ("0", 2)])
async def test_a_session_that_says_how_long_it_lasts(
    home: RestHome, lasts: str, logins: int
) -> None:
    Gate(home)
    await home.load(Form("sensor", is_block=False).config(request(home, "/a", expires_in=lasts)))
    await home.state("True", "sensor.x")
    await home.update("sensor.x")
    await home.state("True", "sensor.x")
    assert home.endpoint.count("/login") == logins


async def test_a_login_that_fails_is_told_as_the_logins(home: RestHome, form: Form) -> None:
    gate = Gate(home)
    gate.is_shut = True
    await home.load(form.config(request(home, "/a")))
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    (message,) = home.log()
    assert "data: login: status 403; next try in" in message
    assert home.endpoint.count("/a") == 0
    assert "canary" not in home.whole_log


async def test_a_login_that_fails_is_tried_once_for_all(home: RestHome) -> None:
    Gate(home).is_shut = True
    blocks = [{**request(home, path), "sensor": [{"name": path}]} for path in ("/a", "/b")]
    await home.load({"rest": blocks})
    for name in "ab":
        await home.state(STATE_UNAVAILABLE, f"sensor.{name}")
    assert home.endpoint.count("/login") == 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"values": {"token": "{{ value_json.nothing }}"}}, "login: values 'token' failed: "),
        ({"values": {"token": "{{ value_json.token | int }}"}}, "login: values 'token' failed: "),
        ({"values": {"token": "{{ value_json.null }}"}}, "login: values 'token' is empty"),
        ({"values": {"token": "{{ value_json.empty }}"}}, "login: values 'token' is empty"),
        ({"values": {"token": "Bearer {{ value_json.null }}"}}, "login: values 'token' is empty"),
        ({"values": {"token": "{{ 'a' ~ value_json.null }}"}}, "login: values 'token' is empty"),
        (
            {"values": {"token": "{% if 1 %}x{{ 'None' and value_json.null }}{% endif %}"}},
            "login: values 'token' is empty",
        ),
        ({"expires_in": "{{ value_json.token }}"}, "login: expires_in gives no number of seconds"),
        ({"expires_in": "{{ 1 / 0 }}"}, "login: expires_in failed: ZeroDivisionError"),
    ],
)
async def test_a_reply_of_the_login_without_what_is_wanted(
    home: RestHome, more: dict[str, object], reason: str
) -> None:
    Gate(home)
    await home.load(Form("sensor", is_block=False).config(request(home, "/a", **more)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]
    assert "canary" not in home.whole_log


async def test_what_only_looks_like_null_is_a_value(home: RestHome) -> None:
    cookie = "id=7; SameSite=None"
    home.endpoint.set("/login", Answer.of({"t": None}, headers={"Set-Cookie": cookie}))
    home.endpoint.set("/a", {"on": True})
    values = {
        "cookie": "{{ headers['Set-Cookie'][0] }}",
        "null": "{{ value_json.t is none }} {{ 1 ~ 'None' }} {{ value_json.t or 'x' }}",
    }
    config = request(home, "/a", values=values)
    config["headers"] = {"X-Given": "{{ login.cookie }} {{ login.null }}"}
    await home.load(Form("sensor", is_block=False).config(config))
    await home.state("True", "sensor.x")
    sent = home.endpoint.received("/a")[0].headers["X-Given"]
    assert sent == f"{cookie} True 1None x"


async def test_a_login_is_never_conditional(home: RestHome) -> None:
    """What was given lately, as a 304 would say, is what is refused."""
    token = "first"

    async def login(request: web.BaseRequest) -> web.StreamResponse:
        status = 304 if "If-None-Match" in request.headers else 200
        return web.Response(text="hello", status=status, headers={"ETag": '"a"', "X-Token": token})

    async def data(request: web.BaseRequest) -> web.StreamResponse:
        is_right = request.headers["X-Token"] == token
        return web.json_response({"on": True}, status=200 if is_right else 401)

    home.endpoint.set("/login", login)
    home.endpoint.set("/x", data)
    config = {
        **home.url("/x"),
        "login": {**home.url("/login"), "values": {"token": "{{ headers['X-Token'] }}"}},
        "headers": {"X-Token": "{{ login.token }}"},
    }
    await home.load(Form("sensor", is_block=False).config(config))
    await home.state("True", "sensor.x")
    token = "second"
    await home.update("sensor.x")
    await home.state("True", "sensor.x")
    assert home.endpoint.count("/login") == 2


async def test_what_has_no_effect_in_a_login_is_told(home: RestHome) -> None:
    Gate(home)
    config = request(home, "/a", username="canary")
    await home.load(Form("sensor", is_block=False).config(config))
    await home.state("True", "sensor.x")
    assert "login: username ignored" in home.log()[0]
    assert "canary" not in home.whole_log


async def test_a_colon_in_the_user_name_beside_a_login(home: RestHome) -> None:
    """Only a digest has no room for it."""
    home.endpoint.set("/login", "hello")
    home.endpoint.set("/x", {"on": True})
    login = {**home.url("/login"), "username": "a:b", "password": "c"}
    config = {**home.url("/x"), "username": "a:b", "password": "c", "login": login}
    await home.load(Form("sensor", is_block=False).config(config))
    await home.state("True", "sensor.x")


async def test_a_mistake_in_a_login_shows_nothing_of_it(home: RestHome, form: Form) -> None:
    wrong = request(home, "/a", headers=["canary"])
    await home.load(form.config(wrong))
    (error,) = home.log(40, "homeassistant.config")
    assert "login" in error
    assert "canary" not in home.whole_log


async def test_no_cookie_of_a_login_goes_elsewhere(home: RestHome) -> None:
    Gate(home, by_cookie=True)
    home.endpoint.set("/welcome", "hello")
    async with Endpoint(host="127.0.0.2") as other:
        home.endpoint.set("/b", Answer(status=302, headers={"Location": other.url + "/values"}))
        login = {**home.url("/login"), "method": "POST", "payload": "canary-password"}
        block = {**home.url("/b"), "login": login, "sensor": [{"name": "b"}]}
        await home.load({"rest": [block]})
        await home.state(lambda state: "counter" in state.state, "sensor.b")
        assert "session" in home.endpoint.received("/b")[0].headers["Cookie"]
        assert "Cookie" not in other.requests[0].headers


async def test_a_reload_amid_a_login_leaves_nothing_behind(home: RestHome) -> None:
    home.endpoint.set("/login", Answer.of({"token": "x"}, delay=30))
    await home.load(Form("sensor", is_block=False).config(request(home, "/a")))
    await home.polls("/login", 1)
    async with asyncio.timeout(5):
        await home.reload({"sensor": []})
    assert not [task for task in asyncio.all_tasks() if "rest poll" in task.get_name()]


async def test_the_action_shows_no_session(home: RestHome) -> None:
    Gate(home)
    assert await async_setup_component(home.hass, "homeassistant", {})
    await home.load(Form("sensor", is_block=False).config(request(home, "/a")))
    await home.state("True", "sensor.x")
    answer = await home.hass.services.async_call(
        "rest", "request", {"entity_id": "sensor.x"}, blocking=True, return_response=True
    )
    assert answer
    assert answer["value_json"] == {"on": True}
    assert "canary" not in str(answer)
    home.endpoint.set("/a", Answer.of("down", status=500))
    with pytest.raises(HomeAssistantError, match="status 500"):
        await home.hass.services.async_call(
            "rest", "request", {"entity_id": "sensor.x"}, blocking=True, return_response=True
        )
