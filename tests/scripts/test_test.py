"""scripts/test: what each way of calling it runs."""

from pathlib import Path
import shutil
import subprocess

import pytest

from tests.files import ROOT

PYTHONS = (".venv/bin/python", ".venv-oldest/bin/python")
FAST = "-m not e2e and not reliability"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose programs only write down how they are called."""
    for name in ("scripts/setup", "scripts/lint", "scripts/browser", *PYTHONS):
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >>{tmp_path}/calls\n')
        program.chmod(0o755)
    shutil.copy(ROOT / "scripts" / "test", tmp_path / "scripts" / "test")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "setup", "lint", "python", "tests"),
    [
        ([], "test", True, ".venv", f"{FAST} --cov --cov-branch --cov-report=term"),
        (["tests/rest", "-x"], "test", False, ".venv", f"{FAST} tests/rest -x"),
        (["tests/reliability"], "test", False, ".venv", "-m reliability tests/reliability"),
        (["--reliability", "-x"], "test", False, ".venv", "-m reliability -x"),
        (["--oldest"], "oldest", False, ".venv-oldest", FAST),
        (["--oldest", "tests/rest"], "oldest", False, ".venv-oldest", f"{FAST} tests/rest"),
        (["tests/e2e/test_reload.py"], "host", False, ".venv", "-m e2e tests/e2e/test_reload.py"),
        (["--e2e"], "host", False, ".venv", "-m e2e"),
    ],
)
def test_what_runs(
    project: Path, arguments: list[str], setup: str, python: str, tests: str, *, lint: bool
) -> None:
    subprocess.run([project / "scripts" / "test", *arguments], check=True, timeout=60)
    calls = (project / "calls").read_text().splitlines()
    assert f"scripts/setup {setup}" in calls
    assert ("scripts/lint " in calls) == lint
    assert calls[-1] == f"{python}/bin/python -m pytest -n 2 --dist loadfile {tests}"
