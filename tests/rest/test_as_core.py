"""What we ask and what a reply means is as with core's own classes, on the same endpoint."""

from collections.abc import Iterable, Mapping
import gzip
import json
from typing import Any
import zlib

from homeassistant.components.rest import binary_sensor as core, sensor as core_sensor
from homeassistant.const import STATE_OFF, STATE_UNKNOWN
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_component import DATA_INSTANCES
import pytest

from tests.home import until
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .home import RestHome

type Entry = tuple[str, dict[str, str]]
"""A path of the endpoint, and what is written besides."""

BODIES = (
    *("true", "True", "TRUE", "on", "ON", "open", "Open", "yes", "YES", '"true"', '"on"'),
    *("false", "False", "off", "closed", "no", "", " ", "null", "None", "none", "nonsense"),
    *("0", "1", "2", "-1", "+1", "-0", "01", "1_0", " 1 ", "1.0", "0.0", "1.5", "1e3", "0x1", "٣"),
    *("true ", " true", "truely", "on\n", "1\n", "y", "t", "{}", "[]", "[1]", '{"on": true}'),
)
VALUES: tuple[object, ...] = (
    *(True, False, None, 0, 1, 2, -1, 0.0, 1.0, "on", "off", "open", "1", " 1 ", "", [], [1]),
)
TEMPLATES = (
    *("{{ value_json.v }}", "{{ value_json.v | int }}", "{{ value_json.v == 'on' }}"),
    *("{{ value_json.v.w }}", "{{ value_json.v | bool }}", "{{ value_json.missing }}", "on"),
    *("{{ value_json.v is none }}", "{{ none }}", "{{ 1 / 0 }}", "{{ value | length }}"),
)


async def _differences(home: RestHome, *, block: bool, entities: list[Entry]) -> list[object]:
    """Return the entities whose state in ours, platforms or a block each, is not core's."""
    ours: list[object] = []
    cores: list[Entity] = []

    def add(new_entities: Iterable[Entity], update_before_add: bool = False) -> None:  # noqa: ARG001  (core's)
        cores.extend(new_entities)

    for number, (path, more) in enumerate(entities):
        request = {"resource": home.endpoint.url + path, "scan_interval": 3600}
        entity = {"name": f"ours {number}", **more}
        ours.append(
            {**request, "binary_sensor": [entity]}
            if block
            else {"platform": "rest", **request, **entity}
        )
        entry = {"platform": "rest", **request, "name": f"cores {number}", **more}
        await core.async_setup_platform(home.hass, core.PLATFORM_SCHEMA(entry), add)
    await home.load({"rest": ours, "binary_sensor": []} if block else {"binary_sensor": ours})
    await home.hass.data[DATA_INSTANCES]["binary_sensor"].async_add_entities(cores)
    differences: list[object] = []
    for number, entry_of_both in enumerate(entities):
        mine = await home.state(lambda s: s.state != STATE_UNKNOWN, f"binary_sensor.ours_{number}")
        theirs = home.hass.states.get(f"binary_sensor.cores_{number}")
        # With a template that raises, core has no entity.
        if mine.state != (theirs.state if theirs else STATE_OFF):
            differences.append((entry_of_both, mine, theirs))
    return differences


@pytest.mark.parametrize("block", [False, True], ids=["platform", "block"])
async def test_a_text_is_on_when_it_is_to_core(home: RestHome, *, block: bool) -> None:
    entities: list[Entry] = []
    for number, body in enumerate(BODIES):
        home.endpoint.set(f"/{number}", body)
        entities.append((f"/{number}", {}))
    assert not await _differences(home, block=block, entities=entities)


@pytest.mark.parametrize("block", [False, True], ids=["platform", "block"])
async def test_a_template_is_on_when_it_is_to_core(home: RestHome, *, block: bool) -> None:
    entities: list[Entry] = []
    for number, value in enumerate(VALUES):
        home.endpoint.set(f"/{number}", {"v": value})
        entities += [(f"/{number}", {"value_template": template}) for template in TEMPLATES]
    assert not await _differences(home, block=block, entities=entities)


JSON, TEXT, XML = "application/json", "text/plain", "text/xml"


