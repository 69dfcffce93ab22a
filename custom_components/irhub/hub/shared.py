"""What the hubs of a house share."""

from homeassistant.core import HomeAssistant

from .delivery import Delivery
from .emitters import Emitters
from .receivers import Receivers
from .recent_signals import RecentSignals


class SharedComponents:
    """What is in the air, what receives it, and what else transmits."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.recent_signals = RecentSignals(hass.loop)
        """What all send and hear."""
        self.receivers = Receivers(hass)
        self.emitters = Emitters(hass, self.recent_signals)
        """What transmits for a device in place of its hub."""
        self.delivery = Delivery(hass, self.recent_signals, self.receivers)
        """Whether what is transmitted is heard."""
