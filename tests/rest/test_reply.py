"""What a reply says, in whatever encoding, with its status, headers and cookies."""

import json
from typing import Any

from aiohttp import web
from homeassistant.helpers.json import json_bytes
import pytest

from custom_components.rest.reply.reply import Content
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_faults import raw

from .home import Form, RestHome

ENTRY = "- platform: rest\n  resource: URL/x\n"
SURROGATES = [
    ("utf-7", b"+2AA-"),
    ("unicode_escape", rb"\ud800"),
    ("raw_unicode_escape", rb"\ud800"),
    ("utf-7", b"12+2AA-3"),
]


def serializable(home: RestHome) -> bool:
    """Return whether all states can be stored and sent to browsers."""
    return all(json_bytes(state.as_dict()) for state in home.hass.states.async_all())


@pytest.mark.parametrize(("charset", "body"), SURROGATES)
@pytest.mark.parametrize("device_class", [None, "timestamp", "date"])
async def test_no_surrogate_leaves_a_reply(
    home: RestHome, charset: str, body: bytes, device_class: str | None
) -> None:
    home.endpoint.set("/x", Answer(body=body, content_type=f"text/plain; charset={charset}"))
    keys = {"device_class": device_class, "value_template": None}
    await home.load(Form("sensor", is_block=False).config(home.url("/x"), **keys))
    if device_class:
        await home.state(lambda _: bool(home.log()), "sensor.x")
        await home.state("unknown", "sensor.x")
    else:
        await home.state(lambda state: "\ufffd" in state.state, "sensor.x")
    assert serializable(home)


@pytest.mark.parametrize("device_class", [None, "timestamp"])
async def test_no_surrogate_of_a_template_reaches_a_state(
    home: RestHome, device_class: str | None
) -> None:
    home.endpoint.set("/x", rb"\ud83d")
    keys = {
        "value_template": "{{ ('\"' ~ value ~ '\"') | string ~ '\\ud83d' }}",
        "json_attributes_template": "{{ \"{'a': '\" ~ value ~ \"'}\" }}",
        "device_class": device_class,
    }
    await home.load(Form("sensor", is_block=False).config(home.url("/x"), **keys))
    await home.state(lambda _: bool(home.log()), "sensor.x")
    assert serializable(home)
    assert "json_attributes_template gave no dictionary" in "".join(home.log())


async def test_no_surrogate_stands_in_headers_and_cookies(home: RestHome) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        head = b"HTTP/1.1 200 OK\r\nX-Bad: a\xff\r\nSet-Cookie: c=b\xff\r\nContent-Length: 1"
        return await raw(request, head + b"\r\n\r\n1")

    home.endpoint.set("/x", answer)
    await home.set_up(
        ENTRY + "  value_template: \"{{ headers['x-bad'] }} {{ cookies | length }}\"\n"
    )
    await home.state("a\ufffd 0")
    assert serializable(home)


