"""A home in YAML, and what scripts/migrate makes of it."""

import atexit
import contextlib
from functools import cache
import io
import json
import os
from pathlib import Path
from select import select
import subprocess
import sys
import tempfile

from migrate import __main__ as program
from tests.files import ROOT

PATIENCE_S = 120
CODE = "JgAcAB0dHhweHhweGx4cHR06HRwdHhweHxseHB4ADQU"


def make_home(folder: Path, content: dict[str, str]) -> Path:
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def advise(home: Path) -> str:
    """Migrate a home as the program does with --write, and return what it says."""
    with contextlib.redirect_stdout(io.StringIO()) as captured:
        summary = program.migrate(program.read(home), home, writing=True)
    return f"{captured.getvalue()}{summary}"


def migrate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own, and return what it says."""
    forks, texts = _forks(), [str(argument) for argument in arguments]
    assert forks.stdin is not None
    assert forks.stdout is not None
    with tempfile.NamedTemporaryFile() as output:
        forks.stdin.write(json.dumps([str(Path.cwd()), texts, output.name]) + "\n")
        forks.stdin.flush()
        if not select([forks.stdout], [], [], PATIENCE_S)[0]:
            forks.kill()
            raise subprocess.TimeoutExpired(texts, PATIENCE_S)
        code = int(forks.stdout.readline())
        return subprocess.CompletedProcess(texts, code, Path(output.name).read_text())


@cache
def _forks() -> subprocess.Popen[str]:
    """Start what runs the program as often as it is asked to, until this process ends."""
    forks = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.scripts.migrate_forks"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(forks.kill)
    return forks
