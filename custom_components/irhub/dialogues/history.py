"""Undo changes of commands and devices."""

from collections.abc import Sequence
from functools import partial
from typing import Final, override

import voluptuous as vol

from .._common.markdown import bullets
from ..actions.deletion import shown_time
from ..devices.journal import Change
from ..entities.registries import async_show_devices
from ..errors import localized
from .form import select
from .page import Answers, HubPage, MenuPage, Page, Shown

CONF_CHANGE: Final = "change"
_BACK: Final = " \N{ANTICLOCKWISE TOP SEMICIRCLE ARROW}"
"""Marks a change that undid or restored another; the page explains the sign."""


class HistoryPage(HubPage):
    """Asks which change to undo."""

    @override
    async def show(self) -> Shown:
        writes = {changes[0].id: changes for changes in self.devices.history}
        field = select(writes, as_list=True, label_of=lambda id_: self._label(writes[id_]))
        return await self.form("history", {vol.Optional(CONF_CHANGE): field})

    def _label(self, changes: Sequence[Change]) -> str:
        first_sentence, *others = self.devices.sentences(changes)
        count = f" (+{len(others)})" if others else ""
        return f"{_when(changes)} · {localized(first_sentence.change)}{count}"

    @override
    async def submit(self, answers: Answers) -> Page:
        """Show the effect of undoing the change, for confirmation."""
        if (change := answers.get(CONF_CHANGE)) is None:
            return await self.choose("init")
        changes = self.devices.write_of(change)
        lines = (
            f"{localized(sentence.change)} {localized(sentence.undo)}"
            for sentence in self.devices.sentences(changes)
        )
        return MenuPage(
            self,
            "undo",
            ["undo_now", "history", "init"],
            texts={"when": _when(changes), "changes": bullets(lines)},
            handlers={"undo_now": partial(self._undo, changes)},
        )

    async def _undo(self, changes: Sequence[Change]) -> Page:
        await self.devices.undo(changes[0].id)
        async_show_devices(self.hass, self.devices)
        next_option = "history" if self.devices.history else "try_command"
        return MenuPage(self, "undone", [next_option, "init", "finish"])


def _when(changes: Sequence[Change]) -> str:
    return shown_time(changes[0].when) + (_BACK if changes[0].action in ("undo", "restore") else "")
