"""Receiver that uses an infrared receiver entity of another integration.

Core's infrared platform needs a library that not every host has. So it is imported on use, when
Home Assistant has already set it up; without it there is no such entity.
"""

import asyncio
from collections.abc import Callable, Sequence
import logging
from math import inf
from typing import Final, override

from homeassistant.const import ATTR_DEVICE_CLASS, STATE_UNAVAILABLE
from homeassistant.core import (
    CALLBACK_TYPE,
    Event,
    EventStateChangedData,
    HomeAssistant,
    callback,
)
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.event import async_track_state_change_event

from ..const import DOMAIN
from ..errors import (
    HubClosedError,
    HubOfflineError,
    NoSignalError,
    UnreadableSignalError,
    UserError,
)
from ..ircodes import Packet, from_timings
from .arming import INFRARED, Tuned
from .learning import Captured, Learner, Learning
from .reassembly import Reassembler
from .receiver import NoiseError, Receiver

_LOGGER = logging.getLogger(__package__)

INFRARED_DOMAIN: Final = "infrared"


@callback
def async_receiver_entities(hass: HomeAssistant) -> list[str]:
    """Return the ids of other integrations' infrared receivers, including unavailable ones."""
    registry = er.async_get(hass)
    return sorted(
        state.entity_id
        for state in hass.states.async_all(INFRARED_DOMAIN)
        if state.attributes.get(ATTR_DEVICE_CLASS) == "receiver"
        and ((entry := registry.async_get(state.entity_id)) is None or entry.platform != DOMAIN)
    )


class EntityReceiver(Receiver):
    """Receives through an entity; subscribed to it while needed and while it is available."""

    busy = "receiver_busy"
    is_asked_for = True

    def __init__(self, hass: HomeAssistant, entity_id: str) -> None:
        super().__init__(hass)
        self.id: str = entity_id
        self._end_tracking: CALLBACK_TYPE | None = None
        self._end_signals: CALLBACK_TYPE | None = None
        self._since = inf
        """Loop time since which signals have been delivered to subscribers."""
        self._reassembler = Reassembler(hass.loop, self._received)

    @property
    @override
    def label(self) -> str:
        state = self.hass.states.get(self.id)
        return self.id if state is None else state.name

    @property
    @override
    def available(self) -> bool:
        state = self.hass.states.get(self.id)
        return state is not None and state.state != STATE_UNAVAILABLE

    @override
    def can_receive(self, tuned: Tuned) -> bool:
        return tuned == INFRARED

    @override
    def has_listened(self, began: float, ended: float) -> bool:
        return self._end_signals is not None and not self.learning and self._since <= began

    @override
    def learn(self, learner: Learner) -> EntityLearning:
        return EntityLearning(self, learner)

    @override
    async def read_now(self) -> None:
        self._reassembler.flush()

    @callback
    @override
    def _learning_changed(self) -> None:
        self._since = self.hass.loop.time()
        self._update_subscription()
        super()._learning_changed()

    @callback
    @override
    def _subscribers_changed(self) -> None:
        self._update_subscription()
        super()._subscribers_changed()

    def _update_subscription(self) -> None:
        is_for_infrared = any(subscriber.tuned == INFRARED for subscriber in self._subscribers)
        self._listen(is_needed=is_for_infrared or self.learning)

    def _listen(self, *, is_needed: bool) -> None:
        if is_needed and self._end_tracking is None:
            self._end_tracking = async_track_state_change_event(
                self.hass, self.id, self._state_changed
            )
            self._subscribe()
        elif not is_needed and self._end_tracking is not None:
            self._end_tracking()
            self._end_tracking = None
            self._unsubscribe()

    @callback
    def _state_changed(self, _event: Event[EventStateChangedData]) -> None:
        if not self.available:
            self._unsubscribe()
        elif self._end_signals is None:
            self._subscribe()
        else:
            return  # the state of a receiver is the time of its last signal
        self._changed()

    def _subscribe(self) -> None:
        if not self.available or INFRARED_DOMAIN not in self.hass.config.components:
            return
        from homeassistant.components.infrared import (  # noqa: PLC0415  (see above)
            async_subscribe_receiver,
        )

        try:
            self._end_signals = async_subscribe_receiver(
                self.hass, self.id, lambda signal: self._reassembler.received(signal.timings)
            )
            self._since = self.hass.loop.time()
        except HomeAssistantError as err:  # no receiver, or being removed
            _LOGGER.debug("There is no listening with %s: %s", self.id, err)

    def _unsubscribe(self) -> None:
        if self._end_signals is not None:
            self._end_signals()
            self._end_signals = None
        self._reassembler.clear()

    @callback
    def _received(self, timings: Sequence[int]) -> None:
        session = self._session
        try:
            packet = self.packet_of(from_timings(timings))
        except NoiseError:
            return
        except ValueError as err:
            _LOGGER.debug("A signal of the receiver %s is no press: %s", self.id, err)
            if isinstance(session, EntityLearning):
                session.unreadable = err
            return
        if isinstance(session, EntityLearning):
            session.received(packet)
        else:
            self._notify(packet)


class EntityLearning(Learning):
    """A learning session with an infrared receiver entity."""

    def __init__(self, receiver: EntityReceiver, learner: Learner) -> None:
        super().__init__(receiver.label, learner)
        self.unreadable: ValueError | None = None
        """Why the last signal was no readable packet."""
        self._receiver = receiver
        self._packet: asyncio.Future[Packet] | None = None

    @override
    async def begin(self) -> None:
        await self._receiver.begin_learning(self)

    @override
    async def end(self, *, early: bool) -> None:
        self._receiver.end_learning()

    @callback
    def received(self, packet: Packet) -> None:
        """Handle a packet, if the session is waiting for one."""
        if self._packet is not None and not self._packet.done():
            self._packet.set_result(packet)

    @override
    async def receive(self, tuned: Tuned, window: float, armed: Callable[[], None]) -> Captured:
        if tuned != INFRARED:
            raise UserError("receiver_no_radio", receiver=self._label)
        self.unreadable = None
        future = self._packet = asyncio.get_running_loop().create_future()
        end = self._receiver.async_add_listener(self._receiver_changed)
        try:
            self._receiver_changed()
            async with asyncio.timeout(window) as self._window:
                if not future.done():
                    armed()
                packet = await future
        except TimeoutError:
            if self.is_stopped:
                raise HubClosedError("receiver_closed", receiver=self._label) from None
            if (err := self.unreadable) is not None:
                raise UnreadableSignalError(
                    "receiver_unreadable", receiver=self._label, error=err
                ) from err
            raise NoSignalError("receiver_no_signal", receiver=self._label) from None
        finally:
            end()
            self._packet = self._window = None
        return Captured(packet=packet, frequency=None, receiver=self._label)

    @callback
    def _receiver_changed(self) -> None:
        """Fail at once if the receiver is unavailable."""
        if self._packet is not None and not self._packet.done() and not self._receiver.available:
            is_there = self._receiver.hass.states.get(self._receiver.id) is not None
            key = "receiver_unavailable" if is_there else "receiver_gone"
            self._packet.set_exception(HubOfflineError(key, receiver=self._label))
