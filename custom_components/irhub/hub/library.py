"""The only module that uses broadlink-async: sessions, capabilities and requests of devices.

The library's type stubs are in typings/broadlink_async.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
import struct
from typing import Final, cast, override

import broadlink_async as blk
from broadlink_async.const import DEFAULT_RETRY_INTVL
from broadlink_async.exceptions import (
    AuthenticationError,
    AuthorizationError,
    BroadlinkException as LibraryError,
    ConnectionClosedError,
    DataValidationError,
    EndpointClosedError,
    NetworkTimeoutError,
    ReadError,
    StorageError,
)
from broadlink_async.protocol import Datetime

__all__ = ["AuthenticationError", "EndpointClosedError"]

Remote = blk.rmmini
"""The library's class of devices with TRANSMIT and LEARN."""
Radio = blk.rmpro
"""The library's class of devices with RADIO."""

SILENT: Final[tuple[type[Exception], ...]] = (NetworkTimeoutError, OSError)
"""No answer; it is unknown whether the request arrived."""
SESSION_LOST: Final[tuple[type[Exception], ...]] = (
    AuthenticationError,
    AuthorizationError,
    ConnectionClosedError,
)
"""The device requires a new session: see `HubDevice`."""
_NOTHING_YET: Final[tuple[type[Exception], ...]] = (StorageError, ReadError)
"""No capture so far: error -5 on some models, -10 on others."""
GARBLED: Final[tuple[type[Exception], ...]] = (
    DataValidationError,
    ValueError,
    LookupError,
    TypeError,
    struct.error,
)
"""Exceptions of the library for a malformed reply; the device may have obeyed the request."""
FAILED: Final[tuple[type[Exception], ...]] = (LibraryError, *GARBLED, AttributeError)
"""The device refused, sent a malformed reply, or is of a class without the method."""
REARM_S: Final = 5
"""Interval, in seconds, at which a listening device is armed again.

Devices stop listening after a while, and when any other program lets them transmit.
"""
END_S: Final = 1.0
"""Timeout, in seconds, of the request to stop listening."""
_FOUND: Final = 1
"""Flag in the reply of a sweep that found a carrier."""
_FAILED: Final = 4
"""Flag in the reply of a sweep that ended without a carrier, e.g. the button was released."""
_CHECK_FREQUENCY: Final = 0x1A
RESEND_S: Final[float] = DEFAULT_RETRY_INTVL
"""Seconds without a reply after which the library sends the same datagram again."""

PLUG_SOCKET: Final = 0
"""The number of a plug's only socket."""

SLOTS: Final = (1, 2, 3, 4)
"""The numbers of a strip's sockets."""

type Conditions = Mapping[str, float]
"""Measurements: condition, named as in `monitored_conditions`, → value."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """The status of a device."""

    sockets: Mapping[int, bool] = field(default_factory=dict)
    """Number of a socket (PLUG_SOCKET, or those of SLOTS) → whether it is on."""
    conditions: Conditions | None = None
    """Measurements; None before the first reading."""
    missed: int = 0
    """Number of failed readings since the last successful one."""


class Capability(StrEnum):
    """Functions of a device. Measurements are further capabilities, see `Conditions`."""

    TRANSMIT = "transmit"
    LEARN = "learn"
    RADIO = "radio"
    """Transmits and learns radio as well."""
    PLUG = "plug"
    """One socket that reports its state."""
    MUTE_PLUG = "mute_plug"
    """One socket that does not report its state."""
    SLOTS = "slots"
    """Four sockets that report their state."""


NOT_READ: Final = frozenset(
    {Capability.TRANSMIT, Capability.LEARN, Capability.RADIO, Capability.MUTE_PLUG}
)
"""Capabilities without a status: a device that has no other one is not polled."""
METERED: Final = frozenset({"power", "current", "voltage", "total_consumption"})
_CAPABILITIES: Final[dict[type[blk.Device], AbstractSet[str]]] = {
    blk.rmmini: {Capability.TRANSMIT, Capability.LEARN},
    blk.rmpro: {Capability.RADIO, "temperature"},
    blk.rm4mini: {"temperature", "humidity"},
    blk.a1: {"temperature", "humidity", "air_quality", "light", "noise"},
    blk.a2: {"temperature", "humidity", "pm10", "pm2_5", "pm1"},
    blk.sp1: {Capability.MUTE_PLUG},
    blk.sp2: {Capability.PLUG},
    blk.sp2s: {"power"},
    blk.sp3: {Capability.PLUG},
    blk.sp3s: {"power"},
    blk.sp4: {Capability.PLUG, *METERED},
    blk.mp1: {Capability.SLOTS},
    blk.mp1s: METERED,
}
"""Class of the library → capabilities that it adds to its base classes. Some RM4 lack the sensor
cable, and most SP4 the meter."""
_THOUSANDTHS: Final = 1000
"""SP4 meters count in thousandths; for an SP4B the library already divides."""
_METER: Final = {
    "power": "power",
    "current": "current",
    "volt": "voltage",
    "totalconsum": "total_consumption",
}
"""Name in the library's states → name in `Conditions`."""


