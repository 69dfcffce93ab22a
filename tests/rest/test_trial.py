"""The page that tries a web resource: what it asks of Home Assistant, and what comes of it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
import json
import logging
import socket as sockets
from typing import Any

from homeassistant.config import async_hass_config_yaml
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import parse_yaml
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from tests.home import until
from virtual_home.endpoint_answer import Answer

from .home import RestHome, put

HOUSE = {
    "rooms": [
        {"id": 7, "name": "Kitchen", "t": 21.5, "open": True},
        {"id": 9, "name": "Bath", "t": 23, "open": False},
    ],
    "boiler": {"currentTemperature": 60, "pressure": 1.6, "unit": "bar"},
    "an odd 'key' {{ 1 }}": {"items": "a"},
    "since": "2026-11-26T04:00:00+01:00",
    "nothing": None,
    "long": "x" * 300,
}


@dataclass
class Page:
    """A browser's side of the page."""

    home: RestHome
    socket: MockHAClientWebSocket
    trial: int = 0

    async def ask(self, command: str, **more: object) -> dict[str, Any]:
        """Send a command; return the whole reply."""
        await self.socket.send_json_auto_id({"type": f"rest/trial/{command}", **more})
        reply: dict[str, Any] = await self.socket.receive_json()
        return reply

    async def start(self, **typed: object) -> dict[str, Any]:
        """Try a request; return what is told of it."""
        accepted = await self.ask("start", **typed)
        assert accepted["success"], accepted
        self.trial = accepted["id"]
        return await self.event()

    async def event(self) -> dict[str, Any]:
        """Return what is told next."""
        message = await self.socket.receive_json()
        assert message["type"] == "event"
        update: dict[str, Any] = message["event"]
        return update

    async def open(self, path: str) -> dict[str, Any]:
        """Try a path of the endpoint; return the reply."""
        reply: dict[str, Any] = (await self.start(target=self.home.endpoint.url + path))["reply"]
        return reply

    async def of_trial(self, command: str, **more: object) -> dict[str, Any]:
        """Ask something of the trial; return the result."""
        answer = await self.ask(command, trial=self.trial, **more)
        assert answer["success"], answer
        result: dict[str, Any] = answer["result"]
        return result

    async def proposals(self, *path: str | int) -> list[dict[str, str]]:
        """Return what a value could be."""
        entities: list[dict[str, str]] = (await self.of_trial("propose", path=path))["entities"]
        return entities

    async def result(self, *entities: Mapping[str, str]) -> dict[str, Any]:
        """Return what these entities would be."""
        return await self.of_trial("result", entities=entities)

    async def is_what_home_assistant_makes_of_it(self, result: dict[str, Any]) -> None:
        """Set the YAML up, and compare each state with what the page has shown."""
        assert result["problems"] == []
        lines = [secret["line"] for secret in result["secrets"]]
        self.home.yaml.with_name("secrets.yaml").write_text("\n".join(lines))
        self.home.yaml.write_text(result["yaml"])
        config = await async_hass_config_yaml(self.home.hass)
        await self.home.reload(config)
        shown = [
            (state["name"], state["state"]) for row in result["rows"] for state in row["states"]
        ]

        def states() -> dict[str, str]:
            return {state.name: state.state for state in self.home.hass.states.async_all()}

        await until(lambda: {*shown} <= {*states().items()})


@pytest.fixture
async def page(home: RestHome, hass_ws_client: WebSocketGenerator) -> Page:
    assert await async_setup_component(home.hass, "websocket_api", {})
    home.write({"rest": []})
    assert await async_setup_component(home.hass, "rest", {"rest": []})
    return Page(home, await hass_ws_client(home.hass))


