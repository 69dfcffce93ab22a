"""When and how often an endpoint is asked."""

import asyncio
import gc
import threading
from types import SimpleNamespace

from aiohttp import web
from homeassistant.const import (
    EVENT_HOMEASSISTANT_CLOSE,
    EVENT_HOMEASSISTANT_FINAL_WRITE,
    EVENT_HOMEASSISTANT_STARTED,
    EVENT_HOMEASSISTANT_STOP,
)
from homeassistant.core import CoreState, Event
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
from homeassistant.util.async_ import get_scheduled_timer_handles
import orjson
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    async_mock_service,
)

from custom_components.rest.polling.coordinator import async_coordinators
from custom_components.rest.reply import reply as reply_module
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

SENSOR = "- platform: rest\n  resource: URL{path}\n  name: {name}\n"
NAMED = SENSOR + "  value_template: '{{{{ value_json.counter }}}}'\n"


async def test_sensors_of_one_resource_share_a_poll(home: RestHome) -> None:
    await home.set_up("".join(NAMED.format(path="/values", name=f"s{n}") for n in range(20)))
    states = [await home.state(lambda s: s.state.isdigit(), f"sensor.s{n}") for n in range(20)]
    assert len({state.state for state in states}) == 1
    assert home.endpoint.count("/values") == 1
    await home.passes(31)
    await home.polls("/values", 2)
    await home.update(*(f"sensor.s{n}" for n in range(20)))
    await asyncio.sleep(0.1)
    assert home.endpoint.count("/values") <= 3
    assert len(async_coordinators(home.hass).active()) == 1


