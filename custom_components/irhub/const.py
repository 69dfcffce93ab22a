"""Constants that several modules use."""

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
"""Platforms of a hub, set up by a config entry or by YAML with `platform: irhub`."""
WITHOUT_HUB: Final = (Platform.BUTTON, Platform.EVENT, Platform.REMOTE, Platform.SENSOR)
"""Platforms of PLATFORMS that a home without a hub has."""
APPLIANCE: Final = "appliance"
"""The type of the subentries."""
APPLIANCES: Final = (
    Platform.CLIMATE,
    Platform.COVER,
    Platform.FAN,
    Platform.LIGHT,
    Platform.MEDIA_PLAYER,
)
"""Platforms of a hub's appliances; both YAML and the config entry may set them up."""
OF_APPLIANCES: Final = (Platform.SCENE,)
"""Further platforms for the appliances of a config entry."""

CONF_ALIAS: Final = "alias"
"""Key in the data of a new subentry: an alias of its entity for voice assistants."""
CONF_COLLECTION: Final = "collection"
"""Location of the code files of the shipped index: a URL, a folder or a zip file."""
CONF_EMITTERS: Final = "emitters"
"""Name of a device → infrared emitter entities that transmit its commands."""
CONF_DEFAULT_EMITTERS: Final = "default_emitters"
"""Without a hub: emitters for devices that have none of their own."""
CONF_FOLLOWED: Final = "followed"
"""Key in the options of 0.3.0: devices whose remote controls are followed."""
CONF_FREQUENCY: Final = "frequency"
CONF_LISTEN_FOR_OTHERS: Final = "listen_for_others"
CONF_MIN_GAP: Final = "min_gap"
CONF_RECEIVERS: Final = "receivers"
"""Receivers for the remote controls of a hub's devices."""

FREQUENCIES_MHZ: Final = (100, 1000)
"""Lowest and highest frequency of radio remote controls."""

DEFAULT_PORT: Final = 80
DEFAULT_MIN_GAP_S: Final = 0.1
DEFAULT_TIMEOUT_S: Final = 5
"""Default timeout of platforms that only send; polling platforms have their own."""
