"""Follow remote controls: a box for each device that has commands."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from .._common.markdown import Markdown, bullets
from ..devices.device import Device, packets_of
from ..errors import LISTED, IrhubError
from ..ircodes import Recognizer
from .form import common_texts, show_form
from .step import OptionsStep

_FOLLOWED: Final = "followed"


class FollowFlow(OptionsStep):
    """Chooses the devices whose remote controls are followed."""

    async def async_step_follow(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show what is followed, and which commands cannot be told apart."""
        devices, error = self._devices.by_label, None
        followed = [name for name, device in devices.items() if device.settings.events]
        if user_input is not None:
            try:
                await self._devices.follow_events(
                    device.id for name, device in devices.items() if name in user_input[_FOLLOWED]
                )
            except IrhubError as err:
                error = err
            else:
                return await self.async_step_finish()
        alike = await self.hass.async_add_executor_job(_alike, devices)
        field = SelectSelector(
            SelectSelectorConfig(
                options=[*devices],
                multiple=True,
                mode=SelectSelectorMode.LIST,
            )
        )
        return await show_form(
            self,
            "follow",
            vol.Schema({vol.Required(_FOLLOWED, default=followed): field}),
            error=error,
            placeholders={"alike": await self._told(alike)},
        )

    async def _told(self, alike: Sequence[tuple[str, list[str]]]) -> str:
        """Return the list of commands that cannot be told apart: ten, and how many more."""
        if not alike:
            return ""
        texts = await common_texts(self.hass)
        lines = [f"{device}: {_equal(names)}" for device, names in alike]
        if (more := len(lines) - LISTED) > 0:
            lines[LISTED:] = [texts["alike_more"].format(count=more)]
        return Markdown(f"{texts['alike']}\n\n{bullets(lines)}")


def _equal(names: Sequence[str]) -> str:
    """Return names that are alike: ten at most, the one first that is fired."""
    more = ["\N{HORIZONTAL ELLIPSIS}"] if len(names) > LISTED else []
    return " = ".join([*names[:LISTED], *more])


def _alike(devices: Mapping[str, Device]) -> list[tuple[str, list[str]]]:
    """Return the commands of each device that cannot be told apart."""
    return [
        (name, [device.commands[id_].name for id_ in ids])
        for name, device in devices.items()
        for ids in Recognizer(packets_of(device.commands.values())).alike()
    ]
