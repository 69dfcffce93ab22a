"""Wrong YAML fails validation with a sentence; right YAML is accepted as people write it."""

from typing import Any

from homeassistant.core import HomeAssistant
import pytest
import voluptuous as vol

from custom_components.irhub import remote, sensor, switch
from custom_components.irhub.hub.device_types import TYPE_NAMES
from custom_components.irhub.remote import PLATFORM_SCHEMA
from custom_components.irhub.schema import hub_settings, mac

from .home import set_up

GOOD: dict[str, object] = {"platform": "irhub", "host": "192.0.2.1", "mac": "34:EA:34:00:00:01"}


@pytest.mark.parametrize(
    "text",
    ["34:EA:34:00:00:01", "34-ea-34-00-00-01", "34EA.3400.0001", "34ea34000001", " 34ea34000001 "],
)
def test_a_mac_in_any_way(text: str) -> None:
    assert mac(text) == "34ea34000001"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"mac": "34:EA:34:00:00"}, "is not a MAC address; expected twelve hexadecimal digits"),
        ({"mac": "34:EA:34:00:00:0G"}, "is not a MAC address"),
        ({"mac": 112233445566}, "write the MAC address in quotes"),
        ({"host": "http://192.0.2.1"}, "is not a host; expected a name or an address"),
        ({"host": "192.0.2.1:8080"}, "a port under the key port"),
        ({"host": ""}, "is not a host"),
        ({"host": None}, "host"),
        ({"port": 0}, "port"),
        ({"port": 70000}, "port"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": True}, "is not a number of seconds"),
        ({"min_gap": -1}, "min_gap"),
        ({"type": "rm9"}, "type"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_mistake_names_its_key(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    keys: dict[str, object],
    sentence: str,
) -> None:
    with pytest.raises(vol.Invalid):
        PLATFORM_SCHEMA({**GOOD, **keys})
    await set_up(hass, "remote", {**GOOD, **keys})
    assert hass.states.async_all() == []
    assert "Invalid config for 'remote' from integration 'irhub'" in caplog.text
    assert sentence in caplog.text
    assert next(iter(keys)) in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("interval", [86_400_000_000_000, {"days": 10**15}, "inf"])
@pytest.mark.parametrize("platform", [remote, sensor, switch])
def test_an_interval_that_is_too_long(platform: Any, interval: object) -> None:  # noqa: ANN401  (modules)
    """Core's own schema looks at it first, and logs an unknown error without naming the key."""
    keys = {"scan_interval": interval, "monitored_conditions": ["temperature"]}
    if platform is not sensor:
        del keys["monitored_conditions"]
    with pytest.raises(vol.Invalid, match="scan_interval"):  # from 2026.11 on in core's own words
        platform.PLATFORM_SCHEMA({**GOOD, **keys})


@pytest.mark.parametrize("key", ["host", "mac"])
async def test_a_missing_key_is_named(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, key: str
) -> None:
    await set_up(hass, "remote", {name: value for name, value in GOOD.items() if name != key})
    assert f"required key '{key}' not provided" in caplog.text


def test_every_name_of_a_type() -> None:
    for name, devtype in TYPE_NAMES.items():
        assert hub_settings(PLATFORM_SCHEMA({**GOOD, "type": name})).fallback == devtype
        assert hub_settings(PLATFORM_SCHEMA({**GOOD, "type": name.upper()})).fallback == devtype
    assert hub_settings(PLATFORM_SCHEMA(GOOD)).fallback is None


@pytest.mark.parametrize("number", [0x649B, "0x649b", "0X649B", " 25755 "])
@pytest.mark.parametrize("platform", [remote, switch])
def test_a_type_may_be_a_number(platform: Any, number: object) -> None:  # noqa: ANN401  (modules)
    config = platform.PLATFORM_SCHEMA({**GOOD, "type": number})
    assert hub_settings(config).fallback == 0x649B


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("rm5", "'rm5' is not one of rm, rm2, .* nor a number like 0x649b"),
        (True, "True is not one of"),
        (12.5, "12.5 is not one of"),
        (None, "None is not one of"),
        (0x521A, "0x521a is no device type that irhub knows"),
        ("0x4EAD", "0x4ead is no device type that irhub knows"),
        (-1, "no device type"),
        (1 << 40, "no device type"),
    ],
)
def test_a_type_that_nobody_knows_is_refused(value: object, sentence: str) -> None:
    with pytest.raises(vol.Invalid, match=sentence):
        PLATFORM_SCHEMA({**GOOD, "type": value})


def test_a_hub_is_named_with_its_port_where_that_is_unusual() -> None:
    assert hub_settings(PLATFORM_SCHEMA(GOOD)).label == "192.0.2.1"
    assert hub_settings(PLATFORM_SCHEMA({**GOOD, "port": 8080})).label == "192.0.2.1:8080"
