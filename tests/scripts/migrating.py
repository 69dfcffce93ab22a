"""A home in YAML, and what scripts/migrate makes of it."""

import contextlib
import io
import os
from pathlib import Path
import subprocess
import sys

from migrate import __main__ as program
from tests.files import ROOT

CODE = "JgAcAB0dHhweHhweGx4cHR06HRwdHhweHxseHB4ADQU"


def make_home(folder: Path, content: dict[str, str]) -> Path:
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def advise(home: Path) -> str:
    """Migrate a home as the program does with --write, and return what it says."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        summary = program.migrate(program.read(home), home, writing=True)
    return f"{said.getvalue()}{summary}"


def migrate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "migrate", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
