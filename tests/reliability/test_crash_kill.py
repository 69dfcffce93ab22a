"""Home Assistant killed (SIGKILL) a hundred times while it learns and alternates.

What was reported as learned is never missing afterwards, the store always loads, and after
a reported send it is the other packet's turn.
"""

import asyncio
import os
from pathlib import Path
from random import Random
import signal
from typing import Any

import pytest

from custom_components.irhub.ircodes import to_base64
from virtual_home.hub import VirtualHub

from .hubs import packet
from .nursery import Nursery, nursery

pytestmark = pytest.mark.reliability

LANES = 4
KILLS_PER_LANE = 25
LONGEST_LIFE_S = 0.6


class Life:
    """What one configuration folder was promised, over all its Home Assistants."""

    def __init__(self, config_dir: Path, hub: VirtualHub, seed: int) -> None:
        self._folder = config_dir
        self._hub = hub
        self._random = Random(seed)
        self._pressed: set[str] = set()
        self.learned: dict[str, Any] = {}
        self.sends = self.kills_while_learning = self.kills_while_sending = 0
        self._seen = 0
        self._last_sent: bytes | None = None

    async def press_buttons(self) -> None:
        """Press a button that was never pressed before, whenever the hub listens."""
        number = 0
        while True:
            code = packet(number := number + 1)
            self._pressed.add(to_base64(code))
            await self._hub.press_when_listening(code, timeout=60)

    async def live_and_die(self, children: Nursery) -> None:
        """Run one Home Assistant until it is killed at a random moment."""
        pid = await children.fork()
        report = await children.say()
        assert report is not None
        assert "error" not in report, report
        self._check(report["codes"])
        self._seen = len(self._hub.transmitted)
        doomed = asyncio.create_task(self._kill(pid))
        doing = "nothing"
        while (report := await children.say()) is not None:
            match report:
                case {"doing": what}:
                    doing = what
                case {"learned": name, "as": texts}:
                    assert {*([texts] if isinstance(texts, str) else texts)} <= self._pressed
                    self.learned[name] = texts
                case {"sent": _}:
                    self._check_turn()
                case error:
                    raise AssertionError(error)
        await doomed
        self.kills_while_learning += doing == "learn"
        self.kills_while_sending += doing == "send"
        if doing == "send":
            self._last_sent = None  # nobody was told whether that one went out

    async def _kill(self, pid: int) -> None:
        await asyncio.sleep(self._random.uniform(0, LONGEST_LIFE_S))
        os.kill(pid, signal.SIGKILL)

    def _check(self, stored: dict[str, Any]) -> None:
        """See that nothing is missing, nothing is odd, and no file was found damaged."""
        found = stored.get("tv", {})
        assert {name: found.get(name) for name in self.learned} == self.learned
        assert not list((self._folder / ".storage").glob("*.corrupt*"))

    def _check_turn(self) -> None:
        """See that one packet went out, and not the one that was confirmed before."""
        self.sends += 1
        [sent] = self._hub.transmitted[self._seen :]
        self._seen += 1
        assert sent != self._last_sent
        self._last_sent = sent


async def lane(config_dir: Path, number: int) -> Life:
    """Let one home go through its crashes."""
    async with (
        VirtualHub(mac=f"34:EA:34:00:00:0{number}") as hub,
        nursery(config_dir, hub) as children,
    ):
        hub.logs.transmitted.clear()
        life = Life(config_dir, hub, seed=number)
        presses = asyncio.create_task(life.press_buttons())
        try:
            for _ in range(KILLS_PER_LANE):
                hub.receiver.idle()
                await life.live_and_die(children)
        finally:
            presses.cancel()
        return life


async def test_a_hundred_kills_lose_nothing_that_was_reported(tmp_path: Path) -> None:
    for number in range(LANES):
        (tmp_path / str(number)).mkdir()
    async with asyncio.timeout(240), asyncio.TaskGroup() as group:
        lanes = [group.create_task(lane(tmp_path / str(number), number)) for number in range(LANES)]
    lives = [task.result() for task in lanes]
    learned = sum(len(life.learned) for life in lives)
    sends = sum(life.sends for life in lives)
    while_learning = sum(life.kills_while_learning for life in lives)
    while_sending = sum(life.kills_while_sending for life in lives)
    print(f"{learned=} {sends=} {while_learning=} {while_sending=}")  # noqa: T201  (the figures)
    assert learned >= LANES
    assert sends >= LANES
    assert while_learning
    assert while_sending
