"""The REST sensor as a user meets it: YAML in, states and attributes out."""

import asyncio
import gc
import logging

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import Event, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.template import TemplateEnvironment, async_load_custom_templates
import pytest

from tests.home import until
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

MOMENT = "2026-11-22T08:00:00+00:00"
ONE = "- platform: rest\n  resource: URL/value\n"


async def test_the_smallest_entry(home: RestHome) -> None:
    home.endpoint.set("/value", "21.5")
    await home.set_up(ONE)
    state = await home.state("21.5")
    assert dict(state.attributes) == {"friendly_name": "REST Sensor"}
    request = home.endpoint.received("/value")[0]
    assert (request.method, request.body) == ("GET", b"")


async def test_it_exists_at_once_and_unknown(home: RestHome) -> None:
    home.endpoint.set("/value", Answer.of("1", delay=0.5))
    async with asyncio.timeout(5):
        await home.set_up(ONE)
    await home.state("unknown")
    await home.state("1")


async def test_without_a_template_the_state_is_the_text(home: RestHome) -> None:
    home.endpoint.set("/value", b'{"a": [1, 2]}')
    await home.set_up(ONE)
    await home.state('{"a": [1, 2]}')


async def test_the_text_none_is_unknown_from_a_template_only(home: RestHome) -> None:
    home.endpoint.set("/value", "None")
    home.endpoint.set("/list", ["None"])
    home.endpoint.set("/page", Answer.of("<p>None</p>"))
    await home.set_up(
        ONE
        + ONE
        + "  name: printed\n  value_template: '{{ value }}'\n"
        + "- platform: rest\n  resource: URL/list\n  for_each: '{{ value_json }}'\n"
        + "  key: first\n  name: listed\n"
        + "- platform: rest\n  resource: URL/page\n  name: shown\n  select: p\n"
    )
    await home.state("None")
    await home.state("None", "sensor.listed_first")
    await home.state("None", "sensor.shown")
    await home.state("unknown", "sensor.printed")
    assert not home.log()


async def test_value_template_and_everything_around_it(home: RestHome) -> None:
    home.endpoint.set("/value", {"t": 21.5, "ok": True, "icon": "mdi:fire", "n": "Oven"})
    await home.set_up(
        ONE + "  name: Stove\n"
        "  unique_id: stove-1\n"
        "  value_template: '{{ value_json.t }}'\n"
        "  unit_of_measurement: °C\n"
        "  device_class: temperature\n"
        "  state_class: measurement\n"
        "  icon: '{{ value_json.icon }}'\n"
        "  picture: '/local/{{ value_json.n }}.png'\n"
        "  availability: '{{ value_json.ok }}'\n"
    )
    state = await home.state("21.5", "sensor.stove")
    assert dict(state.attributes) == {
        "friendly_name": "Stove",
        "unit_of_measurement": "°C",
        "device_class": "temperature",
        "state_class": "measurement",
        "icon": "mdi:fire",
        "entity_picture": "/local/Oven.png",
    }
    assert er.async_get(home.hass).async_get_entity_id("sensor", "rest", "stove-1")
    home.endpoint.set("/value", {"t": 1, "ok": False})
    await home.update("sensor.stove")
    await home.state("unavailable", "sensor.stove")


async def test_names_are_templates(home: RestHome) -> None:
    home.endpoint.set("/value", "Oven")
    await home.set_up(ONE + "  name: \"Stove {{ value | default('') }}\"\n")
    await home.state(lambda state: state.name == "Stove Oven", "sensor.stove")
    assert not home.log()


async def test_a_bad_name_gives_the_default_one(home: RestHome) -> None:
    home.endpoint.set("/value", "1")
    await home.set_up(ONE + "  name: '{{ 1 / 0 }}'\n")
    await home.state("1")
    assert home.log() == ["sensor.rest_sensor: name failed: ZeroDivisionError: division by zero"]


async def test_this_and_value(home: RestHome) -> None:
    home.endpoint.set("/value", "5", "7")
    await home.set_up(ONE + "  value_template: '{{ this.state }} {{ value | int + 1 }}'\n")
    await home.state("unknown 6")
    await home.update()
    await home.state("unknown 6 8")


