"""What a browser copies of a request: as a cURL command, and in a HAR file."""

import base64
from collections.abc import Mapping
import json
from typing import Any

from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_USER
from homeassistant.config import async_hass_config_yaml
from homeassistant.core import Context
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.util.yaml import parse_yaml
import pytest

from virtual_home.endpoint_answer import Answer

from .home import RestHome, put

# As browsers write them.
CHROME = r"""curl 'URL/api?room=kitchen' \
  -H 'accept: application/json, text/plain, */*' \
  -H 'accept-language: de-DE,de;q=0.9' \
  -H 'authorization: Bearer canary-token' \
  -b 'session=canary-session; theme=dark' \
  -H 'if-none-match: W/"5"' \
  -H 'referer: URL/' \
  -H 'sec-ch-ua: "Chromium";v="142"' \
  -H 'sec-fetch-mode: cors' \
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \
  -H 'x-requested-with: XMLHttpRequest'"""
FIREFOX = (
    "curl 'URL/api' --compressed -X POST -H 'User-Agent: Mozilla/5.0' -H 'Accept: */*' "
    "-H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'Content-Type: application/json' "
    "-H 'Origin: http://h' -H 'Connection: keep-alive' -H 'Priority: u=4' "
    r"""--data-raw $'{"a": "it\'s \u00fc", "b": "x\\ny"}'"""
)
WINDOWS = """curl ^"URL/api?a=1^&b=2^" ^
  -H ^"accept: application/json^" ^
  -H ^"x-mode: \\^"day\\^"^" ^
  --data-raw ^"n=1^%^202^" ^
  --insecure"""


async def request(home: RestHome, user_id: str | None = None, **data: object) -> dict[str, Any]:
    """Call rest.request."""
    if not home.hass.services.has_service("rest", "request"):
        home.endpoint.set("/other", "1")
        await home.load(
            {"sensor": [{"platform": "rest", **home.url("/other"), "scan_interval": 0}]}
        )
    answer = await home.hass.services.async_call(
        "rest",
        "request",
        data,
        blocking=True,
        context=Context(user_id=user_id),
        return_response=True,
    )
    assert isinstance(answer, dict)
    return dict(answer)


async def block(home: RestHome, yaml: object, secrets: Mapping[str, str]) -> dict[str, Any]:
    """Return the block that YAML with secrets says, as Home Assistant reads it."""
    home.yaml.with_name("secrets.yaml").write_text(json.dumps(secrets))
    home.yaml.write_text(str(yaml))
    config = await async_hass_config_yaml(home.hass)
    return dict(config["rest"][0])


async def test_a_command_is_sent_and_written_as_yaml(home: RestHome) -> None:
    home.endpoint.set("/api", {"power": 800})
    answer = await request(home, curl=CHROME.replace("URL", home.endpoint.url))
    (sent,) = home.endpoint.received("/api")
    assert (sent.method, dict(sent.query)) == ("GET", {"room": "kitchen"})
    assert sent.headers["authorization"] == "Bearer canary-token"
    assert sent.headers["Cookie"] == "session=canary-session; theme=dark"
    assert "Mozilla" not in sent.headers["User-Agent"]
    assert "canary" not in str(answer)
    assert "authorization: !secret 127_0_0_1_authorization\n" in answer["yaml"]
    assert answer["secrets"] == {
        "127_0_0_1_authorization": "headers authorization",
        "127_0_0_1_cookie": "headers Cookie",
    }
    secrets = {"127_0_0_1_authorization": "Bearer canary-token", "127_0_0_1_cookie": "session=1"}
    config = await block(home, answer["yaml"], secrets)
    assert config["headers"] == {
        "accept": "application/json, text/plain, */*",
        "authorization": "Bearer canary-token",
        "x-requested-with": "XMLHttpRequest",
        "Cookie": "session=1",
    }
    await home.reload({"rest": [config]})
    await home.state("800", "sensor.power")


async def test_a_post_of_firefox(home: RestHome) -> None:
    home.endpoint.set("/api", {"on": True})
    answer = await request(home, curl=FIREFOX.replace("URL", home.endpoint.url))
    (sent,) = home.endpoint.received("/api")
    assert (sent.method, sent.body.decode()) == ("POST", '{"a": "it\'s ü", "b": "x\\ny"}')
    assert sent.headers["Content-Type"] == "application/json"
    assert sent.headers["Origin"] == "http://h"
    config = await block(home, answer["yaml"], {})
    assert config["payload"] == sent.body.decode()
    assert config["headers"] == {"Content-Type": "application/json", "Origin": "http://h"}
    assert "secrets" not in answer


