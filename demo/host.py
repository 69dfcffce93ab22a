"""A real Home Assistant process on a free loopback port, with a temporary configuration."""

import asyncio
from collections.abc import Mapping
import contextlib
from http import HTTPStatus
import json
import os
from pathlib import Path
import shutil
import socket
import tempfile
from typing import Self

import aiohttp

from virtual_home.process import die_with_parent

from .client import Client
from .deprecations import deprecated_uses

ROOT = Path(__file__).parent.parent
HOST_PYTHON = Path(os.environ.get("HOST_PYTHON", ROOT / ".venv-host" / "bin" / "python"))
START_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
POLL_S = 0.1

OWNER = {"name": "Demo", "username": "demo", "password": "demo", "language": "en"}


class HostError(Exception):
    """Home Assistant did not start, ended on its own, or reports a deprecated use by us."""


def free_port() -> int:
    """Return a loopback TCP port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Host:
    """Home Assistant as a user runs it: `async with Host(config, secrets) as host`.

    `config` is a folder with configuration.yaml; it is copied, with `secrets`
    as its secrets.yaml, this project's integrations as its custom_components,
    and an owner made through Home Assistant's own onboarding.
    """

    def __init__(
        self,
        config: Path,
        secrets: Mapping[str, object],
        *,
        python: Path = HOST_PYTHON,
        integrations: Path = ROOT / "custom_components",
    ) -> None:
        self._template = config
        self._secrets = dict(secrets)
        self._python = python
        self._integrations = integrations
        self._process: asyncio.subprocess.Process | None = None
        self._stack = contextlib.AsyncExitStack()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = ""
        self._read = 0
        """Length of the log before the current process started."""

    async def __aenter__(self) -> Self:
        """Write the configuration, start the process, create the owner."""
        folder = Path(
            self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix="home-assistant-", ignore_cleanup_errors=True)
            )
        )
        self.config, self._temporary = folder / "config", folder / "tmp"
        try:
            self._write_config()  # not in a thread, which would continue after Ctrl-C
            await self.start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the process and delete its configuration. Raise as `stop` does."""
        try:
            await self.stop()
        finally:
            await self._stack.aclose()

    def log(self) -> str:
        """Return Home Assistant's output so far."""
        return (self.config / "output.log").read_text(errors="replace")

    async def client(self) -> Client:
        """Return a client logged in as the owner, closed with the host."""
        return await self._stack.enter_async_context(Client(self.url, self.token))

    async def start(self) -> None:
        """Start the process; return when Home Assistant reports that it is running."""
        with (self.config / "output.log").open("ab") as output:
            self._read = output.tell()
            self._process = await asyncio.create_subprocess_exec(
                str(self._python),
                *("-m", "homeassistant", "--skip-pip", "--log-no-color"),
                *("--config", str(self.config)),
                # Not the project folder, whose package custom_components Python would prefer.
                cwd=self.config,
                # Home Assistant deletes all uploads in the temporary folder when it starts.
                env={**os.environ, "TMPDIR": str(self._temporary)},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=die_with_parent,
            )
        async with asyncio.timeout(START_TIMEOUT_S), aiohttp.ClientSession(self.url) as session:
            await self._until(session, "/manifest.json")
            if not self.token:
                self.token = await self._onboard(session)
                await self._confirm_port()
            # Before that, it does not handle signals and cannot be stopped.
            await self._until(session, "/api/core/state")

    async def stop(self) -> None:
        """Stop the process with SIGTERM, and kill it if that takes too long.

        Raise HostError if its log reports a deprecated use by this version of our integrations.
        """
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if uses := self.deprecated_uses():
            raise HostError("\n".join(uses))

    def deprecated_uses(self) -> list[str]:
        """Return deprecated uses by our integrations that were logged since the last start."""
        log = (self.config / "output.log").read_bytes()[self._read :].decode(errors="replace")
        installed, ours = self.config / "custom_components", ROOT / "custom_components"
        return deprecated_uses(
            log,
            [
                manifest.parent.name
                for manifest in installed.glob("*/manifest.json")
                if (own := ours / manifest.parent.name / manifest.name).exists()
                and own.read_bytes() == manifest.read_bytes()
            ],
        )

    def kill(self) -> None:
        """Kill the process, as a power cut does."""
        if self._process is not None:
            self._process.kill()

    def _write_config(self) -> None:
        shutil.copytree(self._template, self.config)
        self._temporary.mkdir()
        (self.config / "custom_components").symlink_to(self._integrations)
        secrets = {**self._secrets, "http_port": self.port}
        # JSON is valid YAML, and quotes all strings.
        (self.config / "secrets.yaml").write_text(
            "".join(f"{name}: {json.dumps(value)}\n" for name, value in secrets.items())
        )
        # Later steps of onboarding would set up integrations that access the internet.
        storage = self.config / ".storage"
        storage.mkdir(exist_ok=True)
        done = {"done": ["core_config", "analytics", "integration"]}
        (storage / "onboarding").write_text(
            json.dumps({"version": 4, "minor_version": 1, "key": "onboarding", "data": done})
        )

    async def _until(self, session: aiohttp.ClientSession, path: str) -> None:
        while not await self._answers(session, path):  # noqa: ASYNC110  (another process)
            await asyncio.sleep(POLL_S)

    async def _answers(self, session: aiohttp.ClientSession, path: str) -> bool:
        if self._process is None or self._process.returncode is not None:
            raise HostError(f"Home Assistant ended while starting:\n{self.log()}")
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            async with session.get(path, headers=headers) as reply:
                if reply.status != HTTPStatus.OK:
                    return False
                text = await reply.text()
        except aiohttp.ClientError:
            return False
        return not path.endswith("state") or '"RUNNING"' in text

    async def _onboard(self, session: aiohttp.ClientSession) -> str:
        client_id = f"{self.url}/"
        async with session.post(
            "/api/onboarding/users", json={**OWNER, "client_id": client_id}
        ) as reply:
            reply.raise_for_status()
            code = (await reply.json())["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": client_id}
        async with session.post("/auth/token", data=grant) as reply:
            reply.raise_for_status()
            token: str = (await reply.json())["access_token"]
            return token

    async def _confirm_port(self) -> None:
        """Confirm the port, which newer versions of Home Assistant otherwise reset."""
        async with Client(self.url, self.token) as client:
            reply = await client.command({"type": "repairs/list_issues"})
            if any(issue["issue_id"] == "deprecated_yaml" for issue in reply["issues"]):
                await client.command({"type": "http/config/promote"})
                await client.ignore_issue("http", "deprecated_yaml")
