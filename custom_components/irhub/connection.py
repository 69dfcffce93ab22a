"""The session with one hub: made in the background, watched, and made again."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
import ipaddress
import logging
import socket
from typing import Final

from homeassistant.core import HomeAssistant

from .errors import HubClosedError, HubError, HubLockedError, HubOfflineError, WrongDeviceError
from .library import (
    GARBLED,
    SILENT,
    AuthenticationError,
    Device,
    hello,
    open_session,
    with_class_of,
)
from .schema import HubSettings, same_mac, show_mac

_LOGGER = logging.getLogger(__package__)

BACK_OFF_S: Final = (5, 10, 20, 40, 60)
LOCKED_RETRY_S: Final = 60
KEEP_ALIVE_S: Final = 120
UNANSWERED_HELLOS: Final = 2
"""So many in a row mean that the hub is gone."""


class Connection:
    """Keeps one authenticated device at hand, and knows why there is none.

    `start` connects in the background and goes on trying. `connect` gives the device at
    once, or joins the attempt in flight, or starts one: callers that come together fail
    together, after one timeout. `on_change` is called whenever `device` comes or goes.
    """

    def __init__(
        self, hass: HomeAssistant, settings: HubSettings, on_change: Callable[[], None]
    ) -> None:
        self.settings = settings
        self.device: Device | None = None
        self.address: str | None = None
        """What the host last resolved to."""
        self._hass = hass
        self._on_change = on_change
        self._devtype: int | None = None
        self._attempt: asyncio.Task[Device] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._said: set[type[HubError]] = set()
        self._closed = False

    def start(self) -> None:
        """Connect in the background, and keep the connection from now on."""
        if self._watch is None:
            self._watch = self._hass.async_create_background_task(
                self._keep(), f"irhub: connection to {self.settings.label}"
            )

    async def connect(self) -> Device:
        """Return the authenticated device. Raises HubError, after a timeout if nobody answers."""
        if self._closed:
            raise HubClosedError("hub_closed", hub=self.settings.label)
        if self.device is not None:
            return self.device
        if self._attempt is None or self._attempt.done():
            self._attempt = self._hass.async_create_background_task(
                self._connect(), f"irhub: attempt to reach {self.settings.label}"
            )
            self._attempt.add_done_callback(_retrieve)
        attempt = self._attempt
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling() or not self._closed:
                raise
            raise HubClosedError("hub_closed", hub=self.settings.label) from None

    async def renew(self) -> Device:
        """Return the device with a new session: it ended the last one. Raises as `connect`."""
        if (device := self.device) is None:
            return await self.connect()
        try:
            await open_session(device)
        except Exception as err:
            if self._closed:
                raise HubClosedError("hub_closed", hub=self.settings.label) from err
            await self.lose(error := self._explain(err))
            raise error from err
        finally:
            if self.device is not device:  # closed meanwhile, which opened its socket anew
                await device.aclose()
        return await self.connect()

    def doubt(self) -> None:
        """Check now whether the hub is still there: a request got no answer."""
        self._wake.set()

    async def lose(self, error: HubError | None = None) -> None:
        """Give up the session; say why, unless the next attempt is to find out."""
        if (device := self.device) is None:
            return
        self.device = None
        if error is not None:
            self._say(error)
        self._wake.set()
        await device.aclose()
        self._on_change()

    async def close(self) -> None:
        """End every task and socket. Whoever waits gets HubClosedError."""
        self._closed = True
        if tasks := [task for task in (self._watch, self._attempt) if task is not None]:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if (device := self.device) is not None:
            self.device = None
            await device.aclose()

    async def _keep(self) -> None:
        failures = 0
        while True:
            self._wake.clear()
            if (device := self.device) is not None and not await self._answers(device):
                await self.lose(self._silence())
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

    async def _connect(self) -> Device:
        settings = self.settings
        device: Device | None = None
        try:
            self.address = await self._resolve()
            found = await self._meet(self.address)
            device = with_class_of(found, settings.fallback)
            device.host = self.address, settings.port
            device.timeout = settings.timeout
            await open_session(device)
        except BaseException as err:
            if device is not None:
                await device.aclose()
            if not isinstance(err, Exception):
                raise
            self._say(error := self._explain(err))
            raise error from err
        self.device = device
        self._devtype = device.devtype
        self._say(None)
        self._on_change()
        return device

    async def _resolve(self) -> str:
        host = self.settings.host
        with suppress(ValueError):
            return str(ipaddress.IPv4Address(host))
        async with asyncio.timeout(self.settings.timeout):
            found = await asyncio.get_running_loop().getaddrinfo(
                host, self.settings.port, family=socket.AF_INET, type=socket.SOCK_DGRAM
            )
        return str(found[0][4][0])

    async def _answers(self, device: Device) -> bool:
        """Feed the device's watchdog, and ask twice whether it is there.

        The ping is what the firmware's watchdog wants, but nothing answers it: only a
        hello tells the living from the dead.
        """
        with suppress(*SILENT):
            await device.ping()
        for _ in range(UNANSWERED_HELLOS):
            with suppress(*SILENT, *GARBLED):
                try:
                    await self._greet(device.host[0])
                except WrongDeviceError as err:
                    await self.lose(err)
                return True
        return False

    async def _meet(self, address: str) -> Device:
        """Say hello, and believe a device type that was not here before only when told twice."""
        found = await self._greet(address)
        if found.devtype != self._devtype:
            again = await self._greet(address)
            if again.devtype != found.devtype:
                raise ValueError("two hellos, two device types")
        return found

    async def _greet(self, address: str) -> Device:
        """Say hello, and see that the configured device answers.

        A hello carries no checksum that the library looks at, so another device is
        believed to be there only when it says so twice.
        """
        settings = self.settings
        found = await hello(address, settings.port, settings.timeout)
        if same_mac(settings.mac, found.mac.hex()):
            return found
        again = await hello(address, settings.port, settings.timeout)
        if same_mac(settings.mac, again.mac.hex()):
            return again
        if again.mac != found.mac:
            raise ValueError("two hellos, two MAC addresses")
        raise WrongDeviceError(
            "wrong_device",
            hub=settings.label,
            expected=show_mac(settings.mac),
            found=show_mac(found.mac.hex()),
        )

    def _explain(self, err: Exception) -> HubError:
        """Say in our words why there is no session."""
        match err:
            case HubError():
                return err
            case AuthenticationError():
                return HubLockedError("locked", hub=self.settings.label)
            case socket.gaierror():
                return HubOfflineError("unknown_host", hub=self.settings.label)
            case _ if isinstance(err, SILENT):
                return self._silence()
            case _:
                return HubOfflineError("no_session", hub=self.settings.label, error=err)

    def _silence(self) -> HubOfflineError:
        return HubOfflineError(
            "offline", hub=self.settings.label, timeout=f"{self.settings.timeout:g}"
        )

    def _say(self, error: HubError | None) -> None:
        """Log a problem once, whatever comes between, until the hub is back."""
        if error is None:
            if self._said:
                _LOGGER.info("The hub at %s is back", self.settings.label)
            self._said.clear()
        elif type(error) in self._said:
            _LOGGER.debug("%s", error)
        else:
            self._said.add(type(error))
            level = logging.ERROR if isinstance(error, WrongDeviceError) else logging.WARNING
            _LOGGER.log(level, "%s", error)


def _retrieve(attempt: asyncio.Task[Device]) -> None:
    """Take note of the outcome: whoever asked for the attempt may be gone by now."""
    if not attempt.cancelled():
        attempt.exception()
