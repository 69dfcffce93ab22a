"""A moment that is pushed back often and reached rarely."""

from collections.abc import Callable
from datetime import datetime

from homeassistant.core import CALLBACK_TYPE, HassJob, HassJobType, HomeAssistant
from homeassistant.helpers.event import async_call_later
from homeassistant.util import dt as dt_util


class Deadline:
    """Calls `action` once, `seconds` after the last `start`.

    Starting anew costs no timer: the one that runs notices when it fires that it is early,
    and runs again for the rest. Counted in monotonic time: a step of the clock does nothing.
    """

    __slots__ = ("_action", "_cancel", "_due", "_fires", "_hass", "_job", "seconds")

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

    def start(self, age: float = 0.0) -> None:
        """Let it come after the full time, less `age` seconds that have passed already."""
        left = self.seconds - age
        self._due = due = self._hass.loop.time() + left
        if self._cancel is None:
            self._run(left)
        elif due < self._fires:
            self._cancel()
            self._run(left)

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
            self._run(self._due - self._hass.loop.time())

    def _run(self, seconds: float) -> None:
        self._fires = self._hass.loop.time() + seconds
        self._cancel = async_call_later(self._hass, seconds, self._job)

    def _fired(self, now: datetime) -> None:
        self._cancel = None
        if self._due is None:
            return
        # `now` is when Home Assistant holds the timer to have fired: this very moment,
        # except where its time is advanced by hand.
        advanced = (now - dt_util.utcnow()).total_seconds()
        left = self._due - self._hass.loop.time() - advanced
        if left > 0:
            self._run(left)
            return
        self._due = None
        self._action()
