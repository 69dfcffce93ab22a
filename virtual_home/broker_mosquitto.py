"""Mosquitto as an engine of the virtual broker, in a process of its own."""

import asyncio
import contextlib
from pathlib import Path
import shutil
import socket
import subprocess
import tempfile
import time

from .broker_engine import Settings
from .process import start_program

START_TIMEOUT_S = 10.0
ATTEMPTS = 5
"""Maximum number of free ports to try: another program may take one before Mosquitto does."""


class Mosquitto:
    """The `mosquitto` program as a child process."""

    def __init__(self) -> None:
        self._running = contextlib.ExitStack()

    async def start(self, settings: Settings) -> int:
        """Listen and return the port."""
        for _ in range(ATTEMPTS):
            port = _free_port(settings.host, settings.port)
            with contextlib.ExitStack() as running:
                if await _runs(*self._spawn(running, settings, port)):
                    self._running = running.pop_all()
                    return port
        raise OSError(f"mosquitto did not start on {settings.host}:{settings.port or '(any port)'}")

    async def stop(self) -> None:
        """Kill the process."""
        self._running.close()

    def _spawn(
        self, running: contextlib.ExitStack, settings: Settings, port: int
    ) -> tuple[subprocess.Popen[bytes], Path]:
        """Start the program; return it and the file of its log."""
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="virtual-broker-")))
        log = folder / "log"
        lines = [
            f"listener {port} {settings.host}",
            "user root",  # ignored unless started as root, which could not read its files otherwise
            "persistence false",
            f"log_dest file {log}",
            "log_type information",
            "max_queued_messages 0",
            f"allow_anonymous {str(settings.username is None).lower()}",
        ]
        if settings.username is not None:
            passwords = folder / "passwords"
            subprocess.run(  # noqa: S603  (our own arguments, no shell)
                [
                    _program("mosquitto_passwd"),
                    "-c",
                    "-b",
                    str(passwords),
                    settings.username,
                    settings.password or "",
                ],
                check=True,
                capture_output=True,
            )
            lines.append(f"password_file {passwords}")
        config = folder / "mosquitto.conf"
        config.write_text("\n".join(lines) + "\n")
        process = start_program([_program("mosquitto"), "-c", str(config)])
        running.callback(process.wait)
        running.callback(process.kill)
        return process, log


def _program(name: str) -> str:
    if (path := shutil.which(name)) is None:
        raise FileNotFoundError(f"{name} is not installed")
    return path


def _free_port(host: str, port: int) -> int:
    """Return `port`, or any free one for 0. Raises OSError if it is taken."""
    with socket.create_server((host, port)) as probe:
        free: int = probe.getsockname()[1]
        return free


async def _runs(process: subprocess.Popen[bytes], log: Path) -> bool:
    """Wait until Mosquitto listens; return whether it does.

    Its log is read, since another program can have taken the port meanwhile, and would accept
    connections, too.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        if _says_running(log):
            return True
        await asyncio.sleep(0.02)
    return False


def _says_running(log: Path) -> bool:
    return log.exists() and b" running\n" in log.read_bytes()
