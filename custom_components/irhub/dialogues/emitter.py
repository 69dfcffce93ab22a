"""Choose infrared emitters of other integrations to transmit the commands of a device."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import override

import voluptuous as vol

from ..devices.device import Device
from ..yaml.device_schema import CONF_EMITTER
from .form import emitter_selector
from .page import Answers, DevicePage, Fields, Page, Shown


class EmitterPage(DevicePage):
    """Asks for the emitters; no choice means the hub. Appliances have this in their settings."""

    @override
    async def show(self) -> Shown:
        fields: Fields = {vol.Optional(CONF_EMITTER): emitter_selector()}
        suggested = {CONF_EMITTER: [*self.devices.sender.emitters_of(self.device)]}
        return await self.form("which_emitter", fields, suggested, device=self.label)

    @override
    async def submit(self, answers: Answers) -> Page:
        emitters = answers.get(CONF_EMITTER, ())
        await self.devices.change(self.device, partial(_transmitted_by, emitters))
        return await self.choose("finish")


def _transmitted_by(emitters: Iterable[str], device: Device) -> Device:
    return replace(device, settings=device.settings.with_emitters(emitters))
