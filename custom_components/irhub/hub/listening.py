"""Learning of several buttons in one session, for dialogues, actions and the card.

The object holds the learning session, keeps a found radio frequency for the next button, and ends
the session in all cases.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from homeassistant.core import callback

from ..errors import IrhubError, NoSignalError, UnreadableSignalError, UserError
from .learning import LEARN_WINDOW_S, Captured, CommandType, Learner, Step
from .transceiver import Transceiver

type OnStep = Callable[[Step], None]
"""Tells the user what to do next; called once the receiver listens."""
type OnCaptured = Callable[[Sequence[Captured]], Awaitable[bool]]
"""Handles the captures of a button. Returns whether to learn another one."""
type NothingReceived = NoSignalError | UnreadableSignalError
"""No signal in time, or no readable packet."""
type OnMissed = Callable[[NothingReceived], bool]
"""Handles a button that was not received. Returns whether to continue."""
type OnEnd = Callable[[IrhubError | None], None]
"""Called at the end, with the error if there was one."""


@dataclass(kw_only=True, eq=False)
class Listening:
    """Learns buttons, in the caller's task (`run`) or in a task of its own (`start`).

    A started one gives way to the next started one: of two pages that listen, the user looks at
    the one opened later.
    """

    hub: Transceiver
    on_step: OnStep
    on_captured: OnCaptured
    on_missed: OnMissed = field(default=lambda _err: False)
    name: str = Learner.name
    """Name shown by the sensor *Listening for*."""
    receivers: Sequence[str] = ()
    """Ids of the receivers to use. Empty: those of the hub's settings."""
    command_type: CommandType = "ir"
    frequency: float | None = None
    """Radio frequency in MHz; None: that of the first button."""
    presses: int = 1
    """Number of presses for each button; 2 for an alternating command."""
    window: float = LEARN_WINDOW_S
    """Timeout of each step of a button, in seconds."""
    task: asyncio.Task[None] | None = field(default=None, init=False)
    _problem: IrhubError | None = field(default=None, init=False)
    """The error, or the reason for giving way."""

    async def run(self) -> None:
        """Learn buttons until `on_captured` or `on_missed` ends it. Raise IrhubError on failure."""
        learner = Learner(name=self.name, give_way=None if self.task is None else self._give_way)
        async with self.hub.learn(learner, self.receivers) as session:
            while True:
                try:
                    captured = await session.capture(
                        self.on_step,
                        command_type=self.command_type,
                        window=self.window,
                        frequency=self.frequency,
                        presses=self.presses,
                    )
                except (NoSignalError, UnreadableSignalError) as err:
                    if not self.on_missed(err):
                        raise
                    continue
                if self.frequency is None:
                    self.frequency = captured[0].frequency
                if not await self.on_captured(captured):
                    return

    @callback
    def start(self, on_end: OnEnd) -> None:
        """Run in a task of its own. `on_end` is called at the end, also if it is cancelled."""
        # Not eager: if it ended at once, a form's answers would be passed to the next page.
        self.task = self.hub.hass.async_create_background_task(
            self._run(on_end), f"irhub: learn with {self.hub.label}", eager_start=False
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
        """Stop listening, and wait until the receivers are free."""
        if not self.is_over and self.task is not None:
            if not self.task.cancelling():  # cancelled twice, it would not stop the hub
                self.task.cancel()
            await asyncio.wait({self.task})

    async def _give_way(self, receiver: str) -> None:
        if self.task is not None and not self.task.cancelling():  # else the user has ended it
            self._problem = UserError("listens_elsewhere", receiver=receiver)
        await self.stop()

    async def _run(self, on_end: OnEnd) -> None:
        try:
            await self.run()
        except IrhubError as err:
            self._problem = err
        finally:
            on_end(self._problem)
