"""Base classes of the entities: identity, availability, subscriptions to a hub."""

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
"""Subscribers within this many seconds after a receiver became available are permanent ones."""


class IrhubEntity(Entity):
    """Entity whose unique id is the hub's MAC address, with an optional key.

    Its name is `name` if it is configured in YAML; in a config entry it consists of the device's
    name and the entity's own.
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
    """Entity that is available while there is a session with the hub."""

    def __init__(self, use: Use, *, name: str | None = None, key: str | None = None) -> None:
        super().__init__(use, name or use.name, key)
        self._hub = use.hub

    @override
    async def async_added_to_hass(self) -> None:
        """Track the hub's availability."""
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
    """Entity that sends commands; available while its emitters are, or the hub without any."""

    def __init__(self, use: Use) -> None:
        super().__init__(use)
        self._use = use
        self._tracked: Sequence[str] = ()
        """The emitters whose states are tracked."""
        self._end_tracking: CALLBACK_TYPE | None = None

    @property
    @abstractmethod
    def device(self) -> Device | None:
        """Return the current version of the device whose commands are sent."""

    @property
    def _emitters(self) -> Sequence[str]:
        """Return the emitter entities that transmit in place of the hub."""
        device = self.device
        return () if device is None else self._use.devices.sender.emitters_of(device)

    @override
    async def async_added_to_hass(self) -> None:
        """Track the availability of the emitters and of the hub."""
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
    """Entity that is available while a receiver of the hub's devices is."""

    @override
    async def async_added_to_hass(self) -> None:
        """Track the availability of the hub and of the receivers."""
        await super().async_added_to_hass()
        self.async_on_remove(self._hub.reception.async_add_listener(self._hub_changed))

    @override
    def _is_available(self) -> bool:
        return self._hub.reception.available


class ListeningEntity(HubEntity):
    """Entity that is available while the hub's own receiver is."""

    _capability = Capability.LEARN

    def __init__(self, use: Use, *, name: str | None = None, key: str | None = None) -> None:
        super().__init__(use, name=name, key=key)
        self._receiver = use.own_hub.receiver

    @override
    async def async_added_to_hass(self) -> None:
        """Track the availability of the hub and of its receiver."""
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
    """Receiver entity for other integrations. The hub listens while there are subscribers."""

    _attr_entity_category = EntityCategory.DIAGNOSTIC  # for integrations, not for people
    _attr_translation_key = "receiver"
    _tuned = INFRARED

    def __init__(self, use: Use) -> None:
        super().__init__(use, name=use.name and f"{use.name} receiver", key="receiver")
        self._ends: set[CALLBACK_TYPE] = set()
        """Unsubscribe functions of the current subscriptions."""
        self._end: CALLBACK_TYPE | None = None
        self._available_since = inf
        """Loop time at which the entity became available; infinite while it is not."""
        self._shown: Mapping[str, Any] = {}
        """The attributes that were written last."""

    @override
    async def async_added_to_hass(self) -> None:
        """Track the hub, and write the number of subscribers."""
        await super().async_added_to_hass()
        self._hub_changed()

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """Return the number of subscribers, and of those for which the hub does not listen."""
        count = len(self._ends)
        return {"subscribers": count, "refused": 0 if self._receiver.listens_for_others else count}

    @callback
    @override
    def _hub_changed(self) -> None:
        super()._hub_changed()
        if not self._attr_available:
            self._available_since = inf
        elif self._available_since == inf:
            self._available_since = self.hass.loop.time()
        if (shown := self.extra_state_attributes) != self._shown:
            self._shown = shown
            self.async_write_ha_state()

    @override
    async def async_will_remove_from_hass(self) -> None:
        """Stop listening, even if there are subscribers."""
        self._ends.clear()
        self._listen_while_subscribed()

    @abstractmethod
    def _handle_packet(self, packet: bytes) -> None:
        """Pass a packet on to the subscribers."""

    @callback
    def _subscribed(self, end: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Record a subscription that `end` ends. Return a function that unsubscribes."""
        self._ends.add(end)
        self._listen_while_subscribed()
        # Permanent subscribers subscribe at start-up, or when the receiver becomes available.
        is_new = (
            self.hass.state is CoreState.running
            and self.hass.loop.time() - self._available_since >= RETURN_S
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
    """Add an entity of a config entry's hub once the hub is known to have a capability."""

    @callback
    def known() -> None:
        if use.hub.can(capability):
            async_add_entities([make(use)])

    use.async_on_end(use.hub.async_when_known(known))