def _reply(
    body: str | bytes, media_type: str = JSON, *, status: int = 200, packing: str | None = None
) -> Answer:
    return Answer(
        body=body.encode() if isinstance(body, str) else body,
        content_type=media_type,
        status=status,
        headers={"Content-Encoding": packing} if packing else {},
    )


REPLIES: dict[str, Answer] = {
    "a number": _reply("21.5"),
    "a number and a line break": _reply("21.5\n", TEXT),
    "a text": _reply("On-line", TEXT),
    "a text as JSON": _reply('"abc"'),
    "true": _reply("true"),
    "a dictionary": _reply('{"a": 1, "b": {"c": [2]}}'),
    "a key twice": _reply('{"a": 1, "a": 3}'),
    "a list": _reply("[1, 2]"),
    "a list of dictionaries": _reply('[{"a": 1, "b": "x"}, {"a": 2}]'),
    "a large number": _reply(json.dumps({"a": 2**70})),
    "an exponent": _reply('{"a": 1E3}'),
    "minus zero": _reply('{"a": -0.0}'),
    "letters": _reply('{"a": "ä😀"}'),
    "latin-1": _reply('{"a": "é"}'.encode("latin-1"), f"{JSON}; charset=iso-8859-1"),
    "utf-16": _reply('{"a": "é"}'.encode("utf-16"), f"{JSON}; charset=utf-16"),
    "an unknown charset": _reply('{"a": "é"}', f"{JSON}; charset=klingon"),
    "a charset in quotes": _reply('{"a": "é"}', f'{JSON}; charset="UTF-8"'),
    "XML": _reply('<r><a>1</a><b k="v">t</b></r>', XML),
    "XML with a namespace": _reply('<r xmlns:x="u"><x:a>1</x:a></r>', "application/xml"),
    "XML with a list": _reply("<r><a>1</a><a>2</a></r>", f"{XML}; charset=utf-8"),
    "two lines of JSON": _reply('{"a": 1}\n{"a": 2}\n'),
    "no JSON": _reply("{'a': 1}"),
    "no media type": _reply('{"a": 1}', ""),
    "gzip": _reply(gzip.compress(b'{"a": 1}'), packing="gzip"),
    "deflate": _reply(zlib.compress(b'{"a": 1}'), packing="deflate"),
    "206": _reply('{"a": 1}', status=206),
    "255 characters": _reply("x" * 255, TEXT),
    "a moment": _reply("2026-11-22T08:00:00+01:00", TEXT),
}
SENSORS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "value": {"value_template": "{{ value }}"},
    "a key": {"value_template": "{{ value_json.a }}"},
    "a key, filtered": {"value_template": "{{ value_json.a | int(5) + 1 }}"},
    "a static template": {"value_template": "OK"},
    "attributes": {"value_template": "OK", "json_attributes": ["a", "b", "missing"]},
    "attributes of a path": {
        "value_template": "OK",
        "json_attributes": "c, a",
        "json_attributes_path": "$.b",
    },
    "attributes of XML": {
        "value_template": "OK",
        "json_attributes": ["a", "b"],
        "json_attributes_path": "$.r",
    },
    "icon and picture": {
        "value_template": "OK",
        "icon": "mdi:{{ value_json.a }}",
        "picture": "/{{ value_json.a }}",
    },
    "a timestamp": {"device_class": "timestamp"},
}


def _shown(home: RestHome, platform: str, number: int) -> tuple[str, Mapping[str, Any]] | None:
    entity_id = er.async_get(home.hass).async_get_entity_id("sensor", platform, str(number))
    state = home.hass.states.get(entity_id or "")
    return None if state is None else (state.state, {**state.attributes, "friendly_name": None})


