"""Forms of login pages: fetched, filled in, sent where they say, told when they come again."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE
import pytest

from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

SENSOR = Form("sensor", is_block=False)
USER, PASSWORD = "me", "canary +&=%ü{{ 1 }}"


class Site:
    """A server behind a form; each kind of it is one that is out there."""

    page = "<form action=/login method=post><input name=user><input type=password name=pass></form>"
    path = "/form"
    action = "/login"
    extra: Mapping[str, str] = MappingProxyType({})

    def __init__(self, home: RestHome) -> None:
        self.home = home
        self.count = 0
        self.sent: list[dict[str, str]] = []
        home.endpoint.set(self.path, self.show)
        home.endpoint.set(self.action, self.login)
        home.endpoint.set("/x", self.data)

    async def show(self, _: web.BaseRequest) -> web.StreamResponse:
        """Show the form."""
        return web.Response(text=f"<!doctype html>{self.page}", content_type="text/html")

    async def login(self, request: web.BaseRequest) -> web.StreamResponse:
        """Take the form, or show it again."""
        if request.method == "GET" and not request.query_string:
            return await self.show(request)
        text = (await request.read()).decode() or request.query_string
        form = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=True))
        self.sent.append(form)
        if form != {"user": USER, "pass": PASSWORD, **self.extra} or not self.accepts(request):
            return await self.show(request)
        self.count += 1
        answer = web.HTTPFound("/welcome")
        answer.set_cookie("session", str(self.count))
        return answer

    def accepts(self, request: web.BaseRequest) -> bool:  # noqa: ARG002
        """Return whether the rest of the request is as it should be."""
        return True

    async def data(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer, or show the form."""
        if request.cookies.get("session") == str(self.count):
            return web.json_response({"on": True})
        return await self.show(request)

    def request(self, **form: object) -> dict[str, Any]:
        """Return the request that logs in by the form."""
        fields = {"user": USER, "pass": PASSWORD}
        return {
            **self.home.url("/x"),
            "login": {**self.home.url(self.path), "form": {"fields": fields, **form}},
        }


class Csrf(Site):
    """A framework: a token in a hidden field and a cookie, and a look at Referer and Origin."""

    page = (
        "<form method='POST' action=''><input type=hidden name=csrf value='a&amp;b'>"
        "<label>Name <input name='user'></label><input type='PassWord' name='pass'>"
        "<button>Go</button></form>"
    )
    action = path = "/accounts/login"
    extra = MappingProxyType({"csrf": "a&b"})

    async def show(self, request: web.BaseRequest) -> web.StreamResponse:
        """Show the form, with a cookie that must come back."""
        answer = await super().show(request)
        answer.set_cookie("csrf", "token")
        return answer

    def accepts(self, request: web.BaseRequest) -> bool:
        """Return whether it comes from the page."""
        origin = self.home.endpoint.url
        return (
            request.cookies.get("csrf"),
            request.headers.get("Referer"),
            request.headers.get("Origin"),
        ) == ("token", f"{origin}{self.path}", origin)


class Router(Site):
    """A router: a search form first, a table, choices, and a button whose name counts."""

    page = (
        "<form action=/search><input name=q></form>"
        "<table><tr><td><form action='goform/set' method=post><table>"
        "<tr><td><input name=user value=admin><td><input type=password name=pass></tr>"
        "<tr><td><input type=checkbox name=keep checked><input type=checkbox name=no>"
        "<input type=radio name=r value=1><input type=radio name=r value=2 checked>"
        "<select name=lang><option value=de>Deutsch<option value=en selected>English</select>"
        "<select name=zone><option>CET</option><option>UTC</option></select>"
        "<textarea name=note>hi</textarea><input name=off value=1 disabled>"
        "<input type=file name=f><input type=button name=b value=1>"
        "<input type=submit name=do value=Login><input type=submit name=do2 value=Reset>"
        "</tr></table></form></table>"
    )
    path = "/cgi/index.html"
    action = "/cgi/goform/set"
    extra = MappingProxyType(
        {"keep": "on", "r": "2", "lang": "en", "zone": "CET", "note": "hi", "do": "Login"}
    )


class ByGet(Site):
    """A small device: a form without a method, and a page that says where it is."""

    page = (
        "<head><base href='/sub/'></head><form action='do?old=1'>"
        "<input name=user><input name=pass type=password></form>"
    )
    action = "/sub/do"


class Moved(Site):
    """A page that redirects to where the form is, from which its address counts."""

    page = "<form method=post action=login><input name=user><input name=pass type=password></form>"
    path = "/app/form"
    action = "/app/login"

    def request(self, **form: object) -> dict[str, Any]:
        """Return the request for the page that redirects."""
        self.home.endpoint.set("/", Answer(status=302, headers={"Location": self.path}))
        request = super().request(**form)
        return {**request, "login": {**request["login"], **self.home.url("/")}}


