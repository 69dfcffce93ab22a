"""The switches: sockets with a reported state, and switches with an assumed one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final, override

from homeassistant.components.switch import (  # type: ignore[attr-defined]  # where it is defined depends on the release
    SwitchDeviceClass,
    SwitchEntity,
)
from homeassistant.const import STATE_OFF, STATE_ON, Platform
from homeassistant.core import callback
from homeassistant.helpers.restore_state import RestoreEntity
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from ..entities.correcting import Correctable, Fields, Value
from ..entities.entity import IrhubEntity
from ..entities.use import Use
from ..hub.hub import caller_of
from ..hub.library import PLUG_SOCKET, is_silent_meter, set_socket
from ..hub.polling import StatusCoordinator
from .schema import DEFAULT_SCAN_INTERVAL, Commands

ATTR_POWER: Final = "current_power_w"


class Socket(IrhubEntity, CoordinatorEntity[StatusCoordinator], SwitchEntity):
    """A socket whose state the device reports."""

    _attr_device_class = SwitchDeviceClass.OUTLET

    def __init__(
        self, use: Use, number: int, name: str | None, key: str | None = None, *, retry: int
    ) -> None:
        interval = use.options.scan_interval or DEFAULT_SCAN_INTERVAL
        CoordinatorEntity.__init__(self, use.status, interval.total_seconds())
        IrhubEntity.__init__(self, use, name, key)
        self._number = number
        self._retry = retry

    @property
    @override
    def available(self) -> bool:
        """Return whether there is a session and at most `retry` readings in a row have failed."""
        return self.coordinator.hub.available and self.coordinator.data.missed <= self._retry

    @property
    @override
    def is_on(self) -> bool | None:
        """Return the state by the last reading or confirmed command."""
        return self.coordinator.data.sockets.get(self._number)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn on. Raise HubError if the device does not confirm."""
        await self.coordinator.async_set_socket(self._number, on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn off. Raise HubError if the device does not confirm."""
        await self.coordinator.async_set_socket(self._number, on=False)


class Plug(Socket):
    """A plug; its night light, if any, is not controlled."""

    _attr_name = None

    def __init__(self, use: Use, *, retry: int) -> None:
        super().__init__(use, PLUG_SOCKET, use.name, retry=retry)

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """Return the power in watts, if it is measured."""
        conditions = self.coordinator.data.conditions or {}
        watts = None if is_silent_meter(conditions) else conditions.get("power")
        return None if watts is None else {ATTR_POWER: round(watts, 2)}


class Slot(Socket):
    """One slot of a strip."""

    _attr_translation_key = "slot"

    def __init__(self, use: Use, number: int, name: str | None, *, retry: int) -> None:
        name = name or f"{use.name} slot {number}"
        super().__init__(use, number, name, f"slot_{number}", retry=retry)
        self._attr_translation_placeholders = {"number": str(number)}


class AssumedSwitch(IrhubEntity, SwitchEntity, Correctable, RestoreEntity, ABC):
    """A switch that is always available and restores its state after a restart.

    The state changes only after the device has confirmed the command.
    """

    _attr_assumed_state = True

    def __init__(self, use: Use, name: str | None, key: str | None = None) -> None:
        super().__init__(use, name, key)
        self._hub = use.own_hub
        self._attr_is_on = False

    @override
    async def async_added_to_hass(self) -> None:
        """Restore the last state."""
        await super().async_added_to_hass()
        if (last := await self.async_get_last_state()) is not None:
            self._attr_is_on = last.state == STATE_ON

    @property
    @override
    def possible(self) -> Mapping[str, Fields]:
        return {STATE_ON: {}, STATE_OFF: {}}

    @property
    @override
    def assumed(self) -> str | None:
        return STATE_ON if self._attr_is_on else STATE_OFF

    @callback
    @override
    def _correct(self, state: str | None, fields: Mapping[str, Value]) -> None:
        self._attr_is_on = state == STATE_ON
        self.async_write_ha_state()

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn on. Raise HubError, and keep the state, if the device does not confirm."""
        await self._turn(on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn off. Raise HubError, and keep the state, if the device does not confirm."""
        await self._turn(on=False)

    async def _turn(self, *, on: bool) -> None:
        await self._send(on=on)
        self._attr_is_on = on
        self.async_write_ha_state()

    @abstractmethod
    async def _send(self, *, on: bool) -> None:
        """Send the command and wait for its confirmation."""


class CommandSwitch(AssumedSwitch):
    """A switch with one packet for on and one for off."""

    def __init__(self, use: Use, slug: str, commands: Commands) -> None:
        super().__init__(use, commands.name, slug)
        if commands.unique_id is not None:
            self._attr_unique_id = commands.unique_id
        self.entity_id = f"{Platform.SWITCH}.{slug}"
        self._commands = commands

    @override
    async def _send(self, *, on: bool) -> None:
        if (packet := self._commands.on if on else self._commands.off) is not None:
            packets = [packet] * self._commands.repeats
            await self._hub.transmit(packets, caller_of(self._context))


class MutePlug(AssumedSwitch):
    """A plug that does not report its state (SP1)."""

    _attr_name = None
    _attr_device_class = SwitchDeviceClass.OUTLET

    def __init__(self, use: Use) -> None:
        super().__init__(use, use.name)

    @override
    async def _send(self, *, on: bool) -> None:
        await self._hub.request(lambda device: set_socket(device, PLUG_SOCKET, on=on))
