"""A hub that reboots at each step of learning and sending, in every way the steps go.

At step n the hub reboots before it acts on the request, or right after, its reply lost, or
it stays away for two seconds. Whatever it is: a call that ends well has done what it says.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal, cast, override

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.ircodes import parse_text
from tests.home import Notices, until
from tests.irhub.home import FAN, HDMI, NEC, POWER, RC5, entry, our_hub, set_up
from virtual_home.hub import VirtualHub

from .hubs import available, back, outcome
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

REMOTE = {"entity_id": "remote.broadlink"}
LIGHT = bytes([*FAN[:4], *reversed(FAN[4:])])
"""Another radio packet."""
AWAY_S = 2
MHZ = 433.92

type Peer = tuple[str, int]
type How = Literal["refused", "obeyed", "away"]


class RebootingHub(VirtualHub):
    """A hub that reboots at the `step`th request from now on."""

    how: How = "refused"
    step = 0
    unconfirmed = 0
    """How many packets went out at that request: whoever sent them does not know."""

    @override
    def _receive(self, data: bytes, peer: Peer) -> None:
        self.step -= 1
        if self.step == 0:
            match self.how:
                case "obeyed":
                    self.faults.lose_replies = 1
                    before = len(self.transmitted)
                    super()._receive(data, peer)
                    self.unconfirmed = len(self.transmitted) - before
                    self.reboot()
                    return
                case "away":
                    self.faults.silent = True
                    asyncio.get_running_loop().call_later(AWAY_S, self.faults.clear)
            self.reboot()
        super()._receive(data, peer)


async def press(hub: VirtualHub, notices: Notices, first: bytes, second: bytes) -> None:
    """Do what the notifications ask for, as long as they do."""
    while True:
        await asyncio.sleep(0.5)
        is_second = (notices.text or "").endswith("second code.")
        hub.receiver.hold(MHZ)
        hub.press(second if is_second else first)


async def learn(hass: HomeAssistant, hub: VirtualHub, shown: Notices, **keys: object) -> list[str]:
    """Learn a command that alternates, and return what was stored."""
    shown.history.clear()
    pair = (FAN, LIGHT) if "command_type" in keys else (POWER, HDMI)
    user = asyncio.create_task(press(hub, shown, *pair))
    data = {**REMOTE, "device": "d", "command": "c", "alternative": True, **keys}
    try:
        error = await outcome(
            hass.services.async_call("remote", "learn_command", data, blocking=True)
        )
    finally:
        user.cancel()
    exported = await hass.services.async_call(
        "irhub", "export_codes", REMOTE, blocking=True, return_response=True
    )
    codes = cast("dict[str, dict[str, dict[str, list[str]]]]", exported)["codes"]
    assert bool(codes) == (error is None), error
    assert shown.text is None
    if error is not None:
        return []
    assert codes == {"d": {"c": codes["d"]["c"]}}
    await hass.services.async_call(
        "remote", "delete_command", {**REMOTE, "device": "d", "command": "c"}, blocking=True
    )
    return codes["d"]["c"]


async def at_each_step(
    hass: HomeAssistant, hub: RebootingHub, work: Callable[[], Awaitable[None]]
) -> int:
    """Run some work again and again, with a reboot one step later each time; count the steps."""
    step = 0
    while hub.step <= 0:
        step += 1
        await back(hass, hub)
        hub.step = step
        await work()
    hub.step = 0
    return step - 1


@pytest.mark.parametrize("how", ["refused", "obeyed", "away"])
@pytest.mark.parametrize(
    ("keys", "steps"), [({}, 6), ({"command_type": "rf"}, 11)], ids=["infrared", "radio"]
)
@pytest.mark.parametrize("model", ["rm_pro", "rm4_pro"])
async def test_learning_an_alternating_command(
    hass: HomeAssistant,
    notices: Notices,
    model: str,
    keys: dict[str, object],
    steps: int,
    *,
    how: How,
) -> None:
    """Both presses are learned, in their order, wherever the hub reboots."""
    async with RebootingHub(model) as hub:
        hub.how = how
        await set_up(hass, "remote", entry(hub, timeout=5))
        await until(lambda: available(hass, hub))
        pair = [FAN, LIGHT] if keys else [POWER, HDMI]
        with leaping(hass):

            async def work() -> None:
                learned = await learn(hass, hub, notices, **keys)
                assert [parse_text(text) for text in learned] == pair
                assert not our_hub(hass, hub).receiver.learning

            assert await at_each_step(hass, hub, work) >= steps


@pytest.mark.parametrize("how", ["refused", "obeyed", "away"])
async def test_sending_an_alternating_command(hass: HomeAssistant, how: How) -> None:
    """Each packet goes out once, in its turn, or the call fails and the turn is kept."""
    async with RebootingHub() as hub:
        hub.how = how
        await set_up(hass, "remote", entry(hub, timeout=5))
        await until(lambda: available(hass, hub))
        codes = {"d": {"c": [RC5, NEC]}}
        await hass.services.async_call(
            "irhub", "import_codes", {**REMOTE, "codes": codes}, blocking=True
        )
        turn = 0
        data = {**REMOTE, "device": "d", "command": "c", "num_repeats": 3, "delay_secs": 0.5}
        with leaping(hass):

            async def work() -> None:
                nonlocal turn
                before = len(hub.transmitted)
                error = await outcome(
                    hass.services.async_call("remote", "send_command", data, blocking=True)
                )
                went_out = hub.transmitted[before:]
                expected = [(POWER, HDMI)[(turn + number) % 2] for number in range(3)]
                assert went_out == expected[: len(went_out)]
                if error is None:
                    assert len(went_out) == 3
                    turn += 3
                else:
                    assert how != "refused"
                    turn += len(went_out) - hub.unconfirmed
                    hub.unconfirmed = 0

            assert await at_each_step(hass, hub, work) >= 3