async def test_from_a_url_to_entities(page: Page) -> None:
    page.home.endpoint.set("/house", HOUSE)
    reply = await page.open("/house")
    assert (reply["kind"], reply["status"], reply["more"]) == ("json", 200, 0)
    assert [node["label"] for node in reply["nodes"]] == [*HOUSE]
    rooms, *_ = reply["nodes"]
    assert (rooms["kind"], rooms["count"]) == ("list", 2)
    inner = await page.of_trial("children", path=["rooms", 1])
    assert [(node["label"], node.get("text")) for node in inner["nodes"]] == [
        ("id", "9"),
        ("name", "Bath"),
        ("t", "23"),
        ("open", "false"),
    ]
    single, each = await page.proposals("rooms", 1, "t")
    assert single == {
        "platform": "sensor",
        "name": "Rooms 2 t",
        "value_template": "{{ value_json.rooms[1].t }}",
    }
    assert (each["for_each"], each["key"]) == ("{{ value_json.rooms }}", "{{ item.id }}")
    (temperature,) = await page.proposals("boiler", "currentTemperature")
    assert temperature["device_class"] == "temperature"
    (pressure,) = await page.proposals("boiler", "pressure")
    assert (pressure["unit_of_measurement"], pressure["device_class"]) == ("bar", "pressure")
    (since,) = await page.proposals("since")
    assert since["device_class"] == "timestamp"
    (odd,) = await page.proposals("an odd 'key' {{ 1 }}", "items")
    _, is_open = await page.proposals("rooms", 0, "open")
    (nothing,) = await page.proposals("nothing")
    result = await page.result(each, temperature, pressure, since, odd, is_open, nothing)
    assert [row["problems"] for row in result["rows"]] == [[]] * 7
    assert [row["count"] for row in result["rows"]] == [2, 1, 1, 1, 1, 2, 1]
    states = {state["name"]: state["state"] for row in result["rows"] for state in row["states"]}
    assert states == {
        "Kitchen t": "21.5",
        "Bath t": "23",
        "Boiler current temperature": "60",
        "Boiler pressure": "1.6",
        "Since": "2026-11-26T03:00:00+00:00",
        "An odd key 1 items": "a",
        "Kitchen open": "on",
        "Bath open": "off",
        "Nothing": "unknown",
    }
    await page.is_what_home_assistant_makes_of_it(result)
    assert not page.home.log()


CASES: list[tuple[object, list[list[str | int]]]] = [
    ("plain", [[]]),
    ("x" * 300, [[]]),
    ("21.5", [[]]),
    ([1, {"a": [True, None]}], [[0], [1, "a", 0], [1, "a", 1]]),
    ({"": 1, "a.b": 2, "items": 3, "0": 4}, [[""], ["a.b"], ["items"], ["0"]]),
    ({"quote\"'\\": 5, "ü": "ä", "{% raw %}": 1}, [["quote\"'\\"], ["ü"], ["{% raw %}"]]),
    ({"x": {"k1": {"temp": 1}, "k 2": {"temp": 2.5}}}, [["x", "k1", "temp"]]),
    ({"list": [{"name": "a", "on": True}, {"name": "b", "on": False}]}, [["list", 0, "on"]]),
    (Answer(body=b"<a><b x='1'>5</b></a>", content_type="text/xml"), [["a", "b", "#text"]]),
    (Answer(body=b"<?xml version='1.0'?><a><t>5</t></a>", content_type="x/y"), [["a", "t"]]),
    (Answer(body='{"a": "ü"}'.encode("latin-1"), content_type="application/json"), [["a"]]),
    (Answer(body=b"\xff\xfe\x00", content_type="text/plain"), [[]]),
    (Answer(body=b""), [[]]),
]


@pytest.mark.parametrize(("reply", "paths"), CASES)
async def test_what_is_shown_is_what_home_assistant_makes_of_it(
    page: Page, reply: object, paths: list[list[str | int]]
) -> None:
    page.home.endpoint.set("/x", reply)
    await page.open("/x")
    for path in paths:
        for entity in await page.proposals(*path):
            result = await page.result(entity)
            (row,) = result["rows"]
            assert (row["is_valid"], row["problems"]) == (True, [])
            assert row["count"] >= 1
            await page.is_what_home_assistant_makes_of_it(result)