@pytest.mark.parametrize("keys", SENSORS.values(), ids=SENSORS)
async def test_a_reply_is_shown_as_by_core(home: RestHome, keys: dict[str, Any]) -> None:
    cores: list[Entity] = []
    ours: list[dict[str, Any]] = []

    def add(new_entities: Iterable[Entity], update_before_add: bool = False) -> None:  # noqa: ARG001  (core's)
        cores.extend(new_entities)

    for number, answer in enumerate(REPLIES.values()):
        home.endpoint.set(f"/{number}", answer)
        entry = {"platform": "rest", **home.url(f"/{number}"), "scan_interval": 3600, **keys}
        entry["unique_id"] = str(number)
        ours.append(dict(entry))
        await core_sensor.async_setup_platform(home.hass, core_sensor.PLATFORM_SCHEMA(entry), add)
    await home.load({"sensor": ours})
    await home.hass.data[DATA_INSTANCES]["sensor"].async_add_entities(cores)
    await until(lambda: all(home.endpoint.count(f"/{n}") > 1 for n in range(len(REPLIES))))
    await home.hass.async_block_till_done(wait_background_tasks=True)
    for number, name in enumerate(REPLIES):
        of_core = _shown(home, "sensor", number)  # the component adds core's as its own
        assert of_core is not None
        assert _shown(home, "rest", number) == of_core, name


REQUESTS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a path": {"resource": "URL/a b/ü?x=a b&y=%20+&z=ü&w=a%26b#part"},
    "a time": {"resource": "URL/x?d=2026-01-01T00:00:00+01:00"},
    "a query of lists": {"resource": "URL/a[1]?f[]=1|2&g={x}&a=1;b=2&a=3"},
    "no path": {"resource": "URL"},
    "a template": {"resource": None, "resource_template": "URL/{{ 1 + 1 }}/ü"},
    "parameters": {
        "resource": "URL/x?a=0",
        "params": {
            "a": 1,
            "b": True,
            "c": "x y",
            "d": "ü",
            "e": "{{ 1 + 1 }}",
            "f": "",
            "g": "True",
            "h": "{{ [1, 2] }}",
            "i": "a&b=c",
            "j": "007",
            "k": "1e3",
        },
    },
    "a payload": {"method": "POST", "payload": "ü€"},
    "a payload of JSON": {
        "method": "POST",
        "payload": '{"a": 1}',
        "headers": {"content-type": "application/json"},
    },
    "no payload": {"method": "POST", "payload": ""},
    "a payload template": {"method": "POST", "payload_template": "{{ {'a': 1} | to_json }}"},
    "headers": {
        "headers": {
            "X-A": "a",
            "X-B": "{{ 1 + 1 }}",
            "X-C": 5,
            "X-D": True,
            "X-E": "",
            "X-F": "é",
            "x-lower": "  a  b  ",
            "Authorization": "Bearer t",
            "Cookie": "a=b; c=d",
        }
    },
    "headers of the client's own": {
        "headers": {"HOST": "example.com", "accept": "text/plain", "user-agent": "me"}
    },
    "a condition": {"headers": {"Range": "bytes=0-10", "If-None-Match": '"a"'}},
    "basic": {"username": "u", "password": "pä:ß", "authentication": "basic"},
    "basic by default": {"username": "u", "password": "p"},
    "digest": {"username": "u", "password": "p", "authentication": "digest"},
    "a user in the URL": {"resource": "http://user:pa%40ss@HOST/x"},
}


@pytest.mark.parametrize("keys", REQUESTS.values(), ids=REQUESTS)
async def test_a_request_is_sent_as_by_core(home: RestHome, keys: dict[str, Any]) -> None:
    """Method, path, query, headers and body; without what differs as docs/rest.md says."""
    port = home.endpoint.port

    def filled(text: object) -> object:
        if not isinstance(text, str):
            return text
        return text.replace("URL", home.endpoint.url).replace("HOST", f"127.0.0.1:{port}")

    entry = {"platform": "rest", "resource": "URL/x", "scan_interval": 3600, **keys}
    entry = {key: filled(value) for key, value in entry.items() if value is not None}
    await core_sensor.async_setup_platform(
        home.hass, core_sensor.PLATFORM_SCHEMA(dict(entry)), lambda *_: None
    )
    of_core = _last(home.endpoint)
    await home.load({"sensor": [entry]})
    await until(lambda: len(home.endpoint.requests) > of_core[0])
    assert _last(home.endpoint)[1:] == of_core[1:]


def _last(endpoint: Endpoint) -> tuple[Any, ...]:
    request = endpoint.requests[-1]
    headers = sorted(request.headers.items())
    return (
        len(endpoint.requests),
        request.method,
        request.path,
        request.query,
        headers,
        request.body,
    )
