"""Datagrams lost, duplicated, overtaken, late: a command goes out once or is said to have failed.

Sent over real sockets; only the waiting for resends and timeouts is leapt over.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

from homeassistant.core import HomeAssistant
import pytest

from tests.home import until
from tests.irhub.home import HDMI, NEC, POWER, RC5, entry, set_up

from .hubs import MeddledHub, available, back, outcome, packet, transmit
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

REMOTE = "remote.broadlink"
SENDS = 200


@asynccontextmanager
async def home(hass: HomeAssistant, seed: int) -> AsyncIterator[MeddledHub]:
    """Run a hub, ours connected to it, in leaping time."""
    async with MeddledHub(seed=seed) as hub:
        await set_up(hass, "remote", entry(hub, timeout=5))
        await until(lambda: available(hass, hub))
        with leaping(hass):
            yield hub
            hub.faults.clear()
            hub.meddle, hub.copies = None, 1
            await back(hass, hub)
            assert await transmit(hass, hub, SENDS) is None  # it is as good as new
            await back(hass, hub)


@pytest.mark.parametrize(("loss", "at_most_failed"), [(0.1, 2), (0.3, 20), (0.5, 100)])
async def test_lost_datagrams_never_lose_or_repeat_a_command_silently(
    hass: HomeAssistant, loss: float, at_most_failed: int
) -> None:
    async with home(hass, seed=int(loss * 10)) as hub:
        hub.faults.loss = loss
        failed = [number for number in range(SENDS) if await transmit(hass, hub, number)]
        assert len(failed) <= at_most_failed, failed


async def test_duplicated_datagrams_do_not_repeat_a_command(hass: HomeAssistant) -> None:
    async with home(hass, seed=1) as hub:
        hub.copies = 3
        hub.faults.duplicate = 1
        for number in range(SENDS):
            assert await transmit(hass, hub, number) is None


async def test_replies_that_overtake_each_other_confirm_only_their_own_command(
    hass: HomeAssistant,
) -> None:
    async with home(hass, seed=2) as hub:
        hub.faults.reorder = 0.5
        hub.faults.duplicate = 0.5
        for number in range(SENDS):
            assert await transmit(hass, hub, number) is None


@pytest.mark.parametrize(("slow", "fails"), [(0.9, False), (2.5, False), (4.5, False), (6.0, True)])
async def test_late_replies_confirm_their_own_command_until_its_timeout(
    hass: HomeAssistant, slow: float, fails: bool
) -> None:
    async with home(hass, seed=3) as hub:
        for number in range(SENDS // 4):
            await back(hass, hub)
            hub.faults.slow = slow
            error = await transmit(hass, hub, number)
            assert (error is not None) == fails
            hub.faults.slow = 0


async def test_everything_at_once(hass: HomeAssistant) -> None:
    random = Random(11)
    async with home(hass, seed=11) as hub:
        outcomes = []
        for number in range(SENDS):
            faults = hub.faults
            faults.loss, faults.duplicate, faults.reorder = 0.2, 0.2, 0.2
            faults.foreign = faults.truncate = faults.flip = faults.garbage = 0.05
            faults.slow = random.choice([0, 0, 0.3, 1.5])
            hub.copies = random.choice([1, 1, 2])
            if random.random() < 0.05:
                hub.expire_sessions()
            if random.random() < 0.02:
                hub.reboot()
            outcomes.append(await transmit(hass, hub, number))
        assert outcomes.count(None) > SENDS / 4


async def test_reboots_while_datagrams_are_lost_never_repeat_a_command(
    hass: HomeAssistant,
) -> None:
    """A resend after a reboot is refused, which says nothing about the first copy."""
    random = Random(6)
    reboots, unsure = 0, 0
    async with home(hass, seed=6) as hub:

        def reboot() -> None:
            nonlocal reboots
            reboots += 1
            hub.reboot()

        for number in range(SENDS):
            await back(hass, hub)
            hub.faults.loss = 0.3
            due = hass.loop.call_later(random.uniform(0, 2), reboot)
            unsure += await transmit(hass, hub, number) is not None
            due.cancel()
            hub.faults.loss = 0
        assert reboots > SENDS / 4, reboots
        assert SENDS / 8 < unsure < SENDS * 3 / 4, unsure


async def test_a_toggle_goes_on_only_after_a_confirmed_transmission(hass: HomeAssistant) -> None:
    async with home(hass, seed=4) as hub:
        await hass.services.async_call(
            "irhub",
            "import_codes",
            {"entity_id": REMOTE, "codes": {"tv": {"power": [RC5, NEC]}}},
            blocking=True,
        )
        turn, failed = 0, 0
        for _ in range(SENDS):
            await back(hass, hub)
            hub.faults.loss = 0.5
            before = len(hub.transmitted)
            error = await outcome(
                hass.services.async_call(
                    "remote",
                    "send_command",
                    {"entity_id": REMOTE, "device": "tv", "command": "power"},
                    blocking=True,
                )
            )
            hub.faults.loss = 0
            went_out = hub.transmitted[before:]
            if error is None:
                assert went_out == [(POWER, HDMI)[turn]]
                turn = 1 - turn
            else:
                assert went_out in ([], [(POWER, HDMI)[turn]])
                failed += 1
        assert 0 < failed < SENDS / 2


async def test_the_faults_do_happen(hass: HomeAssistant) -> None:
    async with home(hass, seed=5) as hub:
        hub.faults.lose_replies = 100
        error = await transmit(hass, hub, 0)
        assert error is not None
        assert "does not answer: is it plugged in" in str(error)
        assert hub.transmitted == [packet(0)]
