"""The one door to broadlink-async: its devices with the types we rely on, and its errors.

The package carries no `py.typed`, so its names would be `Any` everywhere else.
"""

import struct
from typing import Final, Protocol, cast

import broadlink_async as _blk  # type: ignore[import-untyped]
from broadlink_async.const import DEFAULT_RETRY_INTVL  # type: ignore[import-untyped]
from broadlink_async.exceptions import (  # type: ignore[import-untyped]
    AuthenticationError,
    AuthorizationError,
    BroadlinkException as LibraryError,
    ConnectionClosedError,
    EndpointClosedError,
    NetworkTimeoutError,
    ReadError,
    StorageError,
)
from broadlink_async.remote import rf_carrier_mhz  # type: ignore[import-untyped]

__all__ = [
    "GARBLED",
    "NOTHING_YET",
    "RESEND_S",
    "SESSION_LOST",
    "SILENT",
    "AuthenticationError",
    "Device",
    "EndpointClosedError",
    "LibraryError",
    "Remote",
    "carrier_mhz",
    "class_of",
    "hello",
    "is_known",
    "open_session",
    "with_class_of",
]

SILENT: tuple[type[Exception], ...] = (NetworkTimeoutError, OSError)
"""Nobody answered; whether the request arrived is unknown."""
SESSION_LOST: tuple[type[Exception], ...] = (
    AuthenticationError,
    AuthorizationError,
    ConnectionClosedError,
)
"""The device wants a new session: see `open_session`."""
NOTHING_YET: tuple[type[Exception], ...] = (StorageError, ReadError)
"""No capture so far: -5 on some models, -10 on others."""
GARBLED: tuple[type[Exception], ...] = (ValueError, LookupError, TypeError, struct.error)
"""What the library's parsers raise on a reply of the wrong shape."""
RESEND_S: Final[float] = DEFAULT_RETRY_INTVL
"""After so many seconds without a reply the library sends the same datagram again."""


class Device(Protocol):
    """What every device of the library has."""

    host: tuple[str, int]
    mac: bytes
    devtype: int
    timeout: float
    name: str
    model: str
    manufacturer: str
    is_locked: bool
    aes: object
    """The session's cipher; a new object after every authentication."""

    async def auth(self) -> bool:
        """Open a session."""

    async def ping(self) -> None:
        """Feed the firmware's watchdog; nothing answers."""

    async def aclose(self) -> None:
        """Close the socket; a request under way fails with EndpointClosedError."""


class Remote(Device, Protocol):
    """A device that transmits and learns; the last three only where it has a radio."""

    async def send_data(self, data: bytes) -> None:
        """Transmit a packet."""

    async def enter_learning(self) -> None:
        """Listen for infrared."""

    async def check_data(self) -> bytes:
        """Return the captured packet; raises one of NOTHING_YET before there is one."""

    async def cancel_learning(self) -> None:
        """Stop listening and sweeping."""

    async def sweep_frequency(self) -> None:
        """Search for the carrier of a button that is held."""

    async def check_frequency(self) -> tuple[bool, float]:
        """Say if the sweep found a carrier, and which, in MHz."""

    async def find_rf_packet(self, frequency: float | None = None) -> None:
        """Listen for radio on a carrier, in MHz."""


async def hello(address: str, port: int, timeout: float) -> Device:
    """Ask who lives at an address. Raises one of SILENT or GARBLED, after `timeout` seconds."""
    return cast("Device", await _blk.hello(address, port, timeout))


async def open_session(device: Device) -> None:
    """Authenticate. From now on only this function does so for the device.

    Told that the session has ended, the library would authenticate by itself, with the public
    `auth`, and repeat the request: even one that it had resent, whose first copy may have
    been obeyed. Where `auth` fails, it passes the device's own error on instead.
    """
    await type(device).auth(device)
    device.auth = _refuse  # type: ignore[method-assign]  # for this device alone


async def _refuse() -> bool:
    raise AuthorizationError("a new session is for the hub to open")


def class_of(devtype: int) -> type[Device] | None:
    """Return the library's class for a device type; None if it does not know the type."""
    cls = type(_blk.gendevice(devtype, ("", 0), bytes(6)))
    return None if cls is _blk.Device else cls


def is_known(device: Device) -> bool:
    """Say if the device has a class of its own, not the bare one that can do nothing."""
    return type(device) is not _blk.Device


def with_class_of(found: Device, fallback: int | None) -> Device:
    """Return the device, as one of `fallback`'s class if the library does not know its type."""
    if fallback is None or class_of(found.devtype) is not None:
        return found
    device = cast("Device", _blk.gendevice(fallback, found.host, found.mac, found.name))
    device.devtype = found.devtype
    device.is_locked = found.is_locked
    return device


def carrier_mhz(packet: bytes) -> float | None:
    """Return the carrier that a packet records, in MHz: only an RM4 pro's captures do."""
    return cast("float | None", rf_carrier_mhz(packet))
