"""Learning by actions: a packet (`irhub.learn`), or commands (`remote.learn_command`)."""

from collections import deque
from collections.abc import Sequence

from homeassistant.core import callback

from ..devices.store import Devices
from ..errors import (
    HubError,
    IrhubError,
    NoSignalError,
    StorageFailedError,
    UnreadableSignalError,
    list_names,
)
from ..hub.learning import Captured, CommandType, Step
from ..hub.listening import Listening, NothingReceived
from ..hub.transceiver import Transceiver
from ..ircodes.protocols import learned
from .notification import LearnNotification, async_learn_notification


async def async_learn_packet(
    hub: Transceiver, *, command_type: CommandType, window: float, frequency: float | None
) -> tuple[Captured, LearnNotification]:
    """Learn one button; return the capture, and the notification that has asked for it.

    The notification also reports a timeout or an unreadable signal. Raise IrhubError.
    """
    notification = await async_learn_notification(hub)
    received: list[Captured] = []

    async def on_captured(captured: Sequence[Captured]) -> bool:
        received.extend(captured)
        return False

    listening = Listening(
        hub=hub,
        on_step=notification.show_step,
        on_captured=on_captured,
        command_type=command_type,
        frequency=frequency,
        window=window,
    )
    try:
        await listening.run()
    except NoSignalError:
        notification.show("none_received")
        raise
    except UnreadableSignalError as err:
        await notification.async_show_error(err)
        raise
    except BaseException:
        notification.dismiss()
        raise
    return received[0], notification


async def async_learn_commands(
    hub: Transceiver,
    devices: Devices,
    device: str,
    commands: Sequence[str],
    *,
    command_type: CommandType,
    window: float,
    frequency: float | None,
    presses: int,
) -> None:
    """Learn commands of a device one by one, and store each immediately.

    A button that is not pressed is skipped. At the end, raise HubError with the commands that were
    not learned and the reasons. Raise UserError if learning is impossible.
    """
    notification = await async_learn_notification(hub)
    left, failures = deque(commands), dict[str, IrhubError]()

    @callback
    def on_step(step: Step) -> None:
        notification.show_step(step, left[0])

    async def on_captured(captured: Sequence[Captured]) -> bool:
        packets = learned([capture.packet for capture in captured])
        await devices.store({device: {left[0]: packets}})
        notification.dismiss()  # until the hub listens for the next one
        left.popleft()
        return bool(left)

    @callback
    def on_missed(err: NothingReceived) -> bool:
        if len(left) == 1:
            return False
        notification.dismiss()
        failures[left.popleft()] = err
        return True

    listening = Listening(
        hub=hub,
        on_step=on_step,
        on_captured=on_captured,
        on_missed=on_missed,
        command_type=command_type,
        frequency=frequency,
        presses=presses,
        window=window,
    )
    try:
        await listening.run()
    except (HubError, StorageFailedError) as err:
        failures[left[0]] = err
    finally:
        notification.dismiss()
    if failures:
        sentences = (f"{name}: {err}" for name, err in failures.items())
        named = list_names(sentences, separator="; ")
        raise HubError("not_learned", failures=named) from next(iter(failures.values()))
