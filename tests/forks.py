"""A pytest plugin that runs tests in forked processes: `-p tests.forks --forks 8`.

A worker of pytest-xdist imports Home Assistant and collects all tests by itself, which takes 6 s of
processor time. A process that is forked after the collection has both already, so that many can
wait for sockets and timers at the same time.

pytest-xdist has no such workers (with four of them, which cost as little, the tests take half as
long again), and pytest-forked runs one test after the other. The suites whose tests compute, or
start processes themselves, run with pytest-xdist.

`coverage run --parallel-mode -m pytest` measures these processes, too.
"""

from collections.abc import Iterator
import itertools
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
import os
from pathlib import Path
import struct
import traceback
from typing import Any, NoReturn
import warnings

from coverage import Coverage
import pytest

# Each process takes a quarter of its part of what is left: neighbours use the same fixtures, and
# the processes end at about the same time.
PARTS = 4
SHARE = struct.Struct("=ii")  # the first test and the one behind the last


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--forks", type=int, default=0, help="run the tests in this many processes")


def pytest_configure(config: pytest.Config) -> None:
    """Register what runs the tests."""
    if config.option.forks:
        config.pluginmanager.register(Forks(config), "forks")


def write_shares(tests: int, processes: int) -> int:
    """Return a pipe from which each process reads its next share of the tests."""
    shares, writing = os.pipe()
    first = 0
    while first < tests:
        behind = first + max(1, (tests - first) // (processes * PARTS))
        os.write(writing, SHARE.pack(first, behind))
        first = behind
    os.close(writing)
    return shares


class Forks:
    """Runs the tests in forked processes, and reports what they send."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._parent: Connection | None = None  # in a forked process
        self._children: dict[Connection, str] = {}  # the test that each runs
        self._died: list[str] = []  # during which tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the tests, unless some could not be collected."""
        if session.testsfailed or self._config.option.collectonly:
            return None
        shares = write_shares(len(session.items), self._config.option.forks)
        for number in range(self._config.option.forks):
            self._fork(session, shares, str(number))
        while self._children:
            for child in wait(list(self._children)):
                assert isinstance(child, Connection)
                self._receive(child)
            if session.shouldfail:
                while os.read(shares, SHARE.size):  # nobody begins another one
                    pass
        os.close(shares)
        if self._died:
            session.shouldfail = f"a process ended: {'; '.join(self._died)}"
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        return True

    def _fork(self, session: pytest.Session, shares: int, name: str) -> None:
        """Fork a process that runs tests."""
        folders = self._config._tmp_path_factory  # type: ignore[attr-defined] # noqa: SLF001
        folder = folders.getbasetemp() / name
        receiving, sending = Pipe(duplex=False)
        if os.fork() == 0:
            self._parent = sending
            folder.mkdir()
            folders._basetemp = folder  # noqa: SLF001
            self._work(session, shares)
        sending.close()
        self._children[receiving] = f"process {name}"

    def _receive(self, child: Connection) -> None:
        """Report what a process sends."""
        try:
            kind, content = child.recv()
        except EOFError:
            os.wait()
            if test := self._children.pop(child):
                self._died.append(test)
            return
        hook = self._config.hook
        match kind:
            case "test":
                self._children[child] = content
            case "report":
                report = hook.pytest_report_from_serializable(config=self._config, data=content)
                hook.pytest_runtest_logreport(report=report)
            case "warning":
                warning, where = content
                hook.pytest_warning_recorded.call_historic(
                    kwargs={"warning_message": warnings.WarningMessage(*warning), **where}
                )

    def _work(self, session: pytest.Session, shares: int) -> NoReturn:
        """Run one share of the tests after the other, in a forked process."""
        try:
            writer: Any = self._config.get_terminal_writer()
            writer._file = Path(os.devnull).open("w")  # noqa: SIM115, SLF001
            capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
            capture.stop_global_capturing()  # in the parent's file
            capture.start_global_capturing()
            items = itertools.chain(_items(session, shares), [None])
            for item, following in itertools.pairwise(items):
                self._config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if measured := Coverage.current():
                measured.stop()
                measured.save()
            self._send("test", "")
        except BaseException:
            self._send("test", traceback.format_exc())
            raise
        finally:
            os._exit(0)  # what is to be done at the end is the parent's to do

    def _send(self, kind: str, content: object) -> None:
        if self._parent:
            self._parent.send((kind, content))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Name the test, in case that it ends the process."""
        self._send("test", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send the parent a report."""
        if self._parent:
            hook = self._config.hook
            data = hook.pytest_report_to_serializable(config=self._config, report=report)
            self._send("report", data)

    def pytest_runtest_logfinish(self) -> None:
        """Let the parent alone remember reports."""
        if self._parent:
            terminal: Any = self._config.pluginmanager.get_plugin("terminalreporter")
            terminal.stats.clear()

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        """Send the parent a warning."""
        message = warning_message
        warning = (str(message.message), message.category, message.filename, message.lineno)
        where = {"when": when, "nodeid": nodeid, "location": location}
        self._send("warning", (warning, where))


def _items(session: pytest.Session, shares: int) -> Iterator[pytest.Item]:
    while share := os.read(shares, SHARE.size):
        yield from session.items[slice(*SHARE.unpack(share))]
