"""200 reloads leave no task, timer, socket, subscription or memory behind."""

import gc
import logging
import sys

from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.setup import async_setup_component
import pytest

from tests.home import until
from tests.mqtt_binary.home import MqttHome

from .held import held

pytestmark = pytest.mark.reliability

RELOADS = 200
WARM_UP = 20
GROWTH = 1_800  # blocks of memory, ten for each reload; a sensor alone takes some fifty


SENSORS = """
mqtt_binary:
binary_sensor:
- {platform: mqtt_binary, state_topic: a, name: a, off_delay: 3600, expire_after: 7200}
- {platform: mqtt_binary, state_topic: a, name: b, restore: true, unique_id: b}
- {platform: mqtt_binary, state_topic: c, name: c, unique_id: c, availability_topic: d,
   json_attributes_topic: e, value_template: "{{ value_json.x }}"}
- {platform: mqtt_binary, state_topic: 'f/+/#', name: f, group: [b, c]}
"""


def memory() -> int:
    """Return the blocks of memory in use."""
    gc.collect()
    return sys.getallocatedblocks()


def let_go_of_cores(hass: HomeAssistant) -> None:
    """Drop what Home Assistant 2026.7 itself leaves behind with each reload of a config entry.

    It empties the platform of an entry that is unloaded, and forgets to let it go.
    """
    platforms = async_get_platforms(hass, "mqtt_binary")
    of_entries = [platform for platform in platforms if platform.config_entry is not None]
    for platform in of_entries[:-1]:
        assert not platform.entities
        platforms.remove(platform)


async def test_200_reloads(mqtt_home: MqttHome, caplog: pytest.LogCaptureFixture) -> None:
    """Reloads of sensors with timers running, and of discovery, leave nothing behind."""
    caplog.set_level(logging.CRITICAL)  # records would count as memory
    mqtt_home.hass.loop.set_debug(False)  # it keeps the source of all that it ever ran
    mqtt_home.yaml.write_text(SENSORS)
    assert await async_setup_component(mqtt_home.hass, "mqtt_binary", {"mqtt_binary": {}})
    await mqtt_home.hass.async_block_till_done()
    (entry,) = mqtt_home.hass.config_entries.async_entries("mqtt_binary")
    announced = '{"state_topic": "a", "name": "g", "unique_id": "g", "device": {"ids": "g"}}'
    mqtt_home.publish("mqtt_binary/binary_sensor/g/config", announced, retain=True)

    async def work() -> None:
        await mqtt_home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
        await mqtt_home.hass.config_entries.async_reload(entry.entry_id)
        let_go_of_cores(mqtt_home.hass)
        # Retained, instead of markers: the embedded broker keeps each topic it ever heard of.
        for value in ("OFF", "ON"):
            mqtt_home.publish("a", value, retain=True)
            await mqtt_home.wait_for("binary_sensor.a", value.lower())

    for _ in range(WARM_UP):
        await work()
    await until(lambda: held(mqtt_home).members == 6)  # the announced one, too
    before, blocks = held(mqtt_home), memory()
    for _ in range(RELOADS - WARM_UP):
        await work()
    await until(lambda: held(mqtt_home).within(before))
    growth = memory() - blocks
    assert before.timers >= 2
    assert before.members == 6
    assert growth < GROWTH, growth
