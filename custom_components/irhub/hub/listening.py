"""Listening: who learns hears button after button, until no more is wanted or nobody presses.

Dialogues, actions and the card listen by this one object: it alone holds a learning session, keeps
the frequency that was found for the next button, and ends the session however it ends.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from homeassistant.core import callback

from ..errors import IrhubError, NoSignalError, UnreadableSignalError, UserError
from .learning import LEARN_WINDOW_S, Captured, CommandType, Learner, Step
from .transceiver import Transceiver

type Ask = Callable[[Step], None]
"""Tells the user what to do next; there is listening by then."""
type Take = Callable[[Sequence[Captured]], Awaitable[bool]]
"""Takes what was received of a button. Returns whether another one is wanted."""
type NothingHeard = NoSignalError | UnreadableSignalError
"""Nobody has pressed in time, or what came was no packet."""
type Missed = Callable[[NothingHeard], bool]
"""Returns whether to listen on although nothing was heard of a button."""
type Over = Callable[[IrhubError | None], None]
"""Is told that it is over, and what went wrong."""


@dataclass(kw_only=True, eq=False)
class Listening:
    """Receives alone while it runs: in the caller's own task (`run`), or in another (`start`).

    One that was started is a person's. It gives way to the next one: of two pages that listen, the
    person looks at the one that was opened later.
    """

    hub: Transceiver
    ask: Ask
    take: Take
    missed: Missed = field(default=lambda _err: False)
    name: str = Learner.name
    """For whom there is listening."""
    receivers: Sequence[str] = ()
    """What is to receive; none are those of the hub's settings."""
    command_type: CommandType = "ir"
    frequency: float | None = None
    """Of a remote control by radio, in MHz: given, or else as its first button has it."""
    presses: int = 1
    """How many make one button."""
    window: float = LEARN_WINDOW_S
    """Seconds for each step of a button."""
    task: asyncio.Task[None] | None = field(default=None, init=False)
    _problem: IrhubError | None = field(default=None, init=False)
    """What went wrong, or why it gave way."""

    async def run(self) -> None:
        """Listen until no more is wanted. Raise IrhubError if it cannot go on."""
        learner = Learner(name=self.name, give_way=None if self.task is None else self._give_way)
        async with self.hub.learn(learner, self.receivers) as session:
            while True:
                try:
                    captured = await session.capture(
                        self.ask,
                        command_type=self.command_type,
                        window=self.window,
                        frequency=self.frequency,
                        presses=self.presses,
                    )
                except (NoSignalError, UnreadableSignalError) as err:
                    if not self.missed(err):
                        raise
                    continue
                if self.frequency is None:
                    self.frequency = captured[0].frequency
                if not await self.take(captured):
                    return

    @callback
    def start(self, over: Over) -> None:
        """Run in a task of its own. `over` is told of the end, a cancelled one, too."""
        # Not eager: done at once, it would hand a form's answers to the next page.
        self.task = self.hub.hass.async_create_background_task(
            self._run(over), f"irhub: learn with {self.hub.label}", eager_start=False
        )

    @property
    def is_over(self) -> bool:
        """Return whether it was not started, or has ended."""
        return self.task is None or self.task.done()

    @callback
    def cancel(self) -> None:
        """Stop listening."""
        if self.task is not None:
            self.task.cancel()

    async def stop(self) -> None:
        """Stop listening, and wait until another one can begin."""
        if not self.is_over and self.task is not None:
            if not self.task.cancelling():  # a second time, it would not tell the hub to stop
                self.task.cancel()
            await asyncio.wait({self.task})

    async def _give_way(self, receiver: str) -> None:
        if self.task is not None and not self.task.cancelling():  # else nobody asks why it ends
            self._problem = UserError("listens_elsewhere", receiver=receiver)
        await self.stop()

    async def _run(self, over: Over) -> None:
        try:
            await self.run()
        except IrhubError as err:
            self._problem = err
        finally:
            over(self._problem)
