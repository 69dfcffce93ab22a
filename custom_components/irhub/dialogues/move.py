"""Move a device to another hub."""

from collections.abc import Mapping
from functools import partial
from typing import Final, override

import voluptuous as vol

from ..const import DOMAIN
from ..entities.moving import async_move, not_sent_by
from ..entities.use import IrhubConfigEntry
from ..errors import UserError, list_names
from ..hub.library import Capability
from .draft import DraftPage
from .form import select
from .page import Answers, EndPage, HubPage, MenuPage, Page, Shown, option

CONF_HUB: Final = "hub"


class MovePage(DraftPage):
    """Asks for the target hub, and lists the commands that it cannot send for confirmation."""

    @override
    async def show(self) -> Shown:
        hubs = other_hubs(self)
        field = select(hubs, as_list=True, label_of=lambda entry_id: hubs[entry_id].title)
        return await self.form("move", {vol.Optional(CONF_HUB): field}, device=self._label)

    @override
    async def submit(self, answers: Answers) -> Page:
        if (target := other_hubs(self).get(answers.get(CONF_HUB, ""))) is None:
            return self.owner
        lacking = not_sent_by(target, self.device)
        if not lacking:
            return await self._move(target)
        if len(lacking) == len(self.device.commands) and self.device.rule is None:
            raise UserError("no_radio_there", hub=target.title, device=self._label)
        return MenuPage(
            self,
            "move_in_part",
            ["move_now", "move", "ready"],
            texts={"hub": target.title, "commands": list_names(item.name for item in lacking)},
            handlers={"move_now": partial(self._move, target)},
        )

    @option
    async def move(self) -> Page:
        """Ask for another hub."""
        return self

    @option
    async def ready(self) -> Page:
        """Do not move it."""
        return self.owner

    @property
    def _label(self) -> str:
        return self.devices.label(self.device)

    async def _move(self, target: IrhubConfigEntry) -> Page:
        device = await self.owner.write()
        moved = await async_move(self.hass, device, self.entry, target)
        return EndPage(self, "moved", {"device": moved.name, "hub": target.title})


def other_hubs(page: HubPage) -> Mapping[str, IrhubConfigEntry]:
    """Return the other hubs that can transmit: entry id → entry."""
    return {
        entry.entry_id: entry
        for entry in page.hass.config_entries.async_loaded_entries(DOMAIN)
        if entry is not page.entry and entry.runtime_data.hub.can(Capability.TRANSMIT)
    }