async def test_value_in_a_macro_that_is_imported(home: RestHome) -> None:
    folder = home.yaml.parent / "custom_templates"
    folder.mkdir()
    (folder / "tools.jinja").write_text("{% macro text() %}{{ value }}{% endmacro %}")
    await async_load_custom_templates(home.hass)
    home.endpoint.set("/x", "abc")
    await home.set_up(
        "- platform: rest\n  resource: URL/x\n  value_template: >-\n"
        "    {% from 'tools.jinja' import text with context %}{{ text() }}\n"
    )
    await home.state("abc")


async def test_templates_cost_no_more_memory_than_cores(home: RestHome) -> None:
    """A Jinja environment takes 43 KB; core has two, one of them strict, for all entities."""
    entity = (
        "- platform: rest\n  resource: URL/x\n  name: 's{number} {{{{ value | default(1) }}}}'\n"
        "  value_template: '{{{{ value_json.a + {number} }}}}'\n"
        "  availability: '{{{{ value_json.a == 0 }}}}'\n"
        "  icon: 'mdi:{{{{ value_json.icon }}}}'\n  picture: '/{{{{ value_json.icon }}}}'\n"
        "  json_attributes_template: '{{{{ value }}}}'\n"
    )
    home.endpoint.set("/x", {"a": 0, "icon": "fire"})
    await home.set_up("".join(entity.format(number=number) for number in range(9)))
    for number in range(9):
        state = await home.state(str(number), f"sensor.s{number}_1")
        assert state.attributes["icon"] == "mdi:fire"
    environments = [
        item
        for item in gc.get_objects()
        if type(item) is TemplateEnvironment and item.hass is home.hass
    ]
    assert len(environments) == 3, "core's two and ours"


async def test_value_json_is_absent_when_the_body_is_no_json(home: RestHome) -> None:
    home.endpoint.set("/value", "no json", "null")
    await home.set_up(ONE + "  value_template: '{{ value_json is defined }}'\n")
    await home.state("False")
    await home.update()
    await home.state("True")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("[a, b]", {"a": 1, "b": {"c": [2]}}),
        ("a", {"a": 1}),
        ("a, b", {"a": 1, "b": {"c": [2]}}),
        ("[a, missing]", {"a": 1}),
    ],
)
@pytest.mark.parametrize("body", [{"a": 1, "b": {"c": [2]}}, [{"a": 1, "b": {"c": [2]}}, {"a": 9}]])
async def test_attributes(
    home: RestHome, keys: str, expected: dict[str, object], body: object
) -> None:
    home.endpoint.set("/value", body)
    await home.set_up(ONE + f"  value_template: OK\n  json_attributes: {keys}\n")
    state = await home.state("OK")
    assert dict(state.attributes) == {"friendly_name": "REST Sensor"} | expected


async def test_json_attributes_path(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/rooms\n  value_template: OK\n"
        "  json_attributes_path: $.rooms.kitchen\n  json_attributes: [temperature]\n"
    )
    assert (await home.state("OK")).attributes["temperature"] == 21.4


@pytest.mark.parametrize(
    "template",
    ["{{ value_json.rooms.kitchen }}", "{{ value_json.rooms.kitchen | to_json }}"],
)
async def test_json_attributes_template(home: RestHome, template: str) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/rooms\n  value_template: OK\n"
        f"  json_attributes: outside\n  json_attributes_template: '{template}'\n"
    )
    state = await home.state("OK")
    assert state.attributes["battery"] == 87
    assert state.attributes["outside"]["wind"]["speed"] == 4.2


async def test_a_template_that_gives_too_much(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/size/300000\n  value_template: '5'\n"
        "  json_attributes_template: '{{ value }}'\n"
    )
    await home.state("5")
    (message,) = home.log()
    assert message.endswith("failed: its output is longer than 262144 characters")


