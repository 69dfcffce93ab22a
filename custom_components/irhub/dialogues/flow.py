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
from .page import Answers, End, Page, Shown

_METHOD: Final = "async_step_"
"""Prefix of the method name of a step."""
_ENDS: Final = (FlowResultType.CREATE_ENTRY, FlowResultType.ABORT)
_NEXT: Final = "next"
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
        self._shown: Shown | None = None
        """The result shown last; None while Home Assistant goes from progress to the next page."""
        self._next: Page | None = None
        """The result to show when progress is done."""
        self._turn = asyncio.Lock()
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
        self, step: str, answers: Answers | None, first: Callable[[Self], Page]
    ) -> ResultT:
        """Show the first page. If it was shown already, handle the step as `async_answer` does."""
        if self._page is not None:
            return await self.async_answer(step, answers)
        async with self._turn:
            return await self._show(first(self), after_progress=False)

    async def async_answer(self, step: str, answers: Answers | None) -> ResultT:
        """Handle answers or a menu choice, if they belong to the page shown; show the next page."""
        # The current step of the flow decides which results Home Assistant accepts now.
        after_progress = _type(self.cur_step) is FlowResultType.SHOW_PROGRESS
        async with self._turn:
            if answers is None and _type(self._shown) in _ENDS:
                # When progress is done, Home Assistant calls once more, at any later time. A flow
                # that has ended meanwhile would be finished twice.
                raise UnknownFlow
            if self._next is not None:
                if after_progress:
                    return self.async_show_progress_done(next_step_id=_NEXT)
                page, self._next = self._next, None
            else:
                assert self._page is not None  # noqa: S101 - for mypy: one was shown first
                page = self._page
                if (follow := self._what_follows(page, step, answers)) is not None:
                    page.problem, page.answers = None, answers
                    try:
                        page = await follow
                    except (IrhubError, vol.Invalid) as err:
                        page.problem = err
            return await self._show(page, after_progress=after_progress)

    def _what_follows(
        self, page: Page, step: str, answers: Answers | None
    ) -> Awaitable[Page] | None:
        """Return an awaitable of the next page; None for a refresh or a click on another page."""
        if (shown := self._shown) is None:
            return None
        is_shown = shown.get("step_id") == step
        if shown["type"] is FlowResultType.FORM:
            return page.submit(answers) if is_shown and answers is not None else None
        if shown["type"] is FlowResultType.MENU and not is_shown:
            return page.choose(step) if step in cast(list[str], shown["menu_options"]) else None
        return None

    async def _show(self, page: Page, *, after_progress: bool) -> ResultT:
        """Show a page, or the page that it leads to without user input."""
        while True:
            try:
                await self._turn_to(page)
                await load_texts(self.hass)
                shown = await page.show()
            except AbortFlow as err:
                shown = End(page, err.reason, err.description_placeholders or {})
            except IrhubError as err:  # the page cannot be shown, so it cannot be retried
                shown = End(page, "failed", {"error": localized(err)})
            if not isinstance(shown, Page):
                break
            if after_progress:  # shown when Home Assistant calls the next step
                self._shown, self._next = None, shown
                return self.async_show_progress_done(next_step_id=_NEXT)
            page = shown
        if after_progress and shown["type"] is not FlowResultType.SHOW_PROGRESS:
            self._shown = None
            return self.async_show_progress_done(next_step_id=_NEXT)
        self._shown = shown
        return cast(ResultT, shown)

    async def _turn_to(self, page: Page) -> None:
        if page is not (before := self._page):
            if before is not None:
                await before.leave()
            self._page = page
            await page.enter()


def _type(shown: Shown | None) -> FlowResultType | None:
    return None if shown is None else shown["type"]
