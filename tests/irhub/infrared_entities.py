"""Infrared receivers and emitters of other integrations: those of core's demonstration."""

from collections.abc import Sequence

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect, async_dispatcher_send
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from custom_components.irhub.ircodes import from_timings, to_timings
from virtual_home.hub import Hearing

EMITTER = "infrared.ir_blaster_infrared_emitter"
RECEIVER = "infrared.ir_blaster_infrared_receiver"
RECEIVER_NAME = "IR Blaster Infrared Receiver"
_SIGNAL = "kitchen_sink_infrared_command_signal"


class Blaster:
    """The emitter and the receiver of core's demonstration. The receiver receives the emitter."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.heard: list[bytes] = []
        """Timings transmitted by the emitter, and those of presses."""
        self.near: list[Hearing] = []
        """Further receivers of these signals."""
        self._entry = MockConfigEntry(domain="kitchen_sink")
        self._entry.add_to_hass(hass)
        async_dispatcher_connect(hass, _SIGNAL, self._received)

    @callback
    def _received(self, timings: list[int]) -> None:
        packet = from_timings(timings)
        self.heard.append(packet)
        for hearing in self.near:
            hearing.press(packet)

    async def begin(self) -> None:
        """Add the entities."""
        assert await self.hass.config_entries.async_setup(self._entry.entry_id)
        await self.hass.async_block_till_done()

    async def end(self) -> None:
        """Make the entities unavailable."""
        assert await self.hass.config_entries.async_unload(self._entry.entry_id)
        await self.hass.async_block_till_done()

    async def remove(self) -> None:
        """Remove the entities."""
        await self.hass.config_entries.async_remove(self._entry.entry_id)
        await self.hass.async_block_till_done()

    def press(self, signal: bytes | Sequence[int]) -> None:
        """Press a button of a remote control in front of the receiver."""
        timings = to_timings(signal) if isinstance(signal, bytes) else [*signal]
        async_dispatcher_send(self.hass, _SIGNAL, timings)
