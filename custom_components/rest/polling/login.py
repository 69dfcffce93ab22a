"""Logs in before requests that need it, once for all of them."""

import asyncio
from dataclasses import replace
import logging
from math import inf, isfinite

import aiohttp
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template
from homeassistant.helpers.update_coordinator import UpdateFailed

from .._common.log_once import LogOnce
from .._common.template_errors import reason
from ..const import CONF_EXPIRES_IN
from ..reply.reply import Reply
from .client import Client, RefusedError, Session
from .hosts import Hosts
from .request import ConfiguredLogin

_LOGGER = logging.getLogger(__name__)

FAILED_FOR_S = 20.0
"""For so long, a login that failed is not tried again for another request."""


class Login:
    """One login, and the session that it gave."""

    def __init__(self, hass: HomeAssistant, configured: ConfiguredLogin, hosts: Hosts) -> None:
        self._hass = hass
        self._configured = configured
        self._client = Client(hass, configured.request, hosts, self._warn)
        self._log = LogOnce(_LOGGER)
        self._session: Session | None = None
        self._failure = ""
        self._failed_at = -inf
        self._lock = asyncio.Lock()

    async def fetch(self, client: Client) -> Reply:
        """Return the reply of a request that reads this login. Raise UpdateFailed.

        A 401 or 403 makes it log in again, but for one poll no more than once.
        """
        before = self._session
        session = await self._logged_in(None)
        try:
            return await client.fetch(session)
        except RefusedError:
            if session is not before:
                raise
        return await client.fetch(await self._logged_in(session))

    async def _logged_in(self, refused: Session | None) -> Session:
        """Return a session that has not ended, and is not the one that was refused."""
        async with self._lock:
            now = self._hass.loop.time()
            if self._session and self._session is not refused and now < self._session.ends:
                return self._session
            if now < self._failed_at + FAILED_FOR_S:
                raise UpdateFailed(self._failure)
            self._session = None
            try:
                self._session = await self._log_in()
            except UpdateFailed as err:
                self._failure = f"login: {err}"
                self._failed_at = self._hass.loop.time()
                raise UpdateFailed(self._failure, retry_after=err.retry_after) from None
            finally:
                self._client.close()
            return self._session

    def _warn(self, problem: str) -> None:
        self._log.report("request", f"{self._configured.request.shown}: login: {problem}")

    async def _log_in(self) -> Session:
        configured = self._configured
        session = Session(values={}, cookies=aiohttp.CookieJar(unsafe=True), ends=inf)
        reply = await self._client.fetch(session)
        if reply.needs_thread:
            await self._hass.async_add_executor_job(reply.parse)
        values = {
            name: _rendered(f"values '{name}'", template, reply)
            for name, template in configured.values
        }
        ends = inf
        if configured.expires_in is not None:
            ends = self._hass.loop.time() + _seconds(configured.expires_in, reply)
        reply.forget()
        return replace(session, values=values, ends=ends)


def _rendered(key: str, template: Template, reply: Reply) -> str:
    try:
        text: str = template.async_render(reply.variables, parse_result=False, strict=True)
    except TemplateError as err:
        raise UpdateFailed(f"{key} failed: {reason(err, template.template)}") from None
    return text


def _seconds(template: Template, reply: Reply) -> float:
    text = _rendered(CONF_EXPIRES_IN, template, reply)
    try:
        seconds = float(text)
    except ValueError:
        seconds = inf
    if not isfinite(seconds):
        raise UpdateFailed(f"{CONF_EXPIRES_IN} gives no number of seconds")
    return seconds
