"""Core's integrations on the same topics, hub and page: neither side changes the other's work."""

from collections.abc import AsyncGenerator
import logging
from typing import Final

from homeassistant.components.broadlink import device as core_device
import pytest

from tests.mqtt_binary.home import MqttHome
from virtual_home.endpoint import Endpoint
from virtual_home.hub import VirtualHub

from .neighbours import BOTH, Neighbourhood, Page, SharedHub, Side, Topics

pytestmark = pytest.mark.reliability

WHOSE = ("custom_components", "homeassistant")
"""Warnings of others are of the machine: a slow turn of the event loop, a missing library."""
ORDERS: Final[dict[str, list[tuple[Side, ...]]]] = {
    "ours first": [(Side.OURS,), (Side.CORES,)],
    "core's first": [(Side.CORES,), (Side.OURS,)],
    "both at once": [BOTH],
}


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[VirtualHub]:
    """Run a hub that core finds: it knows port 80 only, which takes rights that tests lack."""
    async with VirtualHub("rm4_pro", name="Lounge") as hub:
        monkeypatch.setattr(core_device, "DEFAULT_PORT", hub.port)
        yield hub


@pytest.mark.parametrize("order", ORDERS)
async def test_neighbours_do_not_notice_each_other(
    bare_mqtt_home: MqttHome,
    hub: VirtualHub,
    endpoint: Endpoint,
    caplog: pytest.LogCaptureFixture,
    order: str,
) -> None:
    home = bare_mqtt_home
    there = Neighbourhood(home, [Topics(home), SharedHub(home, hub), Page(home, endpoint)])
    for sides in ORDERS[order]:
        await there.start(*sides)
    await there.check(*BOTH)
    for side in BOTH:
        with there.undisturbed(side.other):
            await there.reload(side)
        await there.check(*BOTH)
    await there.reload(*BOTH)
    await there.reconnect()
    await there.check(*BOTH)
    for side in BOTH:
        with there.undisturbed(side.other):
            await there.remove(side)
        await there.check(side.other)
        with there.undisturbed(side.other):
            await there.start(side)
        await there.check(*BOTH)
    for side in BOTH:
        await there.remove(side)
    await home.hass.async_block_till_done(wait_background_tasks=True)
    lines = [
        f"{record.name}: {record.getMessage()}"
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith(WHOSE))
        if record.name != "homeassistant.loader"  # says so of every custom integration
    ]
    assert lines == []
