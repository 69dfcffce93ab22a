"""The remote platform: learn commands, send them, delete them."""

from collections.abc import Iterable
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
from homeassistant.const import ATTR_COMMAND
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import (
    AddConfigEntryEntitiesCallback,
    AddEntitiesCallback,
)
from homeassistant.helpers.restore_state import ExtraStoredData, RestoredExtraData, RestoreEntity
from homeassistant.helpers.typing import ConfigType, DiscoveryInfoType
import voluptuous as vol

from .codes.packet import short
from .codes.protocols import learned
from .codes.text_forms import is_meant_as_packet, read_packet
from .const import CONF_EMITTERS, CONF_FREQUENCY
from .devices.device import Command, Device
from .entity import HubEntity, async_add_if_able
from .entry import IrhubConfigEntry
from .errors import (
    HubError,
    IrhubError,
    NoSignalError,
    StorageFailedError,
    UnreadableSignalError,
    UserError,
    list_names,
)
from .hub.ear import LEARN_WINDOW_S
from .hub.library import Capability
from .notification import async_learn_notification
from .schema import emitters, frequency_mhz, hub_schema
from .use import Use, async_use_in_yaml

PARALLEL_UPDATES = 0

IS_ON: Final = "is_on"
DIRECT: Final = ("b64:", "hex:", "pronto:", "raw:")
"""A command that begins so is itself a packet."""

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
    """Add the remote of a hub in YAML."""
    if (use := async_use_in_yaml(hass, config)) is not None:
        async_add_entities([IrhubRemote(use)])


async def async_setup_entry(
    _hass: HomeAssistant,
    entry: IrhubConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the remote of a hub that can transmit."""
    async_add_if_able(entry.runtime_data, Capability.TRANSMIT, async_add_entities, IrhubRemote)


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

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData:
        """Return on or off apart from the state, which may be `unavailable` at the end."""
        return RestoredExtraData({IS_ON: self.is_on})

    @override
    async def async_added_to_hass(self) -> None:
        """Restore on or off, read the learned commands, follow the hub."""
        if (stored := await self.async_get_last_extra_data()) is not None:
            self._attr_is_on = stored.as_dict().get(IS_ON) is not False
        await super().async_added_to_hass()
        await self._devices.try_load()

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Send and learn from now on."""
        self._attr_is_on = True
        self.async_write_ha_state()

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Refuse to send and to learn from now on."""
        self._attr_is_on = False
        self.async_write_ha_state()

    @override
    async def async_send_command(self, command: Iterable[str], **kwargs: Any) -> None:
        """Transmit commands as a sequence, `num_repeats` times, `delay_secs` apart."""
        self._check_on()
        context = self._context
        delay = kwargs.get(ATTR_DELAY_SECS, DEFAULT_DELAY_SECS)
        if not delay >= 0:  # nor is it NaN
            raise UserError("negative_delay", delay=delay)
        if (repeats := kwargs.get(ATTR_NUM_REPEATS, DEFAULT_NUM_REPEATS)) < 1:
            raise UserError("no_repeats", repeats=repeats)
        await self._devices.load()
        device = kwargs.get(ATTR_DEVICE)
        items = [self._item(name, device) for name in command]
        for index, (of, item) in enumerate(chain.from_iterable(repeat(items, repeats))):
            if index:
                await self._hub.pause(delay)
            await self._use.send(of, [item], context)

    @override
    async def async_learn_command(self, **kwargs: Any) -> None:
        """Learn commands of a device one by one; what was learned is stored at once."""
        self._check_on()
        device, commands = kwargs.get(ATTR_DEVICE), kwargs.get(ATTR_COMMAND)
        for key, value in ((ATTR_DEVICE, device), (ATTR_COMMAND, commands)):
            if not value:
                raise UserError("missing_key", key=key)
        if (command_type := kwargs.get(ATTR_COMMAND_TYPE, "ir")) not in ("ir", "rf"):
            raise UserError("unknown_kind", kind=command_type)
        await self._devices.load()
        failures: dict[str, IrhubError] = {}
        async with self._hub.learn() as session:
            for command in commands or ():
                notification = await async_learn_notification(self.hass, self._hub, command)
                try:
                    captured = await session.capture(
                        notification.ask,
                        command_type=command_type,
                        window=kwargs.get(ATTR_TIMEOUT) or LEARN_WINDOW_S,
                        frequency=self._frequency,
                        presses=2 if kwargs.get(ATTR_ALTERNATIVE) else 1,
                    )
                    packets = learned([each.packet for each in captured])
                    await self._devices.store({str(device): {command: packets}})
                except (HubError, StorageFailedError) as err:
                    failures[command] = err
                    if not isinstance(err, NoSignalError | UnreadableSignalError):
                        break
                finally:
                    notification.dismiss()
            if failures:
                told = (f"{name}: {err}" for name, err in failures.items())
                raise HubError("not_learned", failures=list_names(told, separator="; ")) from next(
                    iter(failures.values())
                )

    @override
    async def async_delete_command(self, **kwargs: Any) -> None:
        """Delete commands of a device."""
        if not (device := kwargs.get(ATTR_DEVICE)):
            raise UserError("missing_key", key=ATTR_DEVICE)
        await self._devices.load()
        await self._devices.delete_named(device, kwargs[ATTR_COMMAND])

    def _item(self, command: str, device: str | None) -> tuple[Device | None, Command | bytes]:
        """Return a stored command with its device, or a packet that is given directly."""
        if command.strip().lower().startswith(DIRECT):
            try:
                return None, read_packet(command)
            except ValueError as err:
                raise UserError("bad_packet", where="command", error=err) from err
        if not device:
            raise UserError(
                "needs_device", command=short(command) if is_meant_as_packet(command) else command
            )
        return self._devices.find(device, command)

    def _check_on(self) -> None:
        if not self.is_on:
            raise UserError("turned_off", entity_id=self.entity_id)