HTML = """<html><head><title>House</title></head><body><div id="main">
<table><tr><td>Pool temperature</td><td>27,5 °C</td></tr>
<tr><td>State</td><td class="s"><b>on</b> {{ 1 }}</td></tr></table>
<p>&lt;b&gt;bold&lt;/b&gt;</p></div><script>var x = "27";</script></body></html>"""


async def test_a_web_page_by_its_texts(page: Page) -> None:
    page.home.endpoint.set("/x", Answer(body=HTML.encode(), content_type="text/html"))
    reply = await page.open("/x")
    assert reply["kind"] == "page"
    texts = [node["text"] for node in reply["nodes"]]
    assert texts == [*("Pool temperature", "27,5 °C", "State", "on {{ 1 }}", "on", "<b>bold</b>")]
    (pool,) = await page.proposals(1)
    assert pool == {
        "platform": "sensor",
        "name": "Pool temperature",
        "select": "#main > table > tr:nth-of-type(1) > td:nth-of-type(2)",
        "value_template": (
            "{{ value | regex_findall('[-+]?[0-9]+(?:[.,][0-9]+)?') | first | replace(',', '.') }}"
        ),
        "unit_of_measurement": "°C",
        "device_class": "temperature",
        "state_class": "measurement",
    }
    entities = [entity for number in range(6) for entity in await page.proposals(number)]
    for number, entity in enumerate(entities):
        entity["name"] = f"Text {number}"
    result = await page.result(*entities)
    states = [row["states"][0]["state"] for row in result["rows"]]
    assert states == [*("Pool temperature", "27.5", "State", "on {{ 1 }}", "on", "<b>bold</b>")]
    await page.is_what_home_assistant_makes_of_it(result)


async def test_large_replies_come_in_parts(page: Page) -> None:
    page.home.endpoint.set("/x", {"n": [*range(100_000)], "last": "Found me"})
    reply = await page.open("/x")
    assert [node["label"] for node in reply["nodes"]] == ["n", "last"]
    first = await page.of_trial("children", path=["n"])
    assert (len(first["nodes"]), first["more"]) == (100, 99_900)
    last = await page.of_trial("children", path=["n"], start=99_950)
    assert (last["nodes"][-1]["text"], last["more"]) == ("99999", 0)
    (found,) = (await page.of_trial("search", text="found"))["nodes"]
    assert (found["path"], found["text"]) == (["last"], "Found me")
    page.home.endpoint.set("/large", "[" + "1," * 5_000_000 + "1]")
    failed = await page.start(target=page.home.endpoint.url + "/large")
    assert "larger than max_size" in failed["error"]["message"]


async def test_a_reply_that_is_deep(page: Page) -> None:
    page.home.endpoint.set("/x", "[" * 900 + "1" + "]" * 900)
    await page.open("/x")
    assert (await page.of_trial("children", path=[0] * 899))["nodes"][0]["text"] == "1"
    answer = await page.ask("propose", trial=page.trial, path=[0] * 900)
    assert answer["error"]["code"] == "not_found"


