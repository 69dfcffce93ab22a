"""The YAML of a sensor, fuzzed: only refusals that name a key come out."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from hypothesis import given, strategies as st
import pytest
import voluptuous as vol

from custom_components.mqtt_binary.schema import (
    CONFIG_SCHEMA,
    DEVICE_SCHEMA,
    PLATFORM_SCHEMA,
    SENSOR_KEYS,
)
from custom_components.mqtt_binary.settings import Settings

from .schemas import FUZZ

pytestmark = pytest.mark.reliability

KEYS = sorted(str(key) for key in SENSOR_KEYS)

DEEP_TEMPLATES = (
    "{% if 1 %}" * 150 + "x" + "{% endif %}" * 150,
    "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "{{ " + "1" * 5_000 + " }}",
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.dates()
    | st.binary()
    | st.sampled_from(["ON", "a/b", "#", "+/x", "{{ value }}", "{{", "utf-16", "1:2:3", "mdi:x"])
    | st.sampled_from(DEEP_TEMPLATES)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(scalars, inner, max_size=4),
    max_leaves=10,
)
sensors = st.dictionaries(st.sampled_from(KEYS), values, max_size=6).map(
    lambda config: {"platform": "mqtt_binary", "state_topic": "a"} | config
)
devices = st.dictionaries(
    st.sampled_from(sorted(str(key) for key in DEVICE_SCHEMA.schema)), values, max_size=6
)


def validated(schema: Any, config: object) -> dict[str, Any] | None:  # noqa: ANN401  (voluptuous or probatio)
    """Return the validated configuration, or None if it was refused, with a text."""
    try:
        result: dict[str, Any] = schema(config)
    except vol.Invalid as refusal:
        message = str(refusal)
    else:
        return result
    assert message
    return None


@FUZZ
@given(sensors)
def test_any_sensor_makes_settings_or_a_refusal(config: dict[str, Any]) -> None:
    """Whatever stands under the keys of a sensor, it is read or refused."""
    if (result := validated(PLATFORM_SCHEMA, config)) is not None:
        assert isinstance(Settings.from_config(result).topics, dict)


@FUZZ
@given(devices | values)
def test_any_device_is_read_or_refused(device: object) -> None:
    """Whatever stands under `device`, it is read or refused."""
    validated(DEVICE_SCHEMA, device)


@FUZZ
@given(values)
def test_any_discovery_block_is_read_or_refused(block: object) -> None:
    """Whatever stands under `mqtt_binary:`, it is read or refused."""
    validated(CONFIG_SCHEMA, {"mqtt_binary": block})
    validated(CONFIG_SCHEMA, {"mqtt_binary": {"discovery_prefix": block}})


@pytest.mark.parametrize("template", DEEP_TEMPLATES)
async def test_what_cannot_be_compiled_is_refused_by_name(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, template: str
) -> None:
    """A template nested too deeply for Python is a wrong entry, not a traceback."""
    entry = {"platform": "mqtt_binary", "state_topic": "a", "value_template": template}
    await async_setup_component(hass, "binary_sensor", {"binary_sensor": [entry]})
    await hass.async_block_till_done()
    assert "value_template" in "".join(r.getMessage() for r in caplog.records)
    assert "Traceback" not in caplog.text
    assert not hass.states.async_entity_ids("binary_sensor")
