"""Pages that others lead to: which device is meant, and what has been done."""

from collections.abc import Callable
from typing import override

from homeassistant.const import CONF_DEVICE
import voluptuous as vol

from ..devices.device import Device
from .page import Answers, HubPage, Page, Shown


class ChooseDevice(HubPage):
    """Lets a device be chosen, unless there is only one.

    The field is optional: the frontend fills required ones with the first choice. Without a
    choice it leads back.
    """

    steps = ("try_command", "rename", "delete", "emitter")

    def __init__(
        self, before: Page, step: str, then: Callable[[ChooseDevice, Device], Page]
    ) -> None:
        super().__init__(before)
        self._overview = before
        self._step = step
        self._then = then

    @override
    async def show(self) -> Shown | Page:
        if len(devices := self.devices) == 1:
            [device] = devices.values()
            return self._then(self, device)
        return await self.form(self._step, {vol.Optional(CONF_DEVICE): self.device_selector()})

    @override
    async def submit(self, answers: Answers) -> Page:
        if (name := answers.get(CONF_DEVICE)) is None:
            return self._overview
        return self._then(self, self.devices.named(name))

    @property
    def again(self) -> Page:
        """Return where a page without a choice leads back to."""
        return self if len(self.devices) > 1 else self._overview


class Done(Page):
    """Says that something is done, and offers to do it again, or something else."""

    steps = ("kept", "renamed", "deleted", "restored", "undone", "imported", "kept_heard")

    def __init__(self, before: Page, step: str, again: Callable[[], str], **texts: str) -> None:
        super().__init__(before)
        self._step = step
        self._again = again
        self._texts = texts

    @override
    async def show(self) -> Shown:
        return self.menu(self._step, [self._again(), "init", "finish"], **self._texts)
