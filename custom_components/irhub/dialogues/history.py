"""Undo changes of commands and devices."""

from collections.abc import Sequence
from typing import Final, override

from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from .._common.markdown import bullets
from ..actions.deletion import shown_time
from ..devices.journal import Change
from ..entities.registries import async_show
from ..errors import common_texts, localized
from .choose import Done
from .page import Answers, HubPage, Page, Shown, option

CONF_CHANGE: Final = "change"
_BACK: Final = " \N{ANTICLOCKWISE TOP SEMICIRCLE ARROW}"
"""Behind a change that undid or restored something: the page says so."""


class History(HubPage):
    """Asks which change is undone."""

    steps = ("history",)

    @override
    async def show(self) -> Shown:
        await common_texts(self.hass)
        options = [
            SelectOptionDict(value=changes[0].id, label=self._label(changes))
            for changes in self.devices.history
        ]
        config = SelectSelectorConfig(options=options, mode=SelectSelectorMode.LIST)
        return await self.form("history", {vol.Optional(CONF_CHANGE): SelectSelector(config)})

    def _label(self, changes: Sequence[Change]) -> str:
        first, *more = self.devices.sentences(changes)
        count = f" (+{len(more)})" if more else ""
        return f"{_when(changes)} · {localized(first.change)}{count}"

    @override
    async def submit(self, answers: Answers) -> Page:
        if (change := answers.get(CONF_CHANGE)) is None:
            return await self.choose("init")
        return UndoChange(self, self.devices.write_of(change))


class UndoChange(HubPage):
    """Says what undoing a change means, and undoes it."""

    steps = ("undo",)

    def __init__(self, before: Page, changes: Sequence[Change]) -> None:
        """Ask for the changes of one write."""
        super().__init__(before)
        self._changes = changes

    @override
    async def show(self) -> Shown:
        await common_texts(self.hass)
        return self.menu(
            "undo",
            ["undo_now", "history", "init"],
            when=_when(self._changes),
            changes=bullets(
                f"{localized(sentence.change)} {localized(sentence.undo)}"
                for sentence in self.devices.sentences(self._changes)
            ),
            problem=await self.problem_text(),
        )

    @option
    async def undo_now(self) -> Page:
        """Undo it."""
        await self.devices.undo(self._changes[0].id)
        async_show(self.hass, self.devices)
        return Done(self, "undone", lambda: "history" if self.devices.history else "try_command")


def _when(changes: Sequence[Change]) -> str:
    return shown_time(changes[0].when) + (_BACK if changes[0].action in ("undo", "restore") else "")
