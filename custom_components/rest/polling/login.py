"""Log in before requests that need it, with one session for all of them."""

import asyncio
from dataclasses import replace
import logging
from math import inf, isfinite
from weakref import WeakKeyDictionary, WeakSet

import aiohttp
from aiohttp import hdrs
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template, result_as_boolean
from homeassistant.helpers.update_coordinator import UpdateFailed
from multidict import CIMultiDict
from yarl import URL

from .._common.log_once import LogOnce
from .._common.template_errors import reason
from ..const import CONF_EXPIRES_IN, CONF_FORM, CONF_LOGIN_PAGE, CONF_VALUES
from ..reply.form import FilledForm, filled_form
from ..reply.non_null import render_non_null
from ..reply.reply import Reply
from .client import Client, Origin, Session, origin_of
from .errors import LoginRefusedError, RefusedError, StatusError
from .hosts import Hosts
from .request import ConfiguredForm, ConfiguredLogin
from .urls import http_url

_LOGGER = logging.getLogger(__name__)

_PAGE_AGAIN = "the login page is shown again; the user name or the password may be wrong"

FIRST_WAIT_S = 20.0
"""Seconds before polls retry a failed login; doubled with each consecutive failure."""
LONGEST_WAIT_S = 6 * 3600.0
"""Maximum for a refused login: the account may get locked, or each login may cost money."""
LONGEST_WAIT_UNANSWERED_S = 60.0
"""Maximum for a login without an answer or with a server error, so it works soon afterwards."""
CLIENT_ERRORS = range(400, 500)  # status


class BackOff:
    """The time until the next attempt, which doubles with each failure."""

    def __init__(self) -> None:
        self.failed_at = -inf
        """The time of the last failure, in event loop time."""
        self._wait = 0.0

    def fail(self, now: float, *, longest: float, at_least: float = 0) -> None:
        """Count a failure."""
        self.failed_at = now
        self._wait = max(min(2 * self._wait or FIRST_WAIT_S, longest), at_least)

    def succeed(self) -> None:
        """Reset after a success."""
        self.failed_at = -inf
        self._wait = 0.0

    def is_over(self, now: float) -> bool:
        """Return whether the next attempt is due."""
        return now >= self.failed_at + self._wait


