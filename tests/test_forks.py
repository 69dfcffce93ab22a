"""The plugin that runs the tests in forked processes: nothing gets lost between these."""

from pathlib import Path
import subprocess
import sys

import pytest

from tests.files import ROOT

TESTS = """\
import os
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


def test_each_result_is_reported() -> None:
    code, text = run_tests("-k", "passes or fails or warns or is_skipped")
    assert code == 1
    assert "1 failed, 31 passed, 1 skipped, 1 deselected, 1 warning" in text
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


def test_a_test_that_ends_its_process_is_named() -> None:
    code, text = run_tests("-k", "passes or ends")
    assert code == 1
    assert "a process ended: test_it.py::test_ends_the_process" in text
    assert "30 passed" in text


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
