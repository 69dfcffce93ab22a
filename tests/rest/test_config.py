"""The YAML: what is accepted, and what a mistake reads like."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
import voluptuous as vol

from custom_components.rest.schema import (
    SENSOR_PLATFORM_SCHEMA as PLATFORM_SCHEMA,
    header_pairs as pairs,
)

from .forms import FORMS
from .home import RestHome

ENTRY = "platform: rest\nresource: http://h/\n"


def validated(yaml: str) -> dict[str, Any]:
    config: Any = parse_yaml(yaml)
    result: dict[str, Any] = PLATFORM_SCHEMA(config)
    return result


def test_defaults(hass: HomeAssistant) -> None:  # noqa: ARG001  (templates need it)
    config = validated(ENTRY)
    assert {
        key: value.template if isinstance(value, Template) else value
        for key, value in config.items()
    } == {
        "platform": "rest",
        "resource": "http://h/",
        "method": "GET",
        "verify_ssl": True,
        "timeout": 10,
        "ssl_cipher_list": "python_default",
        "json_attributes": [],
        "force_update": False,
        "restore": False,
        "max_size": 8 * 1024 * 1024,
        "conditional": True,
    }


@pytest.mark.parametrize(("value", "method"), [("get", "GET"), ("Post", "POST"), ("GET", "GET")])
def test_methods_in_any_case(hass: HomeAssistant, value: str, method: str) -> None:  # noqa: ARG001  (templates need it)
    assert validated(ENTRY + f"method: {value}")["method"] == method


@pytest.mark.parametrize("headers", FORMS)
async def test_headers_in_every_form(home: RestHome, headers: str) -> None:
    indented = "\n".join("  " + line for line in headers.splitlines())
    await home.set_up(f"- platform: rest\n  resource: URL/values\n{indented}\n")
    await home.polls("/values", 1)
    sent = home.endpoint.received("/values")[0].headers
    assert (sent["X-A"], sent["X-B"]) == ("one", "two: three")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("X-A: 1\nAuthorization Bearer canary", r"entry 2 \('Authorization …'\) has no colon"),
        (["X-A: 1", "canary"], "entry 2 is not of the form 'Name: value'"),
        ([{"X-A": "1", "X-B": "2"}], "entry 1 is not of the form 'Name: value'"),
        ([5], "entry 1 is not of the form 'Name: value'"),
        ({"X A": "canary"}, "entry 1 has no valid header name before the colon"),
        (": canary", "entry 1 has no valid header name before the colon"),
        (5, "expected a map, a list or lines of the form 'Name: value'"),
    ],
)
def test_a_bad_header_names_itself(value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        pairs(value)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(
    ("yaml", "message", "key"),
    [
        ("platform: rest", "exactly one of 'resource' and 'resource_template'", "resource"),
        (ENTRY + "resource_template: http://canary/", "exactly one of 'resource'", "resource"),
        ("platform: rest\nresource: canary", "resource gives no http or https URL", "resource"),
        ("platform: rest\nresource: ftp://u:canary@h/", "but ftp://h", "resource"),
        ("platform: rest\nresource_template: '{{ canary'", "invalid template", "resource_template"),
        (ENTRY + "method: PUT", "value must be one of", "method"),
        ("platform: rest\nresource: 'http://h/{{ canary }}'", "'resource_template'", "resource"),
        (ENTRY + "params: {p: '{{ canary'}", "invalid template", "params"),
        (ENTRY + "max_size: large", "such as 16 MiB", "max_size"),
        (ENTRY + "max_size: 0", "expected a number of bytes", "max_size"),
        (ENTRY + "conditional: maybe", "invalid boolean value", "conditional"),
        (ENTRY + "authentication: ntlm", "value must be one of", "authentication"),
        (
            ENTRY + "authentication: digest\nusername: can:ary\npassword: p",
            "has no colon",
            "username",
        ),
        (ENTRY + "payload: canary\npayload_template: canary", "only one of 'payload'", "payload"),
        (ENTRY + "headers: [canary]", "entry 1 is not of the form", "headers"),
        (ENTRY + 'headers: {X-A: "can\\r\\nary"}', "header 'X-A' has a line break", "headers"),
        (ENTRY + "headers: {X-A: '{{ canary'}", "invalid template", "headers"),
        (ENTRY + "params: canary", "expected a", "params"),
        (ENTRY + "timeout: -1", "value must be at least 0", "timeout"),
        (ENTRY + "timeout: soon", "expected float", "timeout"),
        (ENTRY + "valid_status: [99]", "value must be at least 100", "valid_status"),
        (ENTRY + "valid_status: []", "length of value must be at least 1", "valid_status"),
        (ENTRY + "max_failures: 0", "value must be at least 1", "max_failures"),
        (ENTRY + "ssl_cipher_list: weak", "value must be one of", "ssl_cipher_list"),
        (ENTRY + "surprise: 1", "'surprise' is an invalid option", "surprise"),
    ],
)
async def test_a_mistake_names_its_key(home: RestHome, yaml: str, message: str, key: str) -> None:
    entry = "\n".join("  " + line for line in yaml.splitlines())
    config: Any = parse_yaml("-\n" + entry)
    await async_setup_component(home.hass, "sensor", {"sensor": config})
    await home.hass.async_block_till_done()
    errors = home.log(level=40, name="homeassistant.config")
    assert len(errors) == 1
    assert message in errors[0]
    assert key in errors[0]
    assert "canary" not in home.whole_log
    assert not home.hass.states.async_entity_ids("sensor")


def test_an_error_is_the_librarys_own(hass: HomeAssistant) -> None:  # noqa: ARG001  (templates need it)
    with pytest.raises(vol.Invalid):
        validated("platform: rest")


@pytest.mark.parametrize("seconds", [1e15, -1e15, float("inf"), "1" * 99])
def test_an_endless_interval(hass: HomeAssistant, seconds: object) -> None:  # noqa: ARG001  (templates need it)
    entry = {"platform": "rest", "resource": "http://h/", "scan_interval": seconds}
    with pytest.raises(vol.Invalid, match="scan_interval"):
        PLATFORM_SCHEMA(entry)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (5, 5),
        ("500", 500),
        ("2 kB", 2000),
        ("16 MiB", 16 * 1024**2),
        ("1.5GiB", 3 * 1024**3 // 2),
        ("3M", 3000000),
        ("7 b", 7),
    ],
)
def test_sizes(hass: HomeAssistant, value: object, size: int) -> None:  # noqa: ARG001  (templates need it)
    entry = {"platform": "rest", "resource": "http://h/", "max_size": value}
    assert PLATFORM_SCHEMA(entry)["max_size"] == size


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("authentication: basic", "authentication ignored: authentication needs both username"),
        ("authentication: digest", "authentication ignored: authentication needs both username"),
        ("username: canary", "username ignored: authentication needs both username and password"),
        ("username: canary\n  password: ''", "username and password ignored: authentication needs"),
        ("username: ''\n  password: canary", "username and password ignored: authentication needs"),
        (
            "password: canary\n  authentication: basic\n  encoding: utf-9",
            (
                "password and authentication ignored: authentication needs both username and "
                "password; encoding ignored: Python knows no 'utf-9', an example is UTF-8"
            ),
        ),
        ("payload: canary", "payload ignored: a GET has no body; POST has one"),
        ("payload_template: 'canary {{ 5 }}'", "payload ignored: a GET has no body; POST has one"),
    ],
)
async def test_what_has_no_effect_is_told_once(home: RestHome, yaml: str, message: str) -> None:
    await home.set_up(
        f"- platform: rest\n  resource: URL/values\n  {yaml}\n"
        f"- platform: rest\n  resource: URL/values\n  name: b\n  {yaml}\n"
    )
    await home.state(lambda state: "counter" in state.state, "sensor.b")
    await home.update()
    (warning,) = home.log()
    assert warning.startswith(
        f"{home.endpoint.url} (sensor.rest_sensor, sensor.b): not all keys have effect: {message}"
    )
    assert "Authorization" not in home.endpoint.received("/values")[0].headers
    assert "canary" not in home.whole_log


async def test_a_get_never_carries_a_body(home: RestHome) -> None:
    await home.set_up("- platform: rest\n  resource: URL/values\n  payload: x\n")
    await home.polls("/values", 1)
    request = home.endpoint.received("/values")[0]
    assert request.body == b""
    assert "Content-Length" not in request.headers


async def test_a_post_carries_it(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/values?a=b\n  method: POST\n  payload: '{\"ü\": 1}'\n"
        "  params: {c: 'True', d: 1.50}\n"
    )
    await home.polls("/values", 1)
    request = home.endpoint.received("/values")[0]
    assert request.body.decode() == '{"ü": 1}'
    assert request.query == {"a": "b", "c": "true", "d": "1.5"}


async def test_timeout_zero_is_five_minutes(home: RestHome) -> None:
    await home.set_up("- platform: rest\n  resource: URL/slow/0.2\n  timeout: 0\n")
    await home.state(lambda state: "counter" in state.state)


async def test_a_timeout_may_be_a_fraction_of_a_second(home: RestHome) -> None:
    await home.set_up("- platform: rest\n  resource: URL/slow/30\n  timeout: 0.2\n")
    await home.state("unavailable")
    assert "no complete reply within 0.2 s" in home.log()[0]


async def test_an_absurd_interval_takes_its_own_entry_only(home: RestHome) -> None:
    # Home Assistant's own schema sees it first; before 2026.11 that raises something else.
    await home.set_up(
        "- platform: rest\n  resource: URL/values\n  name: absurd\n"
        "  scan_interval: 99999999999999\n"
        "- platform: rest\n  resource: URL/values\n  name: good\n  value_template: fine\n"
    )
    await home.state("fine", "sensor.good")
    assert home.hass.states.get("sensor.absurd") is None
