"""A home in YAML, and what scripts/migrate makes of it."""

import asyncio
import contextlib
import io
import multiprocessing
import os
from pathlib import Path
import subprocess
import sys
import tempfile

from migrate import __main__ as program

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
    with contextlib.redirect_stdout(io.StringIO()) as said:
        summary = program.migrate(program.read(home), home, writing=True)
    return f"{said.getvalue()}{summary}"


def migrate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own, and return what it says.

    The process is forked from one that has imported Home Assistant, which takes two seconds.
    """
    with tempfile.NamedTemporaryFile() as output:
        texts = [str(argument) for argument in arguments]
        process = _PROCESSES.Process(target=_run_program, args=(texts, output.name))
        process.start()
        process.join(PATIENCE_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(texts, PATIENCE_S)
        said = Path(output.name).read_text()
    return subprocess.CompletedProcess(texts, process.exitcode, said)


def _run_program(arguments: list[str], output: str) -> None:
    descriptor = os.open(output, os.O_WRONLY | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(descriptor, stream.fileno())
    sys.argv = ["migrate", *arguments]
    asyncio.run(program.main())


_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__, "migrate.check", "migrate.try_out"])
