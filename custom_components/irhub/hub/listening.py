"""Learning, press after press, in a task that ends with whoever asked for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from homeassistant.core import callback

from ..errors import IrhubError, NoSignalError
from .learning import Captured, CommandType, Step
from .transceiver import Transceiver

type Ask = Callable[[Step], None]
"""Tells the user what to do next; the hub listens by then."""
type Take = Callable[[Sequence[Captured]], Awaitable[bool]]
"""Takes what was heard of a button. Returns whether another one is wanted."""
type Over = Callable[[IrhubError | None], None]
"""Is told that it is over, and what went wrong."""

FOR_ANY: Final = "learning"


class Listening:
    """Lets receivers listen from `start` on, until no more is wanted, or nobody presses."""

    def __init__(
        self,
        hub: Transceiver,
        ask: Ask,
        take: Take,
        over: Over,
        *,
        name: str = FOR_ANY,
        receivers: Sequence[str] = (),
        command_type: CommandType = "ir",
        frequency: float | None = None,
        presses: int = 1,
        waits_on: Callable[[], bool] = lambda: False,
    ) -> None:
        """`receivers` are what is to receive; none are those of the hub's settings.

        `waits_on` returns whether to listen on although nothing came in the usual time.
        """
        self._hub = hub
        self._ask = ask
        self._take = take
        self._over = over
        self._name = name
        self._receivers = receivers
        self._command_type = command_type
        self.frequency = frequency
        """In MHz, once it is known."""
        self._presses = presses
        self._waits_on = waits_on
        self.task: asyncio.Task[None] | None = None

    @callback
    def start(self, *, after: Listening | None = None) -> None:
        """Listen, once another one of the same hub that was cancelled has ended."""
        # Not eager: done at once, it would hand a form's answers to the next page.
        self.task = self._hub.hass.async_create_background_task(
            self._run(after), f"irhub: learn with {self._hub.label}", eager_start=False
        )

    @property
    def is_over(self) -> bool:
        """Return whether the hub listens no more."""
        return self.task is None or self.task.done()

    @callback
    def cancel(self) -> None:
        """Stop listening."""
        if self.task is not None:
            self.task.cancel()

    async def stop(self) -> None:
        """Stop listening, and wait until another one can begin."""
        if not self.is_over and self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def _run(self, after: Listening | None) -> None:
        if after is not None and after.task is not None and after.task.cancelling():
            await asyncio.wait([after.task])
        problem: IrhubError | None = None
        try:
            async with self._hub.learn(self._name, self._receivers) as session:
                while True:
                    try:
                        captured = await session.capture(
                            self._ask,
                            command_type=self._command_type,
                            frequency=self.frequency,
                            presses=self._presses,
                        )
                    except NoSignalError:
                        if self._waits_on():
                            continue
                        raise
                    self.frequency = captured[0].frequency
                    if not await self._take(captured):
                        break
        except IrhubError as err:
            problem = err
        finally:
            self._over(problem)