@pytest.mark.parametrize("size", [50, 2_000], ids=["small", "large"])
async def test_a_reply_is_parsed_once_for_all_and_its_values_do_not_stay(
    home: RestHome, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    parsed: list[bytes] = []
    marker = f"one of {size}"

    def loads(body: bytes) -> object:
        parsed.append(body)
        return orjson.loads(body)

    def values_in_memory() -> int:
        return sum(type(item) is dict and marker in item for item in gc.get_objects())

    monkeypatch.setattr(reply_module, "orjson", SimpleNamespace(loads=loads))
    rows = [{marker: ["x" * 80]} for _ in range(size)]
    same = {"counter": 3, "rows": rows}
    home.endpoint.set("/x", {"counter": 1, "rows": rows}, {"counter": 2, "rows": rows}, same)
    rows.clear()
    del same
    await home.set_up("".join(NAMED.format(path="/x", name=f"s{n}") for n in range(5)))
    for count in (1, 2):
        await home.state(str(count), "sensor.s4")
        assert len(parsed) == count
        assert not values_in_memory()
        await home.update("sensor.s0")
    await home.state("3", "sensor.s4")
    for _ in range(4):  # what comes again and again is kept, and not parsed each time
        await home.update("sensor.s0")
    assert len(parsed) == 4
    assert values_in_memory() == size


async def test_a_large_reply_is_parsed_in_a_thread_for_a_late_reader_too(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[bool] = []

    def loads(body: bytes) -> object:
        threads.append(threading.current_thread() is not threading.main_thread())
        return orjson.loads(body)

    monkeypatch.setattr(reply_module, "orjson", SimpleNamespace(loads=loads))
    home.endpoint.set("/x", {"counter": 1, "filler": "x" * 200_000})
    first = {"platform": "rest", **home.url("/x"), "name": "first"}
    first["value_template"] = "{{ value_json.counter }}"
    await home.load({"sensor": [first]})
    await home.state("1", "sensor.first")
    home.endpoint.set("/x", Answer.of({}, delay=5))  # the next poll, which the reload sets off
    await home.reload({"sensor": [first, {**first, "name": "late"}]})
    await home.state("1", "sensor.late")
    assert threads == [True, True]


@pytest.mark.parametrize(
    "other",
    [
        "  method: POST\n",
        "  headers: {X-A: b}\n",
        "  params: {a: 1}\n",
        "  timeout: 11\n",
        "  verify_ssl: false\n",
        "  username: a\n  password: b\n",
        "  encoding: latin-1\n",
        "  valid_status: [200, 404]\n",
        "  scan_interval: 31\n",
    ],
)
async def test_requests_that_differ_are_polled_apart(home: RestHome, other: str) -> None:
    await home.set_up(
        NAMED.format(path="/values", name="a") + NAMED.format(path="/values", name="b") + other
    )
    await home.polls("/values", 2)
    assert len(async_coordinators(home.hass).active()) == 2


async def test_what_concerns_the_sensor_alone_is_shared(home: RestHome) -> None:
    await home.set_up(
        NAMED.format(path="/values", name="a")
        + NAMED.format(path="/values", name="b")
        + "  max_failures: 3\n  force_update: true\n  method: get\n  json_attributes: list\n"
    )
    await home.state(lambda state: "list" in state.attributes, "sensor.b")
    assert home.endpoint.count("/values") == 1


async def test_the_default_interval_is_30_seconds(home: RestHome) -> None:
    await home.set_up(
        SENSOR.format(path="/a", name="a")
        + SENSOR.format(path="/b", name="b")
        + "  scan_interval: 100\n"
    )
    home.endpoint.set("/a", "1")
    home.endpoint.set("/b", "1")
    await home.state("1", "sensor.a")
    await home.state("1", "sensor.b")
    await home.passes(28)
    await asyncio.sleep(0.05)
    assert home.endpoint.count() == 2
    await home.passes(31)
    await home.polls("/a", 2)
    assert home.endpoint.count("/b") == 1
    await home.passes(101)
    await home.polls("/b", 2)


async def test_at_most_four_requests_at_a_time_for_a_host(home: RestHome) -> None:
    await home.set_up(
        "".join(SENSOR.format(path=f"/slow/0.05/{n}", name=f"s{n}") for n in range(13))
    )
    for n in range(13):
        await home.state(lambda state: "counter" in state.state, f"sensor.s{n}")
    assert home.endpoint.peak == 4


async def test_a_request_that_hangs_gives_its_place_away(home: RestHome) -> None:
    hanging = "".join(
        SENSOR.format(path=f"/slow/30/{n}", name=f"h{n}") + "  timeout: 20\n" for n in range(4)
    )
    healthy = "".join(SENSOR.format(path=f"/slow/0/{n}", name=f"s{n}") for n in range(6))
    await home.set_up(hanging + healthy)
    await home.polls("/slow/30/3", 1)
    async with asyncio.timeout(5):
        for n in range(6):
            await home.state(lambda state: "counter" in state.state, f"sensor.s{n}")
    assert not home.log()


async def test_a_round_longer_than_its_interval_is_told_once_per_host(home: RestHome) -> None:
    await home.set_up(
        "".join(
            SENSOR.format(path=f"/slow/0.6/{n}", name=f"s{n}") + "  scan_interval: 1\n"
            for n in range(9)
        )
    )
    for n in range(9):
        await home.polls(f"/slow/0.6/{n}", 3)
    (message,) = home.log()
    assert message == (
        f"{home.endpoint.url}: its polls take longer than their scan_interval, so values come "
        "later than asked for; poll fewer of its resources, or less often"
    )


async def test_waiting_for_the_host_is_no_timeout(home: RestHome) -> None:
    await home.set_up(
        "".join(
            SENSOR.format(path=f"/slow/0.8/{n}", name=f"s{n}") + "  timeout: 2\n" for n in range(6)
        )
    )
    for n in range(6):
        await home.state(lambda state: "counter" in state.state, f"sensor.s{n}")
    assert not home.log()


async def test_update_entity_during_a_poll_waits_for_it(home: RestHome) -> None:
    await home.set_up(NAMED.format(path="/slow/0.3", name="a"))
    await home.polls("/slow/0.3", 1)
    await asyncio.gather(home.update("sensor.a"), home.update("sensor.a"))
    assert home.hass.states.get("sensor.a").state.isdigit()  # type: ignore[union-attr]
    assert home.endpoint.count("/slow/0.3") == 1


@pytest.mark.parametrize("marks", ["etag", "modified"])
async def test_conditional_get(home: RestHome, marks: str) -> None:
    path = f"/{marks}/1000"
    await home.set_up(
        SENSOR.format(path=path, name="a") + "  value_template: '{{ value_json.temperature }}'\n"
        "  json_attributes: records\n"
    )
    state = await home.state("21.5", "sensor.a")
    await home.update("sensor.a")
    again = await home.state("21.5", "sensor.a")
    assert again.attributes["records"] is state.attributes["records"]
    header = {"etag": "If-None-Match", "modified": "If-Modified-Since"}[marks]
    first, second = home.endpoint.received(path)
    assert header not in first.headers
    assert second.headers[header]


async def test_headers_of_a_304_are_the_latest(home: RestHome) -> None:
    left = "7"

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        status = 304 if "If-None-Match" in request.headers else 200
        return web.Response(text="hello", status=status, headers={"ETag": '"a"', "X-Left": left})

    home.endpoint.set("/x", answer)
    template = "{{ value }} {{ status }} {{ headers['X-Left'] }}"
    form = Form("sensor", is_block=False)
    await home.load(form.config(home.url("/x"), value_template=template))
    await home.state("hello 200 7", "sensor.x")
    left = "6"
    await home.update("sensor.x")
    await home.state("hello 200 6", "sensor.x")


async def test_a_post_is_never_conditional(home: RestHome) -> None:
    await home.set_up(SENSOR.format(path="/etag/100", name="a") + "  method: POST\n")
    await home.state(lambda state: "temperature" in state.state, "sensor.a")
    await home.update("sensor.a")
    assert "If-None-Match" not in home.endpoint.received("/etag/100")[1].headers


async def test_a_304_that_nobody_asked_for_is_a_failure(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(status=304))
    await home.set_up(SENSOR.format(path="/x", name="a"))
    await home.state("unavailable", "sensor.a")


async def test_templates_are_rendered_before_every_poll(home: RestHome) -> None:
    home.hass.states.async_set("input_text.x", "one")
    x = "{{ states('input_text.x') }}"
    await home.set_up(
        "- platform: rest\n  method: post\n"
        f'  resource_template: "URL/values/{x}"\n'
        f'  payload_template: "p {x}"\n'
        f'  headers: {{X-A: "h {x}"}}\n'
        f"  params: {{q: \"{x}\", flag: true, n: 5, nothing: '{{{{ none }}}}'}}\n"
    )
    await home.state(lambda state: "counter" in state.state)
    home.hass.states.async_set("input_text.x", "two")
    await home.update()
    (request,) = home.endpoint.received("/values/two")
    assert request.body == b"p two"
    assert request.headers["X-A"] == "h two"
    assert request.query == {"q": "two", "flag": "true", "n": "5"}


async def test_templated_resources_wait_for_home_assistant_to_start(home: RestHome) -> None:
    home.hass.set_state(CoreState.not_running)
    await home.set_up(
        "- platform: rest\n  resource_template: 'URL/values/{{ states(\"input_text.x\") }}'\n"
        + SENSOR.format(path="/plain", name="plain")
    )
    await home.polls("/plain", 1)
    await asyncio.sleep(0.2)
    assert home.endpoint.count() == 1
    home.hass.states.async_set("input_text.x", "ready")
    home.hass.set_state(CoreState.running)
    home.hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await home.polls("/values/ready", 1)


@pytest.mark.parametrize(
    "url", ["ftp://h/x", "http://", "nonsense", "file:///etc/passwd", "http://[::1"]
)
async def test_a_rendering_that_is_no_url(home: RestHome, url: str) -> None:
    await home.set_up(f"- platform: rest\n  resource_template: \"{{{{ '{url}' }}}}?canary\"\n")
    await home.state("unavailable")
    (message,) = home.log()
    assert "resource_template gives no http or https URL but" in message
    assert "canary" not in message
    assert "passwd" not in message


async def test_a_header_template_cannot_inject_headers(home: RestHome) -> None:
    await home.set_up(
        SENSOR.format(path="/x", name="a") + "  headers: {X-A: \"a{{ '\\r\\nX-Canary: 1' }}\"}\n"
    )
    await home.state("unavailable", "sensor.a")
    (message,) = home.log()
    assert "headers 'X-A' rendered to a text with line breaks or control codes" in message
    assert "Canary" not in home.whole_log
    assert home.endpoint.count() == 0


async def test_reload_applies_changes_and_leaves_nothing(home: RestHome) -> None:
    before = (
        "sensor:\n"
        + SENSOR.format(path="/values", name="a")
        + SENSOR.format(path="/values", name="b")
        + "  scan_interval: 40\n"
        + SENSOR.format(path="/values", name="c")
        + "  scan_interval: 50\n"
    )
    home.write(before)
    await home.set_up(before.removeprefix("sensor:\n"))
    for name in "abc":
        await home.state(lambda state: "counter" in state.state, f"sensor.{name}")
    home.write("sensor:\n" + SENSOR.format(path="/other", name="b"))
    home.endpoint.set("/other", "new")
    await home.hass.services.async_call("rest", "reload", blocking=True)
    await home.state("new", "sensor.b")
    assert home.hass.states.async_entity_ids("sensor") == ["sensor.b"]
    assert len(async_coordinators(home.hass).active()) == 1
    count = home.endpoint.count("/values")
    await home.passes(120)
    await home.polls("/other", 2)
    assert home.endpoint.count("/values") == count
    home.write("sensor: []\n")
    await home.hass.services.async_call("rest", "reload", blocking=True)
    assert not async_coordinators(home.hass).active()


async def test_reload_all_reloads_rest(home: RestHome) -> None:
    home.endpoint.set("/a", "1")
    home.endpoint.set("/b", "2")
    assert await async_setup_component(home.hass, "homeassistant", {})
    async_mock_service(home.hass, "frontend", "reload_themes")  # reload_all calls it, too
    await home.set_up(SENSOR.format(path="/a", name="a"))
    await home.state("1", "sensor.a")
    home.write("sensor:\n" + SENSOR.format(path="/b", name="a"))
    await home.hass.services.async_call("homeassistant", "reload_all", blocking=True)
    await home.state("2", "sensor.a")


@pytest.mark.parametrize(
    "broken",
    [
        "sensor: [",
        "rest:\n  - resource: nonsense\n",
        "rest:\n  timeout: x\n",
        "sensor:\n- platform: rest\n  resource: URL/a\n  name: a\n  scan_interval: often\n",
        "switch:\n- platform: rest\n  resource: URL/a\n  timeout: x\n",
        "notify:\n- platform: rest\n  name: a\n",
    ],
)
async def test_reload_of_broken_yaml_keeps_what_is_there(home: RestHome, broken: str) -> None:
    home.endpoint.set("/a", "1")
    await home.set_up(SENSOR.format(path="/a", name="a"))
    await home.state("1", "sensor.a")
    home.write(broken)
    with pytest.raises(ServiceValidationError) as error:
        await home.hass.services.async_call("rest", "reload", blocking=True)
    key = "reload_failed" if broken == "sensor: [" else "reload_incomplete"
    assert error.value.translation_key == key
    await home.state("1", "sensor.a")


async def test_a_reload_cancelled_at_any_point_ends_in_the_new_configuration(
    home: RestHome,
) -> None:
    """After each turn of the event loop that a reload takes; the later ones at some distance."""
    home.endpoint.set("/x", {"on": True})

    def config(name: str) -> dict[str, list[object]]:
        entity = {"name": name, "value_template": "{{ value_json.on }}"}
        block = {**home.url("/x"), "sensor": [{**entity, "name": f"block {name}"}]}
        entry = {"platform": "rest", **home.url("/x"), **entity}
        lamp = {**entry, "is_on_template": entity["value_template"]}
        del lamp["value_template"]
        return {"rest": [block], "sensor": [entry], "binary_sensor": [entry], "switch": [lamp]}

    await home.load(config("b"))
    name = "a"
    turns = 0
    is_interrupted = True
    while is_interrupted:
        home.write(config(name))
        reload = asyncio.create_task(home.hass.services.async_call("rest", "reload", blocking=True))
        for _ in range(turns + 1):
            await asyncio.sleep(0)
        is_interrupted = reload.cancel()
        await asyncio.wait([reload])
        await home.hass.async_block_till_done()
        assert sorted(home.hass.states.async_entity_ids()) == [
            f"binary_sensor.{name}",
            f"sensor.{name}",
            f"sensor.block_{name}",
            f"switch.{name}",
        ], f"cancelled after {turns} turns"
        turns += 1 + turns // 20
        name = "ab".replace(name, "")
    assert turns > 5


async def test_a_reload_during_a_slow_poll(home: RestHome) -> None:
    await home.set_up(SENSOR.format(path="/slow/30", name="a"))
    await home.polls("/slow/30", 1)
    waiting = asyncio.create_task(home.update("sensor.a"))
    await asyncio.sleep(0.05)
    home.write("sensor: []\n")
    await home.hass.services.async_call("rest", "reload", blocking=True)
    async with asyncio.timeout(5):
        await waiting
    assert not async_coordinators(home.hass).active()
    assert home.hass.states.get("sensor.a") is None


async def test_nothing_runs_after_home_assistant_stopped(home: RestHome) -> None:
    await home.set_up(
        SENSOR.format(path="/slow/30", name="a") + SENSOR.format(path="/values", name="b")
    )
    await home.polls("/values", 1)
    async with asyncio.timeout(5):
        await home.hass.async_stop(force=True)
    assert not [task for task in asyncio.all_tasks() if "rest poll" in task.get_name()]
    assert not async_coordinators(home.hass).active()


@pytest.mark.parametrize(
    "stage",
    [EVENT_HOMEASSISTANT_STOP, EVENT_HOMEASSISTANT_FINAL_WRITE, EVENT_HOMEASSISTANT_CLOSE],
)
async def test_nothing_is_begun_once_home_assistant_stops(home: RestHome, stage: str) -> None:
    """A reload that it stops amid goes on to its end, and must leave no timer."""
    await home.set_up(SENSOR.format(path="/values", name="a"))
    await home.state(lambda state: state.state != "unknown", "sensor.a")
    late = {"binary_sensor": [{"platform": "rest", "name": "b", **home.url("/b")}]}

    async def add(_: Event) -> None:
        assert await async_setup_component(home.hass, "binary_sensor", late)

    home.hass.bus.async_listen_once(stage, add)
    await home.hass.async_stop(force=True)
    assert home.hass.states.get("binary_sensor.b") is not None
    timers = get_scheduled_timer_handles(home.hass.loop)
    ours = [timer for timer in timers if "RestCoordinator" in repr(timer)]
    assert not [timer for timer in ours if not timer.cancelled()]


async def test_a_renamed_entity_goes_on(home: RestHome) -> None:
    home.endpoint.set("/a", "1", "2")
    await home.set_up(SENSOR.format(path="/a", name="a") + "  unique_id: u\n")
    await home.state("1", "sensor.a")
    er.async_get(home.hass).async_update_entity("sensor.a", new_entity_id="sensor.z")
    await home.state("2", "sensor.z")
    assert len(async_coordinators(home.hass).active()) == 1


async def test_reloads_do_not_pile_up(home: RestHome) -> None:
    yaml = "sensor:\n" + "".join(
        SENSOR.format(path="/digest", name=f"s{n}")
        + f"  scan_interval: {n + 10}\n  authentication: digest\n  username: user\n"
        "  password: pass-word\n"
        for n in range(3)
    )
    home.write(yaml)
    await home.set_up("[]", "rest")
    counts = []
    for _ in range(12):
        await home.hass.services.async_call("rest", "reload", blocking=True)
        for n in range(3):
            await home.state(lambda state: "counter" in state.state, f"sensor.s{n}")
        await home.hass.async_block_till_done()
        timers = get_scheduled_timer_handles(home.hass.loop)
        ours = [timer for timer in timers if "RestCoordinator._start_poll" in repr(timer)]
        live = [timer for timer in ours if not timer.cancelled()]
        polls = [task for task in asyncio.all_tasks() if "rest poll" in task.get_name()]
        counts.append((len(polls), len(live)))
    assert counts == [(0, 3)] * 12


async def test_no_poll_is_left_after_a_reload_amid_one(home: RestHome) -> None:
    """The reload asks for a poll; the one under way is as good."""
    answered = asyncio.Event()

    async def answer(_: web.BaseRequest) -> web.StreamResponse:
        await answered.wait()
        return web.json_response({"on": True})

    home.endpoint.set("/x", answer)
    home.endpoint.set("/y", {"on": True})
    form = Form("sensor", is_block=False)
    config = form.config(home.url("/x"))
    await home.load(config)
    await home.polls("/x", 1)
    await home.reload(config)
    answered.set()
    await home.state("True", "sensor.x")
    # What is polled for the first time comes later than what was left.
    await home.reload(form.config(home.url("/y"), name="y"))
    await home.state("True", "sensor.y")
    assert home.endpoint.count("/x") == 1