def local_time() -> bytes:
    """Return the local time as encoded in a hello."""
    return Datetime.pack(Datetime.now())


class HubDevice(blk.Device):
    """A device of the library that does not open sessions by itself."""

    async def open_session(self) -> None:
        """Authenticate."""
        await super().auth()

    @override
    async def auth(self) -> bool:
        """Raise AuthorizationError, so that the library passes on the device's error.

        When a session has ended, the library would authenticate and repeat the request, even if it
        had already resent the request and the device may have executed the first copy.
        """
        raise AuthorizationError("a new session is for the hub to open")


_CLASSES: Final[dict[type[blk.Device], type[HubDevice]]] = {
    blk.Device: HubDevice,
    **{cls: type(cls.__name__, (HubDevice, cls), {}) for cls in blk.SUPPORTED_TYPES},
}
"""Class of the library → subclass of it that is a `HubDevice`."""


def make_device(
    devtype: int, host: tuple[str, int], mac: bytes, name: str = "", *, is_locked: bool = False
) -> HubDevice:
    """Return a device of the class that the library has for its type."""
    library_device = blk.gendevice(devtype, host, mac)
    return _CLASSES[type(library_device)](
        host,
        mac,
        devtype,
        name=name,
        model=library_device.model,
        manufacturer=library_device.manufacturer,
        is_locked=is_locked,
    )


async def firmware_version(device: HubDevice) -> int | None:
    """Return the firmware version of a device; None if it does not report it."""
    try:
        return await device.get_fwversion()
    except FAILED:
        return None


def capabilities(device: HubDevice) -> frozenset[str]:
    """Return the capabilities of a device; empty if its class is unsupported or unknown."""
    return _capabilities(type(device))


def capabilities_of_type(devtype: int) -> frozenset[str] | None:
    """Return the capabilities of a device type; None if the library does not know the type."""
    device = _device_of_type(devtype)
    return capabilities(device) if is_known(device) else None


def _capabilities(cls: type[blk.Device]) -> frozenset[str]:
    return frozenset(
        capability
        for base, added in _CAPABILITIES.items()
        if issubclass(cls, base)
        for capability in added
    )


def same_class(devtype: int, other: int) -> bool:
    """Return whether the library has the same class for two device types."""
    return type(_device_of_type(devtype)) is type(_device_of_type(other))


def nearest_type(devtype: int) -> int:
    """Return the supported device type with the nearest number."""
    return min(
        (
            known
            for cls, known_of_class in blk.SUPPORTED_TYPES.items()
            if _capabilities(cls)
            for known in known_of_class
        ),
        key=lambda known: (abs(known - devtype), known),
    )


def _device_of_type(devtype: int) -> HubDevice:
    return make_device(devtype, ("", 0), bytes(6))


def model_of(devtype: int) -> str:
    """Return the model name of a device type that the library knows."""
    return _device_of_type(devtype).model


def is_known(device: HubDevice) -> bool:
    """Return whether the library has a class for the type of the device."""
    return type(device) is not HubDevice


def with_class_of(device: HubDevice, fallback: int | None) -> HubDevice:
    """Return the device; if its type is unknown, with the class of the type `fallback`."""
    if fallback is None or is_known(device):
        return device
    substitute = make_device(
        fallback, device.host, device.mac, device.name, is_locked=device.is_locked
    )
    substitute.devtype, substitute.timeout = device.devtype, device.timeout
    return substitute


