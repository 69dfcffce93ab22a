"""Whether the commands of devices are heard by other receivers, and sending again what is not."""

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

MOST_AGAIN: Final = 2
"""So often what is in doubt is sent again."""

type Item = Command | bytes
type SendAgain = Callable[[], Awaitable[object]]


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """What is known of what was sent to a device last."""

    outcome: Outcome | None
    heard_by: Sequence[str] = ()
    """The names of the receivers that have heard it."""
    missed_by: Sequence[str] = ()
    """Of those that have listened, have not heard it, and have heard the emitter before."""
    sent_again: int = 0


type Listener = Callable[[Delivered], None]


@dataclass(eq=False, kw_only=True)
class _Batch:
    """What is sent to a device until all that was sent is settled: one outcome."""

    emissions: list[Emission] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    sent_again: int = 0

    @property
    def is_settled(self) -> bool:
        return all(
            emission.is_judged or emission.outcome is not None for emission in self.emissions
        )

    @property
    def outcome(self) -> Outcome | None:
        """Return what is known of all together; what one emitter sends several times is one."""
        repeats: dict[tuple[str, bytes], set[Outcome | None]] = {}
        for emission in self.emissions:
            ids = str(emission.emitter), bytes(emission.packet)
            repeats.setdefault(ids, set()).add(emission.outcome)
        outcomes = {
            next((outcome for outcome in Outcome if outcome in of_repeats), None)
            for of_repeats in repeats.values()
        }
        if Outcome.IN_DOUBT in outcomes:
            return Outcome.IN_DOUBT
        return Outcome.CONFIRMED if outcomes == {Outcome.CONFIRMED} else None


@dataclass(eq=False, kw_only=True)
class _Followed:
    """A device of which somebody wants to know."""

    listeners: list[Listener] = field(default_factory=list)
    batch: _Batch | None = None
    is_overtaken: bool = False
    """Whether the last thing that happened to the device is not what was sent."""
    task: asyncio.Task[None] | None = None
    """Sends again."""


class Deliveries:
    """What is known of the last commands of a hub's devices, for those who follow it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._followed: dict[str, _Followed] = {}

    @callback
    def async_follow(self, hub: Transceiver, device_id: str, listener: Listener) -> CALLBACK_TYPE:
        """Call `listener` with what is known of each command of a device. Return what ends that.

        Meanwhile all receivers of the house listen.
        """
        followed = self._followed.setdefault(device_id, _Followed())
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
        """Send nothing again: its remote control, or a new command, says otherwise."""
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
        """Note what has gone out; `send_again` transmits the same once more."""
        if (followed := self._followed.get(device.id)) is None:
            return
        if (batch := followed.batch) is None:
            batch = followed.batch = _Batch(sent_again=sent_again)

        @callback
        def changed() -> None:
            if followed.batch is batch and batch.is_settled:
                followed.batch = None
                self._settled(hub, device, followed, batch, send_again)

        followed.is_overtaken = False
        batch.items += [item for item in items if item not in batch.items]
        batch.emissions += emissions
        observed = [hub.delivery.async_listen(emission, changed) for emission in emissions]
        if not all(observed):
            # Of radio, or of what was sent as the first one began to listen, nothing is known.
            for emission, is_observed in zip(emissions, observed, strict=True):
                emission.is_judged = emission.is_judged or not is_observed
        changed()

    def _settled(
        self,
        hub: Transceiver,
        device: Device,
        followed: _Followed,
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
            and batch.sent_again < MOST_AGAIN
            and len(batch.items) == 1
        ):
            followed.task = self._hass.async_create_background_task(
                self._send_again(device, followed, batch, send_again),
                f"irhub: send to {device.name} again",
            )

    async def _send_again(
        self, device: Device, followed: _Followed, batch: _Batch, send_again: SendAgain
    ) -> None:
        [item] = batch.items
        if not await self._may_repeat(device, item) or followed.is_overtaken:
            return
        try:
            await send_again()
        except IrhubError as err:
            _LOGGER.debug("What is in doubt could not be sent again: %s", err)

    async def _may_repeat(self, device: Device, item: Item) -> bool:
        """Return whether twice is as once: of packets that a rule makes, only whole states are."""
        if isinstance(item, Command):
            return may_repeat(device, item)
        try:
            rule = await self._hass.async_add_executor_job(rule_of, device)
        except IrhubError:
            return False
        return rule is not None and item != rule.toggle and rule.decode(item) is not None
