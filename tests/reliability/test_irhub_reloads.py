"""Two hundred reloads leave nothing behind."""

import gc
import logging
from pathlib import Path

from homeassistant.core import HomeAssistant
import pytest

from tests.home import until
from tests.irhub.home import our_status
from tests.irhub.yaml.sockets import start, yaml
from virtual_home.hub import VirtualHub

from .fleet import living
from .hubs import available

pytestmark = pytest.mark.reliability

RELOADS = 200


async def test_200_reloads_leave_nothing_behind(
    hass: HomeAssistant,
    config_dir: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL)  # what pytest remembers of the log is no leak of ours
    async with VirtualHub("mp1") as strip, VirtualHub("rm_pro", mac="34:EA:34:00:00:02") as hub:
        await start(
            hass,
            config_dir,
            yaml("switch", strip),
            yaml("remote", hub),
            yaml("sensor", hub, "monitored_conditions: [temperature]"),
        )

        async def reload() -> None:
            await hass.services.async_call("irhub", "reload", blocking=True)
            await until(lambda: available(hass, strip) and available(hass, hub))
            read = our_status(hass, hub), our_status(hass, strip)
            await until(
                lambda: all(coordinator.data.conditions is not None for coordinator in read)
            )
            await hass.async_block_till_done()

        for _ in range(20):
            await reload()
        before, size = living(hass), len(gc.get_objects())
        for _ in range(RELOADS):
            await reload()
        after, grown = living(hass), len(gc.get_objects()) - size
        assert all(now <= then + 2 for now, then in zip(after, before, strict=True)), (
            before,
            after,
        )
        assert grown < 20 * RELOADS, grown
