"""Following: which command of a device its own remote control has just sent."""

import asyncio
from collections.abc import Callable, Sequence

from homeassistant.core import CALLBACK_TYPE, callback

from ..codes.packet import kind
from ..codes.presses import Recognizer
from .hub import Hub
from .listening import INFRARED, Tuned

type Recognize[Name] = Callable[[bytes], Sequence[Name]]
"""Returns what was heard: the names of commands, or what a rule has read."""
type Named[Name] = Sequence[tuple[Name, bytes]]
"""Commands by name; several packets may have the same."""


class Following[Name]:
    """Calls `pressed` with what a hub hears, until it has ended.

    Radio is heard on `frequency`, in MHz; without one it is not. Of commands that cannot be told
    apart it is all. What another emitter has just transmitted in the hub's place is no press.
    """

    def __init__(
        self, hub: Hub, frequency: float | None, pressed: Callable[[Sequence[Name]], None]
    ) -> None:
        self._hub = hub
        self._frequency = frequency
        self._pressed = pressed
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
            self._ends[begun] = self._hub.listening.async_subscribe(begun, self._heard)

    @callback
    def _heard(self, packet: bytes) -> None:
        names = self._recognize(packet)
        echoes = map(self._recognize, self._hub.listening.echoes)
        if names and not any(names[0] in echo for echo in echoes):
            self._pressed(names)


def _know[Name](read: Callable[[], Named[Name]]) -> tuple[Recognizer[Name], set[str]]:
    packets = read()
    return Recognizer(packets), {kind(packet) for _, packet in packets}
