"""Power strips: four slots, one status read for all."""

from collections.abc import Mapping
from typing import Final, Protocol, cast, override

from homeassistant.const import CONF_FRIENDLY_NAME, CONF_MAC
from homeassistant.helpers.typing import ConfigType

from .hub import Hub
from .library import Device
from .polled import PolledSwitch
from .polling import shared_poll
from .switch_schema import CONF_SLOTS

_POLL: Final = "strip"


class _Strip(Protocol):
    async def set_power(self, sid: int, pwr: bool) -> None: ...
    async def check_power(self) -> Mapping[str, bool]: ...


async def _read(device: Device) -> Mapping[str, bool]:
    return await cast(_Strip, device).check_power()


class Slot(PolledSwitch[Mapping[str, bool]]):
    """One slot of a strip. The strip's data: "s1" … "s4" → on."""

    def __init__(self, hub: Hub, number: int, config: ConfigType) -> None:
        key = f"slot_{number}"
        super().__init__(
            shared_poll(hub, _POLL, _read),
            config.get(CONF_SLOTS, {}).get(key, f"{config[CONF_FRIENDLY_NAME]} slot {number}"),
            f"{config[CONF_MAC]}-{key}",
            config,
        )
        self._number = number
        self._key = f"s{number}"

    @override
    def _state(self, data: Mapping[str, bool]) -> bool | None:
        return data.get(self._key)

    @override
    def _changed(self, data: Mapping[str, bool] | None, *, on: bool) -> Mapping[str, bool]:
        return {**(data or {}), self._key: on}

    @override
    async def _set(self, device: Device, *, on: bool) -> None:
        await cast(_Strip, device).set_power(self._number, on)
