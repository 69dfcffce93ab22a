"""Runs a script of this project as a user does, and returns what it says."""

from pathlib import Path
import subprocess
import sys


def run(
    script: Path, *arguments: str | Path, program: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, with Python or `program`; its outputs come as one text."""
    return subprocess.run(
        [program, script, *arguments],
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
