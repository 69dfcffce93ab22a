"""The session with one hub: opened in the background, monitored, and renewed."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import logging
import socket
from typing import Final

from homeassistant.const import CONF_MAC
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .._common.log_once import LogOnce
from ..const import DOMAIN
from ..errors import HubClosedError, HubError, HubLockedError, HubOfflineError, WrongDeviceError
from ..settings import HubSettings, Mac
from .library import RESEND_S, SILENT, AuthenticationError, HubDevice
from .search import Locator, Search

_LOGGER = logging.getLogger(__package__)

BACK_OFF_S: Final = (5, 10, 20, 40, 60)
LOCKED_RETRY_S: Final = 60
KEEP_ALIVE_S: Final = 30
UNANSWERED_HELLOS: Final = 2
"""The hub counts as offline after this many unanswered hellos in a row."""


class Connection:
    """Holds an authenticated session with one device, or the error that prevents it.

    `start` connects in the background and retries. `connect` returns the device at once if there
    is a session; otherwise it joins the running attempt, or starts one, so that concurrent callers
    fail together after one timeout. `on_change` is called whenever `device` is set or cleared.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        settings: HubSettings,
        search: Search,
        on_change: Callable[[], None],
    ) -> None:
        self.settings = settings
        self.device: HubDevice | None = None
        self.locator = Locator(hass, settings, search)
        self.transmits_until = 0.0
        """Loop time until which the hub transmits; it does not answer meanwhile."""
        self.error: HubError | None = None
        """Why there is no session; None before the first attempt has ended, or while connected."""
        self._hass = hass
        self._on_change = on_change
        self._attempt: asyncio.Task[HubDevice] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._log = LogOnce(_LOGGER)
        self.closing = asyncio.Event()
        """Set once the hub is being closed; requests are then refused."""

    def apply(self, settings: HubSettings) -> None:
        """Apply other settings; an open session is kept."""
        self.settings = self.locator.settings = settings
        if self.device is not None:
            self.device.timeout = settings.timeout

    def start(self) -> None:
        """Connect in the background, and reconnect whenever the session is lost."""
        if self._watch is None:
            self._watch = self._hass.async_create_background_task(
                self._keep_connected(), f"irhub: connection to {self.settings.label}"
            )

    async def connect(self) -> HubDevice:
        """Return the authenticated device. Raise HubError, after `timeout` s at most."""
        if self.closing.is_set():
            raise hub_closed(self.settings)
        if self.device is not None:
            return self.device
        if self._attempt is None or self._attempt.done():
            self._attempt = self._hass.async_create_background_task(
                self._connect(), f"irhub: attempt to reach {self.settings.label}"
            )
            self._attempt.add_done_callback(_retrieve)
        attempt = self._attempt
        await asyncio.wait([attempt])  # shared with other callers: not cancelled with this one
        if attempt.cancelled():
            raise hub_closed(self.settings)
        return attempt.result()

    async def renew(self) -> HubDevice:
        """Return the device with a new session, after it ended the last one. Raise as `connect`.

        The address may belong to another device by now. So its MAC address is checked first, and
        the hub is searched for if it is not there any more.
        """
        if (device := self.device) is None:
            return await self.connect()
        try:
            await self.locator.greet(device.host)
            await self._open_session(device)
        except WrongDeviceError:
            await self.disconnect()
        except Exception as err:
            if self.closing.is_set():
                raise hub_closed(self.settings) from err
            await self.disconnect(error := explain(self.settings, err))
            raise error from err
        finally:
            if self.device is not device:  # closed meanwhile; the session has reopened the socket
                await device.aclose()
        return await self.connect()

    def check_now(self) -> None:
        """Check now whether the hub is reachable, after a request without an answer."""
        self._wake.set()

    async def disconnect(self, error: HubError | None = None) -> None:
        """Close the session. `error` is the reason; None if the next attempt determines it."""
        if (device := self.device) is None:
            return
        self.device = None
        if error is not None:
            self._set_error(error)
        self._wake.set()
        await device.aclose()
        self._on_change()

    async def close(self) -> None:
        """End all tasks and close the socket. Waiting calls raise HubClosedError."""
        self.closing.set()
        self.locator.async_close()
        self._report_lock(locked=False)
        if tasks := [task for task in (self._watch, self._attempt) if task is not None]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if (device := self.device) is not None:
            self.device = None
            await device.aclose()

    async def _keep_connected(self) -> None:
        failures = 0
        while True:
            self._wake.clear()
            if (device := self.device) is not None and not await self._answers(device):
                await self.disconnect(offline_error(self.settings))
                self._wake.clear()
                failures, delay = 1, BACK_OFF_S[0]
            else:
                try:
                    await self.connect()
                except HubLockedError:
                    delay = LOCKED_RETRY_S
                except HubError:
                    delay = BACK_OFF_S[min(failures, len(BACK_OFF_S) - 1)]
                    failures += 1
                else:
                    failures, delay = 0, KEEP_ALIVE_S
            with suppress(TimeoutError):
                async with asyncio.timeout(delay):
                    await self._wake.wait()

    async def _connect(self) -> HubDevice:
        device: HubDevice | None = None
        try:
            device = await self.locator.find()
            await self._open_session(device)
        except BaseException as err:
            if device is not None:
                await device.aclose()
            if not isinstance(err, Exception):
                raise
            self._set_error(error := explain(self.settings, err))
            raise error from err
        self.device = device
        self._set_error(None)
        self._on_change()
        return device

    async def _open_session(self, device: HubDevice) -> None:
        """Open a session with a device whose MAC address has just been checked.

        Its address may be reassigned meanwhile, so it is checked again before the first packet.
        """
        device.timeout = self.settings.timeout
        await device.open_session()
        await self.locator.greet(device.host)
        device.timeout = self.settings.timeout  # may have changed meanwhile

    async def _answers(self, device: HubDevice) -> bool:
        """Return whether the device answers a hello, and reset its watchdog.

        The firmware's watchdog expects pings, which are not answered, so only the answer to a
        hello shows that the device is reachable. It does not answer while it transmits; it then
        counts as reachable until the current request has ended.
        """
        with suppress(*SILENT):
            await device.ping()
        for _ in range(UNANSWERED_HELLOS):
            busy_until = self.transmits_until
            with suppress(*SILENT):
                try:
                    await self.locator.greet(device.host)
                except WrongDeviceError:
                    await self.disconnect()
                return True
            # A hello is resent every second, so a hub that was idle for longer is offline.
            if asyncio.get_running_loop().time() < busy_until + RESEND_S:
                return True
        return False

    def _set_error(self, error: HubError | None) -> None:
        """Set the error, and log it once until the hub is back."""
        self.error = error
        self._report_lock(locked=isinstance(error, HubLockedError))
        if error is not None:
            self._log.report("session", str(error))
        elif self._log.settle("session"):
            _LOGGER.info("The hub %s is back", self.settings.label)

    @callback
    def _report_lock(self, *, locked: bool) -> None:
        """Create or delete the repair issue that offers to unlock the hub."""
        issue = locked_issue(self.settings.mac)
        if not locked:
            ir.async_delete_issue(self._hass, DOMAIN, issue)
            return
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            data={CONF_MAC: str(self.settings.mac)},
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key="locked",
            translation_placeholders={"hub": self.settings.label},
        )


def locked_issue(mac: Mac) -> str:
    """Return the id of the repair issue of a locked hub."""
    return f"locked_{mac}"


def explain(settings: HubSettings, err: Exception) -> HubError:
    """Return the translated error for an exception that prevents a session."""
    match err:
        case HubError():
            return err
        case AuthenticationError():
            return HubLockedError("locked", hub=settings.label)
        case socket.gaierror():
            return HubOfflineError("unknown_host", hub=settings.host_label)
        case _ if isinstance(err, SILENT):
            return offline_error(settings)
        case _:
            return HubOfflineError("no_session", hub=settings.label, error=err)


def hub_closed(settings: HubSettings) -> HubClosedError:
    """Return the error for a request to a closed hub."""
    return HubClosedError("hub_closed", hub=settings.label)


def offline_error(settings: HubSettings) -> HubOfflineError:
    """Return the error for a hub that does not answer."""
    return HubOfflineError("offline", hub=settings.label, timeout=f"{settings.timeout:g}")


def _retrieve(attempt: asyncio.Task[HubDevice]) -> None:
    """Retrieve the exception: the caller may have been cancelled, and asyncio would log it."""
    if not attempt.cancelled():
        attempt.exception()
