"""Replies cut, flipped, forged and replayed: never a traceback, never a second transmission.

A garbled reply may cost a command its confirmation, not its truth: what is reported as sent
went out once, what is reported as failed went out at most once.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.hub import connection
from tests.home import until
from tests.irhub.home import entry, set_up
from virtual_home.hub.frame import checksum

from .hubs import MeddledHub, available, back, transmit
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

REMOTE = "remote.broadlink"
HELLO_REPLY = 0x80
SEND_REPLY = 0x38 + 16
COUNTER = 0x28


def cut(reply: bytes, length: int) -> bytes:
    """Return the beginning of the reply."""
    return reply[:length]


def flip(reply: bytes, bit: int) -> bytes:
    """Return the reply with one bit changed."""
    flipped = bytearray(reply)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


@dataclass
class Once:
    """Garbles the next reply, and no other."""

    garble: Callable[[bytes, int], bytes]
    at: int
    done: bool = False

    def __call__(self, reply: bytes) -> Iterable[bytes]:
        """Return what becomes of a reply."""
        if self.done:
            return [reply]
        self.done = True
        return [self.garble(reply, self.at)]


def with_counter(reply: bytes, counter: int) -> bytes:
    """Return a valid reply to another request."""
    changed = bytearray(reply)
    changed[COUNTER : COUNTER + 2] = counter.to_bytes(2, "little")
    changed[0x20:0x22] = bytes(2)
    changed[0x20:0x22] = checksum(bytes(changed)).to_bytes(2, "little")
    return bytes(changed)


def counter_of(reply: bytes) -> int:
    return int.from_bytes(reply[COUNTER : COUNTER + 2], "little")


def clean(caplog: pytest.LogCaptureFixture) -> bool:
    """Return whether nothing was logged with a traceback."""
    return not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("garble", [cut, flip])
async def test_a_garbled_confirmation_is_reported_and_the_command_not_repeated(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    garble: Callable[[bytes, int], bytes],
) -> None:
    """Cut at every length, flipped at every bit."""
    cuts = garble is cut
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        with leaping(hass):
            for at in range(SEND_REPLY if cuts else SEND_REPLY * 8):
                hub.meddle = lambda reply, at=at: [garble(reply, at)]
                assert await transmit(hass, hub, at), f"believed a reply garbled at {at}"
                hub.meddle = None
                await back(hass, hub)
            assert await transmit(hass, hub, SEND_REPLY * 8) is None
    assert clean(caplog)


async def test_half_a_keep_alive_does_not_end_the_session(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """The reply to the first of each two hellos is cut, at every length in turn."""
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        lost: list[int] = []
        with leaping(hass):
            for at in range(HELLO_REPLY):
                hub.meddle = once = Once(cut, at)
                await asyncio.sleep(connection.KEEP_ALIVE_S + 5)
                assert once.done, at
                if not available(hass, hub):
                    lost.append(at)
        assert lost == []
        assert await transmit(hass, hub, 0) is None
        assert hub.count("auth") == 1
    assert clean(caplog)


@pytest.mark.parametrize("distance", [-1, -2, -63])
async def test_a_reply_to_an_earlier_request_confirms_nothing(
    hass: HomeAssistant, distance: int
) -> None:
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        with leaping(hass):
            for number in range(64):
                assert await transmit(hass, hub, number) is None
            hub.meddle = lambda reply: [with_counter(reply, counter_of(reply) + distance)]
            assert await transmit(hass, hub, 64)
            hub.meddle = None
            await back(hass, hub)
            assert await transmit(hass, hub, 65) is None


async def test_a_wrong_counter_does_not_repeat_a_command(hass: HomeAssistant) -> None:
    """Some firmware echoes none: such a reply is taken, and the command has gone out once."""
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        with leaping(hass):
            hub.meddle = lambda reply: [with_counter(reply, counter_of(reply) ^ 0x5A5A)]
            for number in range(50):
                await transmit(hass, hub, number)
                await back(hass, hub)


async def test_replayed_replies_confirm_nothing(hass: HomeAssistant) -> None:
    """What the hub said before is said again around each reply, and instead of lost ones."""
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        heard: list[bytes] = []
        lost = False

        def replay(reply: bytes) -> Iterable[bytes]:
            if len(reply) == HELLO_REPLY:
                return [reply]
            old = heard[-40:]
            if lost:  # a later copy of the request must not get the reply to this one, either
                return old
            heard.append(reply)
            return [*old, reply, *old]

        hub.meddle = replay
        with leaping(hass):
            for number in range(200):
                lost = number % 10 == 9
                assert (await transmit(hass, hub, number) is not None) == lost
                await back(hass, hub)
        assert hub.count("auth") == 1
        assert len(hub.transmitted) == 200


async def test_a_stranger_s_reply_confirms_nothing(hass: HomeAssistant) -> None:
    async with MeddledHub() as hub:
        await set_up(hass, "remote", entry(hub))
        await until(lambda: available(hass, hub))
        with leaping(hass):
            for number in range(50):
                hub.faults.foreign = 1
                assert await transmit(hass, hub, number)
                hub.faults.clear()
                await back(hass, hub)
            assert await transmit(hass, hub, 50) is None
