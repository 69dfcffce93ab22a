"""Names and numbers that more than one module needs."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "irhub"
PLATFORMS: Final = (
    Platform.INFRARED,
    Platform.RADIO_FREQUENCY,
    Platform.REMOTE,
    Platform.SENSOR,
    Platform.SWITCH,
)
"""The domains whose YAML may carry `platform: irhub`."""

CONF_MIN_GAP: Final = "min_gap"

DEFAULT_PORT: Final = 80
DEFAULT_MIN_GAP_S: Final = 0.1
DEFAULT_TIMEOUT_S: Final = 5
"""Of what only sends; what is polled has its own."""
