"""rest.request with a URL that nobody configured: what comes, and the YAML that would read it."""

from collections.abc import Mapping
from typing import Any

from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_USER
from homeassistant.core import Context
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
    UnknownUser,
)
from homeassistant.util.yaml import parse_yaml
import pytest

from virtual_home.endpoint_answer import Answer

from .home import RestHome


@pytest.fixture(autouse=True)
async def set_up(home: RestHome) -> None:
    """Set REST up, as one sensor in the YAML does."""
    home.endpoint.set("/other", "1")
    await home.load({"sensor": [{"platform": "rest", **home.url("/other"), "scan_interval": 0}]})


async def request(
    home: RestHome, data: Mapping[str, object], user_id: str | None = None
) -> dict[str, Any]:
    """Call rest.request."""
    answer = await home.hass.services.async_call(
        "rest",
        "request",
        dict(data),
        blocking=True,
        context=Context(user_id=user_id),
        return_response=True,
    )
    assert isinstance(answer, dict)
    return dict(answer)


LEFT_OUT = (
    "the YAML leaves out values of the reply: it has the first 50 of those that fit into a state; "
    "write the others like these"
)
REPLY = {
    "power": 800,
    "state": "on",
    "is_open": True,
    "none": None,
    "items": [{"temp": 21.5}, {"temp": 22}],
    "a key \"'{{ 1 }}": "odd",
    "long": "x" * 256,
    "main": {"values": 7},
}
STATES = {
    "sensor.power": "800",
    "sensor.state": "on",
    "binary_sensor.is_open": "on",
    "sensor.none": "unknown",
    "sensor.items_1_temp": "21.5",
    "sensor.items_2_temp": "22",
    "sensor.a_key_1": "odd",
    "sensor.main_values": "7",
}


async def test_what_comes_and_the_yaml_that_reads_it(home: RestHome) -> None:
    home.endpoint.set("/x", Answer.of(REPLY, headers={"X-Left": "7", "Set-Cookie": "s=canary"}))
    fields = {
        **home.url("/x"),
        "method": "POST",
        "payload": "hello",
        "headers": {"X-Mine": "a"},
        "params": {"room": "kitchen"},
        "scan_interval": 60,
    }
    answer = await request(home, fields)
    assert (answer["status"], answer["headers"]["X-Left"]) == (200, "7")
    assert answer["value_json"] == REPLY
    assert answer["warnings"] == [LEFT_OUT]  # the long value
    assert "canary" not in str(answer)
    config = parse_yaml(answer["yaml"])
    assert isinstance(config, dict)
    assert fields.items() <= config["rest"][0].items()
    await home.reload(config)
    for entity_id, state in STATES.items():
        await home.state(state, entity_id)
    names = {state.entity_id for state in home.hass.states.async_all(["sensor", "binary_sensor"])}
    assert names == STATES.keys()
    first, second = home.endpoint.received("/x")
    assert (first.method, first.body, first.query) == ("POST", b"hello", {"room": "kitchen"})
    assert (second.body, second.query, second.headers["X-Mine"]) == (b"hello", first.query, "a")
    assert not home.log()


@pytest.mark.parametrize(
    ("reply", "entity_id", "state"),
    [
        ("plain", "sensor.value", "plain"),
        ("x" * 300, "sensor.value", "x" * 255),
        (7, "sensor.value", "7"),
        ([True], "binary_sensor.1", "on"),
        (Answer(body=b"<a><b>5</b></a>", content_type="text/xml"), "sensor.a_b", "5"),
    ],
)
async def test_replies_that_are_no_dictionary(
    home: RestHome, reply: object, entity_id: str, state: str
) -> None:
    home.endpoint.set("/x", reply)
    config = parse_yaml((await request(home, home.url("/x")))["yaml"])
    assert isinstance(config, dict)
    await home.reload(config)
    await home.state(state, entity_id)


async def test_a_web_page_is_not_proposed_as_a_value(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(body=b"<html><p>5</p></html>", content_type="text/html"))
    answer = await request(home, home.url("/x"))
    assert parse_yaml(answer["yaml"]) == {"rest": [home.url("/x")]}
    (warning,) = answer["warnings"]
    assert "give each a `select`" in warning


