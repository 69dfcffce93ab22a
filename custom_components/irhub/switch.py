"""Switches: pairs of packets, plugs, and the slots of a strip."""

from collections.abc import Callable, Sequence
import logging
from typing import Final

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import CONF_MAC, CONF_SWITCHES, CONF_TYPE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddEntitiesCallback
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from .assumed import CommandSwitch
from .hub import Hub
from .library import Device, class_of
from .models import CLASSIC_TYPES
from .plug import MutePlug, Plug
from .registry import async_get_hub
from .strip import Slot
from .switch_schema import CONF_SLOTS, PLATFORM_SCHEMA, SLOTS

_LOGGER = logging.getLogger(__package__)

__all__ = ["PARALLEL_UPDATES", "PLATFORM_SCHEMA", "async_setup_platform"]

PARALLEL_UPDATES = 0

type _Make = Callable[[Hub, ConfigType], Sequence[SwitchEntity]]


def _no_sockets(_hub: Hub, _config: ConfigType) -> Sequence[SwitchEntity]:
    return ()


def _mute_plug(hub: Hub, config: ConfigType) -> Sequence[SwitchEntity]:
    return (MutePlug(hub, config),)


def _plug(hub: Hub, config: ConfigType) -> Sequence[SwitchEntity]:
    return (Plug(hub, config),)


def _slots(hub: Hub, config: ConfigType) -> Sequence[SwitchEntity]:
    return [Slot(hub, number, config) for number in SLOTS]


_SP1: Final = class_of(CLASSIC_TYPES["sp1"])


def _maker(device_class: type[Device] | None) -> _Make:
    """Return what makes the sockets of such a device."""
    if hasattr(device_class, "set_power_mask"):
        return _slots
    if hasattr(device_class, "check_power"):
        return _plug
    # Not by its method: a thermostat has one of the same name.
    return _mute_plug if device_class is _SP1 else _no_sockets


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Make the command switches, and the sockets the device is configured or known to have.

    Whenever the device says what it is, that decides: a plug found under a bare entry
    gets its entity then, and sockets of a wrong type make room for the right ones.
    """
    config = {CONF_TYPE: "mp1" if CONF_SLOTS in config else "rm", **config}
    if (hub := async_get_hub(hass, config)) is None:
        return
    async_add_entities(
        CommandSwitch(hub, config[CONF_MAC], slug, switch)
        for slug, switch in config[CONF_SWITCHES].items()
    )
    make: _Make | None = None
    sockets: Sequence[SwitchEntity] = ()

    @callback
    def follow_device() -> None:
        nonlocal make, sockets
        device_class = hub.device_class or class_of(CLASSIC_TYPES[config[CONF_TYPE]])
        if (right := _maker(device_class)) is make or hub.closed:
            return
        registry = er.async_get(hass)
        for socket in sockets:
            _LOGGER.warning(
                "%s is removed: the device at %s is not of the configured type %s",
                socket.entity_id,
                hub.label,
                config[CONF_TYPE],
            )
            registry.async_remove(socket.entity_id)
        make, sockets = right, right(hub, config)
        async_add_entities(sockets)

    follow_device()
    hub.async_add_listener(follow_device)
