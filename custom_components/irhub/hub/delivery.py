"""Detection of delivery: whether receivers other than the sender's own receive a transmission.

Transmissions do not wait for the result. They are observed only while there is a follower; all
receivers then listen. A receiver that is busy, unavailable or transmitting, or that has received
another signal, allows no conclusion.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.storage import Store

from ..const import DOMAIN
from ..ircodes import Packet
from ..ircodes.packet import kind
from ..ircodes.protocols import is_reception
from ..settings import EmitterId, ReceiverId
from .arming import INFRARED
from .link_quality import Data, LinkQuality, Outcome
from .receiver import Receiver
from .receivers import Receivers
from .recent_signals import Emission, RecentSignals
from .reception import Reception

_LOGGER = logging.getLogger(__package__)

VERSION: Final = 1
SAVE_S: Final = 300
"""Delay of a save, in seconds; Home Assistant also saves when it stops."""
MISSED_S: Final = 60
"""Misses of a receiver within this time, in seconds, count once: the path may be blocked."""
LISTENER: Final = "delivery"
"""Name of the subscription; a state of the sensor *Listening for*."""
_PAIRS: Final = "pairs"

type Listener = Callable[[], None]


@dataclass(eq=False, kw_only=True)
class _Pending:
    """An emission that receivers may still report."""

    receivers: dict[Receiver, int]
    """Receiver → its number of captures when the emission began."""
    timer: asyncio.TimerHandle | None = None
    listeners: list[Listener] = field(default_factory=list)


class Delivery:
    """Determines the outcome of transmissions from the captures of all receivers."""

    def __init__(self, hass: HomeAssistant, signals: RecentSignals, receivers: Receivers) -> None:
        self._hass = hass
        self._receivers = receivers
        self._all = Reception(receivers, None)
        self._link_quality: LinkQuality | None = None
        """The estimates; None until they are loaded."""
        self._store = Store[Data](hass, VERSION, f"{DOMAIN}_reach", atomic_writes=True)
        self._is_kept = True
        """Whether the file may be written; False if it cannot be read, so that it is kept."""
        self._unknown_keys: Data = {}
        """Unknown keys of the file, kept for newer versions."""
        self._unknown_pairs: Data = {}
        self._loading: asyncio.Task[None] | None = None
        self._missed_at: dict[tuple[str, str], float] = {}
        """(emitter, receiver) → loop time of the last miss that was counted."""
        self._pending: dict[Emission, _Pending] = {}
        """Emissions without a final outcome, oldest first."""
        self._followers = 0
        self._is_closed = False
        self._end_listening: CALLBACK_TYPE | None = None
        self._signals = signals

    @callback
    def async_follow(self) -> CALLBACK_TYPE:
        """Let all receivers listen, and observe transmissions. Return a function that ends it."""
        self._followers += 1
        if self._followers == 1:
            if not self._is_closed:
                self._signals.observer = self
            self._end_listening = self._all.async_subscribe(
                INFRARED, self._received, listener=LISTENER
            )
            if self._link_quality is None and self._loading is None:
                self._loading = self._hass.async_create_task(
                    self._load(), "irhub: load which receiver hears which emitter"
                )
        has_ended = False

        @callback
        def end() -> None:
            nonlocal has_ended
            if has_ended:
                return
            has_ended = True
            self._followers -= 1
            if not self._followers:
                self._end()

        return end

    @callback
    def async_follow_rename(self, old: str, new: str) -> None:
        """Keep the estimates of an entity whose id is changed.

        If they are not loaded, because nothing was followed, they are learned again.
        """
        if self._link_quality is not None and self._link_quality.rename(old, new):
            self._save_soon()

    @callback
    def close(self) -> None:
        """Stop for good, because Home Assistant is stopping."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._end_listening is not None:
            self._end_listening()
            self._end_listening = None
        self._signals.observer = None
        for emission in [*self._pending]:
            self.failed(emission)

    async def _load(self) -> None:
        link_quality, reason = LinkQuality(), None
        try:
            data: object = await self._store.async_load()
        except HomeAssistantError as err:
            reason = str(err)
        else:
            match data:
                case None:
                    pass
                case {"pairs": dict(pairs), **unknown_keys}:
                    self._unknown_keys = {str(key): value for key, value in unknown_keys.items()}
                    self._unknown_pairs = link_quality.read(pairs)
                case _:
                    reason = f"it has no {_PAIRS}"
        if reason is not None:
            self._is_kept = False
            _LOGGER.warning(
                "Which receiver hears which emitter cannot be read, and is learned again;"
                " %s stays as it is: %s",
                self._store.path,
                reason,
            )
        self._link_quality = link_quality

    def _as_data(self) -> Data:
        pairs = {} if self._link_quality is None else self._link_quality.as_data()
        for emitter, unknown in self._unknown_pairs.items():
            known = pairs.get(emitter)
            are_both = isinstance(unknown, dict) and known is not None
            pairs[emitter] = unknown | known if are_both else unknown if known is None else known
        return {**self._unknown_keys, _PAIRS: pairs}

    def has_others(self, emitters: Collection[EmitterId]) -> bool:
        """Return whether there is a receiver that can observe at least one of these emitters."""
        return any(
            not self._is_same_device(receiver, emitter)
            for receiver in self._receivers
            for emitter in emitters
        )

    @callback
    def async_when_others(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` when receivers may have been added or removed. Return an unsubscriber."""
        return self._receivers.async_add_listener(listener)

    def labels(self, ids: Iterable[ReceiverId]) -> list[str]:
        """Return the names of the receivers that still exist."""
        receivers = map(self._receivers.get, map(str, dict.fromkeys(ids)))
        return [receiver.label for receiver in receivers if receiver is not None]

    @callback
    def async_listen(self, emission: Emission, listener: Listener) -> bool:
        """Call `listener` for each reception of an emission, and when its outcome is final.

        Return False, and never call it, if the emission is not observed.
        """
        if (pending := self._pending.get(emission)) is None:
            return False
        pending.listeners.append(listener)
        return True

    @callback
    def started(self, emission: Emission) -> None:
        """Record the capture counts of all receivers."""
        if self._link_quality is None or kind(emission.sent) != "ir":
            return
        others = [
            receiver
            for receiver in self._receivers
            if not self._is_same_device(receiver, emission.emitter)
        ]
        counts = {receiver: receiver.counts.total() for receiver in others}
        self._pending[emission] = _Pending(receivers=counts)

    @callback
    def ended(self, emission: Emission) -> None:
        """Determine the outcome once all receivers had time to report the emission."""
        if (pending := self._pending.get(emission)) is not None:
            pending.timer = self._hass.loop.call_at(emission.until, self._conclude, emission)

    @callback
    def failed(self, emission: Emission) -> None:
        """Stop observing the emission: it is unknown whether it was transmitted."""
        if (pending := self._pending.pop(emission, None)) is not None and pending.timer is not None:
            pending.timer.cancel()

    @callback
    def _received(self, receiver: Receiver, packet: Packet) -> None:
        """Assign a capture to the emission it is of, and to emissions during that one."""
        matching = [
            emission
            for emission, pending in self._pending.items()
            if receiver in pending.receivers
            and receiver.id not in emission.heard_by
            and is_reception(packet, emission.packet)
        ]
        if not matching:
            return
        first, *later = matching
        simultaneous = [emission for emission in later if emission.began <= first.ended]
        if any(
            emission.emitter != first.emitter for emission in later if emission not in simultaneous
        ):
            return  # ambiguous: it may be of either emission
        for emission in (first, *simultaneous):
            emission.heard_by = (*emission.heard_by, receiver.id)
            emission.outcome = Outcome.CONFIRMED
            self._notify(self._pending[emission])

    @callback
    def _conclude(self, emission: Emission) -> None:
        pending, link_quality = self._pending.pop(emission), self._link_quality
        assert link_quality is not None  # noqa: S101 - for mypy
        emitter, heard_by = str(emission.emitter), [str(id_) for id_ in emission.heard_by]
        emission.missed_by = [
            receiver.id
            for receiver, count in pending.receivers.items()
            if link_quality.chance(emitter, str(receiver.id)) is not None
            and receiver.counts.total() == count
            and receiver.has_listened(emission.began, emission.ended)
        ]
        silent = [str(id_) for id_ in emission.missed_by]
        emission.outcome = link_quality.outcome(emitter, heard_by, silent)
        emission.is_final = True
        if link_quality.learn(emitter, heard_by, self._misses_to_count(emitter, silent)):
            self._save_soon()
        self._notify(pending)

    def _save_soon(self) -> None:
        if self._is_kept:
            self._store.async_delay_save(self._as_data, SAVE_S)

    def _misses_to_count(self, emitter: str, silent: Iterable[str]) -> list[str]:
        """Return the receivers in `silent` without a counted miss within MISSED_S."""
        now = self._hass.loop.time()
        missed_at = {ids: time for ids, time in self._missed_at.items() if now - time < MISSED_S}
        counted = [receiver for receiver in silent if (emitter, receiver) not in missed_at]
        self._missed_at = missed_at | {(emitter, receiver): now for receiver in counted}
        return counted

    def _notify(self, pending: _Pending) -> None:
        for listener in [*pending.listeners]:
            listener()

    def _is_same_device(self, receiver: Receiver, emitter: EmitterId) -> bool:
        """Return whether a receiver and an emitter belong to the same device."""
        if receiver.id == emitter:
            return True
        if not isinstance(receiver.id, str) or not isinstance(emitter, str):
            return False
        registry = er.async_get(self._hass)
        entries = registry.async_get(receiver.id), registry.async_get(emitter)
        devices = {None if entry is None else entry.device_id for entry in entries}
        return len(devices) == 1 and None not in devices
