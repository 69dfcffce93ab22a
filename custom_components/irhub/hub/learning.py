"""Learning: what one receives alone, button after button."""

from abc import ABC, abstractmethod
import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from types import TracebackType
from typing import Final, Literal, Self

from ..errors import UserError
from ..ircodes import Packet
from .arming import INFRARED, Tuned
from .library import END_S

LEARN_WINDOW_S: Final = 20
BETWEEN_PRESSES_S: Final = 1.0
"""So that a button still held is not taken for the next press."""
SPARE_S: Final = 0.25
"""Whoever waits for the end of learning waits this much longer than the device is told of it."""

type CommandType = Literal["ir", "rf"]
"""The kinds of signal that can be learned, as `remote.learn_command` calls them."""


class Step(StrEnum):
    """What somebody who learns has to do next."""

    PRESS = "press"
    """Press the button."""
    HOLD = "hold"
    """Hold the button, so that the hub can find its frequency."""
    AGAIN = "again"
    """Press the button once more, after HOLD."""
    SECOND = "second"
    """Press the button for the second packet of an alternating command."""


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A packet as it was received, and its carrier in MHz if it came by radio."""

    packet: Packet
    frequency: float | None
    receiver: str | None = None
    """What has received it, unless it is the hub itself, the only one that listened."""


type GiveWay = Callable[[str], Awaitable[None]]
"""Ends listening, as somebody else listens now with the receiver of that label."""


@dataclass(frozen=True, kw_only=True)
class Learner:
    """Who learns."""

    name: str = "learning"
    give_way: GiveWay | None = None
    """None of one who keeps a receiver to the end, and takes none that is in use."""


class Learning(ABC):
    """A learning session: `async with receiver.learn(name) as session`, any number of captures.

    A receiver has one at a time: entering a second one ends the first if both learners give way,
    else it raises UserError. However it ends (an error, a cancelled call, `stop`), the receiver
    listens no more for it.
    """

    def __init__(self, label: str, learner: Learner) -> None:
        self.learner = learner
        self._label = label
        """What messages call the receiver."""
        self._window: asyncio.Timeout | None = None
        self.is_stopped = False
        """Whether `stop` was called."""
        self._has_begun = False
        self._ended = asyncio.Event()
        self._captures = 0

    @abstractmethod
    async def begin(self) -> None:
        """Let the session receive alone. Raise UserError if another one keeps the receiver."""

    @abstractmethod
    async def end(self, *, early: bool) -> None:
        """Let others receive again; `early`: it may listen still."""

    @abstractmethod
    async def hear(self, tuned: Tuned, window: float, armed: Callable[[], None]) -> Captured:
        """Return what is received within `window` seconds; call `armed` once there is listening.

        Raise UserError if that cannot be received, NoSignalError if nothing came,
        UnreadableSignalError if no packet came, another HubError if the receiver failed.
        """

    async def find_frequency(
        self,
        window: float,  # noqa: ARG002  (of those who can)
        armed: Callable[[], None],  # noqa: ARG002
    ) -> float:
        """Return the frequency of a remote control by radio, in MHz. Raise as `hear`."""
        raise UserError("no_radio", hub=self._label)

    async def pause(self, seconds: float) -> None:
        """Wait between two presses. Raise HubClosedError if the receiver is closed meanwhile."""
        await asyncio.sleep(seconds)

    async def __aenter__(self) -> Self:
        await self.begin()
        self._has_begun = True
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        await self.finish(early=error is not None)

    async def finish(self, *, early: bool) -> None:
        """End the session; `early`: it may listen still."""
        try:
            await self.end(early=early)
        finally:
            self._ended.set()

    async def stop(self) -> None:
        """Let the capture under way fail with HubClosedError; return when the session is over."""
        if not self._has_begun:
            return
        self.is_stopped = True
        if self._window is not None and not self._window.expired():
            self._window.reschedule(asyncio.get_running_loop().time())
        with suppress(TimeoutError):
            async with asyncio.timeout(END_S + SPARE_S):
                await self._ended.wait()

    async def capture(
        self,
        ask: Callable[[Step], None],
        *,
        command_type: CommandType = "ir",
        window: float = LEARN_WINDOW_S,
        frequency: float | None = None,
        presses: int = 1,
    ) -> list[Captured]:
        """Capture one button: a packet for each of `presses`, 2 for an alternating command.

        `ask` is called with what the user has to do as soon as there is listening; each step
        has `window` seconds. Radio is searched for first, unless its `frequency` in MHz is
        given. Raise as `hear`.
        """
        captured: list[Captured] = []
        step, tuned = Step.PRESS, INFRARED
        if command_type == "rf":
            if frequency is None:
                await self._pause()
                frequency = await self.find_frequency(window, partial(ask, Step.HOLD))
                step = Step.AGAIN
            tuned = Tuned(frequency=frequency)
        for _ in range(presses):
            await self._pause()
            captured.append(await self.hear(tuned, window, partial(ask, step)))
            step = Step.SECOND
        return captured

    async def _pause(self) -> None:
        if self._captures:
            await self.pause(BETWEEN_PRESSES_S)
        self._captures += 1
