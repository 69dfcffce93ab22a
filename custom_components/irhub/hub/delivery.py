"""Whether what is transmitted is heard: receivers other than the sender's own tell of it.

Nothing waits for that, and nothing is observed unless somebody follows it: then every receiver in
the house listens. A receiver that is busy, away, in a transmission of its own, or that has received
something else says nothing.
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
"""What was learned is on the disk so long afterwards, or when Home Assistant stops."""
MISSED_S: Final = 60
"""What a receiver misses within this time counts as one: somebody may stand in the way."""
LISTENER: Final = "delivery"
"""What the sensor of a hub says that it listens for: one of its states."""
_PAIRS: Final = "pairs"

type Listener = Callable[[], None]


@dataclass(eq=False, kw_only=True)
class _Open:
    """An emission of which receivers may tell."""

    receivers: dict[Receiver, int]
    """How many captures each had when it began."""
    timer: asyncio.TimerHandle | None = None
    listeners: list[Listener] = field(default_factory=list)


class Delivery:
    """Judges what is transmitted in a house by what its receivers hear."""

    def __init__(self, hass: HomeAssistant, signals: RecentSignals, receivers: Receivers) -> None:
        self._hass = hass
        self._receivers = receivers
        self._all = Reception(receivers, None)
        self._link_quality: LinkQuality | None = None
        """What was learned; None until it is loaded."""
        self._store = Store[Data](hass, VERSION, f"{DOMAIN}_reach", atomic_writes=True)
        self._is_kept = True
        """Whether the file may be written: not in place of one that cannot be read."""
        self._beyond: Data = {}
        """What the file says besides, which this version does not understand."""
        self._beyond_pairs: Data = {}
        self._loading: asyncio.Task[None] | None = None
        self._missed_at: dict[tuple[str, str], float] = {}
        """Emitter and receiver → when a miss was counted last, by the event loop's clock."""
        self._open: dict[Emission, _Open] = {}
        """The oldest first."""
        self._followers = 0
        self._is_closed = False
        self._end_listening: CALLBACK_TYPE | None = None
        signals.observer = self

    @callback
    def async_follow(self) -> CALLBACK_TYPE:
        """Let all receivers listen, and judge what is transmitted. Return what ends that."""
        self._followers += 1
        if self._followers == 1:
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
        """Keep what was learned of an entity that is given another id.

        While nobody follows anything it is not loaded, and is learned anew.
        """
        if self._link_quality is not None and self._link_quality.rename(old, new):
            self._save_soon()

    @callback
    def close(self) -> None:
        """Judge nothing any more: Home Assistant stops."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._end_listening is not None:
            self._end_listening()
            self._end_listening = None
        for emission in [*self._open]:
            self.failed(emission)

    async def _load(self) -> None:
        link_quality = LinkQuality()
        try:
            data = await self._store.async_load() or {}
        except HomeAssistantError as err:
            self._is_kept = False
            _LOGGER.warning(
                "Which receiver hears which emitter cannot be read, and is learned anew;"
                " %s stays as it is: %s",
                self._store.path,
                err,
            )
        else:
            pairs = data.pop(_PAIRS, {})
            self._beyond = data
            if isinstance(pairs, dict):
                self._beyond_pairs = link_quality.read(pairs)
        self._link_quality = link_quality

    def _as_data(self) -> Data:
        pairs = {} if self._link_quality is None else self._link_quality.as_data()
        for emitter, rest in self._beyond_pairs.items():
            known = pairs.get(emitter)
            both = isinstance(rest, dict) and known is not None
            pairs[emitter] = rest | known if both else rest if known is None else known
        return {**self._beyond, _PAIRS: pairs}

    def has_others(self, emitters: Collection[EmitterId]) -> bool:
        """Return whether a receiver is there that is not of the device of one of these emitters."""
        return any(
            not self._is_own(receiver, emitter)
            for receiver in self._receivers
            for emitter in emitters
        )

    @callback
    def async_when_others(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` when there may be other receivers than before. Return what ends that."""
        return self._receivers.async_add_listener(listener)

    def labels(self, ids: Iterable[ReceiverId]) -> list[str]:
        """Return the names of receivers that are still there."""
        receivers = map(self._receivers.get, map(str, dict.fromkeys(ids)))
        return [receiver.label for receiver in receivers if receiver is not None]

    @callback
    def async_listen(self, emission: Emission, listener: Listener) -> bool:
        """Call `listener` when something is known of an emission, and when it is judged.

        Return False if nobody will say anything of it: then `listener` is not called.
        """
        if (opened := self._open.get(emission)) is None:
            return False
        opened.listeners.append(listener)
        return True

    # what is transmitted

    @callback
    def begun(self, emission: Emission) -> None:
        """Note what receivers have had until then."""
        is_followed = self._followers and not self._is_closed and self._link_quality is not None
        if not is_followed or kind(emission.packet) != "ir":
            return
        others = [
            receiver for receiver in self._receivers if not self._is_own(receiver, emission.emitter)
        ]
        counts = {receiver: receiver.counts.total() for receiver in others}
        self._open[emission] = _Open(receivers=counts)

    @callback
    def ended(self, emission: Emission) -> None:
        """Wait for what receivers tell of it."""
        if (opened := self._open.get(emission)) is not None:
            opened.timer = self._hass.loop.call_at(emission.until, self._judge, emission)

    @callback
    def failed(self, emission: Emission) -> None:
        """Forget it: nobody knows whether it has gone out."""
        if (opened := self._open.pop(emission, None)) is not None and opened.timer is not None:
            opened.timer.cancel()

    # what is received

    @callback
    def _received(self, receiver: Receiver, packet: Packet) -> None:
        """Note who has heard what: a capture is of one emission, or of those that it is part of."""
        matching = [
            emission
            for emission, opened in self._open.items()
            if receiver in opened.receivers
            and receiver.id not in emission.heard_by
            and is_reception(packet, emission.packet)
        ]
        if not matching:
            return
        first, *later = matching
        at_once = [emission for emission in later if emission.began <= first.ended]
        if any(emission.emitter != first.emitter for emission in later if emission not in at_once):
            return  # it may be of either
        for emission in (first, *at_once):
            emission.heard_by.append(receiver.id)
            emission.outcome = Outcome.CONFIRMED
            self._tell(self._open[emission])

    @callback
    def _judge(self, emission: Emission) -> None:
        opened, link_quality = self._open.pop(emission), self._link_quality
        assert link_quality is not None  # noqa: S101 - for mypy
        emitter, heard_by = str(emission.emitter), [str(id_) for id_ in emission.heard_by]
        emission.missed_by = [
            receiver.id
            for receiver, count in opened.receivers.items()
            if link_quality.chance(emitter, str(receiver.id)) is not None
            and receiver.counts.total() == count
            and receiver.has_listened(emission.began, emission.ended)
        ]
        silent = [str(id_) for id_ in emission.missed_by]
        emission.outcome = link_quality.outcome(emitter, heard_by, silent)
        emission.is_judged = True
        if link_quality.learn(emitter, heard_by, self._counted(emitter, silent)):
            self._save_soon()
        self._tell(opened)

    def _save_soon(self) -> None:
        if self._is_kept:
            self._store.async_delay_save(self._as_data, SAVE_S)

    def _counted(self, emitter: str, silent: Iterable[str]) -> list[str]:
        """Return which of those who have missed an emission have not missed another one lately."""
        now = self._hass.loop.time()
        missed_at = {ids: at for ids, at in self._missed_at.items() if now - at < MISSED_S}
        counted = [receiver for receiver in silent if (emitter, receiver) not in missed_at]
        self._missed_at = missed_at | {(emitter, receiver): now for receiver in counted}
        return counted

    def _tell(self, opened: _Open) -> None:
        for listener in [*opened.listeners]:
            listener()

    def _is_own(self, receiver: Receiver, emitter: EmitterId) -> bool:
        """Return whether a receiver and an emitter are of one device."""
        if receiver.id == emitter:
            return True
        if not isinstance(receiver.id, str) or not isinstance(emitter, str):
            return False
        registry = er.async_get(self._hass)
        entries = registry.async_get(receiver.id), registry.async_get(emitter)
        devices = {None if entry is None else entry.device_id for entry in entries}
        return len(devices) == 1 and None not in devices