async def test_a_template_that_gives_no_dictionary(home: RestHome) -> None:
    await home.set_up(ONE + "  value_template: OK\n  json_attributes_template: '{{ [1] }}'\n")
    home.endpoint.set("/value", "1")
    await home.state("OK")
    assert home.log() == ["sensor.rest_sensor: json_attributes_template gave no dictionary"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("5", "JSON result was not a dictionary or list with 0th element a dictionary"),
        ("[]", "JSON result was not a dictionary or list with 0th element a dictionary"),
        ("nonsense", "REST result could not be parsed as JSON"),
        ("", "Empty reply found when expecting JSON data"),
    ],
)
async def test_attributes_of_a_wrong_reply(home: RestHome, body: str, message: str) -> None:
    home.endpoint.set("/value", {"a": 1}, body, body, {"a": 2}, body)
    await home.set_up(ONE + "  value_template: OK\n  json_attributes: a\n")
    await home.state(lambda state: state.attributes.get("a") == 1)
    for _ in range(2):
        await home.update()
        assert "a" not in (await home.state("OK")).attributes
    assert home.log() == [f"sensor.rest_sensor: json_attributes: {message}"]
    await home.update()
    assert (await home.state("OK")).attributes["a"] == 2
    await home.update()
    assert len(home.log()) == 2


@pytest.mark.parametrize("block", [False, True], ids=["platform", "block"])
@pytest.mark.parametrize(
    ("some", "none", "keys"),
    [
        ("7", "null", {"value_template": None}),
        ("7", " null\n", {"value_template": None, "unit_of_measurement": "W"}),
        ({"v": 7}, {"v": None}, {}),
        ({"v": 7}, {"v": None}, {"unit_of_measurement": "W"}),
        ({"v": 7}, {}, {"value_template": "{{ value_json.get('v') }}"}),
        ({"v": 7}, {}, {"value_template": "{{ value_json.v if value_json else none }}"}),
        ({"v": MOMENT}, {"v": None}, {"device_class": "timestamp"}),
        ({"v": MOMENT}, {"v": None}, {"device_class": "date"}),
    ],
    ids=str,
)
async def test_a_value_of_none_is_unknown_and_not_logged(
    home: RestHome, some: object, none: object, keys: dict[str, str], *, block: bool
) -> None:
    home.endpoint.set("/x", some, none, some)
    entity = {"value_template": "{{ value_json.v }}", **keys}
    config = Form("sensor", block).config(home.url("/x"), **entity)
    await home.load(config)
    for is_known in (True, False, True):
        await home.state(lambda state: (state.state != "unknown") is is_known, "sensor.x")  # noqa: B023  (at once)
        await home.update("sensor.x")
    assert not home.log()


async def test_xml_becomes_json(home: RestHome) -> None:
    await home.set_up(
        "- platform: rest\n  resource: URL/xml\n  json_attributes: station\n"
        "  value_template: '{{ value_json.station.reading[0][\"#text\"] }}'\n"
        "- platform: rest\n  name: raw\n  resource: URL/xml\n  value_template: '{{ value[:12] }}'\n"
    )
    assert (await home.state("14.2")).attributes["station"]["name"] == "Roof"
    await home.state('{"station":{', "sensor.raw")


async def test_broken_xml_stays_text(home: RestHome) -> None:
    await home.set_up("- platform: rest\n  resource: URL/broken-xml\n")
    await home.state(lambda state: state.state.startswith("<station>"))
    (message,) = home.log()
    assert message.endswith(
        "XML reply taken as text, it is broken: mismatched tag: line 1, column 41"
    )
    await home.update()
    assert home.log() == [message]


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "expected"),
    [
        ("Zürich".encode("latin-1"), "text/plain; charset=iso-8859-1", "UTF-8", "Zürich"),
        ("Zürich".encode("latin-1"), "text/plain", "ISO-8859-1", "Zürich"),
        ("Zürich".encode("latin-1"), "text/plain; charset=utf-8", "ISO-8859-1", "Zürich"),
        ("Zürich".encode(), "text/plain; charset=iso-8859-1", "UTF-8", "ZÃ¼rich"),
        ("Zürich".encode(), "text/plain; charset=no-such", "UTF-8", "Zürich"),
        (b"Z\xffrich", "text/plain", "UTF-8", "Z\ufffdrich"),
        (b"\xef\xbb\xbfx", "text/plain", "UTF-8", "\ufeffx"),
        (b"x", "text/plain; charset=hex", "UTF-8", "x"),
    ],
)
async def test_encodings(
    home: RestHome, body: bytes, content_type: str, encoding: str, expected: str
) -> None:
    home.endpoint.set("/value", Answer(body=body, content_type=content_type))
    await home.set_up(ONE + f"  encoding: {encoding}\n")
    await home.state(expected)


