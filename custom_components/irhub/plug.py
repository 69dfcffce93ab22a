"""Smart plugs: one socket, with or without a meter."""

from dataclasses import dataclass
from typing import Any, Final, Protocol, cast, override

from homeassistant.components.switch import (  # type: ignore[attr-defined]  # where it is defined depends on the release
    SwitchDeviceClass,
)
from homeassistant.const import CONF_FRIENDLY_NAME, CONF_MAC
from homeassistant.helpers.typing import ConfigType

from .assumed import AssumedSwitch
from .hub import Hub
from .library import GARBLED, SILENT, Device, LibraryError
from .polled import PolledSwitch
from .polling import shared_poll

ATTR_POWER: Final = "current_power_w"
_POLL: Final = "plug"


class _Plug(Protocol):
    async def set_power(self, pwr: bool) -> None: ...
    async def check_power(self) -> bool: ...


class _Meter(Protocol):
    async def get_energy(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class PlugState:
    """What a plug says: on or off, and its power where it has a meter."""

    on: bool
    watts: float | None = None


async def _read(device: Device) -> PlugState:
    on = await cast(_Plug, device).check_power()
    return PlugState(on=on, watts=await _watts(device))


async def _watts(device: Device) -> float | None:
    """Return the power; None without a meter, or when only the meter fails."""
    if not hasattr(device, "get_energy"):
        return None
    try:
        return round(await cast(_Meter, device).get_energy(), 2)
    except SILENT:
        raise
    except (LibraryError, *GARBLED):
        return None


class Plug(PolledSwitch[PlugState]):
    """A plug that tells its state. A night light in it is left as it is."""

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        super().__init__(
            shared_poll(hub, _POLL, _read), config[CONF_FRIENDLY_NAME], config[CONF_MAC], config
        )

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """The power in watts, where it is measured."""
        if (data := self._poll.data) is None or data.watts is None:
            return None
        return {ATTR_POWER: data.watts}

    @override
    def _state(self, data: PlugState) -> bool:
        return data.on

    @override
    def _changed(self, data: PlugState | None, *, on: bool) -> PlugState:
        return PlugState(on=on)

    @override
    async def _set(self, device: Device, *, on: bool) -> None:
        await cast(_Plug, device).set_power(on)


class MutePlug(AssumedSwitch):
    """A plug that cannot tell its state (SP1)."""

    _attr_device_class = SwitchDeviceClass.OUTLET

    def __init__(self, hub: Hub, config: ConfigType) -> None:
        super().__init__(hub, config[CONF_FRIENDLY_NAME], config[CONF_MAC])

    @override
    async def _send(self, *, on: bool) -> None:
        await self._hub.request(lambda device: cast(_Plug, device).set_power(on))
