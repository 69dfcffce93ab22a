"""The value and what time does to it: off_delay turns it off, expire_after takes it away."""

from collections.abc import Callable
import time

from homeassistant.core import HomeAssistant

from .deadline import Deadline


class BinaryState:
    """On (true), off (false) or unknown (None), and whether it has expired.

    `changed` is called when time changed it; messages come in through `accept`.
    """

    __slots__ = (
        "_changed",
        "_expiry",
        "_hass",
        "_off",
        "_received",
        "expired",
        "started",
        "value",
    )

    def __init__(self, hass: HomeAssistant, changed: Callable[[], None]) -> None:
        self._hass = hass
        self._changed = changed
        self.value: bool | None = None
        self.expired = False
        self._received: float | None = None  # monotonic seconds, of the last accepted payload
        self.started = False
        self._expiry: Deadline | None = None
        self._off: Deadline | None = None

    def configure(self, *, off_delay: float | None, expire_after: float | None) -> None:
        """Set both lengths (seconds); what runs is counted anew from the last payload."""
        if (off_delay, expire_after) == (_length(self._off), _length(self._expiry)):
            return
        self.suspend()
        self.expired = False
        self._off = (
            None
            if off_delay is None
            else Deadline(self._hass, "off_delay", off_delay, self._turn_off)
        )
        self._expiry = (
            None
            if expire_after is None
            else Deadline(self._hass, "expire_after", expire_after, self._expire)
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
        self._received = self._hass.loop.time()
        changed = value is not self.value
        self.value = value
        if self._expiry is not None:
            self._expiry.start()
            if self.expired:
                self.expired = False
                changed = True
        if self._off is not None:
            if value:
                self._off.start()
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
        age = 0.0 if self._received is None else self._hass.loop.time() - self._received
        if self._off is not None and self.value:
            if age < self._off.seconds:
                self._off.start(age)
            else:
                self.value = False
        if self._expiry is not None:
            if age < self._expiry.seconds:
                self._expiry.start(age)
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
