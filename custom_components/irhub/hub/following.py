"""Following: which command of a device its own remote control has just sent."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from homeassistant.core import CALLBACK_TYPE, callback

from ..codes.packet import kind
from ..codes.presses import Recognizer, only_repeats, same_press
from .air import ONE_PRESS_S
from .ear import INFRARED, Tuned
from .hub import Hub

type Recognize[Name] = Callable[[bytes], Sequence[Name]]
"""Returns what was heard: the names of commands, or what a rule has read."""
type Named[Name] = Sequence[tuple[Name, bytes]]
"""Commands by name; several packets may have the same."""


@dataclass(frozen=True, kw_only=True)
class _Press[Name]:
    packet: bytes
    names: Sequence[Name]
    at: float
    """When it was heard last, by the event loop's clock."""
    held: int
    """How often it was heard again."""


class Following[Name]:
    """Calls `pressed` with what a hub hears, until it has ended.

    A press that is heard again within ONE_PRESS_S is held: `held` is called with how often that
    was. Radio is heard on `frequency`, in MHz; without one it is not. Of commands that cannot be
    told apart it is all. What another hub or emitter transmits is no press, nor is a press that
    another hub has heard first.
    """

    def __init__(
        self,
        hub: Hub,
        frequency: float | None,
        follower: str,
        pressed: Callable[[Sequence[Name]], None],
        held: Callable[[Sequence[Name], int], None] = lambda _names, _count: None,
    ) -> None:
        self._hub = hub
        self._frequency = frequency
        self._follower = follower
        self._pressed = pressed
        self._held = held
        self._last: _Press[Name] | None = None
        self._recognize: Recognize[Name] = Recognizer[Name](()).recognize
        self._ends: dict[Tuned, CALLBACK_TYPE] = {}
        self._has_ended = False
        self._reading = asyncio.Lock()

    async def follow(self, read: Callable[[], Named[Name]]) -> None:
        """Listen for these commands from now on; `read` runs in the executor."""
        async with self._reading:
            recognizer, kinds = await self._hub.hass.async_add_executor_job(_know, read)
            self._recognize = recognizer.recognize
            tuned = {INFRARED} if "ir" in kinds else set()
            if "rf" in kinds and self._frequency is not None:
                tuned.add(Tuned(frequency=self._frequency))
            if not self._has_ended:
                self._listen_for(tuned)

    @callback
    def follow_infrared(self, recognize: Recognize[Name]) -> None:
        """Listen from now on for commands that something else recognizes."""
        self._recognize = recognize
        self._listen_for({INFRARED})

    @callback
    def end(self) -> None:
        """Listen no more."""
        self._has_ended = True
        self._listen_for(set())

    def _listen_for(self, tuned: set[Tuned]) -> None:
        for ended in self._ends.keys() - tuned:
            self._ends.pop(ended)()
        for begun in tuned - self._ends.keys():
            self._ends[begun] = self._hub.ear.async_subscribe(
                begun, self._heard, listener=self._follower
            )

    @callback
    def _heard(self, packet: bytes) -> None:
        hub, now, last = self._hub, self._hub.hass.loop.time(), self._last
        if last is not None and now - last.at >= ONE_PRESS_S:
            last = None
        if not (names := self._recognize(packet)):
            if last is not None and only_repeats(packet):
                self._still_held(last, now)
            return
        is_echo = any(names[0] in self._recognize(sent) for sent in hub.air.echoes(hub))
        if is_echo or not hub.air.is_first(packet, hub):
            return
        if last is not None and same_press(last.packet, packet):
            self._still_held(last, now)
            return
        self._last = _Press(packet=packet, names=names, at=now, held=0)
        self._pressed(names)

    def _still_held(self, last: _Press[Name], now: float) -> None:
        press = self._last = replace(last, at=now, held=last.held + 1)
        self._held(press.names, press.held)


def _know[Name](read: Callable[[], Named[Name]]) -> tuple[Recognizer[Name], set[str]]:
    packets = read()
    return Recognizer(packets), {kind(packet) for _, packet in packets}
