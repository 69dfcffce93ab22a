"""Press a button of its remote control: what was heard decides what is offered."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult

from .._common.markdown import Markdown, bullets, escaped
from ..devices.device import Kind
from ..devices.importing import async_integrations_of
from ..errors import UserError, common_texts
from ..ircodes import PROTOCOLS, FileIndex, meaning, readings
from .appliance_step import Input
from .learn_remote import LearnRemoteFlow
from .other_functions import OtherFunctionsFlow
from .teach import TeachFlow
from .which_file import shown
from .words import words

INTEGRATION: Final = "https://my.home-assistant.io/redirect/config_flow_start/?domain="
"""Where a page leads that names an integration of Home Assistant's."""
_NAMED: Final = 3
"""So many files are named."""


class PressFlow(OtherFunctionsFlow, LearnRemoteFlow, TeachFlow):
    """Hears one press, and offers what can be made of it, the best first."""

    _own: Mapping[str, str] = MappingProxyType({})
    """Home Assistant's integrations for such a device: domain → name."""
    _press: bytes
    """What was heard."""
    _says_state = False
    """Whether a protocol is known in which the press says the state of an air conditioner."""

    async def async_step_press_button(self, _user_input: Input = None) -> SubentryFlowResult:
        """Listen to one press."""
        action = "press_state" if self._kind is Kind.AIR_CONDITIONER else "press_any"
        page = self._listening("press_button", action, self._identify, then="heard")
        return page or self.async_show_progress_done(next_step_id="heard")

    async def _identify(self, press: bytes) -> None:
        """Look for all that is known of a press."""
        of_folders = partial(FileIndex.of_folders, Path(self.hass.config.config_dir))
        self._files = await self.hass.async_add_executor_job(of_folders)
        self._presses, self._pressed, self._press = (), press, press
        await self._look(press)
        meant = meaning(press)
        makers = [match.manufacturer for match in self._matches[:_NAMED]]
        makers += [] if meant is None else [meant.protocol]
        self._own = await async_integrations_of(self.hass, makers)
        self._says_state = bool(PROTOCOLS) and bool(
            await self.hass.async_add_executor_job(readings, press)
        )

    @override
    async def async_step_heard(self, _user_input: Input = None) -> SubentryFlowResult:
        """Offer what can be made of what was heard."""
        is_climate = self._kind is Kind.AIR_CONDITIONER
        press_by_press = "teach" if is_climate else "learn_remote"
        if problem := await self._problem_text("heard"):
            return self.async_show_menu(
                step_id="not_heard",
                menu_options=["press_button", press_by_press, "how"],
                description_placeholders={"problem": problem},
            )
        options = {
            "second_state": is_climate and self._says_state,
            "choose_file": bool(self._matches),
            "of_press": bool(self._offered),
            "other_functions": bool(self._more_ways),
            "hear": len(self._matches) + len(self._offered) > 1,
            press_by_press: True,
            "which_file": True,
            "press_button": True,
            "how": True,
        }
        own = [f"[{escaped(name)}]({INTEGRATION}{domain})" for domain, name in self._own.items()]
        texts = await common_texts(self.hass)
        lines = [shown(match) for match in self._matches[:_NAMED]]
        if len(self._matches) > _NAMED:
            lines.append(f"… (+{len(self._matches) - _NAMED})")
        meant, of_language = meaning(self._press), await words(self.hass)
        return self.async_show_menu(
            step_id="heard",
            menu_options=[step for step, is_offered in options.items() if is_offered],
            description_placeholders={
                "heard": texts["no_protocol"] if meant is None else of_language.meaning(meant),
                "own": Markdown(
                    texts["own_integration"].format(integrations=", ".join(own)) if own else ""
                ),
                "files": bullets(lines),
                "speaks": await self._speaks(),
            },
        )

    async_step_not_heard = async_step_heard

    async def async_step_second_state(self, _user_input: Input = None) -> SubentryFlowResult:
        """Go on with the press as the first of two that prove a protocol, if it was as asked."""
        self._claims, self._number, self._said, self._proved = {}, 0, "", None
        try:
            await self._narrow(self._press)
        except UserError:
            return await self.async_step_from_remote()
        return await self.async_step_hear_state()
