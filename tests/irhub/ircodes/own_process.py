"""A process in which `ircodes` is a package of its own, as it is in its wheel."""

import os
from pathlib import Path
import subprocess
import sys

from custom_components.irhub import ircodes


def run(folder: Path, *arguments: str) -> str:
    """Return Python's output in an empty folder, with `ircodes` and its packages importable."""
    alone = folder / "alone"
    alone.mkdir()
    (alone / "ircodes").symlink_to(Path(ircodes.__file__).parent)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(alone)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