async def read_status(device: blk.Device) -> Status:
    """Read the sockets and measurements of a device, in one or two requests.

    A failing meter does not affect the sockets.
    """
    sockets: Mapping[int, bool] = {}
    conditions: Conditions = {}
    match device:
        case blk.mp1():
            slots = await device.check_power()
            sockets = {number: slots[f"s{number}"] for number in SLOTS}
            if isinstance(device, blk.mp1s):
                conditions = await _read_meter(device.get_state)
        case blk.sp4():
            state = await device.get_state()
            sockets = {PLUG_SOCKET: bool(state["pwr"])}
            divisor = 1 if isinstance(device, blk.sp4b) else _THOUSANDTHS
            # A missing meter reports -1; the library's class does not tell whether there is one.
            meter = {
                name: value / divisor
                for name, value in state.items()
                if isinstance(value, int | float) and value != -1
            }
            conditions = _renamed(meter)
        case blk.sp2() | blk.sp3():
            sockets = {PLUG_SOCKET: await device.check_power()}
            if isinstance(device, blk.sp2s | blk.sp3s):
                conditions = await _read_meter(device.get_energy)
        case blk.a1() | blk.a2():
            conditions = await device.check_sensors_raw()  # check_sensors returns words
        case blk.rmpro() | blk.rm4mini():
            conditions = await device.check_sensors()
    return Status(sockets=sockets, conditions=conditions)


async def _read_meter(read: Callable[[], Awaitable[Mapping[str, float] | float]]) -> Conditions:
    try:
        state = await read()
        return _renamed(state) if isinstance(state, Mapping) else {"power": float(state)}
    except (*SILENT, *SESSION_LOST):
        raise
    except FAILED:
        return {}


def _renamed(state: Mapping[str, float]) -> Conditions:
    """Return the measurements of a meter with the names of `Conditions`."""
    return {
        our_name: float(state[their_name])
        for their_name, our_name in _METER.items()
        if their_name in state
    }


def is_silent_meter(conditions: Conditions) -> bool:
    """Return whether all measurements of a meter are 0, including the voltage.

    Plugs without a meter report this while they are off. A meter is recognised by its first other
    reply.
    """
    measured = METERED & conditions.keys()
    return len(measured) > 1 and not any(conditions[name] for name in measured)


async def set_socket(device: HubDevice, number: int, *, on: bool) -> None:
    """Switch a socket: PLUG_SOCKET, or one of SLOTS."""
    match device:
        case blk.mp1():
            await device.set_power(number, on)
        case blk.sp1() | blk.sp2() | blk.sp3() | blk.sp4():
            await device.set_power(on)
        case _:
            raise AttributeError(f"{device.TYPE} has no socket")


async def begin_listening(device: HubDevice, frequency: float | None = None) -> None:
    """Let a device listen for infrared, or for radio on a frequency in MHz.

    It discards its previous capture.
    """
    if frequency is None:
        await cast(Remote, device).enter_learning()
    else:
        await cast(Radio, device).find_rf_packet(frequency)


async def begin_sweep(device: HubDevice) -> None:
    """Let a device sweep for the frequency of a radio remote control whose button is held."""
    await cast(Radio, device).sweep_frequency()


async def read_capture(device: HubDevice) -> bytes | None:
    """Return the capture of a device; None if there is none yet."""
    try:
        return await cast(Remote, device).check_data() or None
    except _NOTHING_YET:
        return None


async def end_listening(device: HubDevice) -> None:
    """Let a device stop listening."""
    await cast(Remote, device).cancel_learning()


async def end_listening_at_once(device: HubDevice) -> None:
    """Let a device stop listening, bypassing the hub's queue; give up after END_S."""
    with suppress(*SILENT, *FAILED):
        async with asyncio.timeout(END_S):
            await end_listening(device)


async def swept_frequency(device: HubDevice) -> float | None:
    """Return the carrier in MHz that a sweep has found; None if there is none yet.

    A failed sweep is started again. The reply is a flag and the carrier in kHz; a failed sweep
    reports a wrong carrier, which the library's `check_frequency` accepts.
    """
    try:
        reply = await cast(Radio, device)._send(_CHECK_FREQUENCY)  # noqa: SLF001  (see above)
    except _NOTHING_YET:
        return None
    flag, khz = struct.unpack_from("<BI", reply)
    if flag == _FAILED:
        await begin_sweep(device)
    return khz / 1000 if flag == _FOUND else None
