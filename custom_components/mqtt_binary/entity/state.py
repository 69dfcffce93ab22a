"""The value and what time does to it: off_delay turns it off, expire_after takes it away."""

from collections.abc import Callable
from datetime import datetime
import time

from homeassistant.core import CALLBACK_TYPE, HassJob, HassJobType, HomeAssistant
from homeassistant.helpers.event import async_call_later


class Deadline:
    """Calls `action` once, `seconds` after the moment that the last `start` gave.

    Starting anew costs no timer: the one that runs notices when it fires that it is early,
    and runs again for the rest. Counted in monotonic time: a step of the clock does nothing.
    """

    def __init__(
        self, hass: HomeAssistant, name: str, seconds: float, action: Callable[[], None]
    ) -> None:
        self.seconds = seconds
        self._hass = hass
        self._action = action
        self._job = HassJob(
            self._fired,
            f"mqtt_binary {name}",
            job_type=HassJobType.Callback,
            cancel_on_shutdown=True,
        )
        self._due: float | None = None
        self._fires = 0.0
        self._cancel: CALLBACK_TYPE | None = None

    def start(self, since: float) -> None:
        """Let it come `seconds` after `since`, a moment on the event loop's clock."""
        self._due = due = since + self.seconds
        if self._cancel is None:
            self._run(due)
        elif due < self._fires:
            self._cancel()
            self._run(due)

    def clear(self) -> None:
        """Let it never come; the timer, if any, ends without effect."""
        self._due = None

    def suspend(self) -> None:
        """Stop the timer but remember the moment."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def resume(self) -> None:
        """Run on towards the moment."""
        if self._due is not None and self._cancel is None:
            self._run(self._due)

    def _run(self, due: float) -> None:
        self._fires = due
        self._cancel = async_call_later(self._hass, due - self._hass.loop.time(), self._job)

    def _fired(self, _now: datetime) -> None:
        self._cancel = None
        if self._due is None:
            return
        if self._due > self._hass.loop.time():
            self._run(self._due)
            return
        self._due = None
        self._action()


class BinaryState:
    """On (true), off (false) or unknown (None), and whether it has expired.

    `changed` is called when time changed it; messages come in through `accept`.
    """

    def __init__(self, hass: HomeAssistant, changed: Callable[[], None]) -> None:
        self._hass = hass
        self._changed = changed
        self.value: bool | None = None
        self.expired = False
        self.started = False
        self._received: float | None = None  # monotonic seconds, of the last accepted payload
        self._expiry: Deadline | None = None
        self._off: Deadline | None = None

    def configure(self, *, off_delay: float | None, expire_after: float | None) -> None:
        """Set both lengths (seconds); what runs is counted anew from the last payload."""
        if (off_delay, expire_after) == (_length(self._off), _length(self._expiry)):
            return
        self.suspend()
        self.expired = False
        hass = self._hass
        self._off = (
            None if off_delay is None else Deadline(hass, "off_delay", off_delay, self._turn_off)
        )
        self._expiry = (
            None
            if expire_after is None
            else Deadline(hass, "expire_after", expire_after, self._expire)
        )
        if self.started:
            self._count()

    def start(self) -> None:
        """Let time run: from now, or on from where `suspend` stopped it."""
        if self.started:
            for deadline in (self._off, self._expiry):
                if deadline is not None:
                    deadline.resume()
            return
        self.started = True
        self._count()

    def suspend(self) -> None:
        """Stop the timers."""
        for deadline in (self._off, self._expiry):
            if deadline is not None:
                deadline.suspend()

    def accept(self, value: bool | None) -> bool:
        """Take the value of a payload; return whether that changed anything to be seen."""
        self._received = now = self._hass.loop.time()
        changed = value is not self.value
        self.value = value
        if self._expiry is not None:
            self._expiry.start(now)
            if self.expired:
                self.expired = False
                changed = True
        if self._off is not None:
            if value:
                self._off.start(now)
            else:
                self._off.clear()
        return changed

    @property
    def received(self) -> float | None:
        """Return when the value was received, in seconds since 1970."""
        if self._received is None:
            return None
        return time.time() - (self._hass.loop.time() - self._received)

    def restore(self, value: bool | None, received: float | None) -> None:
        """Take up a value of before a restart; to be called before `start`."""
        self.value = value
        if received is not None:
            # A clock that was wrong then, or is now, must not make the value younger than new.
            age = max(0.0, time.time() - received)
            self._received = self._hass.loop.time() - age

    def _count(self) -> None:
        """Start both deadlines, counted from the last accepted payload."""
        now = self._hass.loop.time()
        since = now if self._received is None else self._received
        if self._off is not None and self.value:
            if now - since < self._off.seconds:
                self._off.start(since)
            else:
                self.value = False
        if self._expiry is not None:
            if now - since < self._expiry.seconds:
                self._expiry.start(since)
            else:
                self.value = None
                self.expired = True

    def _turn_off(self) -> None:
        self.value = False
        self._changed()

    def _expire(self) -> None:
        self.value = None
        self.expired = True
        if self._off is not None:
            self._off.clear()
        self._changed()


def _length(deadline: Deadline | None) -> float | None:
    return None if deadline is None else deadline.seconds
