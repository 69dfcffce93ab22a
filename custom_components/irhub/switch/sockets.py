"""The sockets of plugs and power strips."""

from typing import Any, Final, override

from homeassistant.components.switch import (  # type: ignore[attr-defined]  # where it is defined depends on the release
    SwitchDeviceClass,
    SwitchEntity,
)
from homeassistant.const import CONF_FRIENDLY_NAME, CONF_SCAN_INTERVAL
from homeassistant.helpers.typing import ConfigType
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from ..entity import IrhubEntity
from ..hub.hub import Hub
from ..hub.library import PLUG_SOCKET, Capability, set_socket
from ..hub.polling import StatusCoordinator
from .command import AssumedSwitch
from .schema import CONF_RETRY, CONF_SLOTS

ATTR_POWER: Final = "current_power_w"


class Socket(IrhubEntity, CoordinatorEntity[StatusCoordinator], SwitchEntity):
    """A socket whose device tells its state."""

    _attr_device_class = SwitchDeviceClass.OUTLET

    def __init__(
        self, hub: Hub, config: ConfigType, number: int, name: str, key: str | None = None
    ) -> None:
        interval = config[CONF_SCAN_INTERVAL].total_seconds()
        CoordinatorEntity.__init__(self, hub.coordinator, interval)
        IrhubEntity.__init__(self, config, name, key)
        self._number = number
        self._retry: int = config[CONF_RETRY]

    @property
    @override
    def available(self) -> bool:
        """Whether the hub answers, and at most `retry` readings in a row were missed."""
        return self.coordinator.hub.available and self.coordinator.data.missed <= self._retry

    @property
    @override
    def is_on(self) -> bool | None:
        """The state in the last reading, or the last confirmed command."""
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
    """A plug. A night light in it is left as it is."""

    _attr_name = None

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        super().__init__(hub, config, PLUG_SOCKET, config[CONF_FRIENDLY_NAME])

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """The power in watts, where it is measured."""
        watts = (self.coordinator.data.conditions or {}).get(Capability.POWER)
        return None if watts is None else {ATTR_POWER: round(watts, 2)}


class Slot(Socket):
    """One slot of a strip."""

    _attr_translation_key = "slot"

    def __init__(self, hub: Hub, number: int, config: ConfigType) -> None:
        key = f"slot_{number}"
        name = config.get(CONF_SLOTS, {}).get(key, f"{config[CONF_FRIENDLY_NAME]} slot {number}")
        super().__init__(hub, config, number, name, key)
        self._attr_translation_placeholders = {"number": str(number)}


class MutePlug(AssumedSwitch):
    """A plug that cannot tell its state (SP1)."""

    _attr_name = None
    _attr_device_class = SwitchDeviceClass.OUTLET

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        super().__init__(hub, config, config[CONF_FRIENDLY_NAME])

    @override
    async def _send(self, *, on: bool) -> None:
        await self._hub.request(lambda device: set_socket(device, PLUG_SOCKET, on=on))
