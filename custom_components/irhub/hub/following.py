"""Following: which command of a device its own remote control has just sent."""

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
"""Returns what a packet is: the names of commands, or what a rule has decoded."""
type Named[Name] = Sequence[tuple[Name, bytes]]
"""Commands by name; several packets may have the same."""


@dataclass(kw_only=True)
class _LastPress[Name]:
    press: Press
    names: Sequence[Name]
    receiver: ReceiverId
    held: int = 0
    """How often it was heard again."""


class Following[Name]:
    """Calls `pressed` with what the receivers of a hub hear, until it has ended.

    A press that is heard again within ONE_PRESS_S is held: `held` is called with how often that
    was. Radio is heard on `frequency`, in MHz; without one it is not. Of commands that cannot be
    told apart it is all. What another hub or emitter transmits is no press. A press that several
    receivers hear is one; with `once_in_house` it is only that of a hub whose receiver has heard
    it first.
    """

    def __init__(
        self,
        hub: Transceiver,
        frequency: float | None,
        follower: str,
        pressed: Callable[[Sequence[Name]], None],
        held: Callable[[Sequence[Name], int], None] = lambda _names, _count: None,
        *,
        once_in_house: bool = False,
    ) -> None:
        self._hub = hub
        self._frequency = frequency
        self._follower = follower
        self._pressed = pressed
        self._held = held
        self._once_in_house = once_in_house
        self._last: _LastPress[Name] | None = None
        self._recognize: Recognize[Name] = Recognizer[Name](()).recognize
        self.decode: Recognize[Name] | None = None
        """Recognizes what is no command; None if nothing does."""
        self._ends: dict[Tuned, CALLBACK_TYPE] = {}
        self.receiver: str | None = None
        """What has heard the last press."""
        self._has_ended = False
        self._reading = asyncio.Lock()

    async def follow(
        self,
        read: Callable[[], Named[Name]],
        make_decode: Callable[[], Recognize[Name] | None] = lambda: None,
    ) -> None:
        """Listen for these commands from now on; both functions run in the executor.

        What is none of the commands, the one that `make_decode` returns may recognize, if that is
        infrared.
        """
        async with self._reading:
            in_executor = self._hub.hass.async_add_executor_job
            recognizer, kinds = await in_executor(_know, read)
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
        """Listen no more."""
        self._has_ended = True
        self._listen_for(set())

    def _listen_for(self, tuned: set[Tuned]) -> None:
        for ended in self._ends.keys() - tuned:
            self._ends.pop(ended)()
        for begun in tuned - self._ends.keys():
            self._ends[begun] = self._hub.reception.async_subscribe(
                begun, self._handle_packet, listener=self._follower
            )

    @callback
    def _handle_packet(self, receiver: Receiver, packet: Packet) -> None:
        signals, now, last = self._hub.recent_signals, self._now, self._last
        if last is not None and now - last.press.at >= ONE_PRESS_S:
            last = None
        if not (names := self._recognize(packet)):
            if last is not None and only_repeats(packet):
                self._heard_again(last, receiver)
            return
        if any(names[0] in self._recognize(sent) for sent in signals.echoes(receiver.id)):
            return
        press = signals.press_of(packet, receiver.id)
        if last is not None and press is last.press:
            self._heard_again(last, receiver)
            return
        self._last = _LastPress(press=press, names=names, receiver=receiver.id)
        if self._is_told(press, receiver):
            self.receiver = receiver.label
            self._pressed(names)

    def _heard_again(self, last: _LastPress[Name], receiver: Receiver) -> None:
        last.press.at = self._now
        if receiver.id != last.receiver:
            return  # it has heard the same
        last.held += 1
        if self._is_told(last.press, receiver):
            self._held(last.names, last.held)

    def _is_told(self, press: Press, receiver: Receiver) -> bool:
        return not self._once_in_house or press.first == receiver.id

    @property
    def _now(self) -> float:
        return self._hub.hass.loop.time()


def _know[Name](read: Callable[[], Named[Name]]) -> tuple[Recognizer[Name], set[str]]:
    packets = read()
    return Recognizer(packets), {kind(packet) for _, packet in packets}
