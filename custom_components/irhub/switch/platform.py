"""Switches: pairs of packets, plugs, and the slots of a strip."""

from collections.abc import Sequence
import logging

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import CONF_SWITCHES, CONF_TYPE
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from ..entry import IrhubConfigEntry, entity_config
from ..hub.device_types import devtype_of
from ..hub.hub import Hub
from ..hub.hubs import DATA_HUBS, YAML, async_get_hub
from ..hub.library import SLOTS, Capability, capabilities_of_type
from .entities import CommandSwitch, MutePlug, Plug, Slot
from .schema import CONF_SLOTS, PLATFORM_SCHEMA

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0

_SOCKETS = (Capability.SLOTS, Capability.PLUG, Capability.MUTE_PLUG)
"""What a device with sockets can do, one of these."""


def _sockets(of: Capability | None, hub: Hub, config: ConfigType) -> Sequence[SwitchEntity]:
    """Return the sockets of such a device."""
    match of:
        case Capability.SLOTS:
            return [Slot(hub, number, config) for number in SLOTS]
        case Capability.PLUG:
            return [Plug(hub, config)]
        case Capability.MUTE_PLUG:
            return [MutePlug(hub, config)]
        case _:
            return []


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
    if CONF_SLOTS in config:
        config = {CONF_TYPE: "mp1", **config}
    if (hub := async_get_hub(hass, config)) is not None:
        async_add_entities(
            CommandSwitch(hub, config, slug, switch)
            for slug, switch in config[CONF_SWITCHES].items()
        )
        hass.data[DATA_HUBS].async_on_release(YAML, _follow(hub, config, async_add_entities))


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Make the sockets of a plug or a strip."""
    config = entity_config(entry, PLATFORM_SCHEMA)
    follow = _follow(entry.runtime_data.hub, config, async_add_entities)
    hass.data[DATA_HUBS].async_on_release(entry.entry_id, follow)


@callback
def _follow(
    hub: Hub, config: ConfigType, add: AddEntitiesCallback | AddConfigEntryEntitiesCallback
) -> CALLBACK_TYPE:
    """Make the sockets, and others when the device is another. Return what ends that."""
    registry = er.async_get(hub.hass)
    kind: Capability | None = None
    sockets: Sequence[SwitchEntity] = ()

    @callback
    def follow_device() -> None:
        nonlocal kind, sockets
        capabilities = hub.capabilities
        if capabilities is None and CONF_TYPE in config:
            capabilities = capabilities_of_type(devtype_of(config[CONF_TYPE]))
        right = next((one for one in _SOCKETS if one in (capabilities or ())), None)
        if right is kind or hub.closed:
            return
        for socket in sockets:
            _LOGGER.warning(
                "%s is removed: the device at %s is not of the configured type %s",
                socket.entity_id,
                hub.label,
                config.get(CONF_TYPE, "rm"),
            )
            registry.async_remove(socket.entity_id)
        kind, sockets = right, _sockets(right, hub, config)
        add(sockets)

    follow_device()
    return hub.async_add_listener(follow_device)
