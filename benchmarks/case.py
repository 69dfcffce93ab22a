"""What a benchmark is."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from .summary import OURS, Row

type Values = Mapping[str, float]
"""By row key."""
type Round = Mapping[str, Values]
"""By side."""


@dataclass(frozen=True, kw_only=True)
class Peers:
    """What a benchmark needs of the virtual home, besides the JSON endpoint."""

    broker: bool = False
    hubs: int = 0
    silent_hubs: bool = False


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Where the virtual home's peers are, in a process of their own.

    `hubs` holds host and MAC address; all of them have `hub_port`.
    """

    url: str
    broker_port: int = 0
    hubs: Sequence[tuple[str, str]] = ()
    hub_port: int = 0


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run of one side, in a fresh process. `folder` is its own, deleted afterwards."""

    side: str
    peers: Addresses
    folder: Path
    tiny: bool
    """As little as shows that it works, for the tests."""

    @property
    def ours(self) -> bool:
        """Return whether it is our integration's turn."""
        return self.side == OURS

    def inside(self, name: str) -> Self:
        """Return the same job with a folder of its own inside this one's."""
        folder = self.folder / name
        folder.mkdir()
        return replace(self, folder=folder)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A benchmark: the sides, ours first, run in turn, and what each run measures.

    `run` is called in a fresh process, and returns values by row key. What is so short that two
    processes differ in it by more than the sides do is measured in one process: then `run` has
    all sides in it, in short blocks that take turns, and returns a list of rounds. What takes
    long and hardly varies is run `most_pairs` times at most.
    """

    name: str
    what: str
    run: Callable[[Job], Awaitable[Values | list[Round]]]
    rows: Sequence[Row]
    sides: Sequence[str] = (OURS, "core")
    one_process: bool = False
    peers: Peers = Peers()
    most_pairs: int | None = None