async def test_a_command_of_windows(home: RestHome) -> None:
    home.endpoint.set("/api", {"on": True})
    answer = await request(home, curl=WINDOWS.replace("URL", home.endpoint.url), scan_interval=60)
    (sent,) = home.endpoint.received("/api")
    assert (dict(sent.query), sent.headers["x-mode"]) == ({"a": "1", "b": "2"}, '"day"')
    assert sent.body == b"n=1%202"
    config = await block(home, answer["yaml"], {})
    assert (config["verify_ssl"], config["scan_interval"], config["method"]) == (False, 60, "POST")


@pytest.mark.parametrize(
    ("command", "method", "target", "body"),
    [
        ("curl URL/a", "GET", "/a", b""),
        ("$ curl -sSL --url URL/a", "GET", "/a", b""),
        ("curl -XPOST URL/a", "POST", "/a", b""),
        ("curl -d a=1 -d b=2 URL/a", "POST", "/a", b"a=1&b=2"),
        ("curl -G -d a=1 'URL/a?x=2'", "GET", "/a?x=2&a=1", b""),
        ("curl --json '{}' URL/a", "POST", "/a", b"{}"),
        ("curl --data-raw @a URL/a", "POST", "/a", b"@a"),
        ("curl --header=X-A:b URL/a", "GET", "/a", b""),
        ("curl -ivf -o canary --connect-timeout 5 URL/a", "GET", "/a", b""),
        (
            "curl -d a=1 --data-urlencode 'b=ü &' --data-urlencode =c= URL/a",
            "POST",
            "/a",
            b"a=1&b=%C3%BC%20%26&c%3D",
        ),
        ("curl -G --data-urlencode 'b=2 3' URL/a", "GET", "/a?b=2 3", b""),
        (r"curl -d $'it\'s $5 \u0024a' URL/a", "POST", "/a", b"it's $5 $a"),
        ("curl -H 'X: $HOME' -d '$a' URL/a", "POST", "/a", b"$a"),
        ("curl URL/a \\\n -X POST \\\n", "POST", "/a", b""),
        ("curl HOST/a", "GET", "/a", b""),
    ],
)
async def test_commands(
    home: RestHome, command: str, method: str, target: str, body: bytes
) -> None:
    home.endpoint.set("/a", "1")
    url = home.endpoint.url
    await request(home, curl=command.replace("URL", url).replace("HOST", url.partition("//")[2]))
    (sent,) = home.endpoint.received("/a")
    query = "&".join(f"{name}={value}" for name, value in sent.query.items())
    assert (sent.method, f"/a?{query}" if query else "/a", sent.body) == (method, target, body)


async def test_what_else_has_a_counterpart(home: RestHome) -> None:
    home.endpoint.set("/a", "1")
    command = "curl -m 2.5 --digest -u me:x -H 'X-A: 1' -H 'x-a: 2' -b a=1 -b b=2 URL/a"
    answer = await request(home, curl=command.replace("URL", home.endpoint.url))
    config: Any = parse_yaml(answer["yaml"].replace("!secret ", ""))
    (block,) = config["rest"]
    assert (block["timeout"], block["authentication"]) == (3, "digest")
    (sent, *_) = home.endpoint.received("/a")
    assert (sent.headers["X-A"], sent.headers["Cookie"]) == ("1, 2", "a=1; b=2")


async def test_secrets_in_the_url_the_payload_and_the_user(home: RestHome) -> None:
    home.endpoint.set("/a", "1")
    command = f"curl -u me:canary -d 'password=canary' '{home.endpoint.url}/a?api_key=canary'"
    answer = await request(home, curl=command)
    (sent,) = home.endpoint.received("/a")
    assert sent.headers["Authorization"] == "Basic " + base64.b64encode(b"me:canary").decode()
    assert "canary" not in str(answer)
    assert set(answer["secrets"].values()) == {"resource", "username", "password", "payload"}
    assert answer["yaml"].count("!secret") == 4


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("wget URL", "expected a command that begins with curl"),
        ("", "expected a command that begins with curl"),
        ("curl -H 'a: b'", "the command has no URL"),
        ("curl -F a=@canary URL", "the option -F has no counterpart"),
        ("curl --data-urlencode a@canary URL", "the payload is in a file"),
        ("curl -H @canary URL", "headers are in a file"),
        ("curl -b canary.txt URL", "cookies are in a file"),
        ("curl URL http://h/canary", "only one URL has a counterpart"),
        ("curl URL | grep canary", "only one URL has a counterpart"),
        ('curl -H "Authorization: Bearer $TOKEN" URL', "$TOKEN is a variable of a shell"),
        ('curl "URL/${ID}"', "${ID is a variable of a shell"),
        ("curl -m soon URL", "--max-time is no number of seconds"),
        ("curl -d @canary URL", "the payload is in a file"),
        ("curl -X DELETE URL", "the method is DELETE; only GET and POST"),
        ("curl 'URL", "a quote is not closed"),
        ("curl URL -H", "the option --header has no value"),
        ("curl ftp://h/canary", "resource gives no http or https URL"),
    ],
)
async def test_a_command_that_has_no_counterpart(home: RestHome, command: str, error: str) -> None:
    with pytest.raises(ServiceValidationError) as caught:
        await request(home, curl=command.replace("URL", home.endpoint.url))
    assert error in str(caught.value)
    assert "canary" not in str(caught.value)


