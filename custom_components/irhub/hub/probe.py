"""Checks of a device that is not configured yet: its identity, and whether it can be used."""

from ..const import DEFAULT_TIMEOUT_S
from ..errors import HubRefusedError
from ..settings import HubSettings, Mac
from .connection import explain
from .hello import hello
from .library import (
    FAILED,
    SILENT,
    Capability,
    HubDevice,
    begin_listening,
    begin_sweep,
    capabilities,
    end_listening,
    read_capture,
    read_status,
)
from .search import resolve


async def identify(host: str, port: int) -> HubDevice:
    """Return the device at a host. Raise HubOfflineError."""
    settings = _settings(host, port)
    try:
        address = await resolve(host, port, settings.timeout)
        device = await hello(address, port, settings.timeout)
    except Exception as err:
        raise explain(settings, err) from err
    device.timeout = settings.timeout
    return device


async def try_session(device: HubDevice, *, use: bool = False) -> None:
    """Read whether the device is locked, open a session, and close it.

    With `use`, also send harmless requests that only a device of its supposed model accepts. Raise
    HubLockedError if it refuses the session, HubRefusedError if it is of another model, or another
    HubError.
    """
    try:
        device.is_locked = (await hello(*device.host, device.timeout)).is_locked
        await device.open_session()
        if use:
            await _use(device)
    except Exception as err:
        raise explain(_settings(*device.host), err) from err
    finally:
        await device.aclose()


async def _use(device: HubDevice) -> None:
    """Send requests that change nothing and that only a device of this class accepts."""
    try:
        if Capability.LEARN not in capabilities(device):
            await read_status(device)
            return
        if Capability.RADIO in capabilities(device):
            await begin_sweep(device)
        await begin_listening(device)
        await read_capture(device)
        await end_listening(device)
    except SILENT:
        raise
    except FAILED as err:
        raise HubRefusedError("does_not_fit", hub=_settings(*device.host).label, error=err) from err


async def unlock(device: HubDevice) -> None:
    """Unlock a device after `try_session`. Raise HubError."""
    try:
        await device.set_lock(False)
    except SILENT as err:
        raise explain(_settings(*device.host), err) from err
    except FAILED as err:
        raise HubRefusedError("refused", hub=_settings(*device.host).label, error=err) from err
    finally:
        await device.aclose()


def _settings(host: str, port: int) -> HubSettings:
    return HubSettings(host=host, port=port, mac=Mac(""), timeout=DEFAULT_TIMEOUT_S, min_gap=0)
