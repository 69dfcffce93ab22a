"""The one door to broadlink-async: opening sessions, and what each device can do.

Its types stand in typings/broadlink_async: the package carries none.
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
    EndpointClosedError,
    NetworkTimeoutError,
    ReadError,
    StorageError,
)
from broadlink_async.protocol import Datetime

__all__ = ["AuthenticationError", "EndpointClosedError"]

Remote = blk.rmmini
"""A device with TRANSMIT and LEARN, as the library knows it."""
Radio = blk.rmpro
"""A device with RADIO."""

SILENT: Final[tuple[type[Exception], ...]] = (NetworkTimeoutError, OSError)
"""Nobody answered; whether the request arrived is unknown."""
SESSION_LOST: Final[tuple[type[Exception], ...]] = (
    AuthenticationError,
    AuthorizationError,
    ConnectionClosedError,
)
"""The device wants a new session: see `HubDevice`."""
_NOTHING_YET: Final[tuple[type[Exception], ...]] = (StorageError, ReadError)
"""No capture so far: -5 on some models, -10 on others."""
GARBLED: Final[tuple[type[Exception], ...]] = (ValueError, LookupError, TypeError, struct.error)
"""What the library's parsers raise on a reply of the wrong shape."""
FAILED: Final[tuple[type[Exception], ...]] = (LibraryError, *GARBLED, AttributeError)
"""The device refused, or sent an unreadable reply, or is of another kind than before."""
REARM_S: Final = 5
"""Devices stop listening when anybody lets them transmit, and by themselves after a while."""
END_S: Final = 1.0
"""How long a device that does not answer is told that it need not listen any more."""
_FOUND: Final = 1
"""The flag of a sweep that found a carrier."""
_FAILED: Final = 4
"""The flag of a sweep that ended without, as when the button was let go."""
_CHECK_FREQUENCY: Final = 0x1A
RESEND_S: Final[float] = DEFAULT_RETRY_INTVL
"""After so many seconds without a reply the library sends the same datagram again."""

PLUG_SOCKET: Final = 0
"""The number of a plug's only socket."""

SLOTS: Final = (1, 2, 3, 4)
"""The numbers of a strip's sockets."""

type Conditions = Mapping[str, float]
"""What a device measures: condition, named as in `monitored_conditions`, → value."""


@dataclass(frozen=True, kw_only=True)
class Status:
    """What a device has said of itself."""

    sockets: Mapping[int, bool] = field(default_factory=dict)
    """Socket → on: PLUG_SOCKET, or those of SLOTS."""
    conditions: Conditions | None = None
    """What it measured; None before it was asked."""
    missed: int = 0
    """How many readings in a row since then brought nothing."""


class Capability(StrEnum):
    """What a device can do. What it measures is named as in `monitored_conditions`."""

    TRANSMIT = "transmit"
    LEARN = "learn"
    RADIO = "radio"
    """Transmits and learns radio, too."""
    PLUG = "plug"
    """One socket, which tells its state."""
    MUTE_PLUG = "mute_plug"
    """One socket, which does not."""
    SLOTS = "slots"
    """Four sockets, which tell their state."""


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
"""Class → what it adds to its base classes, at most: some RM4 have no sensor cable, most SP4
no meter."""
_THOUSANDTHS: Final = 1000
"""What the meters of an SP4 count in; of an SP4B the library has put that right."""
_METER: Final = {
    "power": "power",
    "current": "current",
    "volt": "voltage",
    "totalconsum": "total_consumption",
}
"""Names in the library's states → ours."""


def local_time() -> bytes:
    """Return the time as a hello says it."""
    return Datetime.pack(Datetime.now())


class HubDevice(blk.Device):
    """A device of the library's, whose sessions only the hub opens."""

    async def open_session(self) -> None:
        """Authenticate."""
        await super().auth()

    @override
    async def auth(self) -> bool:
        """Refuse, so that the library passes on what the device said.

        Told that the session has ended, it would authenticate by itself and repeat the request:
        even one that it had resent, whose first copy may have been obeyed.
        """
        raise AuthorizationError("a new session is for the hub to open")


_CLASSES: Final[dict[type[blk.Device], type[HubDevice]]] = {
    blk.Device: HubDevice,
    **{cls: type(cls.__name__, (HubDevice, cls), {}) for cls in blk.SUPPORTED_TYPES},
}
"""Class of the library's → the same as a `HubDevice` of ours."""


def made(
    devtype: int, host: tuple[str, int], mac: bytes, name: str = "", *, is_locked: bool = False
) -> HubDevice:
    """Return a device, as one of the class that the library has for its type."""
    theirs = blk.gendevice(devtype, host, mac)
    return _CLASSES[type(theirs)](
        host,
        mac,
        devtype,
        name=name,
        model=theirs.model,
        manufacturer=theirs.manufacturer,
        is_locked=is_locked,
    )


