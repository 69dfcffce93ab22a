"""Hubs as receivers of core's radio frequency platform, which has receivers since 2026.11."""

from collections.abc import Callable
from typing import override

from homeassistant.components.radio_frequency import (  # type: ignore[attr-defined]
    RadioFrequencyReceivedSignal,
    RadioFrequencyReceiverEntity,
)
from homeassistant.core import CALLBACK_TYPE, callback

from ..hub.arming import Tuned
from ..hub.library import Capability
from ..ircodes import to_timings
from .entity import ReceiverEntity
from .use import Use


class RadioReceiver(ReceiverEntity, RadioFrequencyReceiverEntity):  # type: ignore[misc]
    """A hub that receives radio on one frequency for other integrations."""

    _capability = Capability.RADIO

    def __init__(self, use: Use, frequency: float) -> None:
        super().__init__(use)
        self._tuned = Tuned(frequency=frequency)
        self._frequency_hz = round(frequency * 1e6)

    @property
    @override
    def supported_frequency_ranges(self) -> list[tuple[int, int]]:
        """Return the frequency of the receiver in Hz, as a range."""
        return [(self._frequency_hz, self._frequency_hz)]

    @override
    @callback
    def async_subscribe_received_signal(
        self, signal_callback: Callable[[RadioFrequencyReceivedSignal], None]
    ) -> CALLBACK_TYPE:
        """Call `signal_callback` for every received signal. Return a function that unsubscribes."""
        return self._subscribed(super().async_subscribe_received_signal(signal_callback))

    @override
    def _handle_packet(self, packet: bytes) -> None:
        self._handle_received_signal(
            RadioFrequencyReceivedSignal(to_timings(packet), frequency=self._frequency_hz)
        )
