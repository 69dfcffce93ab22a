"""Device types: their names in YAML, and the stored type of each MAC address.

The type is stored so that the capabilities of a device are known even if it is offline when Home
Assistant starts.
"""

from contextlib import suppress
import logging
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store

from ..const import DOMAIN
from ..errors import list_names
from ..settings import Mac
from .library import (
    HubDevice,
    capabilities,
    capabilities_of_type,
    is_known,
    nearest_type,
    same_class,
)

_LOGGER = logging.getLogger(__package__)

_CORES_TYPES: Final = {"BG1", "HYS", "LB1", "LB2"}
"""Types that Home Assistant's own integration supports and irhub does not."""
_INSTEAD: Final = (
    "Home Assistant's own Broadlink integration serves it: Settings → Devices & services →"
    " Add integration"
)
_NOTHING_INSTEAD: Final = "Home Assistant has nothing for it; use the vendor's app"

TYPE_NAMES: Final = {
    "rm": 0x2712,
    "rm2": 0x2712,
    "rm_mini": 0x2737,
    "rm_pro_phicomm": 0x273D,
    "rm2_home_plus": 0x2783,
    "rm2_home_plus_gdt": 0x277C,
    "rm2_pro_plus": 0x272A,
    "rm2_pro_plus2": 0x2787,
    "rm2_pro_plus_bl": 0x278B,
    "rm_mini_shate": 0x278F,
    "sp1": 0x0000,
    "sp2": 0x2711,
    "honeywell_sp2": 0x2719,
    "sp3": 0x753E,
    "spmini2": 0x2728,
    "spminiplus": 0x2736,
    "mp1": 0x4EB5,
    # Added by core until 0.114; the new RM mini 3 ("bean") frames its packets like an RM4.
    "rm_mini3_newblackbean": 0x5F36,
    "rm_mini3_redbean": 0x5F36,
    "rm4_mini": 0x51DA,
    "rm4c_mini": 0x6070,
    "rm4_pro": 0x6026,
    "rm4c_pro": 0x6184,
    "a1": 0x2714,
    # Added by irhub.
    "sp4": 0x756C,
    "sp4b": 0x5115,
}
"""The names that `type:` accepts. An SC1 is configured as `sp2`.

They apply until the device answers; then its own type decides, since newer hardware is sold under
older names (the `sp3` of this list is an SP mini 3, a true SP3 has a night light).
"""


def devtype_of(value: object) -> int:
    """Return the device type for a name or a number (25755, "0x649b").

    Raise ValueError if it is neither a name nor a type that the library knows.
    """
    devtype: int | None = None
    if isinstance(value, str):
        text = value.strip().lower()
        if (devtype := TYPE_NAMES.get(text)) is None:
            with suppress(ValueError):
                devtype = int(text, 0)
    elif isinstance(value, int) and not isinstance(value, bool):
        devtype = value
    if devtype is None:
        raise ValueError(
            f"{value!r} is not one of {', '.join(TYPE_NAMES)}, nor a number like 0x649b"
        )
    if not capabilities_of_type(devtype):
        raise ValueError(
            f"{devtype:#06x} is no device type that irhub knows; give that of a device which"
            f" works alike, or one of {', '.join(TYPE_NAMES)}"
        )
    return devtype


def _type_to_try(devtype: int) -> str:
    """Return the `type:` to suggest for an unknown device type: that of the nearest number."""
    neighbour = nearest_type(devtype)
    for name, named_type in TYPE_NAMES.items():
        if same_class(named_type, neighbour):
            return name
    return f"{neighbour:#06x}"


def warn_if_useless(device: HubDevice, label: str) -> None:
    """Log a warning with a remedy if a device is not supported."""
    if not is_known(device):
        _LOGGER.warning(
            "The device at %s has the unknown type 0x%04x and is not used; tell irhub with"
            " the key type which device it works like, and try type: %s first",
            label,
            device.devtype,
            _type_to_try(device.devtype),
        )
    elif not capabilities(device):
        _LOGGER.warning(
            "The device at %s is a %s %s (type 0x%04x): irhub serves hubs, plugs, strips and"
            " sensors. %s",
            label,
            device.manufacturer,
            device.model,
            device.devtype,
            _INSTEAD if device.TYPE in _CORES_TYPES else _NOTHING_INSTEAD,
        )


STORAGE_VERSION = 1
STORAGE_KEY = f"{DOMAIN}.device_types"


class DeviceTypes:
    """Stored device types: MAC address (twelve hex digits) → device type of the last hello."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._store = Store[dict[str, object]](hass, STORAGE_VERSION, STORAGE_KEY)
        self._types: dict[str, int] = {}
        self._unknown: dict[str, object] = {}
        """Stored values that are no device type. They are kept in the file."""

    async def load(self) -> None:
        """Load the types of earlier runs; if they cannot be read, devices report them again."""
        try:
            stored: object = await self._store.async_load()
        except (HomeAssistantError, OSError, LookupError, TypeError) as err:
            _LOGGER.warning("%s could not be read and starts empty: %r", STORAGE_KEY, err)
            return
        if stored is None:
            return
        if not isinstance(stored, dict):
            reason = f"expected an object, not {type(stored).__name__}"
            _LOGGER.warning("%s could not be read and starts empty: %s", STORAGE_KEY, reason)
            return
        for mac, devtype in stored.items():
            if isinstance(devtype, int) and not isinstance(devtype, bool):
                self._types[mac] = devtype
            else:
                self._unknown[mac] = devtype
        if self._unknown:
            _LOGGER.warning(
                "%s: this version does not understand, does not use, and leaves as it is: %s",
                STORAGE_KEY,
                list_names(self._unknown),
            )

    def recall(self, mac: Mac, fallback: int | None) -> frozenset[str] | None:
        """Return the capabilities of the device with this address; None if it is unknown."""
        devtype = self._types.get(str(mac), self._types.get(str(mac.reversed)))
        if devtype is None:
            return None
        if (found := capabilities_of_type(devtype)) is not None or fallback is None:
            return found
        return capabilities_of_type(fallback)

    @callback
    def remember(self, mac: Mac, devtype: int) -> None:
        """Store the type that a device has reported."""
        if self._types.get(str(mac)) != devtype:
            self._types[str(mac)] = devtype
            _ = self._hass.async_create_task(
                self._store.async_save({**self._unknown, **self._types}), "irhub: save device types"
            )
