"""Show pages in any kind of Home Assistant's flows: config, options and subentry flows."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, cast, override

from homeassistant.core import callback
from homeassistant.data_entry_flow import AbortFlow, FlowResult, FlowResultType, UnknownFlow
import voluptuous as vol

from ..errors import IrhubError, load_texts, localized
from .entry_flow import EntryFlow
from .page import Answers, EndPage, Page, Shown

_METHOD: Final = "async_step_"
"""Prefix of the method name of a step."""
_END_TYPES: Final = (FlowResultType.CREATE_ENTRY, FlowResultType.ABORT)
_NEXT_STEP: Final = "next"
"""The step that Home Assistant calls when progress is done."""


class PageFlow[ContextT: Any, ResultT: FlowResult[Any, Any], HandlerT](
    EntryFlow[ContextT, ResultT, HandlerT]
):
    """A flow that shows one page at a time.

    Home Assistant calls a method per step id and per menu option; all are delegated to the current
    page.
    """

    def __init__(self) -> None:
        super().__init__()
        self._page: Page | None = None
        self._last_result: Shown | None = None
        """The result shown last; None while Home Assistant goes from progress to the next page."""
        self._next_page: Page | None = None
        """The result to show when progress is done."""
        self._lock = asyncio.Lock()
        """Serialises answers, so that a second click is compared with the result of the first."""

    if not TYPE_CHECKING:  # a name that does not exist is still an error to mypy

        def __getattr__(self, name: str) -> Callable[[Answers | None], Awaitable[Any]]:
            """Return the method for a step or a menu option of the page."""
            step = name.removeprefix(_METHOD)
            if step == name or self._page is None:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            return partial(self.async_answer, step)

    @callback
    @override
    def async_remove(self) -> None:
        """Close the page."""
        if self._page is not None:
            self._page.close()
        super().async_remove()

    async def async_begin(
        self, step: str, answers: Answers | None, make_first_page: Callable[[Self], Page]
    ) -> ResultT:
        """Show the first page. If it was shown already, handle the step as `async_answer` does."""
        if self._page is not None:
            return await self.async_answer(step, answers)
        async with self._lock:
            return await self._show(make_first_page(self), after_progress=False)

    async def async_answer(self, step: str, answers: Answers | None) -> ResultT:
        """Handle answers or a menu choice, if they belong to the page shown; show the next page."""
        # The current step of the flow decides which results Home Assistant accepts now.
        after_progress = _type(self.cur_step) is FlowResultType.SHOW_PROGRESS
        async with self._lock:
            if answers is None and _type(self._last_result) in _END_TYPES:
                # When progress is done, Home Assistant calls once more, at any later time. A flow
                # that has ended meanwhile would be finished twice.
                raise UnknownFlow
            if self._next_page is not None:
                if after_progress:
                    return self.async_show_progress_done(next_step_id=_NEXT_STEP)
                page, self._next_page = self._next_page, None
            else:
                assert self._page is not None  # noqa: S101 - for mypy: one was shown first
                page = self._page
                if (next_page := self._handle(page, step, answers)) is not None:
                    page.problem, page.answers = None, answers
                    try:
                        page = await next_page
                    except (IrhubError, vol.Invalid) as err:
                        page.problem = err
            return await self._show(page, after_progress=after_progress)

    def _handle(self, page: Page, step: str, answers: Answers | None) -> Awaitable[Page] | None:
        """Return an awaitable of the next page; None for a refresh or a click on another page."""
        if (result := self._last_result) is None:
            return None
        is_current = result.get("step_id") == step
        if result["type"] is FlowResultType.FORM:
            return page.submit(answers) if is_current and answers is not None else None
        if result["type"] is FlowResultType.MENU and not is_current:
            return page.choose(step) if step in cast(list[str], result["menu_options"]) else None
        return None

    async def _show(self, page: Page, *, after_progress: bool) -> ResultT:
        """Show a page, or the page that it leads to without user input."""
        while True:
            try:
                await self._enter(page)
                await load_texts(self.hass)
                result = await page.show()
            except AbortFlow as err:
                result = EndPage(page, err.reason, err.description_placeholders or {})
            except IrhubError as err:  # the page cannot be shown, so it cannot be retried
                result = EndPage(page, "failed", {"error": localized(err)})
            if not isinstance(result, Page):
                break
            if after_progress:  # shown when Home Assistant calls the next step
                self._last_result, self._next_page = None, result
                return self.async_show_progress_done(next_step_id=_NEXT_STEP)
            page = result
        if after_progress and result["type"] is not FlowResultType.SHOW_PROGRESS:
            self._last_result = None
            return self.async_show_progress_done(next_step_id=_NEXT_STEP)
        self._last_result = result
        return cast(ResultT, result)

    async def _enter(self, page: Page) -> None:
        if page is not (previous := self._page):
            if previous is not None:
                await previous.leave()
            self._page = page
            await page.enter()


def _type(result: Shown | None) -> FlowResultType | None:
    return None if result is None else result["type"]
