"""Dialogues over HTTP, as in a browser, with several users at once."""

import asyncio
from enum import Enum
from http import HTTPStatus
import logging
from typing import Any, Self

from aiohttp.test_utils import TestClient
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

ADD = "/api/config/config_entries/flow"
REPAIRS = "/api/repairs/issues/fix"
OPTIONS = "/api/config/config_entries/options/flow"

type Answer = str | dict[str, object] | Enum | None
"""A menu option, the answers of a form, an action in the room, or None to show the page again."""


async def connect(hass: HomeAssistant, hass_client: ClientSessionGenerator) -> Client:
    """Return a browser that is logged in."""
    for needed in ("config", "websocket_api"):  # the latter cannot be set up later
        assert await async_setup_component(hass, needed, {})
    # Home Assistant's own server accepts views that are registered later in the same way.
    router: Any = hass.http.app._router  # noqa: SLF001
    router.freeze = lambda: None
    client: Client = await hass_client()
    return client


type Client = TestClient[Any, Any]


class Browser:
    """A dialogue and its current page; None when it has ended or was removed."""

    def __init__(self, client: Client, url: str) -> None:
        self._client = client
        self._url = url
        self.page: dict[str, Any] = {}
        self.flow_id = ""

    async def open(self, handler: str, **of: str) -> Self:
        """Open the dialogue of an integration, or of an entry or an issue."""
        await self._ask("POST", self._url, {"handler": handler, **of})
        self.flow_id = self.page["flow_id"]
        return self

    @property
    def name(self) -> str:
        """Return the progress action or else the step; for an ended dialogue, its result."""
        page = self.page
        return str(
            page.get("progress_action")
            or page.get("step_id")
            or page.get("reason")
            or page.get("type", "gone")
        )

    @property
    def texts(self) -> dict[str, str]:
        """Return the values of the placeholders of the page."""
        return self.page.get("description_placeholders") or {}

    async def answer(self, answer: Answer) -> Self:
        """Answer the page; refresh it if there is nothing to answer."""
        url = f"{self._url}/{self.flow_id}"
        match answer:
            case str():
                await self._ask("POST", url, {"next_step_id": answer})
            case dict():
                await self._ask("POST", url, answer)
            case _:
                await self._ask("GET", url)
        return self

    async def arrive(self, *names: str) -> Self:
        """Refresh until one of these pages is shown."""
        async with asyncio.timeout(20):
            while self.name not in names:
                await asyncio.sleep(0.02)
                await self.answer(None)
        return self

    async def close(self) -> None:
        """Close the dialogue."""
        await self._ask("DELETE", f"{self._url}/{self.flow_id}")

    async def _ask(self, method: str, url: str, body: object = None) -> None:
        """Store the page of a response. Rejected answers give a page, internal errors do not."""
        response = await self._client.request(method, url, json=body)
        assert response.status in {
            HTTPStatus.OK,
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.NOT_FOUND,
        }, f"{method} {body}: {response.status} {await response.text()}"
        self.page = await response.json() if response.status == HTTPStatus.OK else {}


def running(what: str) -> list[str]:
    """Return the tasks with `what` in their names."""
    return [
        name
        for task in asyncio.all_tasks()
        if not task.done() and what in (name := task.get_name())
    ]


def faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the errors and tracebacks in the log."""
    return [
        f"{record.name}: {record.getMessage()} {record.exc_text or ''}"
        for record in caplog.records
        if record.levelno >= logging.ERROR or record.exc_info
    ]
