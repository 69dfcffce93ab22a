"""The plugin that runs the tests in forked processes: nothing gets lost between these."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

from tests.files import ROOT

TESTS = """\
import os
import signal
import time
import warnings

import pytest

from measured import in_a_test


@pytest.mark.parametrize("number", range(30))
def test_passes(number, tmp_path):
    (tmp_path / "file").write_text(in_a_test())


def test_fails():
    print("what it prints")
    assert [1, 2] == [1, 3]


def test_warns():
    warnings.warn("careful", stacklevel=1)


def test_is_skipped():
    pytest.skip("no reason")


def test_ends_the_process():
    os._exit(0)


def test_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def test_interrupts_itself():
    raise KeyboardInterrupt


@pytest.fixture
def cleaned_up():
    yield
    open("cleaned up", "w").close()


def test_waits(cleaned_up):
    open("waits", "w").close()
    time.sleep(600)


@pytest.mark.parametrize("number", range(20))
def test_takes_a_second(number):
    open(f"begun {number}", "w").close()
    open("waits", "w").close()
    time.sleep(1)


def test_hangs():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    open("waits", "w").close()
    time.sleep(600)
"""
MEASURED = """\
def in_a_test():
    return "text"


def never():
    return None
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a project of a few tests, which need no Home Assistant (3 s)."""
    for name, content in {
        "pytest.ini": "[pytest]\n",
        "measured.py": MEASURED,
        "test_it.py": TESTS,
    }.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("COVERAGE_FILE", raising=False)


def run(*words: str) -> tuple[int, str]:
    """Return the exit code of coverage.py's command, and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "coverage", *words], check=False, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def run_tests(*words: str) -> tuple[int, str]:
    """Return the exit code of pytest with two processes, and what it prints."""
    plugin = ("-p", "tests.forks", "--forks", "2", "--basetemp=temporary")
    return run("run", "--parallel-mode", "--include=measured.py", "-m", "pytest", *plugin, *words)


def start_tests(folder: Path, name: str) -> subprocess.Popen[str]:
    """Start pytest with two processes, in a group of processes, and wait until the test runs."""
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "tests.forks", "--forks", "2", "-k", name],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    while not (folder / "waits").exists():
        assert run.poll() is None
        time.sleep(0.02)
    return run


def is_alive(group: int) -> bool:
    """Return whether a group has processes."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_each_result_is_reported() -> None:
    code, text = run_tests("-k", "passes or fails or warns or is_skipped")
    assert code == 1
    assert "1 failed, 31 passed, 1 skipped, 25 deselected, 1 warning" in text
    assert "At index 1 diff: 2 != 3" in text
    assert "Captured stdout call" in text
    assert "what it prints" in text
    assert "UserWarning: careful" in text


def test_passing_tests_are_a_success_and_measured() -> None:
    code, text = run_tests("-k", "passes")
    assert code == 0
    assert "30 passed" in text
    run("combine")
    _, report = run("report", "--show-missing")
    assert "measured.py       4      1    75%   6" in report


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("test_ends_the_process", "exit code 0"),
        ("test_is_killed", "SIGKILL"),
        ("test_interrupts_itself", "exit code 1"),
    ],
)
def test_a_test_that_ends_its_process_is_named(name: str, how: str) -> None:
    code, text = run_tests("-k", f"passes or {name}")
    assert code == 1
    assert f"a process ended: test_it.py::{name} ({how})" in text
    assert "30 passed" in text


def test_a_test_that_hangs_is_ended_and_named() -> None:
    limit = ("-o", "faulthandler_timeout=1", "-o", "faulthandler_exit_on_timeout=true")
    code, text = run_tests("-k", "passes or hangs", *limit)
    assert code == 1
    assert "a process ended: test_it.py::test_hangs (exit code 1)" in text
    assert "in test_hangs" in text  # the stack
    assert "30 passed" in text


@pytest.mark.parametrize(
    ("name", "number", "whole_group"),
    [
        ("test_waits", signal.SIGINT, True),  # Ctrl-C
        ("test_waits", signal.SIGTERM, False),
        ("test_takes_a_second", signal.SIGTERM, False),
        ("test_hangs", signal.SIGTERM, False),
    ],
)
def test_an_interrupted_run_names_its_tests_and_leaves_no_process(
    tmp_path: Path, name: str, number: signal.Signals, whole_group: bool
) -> None:
    run = start_tests(tmp_path, name)
    (os.killpg if whole_group else os.kill)(run.pid, number)
    text, _ = run.communicate(timeout=120)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert f"interrupted during: test_it.py::{name}" in text
    assert not is_alive(run.pid)
    assert (tmp_path / "cleaned up").exists() is (name == "test_waits")
    assert len([*tmp_path.glob("begun *")]) < 20


def test_no_process_outlives_a_run_that_is_killed(tmp_path: Path) -> None:
    run = start_tests(tmp_path, "test_takes_a_second")
    run.kill()
    run.communicate()  # reads until the last process has closed the pipe
    assert len([*tmp_path.glob("begun *")]) < 20


def test_the_run_ends_after_the_first_failure() -> None:
    code, text = run_tests("-x", "-k", "fails or warns")
    assert code == 1
    assert "stopping after 1 failures" in text


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("import missing\n")
    code, text = run_tests()
    assert code == 2
    assert "No module named 'missing'" in text
    assert "passed" not in text
