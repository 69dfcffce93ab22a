"""What is wrong with one block, entry or name is that one's alone."""

import logging
from typing import Any

from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.check_config import async_check_ha_config_file
import pytest

from .home import Form, RestHome


def block(home: RestHome, name: str, **more: object) -> dict[str, Any]:
    """Return a block with one sensor."""
    return {**home.url("/x"), **more, "sensor": [{"name": name}]}


WRONG: list[dict[str, object]] = [
    {"resource": "http://h/{{ states('sensor.canary') }}"},
    {"headers": {"X:": "canary"}},
    {"headers": {"Xü": "canary"}},
    {"headers": "canary"},
    {"params": {"p": "{{ canary"}},
    {"surprise": 1},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
async def test_a_refused_block_leaves_the_others_alone(
    home: RestHome, wrong: dict[str, object]
) -> None:
    home.endpoint.set("/x", "1")
    lamp = {"platform": "rest", **home.url("/x"), "name": "lamp", "body_on": "1"}
    entry = {"platform": "rest", **home.url("/x"), "name": "c"}
    await home.load(
        {
            "rest": [block(home, "a"), block(home, "b", **wrong), block(home, "d")],
            "sensor": [entry],
            "switch": [lamp],
        }
    )
    for name in "acd":
        await home.state("1", f"sensor.{name}")
    await home.state("on", "switch.lamp")
    assert home.hass.states.get("sensor.b") is None
    (error,) = home.log(logging.ERROR, "homeassistant.config")
    assert "rest->1" in error or "'surprise'" in error
    assert "canary" not in home.whole_log


async def test_a_refused_entity_leaves_the_rest_of_its_block_alone(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    wrong = {"name": "b", "value_template": "{{ value"}
    config: dict[str, Any] = {**home.url("/x"), "sensor": [{"name": "a"}, wrong]}
    await home.load({"rest": config | {"binary_sensor": {"name": "c", "device_class": "warm"}}})
    await home.state("1", "sensor.a")
    first, second = home.log(logging.ERROR, "homeassistant.config")
    assert "'rest->sensor->1->value_template'" in first
    assert "'rest->binary_sensor->device_class'" in second
    assert home.hass.states.async_entity_ids() == [
        "sensor.a",
        *(name for name in home.hass.states.async_entity_ids() if "persistent" in name),
    ]


@pytest.mark.parametrize("is_set_up", [False, True])
async def test_a_check_of_the_configuration_names_every_mistake(
    home: RestHome, *, is_set_up: bool
) -> None:
    home.endpoint.set("/x", "1")
    if is_set_up:
        await home.load({"rest": block(home, "a")})
    warm = {**home.url("/x"), "binary_sensor": {"name": "c", "device_class": "warm"}}
    home.write({"rest": [block(home, "a"), block(home, "b", surprise=1), warm]})
    result = await async_check_ha_config_file(home.hass)
    (problem,) = result.warnings + result.errors
    assert problem.domain == "rest"
    assert "'surprise' is an invalid option for 'rest'" in problem.message
    assert "'rest->2->binary_sensor->device_class'" in problem.message
    assert "rest" not in result
    home.write({"rest": block(home, "a")})
    result = await async_check_ha_config_file(home.hass)
    assert not result.warnings + result.errors
    assert len(result["rest"]) == 1


async def test_a_block_that_is_no_map_shows_nothing_of_itself(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    await home.load({"rest": ["http://canary/", block(home, "a"), None]})
    await home.state("1", "sensor.a")
    (error,) = home.log(logging.ERROR, "homeassistant.config")
    assert "expected a map with the keys of a request" in error
    assert "canary" not in home.whole_log


@pytest.mark.parametrize("url", ["localhost/x", "http://h:99999/", "http://[x]/", "canary"])
async def test_a_static_template_that_is_no_url(home: RestHome, form: Form, url: str) -> None:
    home.endpoint.set("/x", {"on": True})
    config = form.config({"resource_template": url}, name="bad")
    for domain, entries in form.config(home.url("/x")).items():
        config[domain] += entries
    await home.load(config)
    await home.state(form.on, form.entity_id)
    (error,) = home.log(logging.ERROR, "homeassistant.config")
    assert "resource_template gives no http or https URL" in error
    assert "canary" not in home.whole_log
    assert "Traceback" not in home.whole_log


@pytest.mark.parametrize(
    "names",
    ["[a: , b: ]", "{a: , b: }", "[[a, b]]", "[{a: , b: {c: }}]", "[[a], {b: }]"],
)
async def test_names_of_attributes_with_colons_or_brackets(home: RestHome, names: str) -> None:
    home.endpoint.set("/x", {"a": 1, "b": 2, "d": 3})
    await home.set_up(
        f"- platform: rest\n  resource: URL/x\n  value_template: OK\n  json_attributes: {names}\n"
    )
    state = await home.state("OK")
    assert (state.attributes["a"], state.attributes["b"]) == (1, 2)
    assert "d" not in state.attributes
    await home.update()
    (warning,) = home.log()
    assert warning.startswith("json_attributes: read as the names a, b")


async def test_names_of_attributes_that_yaml_reads_as_truth_values(home: RestHome) -> None:
    home.endpoint.set("/x", {"on": 1, "b": 2})
    request = "- platform: rest\n  resource: URL/x\n  value_template: OK\n"
    await home.set_up(
        f"{request}  json_attributes: [on, b, yes]\n"
        f"{request}  name: quoted\n  json_attributes: ['on', b]\n"
    )
    state = await home.state("OK")
    assert (state.attributes.get("on"), state.attributes["b"]) == (None, 2)
    assert (await home.state("OK", "sensor.quoted")).attributes["on"] == 1
    (warning,) = home.log()
    assert warning == (
        "json_attributes: a word such as on or yes is True in YAML; write the key in quotes"
    )


async def test_a_reload_takes_what_is_right_and_keeps_what_is_wrong(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    home.endpoint.set("/y", "2")
    entry = {"platform": "rest", **home.url("/x")}
    config: dict[str, Any] = {
        "rest": [block(home, "a"), block(home, "b"), block(home, "gone")],
        "sensor": [{**entry, "name": "c"}, {**entry, "name": "d"}],
    }
    await home.load(config)
    for name in "abcd":
        await home.state("1", f"sensor.{name}")
    config["rest"] = [block(home, "a", **home.url("/y")), block(home, "b", headers="canary")]
    config["sensor"] = [{**entry, "name": "c", "timeout": "soon"}, {**entry, "name": "e"}]
    with pytest.raises(ServiceValidationError) as error:
        await home.reload(config)
    message = str(error.value)
    assert "headers" in message
    assert "timeout" in message
    assert "canary" not in message
    await home.state("2", "sensor.a")
    for name in ("b", "c", "d", "e"):
        await home.state("1", f"sensor.{name}")
    # Flawless again, what is no longer there goes.
    config["rest"].pop()
    config["sensor"].pop(0)
    await home.reload(config)
    assert sorted(home.hass.states.async_entity_ids("sensor")) == ["sensor.a", "sensor.e"]


@pytest.mark.parametrize("unique_id", [None, "same"])
async def test_what_stands_twice_is_the_blocks_as_in_core(
    home: RestHome, unique_id: str | None
) -> None:
    home.endpoint.set("/block", "block")
    home.endpoint.set("/entry", "entry")
    named = {"name": "x"} | ({"unique_id": unique_id} if unique_id else {})
    config = {
        "sensor": [{"platform": "rest", **home.url("/entry"), **named}],
        "rest": [{**home.url("/block"), "sensor": [named]}],
    }
    await home.load(config)
    await home.state("block", "sensor.x")
    if unique_id:
        assert home.hass.states.async_entity_ids("sensor") == ["sensor.x"]
    else:
        await home.state("entry", "sensor.x_2")
    config["sensor"][0]["timeout"] = config["rest"][0]["timeout"] = 5
    await home.reload(config)
    await home.state("block", "sensor.x")
    if not unique_id:
        await home.state("entry", "sensor.x_2")


@pytest.mark.parametrize(
    "credentials",
    [
        {"username": "", "password": ""},
        {"username": "user", "password": ""},
        {"username": "", "password": "p"},
    ],
    ids=str,
)
async def test_empty_credentials_are_none_as_in_core(
    home: RestHome, form: Form, credentials: dict[str, str]
) -> None:
    home.endpoint.set("/x", {"on": True})
    await home.load(form.config({**home.url("/x"), **credentials}))
    await home.state(form.on, form.entity_id)
    assert "Authorization" not in home.endpoint.received("/x")[0].headers


async def test_the_repair_follows_a_renamed_entity(home: RestHome) -> None:
    home.endpoint.set("/x", "long " * 99)
    await home.set_up("- platform: rest\n  resource: URL/x\n  name: a\n  unique_id: u\n")
    await home.state(lambda _: bool(ir.async_get(home.hass).issues), "sensor.a")
    er.async_get(home.hass).async_update_entity("sensor.a", new_entity_id="sensor.z")
    await home.state("unknown", "sensor.z")
    await home.hass.async_block_till_done()
    issues = [key for key in ir.async_get(home.hass).issues if key[0] == "rest"]
    assert issues == [("rest", "state_too_long_sensor.z")]
