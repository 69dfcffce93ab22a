"""The remote platform: learn commands, send them, delete them."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from typing import Any, Final, override

from homeassistant.components.remote import (  # type: ignore[attr-defined]  # its own names, since 2026.10 imported
    ATTR_ALTERNATIVE,
    ATTR_COMMAND_TYPE,
    ATTR_DELAY_SECS,
    ATTR_DEVICE,
    ATTR_NUM_REPEATS,
    ATTR_TIMEOUT,
    DEFAULT_DELAY_SECS,
    DEFAULT_NUM_REPEATS,
    PLATFORM_SCHEMA as REMOTE_PLATFORM_SCHEMA,
    RemoteEntity,
    RemoteEntityFeature,
)
from homeassistant.const import ATTR_COMMAND, Platform
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.event import async_track_state_change_event
from homeassistant.helpers.restore_state import ExtraStoredData, RestoredExtraData, RestoreEntity
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .actions.deletion import async_delete_named
from .actions.learning import async_learn_commands
from .const import CONF_EMITTERS, CONF_FREQUENCY
from .devices.device import Command, Device
from .devices.kinds import PLAYERS
from .entities.device_entity import DeviceEntity
from .entities.entity import HubEntity, SendingEntity, async_add_if_able
from .entities.players import async_track_players, player_id, players_of, remote_id
from .entities.use import IrhubConfigEntry, Use
from .errors import UserError
from .hub.learning import LEARN_WINDOW_S
from .hub.library import Capability
from .hub.transceiver import Transceiver
from .ircodes.packet import is_meant_as_packet, read_packet, short
from .schema import emitters, frequency_mhz, hub_schema
from .yaml.hubs import async_use_in_yaml

PARALLEL_UPDATES = 0

IS_ON: Final = "is_on"
DIRECT: Final = ("b64:", "hex:", "pronto:", "raw:")
"""Prefixes of commands that are packets themselves."""

PLATFORM_SCHEMA = REMOTE_PLATFORM_SCHEMA.extend(
    {
        **hub_schema(name="Broadlink"),
        vol.Optional(CONF_FREQUENCY): frequency_mhz,
        vol.Optional(CONF_EMITTERS): emitters,
    }
)


async def async_setup_platform(
    hass: HomeAssistant,
    config: ConfigType,
    async_add_entities: AddEntitiesCallback,
    _discovery_info: DiscoveryInfoType | None = None,
) -> None:
    """Add the remote of a hub in YAML, and those of its players."""
    if (use := async_use_in_yaml(hass, config)) is None:
        return

    @callback
    def add(player: DeviceEntity) -> PlayerRemote:
        name = player.use.name or use.devices.label(player.device)
        remote = PlayerRemote(replace(use, name=name), player)
        async_add_entities([remote])
        return remote

    async_add_entities([IrhubRemote(use)])
    use.async_on_end(_follow_players(hass, use, add))


async def async_setup_entry(
    hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the remote of a hub that can transmit, and those of its players."""
    use = entry.runtime_data

    @callback
    def add(player: DeviceEntity) -> PlayerRemote:
        [remote] = use.add(
            async_add_entities, player.device, lambda use: [PlayerRemote(use, player)]
        )
        return remote

    async_add_if_able(use, Capability.TRANSMIT, async_add_entities, IrhubRemote)
    use.async_on_end(_follow_players(hass, use, add))
    forget = partial(_forget_former_players, use)
    forget()
    use.async_on_end(async_track_players(hass, forget))


@callback
def _forget_former_players(use: Use) -> None:
    """Remove the registered remotes of appliances that are no players any more."""
    former = {device.entity for device in use.devices.values() if device.kind not in PLAYERS} - {
        None
    }
    for known in use.registries.entities(Platform.REMOTE):
        if player_id(known.unique_id) in former:
            use.registries.remove_entity(Platform.REMOTE, known.unique_id)


@callback
def _follow_players(
    hass: HomeAssistant, use: Use, add: Callable[[DeviceEntity], PlayerRemote]
) -> CALLBACK_TYPE:
    """Add a remote for each player of the hub. Return a function that ends it."""
    remotes: dict[DeviceEntity, PlayerRemote] = {}

    @callback
    def changed() -> None:
        players = players_of(hass, use.settings.mac)
        for player in remotes.keys() - players:
            _ = hass.async_create_task(
                remotes.pop(player).async_remove(), f"irhub: remove the remote of {player.name}"
            )
        for player in players:
            if player not in remotes:
                remotes[player] = add(player)

    changed()
    return async_track_players(hass, changed)


