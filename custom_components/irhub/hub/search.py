"""Finding devices: at their host, or by broadcast on all network interfaces."""

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
import ipaddress
import logging
import socket

from homeassistant.components import network
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .._common.markdown import escaped_values
from ..const import DEFAULT_PORT, DOMAIN
from ..errors import WrongDeviceError
from ..settings import HubSettings, Mac
from .hello import Address, broadcast, hello
from .library import RESEND_S, HubDevice, with_class_of

_LOGGER = logging.getLogger(__package__)


async def local_addresses(hass: HomeAssistant) -> list[str]:
    """Return the IPv4 addresses of this machine's interfaces, for broadcasts."""
    return [
        of_adapter["address"]
        for adapter in await network.async_get_adapters(hass)
        for of_adapter in adapter["ipv4"]
    ]


async def discover_devices(hass: HomeAssistant, port: int = DEFAULT_PORT) -> list[HubDevice]:
    """Return the devices that answer a broadcast within a few seconds, each once."""
    devices: dict[bytes, HubDevice] = {}
    await broadcast(
        await local_addresses(hass), port, lambda device: devices.setdefault(device.mac, device)
    )
    return list(devices.values())


@dataclass
class _Broadcast:
    """A running broadcast: the answers so far, and the futures of waiting callers."""

    answers: dict[Mac, Address] = field(default_factory=dict)
    waiting: defaultdict[Mac, list[asyncio.Future[None]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @callback
    def answered(self, device: HubDevice) -> None:
        """Record the address of a device, and wake the callers that wait for it."""
        mac = Mac(device.mac.hex())
        self.answers[mac] = device.host
        _wake(self.waiting.pop(mac, ()))

    @callback
    def ended(self) -> None:
        """Wake all callers."""
        for waiting in self.waiting.values():
            _wake(waiting)
        self.waiting.clear()


class Search:
    """Finds devices by MAC address; concurrent callers share one broadcast.

    It outlives reloads, and therefore records which devices have left their configured address.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._broadcasts: dict[int, _Broadcast] = {}
        self._moved_to: dict[Mac, str] = {}

    @callback
    def record_address(self, mac: Mac, address: str | None) -> bool:
        """Record a device's address, None if it is the configured one; return if it has changed."""
        before = self._moved_to.pop(mac, None)
        if address is not None:
            self._moved_to[mac] = address
        return address != before

    async def locate(self, mac: Mac, port: int) -> Address | None:
        """Return the address of a device that answers a broadcast to `port`; None if it does not.

        Takes BROADCAST_S at most.
        """
        if (running := self._broadcasts.get(port)) is None:
            running = self._broadcasts[port] = _Broadcast()
            _ = self._hass.async_create_background_task(
                self._broadcast(running, port), f"irhub: broadcast to port {port}"
            )
        if mac not in running.answers:
            answered = asyncio.get_running_loop().create_future()
            running.waiting[mac].append(answered)
            await answered
        return running.answers.get(mac)

    async def _broadcast(self, running: _Broadcast, port: int) -> None:
        try:
            await broadcast(await local_addresses(self._hass), port, running.answered)
        finally:
            del self._broadcasts[port]
            running.ended()


class Locator:
    """Finds the device of one hub: at its host, at another configured host, or by broadcast."""

    def __init__(self, hass: HomeAssistant, settings: HubSettings, search: Search) -> None:
        self.settings = settings
        self.address: str | None = None
        """IPv4 address where the device was found, or to which its host last resolved."""
        self._hass = hass
        self._search = search
        self._issue = f"moved_{settings.mac}"

    async def find(self) -> HubDevice:
        """Return the device, at its configured host or else at its present address.

        If the host does not answer soon, the other configured hosts are tried and a broadcast is
        sent as well. If the device is not found, raise the error of its host.
        """
        configured: set[Address] = set()

        async def ask(host: str, port: int) -> HubDevice:
            address = await resolve(host, port, self.settings.timeout), port
            configured.add(address)
            if host == self.settings.host:
                self.address = address[0]
            return await self.greet(address)

        at_host = self._start(ask(self.settings.host, self.settings.port))
        attempts = {at_host}
        try:
            await asyncio.wait(attempts, timeout=min(RESEND_S, self.settings.timeout / 2))
            if not at_host.done() or at_host.exception() is not None:
                attempts |= {self._start(ask(*other)) for other in self.settings.other_hosts}
                attempts.add(self._start(self._ask_by_broadcast()))
            pending = attempts
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    if attempt.exception() is None:
                        device = attempt.result()
                        self.address = device.host[0]
                        self._report_move(moved=device.host not in configured)
                        return device
            return at_host.result()
        finally:
            for attempt in attempts:
                attempt.cancel()
            await asyncio.gather(*attempts, return_exceptions=True)

    async def greet(self, address: Address) -> HubDevice:
        """Send a hello; return the configured device. Raise WrongDeviceError for another one."""
        settings = self.settings
        device = await hello(*address, settings.timeout)
        if (mac := Mac(device.mac.hex())) != settings.mac:
            raise WrongDeviceError(
                "wrong_device", hub=settings.label, expected=settings.mac.label, found=mac.label
            )
        device = with_class_of(device, settings.fallback)
        device.host = address
        return device

    @callback
    def async_close(self) -> None:
        """Delete the repair issue about the device's address."""
        ir.async_delete_issue(self._hass, DOMAIN, self._issue)

    def _start(self, attempt: Coroutine[object, object, HubDevice]) -> asyncio.Task[HubDevice]:
        return self._hass.async_create_background_task(
            attempt, f"irhub: search for {self.settings.label}"
        )

    async def _ask_by_broadcast(self) -> HubDevice:
        async with asyncio.timeout(self.settings.timeout):
            address = await self._search.locate(self.settings.mac, self.settings.port)
        if address is None:
            raise TimeoutError
        return await self.greet(address)

    @callback
    def _report_move(self, *, moved: bool) -> None:
        """Update the repair issue about a device that has left its address; log it once."""
        address = self.address if moved else None
        is_changed = self._search.record_address(self.settings.mac, address)
        if address is None:
            ir.async_delete_issue(self._hass, DOMAIN, self._issue)
            return
        if is_changed:
            _LOGGER.warning(
                "The hub %s was found at %s and is used there;"
                " give it a fixed address in the router",
                self.settings.label,
                address,
            )
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            self._issue,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="moved",
            translation_placeholders=escaped_values(
                {
                    "hub": self.settings.label,
                    "address": address,
                    "mac": self.settings.mac.label,
                }
            ),
        )


async def resolve(host: str, port: int, timeout: float) -> str:
    """Return the IPv4 address of a host. Raise TimeoutError or socket.gaierror."""
    with suppress(ValueError):
        return str(ipaddress.IPv4Address(host))
    async with asyncio.timeout(timeout):
        infos = await asyncio.get_running_loop().getaddrinfo(
            host, port, family=socket.AF_INET, type=socket.SOCK_DGRAM
        )
    return str(infos[0][4][0])


def _wake(waiting: list[asyncio.Future[None]] | tuple[()]) -> None:
    for answered in waiting:
        if not answered.done():
            answered.set_result(None)