async def test_json_after_a_byte_order_mark(home: RestHome) -> None:
    """Some take the mark off in a template, which goes on working."""
    home.endpoint.set("/value", b'\xef\xbb\xbf{"a": 1}')
    away = "{{ (value[1:] | from_json).a + value_json.a }}"
    await home.set_up(ONE + f"  value_template: '{away}'\n")
    await home.state("2")


async def test_json_with_an_undecodable_byte(home: RestHome) -> None:
    home.endpoint.set("/value", b'{"a": "x\xff"}')
    await home.set_up(ONE + "  value_template: '{{ value_json.a }}'\n")
    await home.state("x\ufffd")


async def test_a_name_of_a_reply_is_no_markdown_in_a_repair(home: RestHome) -> None:
    name = "![x](http://192.0.2.1/canary) <b>"
    home.endpoint.set("/value", {"name": name, "text": "ok"}, {"name": name, "text": "x" * 256})
    await home.set_up(
        ONE + "  name: '{{ value_json.name }}'\n  value_template: '{{ value_json.text }}'\n"
    )
    await home.state("ok")
    await home.update()
    (issue,) = ir.async_get(home.hass).issues.values()
    assert issue.translation_placeholders is not None
    shown = issue.translation_placeholders["name"]
    assert shown == r"!\[x\](http\://192.0.2.1/canary) \<b\>"


async def test_too_long_a_state(home: RestHome) -> None:
    long = {"a": 1, "secret": "canary" + "x" * 300}
    home.endpoint.set("/value", long, {**long, "a": 3}, {"a": 2}, long)
    await home.set_up(ONE + "  json_attributes: a\n")
    state = await home.state(lambda state: "a" in state.attributes)
    assert (state.state, state.attributes["a"]) == ("unknown", 1)
    await home.update()
    assert (await home.state("unknown")).attributes["a"] == 3
    (message,) = home.log()
    assert message.startswith("sensor.rest_sensor: the state would be 328 characters long")
    issues = ir.async_get(home.hass).issues
    issue = issues["rest", "state_too_long_sensor.rest_sensor"]
    assert issue.translation_placeholders == {
        "entity_id": "sensor.rest_sensor",
        "name": "REST Sensor",
        "length": "328",
        "limit": "255",
    }
    assert "canary" not in home.whole_log
    await home.update()
    await home.state('{"a": 2}')
    assert not issues
    await home.update()
    await home.state("unknown")
    assert len(issues) == 1
    home.write("sensor: []")
    await home.hass.services.async_call("rest", "reload", blocking=True)
    assert not issues


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ value_json.no.such }}", "'dict object' has no attribute 'no'"),
        ("{{ nothing.at.all }}", "'nothing' is undefined"),
        ("{{ value_json.a | int }}", "ValueError: Template error: int got invalid input '…'"),
        ("{{ value_json[value_json.a].b }}", "UndefinedError: '…'"),
    ],
)
async def test_a_bad_template(home: RestHome, template: str, reason: str) -> None:
    good = {"a": 5, "no": {"such": "x"}, "5": {"b": "x"}}
    home.endpoint.set("/value", {"a": "canary"})
    await home.set_up(ONE + f'  value_template: "{template}"\n')
    await until(home.log)
    await home.state("unknown")
    await home.update()
    (message,) = home.log()
    assert message.startswith(f"sensor.rest_sensor: value_template failed: {reason}")
    assert "canary" not in home.whole_log
    home.endpoint.set("/value", good)
    await home.update()


