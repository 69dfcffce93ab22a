"""A hub whose replies are damaged, missing or errors: what is shown, logged and told to callers.

Whatever a reply is like, a command goes out once, nothing of it stands in the log, and the first
good reply brings everything back.
"""

import asyncio
from collections.abc import Callable, Iterable
import logging
from typing import Final, NamedTuple

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.irhub.hub import polling
from custom_components.irhub.hub.hubs import DATA_HUBS
from tests.home import until
from tests.reliability.hubs import MeddledHub
from tests.reliability.virtual_time import leaping
from virtual_home.hub import VirtualHub
from virtual_home.hub.frame import HEADER, HELLO_REPLY_SIZE, checksum

from ..home import POWER, RC5, entry, our_hub, set_up
from ..switches import turn, value
from .network import use_interfaces

REMOTE: Final = "remote.broadlink"
SWITCH: Final = "switch.tv"
TEMPERATURE: Final = "sensor.broadlink_sensor_temperature"
SHOWN: Final = "21.5"
INTERVAL_S: Final = 20
LONG_S: Final = 10 * INTERVAL_S
UNREADABLE: Final = "sent an unreadable answer .*is unknown, so it is not sent again"


def sealed(reply: bytes) -> bytes:
    """Return a reply with the checksum that it should have."""
    blank = reply[:0x20] + bytes(2) + reply[0x22:]
    return blank[:0x20] + checksum(blank).to_bytes(2, "little") + blank[0x22:]


def with_error(code: int) -> Callable[[bytes], Iterable[bytes]]:
    """Answer with an error of the device."""
    error = code.to_bytes(2, "little", signed=True)
    return lambda reply: [sealed(reply[:0x22] + error + reply[0x24:])]


class Fault(NamedTuple):
    """What becomes of each reply but the hello, and what our side makes of it."""

    meddle: Callable[[bytes], Iterable[bytes]]
    error: str
    """Error of a command."""
    log: str = "Sensors and sockets cannot be read: "
    """The warning in the log."""
    is_connected: bool = True
    """Whether the session stays."""


FAULTS: Final = {
    "wrong checksum": Fault(lambda reply: [reply[:0x20] + bytes(2) + reply[0x22:]], UNREADABLE),
    "empty": Fault(lambda _reply: [b""], UNREADABLE),
    "header cut": Fault(lambda reply: [reply[:-HEADER]], UNREADABLE),
    "half a block": Fault(lambda reply: [sealed(reply[:-8])], UNREADABLE),
    "silent": Fault(lambda _reply: [], "does not answer: is it plugged in"),
    "unknown command": Fault(with_error(-4), r"refused: \[Errno -4\] Command not supported"),
    "storage full": Fault(with_error(-5), r"refused: \[Errno -5\] The device storage is full"),
    "unknown error": Fault(with_error(-99), r"refused: \[Errno -99\] Unknown error"),
    "locked": Fault(
        with_error(-1), "is locked: unlock it", "is locked: unlock it", is_connected=False
    ),
    "no session": Fault(
        with_error(-7), "opened no session: .*expired", "opened no session: ", is_connected=False
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_what_becomes_of_a_hub_with_a_fault(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, fault: Fault
) -> None:
    async with MeddledHub() as hub:
        await start(hass, hub)
        with leaping(hass):
            hub.meddle = lambda reply: (
                [reply] if len(reply) == HELLO_REPLY_SIZE else fault.meddle(reply)
            )
            with pytest.raises(HomeAssistantError, match=fault.error):
                await turn(hass, "on", SWITCH)
            assert value(hass, SWITCH) == "off"
            await asyncio.sleep(LONG_S)
            assert (value(hass, REMOTE) != STATE_UNAVAILABLE) == fault.is_connected
            assert value(hass, TEMPERATURE) == STATE_UNAVAILABLE
            hub.meddle = None
            await asyncio.sleep(LONG_S)
            assert (value(hass, REMOTE), value(hass, TEMPERATURE)) == ("on", SHOWN)
            assert hub.transmitted == [POWER]
            await turn(hass, "on", SWITCH)
    assert hub.transmitted == [POWER, POWER]
    lost, back = [record for record in caplog.records if is_ours(record)]
    assert (lost.levelno, back.levelno) == (logging.WARNING, logging.INFO)
    assert fault.log in lost.getMessage()
    assert not [record for record in caplog.records if record.exc_info]
    assert not [text for text in (RC5, POWER.hex()) if text in caplog.text]


async def test_one_reading_that_fails_is_no_news(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    async with MeddledHub() as hub:
        await start(hass, hub)
        with leaping(hass):
            for _ in range(3):  # each followed by readings that succeed
                hub.faults.errors += [-3] * (polling.REPORTED_MISSES - 1)
                await asyncio.sleep(LONG_S)
                assert hub.faults.errors == []
                assert value(hass, TEMPERATURE) == SHOWN
    assert not [record for record in caplog.records if is_ours(record)]


async def test_of_two_hubs_with_one_mac_each_command_reaches_one(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_interfaces(monkeypatch, "127.0.0.1")
    async with (
        VirtualHub(host="127.0.0.2") as configured,
        VirtualHub(host="127.0.0.3", port=configured.port) as double,
    ):
        await start(hass, configured)
        with leaping(hass):
            for user, silent in ((configured, None), (double, configured), (configured, double)):
                if silent is not None:
                    silent.faults.silent = True
                await asyncio.sleep(LONG_S)
                sent = len(user.transmitted)
                await turn(hass, "on", SWITCH)
                assert len(user.transmitted) == sent + 1
                if silent is not None:
                    silent.faults.silent = False  # the other one stays in use
                    await asyncio.sleep(LONG_S)
                    await turn(hass, "on", SWITCH)
                    assert len(user.transmitted) == sent + 2
    assert len(configured.transmitted) + len(double.transmitted) == 5


async def test_a_reading_that_ends_after_the_hub_was_closed_is_the_last(
    hass: HomeAssistant,
) -> None:
    """The fixtures look for timers that are left."""
    async with MeddledHub() as hub:
        await start(hass, hub)
        hub.meddle = lambda _reply: []
        hubs = hass.data[DATA_HUBS]
        _, status = hubs.use(our_hub(hass, hub).settings)
        reading = hass.async_create_task(status.async_refresh())
        await asyncio.sleep(0.1)
        await hubs.stop()
        await reading
        assert status.update_interval is None


async def start(hass: HomeAssistant, hub: VirtualHub) -> None:
    """Set up a remote, a switch and a sensor of a hub, and wait for their states."""
    commands = {"tv": {"command_on": RC5, "command_off": RC5}}
    await set_up(hass, "remote", entry(hub))
    await set_up(hass, "switch", entry(hub, switches=commands))
    measured = {"monitored_conditions": ["temperature"], "scan_interval": INTERVAL_S}
    await set_up(hass, "sensor", entry(hub, **measured))
    await until(lambda: our_hub(hass, hub).available)
    await until(lambda: value(hass, TEMPERATURE) == SHOWN)


def is_ours(record: logging.LogRecord) -> bool:
    """Return whether a record is one of ours that people see."""
    return record.levelno >= logging.INFO and record.name.startswith("custom_components.irhub")
