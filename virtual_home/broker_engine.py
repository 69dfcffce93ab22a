"""The interface of the programs that implement the virtual broker."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Address to listen on (port 0: any free one) and credentials (no user name: anonymous)."""

    host: str
    port: int
    username: str | None
    password: str | None


class Engine(Protocol):
    """A broker instance; a new one is created for each start."""

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""

    async def stop(self) -> None:
        """Cut all connections and drop all data."""