async def test_a_login_with_its_templates(page: Page) -> None:
    """Developer tools would have rendered them before there is a reply to the login."""
    endpoint = page.home.endpoint
    endpoint.set("/login", {"token": "canary-token"})
    endpoint.set("/x", {"a": 1})
    put(page.home, "secrets.yaml", b"mine: canary-known\n")
    more = f"""
rest:
  - resource: {endpoint.url}/x
    payload_template: "{{{{ 3 * 7 }}}}"
    headers:
      X-Token: "{{{{ login.token }}}}"
    login:
      resource: {endpoint.url}/login
      method: POST
      payload: "user=u&password=canary-password"
      headers:
        X-Api-Key: !secret mine
      values:
        token: "{{{{ value_json.token }}}}"
    sensor:
      - name: Not taken along
"""
    update = await page.start(more=more, method="POST", scan_interval=60)
    assert update["reply"]["kind"] == "json", update
    (login,), (sent,) = endpoint.received("/login"), endpoint.received("/x")
    assert login.headers["X-Api-Key"] == "canary-known"
    assert (sent.headers["X-Token"], sent.body) == ("canary-token", b"21")
    result = await page.result(*await page.proposals("a"))
    assert "canary" not in result["yaml"]
    config: Any = parse_yaml(result["yaml"].replace("!secret ", ""))
    (block,) = config["rest"]
    assert block["payload_template"] == "{{ 3 * 7 }}"
    assert block["headers"] == {"X-Token": "{{ login.token }}"}
    assert block["login"]["headers"] == {"X-Api-Key": "mine"}
    assert (block["scan_interval"], [*block["sensor"]]) == (60, block["sensor"])
    (secret,) = result["secrets"]
    assert secret["of"] == "login payload"
    assert "canary-known" not in str(result)
    put(page.home, "secrets.yaml", b"mine: canary-known\n" + secret["line"].encode())
    page.home.yaml.write_text(result["yaml"])
    await page.home.reload(await async_hass_config_yaml(page.home.hass))
    await page.home.state("1", "sensor.a")
    assert "canary" not in str(page.home.log(logging.DEBUG))


async def test_user_and_password_and_a_curl_command(page: Page) -> None:
    endpoint = page.home.endpoint
    endpoint.set("/x", {"a": 1})
    await page.start(
        target=f"{endpoint.url}/x?api_key=canary-key",
        headers="X-Mine: a\nAuthorization-Token: canary-header",
        username="canary-user",
        password="canary-password",
    )
    result = await page.result(*await page.proposals("a"))
    assert "canary" not in result["yaml"]
    assert len(result["secrets"]) == 4
    await page.is_what_home_assistant_makes_of_it(result)
    first, second, *_ = endpoint.received("/x")
    for sent in first, second:
        assert sent.headers["Authorization"].startswith("Basic ")
        assert sent.headers["Authorization-Token"] == "canary-header"
        assert dict(sent.query) == {"api_key": "canary-key"}
    await page.start(target=f"curl '{endpoint.url}/x' -H 'Cookie: canary'", scan_interval=90)
    result = await page.result(*await page.proposals("a"))
    assert "canary" not in result["yaml"]
    assert "scan_interval: 90" in result["yaml"]
    await page.is_what_home_assistant_makes_of_it(result)
    assert "canary" not in str(page.home.log(logging.DEBUG))


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ({}, "resource gives no http or https URL"),
        ({"target": "ftp://h/canary"}, "resource gives no http or https URL"),
        ({"target": "http://h/", "more": "colour: red"}, "(colour)"),
        ({"target": "http://h/", "more": "a: ["}, "it is no YAML"),
        ({"target": "http://h/", "more": "password: canary: x"}, "not allowed here (line 1)"),
        ({"target": "http://h/", "more": "a: !include secrets.yaml"}, "the tag '!include'"),
        ({"target": "http://h/", "more": "{" * 1000}, "it is nested too deep"),
        ({"target": "http://h/", "more": "a: &x {b: *x}"}, "it is nested too deep"),
        ({"target": "http://h/", "more": "password: canary\x00"}, "it is no YAML"),
        ({"target": "http://h/", "more": "just a text"}, "expected the keys of a request"),
        ({"target": "http://h/", "more": "password: !secret gone"}, "Secret gone not defined"),
        ({"target": "http://h/", "headers": "canary"}, "(headers)"),
        ({"target": "curl -F a=b http://h/"}, "has no counterpart"),
        ({"target": "curl 'http://h/"}, "a quote is not closed"),
    ],
)
async def test_what_cannot_be_sent(
    page: Page, caplog: pytest.LogCaptureFixture, typed: dict[str, str], error: str
) -> None:
    answer = await page.ask("start", **typed)
    assert not answer["success"]
    assert error in answer["error"]["message"]
    assert "canary" not in answer["error"]["message"]
    assert answer["error"]["translation_key"] == "request_invalid"
    names = "homeassistant.components.websocket_api.http"  # what comes, at debug level
    records = [record for record in caplog.records if not record.name.startswith(names)]
    assert "canary" not in str([record.getMessage() for record in records])


