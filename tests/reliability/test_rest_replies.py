"""A REST sensor takes no harm from any reply: it shows it, or says why not, and goes on."""

import asyncio
import json
import logging

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import State
import pytest

from tests.rest.home import RestHome, apart
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer, Handler
from virtual_home.endpoint_faults import raw

pytestmark = pytest.mark.reliability

MIB = 1024 * 1024
ENTRY = (
    "- platform: rest\n  resource: {url}\n  name: x\n  scan_interval: 3600\n  timeout: 60\n"
    "  json_attributes: [a, b]\n"
    "  value_template: '{{{{ value_json is defined }}}} {{{{ value | length }}}}'\n"
)
DOCUMENT = json.dumps({"a": list(range(100)), "b": "ü" * 100}).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WITH_LENGTH = HEAD + b"Content-Length: %d\r\n\r\n" % len(DOCUMENT) + DOCUMENT
IN_CHUNKS = (
    HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + b"".join(b"32\r\n" + DOCUMENT[at : at + 50] + b"\r\n" for at in range(0, 1000, 50))
    + b"%x\r\n" % (len(DOCUMENT) - 1000)
    + DOCUMENT[1000:]
    + b"\r\n0\r\n\r\n"
)


def sends(data: bytes) -> Handler:
    """Answer with these bytes, then close."""
    return lambda request: raw(request, data)


@pytest.mark.parametrize("reply", [WITH_LENGTH, IN_CHUNKS], ids=["length", "chunks"])
async def test_a_reply_cut_at_every_tenth_byte(rest_home: RestHome, reply: bytes) -> None:
    """Half a reply is never taken for a whole one, and the whole one is taken afterwards."""
    rest_home.endpoint.set("/x", sends(reply))
    await rest_home.set_up(ENTRY.format(url="URL/x"))
    whole = (await rest_home.state(lambda state: state.state.startswith("True"), "sensor.x")).state
    for position in range(0, len(reply), 10):
        rest_home.endpoint.set("/x", sends(reply[:position]))
        await rest_home.update("sensor.x")
        await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    rest_home.endpoint.set("/x", sends(reply))
    await rest_home.update("sensor.x")
    assert (await rest_home.state(whole, "sensor.x")).attributes["b"] == "ü" * 100


async def test_every_byte_of_a_reply_flipped(rest_home: RestHome) -> None:
    """Each poll ends with a value or a failure, never with a mistake of ours."""
    reply = HEAD + b'Content-Length: 8\r\n\r\n{"a": 1}'
    await rest_home.set_up(ENTRY.format(url="URL/x").replace("timeout: 60", "timeout: 1"))
    for position in range(len(reply)):
        flipped = bytearray(reply)
        flipped[position] ^= 0xFF
        rest_home.endpoint.set("/x", sends(bytes(flipped)))
        await rest_home.update("sensor.x")
    assert "internal error" not in "".join(rest_home.log())
    rest_home.endpoint.set("/x", sends(reply))
    await rest_home.update("sensor.x")
    await rest_home.state("True 8", "sensor.x")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/fault/drip/0.01", "no complete reply within 1 s"),
        ("/fault/endless", "the reply is larger than max_size, 8 MiB"),
        (f"/fault/huge/{50 * MIB}", "the reply is larger than max_size, 8 MiB"),
        (f"/fault/bomb/{1024 * MIB}", "the reply is larger than max_size, 8 MiB"),
        ("/digits", "the reply is larger than max_size, 8 MiB"),
    ],
)
async def test_too_much_is_refused(rest_home: RestHome, path: str, reason: str) -> None:
    """In time, with a reason; and the next reply is taken."""
    async with apart(Endpoint()) as endpoint:
        endpoint.set("/digits", b"1" * (50 * 1000 * 1000))
        yaml = ENTRY.format(url=endpoint.url + path)
        await rest_home.set_up(
            yaml.replace("timeout: 60", "timeout: 1") if "1 s" in reason else yaml
        )
        await rest_home.state(STATE_UNAVAILABLE, "sensor.x", timeout=60)
        assert f"data: {reason}; next try in" in rest_home.log()[0]
        endpoint.set(path, {"a": 1})
        await rest_home.update("sensor.x")
        assert (await rest_home.state("True 8", "sensor.x")).attributes["a"] == 1


