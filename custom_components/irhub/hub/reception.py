"""The receivers used for the devices of a hub: its own, receiver entities, or all."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import override
from weakref import WeakSet

from homeassistant.core import CALLBACK_TYPE, callback

from ..errors import (
    HubOfflineError,
    IrhubError,
    NoSignalError,
    UnreadableSignalError,
    UserError,
    list_names,
)
from ..ircodes import Packet
from ..ircodes.protocols import same_button
from ..settings import ALL_RECEIVERS, OWN_RECEIVER
from .arming import INFRARED, Tuned
from .hub_receiver import HubReceiver
from .learning import Captured, Learner, Learning
from .receiver import REMEMBERED, Receiver, Remembered
from .receivers import Receivers
from .recent_signals import ONE_PRESS_S

type OnReceived = Callable[[Receiver, Packet], None]


class Reception:
    """The receivers chosen for a hub; by default its own, or all if it has none."""

    def __init__(self, receivers: Receivers, own: HubReceiver | None, label: str = "") -> None:
        """Create it; `label` is the name for messages if there is no own receiver."""
        self._chosen: Sequence[str] = ()
        self.own = own
        self._receivers = receivers
        self._label_without_own = label
        self._sessions: WeakSet[Learning] = WeakSet()

    @property
    def _label(self) -> str:
        return self._label_without_own if self.own is None else self.own.label

    @property
    def choices(self) -> list[Receiver]:
        """Return all receivers, the hub's own first."""
        return sorted(self._receivers, key=lambda receiver: receiver is not self.own)

    @property
    def can_learn(self) -> bool:
        """Return whether there is any receiver."""
        return bool(self.choices)

    @property
    def is_ambiguous(self) -> bool:
        """Return whether receivers were not chosen although an entity may be the right one."""
        return (
            not self._chosen
            and len(self.choices) > 1
            and any(receiver is not self.own and receiver.is_asked_for for receiver in self.choices)
        )

    @property
    def available(self) -> bool:
        """Return whether one of the chosen receivers can receive now."""
        return any(receiver.available for receiver in self.receivers())

    @callback
    def async_choose(self, chosen: Sequence[str]) -> None:
        """Set the chosen receivers, in the form of `TransceiverSettings.receivers`."""
        if chosen != self._chosen:
            self._chosen = chosen
            self._receivers.async_changed()

    def receivers(self, chosen: Sequence[str] = ()) -> list[Receiver]:
        """Return the `chosen` receivers; if empty, those of the settings."""
        chosen, own = chosen or self._chosen, self.own
        if ALL_RECEIVERS in chosen:
            return self.choices
        if not chosen:
            if own is not None and own.can_receive(INFRARED) is not False:
                return [own]
            return self.choices
        chosen_receivers = (
            own if id_ == OWN_RECEIVER else self._receivers.get(id_) for id_ in chosen
        )
        return [*dict.fromkeys(receiver for receiver in chosen_receivers if receiver is not None)]

    def remembered(self) -> list[Remembered]:
        """Return the last presses of all receivers without duplicates, newest last."""
        presses: list[Remembered] = []
        all_presses = [press for receiver in self.receivers() for press in receiver.remembered]
        for press in sorted(all_presses, key=attrgetter("at")):
            last = presses[-1] if presses else None
            if last is not None and _is_same(last, press):
                names = (*last.receivers, *press.receivers)
                presses[-1] = replace(last, receivers=names, times=max(last.times, press.times))
            else:
                presses.append(press)
        return presses[-REMEMBERED:]

    def learn(self, learner: Learner, chosen: Sequence[str] = ()) -> Learning:
        """Return a session with the `chosen` receivers; if empty, with those of the settings."""
        receivers = self.receivers(chosen)
        if not receivers and chosen:
            raise HubOfflineError("receiver_gone", receiver=", ".join(chosen))
        if not receivers and self.own is None:
            raise UserError("no_receiver")
        if not receivers and self.own is not None:
            receivers = [self.own]  # raises the right error
        session = (
            receivers[0].learn(learner)
            if len(receivers) == 1
            else JointLearning(self._label, learner, receivers)
        )
        self._sessions.add(session)
        return session

    @callback
    def async_subscribe(
        self, tuned: Tuned, on_received: OnReceived, *, listener: str
    ) -> CALLBACK_TYPE:
        """Call `on_received` with receiver and packet for every packet of a chosen receiver.

        Radio is received by the hub itself. `listener` is the name of the subscriber. Return a
        function that unsubscribes.
        """
        if tuned != INFRARED:
            if (own := self.own) is None:
                return _nothing
            return own.async_subscribe(tuned, partial(on_received, own), listener=listener)
        return self._attach(
            lambda receiver: receiver.async_subscribe(
                tuned, partial(on_received, receiver), listener=listener
            )
        )

    @callback
    def async_add_listener(self, listener: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `listener` when `available` may have changed. Return an unsubscriber."""
        end_attached = self._attach(lambda receiver: receiver.async_add_listener(listener))
        end_listening = self._receivers.async_add_listener(listener)

        @callback
        def end() -> None:
            end_listening()
            end_attached()

        return end

    async def read_now(self) -> None:
        """Read and report pending captures of the chosen receivers."""
        for receiver in self.receivers():
            await receiver.read_now()

    async def close(self) -> None:
        """End all learning sessions."""
        await asyncio.gather(*(session.stop() for session in self._sessions))

    def _attach(self, attach: Callable[[Receiver], CALLBACK_TYPE]) -> CALLBACK_TYPE:
        """Call `attach` for each chosen receiver, now and when the choice or receivers change.

        Return a function that detaches all.
        """
        ends: dict[Receiver, CALLBACK_TYPE] = {}

        @callback
        def update() -> None:
            receivers = self.receivers()
            for receiver in ends.keys() - {*receivers}:
                ends.pop(receiver)()
            for receiver in receivers:
                if receiver not in ends:
                    ends[receiver] = attach(receiver)

        end_updating = self._receivers.async_add_listener(update)
        update()

        @callback
        def end() -> None:
            end_updating()
            while ends:
                ends.popitem()[1]()

        return end


class JointLearning(Learning):
    """Learns with several receivers at once; the first one to receive a press returns it."""

    def __init__(self, label: str, learner: Learner, receivers: Iterable[Receiver]) -> None:
        super().__init__(label, learner)
        self._all = [(receiver, receiver.learn(learner)) for receiver in receivers]
        self._begun: list[tuple[Receiver, Learning]] = []

    @override
    async def begin(self) -> None:
        problems: list[IrhubError] = []
        for receiver, session in self._all:
            try:
                await session.__aenter__()
            except IrhubError as err:
                problems.append(err)
            except asyncio.CancelledError:
                await self.end(early=True)
                raise
            else:
                self._begun.append((receiver, session))
        if not self._begun:
            raise problems[0]

    @override
    async def end(self, *, early: bool) -> None:
        # All but one are still listening.
        await asyncio.gather(*(session.finish(early=True) for _, session in self._begun))

    @override
    async def stop(self) -> None:
        await asyncio.gather(*(session.stop() for _, session in self._begun), super().stop())

    @override
    async def find_frequency(self, window: float, armed: Callable[[], None]) -> float:
        for receiver, session in self._begun:
            if receiver.can_receive(Tuned(frequency=1)) is not False:
                return await session.find_frequency(window, armed)
        return await super().find_frequency(window, armed)

    @override
    async def receive(self, tuned: Tuned, window: float, armed: Callable[[], None]) -> Captured:
        is_armed = False

        def armed_once() -> None:
            nonlocal is_armed
            if not is_armed:
                is_armed = True
                armed()

        captures = [
            asyncio.ensure_future(
                _with_receiver(receiver, session.receive(tuned, window, armed_once))
            )
            for receiver, session in self._begun
            if receiver.can_receive(tuned) is not False
        ]
        problems: list[IrhubError] = []
        try:
            for next_done in asyncio.as_completed(captures):
                try:
                    captured = await next_done
                except IrhubError as err:
                    problems.append(err)
                else:
                    return captured
        finally:
            for task in captures:
                task.cancel()
            await asyncio.gather(*captures, return_exceptions=True)
        for problem in problems:
            if isinstance(problem, UnreadableSignalError):
                raise problem
        if any(isinstance(problem, NoSignalError) for problem in problems):
            labels = list_names(receiver.label for receiver, _ in self._begun)
            raise NoSignalError("receiver_no_signal", receiver=labels)
        raise problems[0] if problems else UserError("no_radio", hub=self._label)


async def _with_receiver(receiver: Receiver, capture: Awaitable[Captured]) -> Captured:
    return replace(await capture, receiver=receiver.label)


@callback
def _nothing() -> None:
    """Do nothing; the unsubscribe function where there is no subscription."""


def _is_same(last: Remembered, press: Remembered) -> bool:
    """Return whether two receivers have received the same press."""
    is_soon = (press.at - last.at).total_seconds() < ONE_PRESS_S
    is_of_another = not {*last.receivers} & {*press.receivers}
    return is_soon and is_of_another and same_button(last.packet, press.packet)
