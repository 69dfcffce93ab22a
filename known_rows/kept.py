"""Cache results in a folder, valid while the tables and the code are the same."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
import pickle

from .described import described
from .merge import Group, Prepared, Row, merge
from .tables import Table

_HERE = Path(__file__).parent


def rows_of(groups: Mapping[Group, list[Prepared]], cache: Path) -> dict[Group, list[Row]]:
    """Return the rows of all groups, computed in two processes."""
    largest_first = sorted(groups, key=lambda group: -len(groups[group]))
    with ProcessPoolExecutor(2) as executor:
        futures = {group: executor.submit(merged, cache, groups[group]) for group in largest_first}
        return {group: futures[group].result() for group in groups}


def merged(cache: Path, group: list[Prepared]) -> list[Row]:
    """Return the rows of a group, cached."""
    return kept(cache, "rows", [table for table, *_ in group], merge, group)


def kept[T, **P](
    cache: Path,
    suffix: str,
    tables: Sequence[Table],
    make: Callable[P, T],
    *arguments: P.args,
    **keywords: P.kwargs,
) -> T:
    """Return a result computed from tables, cached while they and the code are the same."""
    place = cache / f"{digest_of(tables)[:24]}.{suffix}"
    return at(place, lambda: make(*arguments, **keywords))


def described_tables(cache: Path) -> list[Table]:
    """Return the tables of published protocols, cached."""
    digest = sha256((_HERE / "described.py").read_bytes() + (_HERE / "tables.py").read_bytes())
    return at(cache / f"{digest.hexdigest()[:24]}.described", lambda: [*described()])


def at[T](place: Path, make: Callable[[], T]) -> T:
    """Return the content of a cache file, which is created if it does not exist."""
    if place.exists():
        made: T = pickle.loads(place.read_bytes())  # noqa: S301  # nosec B301  (our own)
        return made
    made = make()
    place.write_bytes(pickle.dumps(made))
    return made


def digest_of(tables: Sequence[Table]) -> str:
    """Return a digest of tables, and of the code that makes rows from them."""
    digest = sha256(_code())
    for table in tables:
        about = (table.source, table.unit, table.rolling, table.optional, table.off, table.beside)
        digest.update(f"{about} {table.layout} {table.signal}".encode())
        digest.update("".join(f"{s}{bits:x}" for s, bits in table.states.items()).encode())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _code() -> bytes:
    return b"".join((_HERE / f"{name}.py").read_bytes() for name in ("fit", "merge"))
