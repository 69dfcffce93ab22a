"""What all entities have: who they are, and the hub behind them."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final, override

from homeassistant.const import STATE_UNAVAILABLE, EntityCategory
from homeassistant.core import CALLBACK_TYPE, CoreState, Event, EventStateChangedData, callback
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_track_state_change_event

from ..devices.device import Device
from ..hub.arming import INFRARED
from ..hub.hub import caller_of
from ..hub.library import Capability
from .use import Use

RETURN_S: Final = 10
"""Who subscribes so soon after a receiver has come back is one who always listens."""


class IrhubEntity(Entity):
    """Known by the MAC address and a key, wherever it is configured.

    YAML gives it a `name`; the entity of a config entry is named after its device and what
    its class says.
    """

    _attr_should_poll = False

    def __init__(self, use: Use, name: str | None, key: str | None = None) -> None:
        self._attr_unique_id = use.unique_id(key)
        if use.belongs_to is None:
            self._attr_name = name
        else:
            self._attr_has_entity_name = True
            self._attr_device_info = use.belongs_to


class HubEntity(IrhubEntity):
    """Available while there is a session with the hub."""

    def __init__(self, use: Use, *, name: str | None = None, key: str | None = None) -> None:
        super().__init__(use, name or use.name, key)
        self._hub = use.hub

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub."""
        self._attr_available = self._is_available()
        self.async_on_remove(self._hub.async_add_listener(self._hub_changed))

    @property
    def _caller(self) -> str | None:
        return caller_of(self._context)

    def _is_available(self) -> bool:
        return self._hub.available

    @callback
    def _hub_changed(self) -> None:
        if (available := self._is_available()) != self._attr_available:
            self._attr_available = available
            self.async_write_ha_state()


class SendingEntity(HubEntity):
    """Sends learned commands: available while what transmits them is, the hub or emitters."""

    def __init__(self, use: Use) -> None:
        super().__init__(use)
        self._use = use
        self._tracked: Sequence[str] = ()
        """The emitters whose states are tracked."""
        self._end_tracking: CALLBACK_TYPE | None = None

    @property
    @abstractmethod
    def device(self) -> Device | None:
        """Return the device whose commands are sent, as it is now."""

    @property
    def _emitters(self) -> Sequence[str]:
        """Return what transmits in place of the hub."""
        device = self.device
        return () if device is None else self._use.devices.sender.emitters_of(device)

    @override
    async def async_added_to_hass(self) -> None:
        """Follow what transmits."""
        await super().async_added_to_hass()
        self.async_on_remove(self._forget_emitter)
        self.async_on_remove(self._use.devices.async_add_listener(self._devices_changed))
        self._track_emitter()

    @callback
    def _devices_changed(self) -> None:
        self._track_emitter()

    def _track_emitter(self) -> None:
        if (emitters := self._emitters) != self._tracked:
            self._forget_emitter()
            if emitters:
                self._end_tracking = async_track_state_change_event(
                    self.hass, emitters, self._emitter_changed
                )
            self._tracked = emitters
        self._hub_changed()

    @callback
    def _forget_emitter(self) -> None:
        if self._end_tracking is not None:
            self._end_tracking()
            self._end_tracking = None

    @callback
    def _emitter_changed(self, _event: Event[EventStateChangedData]) -> None:
        self._hub_changed()

    @override
    def _is_available(self) -> bool:
        if not (emitters := self._emitters):
            return super()._is_available()
        states = map(self.hass.states.get, emitters)
        return any(state is not None and state.state != STATE_UNAVAILABLE for state in states)


class FollowingEntity(HubEntity):
    """Available while something can receive for the devices of the hub."""

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub and the receivers."""
        await super().async_added_to_hass()
        self.async_on_remove(self._hub.reception.async_add_listener(self._hub_changed))

    @override
    def _is_available(self) -> bool:
        return self._hub.reception.available


class ListeningEntity(HubEntity):
    """Available while the hub itself can hear."""

    _capability = Capability.LEARN

    def __init__(self, use: Use, *, name: str | None = None, key: str | None = None) -> None:
        super().__init__(use, name=name, key=key)
        self._receiver = use.own_hub.receiver

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub and its receiver."""
        await super().async_added_to_hass()
        self.async_on_remove(self._receiver.async_add_listener(self._hub_changed))

    @override
    def _is_available(self) -> bool:
        return (
            self._hub.available
            and bool(self._hub.can(self._capability))
            and self._receiver.problem is None
        )


class ReceiverEntity(ListeningEntity):
    """Hands on what a hub hears. The hub listens while the receiver has subscribers."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC  # for integrations, not for people
    _attr_translation_key = "receiver"
    _tuned = INFRARED

    def __init__(self, use: Use) -> None:
        super().__init__(use, name=use.name and f"{use.name} receiver", key="receiver")
        self._ends: set[CALLBACK_TYPE] = set()
        """Those of what has subscribed."""
        self._end: CALLBACK_TYPE | None = None
        self._came_at = inf
        """When it became available, by the event loop's clock."""
        self._shown: Mapping[str, Any] = {}
        """The attributes as they were written last."""

    @override
    async def async_added_to_hass(self) -> None:
        """Follow the hub; show who is listened to."""
        await super().async_added_to_hass()
        self._hub_changed()

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return how many have subscribed, and how many of them the hub does not listen for."""
        there = len(self._ends)
        return {"subscribers": there, "refused": 0 if self._receiver.listens_for_others else there}

    @callback
    @override
    def _hub_changed(self) -> None:
        super()._hub_changed()
        if not self._attr_available:
            self._came_at = inf
        elif self._came_at == inf:
            self._came_at = self.hass.loop.time()
        if (shown := self.extra_state_attributes) != self._shown:
            self._shown = shown
            self.async_write_ha_state()

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Stop listening, whoever has subscribed."""
        self._ends.clear()
        self._listen_while_subscribed()

    @abstractmethod
    def _handle_packet(self, packet: bytes) -> None:
        """Hand on a packet."""

    @callback
    def _subscribed(self, end: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Return what ends a subscription, and the listening with the last one."""
        self._ends.add(end)
        self._listen_while_subscribed()
        # Who always listens subscribes when it starts, or when the receiver comes back.
        is_new = (
            self.hass.state is CoreState.running
            and self.hass.loop.time() - self._came_at >= RETURN_S
        )
        end_new = self._receiver.async_listen_to_new() if is_new else None
        self._hub_changed()

        @callback
        def unsubscribe() -> None:
            end()
            self._ends.discard(end)
            self._listen_while_subscribed()
            if end_new is not None:
                end_new()
            self._hub_changed()

        return unsubscribe

    def _listen_while_subscribed(self) -> None:
        if self._ends and self._end is None:
            self._end = self._receiver.async_subscribe(
                self._tuned, self._handle_packet, listener=self.entity_id, is_other=True
            )
        elif not self._ends and self._end is not None:
            self._end()
            self._end = None


@callback
def async_add_if_able(
    use: Use,
    capability: Capability,
    async_add_entities: AddConfigEntryEntitiesCallback,
    make: Callable[[Use], Entity],
) -> None:
    """Add the entity of a config entry's hub as soon as the hub is known to be able to do it."""

    @callback
    def known() -> None:
        if use.hub.can(capability):
            async_add_entities([make(use)])

    use.async_on_end(use.hub.async_when_known(known))