@pytest.mark.parametrize("site", [Site, Csrf, Router, ByGet, Moved])
async def test_a_form_is_filled_in_and_sent(home: RestHome, form: Form, site: type[Site]) -> None:
    home.endpoint.set("/welcome", "<html>hello")
    server = site(home)
    await home.load(form.config(server.request()))
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    assert server.count == 1
    server.count += 10
    await home.update(form.entity_id)  # the session has ended: the form comes instead of data
    await home.state(form.on, form.entity_id)
    assert server.count == 12
    assert not home.log()
    assert "canary" not in home.whole_log


@pytest.mark.parametrize("css", ["#right form", "#p"])
async def test_a_form_that_is_named(home: RestHome, css: str) -> None:
    """By itself, or by something in it."""
    home.endpoint.set("/welcome", "<html>hello")
    server = Site(home)
    server.page = (
        "<form action=/wrong method=post><input name=user><input name=pass type=password></form>"
        "<div id=right><form action=/login method=post><p id=p><input name=user>"
        "<input name=pass type=password></p></form></div>"
    )
    await home.load(SENSOR.config(server.request(select=css)))
    await home.state("True", "sensor.x")
    assert server.count == 1


async def test_a_wrong_password_is_told_and_not_tried_again(home: RestHome) -> None:
    server = Site(home)
    request = {**server.request(fields={"user": USER, "pass": "canary"}), "scan_interval": 1}
    await home.load(SENSOR.config(request))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    await asyncio.sleep(2.5)
    assert len(server.sent) == 1
    assert home.endpoint.count("/x") == 0
    (message,) = home.log()
    assert "data: login: wrong user name or password: the form is shown again" in message
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    ("page", "form", "message"),
    [
        ("<p>no form", {}, "form: the page has no form with a password"),
        ("<form><input name=q></form><form></form>", {}, "form: the page has no form with a"),
        (Site.page, {"select": "#gone"}, "or none that fits `select`"),
        (Site.page, {"select": "form["}, "form: select: it is no CSS selector"),
        (Site.page, {"fields": {"usr": "canary"}}, "has no field 'usr'; it has user, pass"),
        (
            "<form action=ftp://h/ method=post><input type=password name=pass></form>",
            {"fields": {"pass": "canary"}},
            "form: no http or https URL",
        ),
    ],
    ids=str,
)
async def test_a_form_that_is_not_as_expected(
    home: RestHome, page: str, form: dict[str, object], message: str
) -> None:
    server = Site(home)
    server.page = page
    await home.load(SENSOR.config(server.request(**form)))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert message in home.log()[0]
    assert "canary" not in home.whole_log
    assert not server.sent


async def test_a_password_goes_to_no_other_server(home: RestHome) -> None:
    async with Endpoint(host="127.0.0.2") as other:
        server = Site(home)
        server.page = Site.page.replace("/login", other.url + "/login")
        await home.load(SENSOR.config(server.request()))
        await home.state(STATE_UNAVAILABLE, "sensor.x")
        assert "the form leads to another server" in home.log()[0]
        assert other.count() == 0


async def test_values_are_of_the_reply_to_the_form(home: RestHome) -> None:
    server = Site(home)
    home.endpoint.set("/welcome", {"token": "canary-token"})
    request = server.request()
    request["login"]["values"] = {"token": "{{ value_json.token }}"}
    request["headers"] = {"X-Token": "{{ login.token }}"}
    await home.load(SENSOR.config(request))
    await home.state("True", "sensor.x")
    assert home.endpoint.received("/x")[0].headers["X-Token"] == "canary-token"
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    "more",
    [
        {"method": "POST"},
        {"payload": "canary"},
        {"form": {}},
        {"form": {"fields": {}}},
        {"form": {"fields": {"a": ["canary"]}}},
    ],
    ids=str,
)
async def test_a_mistake_shows_no_secret(home: RestHome, form: Form, more: dict[str, Any]) -> None:
    request = Site(home).request()
    request["login"] |= more
    await home.load(form.config(request))
    (error,) = home.log(40, "homeassistant.config")
    assert "login" in error
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer.of({"error": "invalid_client"}, status=401), "login: status 401 (invalid_client)"),
        (Answer.of({"error": "invalid_scope"}, status=400), "login: status 400 (invalid_scope)"),
        (Answer.of({"error": "canary"}, status=400), "login: status 400;"),
        (Answer.of(["canary"], status=400), "login: status 400;"),
        (Answer.of("canary", status=400), "login: status 400;"),
    ],
    ids=str,
)
async def test_an_error_of_oauth_is_told(home: RestHome, answer: Answer, reason: str) -> None:
    home.endpoint.set("/token", answer)
    login = {"token_url": home.endpoint.url + "/token", "client_id": "a", "client_secret": "canary"}
    await home.load(SENSOR.config({**home.url("/x"), "login": login}))
    await home.state(STATE_UNAVAILABLE, "sensor.x")
    assert f"data: {reason}" in home.log()[0]
    assert "canary" not in home.whole_log
