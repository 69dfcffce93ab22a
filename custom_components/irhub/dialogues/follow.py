"""Events of remote controls: which devices have them, and which commands are indistinguishable."""

from collections.abc import Mapping, Sequence
from typing import Final, override

from homeassistant.core import HomeAssistant
import voluptuous as vol

from .._common.markdown import Markdown, bullets
from ..devices.device import Device, packets_of
from ..devices.store import Devices
from ..errors import LISTED, common_texts
from ..ircodes import Recognizer
from .form import select
from .page import Answers, Fields, HubPage, Page, Shown

_FOLLOWED: Final = "followed"


class FollowPage(HubPage):
    """Asks which devices get events, among those that are not appliances."""

    @override
    async def show(self) -> Shown:
        devices = followable(self.devices)
        followed = [name for name, device in devices.items() if device.settings.events]
        boxes = select(devices, multiple=True, as_list=True)
        fields: Fields = {vol.Required(_FOLLOWED, default=followed): boxes}
        return await self.form("follow", fields, alike=await async_alike(self.hass, devices))

    @override
    async def submit(self, answers: Answers) -> Page:
        offered = followable(self.devices)
        chosen = [device.id for name, device in offered.items() if name in answers[_FOLLOWED]]
        others = [
            device.id
            for device in self.devices.values()
            if device.settings.events and device not in offered.values()
        ]
        await self.devices.follow_events([*chosen, *others])
        return await self.choose("finish")


def followable(devices: Devices) -> dict[str, Device]:
    """Return the devices, except appliances, that can have events: label → device."""
    return {name: device for name, device in plain_devices(devices).items() if device.commands}


def plain_devices(devices: Devices) -> dict[str, Device]:
    """Return the devices that are not appliances: label → device.

    Appliances have all their settings on a page of their own.
    """
    return {name: device for name, device in devices.by_label.items() if device.entity is None}


async def async_alike(hass: HomeAssistant, devices: Mapping[str, Device]) -> str:
    """Return a list of indistinguishable commands: the first ten, and the number of others."""
    if not (alike := await hass.async_add_executor_job(_alike, devices)):
        return ""
    texts = await common_texts(hass)
    lines = [f"{device}: {_equal(names)}" for device, names in alike]
    if (more := len(lines) - LISTED) > 0:
        lines[LISTED:] = [texts["alike_more"].format(count=more)]
    return Markdown(f"{texts['alike']}\n\n{bullets(lines)}")


def _equal(names: Sequence[str]) -> str:
    """Return the names of indistinguishable commands, at most ten; the first is the one fired."""
    more = ["\N{HORIZONTAL ELLIPSIS}"] if len(names) > LISTED else []
    return " = ".join([*names[:LISTED], *more])


def _alike(devices: Mapping[str, Device]) -> list[tuple[str, list[str]]]:
    """Return pairs of a device's label and names of commands that are indistinguishable."""
    return [
        (name, [device.commands[id_].name for id_ in ids])
        for name, device in devices.items()
        for ids in Recognizer(packets_of(device.commands.values())).alike()
    ]
