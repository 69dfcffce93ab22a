"""Outcomes of sent commands by device, and resending of those in doubt."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..errors import IrhubError
from ..hub.link_quality import Outcome
from ..hub.recent_signals import Emission
from ..hub.transceiver import Transceiver
from .device import Command, Device
from .profile import may_repeat
from .rules import rule_of

_LOGGER = logging.getLogger(__package__)

MAX_RESENDS: Final = 2
"""Maximum number of times that a command in doubt is sent again."""

type Item = Command | bytes
type SendAgain = Callable[[], Awaitable[object]]


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """The outcome of the last command of a device."""

    outcome: Outcome | None
    heard_by: Sequence[str] = ()
    """Names of the receivers that received it."""
    missed_by: Sequence[str] = ()
    """Names of the receivers that usually receive the emitter, listened, and missed it."""
    sent_again: int = 0


type Listener = Callable[[Delivered], None]


@dataclass(eq=False, kw_only=True)
class _Batch:
    """Commands sent to a device while outcomes are pending; they get one common outcome."""

    emissions: list[Emission] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    sent_again: int = 0

    @property
    def is_settled(self) -> bool:
        return all(emission.is_final or emission.outcome is not None for emission in self.emissions)

    @property
    def outcome(self) -> Outcome | None:
        """Return the common outcome; repeats of a packet by one emitter count as one."""
        repeats: dict[tuple[str, bytes], set[Outcome | None]] = {}
        for emission in self.emissions:
            ids = str(emission.emitter), emission.sent
            repeats.setdefault(ids, set()).add(emission.outcome)
        outcomes = {
            next((outcome for outcome in Outcome if outcome in of_repeats), None)
            for of_repeats in repeats.values()
        }
        if Outcome.IN_DOUBT in outcomes:
            return Outcome.IN_DOUBT
        return Outcome.CONFIRMED if outcomes == {Outcome.CONFIRMED} else None


@dataclass(eq=False, kw_only=True)
class _FollowedDevice:
    """A device whose deliveries are followed."""

    listeners: list[Listener] = field(default_factory=list)
    batch: _Batch | None = None
    is_overtaken: bool = False
    """Whether a later command or press makes resending wrong."""
    task: asyncio.Task[None] | None = None
    """Resends the command in doubt."""


class Deliveries:
    """Outcomes of the last commands of a hub's devices, for followers."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._followed: dict[str, _FollowedDevice] = {}

    @callback
    def async_follow(self, hub: Transceiver, device_id: str, listener: Listener) -> CALLBACK_TYPE:
        """Call `listener` with the outcome of each command of a device.

        All receivers listen meanwhile. Return a function that unsubscribes.
        """
        followed = self._followed.setdefault(device_id, _FollowedDevice())
        followed.listeners.append(listener)
        end_listening = hub.delivery.async_follow()

        @callback
        def end() -> None:
            followed.listeners.remove(listener)
            if not followed.listeners:
                followed.batch = None
                if followed.task is not None:
                    followed.task.cancel()
                if self._followed.get(device_id) is followed:
                    del self._followed[device_id]
            end_listening()

        return end

    @callback
    def async_overtake(self, device: Device) -> None:
        """Cancel resending, because of a press of the remote control or a new command."""
        if (followed := self._followed.get(device.id)) is not None:
            followed.is_overtaken = True

    @callback
    def async_sent(
        self,
        hub: Transceiver,
        device: Device,
        items: Sequence[Item],
        emissions: Sequence[Emission],
        send_again: SendAgain,
        *,
        sent_again: int = 0,
    ) -> None:
        """Record sent commands; `send_again` transmits the same items once more."""
        if (followed := self._followed.get(device.id)) is None:
            return
        if (batch := followed.batch) is None:
            batch = followed.batch = _Batch(sent_again=sent_again)

        @callback
        def changed() -> None:
            if followed.batch is batch and batch.is_settled:
                followed.batch = None
                self._report_outcome(hub, device, followed, batch, send_again)

        followed.is_overtaken = False
        batch.items += [item for item in items if item not in batch.items]
        batch.emissions += emissions
        observed = [hub.delivery.async_listen(emission, changed) for emission in emissions]
        if not all(observed):
            # Radio, and emissions before the estimates were loaded, are not observed.
            for emission, is_observed in zip(emissions, observed, strict=True):
                emission.is_final = emission.is_final or not is_observed
        changed()

    def _report_outcome(
        self,
        hub: Transceiver,
        device: Device,
        followed: _FollowedDevice,
        batch: _Batch,
        send_again: SendAgain,
    ) -> None:
        heard_by = [id_ for emission in batch.emissions for id_ in emission.heard_by]
        missed = [id_ for emission in batch.emissions for id_ in emission.missed_by]
        delivered = Delivered(
            outcome=batch.outcome,
            heard_by=hub.delivery.labels(heard_by),
            missed_by=hub.delivery.labels(id_ for id_ in missed if id_ not in heard_by),
            sent_again=batch.sent_again,
        )
        for listener in [*followed.listeners]:
            listener(delivered)
        if (
            delivered.outcome is Outcome.IN_DOUBT
            and device.settings.resend
            and batch.sent_again < MAX_RESENDS
            and len(batch.items) == 1
        ):
            followed.task = self._hass.async_create_background_task(
                self._send_again(device, followed, batch, send_again),
                f"irhub: send to {device.name} again",
            )

    async def _send_again(
        self, device: Device, followed: _FollowedDevice, batch: _Batch, send_again: SendAgain
    ) -> None:
        [item] = batch.items
        if not await self._may_repeat(device, item) or followed.is_overtaken:
            return
        try:
            await send_again()
        except IrhubError as err:
            _LOGGER.debug("What is in doubt could not be sent again: %s", err)

    async def _may_repeat(self, device: Device, item: Item) -> bool:
        """Return whether sending an item twice is harmless: of rule packets, only states."""
        if isinstance(item, Command):
            return may_repeat(device, item)
        try:
            rule = await self._hass.async_add_executor_job(rule_of, device)
        except IrhubError:
            return False
        return rule is not None and item != rule.toggle and rule.decode(item) is not None
