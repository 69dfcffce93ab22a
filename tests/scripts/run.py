"""Runs a script of this project as a user does, and returns what it says."""

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import shutil
import subprocess
import sys


def run(
    script: Path, *arguments: str | Path, program: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, with Python or `program`; its outputs come as one text."""
    return subprocess.run(
        [*as_a_plain_user(), program, script, *arguments],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file under a folder, without compiled ones."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def as_a_plain_user() -> tuple[str, ...]:
    """Return what to put before a command so that a folder's mode counts, also for root."""
    setpriv = shutil.which("setpriv") or "setpriv"
    return (setpriv, "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Take the right to write from a folder and all in it, for as long as a test needs it."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths if not path.is_symlink()}
    try:
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        yield folder
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
