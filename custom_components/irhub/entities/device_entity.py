"""Base class of device entities: state → commands → hub, and received commands → state."""

from abc import abstractmethod
import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import product
import logging
from math import inf, isfinite, isnan
from typing import Any, ClassVar, Final, override

from homeassistant.const import (
    ATTR_UNIT_OF_MEASUREMENT,
    STATE_OFF,
    STATE_ON,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
    UnitOfPower,
)
from homeassistant.core import (
    CALLBACK_TYPE,
    Context,
    Event,
    EventStateChangedData,
    HassJob,
    HomeAssistant,
    State as HassState,
    callback,
)
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.event import async_call_later, async_track_state_change_event
from homeassistant.helpers.restore_state import ExtraStoredData, RestoredExtraData, RestoreEntity
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.unit_conversion import PowerConverter

from ..const import DOMAIN
from ..devices.deliveries import Delivered
from ..devices.device import Command, Device, Settings, packets_of
from ..devices.press_reader import PressReader
from ..devices.profile import profile_of
from ..devices.rules import PacketRule, Sends
from ..errors import HubOfflineError, UserError
from ..hub.following import Following, Recognize
from ..ircodes import Off, State
from .correcting import Correctable, Fields, Value
from .entity import SendingEntity
from .use import Use

_LOGGER = logging.getLogger(__package__)

BY_HAND_S: Final = 30
"""If power returns within this many seconds, the device was not switched on by hand: the reading
flickered, or the device began to draw power late."""
_IS_ON: Final = "is_on"
_KEPT: Final = "kept"


_ENTITIES: HassKey[dict[str, DeviceEntity]] = HassKey(f"{DOMAIN}_device_entities")
"""The present device entities, by the id of the device."""


@callback
def entity_of(hass: HomeAssistant, device: Device) -> DeviceEntity | None:
    """Return the entity of a device; None if it has none at present."""
    return hass.data.setdefault(_ENTITIES, {}).get(device.id)


@callback
def _ignore(_delivered: Delivered) -> None:
    """Ignore an outcome: the entity follows deliveries only to have doubtful commands resent."""


