"""Names and numbers that more than one module needs."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "irhub"
PLATFORMS: Final = (
    Platform.BUTTON,
    Platform.EVENT,
    Platform.INFRARED,
    Platform.RADIO_FREQUENCY,
    Platform.REMOTE,
    Platform.SENSOR,
    Platform.SWITCH,
)
"""What a hub may have entities of: by a config entry, or by YAML with `platform: irhub`."""
WITHOUT_HUB: Final = (Platform.BUTTON, Platform.EVENT, Platform.REMOTE, Platform.SENSOR)
"""Those of them that a home without a hub has."""
APPLIANCE: Final = "appliance"
"""The type of the subentries."""
APPLIANCES: Final = (
    Platform.CLIMATE,
    Platform.COVER,
    Platform.FAN,
    Platform.LIGHT,
    Platform.MEDIA_PLAYER,
)
"""What a hub's appliances are; those of YAML stand beside those of its config entry."""
OF_APPLIANCES: Final = (Platform.SCENE,)
"""What the appliances of a config entry have besides."""

CONF_ALIAS: Final = "alias"
"""In the data of a new subentry: what its entity is called besides, by voice."""
CONF_COLLECTION: Final = "collection"
"""Where the user has the code files of the shipped index: an address, a folder or a zip."""
CONF_EMITTERS: Final = "emitters"
"""Device → the infrared emitters of Home Assistant's that transmit its commands."""
CONF_DEFAULT_EMITTERS: Final = "default_emitters"
"""Without a hub: what transmits for devices that name no emitters."""
CONF_FOLLOWED: Final = "followed"
"""In the options of 0.3.0: the learned devices whose remote controls are followed."""
CONF_FREQUENCY: Final = "frequency"
CONF_LISTEN_FOR_OTHERS: Final = "listen_for_others"
CONF_MIN_GAP: Final = "min_gap"
CONF_RECEIVERS: Final = "receivers"
"""What receives the remote controls of a hub's devices."""

FREQUENCIES_MHZ: Final = (100, 1000)
"""Of radio remote controls, lowest and highest."""

DEFAULT_PORT: Final = 80
DEFAULT_MIN_GAP_S: Final = 0.1
DEFAULT_TIMEOUT_S: Final = 5
"""Of what only sends; what is polled has its own."""
