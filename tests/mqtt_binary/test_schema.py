"""The YAML: what is accepted, and what is refused naming the key."""

import ast
from dataclasses import fields
from pathlib import Path
from typing import Any

from homeassistant.components.mqtt import binary_sensor as core, schemas as core_schemas
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
import voluptuous as vol

from custom_components.mqtt_binary import mqtt as door, schema
from custom_components.mqtt_binary.settings import Settings

from .home import MqttHome

BASE = {"platform": "mqtt_binary", "state_topic": "a"}


@pytest.mark.parametrize(
    ("key", "yaml"),
    [
        ("state_topic", "state_topic: 'a/#/b'"),
        ("state_topic", "state_topic: ''"),
        ("state_topic", "state_topic: [a]"),
        ("qos", "qos: 3"),
        ("qos", "qos: .inf"),
        ("payload_off", "payload_on: [a, b]\npayload_off: [c, a]"),
        ("payload_off", "payload_off: 'ON'"),
        ("payload_on", "payload_on: []"),
        ("payload_on", "payload_on: {a: b}"),
        ("off_delay", "off_delay: -1"),
        ("off_delay", "off_delay: soon"),
        ("expire_after", "expire_after: .nan"),
        ("expire_after", "expire_after: {hours: 99999999999999}"),
        ("encoding", "encoding: klingon"),
        ("encoding", "encoding: hex"),
        ("value_template", "value_template: '{{ oops'"),
        ("json_attributes_template", "json_attributes_template: '{% if %}'"),
        ("availability_mode", "availability_mode: some"),
        ("topic", "availability: [{payload_available: x}]"),
        ("availability", "availability_topic: a\navailability: [{topic: b}]"),
        ("device_class", "device_class: spaceship"),
        ("entity_category", "entity_category: config"),
        ("icon", "icon: door"),
        ("entity_picture", "entity_picture: 'http://['"),
        ("force_update", "force_update: perhaps"),
        ("connections", "device: {connections: [[mac]]}"),
        ("nonsense", "nonsense: 1"),
    ],
)
async def test_wrong_yaml_names_the_key(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, key: str, yaml: str
) -> None:
    config = BASE | dict(parse_yaml(yaml))  # type: ignore[arg-type]
    with pytest.raises(vol.Invalid) as refusal:
        schema.PLATFORM_SCHEMA(config)
    assert key in str(refusal.value)
    await async_setup_component(hass, "binary_sensor", {"binary_sensor": [config]})
    await hass.async_block_till_done()
    assert not hass.states.async_entity_ids("binary_sensor")
    assert key in "".join(r.getMessage() for r in caplog.records if r.levelname == "ERROR")
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(5, 5), ("5", 5), (0.5, 0.5), ("00:01:00", 60), ("01:30", 5400), ({"minutes": 2}, 120)],
)
def test_durations(value: object, seconds: float) -> None:
    assert schema.duration(value) == seconds


def settings(**config: object) -> Settings:
    return Settings.from_config(schema.PLATFORM_SCHEMA(BASE | config))


def test_defaults_are_the_documented_ones() -> None:
    unset = {field.name: getattr(settings(), field.name) for field in fields(Settings)}
    assert {key: value for key, value in unset.items() if value is not None} == {
        "availability": (),
        "availability_mode": "latest",
        "enabled_by_default": True,
        "encoding": "utf-8",
        "force_update": False,
        "ignore_retained": False,
        "name": "MQTT Binary Sensor",
        "payload_off": ("OFF",),
        "payload_on": ("ON",),
        "qos": 0,
        "restore": False,
        "state_topic": "a",
        "last_heard": False,
        "visible_by_default": True,
    }
    for config in ({"availability_topic": "b"}, {"availability": {"topic": "b"}}):
        [topic] = settings(**config).availability
        assert (topic.topic, topic.available, topic.not_available) == ("b", "online", "offline")


def keys(of: Any) -> dict[str, Any]:  # noqa: ANN401  (voluptuous or probatio)
    return {str(key): getattr(key, "default", None) for key in of.schema}


def test_every_key_core_accepts_is_accepted() -> None:
    """Fails when core's sensor learns a key, or changes a default, that ours must follow."""
    ours = keys(vol.Schema(schema.SENSOR_KEYS))
    theirs = keys(core.PLATFORM_SCHEMA_MODERN)
    assert theirs.keys() <= ours.keys()
    defaults = settings()
    [available] = settings(availability_topic="b").availability
    of_availability = {
        "payload_available": available.available,
        "payload_not_available": available.not_available,
    }
    for key, value in core.PLATFORM_SCHEMA_MODERN({"state_topic": "a"}).items():
        default = of_availability.get(key) or getattr(defaults, key)
        assert default in (value, (value,)), key


def test_every_key_of_cores_device_is_accepted() -> None:
    device = next(
        part
        for part in core_schemas.MQTT_ENTITY_DEVICE_INFO_SCHEMA.validators
        if hasattr(part, "schema")
    )
    assert keys(device).keys() <= keys(schema.DEVICE_SCHEMA).keys()


PRIVATE = {
    "homeassistant.components.mqtt.abbreviations": {"ABBREVIATIONS", "DEVICE_ABBREVIATIONS"},
    "homeassistant.components.mqtt.entity": {"MQTT_ATTRIBUTES_BLOCKED"},
    "homeassistant.components.mqtt.schemas": {"SHARED_OPTIONS"},
}


def test_only_one_module_uses_private_parts_of_cores_mqtt() -> None:
    """Each of them has a test below, and stands in the text that asks core for them."""
    used: dict[str, set[str]] = {}
    folder = Path(door.__file__).parent
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "homeassistant.components.mqtt"
            ):
                assert path.name == "mqtt.py", path
                if node.module != "homeassistant.components.mqtt":
                    used.setdefault(str(node.module), set()).update(a.name for a in node.names)
    assert used == PRIVATE
    text = (folder.parents[1] / "docs" / "mqtt_upstream.md").read_text()
    for names in PRIVATE.values():
        assert all(f"`{name}`" in text for name in names)


def test_cores_abbreviations() -> None:
    for short, name in {
        "stat_t": "state_topic",
        "avty_t": "availability_topic",
        "avty": "availability",
        "uniq_id": "unique_id",
        "dev": "device",
        "dev_cla": "device_class",
        "val_tpl": "value_template",
        "pl_on": "payload_on",
        "pl_off": "payload_off",
        "off_dly": "off_delay",
        "exp_aft": "expire_after",
        "json_attr_t": "json_attributes_topic",
        "t": "topic",
        "cmps": "components",
    }.items():
        assert door.ABBREVIATIONS[short] == name


def test_cores_abbreviations_of_a_device() -> None:
    assert door.DEVICE_ABBREVIATIONS["ids"] == "identifiers"
    assert door.DEVICE_ABBREVIATIONS["cns"] == "connections"


def test_cores_options_that_components_share() -> None:
    assert {"state_topic", "availability", "qos", "encoding"} <= {*door.SHARED_OPTIONS}


def test_attributes_that_core_blocks() -> None:
    assert {"friendly_name", "device_class", "state", "icon"} <= door.BLOCKED_ATTRIBUTES


async def test_unquoted_yaml_numbers_are_payloads(home: MqttHome) -> None:
    await home.set_up("{state_topic: a, payload_on: 1, payload_off: 0}")
    home.publish("a", "1")
    await home.wait_for("binary_sensor.mqtt_binary_sensor", "on")
