"""The transceiver of a home without a hub: Home Assistant's infrared emitters and receivers."""

import asyncio
from collections.abc import Sequence
from typing import Final, override

from homeassistant.const import ATTR_DEVICE_CLASS, STATE_UNAVAILABLE
from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.helpers.event import TrackStates, async_track_state_change_filtered

from ..errors import HubClosedError, UserError, list_names
from ..ircodes.packet import kind
from ..settings import EmitterId, WithoutHubSettings
from .entity_receiver import INFRARED_DOMAIN
from .library import Capability
from .packets import DeferredPacket, packet_of
from .recent_signals import Emission
from .reception import Reception
from .shared import SharedComponents
from .transceiver import Transceiver

_CAPABILITIES: Final = frozenset({str(Capability.TRANSMIT)})
"""LEARN is missing, since it has no receiver of its own and uses those of Home Assistant."""


@callback
def async_emitter_entities(hass: HomeAssistant) -> list[str]:
    """Return the ids of all infrared emitters, including unavailable ones."""
    return sorted(
        state.entity_id
        for state in hass.states.async_all(INFRARED_DOMAIN)
        if state.attributes.get(ATTR_DEVICE_CLASS) == "emitter"
    )


class WithoutHub(Transceiver):
    """Transmits through the emitters of its settings, or through the only existing one.

    A device with emitters of its own uses these instead. Receives with the receivers of its
    settings, or with all.
    """

    def __init__(
        self, hass: HomeAssistant, settings: WithoutHubSettings, shared: SharedComponents
    ) -> None:
        self.hass = hass
        self.recent_signals = shared.recent_signals
        self.emitters = shared.emitters
        self.delivery = shared.delivery
        self.reception = Reception(shared.receivers, None, settings.label)
        self.reception.async_choose(settings.receivers)
        self.capabilities = _CAPABILITIES
        self.silences = 0
        self._settings = settings
        self._closing = asyncio.Event()

    @property
    @override
    def settings(self) -> WithoutHubSettings:
        return self._settings

    @property
    @override
    def label(self) -> str:
        return self._settings.label

    @property
    @override
    def available(self) -> bool:
        """Return whether any emitter or receiver is available."""
        return any(
            state.state != STATE_UNAVAILABLE
            for state in self.hass.states.async_all(INFRARED_DOMAIN)
        )

    @property
    @override
    def emitter_ids(self) -> Sequence[EmitterId]:
        return self._settings.emitters or async_emitter_entities(self.hass)

    @override
    def can(self, capability: Capability) -> bool:
        return capability in _CAPABILITIES

    @callback
    @override
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        was_available = self.available

        @callback
        def changed(_event: Event[EventStateChangedData]) -> None:
            nonlocal was_available
            if self.available is not was_available:
                was_available = not was_available
                listener()

        tracked = TrackStates(all_states=False, entities=set(), domains={INFRARED_DOMAIN})
        return async_track_state_change_filtered(self.hass, tracked, changed).async_remove

    @callback
    @override
    def async_when_known(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        listener()
        return _nothing

    @override
    async def transmit(
        self, packets: Sequence[bytes | DeferredPacket], caller: str | None = None
    ) -> Sequence[Emission]:
        """Transmit packets in order, and return their emissions.

        Raise UserError for a radio packet, if there is no emitter, or if there are several and none
        is chosen; EmitterFailedError if all emitters fail.
        """
        if any(kind(packet_of(item)) == "rf" for item in packets):
            raise UserError("radio_needs_hub")
        return await self.emitters.transmit(
            self._chosen_emitters, packets, gap_s=self._settings.min_gap, pause=self.pause
        )

    @property
    def _chosen_emitters(self) -> Sequence[str]:
        if chosen := self._settings.emitters:
            return chosen
        match async_emitter_entities(self.hass):
            case []:
                raise UserError("no_emitter_yet")
            case [only]:
                return [only]
            case several:
                raise UserError("several_emitters", emitters=list_names(several))

    @override
    async def pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return
        raise HubClosedError("receiver_closed", receiver=self.label)

    async def close(self) -> None:
        """End learning. Waiting calls raise HubClosedError."""
        self._closing.set()
        await self.reception.close()


@callback
def _nothing() -> None:
    """Do nothing; the unsubscribe function where there is no subscription."""
