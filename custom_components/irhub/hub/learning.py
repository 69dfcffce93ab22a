"""Base class of learning sessions, which have exclusive access to a receiver."""

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
"""Default timeout of each step, in seconds."""
BETWEEN_PRESSES_S: Final = 1.0
"""Pause in seconds, so that a button that is still held is not taken for the next press."""
SPARE_S: Final = 0.25
"""`stop` waits this many seconds longer than END_S, the timeout of the device's request."""

type CommandType = Literal["ir", "rf"]
"""The kinds of signal that can be learned, as `remote.learn_command` calls them."""


class Step(StrEnum):
    """What the user has to do next."""

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
    """A captured packet, with its carrier frequency in MHz if it is radio."""

    packet: Packet
    frequency: float | None
    receiver: str | None = None
    """Label of the receiver; None if only the hub itself listened."""


type GiveWay = Callable[[str], Awaitable[None]]
"""Ends a session in favour of another one; called with the label of the receiver."""


@dataclass(frozen=True, kw_only=True)
class Learner:
    """The user of a learning session."""

    name: str = "learning"
    give_way: GiveWay | None = None
    """None: it neither ends early for another learner nor ends another one's session."""


class Learning(ABC):
    """A learning session: `async with receiver.learn(learner) as session`, any number of captures.

    A receiver has at most one: entering a second one ends the first if both learners give way,
    else it raises UserError. At its end (also by an error, a cancelled call, or `stop`) the
    receiver stops listening for it.
    """

    def __init__(self, label: str, learner: Learner) -> None:
        self.learner = learner
        self._label = label
        """Name of the receiver in messages."""
        self._window: asyncio.Timeout | None = None
        self.is_stopped = False
        """Whether `stop` was called."""
        self._has_begun = False
        self._ended = asyncio.Event()
        self._captures = 0

    @abstractmethod
    async def begin(self) -> None:
        """Acquire the receiver. Raise UserError if another session keeps it."""

    @abstractmethod
    async def end(self, *, early: bool) -> None:
        """Release the receiver; `early`: it may still be listening."""

    @abstractmethod
    async def receive(self, tuned: Tuned, window: float, armed: Callable[[], None]) -> Captured:
        """Return the packet received within `window` seconds; call `armed` once it listens.

        Raise UserError if the receiver does not support the tuning, NoSignalError if there was no
        signal, UnreadableSignalError if there was no readable packet, another HubError if the
        receiver failed.
        """

    async def find_frequency(
        self,
        window: float,  # noqa: ARG002  (for subclasses)
        armed: Callable[[], None],  # noqa: ARG002
    ) -> float:
        """Return the frequency of a radio remote control in MHz. Raise as `receive`."""
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
        """End the session; `early`: the receiver may still be listening."""
        try:
            await self.end(early=early)
        finally:
            self._ended.set()

    async def stop(self) -> None:
        """Let the current capture fail with HubClosedError; return when the session has ended."""
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
        """Capture one button: a packet for each of `presses` (2 for an alternating command).

        `ask` is called with each step of the user once the receiver listens; each step has
        `window` seconds. For radio, the frequency is searched for first, unless `frequency` in MHz
        is given. Raise as `receive`.
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
            captured.append(await self.receive(tuned, window, partial(ask, step)))
            step = Step.SECOND
        return captured

    async def _pause(self) -> None:
        if self._captures:
            await self.pause(BETWEEN_PRESSES_S)
        self._captures += 1
