"""Switches of devices that cannot say what they do: the last command is the state."""

from abc import ABC, abstractmethod
from typing import Any, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import (
    CONF_COMMAND_OFF,
    CONF_COMMAND_ON,
    CONF_FRIENDLY_NAME,
    CONF_UNIQUE_ID,
    STATE_ON,
    Platform,
)
from homeassistant.helpers.restore_state import RestoreEntity
from homeassistant.helpers.typing import ConfigType

from ..entity import IrhubEntity
from ..hub.hub import Hub
from .schema import CONF_REPEATS


class AssumedSwitch(IrhubEntity, SwitchEntity, RestoreEntity, ABC):
    """A switch that is never unavailable, and whose state survives restarts.

    The state changes only after the device confirmed the command.
    """

    _attr_assumed_state = True

    def __init__(self, hub: Hub, config: ConfigType, name: str, key: str | None = None) -> None:
        super().__init__(config, name, key)
        self._hub = hub
        self._attr_is_on = False

    @override
    async def async_added_to_hass(self) -> None:
        """Restore the last state."""
        await super().async_added_to_hass()
        if (last := await self.async_get_last_state()) is not None:
            self._attr_is_on = last.state == STATE_ON

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn on. Raise HubError, and stays as it was, if the device does not confirm."""
        await self._turn(on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn off. Raise HubError, and stays as it was, if the device does not confirm."""
        await self._turn(on=False)

    async def _turn(self, *, on: bool) -> None:
        await self._send(on=on)
        self._attr_is_on = on
        self.async_write_ha_state()

    @abstractmethod
    async def _send(self, *, on: bool) -> None:
        """Send the command and wait for the device's word."""


class CommandSwitch(AssumedSwitch):
    """Two packets: what turns something on, and what turns it off."""

    def __init__(self, hub: Hub, config: ConfigType, slug: str, switch: ConfigType) -> None:
        super().__init__(hub, config, switch[CONF_FRIENDLY_NAME], slug)
        if (unique_id := switch.get(CONF_UNIQUE_ID)) is not None:
            self._attr_unique_id = unique_id
        self.entity_id = f"{Platform.SWITCH}.{slug}"
        self._packets = {
            True: switch.get(CONF_COMMAND_ON),
            False: switch.get(CONF_COMMAND_OFF),
        }
        self._repeats: int = switch[CONF_REPEATS]

    @override
    async def _send(self, *, on: bool) -> None:
        if (packet := self._packets[on]) is not None:
            await self._hub.transmit([packet] * self._repeats)
