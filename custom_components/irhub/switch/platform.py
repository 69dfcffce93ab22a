"""Set-up of switches: pairs of packets, plugs, and the slots of a strip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
import logging

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import CONF_FRIENDLY_NAME, CONF_SWITCHES, CONF_TYPE
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType

from ..entities.use import IrhubConfigEntry, Use
from ..hub.library import SLOTS, Capability, capabilities_of_type
from ..yaml.hubs import async_use_in_yaml
from .entities import CommandSwitch, MutePlug, Plug, Slot
from .schema import CONF_RETRY, CONF_SLOTS, DEFAULT_RETRY, commands_of, slot_names

_LOGGER = logging.getLogger(__package__)

PARALLEL_UPDATES = 0

_SOCKETS = (Capability.SLOTS, Capability.PLUG, Capability.MUTE_PLUG)
"""The capabilities of devices with sockets; a device has one of them."""


@dataclass(frozen=True, kw_only=True)
class Sockets:
    """The configuration of a hub's sockets."""

    type_name: str | None = None
    """The configured `type`, which applies until the device reports its type."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Slot → configured name, if any."""
    retry: int = DEFAULT_RETRY
    """Number of failed readings in a row after which a socket becomes unavailable."""

    def make(self, capability: Capability | None, use: Use) -> Sequence[SwitchEntity]:
        """Return the sockets of a device with a capability."""
        match capability:
            case Capability.SLOTS:
                return [
                    Slot(use, number, self.names.get(number), retry=self.retry) for number in SLOTS
                ]
            case Capability.PLUG:
                return [Plug(use, retry=self.retry)]
            case Capability.MUTE_PLUG:
                return [MutePlug(use)]
            case _:
                return []


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the command switches, and the sockets by the configured or known type of the device.

    When the device reports its type, that decides: sockets are then added, or replaced if the
    configured type was wrong.
    """
    if CONF_SLOTS in config:
        config = {CONF_TYPE: "mp1", **config}
    if (use := async_use_in_yaml(hass, config)) is not None:
        async_add_entities(
            CommandSwitch(use, slug, commands_of(switch))
            for slug, switch in config[CONF_SWITCHES].items()
        )
        sockets = Sockets(
            type_name=config.get(CONF_TYPE),
            names=slot_names(config),
            retry=config[CONF_RETRY],
        )
        use = replace(use, name=config[CONF_FRIENDLY_NAME])
        use.async_on_end(_keep_sockets(hass, use, sockets, async_add_entities))


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the sockets of a plug or a strip."""
    use, sockets = entry.runtime_data, Sockets(type_name=entry.data.get(CONF_TYPE))
    use.async_on_end(_keep_sockets(hass, use, sockets, async_add_entities))


@callback
def _keep_sockets(
    hass: HomeAssistant,
    use: Use,
    configured: Sockets,
    add: AddEntitiesCallback | AddConfigEntryEntitiesCallback,
) -> CALLBACK_TYPE:
    """Add the sockets, and replace them if the type changes. Return a function that ends it."""
    hub, registry = use.own_hub, er.async_get(hass)
    kind: Capability | None = None
    sockets: Sequence[SwitchEntity] = ()

    @callback
    def device_changed() -> None:
        nonlocal kind, sockets
        capabilities = hub.capabilities
        if capabilities is None and hub.settings.fallback is not None:
            capabilities = capabilities_of_type(hub.settings.fallback)
        right = next(
            (socket_kind for socket_kind in _SOCKETS if socket_kind in (capabilities or ())), None
        )
        if right is kind or hub.closed:
            return
        for socket in sockets:
            _LOGGER.warning(
                "%s is removed: the device at %s is not of the configured type %s",
                socket.entity_id,
                hub.label,
                configured.type_name or "rm",
            )
            registry.async_remove(socket.entity_id)
        kind, sockets = right, configured.make(right, use)
        add(sockets)

    device_changed()
    return hub.async_add_listener(device_changed)