async def firmware_version(device: HubDevice) -> int | None:
    """Return the version of the device's firmware; None if it does not tell."""
    try:
        return await device.get_fwversion()
    except FAILED:
        return None


def capabilities(device: HubDevice) -> frozenset[str]:
    """Return what a device can do; nothing if its family is not supported or not known."""
    return _capabilities(type(device))


def capabilities_of_type(devtype: int) -> frozenset[str] | None:
    """Return what devices of a type can do; None if the library does not know the type."""
    device = _made(devtype)
    return capabilities(device) if is_known(device) else None


def _capabilities(cls: type[blk.Device]) -> frozenset[str]:
    return frozenset(
        capability
        for base, added in _CAPABILITIES.items()
        if issubclass(cls, base)
        for capability in added
    )


def same_class(devtype: int, other: int) -> bool:
    """Return whether the library treats two device types alike."""
    return type(_made(devtype)) is type(_made(other))


def nearest_type(devtype: int) -> int:
    """Return the device type with the nearest number, of those that can do anything here."""
    return min(
        (
            known
            for cls, known_of_class in blk.SUPPORTED_TYPES.items()
            if _capabilities(cls)
            for known in known_of_class
        ),
        key=lambda known: (abs(known - devtype), known),
    )


def _made(devtype: int) -> HubDevice:
    return made(devtype, ("", 0), bytes(6))


def model_of(devtype: int) -> str:
    """Return how people call a device type that the library knows."""
    return _made(devtype).model


def is_known(device: HubDevice) -> bool:
    """Return whether the device has a class of its own, not the bare one that can do nothing."""
    return type(device) is not HubDevice


def with_class_of(device: HubDevice, fallback: int | None) -> HubDevice:
    """Return the device, as one of `fallback`'s class if the library does not know its type."""
    if fallback is None or is_known(device):
        return device
    treated = made(fallback, device.host, device.mac, device.name, is_locked=device.is_locked)
    treated.devtype, treated.timeout = device.devtype, device.timeout
    return treated


async def read_status(device: blk.Device) -> Status:
    """Return what a device says of its sockets and of what it measures, in one to two requests.

    A meter that fails does not hide the sockets.
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
            per = 1 if isinstance(device, blk.sp4b) else _THOUSANDTHS
            # A meter that is not there says -1, whatever class the library has for the type.
            meter = {
                name: value / per
                for name, value in state.items()
                if isinstance(value, int | float) and value != -1
            }
            conditions = _renamed(meter)
        case blk.sp2() | blk.sp3():
            sockets = {PLUG_SOCKET: await device.check_power()}
            if isinstance(device, blk.sp2s | blk.sp3s):
                conditions = await _read_meter(device.get_energy)
        case blk.a1() | blk.a2():
            conditions = await device.check_sensors_raw()  # the other method gives words
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
    """Return what a meter measures, by our names."""
    return {ours: float(state[theirs]) for theirs, ours in _METER.items() if theirs in state}


def is_silent_meter(conditions: Conditions) -> bool:
    """Return whether a reply says 0 of all that a meter measures, the voltage too.

    Plugs without a meter say so while they are off. One with a meter is known by its first other
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
            raise TypeError(f"{device.TYPE} has no socket")


async def begin_listening(device: HubDevice, frequency: float | None = None) -> None:
    """Let a device listen for infrared, or for radio on a frequency in MHz.

    It forgets what it has heard before.
    """
    if frequency is None:
        await cast(Remote, device).enter_learning()
    else:
        await cast(Radio, device).find_rf_packet(frequency)


async def begin_sweep(device: HubDevice) -> None:
    """Let a device search for the frequency of a radio remote control whose button is held."""
    await cast(Radio, device).sweep_frequency()


async def read_capture(device: HubDevice) -> bytes | None:
    """Return what a device has heard; None if there is nothing yet."""
    try:
        return await cast(Remote, device).check_data() or None
    except _NOTHING_YET:
        return None


async def end_listening(device: HubDevice) -> None:
    """Let a device listen no more."""
    await cast(Remote, device).cancel_learning()


async def end_listening_at_once(device: HubDevice) -> None:
    """Let a device listen no more, past the hub's queue; give up after END_S."""
    with suppress(*SILENT, *FAILED):
        async with asyncio.timeout(END_S):
            await end_listening(device)


async def swept_frequency(device: HubDevice) -> float | None:
    """Return the carrier in MHz that a sweep has found; None if there is none yet.

    A sweep that has failed is begun anew. The reply is a flag and the carrier in kHz; with the
    flag of a failed one comes a wrong carrier, which the library's `check_frequency` takes for a
    good one.
    """
    try:
        reply = await cast(Radio, device)._send(_CHECK_FREQUENCY)  # noqa: SLF001  (see above)
    except _NOTHING_YET:
        return None
    flag, khz = struct.unpack_from("<BI", reply)
    if flag == _FAILED:
        await begin_sweep(device)
    return khz / 1000 if flag == _FOUND else None
