"""Learning: the device listens, somebody presses a button, the packet is read."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
import logging
from types import TracebackType
from typing import Final, Literal, Self, cast

from homeassistant.components import persistent_notification
from homeassistant.core import callback

from ..errors import (
    HubError,
    HubOfflineError,
    HubRefusedError,
    NoSignalError,
    NotConfirmedError,
    UnreadableSignalError,
    UserError,
)
from ..packets.packet import carrier_mhz, from_bytes
from .connection import hub_closed
from .hub import Hub
from .library import (
    FAILED,
    NOTHING_YET,
    SILENT,
    Capability,
    Device,
    Radio,
    Remote,
    swept_frequency,
)

_LOGGER = logging.getLogger(__package__)

LEARN_WINDOW_S: Final = 20
READ_EVERY_S: Final = 0.2
REARM_S: Final = 15
"""Devices leave learning mode by themselves, some after 25 s."""
BETWEEN_PRESSES_S: Final = 1.0
"""So that a button still held is not taken for the next press."""
END_S: Final = 1.0
SPARE_S: Final = 0.25
"""Whoever waits for the end of learning waits this much longer than the device is told of it."""

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
    """A packet as the device heard it, and its carrier in MHz if it came by radio."""

    packet: bytes
    frequency: float | None


class Learning:
    """A learning session on a hub: `async with Learning(hub) as session`, any number of captures.

    Only one at a time: entering a second one raises UserError. However it ends (an error, a
    cancelled call, `stop`), the device is told to stop listening.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._window: asyncio.Timeout | None = None
        self._ended = asyncio.Event()
        self._captures = 0

    async def __aenter__(self) -> Self:
        if self._hub.learning is not None:
            raise UserError("already_learning", hub=self._hub.label)
        self._hub.learning = self
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        try:
            if error is not None:
                await self._stop_listening()
        finally:
            self._hub.learning = None
            self._ended.set()

    async def stop(self) -> None:
        """Let the capture under way fail with HubClosedError; return when the device is told."""
        if self._window is not None:
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

        `ask` is called with what the user has to do as soon as the device listens; each step
        has `window` seconds. Radio is searched for first, unless its `frequency` in MHz is
        given. Raise UserError if the device cannot do it, NoSignalError if nothing came,
        UnreadableSignalError if no packet came, another HubError if the hub failed.
        """
        captured: list[Captured] = []
        step = Step.PRESS
        if command_type == "rf":
            await self._hub.connection.connect()
            if not self._hub.can(Capability.RADIO):
                raise UserError("no_radio", hub=self._hub.label)
            if frequency is None:
                await self._pause()
                frequency = await self._listen(
                    _sweep, swept_frequency, window, partial(ask, Step.HOLD)
                )
                step = Step.AGAIN

        async def arm(device: Device) -> None:
            if command_type == "rf":
                await cast(Radio, device).find_rf_packet(frequency)
            else:
                await cast(Remote, device).enter_learning()

        for _ in range(presses):
            await self._pause()
            packet = await self._listen(arm, _read, window, partial(ask, step), from_bytes)
            carrier = (carrier_mhz(packet) or frequency) if command_type == "rf" else None
            captured.append(Captured(packet=packet, frequency=carrier))
            step = Step.SECOND
        return captured

    async def _pause(self) -> None:
        if self._captures:
            await self._hub.pause(BETWEEN_PRESSES_S)
        self._captures += 1

    async def _listen[T](
        self,
        arm: Callable[[Device], Awaitable[None]],
        read: Callable[[Device], Awaitable[T | None]],
        window: float,
        armed: Callable[[], None],
        accept: Callable[[T], T] = lambda heard: heard,
    ) -> T:
        """Arm the device and read every READ_EVERY_S until something is there.

        It is armed again when it has forgotten: a send ends learning, so do a new session and
        REARM_S, and what `accept` refuses with a ValueError. Before that it is read, since
        arming forgets what was heard. What fails after the first arming is tried again until
        the window closes.
        """
        loop = asyncio.get_running_loop()
        problem: HubError | None = None
        unreadable: ValueError | None = None
        try:
            async with asyncio.timeout(None) as self._window:
                epoch = await self._arm(arm)
                armed()
                self._window.reschedule(loop.time() + window)
                due = loop.time()
                rearm_at = due + REARM_S
                while True:
                    due = max(due + READ_EVERY_S, loop.time())
                    await asyncio.sleep(due - loop.time())
                    try:
                        heard = await self._hub.request(read)
                        problem = None
                        if heard is not None:
                            try:
                                return accept(heard)
                            except ValueError as err:
                                _LOGGER.debug(
                                    "A capture of the hub at %s is no packet: %s",
                                    self._hub.label,
                                    err,
                                )
                                unreadable = err
                                rearm_at = 0
                        if epoch != self._epoch() or loop.time() >= rearm_at:
                            epoch = await self._arm(arm)
                            rearm_at = loop.time() + REARM_S
                    except (HubOfflineError, NotConfirmedError, HubRefusedError) as err:
                        problem = err
        except TimeoutError:
            if self._hub.closed:
                raise hub_closed(self._hub.settings) from None
            if problem is not None:
                raise problem from None
            if unreadable is not None:
                raise UnreadableSignalError(
                    "unreadable_signal", hub=self._hub.label, error=unreadable
                ) from unreadable
            raise NoSignalError("no_signal", hub=self._hub.label) from None
        finally:
            self._window = None

    async def _arm(self, arm: Callable[[Device], Awaitable[None]]) -> tuple[object, ...]:
        await self._hub.connection.connect()
        if not self._hub.can(Capability.LEARN):
            raise UserError("cannot_learn", hub=self._hub.label)
        await self._hub.request(arm)
        return self._epoch()

    def _epoch(self) -> tuple[object, ...]:
        """Return what changes when the device forgets that it should listen."""
        device = self._hub.connection.device
        return device, device and device.aes, self._hub.transmissions

    async def _stop_listening(self) -> None:
        """Tell the device at once, past the queue: a request that hangs must not delay it."""
        if (device := self._hub.connection.device) is None or not self._hub.can(Capability.LEARN):
            return
        with suppress(*SILENT, *FAILED):
            async with asyncio.timeout(END_S):
                await cast(Remote, device).cancel_learning()


async def _read(device: Device) -> bytes | None:
    try:
        return await cast(Remote, device).check_data() or None
    except NOTHING_YET:
        return None


async def _sweep(device: Device) -> None:
    await cast(Radio, device).sweep_frequency()


_TITLE: Final = "Learn command"
_NOTICES: Final = {
    Step.HOLD: ("Press and hold {}.", "Sweep frequency"),
    Step.PRESS: ("Press {}.", _TITLE),
    Step.AGAIN: ("Press {} again.", _TITLE),
    Step.SECOND: ("Press {} again, for its second code.", _TITLE),
}
"""What the user reads at each step, and its title."""


class Notice:
    """What the user reads while a hub learns: one persistent notification per hub.

    `button` reads like "the button" or "the 'power' button".
    """

    def __init__(self, hub: Hub, button: str) -> None:
        self._hass = hub.hass
        self._id = f"irhub_learn_{hub.settings.mac}"
        self._button = button

    @callback
    def ask(self, step: Step) -> None:
        """Ask for the next step, in place of what was shown before."""
        text, title = _NOTICES[step]
        self.tell(text.format(self._button), title)

    @callback
    def tell(self, message: str, title: str = _TITLE) -> None:
        """Show a text in place of what was shown before."""
        persistent_notification.async_create(self._hass, message, title, self._id)

    @callback
    def dismiss(self) -> None:
        """Take the notification away."""
        persistent_notification.async_dismiss(self._hass, self._id)
