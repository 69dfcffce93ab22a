"""Registry of all receivers: those of hubs, and entities of other integrations."""

from collections.abc import Iterator

from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.helpers.event import (
    async_track_state_added_domain,
    async_track_state_removed_domain,
)

from ..settings import Mac
from .arming import INFRARED
from .entity_receiver import INFRARED_DOMAIN, EntityReceiver, async_receiver_entities
from .hub_receiver import HubReceiver
from .receiver import Receiver


class Receivers:
    """All receivers.

    The infrared receiver entities of our hubs, made for other integrations, are excluded: the
    receivers behind them are listed instead.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._hub_receivers: list[HubReceiver] = []
        self._entities: dict[str, EntityReceiver] = {}
        self._listeners: list[CALLBACK_TYPE] = []
        self._ends: list[CALLBACK_TYPE] = []

    def __iter__(self) -> Iterator[Receiver]:
        """Yield all infrared receivers, hubs first."""
        yield from (receiver for receiver in self._hub_receivers if receiver.can_receive(INFRARED))
        yield from map(self._entity, async_receiver_entities(self._hass))

    def get(self, id_: str) -> Receiver | None:
        """Return a receiver by MAC address or entity id; None only for an unknown MAC address.

        An entity need not exist.
        """
        if (mac := Mac.read(id_)) is not None:
            return next((receiver for receiver in self._hub_receivers if receiver.id == mac), None)
        return self._entity(id_)

    @callback
    def async_add(self, receiver: HubReceiver) -> None:
        """Add the receiver of a hub."""
        self._hub_receivers.append(receiver)
        self.async_changed()

    @callback
    def async_remove(self, receiver: HubReceiver) -> None:
        """Remove the receiver of a hub."""
        self._hub_receivers.remove(receiver)
        self.async_changed()

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` when receivers may have been added or removed. Return an unsubscriber."""
        if not self._listeners:
            for track in (async_track_state_added_domain, async_track_state_removed_domain):
                self._ends.append(track(self._hass, INFRARED_DOMAIN, self._entities_changed))
        self._listeners.append(listener)

        @callback
        def end() -> None:
            self._listeners.remove(listener)
            if not self._listeners:
                while self._ends:
                    self._ends.pop()()

        return end

    @callback
    def async_changed(self) -> None:
        """Notify listeners that receivers may have been added or removed."""
        for listener in list(self._listeners):
            listener()

    @callback
    def _entities_changed(self, _event: Event[EventStateChangedData]) -> None:
        self.async_changed()

    def _entity(self, entity_id: str) -> EntityReceiver:
        if (receiver := self._entities.get(entity_id)) is None:
            receiver = self._entities[entity_id] = EntityReceiver(self._hass, entity_id)
        return receiver
