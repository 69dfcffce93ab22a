"""Where devices are: by broadcast, on every interface of this machine, or at their host."""

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

from ..const import DEFAULT_PORT, DOMAIN
from ..errors import WrongDeviceError
from ..schema import HubSettings, identity, same_mac, show_mac
from .library import RESEND_S, Device, broadcast, hello, with_class_of

_LOGGER = logging.getLogger(__package__)

type Place = tuple[str, int]
"""Address and port."""


async def local_addresses(hass: HomeAssistant) -> list[str]:
    """Return the IPv4 addresses of this machine: a broadcast goes out of the interface of each."""
    return [
        of_adapter["address"]
        for adapter in await network.async_get_adapters(hass)
        for of_adapter in adapter["ipv4"]
    ]


async def discover_devices(hass: HomeAssistant, port: int = DEFAULT_PORT) -> list[Device]:
    """Return the devices that answer a broadcast within a few seconds, each once."""
    devices: dict[bytes, Device] = {}
    await broadcast(
        await local_addresses(hass), port, lambda device: devices.setdefault(device.mac, device)
    )
    return list(devices.values())


@dataclass
class _Broadcast:
    """A broadcast under way: who answered, and who waits for whom."""

    answers: dict[str, Place] = field(default_factory=dict)
    waiting: defaultdict[str, list[asyncio.Future[None]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @callback
    def answered(self, device: Device) -> None:
        """Take note of where a device is, and wake who waits for it."""
        mac = identity(device.mac.hex())
        self.answers[mac] = device.host
        _wake(self.waiting.pop(mac, ()))

    @callback
    def ended(self) -> None:
        """Wake everybody."""
        for waiting in self.waiting.values():
            _wake(waiting)
        self.waiting.clear()


class Search:
    """Looks for devices by their MAC addresses: one broadcast for all who look meanwhile.

    It outlives reloads, and so remembers which devices are not where they are configured.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._broadcasts: dict[int, _Broadcast] = {}
        self._strayed: dict[str, str] = {}

    @callback
    def is_news(self, mac: str, address: str | None) -> bool:
        """Note where a device was found, None for where it is configured; return if it is news."""
        before = self._strayed.pop(identity(mac), None)
        if address is not None:
            self._strayed[identity(mac)] = address
        return address != before

    async def locate(self, mac: str, port: int) -> Place | None:
        """Return where a device answers a broadcast to `port`; None after a few seconds."""
        mac = identity(mac)
        if (under_way := self._broadcasts.get(port)) is None:
            under_way = self._broadcasts[port] = _Broadcast()
            _ = self._hass.async_create_background_task(
                self._broadcast(under_way, port), f"irhub: broadcast to port {port}"
            )
        if mac not in under_way.answers:
            answered = asyncio.get_running_loop().create_future()
            under_way.waiting[mac].append(answered)
            await answered
        return under_way.answers.get(mac)

    async def _broadcast(self, under_way: _Broadcast, port: int) -> None:
        try:
            await broadcast(await local_addresses(self._hass), port, under_way.answered)
        finally:
            del self._broadcasts[port]
            under_way.ended()


class Whereabouts:
    """Where the device of one hub is: at its host, at another one that names it, or elsewhere."""

    def __init__(self, hass: HomeAssistant, settings: HubSettings, search: Search) -> None:
        self.settings = settings
        self.address: str | None = None
        """Where the device is, or what its host last resolved to."""
        self._hass = hass
        self._search = search
        self._known_type: int | None = None
        self._issue = f"moved_{identity(settings.mac)}"

    async def find(self) -> Device:
        """Return the device, from its configured host or else from where it is now.

        While the host does not answer, the other hosts that name the device are asked, and a
        broadcast is sent. Raise what went wrong at the host if the device is nowhere.
        """
        configured: set[Place] = set()

        async def meet(host: str, port: int) -> Device:
            place = await resolve(host, port, self.settings.timeout), port
            configured.add(place)
            if host == self.settings.host:
                self.address = place[0]
            return await self._meet(place)

        home = self._begin(meet(self.settings.host, self.settings.port))
        attempts = {home}
        try:
            await asyncio.wait(attempts, timeout=min(RESEND_S, self.settings.timeout / 2))
            if not home.done() or home.exception() is not None:
                attempts |= {self._begin(meet(*other)) for other in self.settings.other_hosts}
                attempts.add(self._begin(self._meet_elsewhere()))
            pending = attempts
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for attempt in done:
                    if attempt.exception() is None:
                        device = attempt.result()
                        self._note_place(device, moved=device.host not in configured)
                        return device
            return home.result()
        finally:
            for attempt in attempts:
                attempt.cancel()
            await asyncio.gather(*attempts, return_exceptions=True)

    async def greet(self, place: Place) -> Device:
        """Say hello, and see that the configured device answers.

        Another device is believed to be there when a second hello says the same.
        """
        settings = self.settings
        device = await hello(*place, settings.timeout)
        if same_mac(settings.mac, device.mac.hex()):
            return device
        again = await hello(*place, settings.timeout)
        if same_mac(settings.mac, again.mac.hex()):
            return again
        if again.mac != device.mac:
            raise ValueError("two hellos, two MAC addresses")
        raise WrongDeviceError(
            "wrong_device",
            hub=settings.label,
            expected=show_mac(settings.mac),
            found=show_mac(device.mac.hex()),
        )

    @callback
    def confirmed(self, device: Device) -> None:
        """Take note that there is a session with the device."""
        self.address = device.host[0]
        self._known_type = device.devtype

    @callback
    def forget(self) -> None:
        """Take back what was said of the device's place."""
        ir.async_delete_issue(self._hass, DOMAIN, self._issue)

    def _begin(self, attempt: Coroutine[object, object, Device]) -> asyncio.Task[Device]:
        return self._hass.async_create_background_task(
            attempt, f"irhub: search for {self.settings.label}"
        )

    async def _meet_elsewhere(self) -> Device:
        async with asyncio.timeout(self.settings.timeout):
            place = await self._search.locate(self.settings.mac, self.settings.port)
        if place is None:
            raise TimeoutError
        return await self._meet(place)

    async def _meet(self, place: Place) -> Device:
        """Say hello, and return the device as one that can be used.

        A hello carries no checksum that the library looks at: a device type that was not
        here before is believed when a second hello says the same.
        """
        device = await self.greet(place)
        if device.devtype != self._known_type:
            again = await self.greet(place)
            if again.devtype != device.devtype:
                raise ValueError("two hellos, two device types")
        device = with_class_of(device, self.settings.fallback)
        device.host = place
        return device

    @callback
    def _note_place(self, device: Device, *, moved: bool) -> None:
        """Say once that the device is not where it is configured; take that back when it is."""
        address = device.host[0]
        is_news = self._search.is_news(self.settings.mac, address if moved else None)
        if not moved:
            ir.async_delete_issue(self._hass, DOMAIN, self._issue)
            return
        if is_news:
            _LOGGER.warning(
                "The hub at %s was found at %s and is used there;"
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
            translation_placeholders={
                "hub": self.settings.label,
                "address": address,
                "mac": show_mac(self.settings.mac),
            },
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
