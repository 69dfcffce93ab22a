"""Shows pages in any of Home Assistant's flows: of an entry, of its options, of a subentry."""

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
"""What the name of a step's method begins with."""
_ENDS: Final = (FlowResultType.CREATE_ENTRY, FlowResultType.ABORT)
_NEXT: Final = "next"
"""The step that Home Assistant asks for when progress is done."""


class PageFlow[ContextT: Any, ResultT: FlowResult[Any, Any], HandlerT](
    EntryFlow[ContextT, ResultT, HandlerT]
):
    """A flow that shows one page at a time.

    Home Assistant calls a method for each step id and for each option of a menu: all of them lead
    to the page that is there.
    """

    def __init__(self) -> None:
        super().__init__()
        self._page: Page | None = None
        self._shown: Shown | None = None
        """What the user sees; None while Home Assistant goes from progress to the next page."""
        self._next: Page | None = None
        """What follows progress."""
        self._turn = asyncio.Lock()
        """One answer after the other: a second click finds what the first has led to."""

    if not TYPE_CHECKING:  # a name that does not exist is still an error to mypy

        def __getattr__(self, name: str) -> Callable[[Answers | None], Awaitable[Any]]:
            """Return the method for a step of the page, or for an option of its menu."""
            step = name.removeprefix(_METHOD)
            if step == name or self._page is None:
                raise AttributeError(f"{type(self).__name__} has no {name}")
            return partial(self.async_answer, step)

    @callback
    @override
    def async_remove(self) -> None:
        """End what the page has begun."""
        if self._page is not None:
            self._page.close()
        super().async_remove()

    async def async_begin(
        self, step: str, answers: Answers | None, first: Callable[[Self], Page]
    ) -> ResultT:
        """Show the first page; later follow what was chosen or answered as for any step."""
        if self._page is not None:
            return await self.async_answer(step, answers)
        async with self._turn:
            return await self._show(first(self), after_progress=False)

    async def async_answer(self, step: str, answers: Answers | None) -> ResultT:
        """Follow what was chosen or answered, if it belongs to what is shown; show the page."""
        # From where Home Assistant asks decides what may come now.
        after_progress = _type(self.cur_step) is FlowResultType.SHOW_PROGRESS
        async with self._turn:
            if answers is None and _type(self._shown) in _ENDS:
                # Home Assistant looks once more when progress is done, however late: what has
                # ended meanwhile would be finished twice.
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
        """Return what leads to the next page; None for a look, or a click on another page."""
        if (shown := self._shown) is None:
            return None
        is_shown = shown.get("step_id") == step
        if shown["type"] is FlowResultType.FORM:
            return page.submit(answers) if is_shown and answers is not None else None
        if shown["type"] is FlowResultType.MENU and not is_shown:
            return page.choose(step) if step in cast(list[str], shown["menu_options"]) else None
        return None

    async def _show(self, page: Page, *, after_progress: bool) -> ResultT:
        """Show a page, or the one that follows it by itself."""
        while True:
            try:
                await self._turn_to(page)
                await load_texts(self.hass)
                shown = await page.show()
            except AbortFlow as err:
                shown = End(page, err.reason, err.description_placeholders or {})
            except IrhubError as err:  # nothing can be shown, so there is nothing to try again
                shown = End(page, "failed", {"error": localized(err)})
            if not isinstance(shown, Page):
                break
            if after_progress:  # its time comes when somebody looks
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