class DeviceEntity(SendingEntity, Correctable, RestoreEntity):
    """Entity of a device with an assumed state that is restored after a restart.

    A state is shown once the hub has confirmed its commands. `_is_turned_on` is None while it is
    unknown; `_attributes` has the other settings of the device, as JSON values.
    """

    _attr_assumed_state = True
    _attr_name = None
    _states: ClassVar[tuple[str, str]] = STATE_ON, STATE_OFF
    """The states of the entity while the device is on and while it is off."""
    new_alias: str | None = None
    """Alias for voice assistants that the user has asked for; only for a new entity."""

    def __init__(
        self,
        use: Use,
        read: Callable[[], Device],
        unique_id: str,
        rule: PacketRule | None = None,
    ) -> None:
        super().__init__(use)
        self._attr_unique_id = unique_id
        self._read = read
        self._shown_device = read()
        self._is_turned_on: bool | None = None
        self._attributes: dict[str, Any] = {}
        self._lock = asyncio.Lock()
        self._cancel_power_delay: CALLBACK_TYPE | None = None
        """Cancels the timer during which the power sensor is ignored; None if it is not running."""
        self._lost_power_at = -inf
        """Loop time at which the power sensor last reported off."""
        self._has_left = False
        self._following: Following[str | State | Off] = Following(
            use.hub, use.options.frequency, self._shown_device.name, self._remote_pressed
        )
        self._packet_rule = rule
        self._profile = profile_of(self._shown_device, rule)
        self._commands_changed()
        self._show()

    @property
    @override
    def device(self) -> Device:
        return self._shown_device

    @property
    def use(self) -> Use:
        """Return the use of the hub that the device belongs to."""
        return self._use

    @property
    def is_turned_on(self) -> bool | None:
        """Return whether the device is assumed to be on; None if unknown."""
        return self._is_turned_on

    @property
    def settings(self) -> Settings:
        """Return the user's settings of the device."""
        return self._shown_device.settings

    @abstractmethod
    def _commands_changed(self) -> None:
        """Set the supported features from the commands of the profile."""

    @abstractmethod
    def _show(self) -> None:
        """Set the entity's attributes from the state of the device."""

    @property
    @override
    def extra_restore_state_data(self) -> ExtraStoredData:
        """Return the state of the device; that of the entity may be `unavailable` at shutdown."""
        return RestoredExtraData({_IS_ON: self._is_turned_on, _KEPT: self._attributes})

    @override
    async def async_added_to_hass(self) -> None:
        """Restore the state; follow the hub, the commands and the sensors."""
        if (stored := await self.async_get_last_extra_data()) is not None:
            match stored.as_dict():
                case {"is_on": bool() | None as is_on, "kept": dict(attributes)}:
                    self._is_turned_on, self._attributes = is_on, attributes
                case _:
                    pass
        await super().async_added_to_hass()
        self.async_on_remove(self._register())
        if self.new_alias is not None and self.registry_entry is not None:
            aliases = [*self.registry_entry.aliases, self.new_alias]
            er.async_get(self.hass).async_update_entity(self.entity_id, aliases=aliases)
        self._read_device()
        if self.settings.follow:
            self.async_on_remove(self._following.end)
            await self._follow_remote()
        if self.settings.resend:
            deliveries = self._use.devices.sender.deliveries
            self.async_on_remove(deliveries.async_follow(self._hub, self.device.id, _ignore))
        if not self._profile.used and self._packet_rule is None:
            _LOGGER.warning(
                "%s can do nothing: no command of %s is known to be for a %s",
                self.entity_id,
                self.device.name,
                self.device.kind.replace("_", " "),
            )
        if (sensor := self.settings.power_sensor) is not None:
            self.async_on_remove(
                async_track_state_change_event(self.hass, sensor, self._power_changed)
            )
            self._follow_power()
        self._show()

    @callback
    def _register(self) -> CALLBACK_TYPE:
        """Register the entity for `entity_of`. Return a function that unregisters it."""
        entities, id_ = self.hass.data.setdefault(_ENTITIES, {}), self.device.id
        entities[id_] = self

        @callback
        def unregister() -> None:
            if entities.get(id_) is self:
                del entities[id_]

        return unregister

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Stop the timer; commands that are being sent do not start it again."""
        self._has_left = True
        self._end_power_delay()

    @callback
    @override
    def _devices_changed(self) -> None:
        changed = self._read_device()
        super()._devices_changed()
        if changed:
            self._show()
            self.async_write_ha_state()
            if self.settings.follow:
                name = f"irhub: commands of {self.entity_id}"
                _ = self.hass.async_create_task(self._follow_remote(), name)

    async def _follow_remote(self) -> None:
        """Follow the commands that the entity sends, and packets with other states."""
        device, rule, used = self.device, self._packet_rule, self._profile.used
        commands = [command for id_, command in device.commands.items() if id_ in used]

        def decode() -> Recognize[str | State | Off] | None:
            reader = PressReader.of(device, rule)
            return None if reader is None else reader.read

        await self._following.follow(lambda: [*packets_of(commands)], decode)

    @callback
    def async_sent(self, command: Command) -> None:
        """Update the state after another component has sent a command of the device."""
        self._pressed([command.id])

    @callback
    def _remote_pressed(self, received: Sequence[str | State | Off]) -> None:
        """Update the state after a press of the device's own remote control."""
        self._use.devices.sender.deliveries.async_overtake(self.device)
        self._pressed(received)

    @callback
    def _pressed(self, received: Sequence[str | State | Off]) -> None:
        """Update the state after a command from elsewhere, without sending anything."""
        for function, command in self._profile.functions.items():
            if command == received[0]:
                on, attributes = self._effect_of(function)
                self._update_state(on=on, **attributes)
                return

    def _effect_of(self, function: str) -> tuple[bool | None, dict[str, object]]:
        """Return the effect of a function: on, off or None (unchanged), and other settings."""
        match function:
            case "on" | "off":
                return function == "on", {}
            case "toggle" if self._is_turned_on is not None:
                return not self._is_turned_on, {}
            case _:
                return None, {}

    def _read_device(self) -> bool:
        """Read the device from the store. Return whether it has changed."""
        device = self._read()
        if device is self._shown_device or device == self._shown_device:
            return False
        self._shown_device = device
        self._profile = profile_of(device, self._packet_rule)
        self._commands_changed()
        return True

    def _command(self, function: str) -> str:
        """Return the id of a function's command. Raise UserError if there is none."""
        if (command := self._profile.functions.get(function)) is None:
            raise UserError(
                "no_function", entity_id=self.entity_id, function=function.replace("_", " ")
            )
        return command

    def _switching(self, *, on: bool) -> list[str]:
        """Return the commands that turn the device on or off, if any.

        A toggle is only returned if the device is not in the requested state.
        """
        functions = self._profile.functions
        if (command := functions.get("on" if on else "off")) is not None:
            return [command]
        if (toggle := functions.get("toggle")) is not None and self._is_turned_on is not on:
            return [toggle]
        return []

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """Serialise changes: each starts from the state that the previous one has reached."""
        silences = self._hub.silences
        async with self._lock:
            await self._take_over_from_remote()
            self._check_online_since(silences)
            yield

    async def _take_over_from_remote(self) -> None:
        """Read pending presses of the remote control, so that a change starts from their state."""
        if self.settings.follow:
            await self._hub.reception.read_now()

    def _check_online_since(self, silences: int) -> None:
        """Raise HubOfflineError if the hub has gone offline since `silences` was read.

        Changes that waited meanwhile are dropped: carried out later, they would be a surprise.
        """
        if not self._emitters and silences != self._hub.silences:
            raise HubOfflineError("fell_silent", hub=self._hub.label)

    async def _do(self, function: str, *, on: bool | None = None, **attributes: object) -> None:
        """Send the command of a function, and update the state."""
        async with self._changing():
            await self._send(self._command(function))
            self._update_state(on=on, **attributes)

    async def _toggle_to(self, function: str, key: str, target: bool) -> None:
        """Send the toggle `function` unless the setting `key` already has the target value."""
        async with self._changing():
            if target is not self._attributes.get(key, False):
                await self._send(self._command(function))
                self._update_state(**{key: target})

    async def async_switch(self, *, on: bool) -> None:
        """Turn the device on or off, without other changes."""
        async with self._changing():
            commands = self._switching(on=on)
            if not commands and "toggle" not in self._profile.functions:
                self._command("on" if on else "off")  # raises, since there is no command to send
            await self._send(*commands)
            self._update_state(on=on)

    async def async_press(self, sends: Sends) -> None:
        """Send a command or packet, and update the state if it has a known effect."""
        async with self._changing():
            await self._send(sends)
            if isinstance(sends, str):
                self._pressed([sends])

    @property
    @override
    def possible(self) -> Mapping[str, Fields]:
        on, off = self._states
        return {on: self._fields(on=True), off: self._fields(on=False)}

    def _fields(self, *, on: bool) -> Fields:  # noqa: ARG002 - for subclasses
        """Return the fields that can be corrected while the device is on or off."""
        return {}

    @property
    @override
    def assumed(self) -> str | None:
        on, off = self._states
        return None if self._is_turned_on is None else on if self._is_turned_on else off

    @override
    async def async_correct(self, values: Mapping[str, Value], context: Context) -> None:
        """Correct the assumed state, after pending changes."""
        async with self._lock:
            await super().async_correct(values, context)

    @callback
    @override
    def _correct(self, state: str | None, fields: Mapping[str, Value]) -> None:
        on = None if state is None else state == self._states[0]
        self._update_state(on=on, **self._attributes_of(fields))

    def _attributes_of(self, fields: Mapping[str, Value]) -> Mapping[str, object]:
        """Return the corrected fields as entries of `_attributes`."""
        return fields

    async def _send(self, *commands: Sends) -> None:
        """Transmit commands in order, with the configured delays. Raise as `Sender.send`."""
        context, settings, device = self._context, self.settings, self.device
        items = [self._item(command) for command in commands]
        for number, (item, repeat) in enumerate(product(items, range(settings.repeats))):
            if number:
                await self._hub.pause(settings.repeat_delay if repeat else settings.delay)
            await self._use.devices.sender.send(self._hub, device, [item], context)

    def _item(self, sends: Sends) -> Command | bytes:
        return sends if isinstance(sends, bytes) else self.device.commands[sends]

    @callback
    def _update_state(self, *, on: bool | None = None, **attributes: object) -> None:
        """Set a confirmed or assumed state, and write it to Home Assistant."""
        self._attributes |= attributes
        if on is not None and on is not self._is_turned_on:
            self._is_turned_on = on
            self._ignore_power_for_delay()
        self._show()
        self.async_write_ha_state()

    def _ignore_power_for_delay(self) -> None:
        """Ignore the power sensor during its delay, while it still reports the previous state."""
        if self.settings.power_sensor is None or self._has_left:
            return
        self._end_power_delay()

        @callback
        def delay_over(_now: object) -> None:
            self._cancel_power_delay = None
            self._power_changed()

        job = HassJob(delay_over, cancel_on_shutdown=True)
        self._cancel_power_delay = async_call_later(self.hass, self.settings.power_delay, job)

    @callback
    def _end_power_delay(self) -> None:
        if self._cancel_power_delay is not None:
            self._cancel_power_delay()
            self._cancel_power_delay = None

    @callback
    def _power_changed(self, _event: Event[EventStateChangedData] | None = None) -> None:
        if self._cancel_power_delay is None and self._follow_power():
            self._show()
            self.async_write_ha_state()

    def _follow_power(self) -> bool:
        """Set on or off from the power sensor. Return whether the state has changed."""
        settings = self.settings
        state = self.hass.states.get(settings.power_sensor or "")
        is_on = _is_reported_on(state, settings.power_threshold)
        if is_on is None or is_on is self._is_turned_on:
            return False
        now = self.hass.loop.time()
        if not is_on:
            self._lost_power_at = now
        elif not settings.power_restores and now - self._lost_power_at >= BY_HAND_S:
            self._attributes = {}
        self._is_turned_on = is_on
        return True


def watts_of(state: HassState | None) -> float | None:
    """Return the reading of a power sensor in watts; None if it has none or another unit."""
    unit = None if state is None else state.attributes.get(ATTR_UNIT_OF_MEASUREMENT)
    if state is None or unit not in PowerConverter.VALID_UNITS:
        return None
    try:
        reading = float(state.state)
    except ValueError:
        return None
    return PowerConverter.convert(reading, unit, UnitOfPower.WATT) if isfinite(reading) else None


def _is_reported_on(state: HassState | None, threshold: float) -> bool | None:
    """Return whether a power sensor reports that the device is on; None if unknown."""
    if state is None or state.state in (STATE_UNAVAILABLE, STATE_UNKNOWN):
        return None
    if state.state in (STATE_ON, STATE_OFF):
        return state.state == STATE_ON
    if (watts := watts_of(state)) is not None:
        return watts > threshold
    try:
        reading = float(state.state)
    except ValueError:
        return None
    return None if isnan(reading) else reading > threshold
