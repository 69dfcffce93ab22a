"""The same promises for all ways of writing it: platforms and `rest:` blocks, both domains."""

import asyncio
from collections.abc import Mapping
import logging
from typing import Any

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.rest.polling.coordinator import async_coordinators
from tests.home import until
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_auth import PASSWORD, USERNAME

from .home import FORMS, Form, RestHome

YES: Mapping[str, Any] = {"on": True}
NO: Mapping[str, Any] = {"on": False}


async def test_the_entity_is_there_at_once_and_nothing_waits(home: RestHome, form: Form) -> None:
    is_released = asyncio.Event()

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        await is_released.wait()
        return web.json_response(YES)

    home.endpoint.set("/x", answer)
    await home.load(form.config(home.url("/x")))
    await home.state(STATE_UNKNOWN, form.entity_id)
    is_released.set()
    await home.state(form.on, form.entity_id)


async def test_an_endpoint_that_is_down_at_the_start_comes_later(
    home: RestHome, form: Form
) -> None:
    home.endpoint.set("/x", YES)
    await home.endpoint.stop()
    await home.load(form.config(home.url("/x")))
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    await home.endpoint.start()
    await home.passes(31)
    await home.state(form.on, form.entity_id)
    who = f"{home.endpoint.url} ({form.entity_id})"
    lost, back = home.log(logging.INFO)
    assert lost.startswith(f"Error fetching {who} data: cannot connect")
    assert back == f"Fetching {who} data recovered"


async def test_one_message_per_outage(home: RestHome, form: Form) -> None:
    bad = Answer.of("down", status=500)
    home.endpoint.set("/x", bad, bad, bad, YES, bad)
    await home.load(form.config(home.url("/x")))
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    for _ in range(2):
        await home.update(form.entity_id)
    assert len(home.log()) == 1
    await home.update(form.entity_id)
    await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    assert len(home.log()) == 2


async def test_polls_of_what_fails_are_further_and_further_apart(
    home: RestHome, form: Form
) -> None:
    home.endpoint.set("/x", Answer.of("down", status=500))
    await home.load(form.config({**home.url("/x"), "scan_interval": 100}))
    await home.polls("/x", 1)
    (coordinator,) = async_coordinators(home.hass).active()
    for number, wait in enumerate((30, 60, 100, 100), 1):
        await until(lambda: coordinator.failures == number)  # noqa: B023  (at once)
        assert coordinator.reason == "status 500"
        await asyncio.sleep(0.01)
        await home.passes(wait - 3)
        await asyncio.sleep(0.02)
        assert home.endpoint.count("/x") == number
        await home.passes(wait + 1)
        await home.polls("/x", number + 1)


