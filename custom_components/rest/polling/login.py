"""Logs in before requests that need it, once for all of them."""

import asyncio
from dataclasses import replace
import logging
from math import inf, isfinite

import aiohttp
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template, result_as_boolean
from homeassistant.helpers.update_coordinator import UpdateFailed
from yarl import URL

from .._common.log_once import LogOnce
from .._common.template_errors import reason
from ..const import CONF_EXPIRES_IN, CONF_LOGIN_PAGE, CONF_VALUES
from ..reply.given import given
from ..reply.reply import Reply
from .client import Client, Session
from .errors import RefusedError
from .hosts import Hosts
from .request import ConfiguredLogin

_LOGGER = logging.getLogger(__name__)

FAILED_FOR_S = 20.0
"""For so long, a login that failed is not tried again for another request."""


class Login:
    """One login, and the session that it gave.

    A login may need a login itself: the page of a form, on which a token stands.
    """

    def __init__(self, hass: HomeAssistant, configured: ConfiguredLogin, hosts: Hosts) -> None:
        self._hass = hass
        self._configured = configured
        self._client = Client(hass, configured.request, hosts, self._warn)
        before = configured.request.login
        self._before = Login(hass, before, hosts) if before else None
        self._log = LogOnce(_LOGGER)
        self._session: Session | None = None
        self._failure = ""
        self._failed_at = -inf
        self._lock = asyncio.Lock()

    async def fetch(self, client: Client, *, is_asked_for: bool) -> Reply:
        """Return the reply of a request that reads this login. Raise UpdateFailed.

        A 401, a 403 or the login's page makes it log in again, but for one poll no more than
        once. After a login that failed, what somebody asks for begins another.
        """
        before = self._session
        now = self._hass.loop.time()
        failed_since = now if is_asked_for else now - FAILED_FOR_S
        session = await self._logged_in(None, failed_since)
        try:
            return await self._ask(client, session)
        except RefusedError:
            if session is not before:
                raise
        return await self._ask(client, await self._logged_in(session, failed_since))

    async def _ask(self, client: Client, session: Session) -> Reply:
        reply = await client.fetch(session)
        if (page := self._configured.login_page) is not None:
            await self._parse(reply)
            if result_as_boolean(_rendered(CONF_LOGIN_PAGE, page, reply)):
                client.forget()
                raise RefusedError("the reply is the login page")
        return reply

    async def _logged_in(self, refused: Session | None, failed_since: float) -> Session:
        """Return a session that has not ended, and is not the one that was refused."""
        async with self._lock:
            now = self._hass.loop.time()
            if self._session and self._session is not refused and now < self._session.ends:
                return self._session
            if self._failed_at > failed_since:
                raise UpdateFailed(self._failure)
            self._session = None
            try:
                session = await self.log_in()
            except UpdateFailed as err:
                self._failure = str(err)
                self._failed_at = self._hass.loop.time()
                raise
            self._session = replace(session, pages=self.pages)
            return self._session

    @property
    def pages(self) -> tuple[URL, ...]:
        """Return where a request is sent to whose session has ended."""
        pages = self._before.pages if self._before else ()
        return (*pages, self._client.url) if self._client.url else pages

    def _warn(self, problem: str) -> None:
        self._log.report("request", f"{self._configured.request.shown}: login: {problem}")

    async def log_in(self) -> Session:
        """Return a new session, with all that the login before this one gave."""
        configured = self._configured
        try:
            session = await self._before.log_in() if self._before else _nothing()
            reply = await self._client.fetch(session)
            await self._parse(reply)
            values = {name: _value(name, template, reply) for name, template in configured.values}
            ends = session.ends
            if configured.expires_in is not None:
                ends = min(ends, self._hass.loop.time() + _seconds(configured.expires_in, reply))
        except UpdateFailed as err:
            raise UpdateFailed(f"login: {err}", retry_after=err.retry_after) from None
        finally:
            self._client.close()
        reply.content.forget()
        return replace(session, values={**session.values, **values}, ends=ends)

    async def _parse(self, reply: Reply) -> None:
        if reply.content.needs_thread():
            await self._hass.async_add_executor_job(reply.content.parse)


def _nothing() -> Session:
    return Session(values={}, cookies=aiohttp.CookieJar(unsafe=True), ends=inf)


def _rendered(key: str, template: Template, reply: Reply) -> str:
    try:
        text: str = template.async_render(reply.variables(), parse_result=False, strict=True)
    except TemplateError as err:
        raise UpdateFailed(f"{key} failed: {reason(err, template.template)}") from None
    return text


def _value(name: str, template: Template, reply: Reply) -> str:
    try:
        return given(template, reply.variables())
    except ValueError as err:
        raise UpdateFailed(f"{CONF_VALUES} '{name}' {err}") from None


def _seconds(template: Template, reply: Reply) -> float:
    text = _rendered(CONF_EXPIRES_IN, template, reply)
    try:
        seconds = float(text)
    except ValueError:
        seconds = inf
    if not isfinite(seconds):
        raise UpdateFailed(f"{CONF_EXPIRES_IN} gives no number of seconds")
    return seconds
