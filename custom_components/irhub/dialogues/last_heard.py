"""Show the presses that a hub has received last; save one as a command."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, override

from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .._common.markdown import bullets
from ..entities.recent_presses import RecognizedPress, async_recent_presses
from ..errors import UserError
from ..hub.arming import INFRARED, Tuned
from ..hub.learning import Captured
from ..hub.library import Capability
from ..hub.transceiver import Transceiver
from ..ircodes.packet import carrier_mhz
from ..ircodes.protocols import learned
from .form import select
from .known import describe_readings
from .learn import describe_capture
from .page import Answers, Fields, HubPage, MenuPage, Page, Shown, names_in, option
from .words import Words, async_words

_PRESS: Final = "press"


@dataclass(repr=False)
class LastHeardPage(HubPage):
    """Shows the last presses. The hub listens while the page is open."""

    _unsubscribers: list[CALLBACK_TYPE] = field(default_factory=list, init=False)

    @override
    async def enter(self) -> None:
        hub, frequency = self.hub, self.entry.runtime_data.options.frequency
        tuned = [INFRARED]
        if frequency is not None and hub.can(Capability.RADIO):
            tuned.append(Tuned(frequency=frequency))
        self._unsubscribers = [
            hub.reception.async_subscribe(tuning, _ignore, listener=self.entry.title)
            for tuning in tuned
        ]

    @override
    async def leave(self) -> None:
        self.close()
        await super().leave()

    @callback
    @override
    def close(self) -> None:
        while self._unsubscribers:
            self._unsubscribers.pop()()

    @override
    async def show(self) -> Shown:
        presses = await async_recent_presses(self.hass, self.entry.runtime_data)
        options = ["last_heard", *(["keep_heard"] if presses else []), "init"]
        words = await async_words(self.hass)
        heard = bullets(_text(press, self.hub, words) for press in presses)
        return self.menu("last_heard", options, heard=heard)

    @option
    async def last_heard(self) -> Page:
        """Refresh the page."""
        return self

    @option
    async def keep_heard(self) -> Page:
        """Save one of the presses."""
        return SavePressPage(self, await async_recent_presses(self.hass, self.entry.runtime_data))


@dataclass(repr=False)
class SavePressPage(HubPage):
    """Saves a press under an unused name."""

    presses: Sequence[RecognizedPress]
    """Newest first."""

    @override
    async def show(self) -> Shown:
        words = await async_words(self.hass)
        presses = {
            str(number): _text(press, self.hub, words) for number, press in enumerate(self.presses)
        }
        fields: Fields = {
            vol.Optional(_PRESS): select(presses, as_list=True, label_of=presses.__getitem__),
            **self.name_fields(),
        }
        return await self.form("keep_heard", fields)

    @override
    async def submit(self, answers: Answers) -> Page:
        number = answers.get(_PRESS)
        device, command = names_in(answers)
        if number is None and not device and not command:
            return await self.choose("last_heard")
        if number is None:
            raise UserError("no_press_chosen")
        if not device or not command:
            raise UserError("empty_name")
        existing = self.devices.known(device)
        if existing is not None and existing.named(command) is not None:
            raise UserError("name_taken", device=device, command=command)
        packet = self.presses[int(number)].press.packet
        await self.devices.store({device: {command: learned([packet])}})
        texts = {"device": device, "command": command}
        return MenuPage(self, "kept_heard", ["last_heard", "init", "finish"], texts)


def _ignore(_receiver: object, _packet: bytes) -> None:
    """Do nothing: receivers keep the last presses themselves."""


def _text(recognized: RecognizedPress, hub: Transceiver, words: Words) -> str:
    """Return a text with the time and content of a press."""
    press = recognized.press
    captured = Captured(packet=press.packet, frequency=carrier_mhz(press.packet))
    parts = [f"{dt_util.as_local(press.at):%H:%M:%S}"]
    names = [f"{device}: {command}" for device, command in recognized.commands]
    names += [f"{device}: {words.state(state)}" for device, state in recognized.states]
    parts.append("; ".join(names) or "?")
    parts.append(describe_capture(captured))
    if recognized.known is not None:
        parts += describe_readings([recognized.known], words)
    if press.times > 1:
        parts.append(f"{press.times} x")
    if press.receivers != (hub.label,):
        parts.append(", ".join(press.receivers))
    return " · ".join(parts)