async def test_what_fails_says_why(page: Page) -> None:
    url = page.home.endpoint.url
    page.home.endpoint.set("/401", Answer.of("canary", status=401))
    page.home.endpoint.set("/slow", Answer(delay=30))
    with sockets.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    for typed, reason in (
        ({"target": f"{url}/401?canary"}, "status 401"),
        ({"target": f"{url}/slow", "more": "timeout: 1"}, "no complete reply within 1 s"),
        ({"target": f"http://127.0.0.1:{port}/canary"}, "cannot connect"),
        ({"target": url.replace("http:", "https:")}, "the server speaks plain HTTP"),
    ):
        error = (await page.start(**typed))["error"]
        assert error["translation_key"] == "request_failed"
        assert reason in error["translation_placeholders"]["reason"], error
        assert "canary/" not in error["message"]
    assert not page.home.log()


@pytest.mark.parametrize(
    ("entity", "problem"),
    [
        ({"platform": "light", "name": "x"}, "the platform is sensor or binary_sensor"),
        ({"platform": "sensor", "name": "x", "value_template": "{{ 1"}, "invalid template"),
        ({"platform": "sensor", "device_class": "colour"}, "(device_class)"),
        (
            {"platform": "sensor", "device_class": "temperature", "unit_of_measurement": "W"},
            "temperature is measured in K, °C, °F",
        ),
        (
            {
                "platform": "sensor",
                "device_class": "energy",
                "unit_of_measurement": "kWh",
                "state_class": "measurement",
            },
            "the state class of energy is total, total_increasing",
        ),
    ],
)
async def test_a_row_with_a_mistake_is_left_out(
    page: Page, entity: dict[str, str], problem: str
) -> None:
    page.home.endpoint.set("/x", {"a": 1})
    await page.open("/x")
    result = await page.result(entity, *await page.proposals("a"))
    wrong, right = result["rows"]
    assert problem in wrong["problems"][0]
    assert (wrong["is_valid"], right["is_valid"]) == (False, True)
    assert result["yaml"].count("name:") == 1
    await page.is_what_home_assistant_makes_of_it(result)
    assert not page.home.log()


async def test_what_is_wrong_with_a_state_is_told_to_the_page_alone(page: Page) -> None:
    page.home.endpoint.set("/x", {"text": "abc", "long": "x" * 300, "list": [{"a": 1}, {"a": 2}]})
    await page.open("/x")
    rows = (
        {"unit_of_measurement": "W", "value_template": "{{ value_json.text }}"},
        {"value_template": "{{ value_json.long }}"},
        {"value_template": "{{ value_json.gone.further }}"},
        {"for_each": "{{ value_json.list }}", "value_template": "{{ item.a }}"},
        {"for_each": "{{ value_json.text }}"},
        {"select": "b"},
    )
    result = await page.result(*({"platform": "sensor", "name": "x", **row} for row in rows))
    problems = [row["problems"][0] for row in result["rows"]]
    assert "no number" in problems[0]
    assert "300 characters long" in problems[1]
    assert "'dict object' has no attribute 'gone'" in problems[2]
    assert "key: element 1 has none" in problems[3]
    assert "neither a list nor a dictionary" in problems[4]
    assert "no element" in problems[5]
    assert not page.home.log()
    from homeassistant.helpers import issue_registry as ir  # noqa: PLC0415

    assert not ir.async_get(page.home.hass).issues
    assert not page.home.hass.states.async_all()


