"""The reloads of REST and MQTT cancelled at every step: they go on, and leave nothing behind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from custom_components.rest.polling.coordinator import async_coordinators
from tests.home import until
from tests.mqtt_binary.home import MqttHome
from tests.rest.home import RestHome

from .cancelling import cancelled_at_each_step, running
from .held import held
from .virtual_time import leaping

pytestmark = pytest.mark.reliability

NAMES = ("left", "right")
"""Of entities that are in every other YAML."""


def shown(hass: HomeAssistant) -> dict[str, str]:
    """Return the entities that are there, and their states."""
    return {
        state.entity_id: state.state
        for state in hass.states.async_all()
        if not state.attributes.get("restored")
    }


def rest_yaml(url: str, name: str) -> dict[str, Any]:
    """Return a YAML with entities of this name beside some that stay."""
    resource, template = {"resource": f"{url}/x"}, {"value_template": "{{ value_json.on }}"}
    sensor = {"platform": "rest", **resource, **template}
    names = "block", f"block {name}"
    return {
        "rest": [{**resource, "binary_sensor": [{"name": each, **template} for each in names]}],
        "sensor": [{**sensor, "name": each} for each in ("kept", name)],
        "switch": [{"platform": "rest", "resource": f"{url}/switch", "name": name}],
    }


async def test_reload_of_rest(rest_home: RestHome) -> None:
    home, hass, endpoint = rest_home, rest_home.hass, rest_home.endpoint
    hass.loop.set_debug(False)  # it would keep the source of all that ever ran
    endpoint.set("/x", {"on": True})
    endpoint.set("/switch", "ON")

    def write(name: str) -> Callable[[], bool]:
        """Write the YAML, and return what says if its entities are there."""
        home.write(rest_yaml(endpoint.url, name))
        on = ("binary_sensor.block", f"binary_sensor.block_{name}", f"switch.{name}")
        states = dict.fromkeys(on, "on") | {"sensor.kept": "True", f"sensor.{name}": "True"}
        return lambda: shown(hass) == states

    async def reload() -> None:
        await hass.services.async_call("rest", "reload", blocking=True)

    with leaping(hass):
        await home.load(rest_yaml(endpoint.url, "left"))
        for name in NAMES:
            is_right = write(name)
            await reload()
            await until(is_right)
        is_right = write("left")
        before, polls = running(hass), len(async_coordinators(hass).active())
        limit = replace(before, timers=before.timers + 1)  # `until` has one itself
        async for step in cancelled_at_each_step(reload):
            await hass.async_block_till_done()
            if step > 1:  # before that, the reload has not begun
                await until(is_right)
            await until(lambda: running(hass).within(limit))
            assert len(async_coordinators(hass).active()) == polls
            is_right = write(NAMES[step % 2])


def mqtt_yaml(name: str) -> dict[str, Any]:
    """Return a YAML with sensors of this name beside one that stays."""
    sensor = {"platform": "mqtt_binary", "state_topic": "x"}
    return {
        "mqtt_binary": {},
        "binary_sensor": [
            {**sensor, "name": "kept", "off_delay": 7200, "unique_id": "kept"},
            {**sensor, "name": name, "expire_after": 7200},
        ],
    }


async def test_reload_of_mqtt_binarys_yaml(mqtt_home: MqttHome) -> None:
    home, hass = mqtt_home, mqtt_home.hass

    def write(name: str) -> Callable[[], bool]:
        """Write the YAML, and return what says if its entities are there."""
        home.write(mqtt_yaml(name))
        states = dict.fromkeys(("binary_sensor.kept", f"binary_sensor.{name}"), "on")
        return lambda: shown(hass) == states

    async def reload() -> None:
        await hass.services.async_call("mqtt_binary", "reload", blocking=True)

    home.publish("x", "ON", retain=True)
    await home.load(mqtt_yaml("left"))
    for name in NAMES:
        is_right = write(name)
        await reload()
        await until(is_right)
    is_right = write("left")
    before = held(home)
    assert before.timers >= 2
    async for step in cancelled_at_each_step(reload):
        await hass.async_block_till_done()
        if step > 1:  # before that, the reload has not begun
            await until(is_right)
        await until(lambda: held(home).within(before))
        is_right = write(NAMES[step % 2])


async def test_reload_of_discovery(mqtt_home: MqttHome, discovery: MockConfigEntry) -> None:
    """Its sensor is there again, and nothing listens twice."""
    home, hass = mqtt_home, mqtt_home.hass
    sensor = "binary_sensor.d_g"
    home.publish(
        "mqtt_binary/binary_sensor/g/config",
        '{"state_topic": "x", "name": "g", "unique_id": "g", "device": {"ids": "g", "name": "d"}}',
        retain=True,
    )
    home.publish("x", "ON", retain=True)
    assert await async_setup_component(hass, "homeassistant", {})

    async def reload() -> None:
        data = {"entry_id": discovery.entry_id}
        await hass.services.async_call("homeassistant", "reload_config_entry", data, blocking=True)

    await reload()
    await home.wait_for(sensor, "on")
    before = held(home)
    async for _ in cancelled_at_each_step(reload):
        await hass.async_block_till_done()
        assert discovery.state is ConfigEntryState.LOADED  # no step of its own can be cancelled
        await home.wait_for(sensor, "on")
        await until(lambda: held(home).within(before))
