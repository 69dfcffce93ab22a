"""Switches of devices that tell their state: plugs and strips."""

from abc import ABC, abstractmethod
from typing import Any, override

from homeassistant.components.switch import (  # type: ignore[attr-defined]  # where it is defined depends on the release
    SwitchDeviceClass,
    SwitchEntity,
)
from homeassistant.const import CONF_SCAN_INTERVAL
from homeassistant.helpers.typing import ConfigType

from .library import Device
from .polling import Poll
from .switch_schema import CONF_RETRY


class PolledSwitch[T](SwitchEntity, ABC):
    """A socket whose device answers polls with a `T`.

    A confirmed command changes the poll's data at once. A read that began earlier is
    dropped, and two seconds later the device is read again.
    """

    _attr_device_class = SwitchDeviceClass.OUTLET
    _attr_should_poll = False

    def __init__(self, poll: Poll[T], name: str, unique_id: str, config: ConfigType) -> None:
        self._poll = poll
        self._attr_name = name
        self._attr_unique_id = unique_id
        self._interval: float = config[CONF_SCAN_INTERVAL].total_seconds()
        self._retry: int = config[CONF_RETRY]

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the poll and the hub."""
        self.async_on_remove(self._poll.hub.async_add_listener(self.async_write_ha_state))
        self.async_on_remove(self._poll.async_subscribe(self.async_write_ha_state, self._interval))

    @property
    @override
    def available(self) -> bool:
        """Whether the hub answers, and at most `retry` polls in a row were missed."""
        return self._poll.hub.available and self._poll.missed <= self._retry

    @property
    @override
    def is_on(self) -> bool | None:
        """The state in the last reply, or the last confirmed command."""
        return None if self._poll.data is None else self._state(self._poll.data)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn on. Raises HubError if the device does not confirm."""
        await self._turn(on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn off. Raises HubError if the device does not confirm."""
        await self._turn(on=False)

    async def _turn(self, *, on: bool) -> None:
        try:
            await self._poll.hub.request(lambda device: self._set(device, on=on))
            self._poll.data = self._changed(self._poll.data, on=on)
        finally:
            self._poll.async_outdate()
        self.async_write_ha_state()

    @abstractmethod
    def _state(self, data: T) -> bool | None:
        """Return this socket's state."""

    @abstractmethod
    def _changed(self, data: T | None, *, on: bool) -> T:
        """Return `data` with this socket's state changed."""

    @abstractmethod
    async def _set(self, device: Device, *, on: bool) -> None:
        """Command the device."""
