"""Follow remote controls: a box for each device that has commands."""

from collections.abc import Mapping, Sequence
from typing import Final, override

import voluptuous as vol

from .._common.markdown import Markdown, bullets
from ..devices.device import Device, packets_of
from ..devices.store import Devices
from ..errors import LISTED, common_texts
from ..ircodes import Recognizer
from .form import select
from .page import Answers, Fields, HubPage, Page, Shown

_FOLLOWED: Final = "followed"


class Follow(HubPage):
    """Chooses the devices whose remote controls are followed; names what cannot be told apart."""

    @override
    async def show(self) -> Shown:
        devices = followable(self.devices)
        followed = [name for name, device in devices.items() if device.settings.events]
        alike = await self.hass.async_add_executor_job(_alike, devices)
        boxes = select(devices, multiple=True, as_list=True)
        fields: Fields = {vol.Required(_FOLLOWED, default=followed): boxes}
        return await self.form("follow", fields, alike=await self._named(alike))

    @override
    async def submit(self, answers: Answers) -> Page:
        await self.devices.follow_events(
            device.id
            for name, device in followable(self.devices).items()
            if name in answers[_FOLLOWED]
        )
        return await self.choose("finish")

    async def _named(self, alike: Sequence[tuple[str, list[str]]]) -> str:
        """Return the list of commands that cannot be told apart: ten, and how many more."""
        if not alike:
            return ""
        texts = await common_texts(self.hass)
        lines = [f"{device}: {_equal(names)}" for device, names in alike]
        if (more := len(lines) - LISTED) > 0:
            lines[LISTED:] = [texts["alike_more"].format(count=more)]
        return Markdown(f"{texts['alike']}\n\n{bullets(lines)}")


def followable(devices: Devices) -> dict[str, Device]:
    """Return the devices whose presses can be events, by what they are called.

    A rule alone names no commands: its thermostat follows, in its own settings.
    """
    return {name: device for name, device in devices.by_label.items() if device.commands}


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