@pytest.mark.parametrize("reply", [{"a": [*range(1000)]}, {str(n): "x" for n in range(1000)}])
async def test_at_most_50_values_are_proposed(home: RestHome, reply: object) -> None:
    home.endpoint.set("/x", reply)
    answer = await request(home, home.url("/x"))
    config = parse_yaml(answer["yaml"])
    assert isinstance(config, dict)
    assert len(config["rest"][0]["sensor"]) == 50
    assert answer["warnings"] == [LEFT_OUT]


@pytest.mark.parametrize(
    ("reply", "is_complete"),
    [
        ({"a": [*range(50)], "b": {}}, True),
        ({"a": "x" * 256, "b": 1}, False),
        ("[" * 500 + "1" + "]" * 500, False),
    ],
)
async def test_values_without_an_entity_are_reported(
    home: RestHome, reply: object, *, is_complete: bool
) -> None:
    home.endpoint.set("/x", reply)
    answer = await request(home, home.url("/x"))
    assert answer.get("warnings", []) == ([] if is_complete else [LEFT_OUT])


async def test_a_reply_that_is_deep(home: RestHome) -> None:
    home.endpoint.set("/x", "[" * 500 + "1" + "]" * 500)
    config = parse_yaml((await request(home, home.url("/x")))["yaml"])
    assert config == {"rest": [home.url("/x")]}


async def test_a_reply_of_a_login(home: RestHome) -> None:
    home.endpoint.set("/login", {"token": "abc"})
    home.endpoint.set("/x", {"a": 1})
    login = {**home.url("/login"), "values": {"token": "{{ value_json.token }}"}}
    headers = {"X-Token": "{{ login.token }}"}
    answer = await request(home, {**home.url("/x"), "login": login, "headers": headers})
    assert answer["value_json"] == {"a": 1}
    assert home.endpoint.received("/x")[0].headers["X-Token"] == "abc"
    assert parse_yaml(answer["yaml"])["rest"][0]["login"] == login  # type: ignore[call-overload, index]


async def test_what_has_no_effect_is_told(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    answer = await request(
        home, {**home.url("/x"), "payload": "a", "params": {"p": "{{ nothing }}"}}
    )
    ignored, undefined = answer["warnings"]
    assert ignored.startswith("payload ignored")
    assert "'nothing' is undefined" in undefined


async def test_administrators_alone(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    admin = await home.hass.auth.async_create_user("admin", group_ids=[GROUP_ID_ADMIN])
    user = await home.hass.auth.async_create_user("user", group_ids=[GROUP_ID_USER])
    with pytest.raises(Unauthorized):
        await request(home, home.url("/x"), user.id)
    with pytest.raises(UnknownUser):
        await request(home, home.url("/x"), "nobody")
    assert home.endpoint.count("/x") == 0
    assert (await request(home, home.url("/x"), admin.id))["value"] == "1"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ({}, "exactly one of 'resource' and 'resource_template' is needed (resource)"),
        ({"resource": "ftp://canary"}, "resource gives no http or https URL"),
        ({"resource": "http://h/", "colour": "canary"}, "(colour)"),
        ({"resource": "http://h/", "headers": ["canary"]}, "(headers)"),
        ({"resource": "http://h/", "entity_id": "sensor.rest_sensor"}, "entity_id has a request"),
    ],
)
async def test_a_request_that_is_not_valid(
    home: RestHome, data: dict[str, object], error: str
) -> None:
    with pytest.raises(ServiceValidationError) as raised:
        await request(home, data)
    assert str(raised.value).startswith("The request is not valid: ")
    assert error in str(raised.value)


async def test_a_request_that_fails(home: RestHome) -> None:
    home.endpoint.set("/x", Answer.of("canary", status=503))
    with pytest.raises(HomeAssistantError, match="failed: status 503") as error:
        await request(home, home.url("/x?canary"))
    assert "canary" not in str(error.value)
