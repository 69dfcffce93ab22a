"""Shows what the radio receiver of the garage hears: core has nothing yet that listens to one."""

from homeassistant.components import radio_frequency
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.start import async_at_started
from homeassistant.helpers.typing import ConfigType

RECEIVER = "radio_frequency.garage_receiver"


async def async_setup(hass: HomeAssistant, _config: ConfigType) -> bool:
    """Listen from the start to the end."""

    @callback
    def heard(signal: radio_frequency.RadioFrequencyReceivedSignal) -> None:  # type: ignore[name-defined]  # since 2026.11
        attributes = {"timings": signal.timings, "frequency": signal.frequency}
        hass.states.async_set("radio_listener.heard", "heard", attributes)

    @callback
    def listen(_hass: HomeAssistant) -> None:
        radio_frequency.async_subscribe_receiver(hass, RECEIVER, heard)  # type: ignore[attr-defined]  # since 2026.11

    async_at_started(hass, listen)
    return True
