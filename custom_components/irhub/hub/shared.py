"""Objects that all hubs of this Home Assistant share."""

from homeassistant.core import HomeAssistant

from .delivery import Delivery
from .emitters import Emitters
from .receivers import Receivers
from .recent_signals import RecentSignals


class SharedComponents:
    """The recent signals, the receivers, the emitters, and the detection of delivery."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.recent_signals = RecentSignals(hass.loop)
        self.receivers = Receivers(hass)
        self.emitters = Emitters(hass, self.recent_signals)
        """Transmits through Home Assistant's emitters in place of a hub."""
        self.delivery = Delivery(hass, self.recent_signals, self.receivers)
        """Determines whether transmissions are received."""
