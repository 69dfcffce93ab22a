"""A pytest plugin that runs tests in forked processes: `-p tests.forks --forks 8`.

A worker of pytest-xdist imports Home Assistant and collects all tests by itself, which takes 6 s of
processor time. A process that is forked after the collection has both already, so that many can
wait for sockets and timers at the same time.

pytest-xdist has no such workers (with four of them, which cost as little, the tests take half as
long again), and pytest-forked runs one test after the other. The suites whose tests compute, or
start processes themselves, run with pytest-xdist.

No process outlives the run. It names each test that ended its process, and those that ran when
it was interrupted.

`coverage run --parallel-mode -m pytest` measures these processes, too.
"""

from collections.abc import Callable, Iterator
import contextlib
from dataclasses import dataclass
import itertools
import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
import os
from pathlib import Path
import signal
import struct
import time
import traceback
from types import FrameType
from typing import Any, NoReturn
import warnings

from coverage import Coverage
import pytest

# Each process takes a quarter of its part of what is left: neighbours use the same fixtures, and
# the processes end at about the same time.
PARTS = 4
SHARE = struct.Struct("=ii")  # the first test and the one behind the last

WAIT_S = 0.5
"""How long to wait for a report: a signal that arrives just before a wait does not end it."""

STOP_S = 3.0
"""How long an interrupted run waits for its tests to end, and then for their fixtures."""


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


@dataclass
class Process:
    """A forked process, as its parent sees it."""

    id: int
    test: str = "its start"
    """The test that it runs; empty when it has run all its tests."""
    failure: str = ""
    """The traceback, if an exception ended it."""
    code: int = 0
    """The exit code; of a signal that killed it, the negative number."""

    @property
    def death(self) -> str:
        """Return which test ended it, and how."""
        how = signal.Signals(-self.code).name if self.code < 0 else f"exit code {self.code}"
        return f"{self.test} ({how})" + (f"\n{self.failure}" if self.failure else "")


class Forks:
    """Runs the tests in forked processes, and reports what they send."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._parent: Connection | None = None  # in a forked process
        self._processes: dict[Connection, Process] = {}
        self._died: list[Process] = []
        self._interrupted = False
        self._stop = mmap.mmap(-1, 1)  # shared: not 0 if no process is to begin another test

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the tests, unless some could not be collected."""
        if session.testsfailed or self._config.option.collectonly:
            return None
        shares = write_shares(len(session.items), self._config.option.forks)
        _handle_signals(self._interrupt)
        for number in range(self._config.option.forks):
            self._fork(session, shares, str(number))
        while self._processes and not self._interrupted:
            self._receive(WAIT_S)
            if session.shouldfail:
                self._stop[0] = 1
        if self._interrupted:
            self._end()
        if self._died:
            deaths = "; ".join(process.death for process in self._died)
            session.shouldfail = f"a process ended: {deaths}"
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        return True

    def _interrupt(self, *_: object) -> None:
        """Note a signal; an exception could be lost, for example in a destructor."""
        self._interrupted = True

    def _fork(self, session: pytest.Session, shares: int, name: str) -> None:
        """Fork a process that runs tests."""
        folders = self._config._tmp_path_factory  # type: ignore[attr-defined] # noqa: SLF001
        folder = folders.getbasetemp() / name
        folder.mkdir()
        receiving, sending = Pipe(duplex=False)
        if (process := os.fork()) == 0:
            _handle_signals(signal.default_int_handler)
            # While one of these is open, a process does not notice that its parent is gone.
            for connection in (receiving, *self._processes):
                connection.close()
            self._parent = sending
            folders._basetemp = folder  # noqa: SLF001
            self._work(session, shares)
        sending.close()
        self._processes[receiving] = Process(process)

    def _receive(self, timeout: float) -> bool:
        """Report what the processes send; return whether they sent anything."""
        connections = wait(list(self._processes), timeout)
        for connection in connections:
            assert isinstance(connection, Connection)
            process = self._processes[connection]
            try:
                kind, content = connection.recv()
            except EOFError:
                del self._processes[connection]
                process.code = os.waitstatus_to_exitcode(os.waitpid(process.id, 0)[1])
                if process.test:
                    self._died.append(process)
                continue
            hook = self._config.hook
            match kind:
                case "test":
                    process.test = content
                case "failure":
                    process.failure = content
                case "report":
                    report = hook.pytest_report_from_serializable(config=self._config, data=content)
                    hook.pytest_runtest_logreport(report=report)
                case "warning":
                    warning, where = content
                    hook.pytest_warning_recorded.call_historic(
                        kwargs={"warning_message": warnings.WarningMessage(*warning), **where}
                    )
        return bool(connections)

    def _end(self) -> NoReturn:
        """Let each process end its test, interrupt what does not, kill what hangs."""
        self._stop[0] = 1
        while self._receive(0):
            pass
        processes = (*self._died, *self._processes.values())
        tests = "; ".join(process.test for process in processes if process.test)
        self._wait_for_end()
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self._processes.values():
                os.kill(process.id, number)
            self._wait_for_end()
        pytest.exit(f"interrupted during: {tests}")

    def _wait_for_end(self) -> None:
        """Wait until all processes have ended, but not longer than STOP_S."""
        latest = time.monotonic() + STOP_S
        while self._processes and (left := latest - time.monotonic()) > 0:
            self._receive(left)

    def _work(self, session: pytest.Session, shares: int) -> NoReturn:
        """Run one share of the tests after the other, in a forked process."""
        code = 1
        try:
            writer: Any = self._config.get_terminal_writer()
            writer._file = Path(os.devnull).open("w")  # noqa: SIM115, SLF001
            capture: Any = self._config.pluginmanager.get_plugin("capturemanager")
            capture.stop_global_capturing()  # in the parent's file
            capture.start_global_capturing()
            items = itertools.chain(self._items(session, shares), [None])
            for item, following in itertools.pairwise(items):
                self._config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if measured := Coverage.current():
                measured.stop()
                measured.save()
            self._send("test", "")
            code = 0
        except BaseException:  # noqa: BLE001  (also an interruption)
            with contextlib.suppress(BrokenPipeError):  # the parent is gone
                self._send("failure", traceback.format_exc())
            session._setupstate.teardown_exact(None)  # noqa: SLF001
        finally:
            os._exit(code)  # what is to be done at the end is the parent's to do

    def _items(self, session: pytest.Session, shares: int) -> Iterator[pytest.Item]:
        while share := os.read(shares, SHARE.size):
            for item in session.items[slice(*SHARE.unpack(share))]:
                if self._stop[0]:
                    return
                yield item

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


def _handle_signals(handler: Callable[[int, FrameType | None], object]) -> None:
    """Handle the signals that end a run, except one that is ignored, as in the background."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)
