"""Logins of web pages: a session that ends in the login's page, a form with a token of its own."""

from typing import Any

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
import pytest

from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

ENDED = {
    "a redirect": Answer(status=302, headers={"Location": "/login"}),
    "a redirect that says where to go then": Answer(
        status=303, headers={"Location": "/login/?next=/x"}
    ),
    "a page": Answer(body=b"<input type=password>", content_type="text/html"),
    "a redirect to a page": Answer(status=302, headers={"Location": "/form"}),
}


class Page:
    """A server whose session is a cookie, and that answers without one as web pages do."""

    def __init__(self, home: RestHome, ended: Answer) -> None:
        self._count = 0
        self._ended = ended
        home.endpoint.set("/login", self._login)
        home.endpoint.set("/form", ENDED["a page"])
        home.endpoint.set("/x", self._data)

    def forget(self) -> None:
        """End the session."""
        self._count += 100

    async def _login(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET":
            return ENDED["a page"].response()
        self._count += 1
        answer = web.Response(text="welcome")
        answer.set_cookie("session", str(self._count))
        return answer

    async def _data(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.cookies.get("session") == str(self._count):
            return web.json_response({"on": True}, headers={"ETag": '"a"'})
        return self._ended.response()


def page_request(home: RestHome) -> dict[str, Any]:
    """Return a request of a server whose pages ask to log in."""
    return {
        **home.url("/x"),
        "login": {
            **home.url("/login"),
            "method": "POST",
            "login_page": "{{ 'type=password' in value }}",
        },
    }


@pytest.mark.parametrize("ended", ENDED)
async def test_a_session_that_ends_in_a_login_page(home: RestHome, form: Form, ended: str) -> None:
    page = Page(home, ENDED[ended])
    await home.load(form.config(page_request(home)))
    await home.state(form.on, form.entity_id)
    page.forget()
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    assert [sent.method for sent in home.endpoint.received("/login")] == ["POST", "POST"]
    assert not home.log()


@pytest.mark.parametrize(
    ("ended", "reason"),
    [
        ("a redirect", "redirected to the login page"),
        ("a page", "the reply is the login page"),
    ],
)
async def test_a_login_page_asks_for_one_login_per_poll(
    home: RestHome, ended: str, reason: str
) -> None:
    Page(home, ENDED[ended])
    await home.load(Form("sensor", is_block=False).config(page_request(home)))
    await home.state("True", "sensor.x")
    home.endpoint.set("/x", ENDED[ended])
    await home.update("sensor.x")
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert home.endpoint.count("/login") == 2
    assert f"data: {reason}" in home.log()[0]


@pytest.mark.parametrize("login", ["/cgi?do=login", "/cgi"])
async def test_a_redirect_beside_the_login_is_followed(home: RestHome, login: str) -> None:
    """To a page that differs from the login's in the query, and from the login's own path."""
    home.endpoint.set("/cgi", Answer(status=302, headers={"Location": "/cgi/?do=values"}))
    home.endpoint.set("/cgi/", {"on": True})
    request = {**home.url("/cgi"), "login": {**home.url(login), "method": "POST"}}
    await home.load(Form("sensor", is_block=False).config(request))
    await home.state("True", "sensor.x")


class Router:
    """A server whose form has a token of its own, good for one login."""

    def __init__(self, home: RestHome) -> None:
        self.count = 0
        home.endpoint.set("/form", self._form)
        home.endpoint.set("/login", self._login)
        home.endpoint.set("/x", self._data)

    async def _form(self, _: web.BaseRequest) -> web.StreamResponse:
        self.count += 1
        answer = web.Response(text=f"<input name=csrf value=canary-{self.count}>")
        answer.set_cookie("visitor", str(self.count))
        return answer

    async def _login(self, request: web.BaseRequest) -> web.StreamResponse:
        sent = f"csrf=canary-{self.count}".encode()
        if request.cookies.get("visitor") != str(self.count) or await request.read() != sent:
            return web.Response(status=403)
        return web.json_response({"token": f"canary-token-{self.count}"})

    async def _data(self, request: web.BaseRequest) -> web.StreamResponse:
        received = {name: request.headers.get(name) for name in ("X-Token", "X-Csrf")}
        right = {"X-Token": f"canary-token-{self.count}", "X-Csrf": f"canary-{self.count}"}
        is_right = received == right and request.cookies.get("visitor") == str(self.count)
        return web.json_response({"on": True}, status=200 if is_right else 401)


def router_request(home: RestHome, **form: object) -> dict[str, Any]:
    """Return a request that needs a login, which needs a form."""
    return {
        **home.url("/x"),
        "headers": {"X-Token": "{{ login.token }}", "X-Csrf": "{{ login.csrf }}"},
        "login": {
            **home.url("/login"),
            "method": "POST",
            "payload_template": "csrf={{ login.csrf }}",
            "values": {"token": "{{ value_json.token }}"},
            "login": {
                **home.url("/form"),
                "values": {"csrf": "{{ value | regex_findall_index('value=([^>]+)') }}"},
                **form,
            },
        },
    }


async def test_a_form_with_a_token_of_its_own(home: RestHome, form: Form) -> None:
    """Values and cookies are carried on; each login begins with the form."""
    router = Router(home)
    await home.load(form.config(router_request(home)))
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    assert router.count == 1
    router.count += 10
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    assert home.endpoint.count("/form") == home.endpoint.count("/login") == 2
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"expires_in": "x"}, "login: login: expires_in gives no number of seconds"),
        ({"values": {"csrf": "{{ none }}"}}, "login: login: values 'csrf' is empty"),
        ({"valid_status": 201}, "login: login: status 200"),
    ],
)
async def test_a_form_that_fails_is_told_as_the_forms(
    home: RestHome, more: dict[str, object], reason: str
) -> None:
    Router(home)
    await home.load(Form("sensor", is_block=False).config(router_request(home, **more)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]
    assert home.endpoint.count("/login") == 0


async def test_a_form_that_expires(home: RestHome) -> None:
    Router(home)
    request = router_request(home, expires_in="0")
    await home.load(Form("sensor", is_block=False).config(request))
    await home.state("True", "sensor.x")
    await home.update("sensor.x")
    assert home.endpoint.count("/login") == 2


async def test_a_login_has_one_login_at_most(home: RestHome, form: Form) -> None:
    await home.load(form.config(router_request(home, login=home.url("/canary"))))
    (error,) = home.log(40, "homeassistant.config")
    assert "login" in error
    assert "canary" not in home.whole_log