ABSENT = {
    "100,000 deep": "[" * 100_000 + "]" * 100_000,
    "100,000 deep, maps": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "three million deep": "[" * 3_000_000 + "]" * 3_000_000,
    "NaN": '{"a": NaN}',
    "infinity": '{"a": Infinity}',
    "minus infinity": '{"a": -Infinity}',
    "too large a number": '{"a": 1e999}',
    "large with NaN": "[" + "1," * MIB + "NaN]",
    "7 MB of digits": "1" * 7_000_000,
    "7 MB of digits in a list": "[" + "1" * 7_000_000 + "]",
    "a lone surrogate": '{"a": "\\ud800"}',
    "a surrogate the wrong way round": '{"a": "\\udc00\\ud800"}',
    "nothing": "",
    "a control code": '{"a": "\x01"}',
}
PRESENT: dict[str, tuple[str | bytes, object]] = {
    "duplicate keys": ('{"a": 1, "a": 2, "a": {"b": 3, "b": 4}}', {"b": 4}),
    "duplicate keys, large": ('{"a": 1, "b": "' + "x" * 3 * MIB + '", "a": 2}', 2),
    "5,000 digits": ('{"a": 1' + "0" * 5000 + "}", None),
    "an integer beyond 64 bits": ('{"a": 18446744073709551616}', 2.0**64),
    "invalid UTF-8": (b'{"a": "\xff\xc3("}', "\ufffd\ufffd("),
    "surrogates in UTF-8": (b'{"a": "\xed\xa0\x80"}', "\ufffd\ufffd\ufffd"),
    "a zero byte in a text": ('{"a": "\\u0000"}', "\0"),
    "a pair of surrogates": ('{"a": "\\ud83d\\ude00"}', "\U0001f600"),
}


@pytest.mark.parametrize("kind", ABSENT)
async def test_what_is_no_json(rest_home: RestHome, kind: str) -> None:
    """No JSON, no attributes, one warning; the text is the value all the same."""
    rest_home.endpoint.set("/x", Answer(body=ABSENT[kind].encode()))
    await rest_home.set_up(ENTRY.format(url="URL/x"))
    state = await rest_home.state(f"False {len(ABSENT[kind])}", "sensor.x", timeout=60)
    assert "a" not in state.attributes
    assert "internal error" not in "".join(rest_home.log())
    assert len(rest_home.log()) == 1


@pytest.mark.parametrize("kind", PRESENT)
async def test_what_is_odd_but_json(rest_home: RestHome, kind: str) -> None:
    """The last of equal keys counts; bytes that fit no encoding are replaced."""
    body, expected = PRESENT[kind]
    rest_home.endpoint.set("/x", Answer(body=body if isinstance(body, bytes) else body.encode()))
    await rest_home.set_up(ENTRY.format(url="URL/x"))

    def known(state: State) -> bool:
        return state.state.startswith(("True", "False"))

    state = await rest_home.state(known, "sensor.x", timeout=60)
    assert state.attributes.get("a") == expected


@pytest.mark.parametrize("number", [*range(9), *range(10, 32), 127])
async def test_no_header_is_injected_through_a_template(rest_home: RestHome, number: int) -> None:
    """A control code in a rendered header: nothing is sent, and the header is named."""
    await rest_home.set_up(
        ENTRY.format(url="URL/x")
        + "  headers: {X-A: \"{{ 'a"
        + f"\\\\x{number:02x}"
        + "X-Canary: 1' }}\"}\n"
    )
    await rest_home.state(STATE_UNAVAILABLE, "sensor.x")
    assert rest_home.endpoint.count() == 0
    assert (
        "headers 'X-A' rendered to a text with line breaks or control codes" in rest_home.log()[0]
    )


async def test_nothing_is_injected_through_url_and_parameters(rest_home: RestHome) -> None:
    """Line breaks there are encoded or refused; one request arrives, without a new header."""
    bad = "a\\\\r\\\\nX-Canary: 1\\\\r\\\\n\\\\r\\\\nGET /second HTTP/1.1"
    rest_home.endpoint.set("/x", "1")
    await rest_home.set_up(
        ENTRY.format(url="URL/x") + "  params: {p: \"{{ '" + bad + "' }}\"}\n"
        "- platform: rest\n  name: y\n  resource_template: \"{{ 'URL/x?" + bad + "' }}\"\n"
    )
    await rest_home.state(lambda state: state.state != "unknown", "sensor.x")
    await rest_home.state(lambda state: state.state != "unknown", "sensor.y")
    await asyncio.sleep(0.05)
    assert rest_home.endpoint.count("/second") == 0
    assert {request.path for request in rest_home.endpoint.requests} == {"/x"}
    assert all("X-Canary" not in request.headers for request in rest_home.endpoint.requests)
    assert not rest_home.log(logging.ERROR)
