"""Run the sides of a benchmark in turn, each run in a fresh process."""

from collections.abc import Callable, Iterator
import contextlib
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
import sys
import tempfile
from typing import Any

from . import child, peer
from .case import Addresses, Case, Job, Round, Values
from .summary import OURS

RUN_TIMEOUT_S = 120
# Forked from a process that has only imported Home Assistant: equivalent to a new process, but
# without two seconds of imports.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["benchmarks.preload"])


class BenchmarkError(Exception):
    """A run failed without a measurement."""


def rounds(case: Case, pairs: int, *, tiny: bool = False) -> Iterator[Round]:
    """Yield the rounds, after a tiny one as a warm-up.

    A round runs each side once; every other round in reverse order, so that effects of one run on
    the machine (caches, heat) affect both sides equally. A run of all sides in one process yields
    several rounds, `pairs` times.
    """
    with _peers(case) as addresses:
        if not tiny:
            _rounds(case, addresses, tiny=True, backwards=False)
        for number in range(pairs):
            yield from _rounds(case, addresses, tiny=tiny, backwards=bool(number % 2))


def _rounds(case: Case, addresses: Addresses, *, tiny: bool, backwards: bool) -> list[Round]:
    if case.one_process:
        together: list[Round] = _run(case, OURS, addresses, tiny=tiny)
        return together
    sides = case.sides[::-1] if backwards else case.sides
    values: Round = {side: _run(case, side, addresses, tiny=tiny) for side in sides}
    return [{side: values[side] for side in case.sides}]


def _run(case: Case, side: str, addresses: Addresses, *, tiny: bool) -> Any:  # noqa: ANN401  (what its `run` returns)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        job = Job(side=side, peers=addresses, folder=Path(folder), tiny=tiny)
        with _process(child.run, case.name, job) as answers:
            if not answers.poll(RUN_TIMEOUT_S):
                raise BenchmarkError(f"{case.name}, {side}: not done after {RUN_TIMEOUT_S} s")
            answer: Values | list[Round] | str = answers.recv()
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
    """Run `target(connection, *arguments)`. Yield the other end; kill the process if necessary."""
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
