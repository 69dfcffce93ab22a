"""What holds for entries in YAML that have only their required keys."""

import asyncio
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.irhub.ircodes import to_base64
from tests.home import Notices, until
from tests.reliability.virtual_time import leaping
from virtual_home.hub import VirtualHub

from ..home import HDMI, NEC, POWER, RC5, our_hub, our_status
from ..switches import turn, value
from .configuration import start

SENSOR = "sensor.broadlink_sensor_"
WINDOW_S = 20


def required(hub: VirtualHub) -> str:
    """Return an entry with the keys that each has to have, and the port of a virtual hub."""
    keys = {"host": hub.host, "port": hub.port, "mac": hub.mac}
    lines = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    return f"\n  - platform: irhub\n{lines}"


async def test_a_remote(hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub) -> None:
    await start(hass, config_dir, "remote:" + required(virtual_hub))
    await until(lambda: value(hass, "remote.broadlink") == "on")
    assert our_hub(hass, virtual_hub).settings.timeout == 5


@pytest.mark.parametrize("model", ["a1"])
async def test_sensors(hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub) -> None:
    conditions = "    monitored_conditions: [temperature, humidity, air_quality, light, noise]"
    await start(hass, config_dir, "sensor:" + required(virtual_hub) + conditions)
    await until(lambda: value(hass, SENSOR + "noise") == "0")
    assert {state.entity_id: state.name for state in hass.states.async_all()} == {
        SENSOR + "temperature": "Broadlink sensor Temperature",
        SENSOR + "humidity": "Broadlink sensor Humidity",
        SENSOR + "air_quality": "Broadlink sensor Air Quality",
        SENSOR + "light": "Broadlink sensor Light",
        SENSOR + "noise": "Broadlink sensor Noise",
    }
    assert our_hub(hass, virtual_hub).settings.timeout == 10
    with leaping(hass) as clock:
        began = clock.now
        await virtual_hub.until(lambda: virtual_hub.count("sensors") == 4, timeout=1000)
        assert 890 < clock.now - began < 910  # every 300 s


async def test_switches(hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub) -> None:
    packets = f"    switches:\n      tv:\n        command_on: {RC5}\n        command_off: {NEC}"
    await start(hass, config_dir, "switch:" + required(virtual_hub) + packets)
    await until(lambda: our_hub(hass, virtual_hub).available)
    await turn(hass, "on")
    await turn(hass, "off")
    assert virtual_hub.transmitted == [POWER, HDMI]
    assert our_status(hass, virtual_hub).update_interval is None  # there is nothing to poll


@pytest.mark.parametrize("model", ["sp2"])
async def test_a_plug_is_unavailable_when_two_more_readings_have_failed(
    hass: HomeAssistant, config_dir: Path, virtual_hub: VirtualHub
) -> None:
    await start(hass, config_dir, "switch:" + required(virtual_hub) + "    type: sp2")
    await until(lambda: value(hass, "switch.broadlink_switch") == "off")
    plug = hass.states.get("switch.broadlink_switch")
    assert plug is not None
    assert plug.name == "Broadlink switch"
    with leaping(hass):
        virtual_hub.faults.errors += [-3] * 3
        await virtual_hub.until(lambda: len(virtual_hub.faults.errors) == 1, timeout=1000)
        await asyncio.sleep(1)
        assert value(hass, "switch.broadlink_switch") == "off"
        await virtual_hub.until(lambda: not virtual_hub.faults.errors, timeout=1000)
        await asyncio.sleep(1)
        assert value(hass, "switch.broadlink_switch") == "unavailable"


@pytest.mark.parametrize("is_in_time", [True, False])
async def test_a_button_is_waited_for_twenty_seconds(
    hass: HomeAssistant, notices: Notices, hub: VirtualHub, is_in_time: bool
) -> None:
    with leaping(hass):
        data = {"host": hub.host}
        learn = asyncio.create_task(hass.services.async_call("irhub", "learn", data, blocking=True))
        await until(lambda: notices.text)
        await asyncio.sleep(WINDOW_S + (-1 if is_in_time else 1))
        assert hub.press(HDMI) == is_in_time
        if is_in_time:
            await learn
            assert notices.text is not None
            assert notices.text.startswith(f"Received packet is: {to_base64(HDMI)} ")
        else:
            with pytest.raises(HomeAssistantError, match="No signal was received"):
                await learn
            assert notices.text == "No signal was received"
