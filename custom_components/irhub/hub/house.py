"""What the hubs of a house share."""

from homeassistant.core import HomeAssistant

from .air import Air
from .delivery import Delivery
from .emitters import Emitters
from .receivers import Receivers


class House:
    """What is in the air, what receives it, and what else transmits."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.air = Air(hass.loop)
        """What all send and hear."""
        self.receivers = Receivers(hass)
        self.emitters = Emitters(hass, self.air)
        """What transmits for a device in place of its hub."""
        self.delivery = Delivery(hass, self.air, self.receivers)
        """Whether what is transmitted is heard."""
