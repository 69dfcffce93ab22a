"""Runs the sides of a benchmark in turn, each run in a fresh process."""

from collections.abc import Callable, Iterator, Mapping
import contextlib
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
import sys
import tempfile

from . import child, peer
from .case import Addresses, Case, Job

RUN_TIMEOUT_S = 120
# Forked from a process that imported Home Assistant and did nothing else: as fresh as one
# started anew, without two seconds of imports.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["benchmarks.preload"])

type Values = Mapping[str, float]
"""By row key."""
type Round = Mapping[str, Values]
"""By side."""


class BenchmarkError(Exception):
    """A run failed: nothing was measured."""


def rounds(case: Case, pairs: int, *, tiny: bool = False) -> Iterator[Round]:
    """Yield one round after the other, after a tiny one as a warm-up.

    A round runs each side once; every other round in the opposite order, so that what one
    run leaves behind in the machine (caches, heat) falls on both sides alike.
    """
    with _peers(case) as addresses:
        if not tiny:
            _round(case, addresses, tiny=True, backwards=False)
        for number in range(pairs):
            yield _round(case, addresses, tiny=tiny, backwards=bool(number % 2))


def _round(case: Case, addresses: Addresses, *, tiny: bool, backwards: bool) -> Round:
    sides = case.sides[::-1] if backwards else case.sides
    values = {side: _run(case, side, addresses, tiny=tiny) for side in sides}
    return {side: values[side] for side in case.sides}


def _run(case: Case, side: str, addresses: Addresses, *, tiny: bool) -> Values:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        job = Job(side=side, peers=addresses, folder=Path(folder), tiny=tiny)
        with _process(child.run, case.name, job) as answers:
            if not answers.poll(RUN_TIMEOUT_S):
                raise BenchmarkError(f"{case.name}, {side}: not done after {RUN_TIMEOUT_S} s")
            answer: Values | str = answers.recv()
    if isinstance(answer, str):
        raise BenchmarkError(f"{case.name}, {side}: {answer}")
    return answer


@contextlib.contextmanager
def _peers(case: Case) -> Iterator[Addresses]:
    with _process(peer.serve, case.peers) as connection:
        if not connection.poll(RUN_TIMEOUT_S):
            raise BenchmarkError(f"{case.name}: the virtual home did not start")
        addresses: Addresses = connection.recv()
        yield addresses


@contextlib.contextmanager
def _process(target: Callable[..., None], *arguments: object) -> Iterator[Connection]:
    """Run `target(connection, *arguments)`; yields the other end, ends it if need be."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=target, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(5)
        if process.is_alive():
            print("benchmarks: a process had to be ended", file=sys.stderr)
            process.kill()
            process.join()