class Login:
    """A login and its session.

    A login may need a login itself, for example the page of a form that contains a token.
    """

    def __init__(self, hass: HomeAssistant, configured: ConfiguredLogin, hosts: Hosts) -> None:
        self._hass = hass
        self._configured = configured
        self._client = Client(hass, configured.request, hosts, self._warn)
        configured_before = configured.request.login
        self._before = Login(hass, configured_before, hosts) if configured_before else None
        self._log = LogOnce(_LOGGER)
        self._page: URL | None = None
        """The URL of the page with its form, if it has one."""
        self._session: Session | None = None
        self._began_at = -inf
        self._served: WeakSet[Client] = WeakSet()
        """Clients that have received a reply in this session."""
        self._refused: WeakKeyDictionary[Client, BackOff] = WeakKeyDictionary()
        """Clients that were refused directly after a login."""
        self._failure = ""
        self._back_off = BackOff()
        self._lock = asyncio.Lock()

    async def fetch(self, client: Client, *, on_demand: bool) -> Reply:
        """Return the reply to a request with this login. Raise UpdateFailed.

        A 401, a 403 or the login page means that the session has ended, so log in again, at most
        once per poll. A refusal in a new session counts as a failed login. After a failure, polls
        wait, but requests on demand do not.
        """
        previous = self._session
        asked_at = self._hass.loop.time() if on_demand else None
        session = await self._logged_in(None, asked_at)
        is_new = session is not previous
        try:
            return await self._request(client, session)
        except RefusedError as err:
            if not is_new and not on_demand:
                if not self._refused.get(client, BackOff()).is_over(self._hass.loop.time()):
                    raise
                is_new = self._is_new_to(client)
            if is_new:
                raise self._refusal(client, session, err) from None
        session = await self._logged_in(session, asked_at)
        try:
            return await self._request(client, session)
        except RefusedError as err:
            raise self._refusal(client, session, err) from None

    def _is_new_to(self, client: Client) -> bool:
        """Return whether the session is recent and this client has had no reply in it yet."""
        age = self._hass.loop.time() - self._began_at
        return age < FIRST_WAIT_S and client not in self._served

    def _refusal(self, client: Client, session: Session, err: RefusedError) -> UpdateFailed:
        """Count a refusal directly after a login as a failed login; return the error to raise.

        Other requests may work nevertheless; they keep the session.
        """
        now = self._hass.loop.time()
        if not session.is_doubtful:
            self._refused.setdefault(client, BackOff()).fail(now, longest=LONGEST_WAIT_S)
            return err
        if self._session is session:  # the first refused request of this session
            self._session = None
            self._failure = f"login: {_PAGE_AGAIN}"
            self._back_off.fail(now, longest=LONGEST_WAIT_S)
        return UpdateFailed(self._failure)

    async def _request(self, client: Client, session: Session) -> Reply:
        reply = await client.fetch(session)
        if self._configured.form and await self._has_form(self._configured.form, reply):
            client.forget()
            raise RefusedError("the reply is the login page")
        if (page := self._configured.login_page) is not None:
            await self._parse(reply)
            if result_as_boolean(_rendered(CONF_LOGIN_PAGE, page, reply)):
                client.forget()
                raise RefusedError("the reply is the login page")
        self._served.add(client)
        self._refused.pop(client, None)
        if session.is_doubtful:
            self._back_off.succeed()
        return reply

    async def _logged_in(self, refused: Session | None, asked_at: float | None) -> Session:
        """Return a session that has not expired and is not the `refused` one."""
        async with self._lock:
            now = self._hass.loop.time()
            if self._session and self._session is not refused and now < self._session.ends:
                return self._session
            if self._back_off.failed_at > asked_at if asked_at else not self._back_off.is_over(now):
                raise UpdateFailed(self._failure)
            self._session = None
            try:
                session = await self.log_in()
            except UpdateFailed as err:
                self._failure = str(err)
                is_refused = isinstance(err, LoginRefusedError)
                self._back_off.fail(
                    self._hass.loop.time(),
                    longest=LONGEST_WAIT_S if is_refused else LONGEST_WAIT_UNANSWERED_S,
                    at_least=err.retry_after or 0,
                )
                raise
            if not session.is_doubtful:
                self._back_off.succeed()
            self._session = replace(session, pages=self.pages)
            self._began_at = self._hass.loop.time()
            self._served.clear()
            return self._session

    @property
    def pages(self) -> tuple[URL, ...]:
        """Return the URLs that requests are redirected to when the session has ended."""
        pages = self._before.pages if self._before else ()
        urls = (self._page, self._client.url)
        return (*pages, *(url for url in urls if url))

    def _warn(self, problem: str) -> None:
        self._log.report("request", f"{self._configured.request.shown}: login: {problem}")

    async def log_in(self) -> Session:
        """Return a new session, including the values of the login that this one needs."""
        configured = self._configured
        is_page = False
        try:
            session = await self._before.log_in() if self._before else _nothing()
            reply = await self._client.fetch(session)
            if configured.form:
                self._page = reply.url
                reply = await self._submit(configured.form, reply, session)
            await self._parse(reply)
            is_page = self._is_page(reply)
            values = {name: _value(name, template, reply) for name, template in configured.values}
            ends = session.ends
            if configured.expires_in is not None:
                ends = min(ends, self._hass.loop.time() + _seconds(configured.expires_in, reply))
        except UpdateFailed as err:
            kind = LoginRefusedError if _is_refusal(err) else UpdateFailed
            raise kind(
                f"login: {_PAGE_AGAIN if is_page else err}", retry_after=err.retry_after
            ) from None
        finally:
            self._client.close()
        reply.content.forget()
        return replace(session, values={**session.values, **values}, ends=ends, is_doubtful=is_page)

    async def _submit(self, form: ConfiguredForm, page: Reply, session: Session) -> Reply:
        """Submit the form of a page; return the reply. Raise UpdateFailed."""
        try:
            filled = await self._filled(form, page)
            url = http_url(filled.url)
        except ValueError as err:
            raise LoginRefusedError(f"{CONF_FORM}: {err}") from None
        if origin_of(page.url, url) is Origin.FOREIGN:
            raise UpdateFailed("the form leads to another server, where no password is sent")
        request = self._configured.request.render(session.values, self._warn)
        headers = CIMultiDict(request.headers)
        headers.setdefault(hdrs.REFERER, str(page.url.with_user(None).with_fragment(None)))
        headers.setdefault(hdrs.ORIGIN, str(page.url.origin()))
        if filled.method == hdrs.METH_POST:
            headers[hdrs.CONTENT_TYPE] = "application/x-www-form-urlencoded"
            body = filled.fields.encode()
        else:
            url, body = http_url(f"{str(url).partition('?')[0]}?{filled.fields}"), None
        reply = await self._client.send(
            replace(
                request, method=filled.method, url=url, headers=tuple(headers.items()), body=body
            ),
            session,
        )
        if await self._has_form(form, reply):
            raise LoginRefusedError("wrong user name or password: the form is shown again")
        return reply

    async def _has_form(self, form: ConfiguredForm, reply: Reply) -> bool:
        """Return whether a reply is a page with the login form."""
        body = reply.content.body
        if not reply.content.is_html or not all(name.encode() in body for name, _ in form.fields):
            return False
        try:
            await self._filled(form, reply)
        except ValueError:
            return False  # no form, or another one
        return True

    async def _filled(self, form: ConfiguredForm, page: Reply) -> FilledForm:
        return await self._hass.async_add_executor_job(
            filled_form, page.content.value, str(page.url), form.select, dict(form.fields)
        )

    def _is_page(self, reply: Reply) -> bool:
        """Return whether the reply to the login is the login page again.

        The template `login_page`, made for other replies, may fail on this one.
        """
        page = self._configured.login_page
        try:
            return page is not None and bool(
                result_as_boolean(_rendered(CONF_LOGIN_PAGE, page, reply))
            )
        except UpdateFailed:
            return False

    async def _parse(self, reply: Reply) -> None:
        if reply.content.needs_thread():
            await self._hass.async_add_executor_job(reply.content.parse)


def _is_refusal(err: UpdateFailed) -> bool:
    """Return whether the server has refused the login, rather than failed."""
    if isinstance(err, StatusError):
        return err.status in CLIENT_ERRORS
    return isinstance(err, RefusedError | LoginRefusedError)


def _nothing() -> Session:
    return Session(values={}, cookies=aiohttp.CookieJar(unsafe=True), ends=inf)


def _rendered(key: str, template: Template, reply: Reply) -> str:
    try:
        text: str = template.async_render(reply.variables(), parse_result=False, strict=True)
    except TemplateError as err:
        raise LoginRefusedError(f"{key} failed: {reason(err, template.template)}") from None
    return text


def _value(name: str, template: Template, reply: Reply) -> str:
    try:
        return render_non_null(template, reply.variables())
    except ValueError as err:
        raise LoginRefusedError(f"{CONF_VALUES} '{name}' {err}") from None


def _seconds(template: Template, reply: Reply) -> float:
    text = _rendered(CONF_EXPIRES_IN, template, reply)
    try:
        seconds = float(text)
    except ValueError:
        seconds = inf
    if not isfinite(seconds):
        raise LoginRefusedError(f"{CONF_EXPIRES_IN} gives no number of seconds")
    return seconds
