"""The page that lists faults in the codes of an air conditioner and corrects them on request."""

from dataclasses import replace
from typing import Final, override

from homeassistant.helpers.selector import BooleanSelector
import voluptuous as vol

from ..ircodes import State
from .draft import DraftPage
from .faults import (
    async_misnamed,
    async_named,
    filled,
    mended,
)
from .page import Answers, Page, Shown

CONF_CORRECT: Final = "correct"
CONF_FILL: Final = "fill"
CONF_MEND: Final = "mend"


class FaultsPage(DraftPage):
    """Asks which corrections to apply: those of a protocol, or of the rule of the other states."""

    @override
    async def show(self) -> Shown:
        faults = self.draft.faults
        offered = {state: packet for state, packet in faults.contradicting.items() if packet}
        others = [state for state in faults.contradicting if state not in offered]
        fields: dict[vol.Marker, object] = {}
        if faults.corrections:
            fields[vol.Required(CONF_CORRECT, default=False)] = BooleanSelector()
        if offered:
            fields[vol.Required(CONF_MEND, default=False)] = BooleanSelector()
        if faults.missing:
            fields[vol.Required(CONF_FILL, default=False)] = BooleanSelector()
        return await self.form(
            "faults",
            fields,
            protocol=faults.protocol or "\N{EN DASH}",
            misnamed=await async_misnamed(self.hass, faults) or "\N{EN DASH}",
            correctable=str(len(faults.corrections)),
            contradicting=await async_named(self.hass, offered),
            others=await async_named(self.hass, others),
            missing=await async_named(self.hass, faults.missing),
        )

    @override
    async def submit(self, answers: Answers) -> Page:
        left, packets = self.draft.faults, dict[State, bytes]()
        if answers.get(CONF_CORRECT):
            packets |= left.corrections
            others = {
                state: misnamed for state, misnamed in left.misnamed.items() if state not in packets
            }
            left = replace(left, misnamed=others)
        if answers.get(CONF_MEND):
            offered = {state: packet for state, packet in left.contradicting.items() if packet}
            packets |= offered
            rest = dict.fromkeys(state for state in left.contradicting if state not in offered)
            left = replace(left, contradicting=rest)
        device = mended(self.device, packets)
        if answers.get(CONF_FILL):
            device, left = filled(device, left.missing), replace(left, missing={})
        all_mended = {**self.draft.mended, **packets}
        return self.owner.keep(self.draft.of(device, faults=left, mended=all_mended))