async def test_retry_after(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", Answer(status=429, headers={"Retry-After": "100"}))
    await home.load(form.config({**home.url("/x"), "scan_interval": 5}))
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    assert home.log()[0].endswith("data: status 429; next try in 100 s")
    await home.passes(99)
    await asyncio.sleep(0.02)
    assert home.endpoint.count("/x") == 1


async def test_max_failures(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", YES, Answer.of("down", status=500))
    await home.load(form.config(home.url("/x"), max_failures=3))
    await home.state(form.on, form.entity_id)
    for _ in range(2):
        await home.update(form.entity_id)
        await home.state(form.on, form.entity_id)
    await home.update(form.entity_id)
    await home.state(STATE_UNAVAILABLE, form.entity_id)


async def test_max_failures_of_a_whole_block(home: RestHome) -> None:
    home.endpoint.set("/x", YES, Answer.of("down", status=500))
    await home.load(
        {
            "rest": {
                **home.url("/x"),
                "max_failures": 2,
                "sensor": [{"name": "a"}, {"name": "b", "max_failures": 1}],
                "binary_sensor": [{"name": "c"}],
            }
        }
    )
    await home.state('{"on": true}', "sensor.a")
    await home.update("sensor.a")
    await home.state('{"on": true}', "sensor.a")
    await home.state("off", "binary_sensor.c")
    await home.state(STATE_UNAVAILABLE, "sensor.b")


async def test_valid_status(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", Answer.of(YES, status=404))
    await home.load(form.config({**home.url("/x"), "valid_status": [200, 404]}))
    await home.state(form.on, form.entity_id)


@pytest.mark.parametrize("headers", [{"X-A": "one"}, [{"X-A": "one"}], ["X-A: one"], "X-A: one\n"])
async def test_headers_in_every_form(home: RestHome, form: Form, headers: object) -> None:
    home.endpoint.set("/x", YES)
    await home.load(form.config({**home.url("/x"), "headers": headers}))
    await home.state(form.on, form.entity_id)
    assert home.endpoint.received("/x")[0].headers["X-A"] == "one"


async def test_conditional_requests(home: RestHome, form: Form) -> None:
    await home.load(form.config(home.url("/etag/100"), value_template="{{ 'on' }}"))
    await home.state("on", form.entity_id)
    await home.update(form.entity_id)
    await home.state("on", form.entity_id)
    first, second = home.endpoint.received("/etag/100")
    assert "If-None-Match" not in first.headers
    assert "If-None-Match" in second.headers


@pytest.mark.parametrize("path", ["/etag/100", "/modified/100"])
async def test_without_conditional_requests(home: RestHome, form: Form, path: str) -> None:
    request = {**home.url(path), "conditional": False}
    await home.load(form.config(request, value_template="{{ 'on' }}"))
    await home.state("on", form.entity_id)
    await home.update(form.entity_id)
    for request_seen in home.endpoint.received(path):
        assert "If-None-Match" not in request_seen.headers
        assert "If-Modified-Since" not in request_seen.headers


async def test_max_size(home: RestHome, form: Form) -> None:
    await home.load(form.config({**home.url("/size/2000"), "max_size": "1 kB"}))
    await home.state(STATE_UNAVAILABLE, form.entity_id)
    assert "the reply is larger than max_size, 1000 bytes" in home.log()[0]


@pytest.mark.parametrize("authentication", ["basic", "digest"])
async def test_no_secret_is_told(home: RestHome, form: Form, authentication: str) -> None:
    path = "/bot-canary/status"
    home.endpoint.set(path, "canary", Answer.of("canary", status=500), b"\xff canary" * 99)
    await home.load(
        form.config(
            {
                "resource": home.endpoint.url + path + "?key=canary",
                "method": "POST",
                "payload": "canary",
                "username": "canary",
                "password": "canary",
                "authentication": authentication,
                "headers": {"X-Token": "canary"},
                "params": {"p": "canary"},
            },
            value_template="{{ value_json.a | int }}",
        )
    )
    await home.polls(path, 1)
    for _ in range(3):
        await home.update(form.entity_id)
    assert home.log()
    assert "canary" not in home.whole_log


async def test_a_post_is_text_unless_it_says_otherwise(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", YES)
    post = {**home.url("/x"), "method": "POST", "payload": '{"ü": 1}'}
    await home.load(form.config(post))
    await home.state(form.on, form.entity_id)
    (request,) = home.endpoint.received("/x")
    assert request.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert request.body == '{"ü": 1}'.encode()


async def test_a_post_keeps_its_own_content_type(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", YES)
    post = {**home.url("/x"), "method": "POST", "payload": "{}"}
    await home.load(form.config({**post, "headers": {"content-type": "application/json"}}))
    await home.state(form.on, form.entity_id)
    assert home.endpoint.received("/x")[0].headers["Content-Type"] == "application/json"


async def test_credentials(home: RestHome, form: Form) -> None:
    login = {"username": USERNAME, "password": PASSWORD, "authentication": "digest"}
    await home.load(form.config({**home.url("/digest"), **login}, value_template="{{ 'on' }}"))
    await home.state("on", form.entity_id)


async def test_while_availability_says_no_icon_and_picture_are_not_shown(
    home: RestHome, form: Form
) -> None:
    home.endpoint.set("/x", {"on": True, "icon": "mdi:fire"}, NO)
    await home.load(
        form.config(
            home.url("/x"),
            availability="{{ value_json.on }}",
            icon="{{ value_json.icon }}",
            picture="/local/{{ value_json.icon }}.png",
        )
    )
    attributes = (await home.state(form.on, form.entity_id)).attributes
    assert attributes["icon"] == "mdi:fire"
    assert attributes["entity_picture"] == "/local/mdi:fire.png"
    await home.update(form.entity_id)
    attributes = (await home.state(STATE_UNAVAILABLE, form.entity_id)).attributes
    assert "icon" not in attributes
    assert "entity_picture" not in attributes


async def test_a_constant_icon_stays(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", NO)
    await home.load(
        form.config(home.url("/x"), availability="{{ value_json.on }}", icon="mdi:fire")
    )
    state = await home.state(STATE_UNAVAILABLE, form.entity_id)
    assert state.attributes["icon"] == "mdi:fire"


async def test_unique_id_and_force_update(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", YES)
    await home.load(form.config(home.url("/x"), unique_id="u-1", force_update=True))
    await home.state(form.on, form.entity_id)
    registry = er.async_get(home.hass)
    assert registry.async_get_entity_id(form.domain, "rest", "u-1") == form.entity_id
    before = home.hass.states.get(form.entity_id)
    await home.update(form.entity_id)
    after = home.hass.states.get(form.entity_id)
    assert before
    assert after
    assert after.last_updated > before.last_updated


async def test_all_forms_share_one_request(home: RestHome) -> None:
    home.endpoint.set("/x", YES, NO)
    config: dict[str, list[object]] = {}
    for form in FORMS:
        request = {**home.url("/x"), "scan_interval": 60}
        for domain, entries in form.config(request, name=str(form)).items():
            config.setdefault(domain, []).extend(entries)
    await home.load(config)
    ids = (
        "sensor.sensor",
        "binary_sensor.binary_sensor",
        "sensor.rest_block_sensor",
        "binary_sensor.rest_block_binary_sensor",
    )
    for entity_id, state in zip(ids, ("True", "on", "True", "on"), strict=True):
        await home.state(state, entity_id)
    assert home.endpoint.count("/x") == 1
    await home.update(*ids)
    for entity_id, state in zip(ids, ("False", "off", "False", "off"), strict=True):
        await home.state(state, entity_id)
    assert home.endpoint.count("/x") == 2
    assert len(async_coordinators(home.hass).active()) == 1


@pytest.mark.parametrize(("block", "seconds"), [(False, 30), (True, 15)])
async def test_the_default_intervals_are_cores(
    home: RestHome, *, block: bool, seconds: int
) -> None:
    home.endpoint.set("/x", YES)
    await home.load(Form("sensor", block).config(home.url("/x")))
    await home.polls("/x", 1)
    await home.state("True", "sensor.x")
    await home.passes(seconds - 2)
    await asyncio.sleep(0.02)
    assert home.endpoint.count("/x") == 1
    await home.passes(seconds + 1)
    await home.polls("/x", 2)


async def test_the_default_names_are_cores(home: RestHome) -> None:
    home.endpoint.set("/x", "1")
    await home.load(
        {
            "rest": [{**home.url("/x"), "sensor": {}, "binary_sensor": [{}]}],
            "sensor": [{"platform": "rest", **home.url("/x")}],
            "binary_sensor": [{"platform": "rest", **home.url("/x")}],
        }
    )
    for number in ("", "_2"):
        state = await home.state("1", f"sensor.rest_sensor{number}")
        assert state.name == "REST Sensor"
        state = await home.state("on", f"binary_sensor.rest_binary_sensor{number}")
        assert state.name == "REST Binary Sensor"


@pytest.mark.parametrize(
    "wrong",
    [
        {"headers": ["canary"]},
        {"params": {"p": "{{ canary"}},
        {"payload": ["canary"], "method": "POST"},
        {"resource_template": "http://canary"},
        {"sensor": [{"device_class": "nonsense"}]},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
async def test_a_mistake_in_a_block_names_its_key_and_no_secret(
    home: RestHome, wrong: dict[str, object]
) -> None:
    block = {**home.url("/x?canary"), **wrong}
    good = {**home.url("/y"), "sensor": [{"name": "good"}]}
    home.endpoint.set("/y", "1")
    await home.load({"rest": [block, good]})
    await home.state("1", "sensor.good")
    (error,) = home.log(level=40, name="homeassistant.config")
    assert next(iter(wrong)).removesuffix("_template") in error
    assert "canary" not in home.whole_log
