"""Confirm with one press that a remote control matches the rule of a file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import override

from ..errors import UserError, common_texts, list_names
from ..hub.learning import Captured
from ..ircodes import BitRule, Off
from .draft import DraftPage
from .known import describe_readings, identify
from .learn import describe_capture
from .listening import OnePressPage
from .page import MenuPage, Page
from .words import async_words


@dataclass(repr=False)
class ConfirmPressPage(OnePressPage, DraftPage):
    """Listens for a press of any state and reads it with the rule."""

    step = "confirm_press"
    to_press = "press_to_confirm"

    @override
    async def next_page(self, captured: Sequence[Captured]) -> Page:
        """Return the page of the device, which shows the state read. Raise UserError if unreadable.

        A rule reads only packets that it could send: all bits must match, except for those that
        change by themselves (such as counters), and the checksums must be valid.
        """
        rule, in_executor = self.draft.rule, self.hass.async_add_executor_job
        assert isinstance(rule, BitRule)  # noqa: S101 - for mypy: else this was not offered
        words = await async_words(self.hass)
        if (decoded := await in_executor(rule.decode, captured[0].packet)) is None:
            readings = await in_executor(identify, captured[0].packet)
            meanings = describe_readings(readings, words) or [describe_capture(captured[0])]
            raise UserError("other_remote", heard=list_names(meanings, separator="; "))
        if isinstance(decoded, Off):
            raise UserError("off_confirms_nothing")
        state = words.state(decoded, f" °{rule.capabilities.unit}")
        note = (await common_texts(self.hass))["press_confirmed"].format(state=state)
        device = replace(self.device, unconfirmed=False)
        return self.owner.update_draft(self.draft.with_device(device, note=note))

    @override
    async def on_failure(self) -> Page:
        choices = ["confirm_press", "finish", "back"]
        handlers = {"back": self._back}
        return MenuPage(
            self.owner, "not_confirmed", choices, handlers=handlers, problem=self.problem
        )

    async def _back(self) -> Page:
        return self.owner
