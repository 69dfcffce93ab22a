"""What the virtual broker asks of the program that does the work."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where to listen (port 0: any free one) and who may connect (no user name: everyone)."""

    host: str
    port: int
    username: str | None
    password: str | None


class Engine(Protocol):
    """One running broker; made anew for each start."""

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""

    async def stop(self) -> None:
        """Cut every connection and forget everything."""
