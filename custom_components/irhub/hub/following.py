"""Following a remote control: recognition of the commands that it sends."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from homeassistant.core import CALLBACK_TYPE, callback

from ..ircodes import Packet, Recognizer
from ..ircodes.packet import kind
from ..ircodes.protocols import only_repeats
from ..settings import ReceiverId
from .arming import INFRARED, Tuned
from .receiver import Receiver
from .recent_signals import ONE_PRESS_S, Press
from .transceiver import Transceiver

type Recognize[Name] = Callable[[Packet], Sequence[Name]]
"""Returns the names of the commands that a packet may be, or the states decoded by a rule."""
type NamedPackets[Name] = Sequence[tuple[Name, bytes]]
"""(name, packet) of each command; several packets may have the same name."""


@dataclass(kw_only=True)
class _LastPress[Name]:
    press: Press
    names: Sequence[Name]
    receiver: ReceiverId
    held: int = 0
    """Number of further captures of the same press."""


class Following[Name]:
    """Calls `pressed` with the names of each command that a hub's receivers receive, until `end`.

    If one packet stands for several commands, all their names are passed. A repetition within
    ONE_PRESS_S means that the button is held: `held` is called with the names and the number of
    repetitions. Radio is received on `frequency`, in MHz; None means infrared only. Transmissions
    of other hubs and emitters are ignored. A press that several receivers receive is reported once;
    with `first_receiver_only` only by the hub whose receiver reported it first.
    """

    def __init__(
        self,
        hub: Transceiver,
        frequency: float | None,
        follower: str,
        pressed: Callable[[Sequence[Name]], None],
        held: Callable[[Sequence[Name], int], None] = lambda _names, _count: None,
        *,
        first_receiver_only: bool = False,
    ) -> None:
        self._hub = hub
        self._frequency = frequency
        self._follower = follower
        self._pressed = pressed
        self._held = held
        self._first_receiver_only = first_receiver_only
        self._last: _LastPress[Name] | None = None
        self._recognize: Recognize[Name] = Recognizer[Name](()).recognize
        self.decode: Recognize[Name] | None = None
        """Decodes packets that are no known command; None if there is no decoder."""
        self._ends: dict[Tuned, CALLBACK_TYPE] = {}
        self.receiver: str | None = None
        """Label of the receiver of the last press."""
        self._has_ended = False
        self._reading = asyncio.Lock()

    async def follow(
        self,
        read: Callable[[], NamedPackets[Name]],
        make_decode: Callable[[], Recognize[Name] | None] = lambda: None,
    ) -> None:
        """Start to follow the commands that `read` returns, in place of earlier ones.

        Infrared packets that are none of these commands are passed to the function that
        `make_decode` returns, if any. `read` and `make_decode` run in the executor.
        """
        async with self._reading:
            in_executor = self._hub.hass.async_add_executor_job
            recognizer, kinds = await in_executor(_load_recognizer, read)
            self._recognize = recognizer.recognize
            self.decode = decode = await in_executor(make_decode)
            if decode is not None:
                self._recognize = lambda packet: recognizer.recognize(packet) or decode(packet)
            tuned = {INFRARED} if "ir" in kinds or decode is not None else set()
            if "rf" in kinds and self._frequency is not None:
                tuned.add(Tuned(frequency=self._frequency))
            if not self._has_ended:
                self._listen_for(tuned)

    @callback
    def end(self) -> None:
        """Stop following."""
        self._has_ended = True
        self._listen_for(set())

    def _listen_for(self, tuned: set[Tuned]) -> None:
        for removed in self._ends.keys() - tuned:
            self._ends.pop(removed)()
        for added in tuned - self._ends.keys():
            self._ends[added] = self._hub.reception.async_subscribe(
                added, self._handle_packet, listener=self._follower
            )

    @callback
    def _handle_packet(self, receiver: Receiver, packet: Packet) -> None:
        signals, now, last = self._hub.recent_signals, self._now, self._last
        if last is not None and now - last.press.at >= ONE_PRESS_S:
            last = None
        if not (names := self._recognize(packet)):
            if last is not None and only_repeats(packet):
                self._on_repeat(last, receiver)
            return
        if any(names[0] in self._recognize(sent) for sent in signals.echoes(receiver.id)):
            return
        press = signals.press_of(packet, receiver.id)
        if last is not None and press is last.press:
            self._on_repeat(last, receiver)
            return
        self._last = _LastPress(press=press, names=names, receiver=receiver.id)
        if self._should_report(press, receiver):
            self.receiver = receiver.label
            self._pressed(names)

    def _on_repeat(self, last: _LastPress[Name], receiver: Receiver) -> None:
        last.press.at = self._now
        if receiver.id != last.receiver:
            return  # another receiver reports the same capture
        last.held += 1
        if self._should_report(last.press, receiver):
            self._held(last.names, last.held)

    def _should_report(self, press: Press, receiver: Receiver) -> bool:
        return not self._first_receiver_only or press.first == receiver.id

    @property
    def _now(self) -> float:
        return self._hub.hass.loop.time()


def _load_recognizer[Name](
    read: Callable[[], NamedPackets[Name]],
) -> tuple[Recognizer[Name], set[str]]:
    packets = read()
    return Recognizer(packets), {kind(packet) for _, packet in packets}
