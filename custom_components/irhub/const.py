"""Names and numbers that more than one module needs."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "irhub"
PLATFORMS: Final = (
    Platform.BUTTON,
    Platform.INFRARED,
    Platform.RADIO_FREQUENCY,
    Platform.REMOTE,
    Platform.SENSOR,
    Platform.SWITCH,
)
"""What a hub may have entities of: by a config entry, or by YAML with `platform: irhub`."""

CONF_DEVICE_INFO: Final = "device_info"
"""In what a config entry says to a platform: the device that its entities are of."""
CONF_FREQUENCY: Final = "frequency"
CONF_MIN_GAP: Final = "min_gap"

FREQUENCIES_MHZ: Final = (100, 1000)
"""Of radio remote controls, lowest and highest."""

DEFAULT_PORT: Final = 80
DEFAULT_MIN_GAP_S: Final = 0.1
DEFAULT_TIMEOUT_S: Final = 5
"""Of what only sends; what is polled has its own."""