class IrhubRemote(HubEntity, RemoteEntity, RestoreEntity):
    """A hub as a remote control."""

    _attr_name = None
    _attr_supported_features = (
        RemoteEntityFeature.LEARN_COMMAND | RemoteEntityFeature.DELETE_COMMAND
    )

    def __init__(self, use: Use) -> None:
        super().__init__(use)
        self._use = use
        self._devices = use.devices
        self._frequency = use.options.frequency
        self._attr_is_on = True
        # Hidden: on a dashboard, its toggle would only enable and disable the remote itself.
        self._attr_entity_registry_visible_default = use.belongs_to is None

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData:
        """Return on or off; the state itself may be `unavailable` at shutdown."""
        return RestoredExtraData({IS_ON: self.is_on})

    @override
    async def async_added_to_hass(self) -> None:
        """Restore on or off, load the commands, and track the hub."""
        if (stored := await self.async_get_last_extra_data()) is not None:
            self._attr_is_on = stored.as_dict().get(IS_ON) is not False
        await super().async_added_to_hass()
        await self._devices.try_load()

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Enable sending and learning."""
        self._attr_is_on = True
        self.async_write_ha_state()

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Disable sending and learning."""
        self._attr_is_on = False
        self.async_write_ha_state()

    @override
    async def async_send_command(self, command: Iterable[str], **kwargs: Any) -> None:
        """Transmit commands as a sequence, `num_repeats` times, `delay_secs` apart."""
        self._check_on()
        context = self._context
        await self._devices.load()
        device = kwargs.get(ATTR_DEVICE)
        items = [self._item(name, device) for name in command]
        async for owner, item in _repeated(self._hub, items, kwargs):
            await self._devices.sender.send(self._hub, owner, [item], context)

    @override
    async def async_learn_command(self, **kwargs: Any) -> None:
        """Learn commands of a device one by one; each is stored immediately."""
        self._check_on()
        device, commands = kwargs.get(ATTR_DEVICE), kwargs.get(ATTR_COMMAND)
        for key, value in ((ATTR_DEVICE, device), (ATTR_COMMAND, commands)):
            if not value:
                raise UserError("missing_key", key=key)
        if (command_type := kwargs.get(ATTR_COMMAND_TYPE, "ir")) not in ("ir", "rf"):
            raise UserError("unknown_kind", kind=command_type)
        await self._devices.load()
        await async_learn_commands(
            self._hub,
            self._devices,
            str(device),
            [*(commands or ())],
            command_type=command_type,
            window=kwargs.get(ATTR_TIMEOUT) or LEARN_WINDOW_S,
            frequency=self._frequency,
            presses=2 if kwargs.get(ATTR_ALTERNATIVE) else 1,
        )

    @override
    async def async_delete_command(self, **kwargs: Any) -> None:
        """Delete commands of a device."""
        if not (device := kwargs.get(ATTR_DEVICE)):
            raise UserError("missing_key", key=ATTR_DEVICE)
        context = self._context
        await self._devices.load()
        await async_delete_named(self.hass, self._devices, device, kwargs[ATTR_COMMAND], context)

    def _item(self, command: str, device: str | None) -> tuple[Device | None, Command | bytes]:
        """Return a stored command with its device, or a packet given as text."""
        if (packet := _packet_of(command)) is not None:
            return None, packet
        if not device:
            raise UserError(
                "needs_device", command=short(command) if is_meant_as_packet(command) else command
            )
        return self._devices.find(device, command)

    def _check_on(self) -> None:
        if not self.is_on:
            raise UserError("turned_off", entity_id=self.entity_id)


class PlayerRemote(SendingEntity, RemoteEntity):
    """The remote of a player: sends the player's commands, and shows its on and off.

    It is hidden from dashboards and from actions on an area, since those have the player.
    """

    _attr_assumed_state = True
    _attr_entity_registry_visible_default = False
    _attr_name = None

    def __init__(self, use: Use, player: DeviceEntity) -> None:
        super().__init__(use)
        self._attr_unique_id = remote_id(str(player.unique_id))
        self._player = player

    @property
    @override
    def device(self) -> Device:
        return self._player.device

    @property
    @override
    def is_on(self) -> bool | None:
        """Return whether the player is on."""
        return self._player.is_turned_on

    @override
    async def async_added_to_hass(self) -> None:
        """Track the state of the player."""
        await super().async_added_to_hass()

        @callback
        def changed(_event: object) -> None:
            self.async_write_ha_state()

        player_id = self._player.entity_id
        self.async_on_remove(async_track_state_change_event(self.hass, player_id, changed))

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn the player on."""
        await self._player_in_context().async_switch(on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn the player off."""
        await self._player_in_context().async_switch(on=False)

    @override
    async def async_send_command(self, command: Iterable[str], **kwargs: Any) -> None:
        """Transmit commands of the player, as the hub's remote does, and update its state."""
        device, devices = self.device, self._use.devices
        if kwargs.get(ATTR_DEVICE) not in (None, "", device.name, devices.label(device)):
            raise self._sends_only()
        items = [_packet_of(name) or devices.command(device, name).id for name in command]
        player = self._player_in_context()
        async for item in _repeated(self._hub, items, kwargs):
            await player.async_press(item)

    @override
    async def async_learn_command(self, **kwargs: Any) -> None:
        """Raise UserError, since only the hub's remote learns."""
        raise self._sends_only()

    @override
    async def async_delete_command(self, **kwargs: Any) -> None:
        """Raise UserError, since only the hub's remote deletes."""
        raise self._sends_only()

    def _player_in_context(self) -> DeviceEntity:
        """Return the player, with the context of the call to the remote."""
        if self._context is not None:
            self._player.async_set_context(self._context)
        return self._player

    def _sends_only(self) -> UserError:
        device = self._use.devices.label(self.device)
        return UserError("sends_only", entity_id=self.entity_id, device=device)


def _packet_of(command: str) -> bytes | None:
    """Return the packet of a command with a prefix of DIRECT. Raise UserError if it is invalid."""
    if not command.strip().lower().startswith(DIRECT):
        return None
    try:
        return read_packet(command)
    except ValueError as err:
        raise UserError("bad_packet", where="command", error=err) from err


async def _repeated[Item](
    hub: Transceiver, items: Sequence[Item], options: Mapping[str, Any]
) -> AsyncIterator[Item]:
    """Yield the items `num_repeats` times, `delay_secs` apart. Raise UserError for bad ones."""
    delay = options.get(ATTR_DELAY_SECS, DEFAULT_DELAY_SECS)
    if not delay >= 0:  # also for NaN
        raise UserError("negative_delay", delay=delay)
    if (repeats := options.get(ATTR_NUM_REPEATS, DEFAULT_NUM_REPEATS)) < 1:
        raise UserError("no_repeats", repeats=repeats)
    for index, item in enumerate(chain.from_iterable(repeat(items, repeats))):
        if index:
            await hub.pause(delay)
        yield item
