"""End a dialogue, or continue in the dialogue that adds an appliance."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final, cast, override

from homeassistant.config_entries import SOURCE_USER, ConfigFlowResult, FlowType
from homeassistant.const import MAJOR_VERSION, MINOR_VERSION
from homeassistant.data_entry_flow import FlowResult

from ..const import APPLIANCE
from ..ircodes import Content
from .form import DOUBLE_CLICK_S
from .page import EndPage, HubPage, Page, ProgressPage, Shown

CAN_HAND_OVER: Final = (MAJOR_VERSION, MINOR_VERSION) >= (2026, 9)
"""Whether the frontend can continue with another dialogue; older ones show an empty dialogue."""


class ClosingPage(ProgressPage[None]):
    """Ends the dialogue after a delay: a double click would otherwise hit a closed dialogue."""

    action = "closing"

    @override
    async def work(self) -> None:
        await asyncio.sleep(DOUBLE_CLICK_S)


class FinishPage(ClosingPage):
    """Ends the dialogue."""

    step = "finish"

    @override
    async def next_page(self, result: None) -> Page:
        return EndPage(self, "finished")


@dataclass(repr=False)
class AddAppliancePage(ClosingPage):
    """Continues in the dialogue that adds an appliance."""

    step = "add_appliance"
    content: Content | None = None
    """A collection of files for that dialogue to search."""

    @override
    async def next_page(self, result: None) -> Page:
        return HandOverPage(self, self.content)


@dataclass(repr=False)
class HandOverPage(HubPage):
    """Hands over to the dialogue that adds an appliance."""

    content: Content | None
    _begun: FlowResult[Any, Any] = field(init=False)

    @override
    async def enter(self) -> None:
        self._begun = await self.hass.config_entries.subentries.async_init(
            (self.entry.entry_id, APPLIANCE), context={"source": SOURCE_USER}, data=self.content
        )

    @override
    async def show(self) -> Shown:
        handed_over = cast(ConfigFlowResult, self.flow.async_abort(reason="finished"))
        handed_over["next_flow"] = FlowType.CONFIG_SUBENTRIES_FLOW, self._begun["flow_id"]
        handed_over["result"] = self.entry  # the frontend needs the entry of the next dialogue
        return handed_over
