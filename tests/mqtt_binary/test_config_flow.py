"""Discovery switched on in the user interface and by YAML."""

import json

from homeassistant.config_entries import SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
    translation,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]
    MockConfigEntry,
)

from tests.home import until

from .home import MqttHome

DEVICE = {"ids": "door", "name": "door"}
OBJECT = json.dumps({"state_topic": "home/door", "name": None, "uniq_id": "d", "device": DEVICE})


def entries(hass: HomeAssistant) -> list[ConfigEntry]:
    return hass.config_entries.async_entries("mqtt_binary")


async def is_discovered(home: MqttHome, prefix: str) -> bool:
    """Announce a sensor under a prefix; return whether it is found."""
    home.publish(f"{prefix}/binary_sensor/door/config", OBJECT, retain=True)
    await home.settled()
    await home.hass.async_block_till_done(wait_background_tasks=False)
    await home.settled()
    await until(lambda: entries(home.hass)[0].runtime_data.idle)
    return home.hass.states.get("binary_sensor.door") is not None


@pytest.fixture
async def old(home: MqttHome) -> MockConfigEntry:
    """Discover a sensor and its device under the prefix "old"."""
    entry = MockConfigEntry(domain="mqtt_binary", options={"discovery_prefix": "old"})
    entry.add_to_hass(home.hass)
    assert await home.hass.config_entries.async_setup(entry.entry_id)
    await home.settled()
    assert await is_discovered(home, "old")
    return entry


async def test_the_user_sets_up_discovery_once(home: MqttHome) -> None:
    flows = home.hass.config_entries.flow
    form = await flows.async_init("mqtt_binary", context={"source": SOURCE_USER})
    assert form["type"] is FlowResultType.FORM
    done = await flows.async_configure(form["flow_id"], {"discovery_prefix": " /my/sensors/"})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    assert done["options"] == {"discovery_prefix": "my/sensors"}
    await home.hass.async_block_till_done()
    await home.settled()
    assert await is_discovered(home, "my/sensors")

    again = await flows.async_init("mqtt_binary", context={"source": SOURCE_USER})
    assert again["type"] is FlowResultType.ABORT
    assert again["reason"] == "single_instance_allowed"


async def test_cores_prefix_is_refused_before_mqtt_is_set_up(
    bare_home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    hass = bare_home.hass
    yaml = {"mqtt_binary": {"discovery_prefix": "homeassistant"}}
    assert await async_setup_component(hass, "mqtt_binary", yaml)
    await hass.async_block_till_done()
    assert not entries(hass)
    assert "core's MQTT discovery listens under 'homeassistant' too" in caplog.text

    flows = hass.config_entries.flow
    form = await flows.async_init("mqtt_binary", context={"source": SOURCE_USER})
    again = await flows.async_configure(form["flow_id"], {"discovery_prefix": "homeassistant"})
    assert again["errors"] == {"discovery_prefix": "prefix_of_core"}


async def test_cores_default_prefix_is_free_when_core_has_another(home: MqttHome) -> None:
    await home.change_mqtt(discovery=True, discovery_prefix="elsewhere")
    yaml = {"mqtt_binary": {"discovery_prefix": "homeassistant"}}
    assert await async_setup_component(home.hass, "mqtt_binary", yaml)
    await home.hass.async_block_till_done()
    assert [entry.options for entry in entries(home.hass)] == [yaml["mqtt_binary"]]


async def test_our_prefix_given_to_core_later_is_told_until_they_differ(home: MqttHome) -> None:
    def issues() -> list[str]:
        return [key for domain, key in ir.async_get(home.hass).issues if domain == "mqtt_binary"]

    yaml = {"mqtt_binary": {"discovery_prefix": "ours"}}
    assert await async_setup_component(home.hass, "mqtt_binary", yaml)
    await home.hass.async_block_till_done()
    assert not issues()
    for _ in range(2):
        await home.change_mqtt(discovery=True, discovery_prefix="ours")
        assert issues() == ["same_prefix"]
        await home.change_mqtt(discovery_prefix="homeassistant")
        assert not issues()
    await home.change_mqtt(discovery_prefix="ours")
    (entry,) = entries(home.hass)
    assert await home.hass.config_entries.async_unload(entry.entry_id)
    assert not issues()


@pytest.mark.parametrize(
    ("prefix", "error"),
    [("a/#", "invalid_prefix"), ("", "invalid_prefix"), ("homeassistant", "prefix_of_core")],
)
async def test_wrong_prefixes_are_explained(home: MqttHome, prefix: str, error: str) -> None:
    await home.change_mqtt(discovery=True)
    flows = home.hass.config_entries.flow
    form = await flows.async_init("mqtt_binary", context={"source": SOURCE_USER})
    again = await flows.async_configure(form["flow_id"], {"discovery_prefix": prefix})
    assert again["errors"] == {"discovery_prefix": error}
    texts = await translation.async_get_translations(
        home.hass, "en", "config", ["mqtt_binary"], config_flow=True
    )
    assert f"component.mqtt_binary.config.error.{error}" in texts
    done = await flows.async_configure(form["flow_id"], {"discovery_prefix": "good"})
    assert done["type"] is FlowResultType.CREATE_ENTRY


async def test_the_options_change_the_prefix(home: MqttHome, old: MockConfigEntry) -> None:
    options = home.hass.config_entries.options
    form = await options.async_init(old.entry_id)
    wrong = await options.async_configure(form["flow_id"], {"discovery_prefix": "+"})
    assert wrong["errors"] == {"discovery_prefix": "invalid_prefix"}
    done = await options.async_configure(form["flow_id"], {"discovery_prefix": "new"})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await home.hass.async_block_till_done()
    await home.settled()
    assert home.hass.states.get("binary_sensor.door") is None
    assert not await is_discovered(home, "old")
    assert await is_discovered(home, "new")


def registered(hass: HomeAssistant) -> list[str]:
    """Return the sensors and devices in the registries."""
    (entry,) = entries(hass)
    sensors = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    devices = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)
    return [*(sensor.entity_id for sensor in sensors), *(device.id for device in devices)]


