"""A sensor's value with its timers (`on_delay`, `off_delay`, `expire_after`) and `restore`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
import time
from typing import Any, Self, override

from homeassistant.core import CALLBACK_TYPE, HassJob, HassJobType, HomeAssistant
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.restore_state import ExtraStoredData


class Deadline:
    """Calls `action` once, `seconds` after the time given to the last `start`.

    Restarting does not create a timer: if the running one fires early, it is set again for the
    rest. Time is monotonic, so steps of the system clock have no effect.
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
        self._due = 0.0
        self._fires = 0.0
        self._cancel: CALLBACK_TYPE | None = None

    def start(self, since: float) -> None:
        """Call the action `seconds` after `since`, in event loop time."""
        self._due = due = since + self.seconds
        if self._cancel is not None:
            if due >= self._fires:
                return
            self._cancel()
        self._run()

    def stop(self) -> None:
        """Cancel the call."""
        if self._cancel is not None:
            self._cancel()
            self._cancel = None

    def _run(self) -> None:
        self._fires = self._due
        self._cancel = async_call_later(self._hass, self._due - self._hass.loop.time(), self._job)

    def _fired(self, _now: datetime) -> None:
        if self._due > self._hass.loop.time():
            self._run()
        else:
            self._cancel = None
            self._action()


class BinaryState:
    """On (True), off (False) or unknown (None), and whether it has expired.

    Messages are passed to `accept`. `changed` is called when a timer has changed the value.
    """

    def __init__(self, hass: HomeAssistant, changed: Callable[[], None]) -> None:
        self._hass = hass
        self._changed = changed
        self.value: bool | None = None
        self.expired = False
        # Times of the first start and of the last accepted payload, in event loop time.
        self.started: float | None = None
        self._received: float | None = None
        # When the running `on_delay` started, in event loop time.
        self._pending: float | None = None
        self._on: Deadline | None = None
        self._off: Deadline | None = None
        self._expiry: Deadline | None = None

    def configure(
        self, *, on_delay: float | None, off_delay: float | None, expire_after: float | None
    ) -> None:
        """Set the durations in seconds, and adjust running timers."""
        self.stop()
        self.expired = False
        hass = self._hass
        self._on = None if on_delay is None else Deadline(hass, "on_delay", on_delay, self._turn_on)
        self._off = (
            None if off_delay is None else Deadline(hass, "off_delay", off_delay, self._turn_off)
        )
        self._expiry = (
            None
            if expire_after is None
            else Deadline(hass, "expire_after", expire_after, self._expire)
        )
        if self.started is not None:
            self.start()

    def restore(self, last: LastValue) -> None:
        """Restore the value from before a restart. Call it before the first `start`."""
        self.value = last.value
        if last.received is not None:
            # A wrong system clock, then or now, must not give the value a negative age.
            age = max(0.0, time.time() - last.received)
            self._received = self._hass.loop.time() - age
        if last.pending is not None:
            self._pending = self._hass.loop.time() - max(0.0, time.time() - last.pending)

    def start(self) -> None:
        """Start the timers, from the last accepted payload or else from the first start."""
        now = self._hass.loop.time()
        if self.started is None:
            self.started = now
        since = self.started if self._received is None else self._received
        if self._pending is not None:
            if self._on is not None and now - self._pending < self._on.seconds:
                self._on.start(self._pending)
            else:
                self._pending = None
                self.value = True
        if self._off is not None and (self.value or self._pending is not None):
            if now - since < self._off.seconds:
                self._off.start(since)
            else:
                self._end_pending()
                self.value = False
        if self._expiry is not None:
            if now - since < self._expiry.seconds:
                self._expiry.start(since)
            else:
                self._end_pending()
                self.value = None
                self.expired = True

    def stop(self) -> None:
        """Stop the timers; `start` resumes them."""
        for deadline in (self._on, self._off, self._expiry):
            if deadline is not None:
                deadline.stop()

    def accept(self, value: bool | None) -> bool:
        """Set the value of a payload; return whether the state has changed."""
        self._received = now = self._hass.loop.time()
        previous, was_expired = self.value, self.expired
        if self._on is not None and value and not previous:
            if self._pending is None:
                self._pending = now
                self._on.start(now)
        else:
            self._end_pending()
            self.value = value
        if self._expiry is not None:
            self.expired = False
            self._expiry.start(now)
        if self._off is not None:
            if value:
                self._off.start(now)
            else:
                self._off.stop()
        return self.value is not previous or was_expired

    @property
    def received(self) -> float | None:
        """Return when the value was received, as Unix time."""
        return self._on_the_wall(self._received)

    @property
    def pending(self) -> float | None:
        """Return when the running `on_delay` started, as Unix time."""
        return self._on_the_wall(self._pending)

    def _on_the_wall(self, moment: float | None) -> float | None:
        if moment is None:
            return None
        return time.time() - (self._hass.loop.time() - moment)

    def _end_pending(self) -> None:
        if self._pending is not None:
            self._pending = None
            if self._on is not None:
                self._on.stop()

    def _turn_on(self) -> None:
        self._pending = None
        self.value = True
        self._changed()

    def _turn_off(self) -> None:
        self._end_pending()
        self.value = False
        self._changed()

    def _expire(self) -> None:
        self._end_pending()
        self.value = None
        self.expired = True
        if self._off is not None:
            self._off.stop()
        self._changed()


@dataclass(frozen=True, kw_only=True)
class LastValue(ExtraStoredData):
    """Data stored over a restart; `received` and `pending` are Unix times."""

    value: bool | None
    received: float | None
    attributes: dict[str, Any]
    availability: dict[str, bool] = field(default_factory=dict)
    """Topic → whether it reported the device as available; the latest last."""
    pending: float | None = None
    """When the running `on_delay` started."""

    @override
    def as_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "received": self.received,
            "attributes": self.attributes,
            "availability": self.availability,
            "pending": self.pending,
        }

    @classmethod
    def from_stored(cls, stored: ExtraStoredData | None) -> Self | None:
        """Return the last value from stored data; None if it is missing or invalid."""
        match stored.as_dict() if stored is not None else None:
            case {
                "value": bool() | None as value,
                "received": int() | float() | None as received,
                "attributes": dict() as attributes,
            }:
                return cls(
                    value=value,
                    received=received,
                    attributes=attributes,
                    availability=_availability(stored),
                    pending=_pending(stored),
                )
            case _:
                return None


def _availability(stored: ExtraStoredData | None) -> dict[str, bool]:
    """Return the values of the availability topics, which are stored since 0.4.1."""
    availability = None if stored is None else stored.as_dict().get("availability")
    if not isinstance(availability, dict):
        return {}
    return {
        topic: is_available
        for topic, is_available in availability.items()
        if isinstance(is_available, bool)
    }


def _pending(stored: ExtraStoredData | None) -> float | None:
    pending = None if stored is None else stored.as_dict().get("pending")
    return pending if isinstance(pending, int | float) else None
