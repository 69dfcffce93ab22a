"""Confirm with one press that a remote control matches the rule of a file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import override

from ..errors import UserError, common_texts, list_names
from ..hub.learning import Captured
from ..ircodes import BitRule, Off
from .draft import DraftPage
from .known import identified, shown
from .learn import describe_heard
from .listening import OnePressPage
from .page import Menu, Page
from .words import words


@dataclass(repr=False)
class ConfirmPress(OnePressPage, DraftPage):
    """Listens for a press of any state and reads it with the rule."""

    step = "confirm_press"
    to_press = "press_to_confirm"

    @override
    async def follow(self, captured: Sequence[Captured]) -> Page:
        """Return the page of the device, which shows the state read. Raise UserError if unreadable.

        A rule reads only packets that it could send: all bits must match, except for those that
        change by themselves (such as counters), and the checksums must be valid.
        """
        rule, in_executor = self.draft.rule, self.hass.async_add_executor_job
        assert isinstance(rule, BitRule)  # noqa: S101 - for mypy: else this was not offered
        of_language = await words(self.hass)
        if (meant := await in_executor(rule.decode, captured[0].packet)) is None:
            readings = await in_executor(identified, captured[0].packet)
            meanings = shown(readings, of_language) or [describe_heard(captured[0])]
            raise UserError("other_remote", heard=list_names(meanings, separator="; "))
        if isinstance(meant, Off):
            raise UserError("off_confirms_nothing")
        state = of_language.state(meant, f" °{rule.capabilities.unit}")
        note = (await common_texts(self.hass))["press_confirmed"].format(state=state)
        device = replace(self.device, unconfirmed=False)
        return self.owner.keep(self.draft.of(device, note=note))

    @override
    async def not_heard(self) -> Page:
        choices = ["confirm_press", "finish", "back"]
        own = {"back": self._back}
        return Menu(self.owner, "not_confirmed", choices, own=own, problem=self.problem)

    async def _back(self) -> Page:
        return self.owner