async def test_a_header_that_comes_twice_is_joined(home: RestHome, form: Form) -> None:
    """By one rule for templates and the action; cookies, whose dates have commas, are a list."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        head = "X-D: one\r\nSet-Cookie: a=1\r\nx-d: two\r\nSet-Cookie: b=2\r\nX-E: three"
        return await raw(
            request, f"HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: 1\r\n\r\n1".encode()
        )

    home.endpoint.set("/x", answer)
    joined = "headers['x-D'] == 'one, two' and headers['X-E'] == 'three' and 'X-F' not in headers"
    listed = "headers['set-cookie'] == ['a=1', 'b=2']"
    once = "headers | map('lower') | select('in', ['x-d', 'set-cookie']) | list | length == 2"
    template = f"{{{{ {joined} and {listed} and {once} }}}}"
    await home.load(form.config(home.url("/x"), value_template=template))
    await home.state(form.on, form.entity_id)
    answer_of_action = await home.hass.services.async_call(
        "rest", "request", {"entity_id": form.entity_id}, blocking=True, return_response=True
    )
    assert answer_of_action
    assert answer_of_action["headers"] == {"X-D": "one, two", "X-E": "three", "Content-Length": "1"}


@pytest.mark.parametrize(
    ("text", "joined"),
    [("a\ud83d\ude00b", "a😀b"), ("\ud83d", "\ufffd"), ("\ude00\ud83d", "\ufffd\ufffd")],
)
def test_pairs_of_surrogates_are_characters(text: str, joined: str) -> None:
    body = text.encode("unicode_escape")
    assert Content(body, charset="unicode_escape").value == joined


async def test_an_encoding_of_ones_own_wins_over_xmls(home: RestHome) -> None:
    body = '<?xml version="1.0" encoding="iso-8859-1"?><a>Zürich</a>'.encode()
    home.endpoint.set("/x", Answer(body=body, content_type="text/xml"))
    value = "  value_template: '{{ value_json.a }}'\n"
    await home.set_up(ENTRY + value + "  encoding: UTF-8\n" + ENTRY + value + "  name: declared\n")
    await home.state("Zürich")
    await home.state("ZÃ¼rich", "sensor.declared")


async def test_json_is_utf_8_in_value_too(home: RestHome) -> None:
    body = json.dumps({"a": "Zürich"}, ensure_ascii=False).encode()
    home.endpoint.set("/x", Answer(body=body, content_type="application/json; charset=latin-1"))
    await home.set_up(ENTRY + "  value_template: '{{ value_json.a in value }}'\n")
    await home.state("True")


async def test_status_headers_and_cookies_in_templates(home: RestHome, form: Form) -> None:
    cookies = {"Set-Cookie": "session=abc; Path=/", "X-Left": "7"}
    home.endpoint.set("/x", Answer.of({"on": True}, status=203, headers=cookies))
    template = "{{ 'on' if headers['x-left'] == '7' and cookies.session == 'abc' }}"
    availability = "{{ status == 203 }}"
    await home.load(form.config(home.url("/x"), value_template=template, availability=availability))
    await home.state("on", form.entity_id)


async def test_headers_are_those_of_the_last_reply(home: RestHome) -> None:
    """Also when the content is the same, and taken for the same."""
    home.endpoint.set("/x", *(Answer(body=b"1", headers={"X-N": str(n)}) for n in range(2)))
    await home.set_up(ENTRY + "  value_template: \"{{ headers['x-n'] }}\"\n")
    await home.state("0")
    await home.update()
    await home.state("1")


async def test_templates_cannot_change_headers(home: RestHome) -> None:
    home.endpoint.set("/x", Answer(body=b"1", headers={"X-N": "1"}))
    await home.set_up(ENTRY + "  value_template: \"{{ headers.add('a', 'b') }}\"\n")
    await home.state("unknown")
    await home.state(lambda _: bool(home.log()))
    assert "value_template failed" in home.log()[0]


LOST: list[tuple[str, dict[str, Any], str]] = [
    ("{{ value_json.a + 1 }}", {"a": "canary"}, 'can only concatenate str (not "int") to str'),
    ("{{ 1 + value_json.a }}", {"a": "canary"}, "unsupported operand type(s) for +: 'int' and"),
    ("{{ value_json.a < 1 }}", {"a": "canary"}, "'<' not supported between instances of 'str'"),
    ("{{ value_json.a / 2 }}", {"a": None}, "for /: 'NoneType' and 'int'"),
    ("{{ -value_json.a }}", {"a": "canary"}, "bad operand type for unary -: 'str'"),
    ("{% for x in value_json.a %}{% endfor %}", {"a": 5}, "'int' object is not iterable"),
]


@pytest.mark.parametrize(("template", "reply", "message"), LOST)
async def test_types_and_operators_are_told_but_no_value(
    home: RestHome, template: str, reply: object, message: str
) -> None:
    home.endpoint.set("/x", reply)
    await home.load(Form("sensor", is_block=False).config(home.url("/x"), value_template=template))
    await home.state(lambda _: bool(home.log()), "sensor.x")
    assert message in home.log()[0]
    assert "canary" not in home.whole_log


async def test_xml_with_entities_is_told(home: RestHome) -> None:
    body = b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'
    home.endpoint.set("/x", Answer(body=body, content_type="text/xml"))
    await home.set_up(ENTRY)
    await home.state(lambda _: bool(home.log()))
    (message,) = home.log()
    assert message.endswith("XML reply taken as text, it declares entities, which are not read")


async def test_templates_get_the_text_of_broken_xml(home: RestHome, form: Form) -> None:
    home.endpoint.set("/x", Answer(body=b'{"on": true}', content_type="text/xml"))
    await home.load(form.config(home.url("/x"), availability="{{ value_json is defined }}"))
    await home.state(form.on, form.entity_id)


@pytest.mark.parametrize(
    ("device_class", "body", "state"),
    [
        ("timestamp", "2026-11-22T08:00:00+00:00", "2026-11-22T08:00:00+00:00"),
        ("date", "2026-11-22", "2026-11-22"),
        ("enum", "low", "low"),
    ],
)
async def test_a_unit_that_a_device_class_cannot_have_is_left_out(
    home: RestHome, device_class: str, body: str, state: str
) -> None:
    home.endpoint.set("/x", body)
    await home.set_up(ENTRY + f"  device_class: {device_class}\n  unit_of_measurement: W\n")
    assert "unit_of_measurement" not in (await home.state(state)).attributes
    (message,) = home.log()
    assert message.startswith("sensor.rest_sensor: unit_of_measurement ignored: a value of device")


@pytest.mark.parametrize("unit", ["unit_of_measurement: W", "icon: mdi:compass"])
async def test_a_state_class_of_another_unit_is_left_out(home: RestHome, unit: str) -> None:
    home.endpoint.set("/x", "5")
    await home.set_up(ENTRY + f"  state_class: measurement_angle\n  {unit}\n")
    assert "state_class" not in (await home.state("5")).attributes
    (message,) = home.log()
    assert message.startswith("sensor.rest_sensor: state_class ignored: measurement_angle is for")


async def test_a_path_without_attributes_is_reported(home: RestHome) -> None:
    await home.set_up("- platform: rest\n  resource: URL/values\n  json_attributes_path: $\n")
    await home.state(lambda state: "counter" in state.state)
    [message] = home.log()
    assert message == (
        "sensor.rest_sensor: json_attributes_path ignored: it needs json_attributes beside it"
    )


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
async def test_a_moment_beyond_the_calendar(home: RestHome, moment: str) -> None:
    home.endpoint.set("/x", moment)
    await home.set_up(ENTRY + "  device_class: timestamp\n")
    await home.state(lambda _: bool(home.log()))
    await home.state("unknown")
    assert "too far from now" in home.log()[0]


async def test_a_login_page_is_told_once_for_all(home: RestHome) -> None:
    page = Answer(body=b"<html>canary</html>", content_type="text/html; charset=utf-8")
    home.endpoint.set("/x", page, page, {"a": 1})
    entity = "  value_template: '{{ value_json.a }}'\n  json_attributes: a\n"
    await home.set_up(ENTRY + entity + ENTRY + "  name: b\n" + entity + ENTRY + "  name: raw\n")
    await home.state(lambda state: "canary" in state.state, "sensor.raw")
    await home.update()
    (message,) = home.log()
    assert "the reply is a web page where JSON is read" in message
    assert "canary" not in message
    await home.update()
    await home.state("1")
