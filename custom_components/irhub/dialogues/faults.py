"""Say what in a code file contradicts the rest of it, or is missing; mend it if that is wanted."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, override

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import BooleanSelector
import voluptuous as vol

from .._common.markdown import Markdown, escaped
from ..devices.device import Command, Device
from ..errors import common_texts
from ..ircodes import Faults, State, find_faults
from .appliance_step import ApplianceStep, Input, Then
from .words import words

CONF_FILL: Final = "fill"
CONF_MEND: Final = "mend"
_NONE: Final = Faults(contradicting={}, missing={})
_SHOWN: Final = 20


class FaultsFlow(ApplianceStep):
    """Finds what the states of a file say of each other."""

    _faults = _NONE

    async def _look_for_faults(self, device: Device) -> None:
        """Note what is wrong in the states of a file, for the device's page."""
        table = {
            command.state: command.packets[0]
            for command in device.commands.values()
            if command.state is not None and command.packets
        }
        self._faults = await self.hass.async_add_executor_job(find_faults, table)
        texts = await common_texts(self.hass)
        lines = [
            texts[key].format(count=len(states), total=len(table), states=await self._named(states))
            for key, states in (
                ("contradicting", self._faults.contradicting),
                ("missing_states", self._faults.missing),
            )
            if states
        ]
        lines = [*([self._note] if self._note else []), *lines]
        self._note = Markdown("\n\n".join(map(escaped, lines)))

    @property
    @override
    def _then(self) -> Then:
        if self._faults == _NONE:
            return super()._then
        return {**super()._then, "faults": self.async_step_faults}

    async def async_step_faults(self, user_input: Input = None) -> SubentryFlowResult:
        """Ask whether what the rule of the other states says is taken."""
        faults = self._faults
        offered = {state: packet for state, packet in faults.contradicting.items() if packet}
        others = dict.fromkeys(state for state in faults.contradicting if state not in offered)
        if user_input is not None:
            if user_input.get(CONF_MEND):
                self._draft = _mended(self._draft, offered)
                self._faults = replace(self._faults, contradicting=others)
            if user_input.get(CONF_FILL):
                self._draft = _filled(self._draft, faults.missing)
                self._faults = replace(self._faults, missing={})
            return await self.async_step_ready()
        fields: dict[vol.Marker, object] = {}
        if offered:
            fields[vol.Required(CONF_MEND, default=False)] = BooleanSelector()
        if faults.missing:
            fields[vol.Required(CONF_FILL, default=False)] = BooleanSelector()
        return await self._form(
            "faults",
            fields,
            placeholders={
                "contradicting": await self._named(offered),
                "others": await self._named(others),
                "missing": await self._named(faults.missing),
            },
        )

    async def _named(self, states: Collection[State]) -> str:
        of_language = await words(self.hass)
        more = len(states) - _SHOWN
        named = [of_language.state(state) for state in [*states][:_SHOWN]]
        return "; ".join([*named, *([f"… {more}"] if more > 0 else [])]) or "\N{EN DASH}"


def _mended(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device whose states are sent as the rule says."""
    commands = {
        id_: command
        if command.state is None or (packet := packets.get(command.state)) is None
        else replace(command, packets=(packet,))
        for id_, command in device.commands.items()
    }
    return replace(device, commands=commands)


def _filled(device: Device, packets: Mapping[State, bytes]) -> Device:
    """Return a device with more states."""
    return device.with_commands(
        *(
            Command(id=state.label, name=state.label, packets=(packet,), state=state)
            for state, packet in packets.items()
        )
    )
