"""Choose a device."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import override

from homeassistant.const import CONF_DEVICE
import voluptuous as vol

from ..devices.device import Device
from ..devices.store import Devices
from .form import select
from .page import Answers, HubPage, Page, Shown


@dataclass(repr=False)
class ChooseDevicePage(HubPage):
    """Asks for a device, unless there is only one.

    The field is optional, since the frontend preselects the first option of a required one. No
    choice leads back to the page before.
    """

    before: Page
    step: str
    make_page: Callable[[ChooseDevicePage, Device], Page]
    devices_of: Callable[[Devices], Mapping[str, Device]] = attrgetter("by_label")
    """Returns the devices to choose from: label → device."""

    @override
    async def show(self) -> Shown | Page:
        if len(devices := self.devices_of(self.devices)) == 1:
            [device] = devices.values()
            return self.make_page(self, device)
        return await self.form(self.step, {vol.Optional(CONF_DEVICE): select(devices, custom=True)})

    @override
    async def submit(self, answers: Answers) -> Page:
        if (name := answers.get(CONF_DEVICE)) is None:
            return self.before
        return self.make_page(self, self.devices.named(name))

    @property
    def page_without_choice(self) -> Page:
        """Return the page to go back to when nothing is chosen on a later page."""
        return self if len(self.devices_of(self.devices)) > 1 else self.before
