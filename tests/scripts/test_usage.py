"""What a developer types, mistypes and asks the scripts for."""

from pathlib import Path
import shutil
import sys

import pytest

from tests.files import ROOT

from .run import run

SCRIPTS = ROOT / "scripts"


@pytest.mark.parametrize(
    "name",
    ["audit", "common", "demo", "lint", "lock", "migrate", "newest", "promises", "setup", "test"],
)
def test_help(name: str) -> None:
    done = run(SCRIPTS / name, "--help", program="bash")
    assert done.returncode == 0
    assert f"scripts/{name}" in done.stdout
    assert "#" not in done.stdout


@pytest.mark.parametrize("name", ["audit", "common", "demo", "lint", "lock"])
def test_a_mistyped_option_is_refused(name: str) -> None:
    done = run(SCRIPTS / name, "--ofline", program="bash")
    assert done.returncode == 2
    assert done.stdout.startswith(f"{name}: unknown: --ofline\n")


@pytest.mark.parametrize("path", ["tests/irhubb", "tests/irhub/test_remotes.py::test_x", "x.py"])
def test_a_mistyped_path_is_named(path: str) -> None:
    done = run(SCRIPTS / "test", path, "-x", program="bash")
    assert done.returncode == 2
    assert done.stdout.startswith(f"test: there is no {path.partition('::')[0]}\n")


def test_an_option_that_neither_we_nor_pytest_know_is_refused(tmp_path: Path) -> None:
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "forks.py", tmp_path / "tests")
    (tmp_path / "scripts" / "setup").write_text("#!/bin/sh\n")  # the environment is this one
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    done = run(tmp_path / "scripts" / "test", "--oldets", program="bash")
    assert done.returncode != 0
    assert "unrecognized arguments: --oldets" in done.stdout
