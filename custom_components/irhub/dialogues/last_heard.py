"""Show what a hub heard last; keep a press as a command."""

from collections.abc import Sequence
from typing import Any, Final, override

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import CONF_COMMAND, CONF_DEVICE
from homeassistant.core import CALLBACK_TYPE, callback
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
)
from homeassistant.util import dt as dt_util
import voluptuous as vol

from .._common.markdown import bullets
from ..entities.heard import HeardPress, async_heard
from ..errors import IrhubError, UserError
from ..hub.ear import INFRARED, Captured, Tuned
from ..hub.library import Capability
from ..ircodes import carrier_mhz, learned
from .form import show_form
from .learn import describe_heard
from .step import OptionsStep

_PRESS: Final = "press"


class LastHeardFlow(OptionsStep):
    """Shows the last presses. The hub listens while the dialogue is open."""

    _presses_heard: Sequence[HeardPress] = ()
    """What is shown; the newest is the first."""
    _kept_as: Sequence[str] = ()
    """Names of device and command."""
    _ends_listening: Sequence[CALLBACK_TYPE] = ()

    async def async_step_last_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the presses of now."""
        self._listen_meanwhile()
        self._presses_heard = await async_heard(self.hass, self._entry.runtime_data)
        return self.async_show_menu(
            step_id="last_heard",
            menu_options=[
                "last_heard",
                *(["keep_heard"] if self._presses_heard else []),
                "init",
            ],
            description_placeholders={"heard": bullets(map(_text, self._presses_heard))},
        )

    async def async_step_keep_heard(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Store a press under a name that is free."""
        error: IrhubError | None = None
        if user_input is not None:
            chosen = user_input.get(_PRESS)
            names = [user_input.get(key, "").strip() for key in (CONF_DEVICE, CONF_COMMAND)]
            if chosen is None and not any(names):
                return await self.async_step_last_heard()
            try:
                await self._keep(chosen, *names)
            except IrhubError as err:
                error = err
            else:
                self._kept_as = names
                return await self.async_step_kept_heard()
        presses = [
            SelectOptionDict(value=str(number), label=_text(each))
            for number, each in enumerate(self._presses_heard)
        ]
        fields: dict[vol.Marker, object] = {
            vol.Optional(_PRESS): SelectSelector(SelectSelectorConfig(options=presses)),
            vol.Optional(CONF_DEVICE): self._device_selector(),
            vol.Optional(CONF_COMMAND): TextSelector(),
        }
        return await show_form(self, "keep_heard", vol.Schema(fields), user_input, error=error)

    async def async_step_kept_heard(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that it is kept."""
        device, command = self._kept_as
        return self._show_done("kept_heard", again="last_heard", device=device, command=command)

    async def _keep(self, chosen: str | None, device: str, command: str) -> None:
        if chosen is None:
            raise UserError("no_press_chosen")
        if not device or not command:
            raise UserError("empty_name")
        there = self._devices.known(device)
        if there is not None and there.named(command) is not None:
            raise UserError("name_taken", device=device, command=command)
        packet = self._presses_heard[int(chosen)].press.packet
        await self._devices.store({device: {command: learned([packet])}})

    def _listen_meanwhile(self) -> None:
        if self._ends_listening:
            return
        hub, frequency = self._hub, self._entry.runtime_data.options.frequency
        wanted = [INFRARED]
        if frequency is not None and hub.can(Capability.RADIO):
            wanted.append(Tuned(frequency=frequency))
        self._ends_listening = [
            hub.ear.async_subscribe(tuned, lambda _packet: None, listener=self._entry.title)
            for tuned in wanted
        ]

    @callback
    @override
    def async_remove(self) -> None:
        """Listen no more: the dialogue is closed."""
        for end in self._ends_listening:
            end()
        super().async_remove()


def _text(heard: HeardPress) -> str:
    """Say when what was heard, in words that are the same in every language."""
    press = heard.press
    captured = Captured(packet=press.packet, frequency=carrier_mhz(press.packet))
    parts = [f"{dt_util.as_local(press.at):%H:%M:%S}"]
    parts.append(", ".join(f"{device}: {command}" for device, command in heard.commands) or "?")
    parts.append(describe_heard(captured))
    if press.times > 1:
        parts.append(f"{press.times} x")
    return " · ".join(parts)
