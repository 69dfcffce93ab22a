"""What core's documentation shows works in ours, as platforms and as `rest:` blocks.

The configurations follow the examples of the pages on the RESTful integration, sensor and binary
sensor; the devices are the endpoint's.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from homeassistant.util import dt as dt_util
import pytest

from virtual_home.endpoint_answer import Answer, Received
from virtual_home.endpoint_auth import PASSWORD, USERNAME
from virtual_home.endpoint_documents import AREST, GLANCES, RELEASE, STATE

from .home import RestHome

type Config = Mapping[str, Any]

LOGIN = {"username": USERNAME, "password": PASSWORD, "authentication": "basic"}
BASIC = "Basic " + base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
TOKEN = "a-long-lived-token"
DAY = "{{ now().strftime('%Y-%m-%d') }}"

ROOM = {"temperature": 15.79, "humidity": 55.78, "battery": 5.26}
WEATHER = {
    "weather": [{"id": 800, "description": "clear sky", "icon": "01d"}],
    "main": {"temp": 290.1, "pressure": 1013, "humidity": 40},
}
PEOPLE = [
    {"name": "Ann", "address": {"street": "Elm Road", "suite": "2 b", "city": "Bath", "geo": {}}},
    {"name": "Bob", "address": {"street": "High Street", "city": "Wells"}},
]
STEAM = "<response><usr0>1</usr0><pot0>86</pot0><temp0>086XF</temp0><time0>0</time0></response>"
POOL = (
    "<response><system><runstate>50</runstate><model>8</model></system>"
    "<equipment><circuit1>0</circuit1><circuit2>1</circuit2></equipment>"
    "<temp><poolsp>84</poolsp><airtemp>76</airtemp></temp></response>"
)
DOOR = {"name": "Binary sensor", "state": {"open": "true", "timestamp": "2016-06-20 15:42:52"}}


def _xml(text: str) -> Answer:
    return Answer(body=text.encode(), content_type="text/xml")


def _days(reply: object) -> dict[str, object]:
    """Return the replies of every day that it may be, in any time zone, now or meanwhile."""
    days = (dt_util.now() + timedelta(days=days) for days in (-1, 0, 1))
    return {f"/{day:%Y-%m-%d}": reply for day in days}


def _pool(name: str, path: str) -> Config:
    parts = {"System": ["runstate", "model"], "Equipment": ["circuit1"], "Temp": ["poolsp"]}
    return {
        **LOGIN,
        "scan_interval": 60,
        "resource": "URL" + path,
        "sensor": [
            {
                "name": f"{name} Pool Data {part}",
                "json_attributes_path": f"$.response.{part.lower()}",
                "value_template": "OK",
                "json_attributes": keys,
            }
            for part, keys in parts.items()
        ],
    }


@dataclass(frozen=True, kw_only=True)
class Example:
    """`blocks` as under `rest:`; what the endpoint says; what it is sent; what is shown."""

    blocks: Sequence[Config]
    replies: Mapping[str, object]
    states: Mapping[str, str]
    attributes: Mapping[str, Config] = field(default_factory=dict)
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Sequence[str] = ()
    body: bytes = b""

    def config(self, *, block: bool) -> dict[str, Any]:
        """Return the whole configuration, in one of both syntaxes."""
        if block:
            return {"rest": list(self.blocks)}
        config: dict[str, list[Config]] = {}
        for content in self.blocks:
            request = {key: value for key, value in content.items() if not key.endswith("sensor")}
            for domain in ("sensor", "binary_sensor"):
                for entity in content.get(domain, ()):
                    entry = {"platform": "rest", **request, **entity}
                    config.setdefault(domain, []).append(entry)
        return config


EXAMPLES = {
    "sensor: GET": Example(
        blocks=[{"resource": "URL/x", "sensor": [{}]}],
        replies={"/x": "21.5"},
        states={"sensor.rest_sensor": "21.5"},
    ),
    "sensor: POST": Example(
        blocks=[
            {
                "resource": "URL/x",
                "method": "POST",
                "payload": '{ "device" : "heater" }',
                "sensor": [{}],
            }
        ],
        replies={"/x": "on"},
        states={"sensor.rest_sensor": "on"},
        method="POST",
        body=b'{ "device" : "heater" }',
    ),
    "sensor: templates": Example(
        blocks=[
            {
                "resource_template": "URL/" + DAY,
                "headers": {"Authorization": "Bearer {{ states('input_text.my_access_token') }}\n"},
                "params": {
                    "start_date": "{{ (now() - timedelta(days = 1)).strftime('%Y-%m-%d') }}\n"
                },
                "sensor": [{}],
            }
        ],
        replies=_days("5"),
        states={"sensor.rest_sensor": "5"},
        headers={"Authorization": f"Bearer {TOKEN}"},
        query=["start_date"],
    ),
    "sensor: external address": Example(
        blocks=[
            {
                "resource": "URL",
                "sensor": [{"name": "External IP", "value_template": "{{ value_json.ip }}"}],
            }
        ],
        replies={"/": {"ip": "192.0.2.1"}},
        states={"sensor.external_ip": "192.0.2.1"},
    ),
    "sensor: Glances": Example(
        blocks=[
            {
                "resource": "URL/api/2/mem/used",
                "sensor": [
                    {
                        "name": "Used mem",
                        "value_template": "{{ value_json.used| multiply(0.000000954) | round(0) }}",
                        "unit_of_measurement": "MB",
                    }
                ],
            }
        ],
        replies={"/api/2/mem/used": GLANCES},
        states={"sensor.used_mem": "1234"},
        attributes={"sensor.used_mem": {"unit_of_measurement": "MB"}},
    ),
    "sensor: another Home Assistant": Example(
        blocks=[
            {
                "resource": "URL/api/states/sensor.weather_temperature",
                "sensor": [
                    {
                        "name": "Temperature",
                        "value_template": "{{ value_json.state }}",
                        "unit_of_measurement": "°C",
                    }
                ],
            }
        ],
        replies={"/api/states/sensor.weather_temperature": STATE},
        states={"sensor.temperature": "12.3"},
    ),
    "sensor: a user and headers": Example(
        blocks=[
            {
                "resource": "URL/sensor",
                **LOGIN,
                "headers": {"User-Agent": "Home Assistant", "Content-Type": "application/json"},
                "sensor": [{}],
            }
        ],
        replies={"/sensor": "7"},
        states={"sensor.rest_sensor": "7"},
        headers={
            "Authorization": BASIC,
            "User-Agent": "Home Assistant",
            "Content-Type": "application/json",
        },
    ),
    "sensor: a bearer token": Example(
        blocks=[
            {
                "resource": "URL/sensor",
                "headers": {"Authorization": f"Bearer {TOKEN}"},
                "sensor": [{}],
            }
        ],
        replies={"/sensor": "7"},
        states={"sensor.rest_sensor": "7"},
        headers={"Authorization": f"Bearer {TOKEN}"},
    ),
    "sensor: a release": Example(
        blocks=[
            {
                "resource": "URL/repos/home-assistant/home-assistant/releases/latest",
                **LOGIN,
                "headers": {
                    "Accept": "application/vnd.github.v3+json",
                    "Content-Type": "application/json",
                    "User-Agent": "Home Assistant REST sensor",
                },
                "sensor": [{"value_template": "{{ value_json.tag_name }}"}],
            }
        ],
        replies={"/repos/home-assistant/home-assistant/releases/latest": RELEASE},
        states={"sensor.rest_sensor": RELEASE["tag_name"]},
        headers={"Accept": "application/vnd.github.v3+json"},
    ),
    "sensor: attributes": Example(
        blocks=[
            {
                "resource": "URL/",
                "sensor": [
                    {
                        "name": "JSON time",
                        "json_attributes": ["date", "milliseconds_since_epoch"],
                        "value_template": "{{ value_json.time }}",
                    }
                ],
            }
        ],
        replies={"/": {"time": "03:53:25 AM", "milliseconds_since_epoch": 136, "date": "11-22"}},
        states={"sensor.json_time": "03:53:25 AM"},
        attributes={"sensor.json_time": {"date": "11-22", "milliseconds_since_epoch": 136}},
    ),
    "sensor: a path in a list": Example(
        blocks=[
            {
                "resource": "URL/users",
                "sensor": [
                    {
                        "name": "JSON users",
                        "json_attributes_path": "$.[0].address",
                        "json_attributes": ["street", "suite", "city", "zipcode"],
                        "value_template": "{{ value_json[0].name }}",
                    }
                ],
            }
        ],
        replies={"/users": PEOPLE},
        states={"sensor.json_users": "Ann"},
        attributes={"sensor.json_users": {"street": "Elm Road", "suite": "2 b", "city": "Bath"}},
    ),
    "sensor: weather": Example(
        blocks=[
            {
                "resource": "URL/data/2.5/weather?zip=80302,us&APPID=" + TOKEN,
                "sensor": [
                    {
                        "name": "OWM_report",
                        "json_attributes": ["main", "weather"],
                        "value_template": ("{{ value_json['weather'][0]['description'].title() }}"),
                    }
                ],
            }
        ],
        replies={"/data/2.5/weather": WEATHER},
        states={"sensor.owm_report": "Clear Sky"},
        attributes={"sensor.owm_report": WEATHER},
        query=["zip", "APPID"],
    ),
    "sensor: rooms": Example(
        blocks=[
            {
                "resource": "URL/x",
                "sensor": [
                    {
                        "name": "room_sensors",
                        "json_attributes": ["bedroom1", "bedroom2", "bedroom3"],
                        "value_template": "OK",
                    }
                ],
            }
        ],
        replies={"/x": {"bedroom1": ROOM, "bedroom2": ROOM}},
        states={"sensor.room_sensors": "OK"},
        attributes={"sensor.room_sensors": {"bedroom1": ROOM, "bedroom2": ROOM}},
    ),
    "sensor: XML": Example(
        blocks=[
            {
                "resource": "URL/status.xml",
                "scan_interval": 15,
                "sensor": [
                    {
                        "name": "Steam System Data",
                        "json_attributes_path": "$.response",
                        "json_attributes": ["usr0", "pot0", "temp0", "time0"],
                        "value_template": "OK",
                    }
                ],
            }
        ],
        replies={"/status.xml": _xml(STEAM)},
        states={"sensor.steam_system_data": "OK"},
        attributes={
            "sensor.steam_system_data": {"usr0": "1", "pot0": "86", "temp0": "086XF", "time0": "0"}
        },
    ),
    "binary sensor: GET": Example(
        blocks=[{"resource": "URL/x", "binary_sensor": [{}]}],
        replies={"/x": "open"},
        states={"binary_sensor.rest_binary_sensor": "on"},
    ),
    "binary sensor: POST": Example(
        blocks=[{"resource": "URL/x", "method": "POST", "binary_sensor": [{}]}],
        replies={"/x": "1"},
        states={"binary_sensor.rest_binary_sensor": "on"},
        method="POST",
    ),
    "binary sensor: templates": Example(
        blocks=[{"resource_template": "URL/" + DAY, "binary_sensor": [{}]}],
        replies=_days("false"),
        states={"binary_sensor.rest_binary_sensor": "off"},
    ),
    "binary sensor: a nested value": Example(
        blocks=[
            {
                "resource": "URL/x",
                "binary_sensor": [{"value_template": "{{ value_json.state.open }}"}],
            }
        ],
        replies={"/x": DOOR},
        states={"binary_sensor.rest_binary_sensor": "on"},
    ),
    "binary sensor: aREST": Example(
        blocks=[
            {
                "resource": "URL/digital/9",
                "method": "GET",
                "binary_sensor": [
                    {
                        "name": "Light",
                        "device_class": "light",
                        "value_template": "{{ value_json.return_value }}",
                    }
                ],
            }
        ],
        replies={"/digital/9": {"return_value": 1, **AREST}},
        states={"binary_sensor.light": "on"},
        attributes={"binary_sensor.light": {"device_class": "light"}},
    ),
    "binary sensor: a user and headers": Example(
        blocks=[
            {
                "resource": "URL/binary_sensor",
                **LOGIN,
                "headers": {
                    "User-Agent": "Home Assistant",
                    "Content-Type": "application/json",
                    "X-Custom-Header": "{{ states('input_text.the_custom_header') }}",
                },
                "binary_sensor": [{}],
            }
        ],
        replies={"/binary_sensor": "true"},
        states={"binary_sensor.rest_binary_sensor": "on"},
        headers={"Authorization": BASIC, "X-Custom-Header": "mine"},
    ),
    "blocks: two pools": Example(
        blocks=[_pool("Adult", "/adult/status.xml"), _pool("Kiddie", "/kiddie/status.xml")],
        replies={f"/{pool}/status.xml": _xml(POOL) for pool in ("adult", "kiddie")},
        states={
            f"sensor.{pool}_pool_data_{part}": "OK"
            for pool in ("adult", "kiddie")
            for part in ("system", "equipment", "temp")
        },
        attributes={
            "sensor.adult_pool_data_system": {"runstate": "50", "model": "8"},
            "sensor.kiddie_pool_data_equipment": {"circuit1": "0"},
            "sensor.kiddie_pool_data_temp": {"poolsp": "84"},
        },
        headers={"Authorization": BASIC},
    ),
}


@pytest.mark.parametrize("block", [False, True], ids=["platforms", "block"])
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
async def test_a_documented_example_works(home: RestHome, example: Example, *, block: bool) -> None:
    for path, reply in example.replies.items():
        home.endpoint.set(path, reply)
    home.hass.states.async_set("input_text.my_access_token", TOKEN)
    home.hass.states.async_set("input_text.the_custom_header", "mine")
    await home.load(_at_the_endpoint(example.config(block=block), home.endpoint.url))
    for entity_id, state in example.states.items():
        await home.state(state, entity_id)
    for entity_id, attributes in example.attributes.items():
        state_now = home.hass.states.get(entity_id)
        assert state_now
        assert state_now.attributes.items() >= attributes.items()
    # One request for each block, in both syntaxes.
    assert len(home.endpoint.requests) == len(example.blocks)
    for request in home.endpoint.requests:
        _check(request, example)
    assert not home.log()


def _check(request: Received, example: Example) -> None:
    assert (request.method, request.body) == (example.method, example.body)
    assert {name: request.headers[name] for name in example.headers} == example.headers
    assert list(request.query) == list(example.query)


def _at_the_endpoint(config: dict[str, Any], url: str) -> dict[str, Any]:
    """Return the configuration with the endpoint's URL."""
    for entries in config.values():
        for number, entry in enumerate(entries):
            key = "resource" if "resource" in entry else "resource_template"
            entries[number] = {**entry, key: entry[key].replace("URL", url)}
    return config
