"""Power sensors as real sockets read: what an air conditioner shows meanwhile."""

import asyncio
from pathlib import Path

from homeassistant.core import HomeAssistant
import pytest

from tests.reliability.virtual_time import leaping
from virtual_home.hub import VirtualHub

from .ircodes.code_files import Codes, air_conditioner, temperatures
from .thermostat import AC, attributes, reach, start

WATTS = {"unit_of_measurement": "W"}

type Trace = list[tuple[float, str, str, str | None]]
"""Seconds after the command, a reading, and what is shown a second later: state, action."""

TRACES: dict[str, Trace] = {
    "an inverter that modulates": [
        (3, "28", "cool", "idle"),
        (40, "905.3", "cool", "cooling"),
        (300, "412", "cool", "cooling"),
        (600, "131.5", "cool", "cooling"),
        (900, "64", "cool", "idle"),
        (1200, "23.8", "cool", "idle"),
        (1500, "780", "cool", "cooling"),
    ],
    "it draws power after 20 s": [
        (2, "4.1", "cool", "idle"),
        (8, "4.2", "cool", "idle"),
        (12, "4.1", "off", "off"),
        (20, "35", "cool", "idle"),
        (60, "800", "cool", "cooling"),
    ],
    "a reading that flickers": [
        (20, "650", "cool", "cooling"),
        (30, "0", "off", "off"),
        (31.5, "655", "cool", "cooling"),
        (33, "unavailable", "cool", None),
        (35, "648", "cool", "cooling"),
        (36.5, "0.0", "off", "off"),
        (38, "700", "cool", "cooling"),
    ],
    "the socket is switched off": [
        (20, "650", "cool", "cooling"),
        (30, "0", "off", "off"),
        (32, "unavailable", "off", None),
        (90, "0", "off", "off"),
    ],
    "standby draws a few watts": [
        (20, "650", "cool", "cooling"),
        (30, "4.2", "off", "off"),
        (300, "3.9", "off", "off"),
    ],
}


@pytest.fixture
def model() -> str:
    """Return the model of the hub of these tests."""
    return "rm4_mini"


@pytest.mark.parametrize("restores", [True, False])
@pytest.mark.parametrize("trace", TRACES)
async def test_a_trace(
    hass: HomeAssistant, config_dir: Path, trace: str, *, restores: bool, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"off": Codes().packet(), "cool": Codes().nest(temperatures(18, 24))},
        operationModes=["cool"],
    )
    hass.states.async_set("sensor.w", "3.9", WATTS)
    keys = {"power_sensor": "sensor.w", "power_sensor_threshold": 10}
    restoring = {"power_sensor_restore_state": restores}
    await start(hass, config_dir, virtual_hub, file, **keys, **restoring)
    await reach(hass, "cool", temperature=21)
    sent, loop = len(virtual_hub.transmitted), hass.loop
    with leaping(hass):
        began = loop.time()
        for at, reading, shown, action in TRACES[trace]:
            await asyncio.sleep(began + at - loop.time())
            hass.states.async_set("sensor.w", reading, WATTS)
            await asyncio.sleep(1)
            observed = attributes(hass)
            assert (observed["state"], observed.get("hvac_action")) == (shown, action), at
            assert observed["temperature"] == 21, at
    assert len(virtual_hub.transmitted) == sent


async def test_turned_on_by_hand_a_minute_later(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    file = air_conditioner(
        {"off": Codes().packet(), "cool": Codes().nest(temperatures(18, 24))},
        operationModes=["cool"],
    )
    hass.states.async_set("sensor.w", "3.9", WATTS)
    keys = {"power_sensor": "sensor.w", "power_sensor_threshold": 10}
    restoring = {"power_sensor_restore_state": False}
    await start(hass, config_dir, virtual_hub, file, **keys, **restoring)
    await reach(hass, "cool", temperature=21)
    with leaping(hass):
        for after, reading, shown in (
            (5, "650", "cool"),
            (60, "0", "off"),
            (60, "700", "unknown"),
        ):
            await asyncio.sleep(after)
            hass.states.async_set("sensor.w", reading, WATTS)
            await asyncio.sleep(1)
            assert hass.states.is_state(AC, shown)
