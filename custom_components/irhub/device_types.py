"""Which device lives behind a MAC address.

Remembered, so that a plug that is offline when Home Assistant starts is known as a plug.
"""

import logging

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.storage import Store

from .const import DOMAIN
from .library import Device, class_of

_LOGGER = logging.getLogger(__package__)

STORAGE_VERSION = 1
STORAGE_KEY = f"{DOMAIN}.device_types"


class DeviceTypes:
    """MAC (twelve hex digits) → the device type of the last hello."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._store = Store[dict[str, int]](hass, STORAGE_VERSION, STORAGE_KEY)
        self._types: dict[str, int] = {}

    async def load(self) -> None:
        """Read what earlier runs learned; without it, the devices will say it again."""
        try:
            stored: object = await self._store.async_load()
        except (HomeAssistantError, OSError, LookupError, TypeError) as err:
            _LOGGER.warning("%s could not be read and is begun anew: %r", STORAGE_KEY, err)
            return
        if isinstance(stored, dict):
            self._types = {mac: known for mac, known in stored.items() if isinstance(known, int)}

    def recall(self, mac: str, fallback: int | None) -> type[Device] | None:
        """Return the class of a known device; None if it was never met."""
        if (devtype := self._types.get(mac)) is None:
            return None
        return class_of(devtype) or (None if fallback is None else class_of(fallback))

    @callback
    def remember(self, mac: str, devtype: int) -> None:
        """Keep a device's own word."""
        if self._types.get(mac) != devtype:
            self._types[mac] = devtype
            _ = self._hass.async_create_task(
                self._store.async_save(dict(self._types)), "irhub: save device types"
            )