def entry(url: str, body: object, **more: object) -> dict[str, Any]:
    """Return an entry of a HAR file."""
    text = body if isinstance(body, str) else json.dumps(body)
    content = {"mimeType": "application/json; charset=utf-8", "text": text}
    return {
        "request": {
            "method": "GET",
            "url": url,
            "headers": [{"name": ":path", "value": "/"}, {"name": "X-Token", "value": "canary"}],
            **more,
        },
        "response": {"status": 200, "content": content},
    }


def har(*entries: object) -> bytes:
    """Return a HAR file."""
    return json.dumps({"log": {"entries": entries}}).encode()


async def test_the_request_whose_reply_has_a_value(home: RestHome) -> None:
    url = home.endpoint.url
    packed = entry(f"{url}/packed", "")
    packed["response"]["content"] = {
        "mimeType": "text/html",
        "encoding": "base64",
        "text": base64.b64encode(b"<p>21.7</p>").decode(),
    }
    put(
        home,
        "page.har",
        har(
            entry(f"{url}/other", {"temp": 21.5}),
            entry(f"{url}/right", {"rooms": [{"temp": 21.7, "humidity": 40}]}),
            entry(f"{url}/right", {"rooms": [{"temp": 21.7, "humidity": 41}]}),
            packed,
            {"damaged": True},
            entry(f"{url}/put", {"temp": 21.7}, method="PUT"),
            None,
        ),
    )
    answer = await request(home, har="page.har", value="21.7")
    assert home.endpoint.count() == 0
    right, page = answer["requests"]
    assert answer["warnings"] == [
        "127.0.0.1: the method is PUT; only GET and POST can be polled",
        "entry 7 of the log cannot be read: it has another shape than in a HAR file",
        "entry 5 of the log cannot be read: request is missing",
    ]
    assert "canary" not in str(answer)
    config = await block(home, right["yaml"], {"127_0_0_1_x_token": "t"})
    assert config == {
        "resource": f"{url}/right",
        "headers": {"X-Token": "t"},
        "sensor": [
            {
                "name": "Rooms 1 temp",
                "value_template": "{{ value_json.rooms[0].temp }}",
                "unit_of_measurement": "°C",
                "device_class": "temperature",
                "state_class": "measurement",
            },
        ],
    }
    config = await block(home, page["yaml"], {"127_0_0_1_x_token": "t"})
    assert config["resource"] == f"{url}/packed"
    assert "sensor" not in config
    nothing = await request(home, har="page.har", value="99.9")
    assert (nothing["requests"], nothing["warnings"]) == ([], answer["warnings"][1:])


async def test_damaged_entries_are_named(home: RestHome) -> None:
    url = f"{home.endpoint.url}/canary"
    broken = [entry(url, {"temp": 21.7}, headers=headers) for headers in ([{"name": "X"}], [7])]
    packed = entry(url, "")
    packed["response"]["content"] |= {"encoding": "base64", "text": "canary"}
    numbered = entry(url, {"temp": 21.7}, headers=[{"name": 7, "value": "canary"}])
    no_url = entry("http://[canary", {"temp": 21.7})
    put(home, "page.har", har(*[None] * 8, *broken, packed, numbered, no_url, entry(url, 21.7)))
    answer = await request(home, har="page.har", value="21.7")
    assert len(answer["requests"]) == 1
    shape = "it has another shape than in a HAR file"
    no_text = "its reply is no base64 or text, or its url is none"
    assert answer["warnings"] == [
        f"entry 13 of the log cannot be read: {no_text}",
        f"entry 12 of the log (127.0.0.1) cannot be read: {shape}",
        f"entry 11 of the log (127.0.0.1) cannot be read: {no_text}",
        f"entry 10 of the log (127.0.0.1) cannot be read: {shape}",
        "entry 9 of the log (127.0.0.1) cannot be read: value is missing",
        *(f"entry {number} of the log cannot be read: {shape}" for number in (8, 7, 6, 5, 4)),
        "3 more entries of the log cannot be read",
    ]


