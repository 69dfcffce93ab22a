"""The page that lists faults in the codes of an air conditioner and corrects them on request."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final, override

from homeassistant.helpers.selector import BooleanSelector
import voluptuous as vol

from .._common.markdown import Markdown, escaped
from ..errors import common_texts
from ..ircodes import State
from .draft import DraftPage
from .faults import (
    async_misnamed,
    async_named,
    filled,
    with_packets,
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
        uncorrectable = [state for state in faults.contradicting if state not in offered]
        fields: dict[vol.Marker, object] = {}
        if faults.corrections:
            fields[vol.Required(CONF_CORRECT, default=False)] = BooleanSelector()
        if offered:
            fields[vol.Required(CONF_MEND, default=False)] = BooleanSelector()
        if faults.missing:
            fields[vol.Required(CONF_FILL, default=False)] = BooleanSelector()
        return await self.form(
            "faults", fields, faults=await self._described(offered, uncorrectable)
        )

    async def _described(
        self, offered: Collection[State], uncorrectable: Collection[State]
    ) -> Markdown:
        """Return what is wrong, a paragraph for each kind of fault that there is."""
        faults, texts = self.draft.faults, await common_texts(self.hass)
        paragraphs: list[str] = []
        if faults.misnamed:
            paragraphs.append(
                texts["faults_misnamed"].format(
                    protocol=escaped(faults.protocol),
                    misnamed=await async_misnamed(self.hass, faults),
                    correctable=len(faults.corrections),
                )
            )
        if offered or uncorrectable or faults.missing:
            paragraphs.append(texts["faults_rule"])
        for key, states in (
            ("contradicting", offered),
            ("others", uncorrectable),
            ("missing", faults.missing),
        ):
            if states:
                named = escaped(await async_named(self.hass, states))
                paragraphs.append(texts[f"faults_{key}"].format(**{key: named}))
        return Markdown("\n\n".join(paragraphs))

    @override
    async def submit(self, answers: Answers) -> Page:
        faults, packets = self.draft.faults, dict[State, bytes]()
        if answers.get(CONF_CORRECT):
            packets |= faults.corrections
            remaining = {
                state: misnamed
                for state, misnamed in faults.misnamed.items()
                if state not in packets
            }
            faults = replace(
                faults, misnamed=remaining, protocol=faults.protocol if remaining else ""
            )
        if answers.get(CONF_MEND):
            offered = {state: packet for state, packet in faults.contradicting.items() if packet}
            packets |= offered
            uncorrectable = dict.fromkeys(
                state for state in faults.contradicting if state not in offered
            )
            faults = replace(faults, contradicting=uncorrectable)
        device = with_packets(self.device, packets)
        if answers.get(CONF_FILL):
            device, faults = filled(device, faults.missing), replace(faults, missing={})
        corrections = {**self.draft.corrected, **packets}
        return self.owner.update_draft(
            self.draft.with_device(device, faults=faults, corrected=corrections)
        )
