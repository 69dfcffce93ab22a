"""Data types that describe a benchmark and its runs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from .summary import OURS, Row

type Values = Mapping[str, float]
"""Row key → value."""
type Round = Mapping[str, Values]
"""Side → values."""


@dataclass(frozen=True, kw_only=True)
class Peers:
    """Parts of the virtual home that a benchmark needs, besides the JSON endpoint."""

    broker: bool = False
    hubs: int = 0
    silent_hubs: bool = False


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Addresses of the virtual home's peers, which run in a separate process.

    `hubs` are pairs of host and MAC address; all of them use `hub_port`.
    """

    url: str
    broker_port: int = 0
    hubs: Sequence[tuple[str, str]] = ()
    hub_port: int = 0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run of one side, in a fresh process. `folder` is a temporary folder of its own."""

    side: str
    peers: Addresses
    folder: Path
    tiny: bool
    """As little work as possible, for the tests."""

    @property
    def ours(self) -> bool:
        """Return whether this run is of our integration."""
        return self.side == OURS

    def inside(self, name: str) -> Self:
        """Return the same job with a folder of its own inside this one's."""
        folder = self.folder / name
        folder.mkdir()
        return replace(self, folder=folder)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A benchmark: the sides, ours first, which run in turn, and the rows that each run measures.

    `run` is called in a fresh process and returns values by row key. If two processes differ by
    more than the sides do, as in very short measurements, all sides are measured in one process
    (`one_process`): `run` measures them in short alternating blocks and returns a list of rounds.
    `most_pairs` limits the runs of a slow benchmark with little variation.
    """

    name: str
    what: str
    run: Callable[[Job], Awaitable[Values | list[Round]]]
    rows: Sequence[Row]
    sides: Sequence[str] = (OURS, "core")
    one_process: bool = False
    peers: Peers = Peers()
    most_pairs: int | None = None