async def test_replies_that_the_file_does_not_have_are_counted(home: RestHome) -> None:
    """A browser leaves them out if it has let go of them, or was not asked to store them."""
    url = home.endpoint.url
    large = entry(f"{url}/canary", "")
    large["response"]["content"] = {"mimeType": "application/json", "size": 4711}
    other = entry("http://other.example/canary", "")
    del other["response"]["content"]["text"]
    nothing_to_store = entry(f"{url}/moved", "")
    nothing_to_store["response"] = {"status": 302, "content": {"mimeType": "", "size": 0}}
    put(home, "page.har", har(large, other, nothing_to_store, large, entry(url, {"a": 1})))
    answer = await request(home, har="page.har", value="21.7")
    assert answer["requests"] == []
    [warning] = answer["warnings"]
    assert warning.startswith(
        "replies that are not in the file, so they were not searched: 3 (127.0.0.1, other.example)"
    )
    assert "canary" not in warning


async def test_a_value_that_is_escaped_in_the_reply(home: RestHome) -> None:
    escaped = '{"raum": "K\\u00fcche \\/ Flur \\"unten\\""}'
    put(home, "page.har", har(entry(home.endpoint.url, escaped)))
    answer = await request(home, har="page.har", value='Küche / Flur "unten"')
    [found] = answer["requests"]
    config = await block(home, found["yaml"], {"127_0_0_1_x_token": "t"})
    assert config["sensor"][0]["value_template"] == "{{ value_json.raum }}"


async def test_a_value_far_down_in_the_reply(home: RestHome) -> None:
    values = {f"v{number}": number for number in range(200)} | {"far": "canary-21.7"}
    put(home, "page.har", har(entry(home.endpoint.url, values)))
    answer = await request(home, har="page.har", value="canary-21.7")
    [found] = answer["requests"]
    config = await block(home, found["yaml"], {"127_0_0_1_x_token": "t"})
    assert [sensor["name"] for sensor in config["sensor"]] == ["Far"]


EXPECTED = "expected http:// or https://, then a host"


async def test_requests_with_the_value_that_are_left_out_are_named(home: RestHome) -> None:
    urls = [*(f"{home.endpoint.url}/{number}" for number in range(7)), "ftp://h/canary"]
    put(home, "page.har", har(*(entry(url, {"temp": 21.7}) for url in urls)))
    answer = await request(home, har="page.har", value="21.7")
    assert "canary" not in str(answer["warnings"])
    assert (len(answer["requests"]), answer["warnings"]) == (
        4,
        [
            "3 more requests have the value: give more of what is on the page",
            f"h: resource gives no http or https URL but ftp://h; {EXPECTED} (resource)",
        ],
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none.har", "there is no such file"),
        ("../outside.har", "the file is not in the configuration folder"),
        ("/etc/passwd", "the file is not in the configuration folder"),
        ("wrong.har", "it is no HAR file"),
        ("list.har", "it is no HAR file"),
    ],
)
async def test_a_file_that_is_none(home: RestHome, name: str, error: str) -> None:
    put(home, "wrong.har", b"canary")
    put(home, "list.har", b'{"log": {"entries": {"canary": 1}}}')
    with pytest.raises(ServiceValidationError) as caught:
        await request(home, har=name, value="1")
    assert error in str(caught.value)
    assert "canary" not in str(caught.value)


async def test_a_file_needs_a_value_to_look_for(home: RestHome) -> None:
    with pytest.raises(ServiceValidationError, match="value"):
        await request(home, har="page.har")


async def test_administrators_alone(home: RestHome) -> None:
    await request(home, curl=f"curl {home.endpoint.url}/values")
    await home.hass.auth.async_create_user("owner", group_ids=[GROUP_ID_ADMIN])
    user = await home.hass.auth.async_create_user("user", group_ids=[GROUP_ID_USER])
    for data in ({"curl": f"curl {home.endpoint.url}/values"}, {"har": "a.har", "value": "1"}):
        with pytest.raises(Unauthorized):
            await request(home, user.id, **data)
    assert home.endpoint.count("/values") == 1


async def test_what_a_server_says_is_no_secret(home: RestHome) -> None:
    home.endpoint.set("/a", Answer.of({"!secret x": 1, "SECRET.x.SECRET": 2}))
    answer = await request(home, curl=f"curl {home.endpoint.url}/a")
    config = await block(home, answer["yaml"], {})
    assert len(config["sensor"]) == 2