async def test_another_prefix_takes_sensors_and_devices_away(
    home: MqttHome, old: MockConfigEntry
) -> None:
    assert len(registered(home.hass)) == 2

    options = home.hass.config_entries.options
    form = await options.async_init(old.entry_id)
    await options.async_configure(form["flow_id"], {"discovery_prefix": "new"})
    await home.hass.async_block_till_done()
    assert registered(home.hass) == []


async def test_a_prefix_changed_in_yaml_before_a_start_takes_them_away(
    home: MqttHome, old: MockConfigEntry
) -> None:
    assert await home.hass.config_entries.async_unload(old.entry_id)
    home.hass.config_entries.async_update_entry(old, options={"discovery_prefix": "new"})
    assert await home.hass.config_entries.async_setup(old.entry_id)
    assert registered(home.hass) == []


async def test_the_same_prefix_keeps_them_over_a_restart(
    home: MqttHome, old: MockConfigEntry
) -> None:
    assert await home.hass.config_entries.async_reload(old.entry_id)
    assert len(registered(home.hass)) == 2


async def test_yaml_sets_up_discovery_and_changes_it(home: MqttHome) -> None:
    assert await async_setup_component(home.hass, "mqtt_binary", {"mqtt_binary": None})
    await home.hass.async_block_till_done()
    (entry,) = entries(home.hass)
    assert entry.options == {"discovery_prefix": "mqtt_binary"}
    await home.settled()
    assert await is_discovered(home, "mqtt_binary")

    home.yaml.write_text("mqtt_binary:\n  discovery_prefix: other\n")
    await home.hass.services.async_call("mqtt_binary", "reload", blocking=True)
    await home.hass.async_block_till_done()
    await home.settled()
    assert entry.options == {"discovery_prefix": "other"}
    assert len(entries(home.hass)) == 1
    assert await is_discovered(home, "other")


async def test_yaml_does_not_take_cores_prefix(
    home: MqttHome, caplog: pytest.LogCaptureFixture
) -> None:
    await home.change_mqtt(discovery=True)
    config = {"mqtt_binary": {"discovery_prefix": "homeassistant"}}
    assert await async_setup_component(home.hass, "mqtt_binary", config)
    await home.hass.async_block_till_done()
    assert entries(home.hass) == []
    assert "discovery_prefix" in caplog.text
    assert "homeassistant" in caplog.text