async def test_administrators_alone(
    page: Page,
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
) -> None:
    page.home.endpoint.set("/x", {"a": 1})
    await page.open("/x")
    asked = page.home.endpoint.count()
    other = Page(page.home, await hass_ws_client(hass, hass_read_only_access_token))
    for command, more in (
        ("start", {"target": page.home.endpoint.url + "/x"}),
        ("children", {"trial": page.trial, "path": []}),
        ("search", {"trial": page.trial, "text": ""}),
        ("propose", {"trial": page.trial, "path": ["a"]}),
        ("result", {"trial": page.trial, "entities": []}),
    ):
        answer = await other.ask(command, **more)
        assert (answer["success"], answer["error"]["code"]) == (False, "unauthorized")
    assert page.home.endpoint.count() == asked


async def test_what_is_not_there(page: Page, hass_ws_client: WebSocketGenerator) -> None:
    page.home.endpoint.set("/x", {"a": 1})
    await page.open("/x")
    other = Page(page.home, await hass_ws_client(page.home.hass), page.trial)
    for asking in page, other:
        for command, more in (
            ("children", {"path": ["b"]}),
            ("children", {"path": [3]}),
            ("propose", {"path": []}),
            ("propose", {"path": ["a", "b"]}),
        ):
            answer = await asking.ask(command, trial=asking.trial, **more)
            assert answer["error"]["code"] == "not_found", (command, more)
    assert (await other.ask("search", trial=page.trial, text=""))["error"]["code"] == "not_found"


async def test_two_at_once_and_the_end_of_each(
    page: Page, hass_ws_client: WebSocketGenerator
) -> None:
    page.home.endpoint.set("/x", {"a": 1})
    page.home.endpoint.set("/slow", Answer(delay=30))
    await page.open("/x")
    first = page.trial
    page.home.endpoint.set("/x", {"b": 2})
    await page.open("/x")
    nodes = [
        (await page.ask("children", trial=trial, path=[]))["result"]["nodes"][0]["label"]
        for trial in (first, page.trial)
    ]
    assert nodes == ["a", "b"]
    await page.socket.send_json_auto_id({"type": "unsubscribe_events", "subscription": first})
    assert (await page.socket.receive_json())["success"]
    assert (await page.ask("children", trial=first, path=[]))["error"]["code"] == "not_found"

    other = Page(page.home, await hass_ws_client(page.home.hass))
    assert (await other.ask("start", target=page.home.endpoint.url + "/slow"))["success"]
    await page.home.polls("/slow", 1)
    tasks = [task for task in asyncio.all_tasks() if task.get_name() == "rest: try a resource"]
    assert len(tasks) == 1
    await other.socket.close()
    await asyncio.wait(tasks, timeout=5)
    assert tasks[0].cancelled()
    await page.socket.close()
    await page.home.hass.async_block_till_done()
    (trials,) = (value for key, value in page.home.hass.data.items() if key == "rest_trials")
    assert trials == {}


async def test_texts_of_a_reply_are_no_more_than_that(page: Page) -> None:
    """What a server says is neither a template nor a name of a secret."""
    page.home.endpoint.set("/x", {"!secret": "!secret a", "{{ 7 * 6 }}": "{{ 7 * 6 }}"})
    await page.open("/x")
    entities = [
        entity for key in ("!secret", "{{ 7 * 6 }}") for entity in await page.proposals(key)
    ]
    assert [entity["name"] for entity in entities] == ["Secret", "7 6"]
    result = await page.result(*entities)
    assert [row["states"][0]["state"] for row in result["rows"]] == ["!secret a", "{{ 7 * 6 }}"]
    assert result["secrets"] == []
    await page.is_what_home_assistant_makes_of_it(result)
    assert json.loads(json.dumps(result)) == result