async def test_an_undefined_value_warns_once(home: RestHome) -> None:
    home.endpoint.set("/value", {"b": 1}, {"b": 1}, {"a": 1}, {"b": 1})
    await home.set_up(ONE + "  value_template: 'x{{ value_json.a }}'\n")
    await home.state("x")
    await home.update()
    warning = "sensor.rest_sensor: value_template warns: 'dict object' has no attribute 'a'"
    assert home.log() == [warning]
    assert not home.log(name="homeassistant.helpers.template")
    await home.update()
    await home.state("x1")
    await home.update()
    assert home.log() == [warning, warning]


@pytest.mark.parametrize("body", ["canary", "", "nan", "inf"])
async def test_a_number_that_is_none(home: RestHome, body: str) -> None:
    home.endpoint.set("/value", "1", body)
    await home.set_up(ONE + "  unit_of_measurement: W\n")
    await home.state("1")
    await home.update()
    state = await home.state(lambda state: state.state != "1")
    if body in ("nan", "inf"):
        assert state.state in ("unknown", body)
        return
    assert state.state == "unknown"
    await home.passes(31)
    await home.polls("/value", 3)
    (message,) = home.log()
    assert message.startswith("sensor.rest_sensor: the value is no number")
    assert "canary" not in home.whole_log


@pytest.mark.parametrize(
    ("device_class", "body", "expected"),
    [
        ("timestamp", "2026-11-21T09:00:00+01:00", "2026-11-21T08:00:00+00:00"),
        ("timestamp", "2026-11-21T09:00:00", "unknown"),
        ("date", "2026-11-21", "2026-11-21"),
        ("date", "2026-11-21T00:30:00+01:00", "2026-11-21"),  # of its own time zone
        ("date", "canary", "unknown"),
    ],
)
async def test_dates(home: RestHome, device_class: str, body: str, expected: str) -> None:
    home.endpoint.set("/value", body)
    await home.set_up(ONE + f"  device_class: {device_class}\n")
    if expected == "unknown":
        await until(home.log)
        assert home.log()[0].startswith("sensor.rest_sensor: the value is no date")
        assert "canary" not in home.whole_log
    await home.state(expected)


@pytest.mark.parametrize(("force", "events"), [("true", 3), ("false", 1)])
async def test_force_update(home: RestHome, form: Form, force: str, events: int) -> None:
    seen: list[str] = []

    @callback
    def count(event: Event) -> None:
        if event.data["new_state"].state == "on":
            seen.append(str(event.event_type))

    home.hass.bus.async_listen("state_changed", count)
    request = home.url("/etag/100")
    await home.load(form.config(request, value_template="on", force_update=force))
    await home.state("on", form.entity_id)
    await home.update(form.entity_id)
    await home.passes(31)
    await home.polls("/etag/100", 3)
    await asyncio.sleep(0.1)
    assert len(seen) == events


@pytest.mark.parametrize(
    "template", ["{{ value_json.a.b }}", "{{ 1 / 0 }}", "{{ nothing }}", "{{ value_json.a }}"]
)
async def test_a_failing_availability_template_makes_it_unavailable(
    home: RestHome, template: str
) -> None:
    """Nothing is known then: the value may be of a page that says that it is down."""
    home.endpoint.set("/value", "1")
    await home.set_up(ONE + f"  availability: '{template}'\n")
    await home.polls("/value", 1)
    await home.state(STATE_UNAVAILABLE)
    assert home.log(logging.WARNING)[0].startswith("sensor.rest_sensor: availability failed")


@pytest.mark.parametrize(
    ("template", "state"),
    [
        ("{{ value_json }}", STATE_UNKNOWN),
        ("{{ value_json.a }}", STATE_UNKNOWN),
        ("{{ value_json.a | float(0) }}", STATE_UNKNOWN),
        ("{{ value_json.a if value_json else 5 }}", "5"),
        ("{{ value_json | default(value) }}", "a text"),
        ("{{ value_json.a if value_json is defined }}", ""),
    ],
)
async def test_a_template_that_needs_json_on_a_text(
    home: RestHome, template: str, state: str
) -> None:
    home.endpoint.set("/value", "a text")
    await home.set_up(ONE + f"  value_template: '{template}'\n")
    await home.polls("/value", 1)
    await asyncio.sleep(0.1)
    assert home.value("sensor.rest_sensor") == state
