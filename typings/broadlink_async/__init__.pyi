from collections.abc import AsyncGenerator

from .device import Device
from .remote import rm4mini, rm4pro, rmmini, rmpro
from .sensor import a1, a2
from .switch import mp1, mp1s, sp1, sp2, sp2s, sp3, sp3s, sp4, sp4b

__all__ = [
    "SUPPORTED_TYPES",
    "Device",
    "a1",
    "a2",
    "discover",
    "gendevice",
    "hello",
    "mp1",
    "mp1s",
    "ping",
    "rm4mini",
    "rm4pro",
    "rmmini",
    "rmpro",
    "sp1",
    "sp2",
    "sp2s",
    "sp3",
    "sp3s",
    "sp4",
    "sp4b",
    "xdiscover",
]

SUPPORTED_TYPES: dict[type[Device], dict[int, tuple[str, str]]]

def gendevice(
    dev_type: int,
    host: tuple[str, int],
    mac: bytes | str,
    name: str = ...,
    is_locked: bool = ...,
) -> Device: ...
async def discover(
    timeout: float = ...,
    local_ip_address: str | None = ...,
    discover_ip_address: str = ...,
    discover_ip_port: int = ...,
) -> list[Device]: ...
async def hello(ip_address: str, port: int = ..., timeout: float = ...) -> Device: ...
async def ping(ip_address: str, port: int = ...) -> None: ...
def xdiscover(
    timeout: float = ...,
    local_ip_address: str | None = ...,
    discover_ip_address: str = ...,
    discover_ip_port: int = ...,
) -> AsyncGenerator[Device]: ...
