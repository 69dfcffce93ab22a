"""A device that is not configured yet, as the dialogue that adds it meets it."""

from ..const import DEFAULT_TIMEOUT_S
from ..errors import HubRefusedError
from ..schema import HubSettings
from .connection import explain
from .library import FAILED, SILENT, Device, hello, open_session
from .search import resolve


async def greet(host: str, port: int) -> Device:
    """Return who answers at a host, believed when it says so twice. Raise HubOfflineError."""
    settings = _settings(host, port)
    try:
        address = await resolve(host, port, settings.timeout)
        device = await hello(address, port, settings.timeout)
        again = await hello(address, port, settings.timeout)
        if (device.mac, device.devtype) != (again.mac, again.devtype):
            raise ValueError("two hellos, two devices")  # noqa: TRY301  (explained like the rest)
    except Exception as err:
        raise explain(settings, err) from err
    device.timeout = settings.timeout
    return device


async def try_session(device: Device) -> None:
    """Learn whether the device is locked, open a session, and close it.

    Raise HubLockedError if it lets nobody in, or another HubError.
    """
    try:
        await device.hello()
        await open_session(device)
    except Exception as err:
        raise explain(_settings(*device.host), err) from err
    finally:
        await device.aclose()


async def unlock(device: Device) -> None:
    """Take the lock off a device after `try_session`. Raise HubError."""
    try:
        await device.set_lock(False)
    except SILENT as err:
        raise explain(_settings(*device.host), err) from err
    except FAILED as err:
        raise HubRefusedError("refused", hub=_settings(*device.host).label, error=err) from err
    finally:
        await device.aclose()


def _settings(host: str, port: int) -> HubSettings:
    return HubSettings(host=host, port=port, mac="", timeout=DEFAULT_TIMEOUT_S, min_gap=0)
