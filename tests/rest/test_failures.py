"""What a user sees of an endpoint that is down, slow, wrong or hostile."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
import gzip
import logging
from unittest.mock import AsyncMock

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.helpers import aiohttp_client
from homeassistant.helpers.aiohttp_client import HassAsyncDNSResolver, SSRFRedirectError
import pytest
from zeroconf.asyncio import AsyncZeroconf

from custom_components.rest import sensor
from custom_components.rest.polling import client
from custom_components.rest.polling.coordinator import async_coordinators
from custom_components.rest.polling.errors import reason_of, retry_after
from tests.home import until
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer

from .home import RestHome

ENTRY = "- platform: rest\n  resource: URL{path}\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/status/404", "status 404"),
        ("/status/500", "status 500"),
        ("/status/304", "status 304"),
        ("/slow/5", "no complete reply within 1 s"),
        ("/fault/drip/0.3", "no complete reply within 1 s"),
        ("/fault/reset", "the connection was closed before a reply arrived"),
        ("/fault/half", "the reply broke off or could not be unpacked"),
        ("/fault/garbage", "the reply is no valid HTTP"),
        ("/fault/cut/0", "the connection was closed before a reply arrived"),
        ("/fault/cut/30", "the connection was closed before a reply arrived"),
        ("/fault/huge/8388609", "the reply is larger than max_size, 8 MiB"),
        ("/fault/endless", "the reply is larger than max_size, 8 MiB"),
        ("/fault/bomb/", "the reply is larger than max_size, 8 MiB"),
        ("/redirect/11", "more than 10 redirects"),
        ("/redirect?to=/redirect?to=/redirect", "more than 10 redirects"),
        ("/redirect?to=ftp://h/", "the redirect gives no http or https URL but ftp://h"),
        ("/redirect?to=file:///etc/passwd", "the redirect gives no http or https URL"),
        ("/redirect?to=http://[", "the redirect gives no http or https URL"),
    ],
)
async def test_a_failure_has_a_reason(home: RestHome, path: str, reason: str) -> None:
    patience = 1 if "1 s" in reason else 10
    home.endpoint.set("/loop", Answer(status=302, headers={"Location": "/loop"}))
    if path.startswith("/redirect?to=/redirect"):
        path = "/loop"
    await home.set_up(ENTRY.format(path=path) + f"  timeout: {patience}\n  scan_interval: 60\n")
    await home.state(STATE_UNAVAILABLE)
    (message,) = home.log()
    shown = f"Error fetching {home.endpoint.url} (sensor.rest_sensor) data: {reason}"
    assert message.startswith(shown)
    assert message.endswith("; next try in 30 s")


@pytest.mark.parametrize(
    ("packing", "times", "named"),
    [
        ("x-gzip", 1, "x-gzip"),
        ("gzip, gzip", 2, "gzip, gzip"),
        ("deflate,X-GZIP", 1, "deflate, x-gzip"),
        ("canary", 1, "gzip"),
    ],
)
async def test_what_stays_packed_is_no_value(
    home: RestHome, packing: str, times: int, named: str
) -> None:
    body = b"21.5"
    for _ in range(times):
        body = gzip.compress(body)
    home.endpoint.set("/x", Answer(body=body, headers={"Content-Encoding": packing}))
    await home.set_up(ENTRY.format(path="/x"))
    await home.state(STATE_UNAVAILABLE)
    reason = f"the reply is packed with {named}, which Home Assistant cannot unpack"
    assert reason in home.log()[0]
    assert "canary" not in home.log()[0]


async def test_a_content_encoding_that_is_none_is_left_out(home: RestHome) -> None:
    """Some devices send the encoding of their text as `Content-Encoding`."""
    home.endpoint.set("/x", Answer(body=b"21.5", headers={"Content-Encoding": "UTF-8"}))
    await home.set_up(ENTRY.format(path="/x"))
    await home.state("21.5")


@pytest.mark.parametrize(("limit", "size"), [("", 8), ("  max_size: 12 MiB\n", 12)])
async def test_a_reply_as_large_as_allowed(home: RestHome, limit: str, size: int) -> None:
    size *= 1024 * 1024
    length = "  value_template: '{{ value | length }}'\n"
    await home.set_up(
        ENTRY.format(path=f"/fault/huge/{size}")
        + length
        + limit
        + ENTRY.format(path=f"/fault/huge/{size + 1}")
        + "  name: more\n"
        + limit
    )
    await home.state(str(size), timeout=30)
    await home.state(STATE_UNAVAILABLE, "sensor.more", timeout=30)


async def test_a_smaller_limit(home: RestHome) -> None:
    await home.set_up(ENTRY.format(path="/size/1000") + "  max_size: 999\n")
    await home.state(STATE_UNAVAILABLE)
    assert "the reply is larger than max_size, 999 bytes" in home.log()[0]


@pytest.mark.parametrize("size", [1, 7])
async def test_chunks_however_small(home: RestHome, size: int) -> None:
    await home.set_up(ENTRY.format(path=f"/fault/chunked/{size}"))
    await home.state('{"temperature": 21.5}')


async def test_every_cut_is_a_failure(home: RestHome) -> None:
    await home.set_up(
        "".join(ENTRY.format(path=f"/fault/cut/{n}") + f"  name: c{n}\n" for n in range(0, 98, 10))
    )
    for n in range(0, 98, 10):
        await home.state(STATE_UNAVAILABLE, f"sensor.c{n}")


async def test_one_warning_and_one_info(home: RestHome) -> None:
    await home.endpoint.stop()
    await home.set_up("".join(ENTRY.format(path="/values") + f"  name: s{n}\n" for n in range(3)))
    await home.state(STATE_UNAVAILABLE, "sensor.s2")
    for _ in range(4):
        await home.update("sensor.s0")
    (lost,) = home.log(logging.INFO)
    who = f"{home.endpoint.url} (sensor.s0, sensor.s1, sensor.s2)"
    assert lost.startswith(f"Error fetching {who} data: cannot connect: ")
    assert lost.endswith("; next try in 30 s")
    await home.endpoint.start()
    await home.passes(31)
    await home.state(lambda state: "counter" in state.state, "sensor.s0")
    assert home.log(logging.INFO)[1:] == [f"Fetching {who} data recovered"]


async def test_attributes_and_value_come_back(home: RestHome) -> None:
    home.endpoint.set("/x", {"a": 1}, Answer.of("down", status=500), {"a": 2})
    await home.set_up(ENTRY.format(path="/x") + "  json_attributes: a\n  value_template: OK\n")
    await home.state("OK")
    await home.update()
    assert "a" not in (await home.state(STATE_UNAVAILABLE)).attributes
    await home.update()
    assert (await home.state("OK")).attributes["a"] == 2


async def test_max_failures_keeps_the_value_for_a_while(home: RestHome) -> None:
    bad = Answer.of("down", status=500)
    home.endpoint.set("/x", {"a": 1}, bad, bad, {"a": 2}, bad, bad, bad, bad, {"a": 3})
    await home.set_up(
        ENTRY.format(path="/x")
        + "  json_attributes: a\n  value_template: OK\n  max_failures: 3\n"
        + ENTRY.format(path="/x")
        + "  name: strict\n"
    )
    await home.state("OK")
    seen = []
    for _ in range(8):
        await home.update("sensor.rest_sensor")
        state = home.hass.states.get("sensor.rest_sensor")
        strict = home.hass.states.get("sensor.strict")
        assert state
        assert strict
        seen.append((state.state, state.attributes.get("a"), strict.state))
    lost = (STATE_UNAVAILABLE, None, STATE_UNAVAILABLE)
    assert seen == [
        ("OK", 1, STATE_UNAVAILABLE),
        ("OK", 1, STATE_UNAVAILABLE),
        ("OK", 2, '{"a": 2}'),
        ("OK", 2, STATE_UNAVAILABLE),
        ("OK", 2, STATE_UNAVAILABLE),
        lost,
        lost,
        ("OK", 3, '{"a": 3}'),
    ]


async def test_without_a_value_the_first_failure_counts(home: RestHome) -> None:
    await home.set_up(ENTRY.format(path="/status/500") + "  max_failures: 5\n")
    await home.state(STATE_UNAVAILABLE)


@pytest.mark.parametrize(
    ("interval", "waits"), [(300, [30, 60, 120, 240, 300, 300]), (10, [10, 10]), (45, [30, 45])]
)
async def test_back_off(home: RestHome, interval: int, waits: list[int]) -> None:
    await home.set_up(ENTRY.format(path="/status/500") + f"  scan_interval: {interval}\n")
    await home.state(STATE_UNAVAILABLE)

    (coordinator,) = async_coordinators(home.hass).active()
    for number, wait in enumerate(waits, 1):
        await until(lambda: coordinator.failures == number)  # noqa: B023  (at once)
        await asyncio.sleep(0.01)
        await home.passes(wait - 3)
        await asyncio.sleep(0.03)
        assert home.endpoint.count() == number
        await home.passes(wait + 1)
        await home.polls("/status/500", number + 1)


async def test_retry_after(home: RestHome) -> None:
    await home.set_up(ENTRY.format(path="/status/429?retry_after=100") + "  scan_interval: 5\n")
    await home.state(STATE_UNAVAILABLE)
    assert home.log()[0].endswith("data: status 429; next try in 100 s")
    await home.passes(95)
    await asyncio.sleep(0.05)
    assert home.endpoint.count() == 1
    await home.update()
    assert home.endpoint.count() == 2
    await home.passes(101)
    await home.polls("/status/429", 3)


async def test_retry_after_of_a_503_shorter_than_the_back_off(home: RestHome) -> None:
    await home.set_up(ENTRY.format(path="/status/503?retry_after=1") + "  scan_interval: 300\n")
    await home.state(STATE_UNAVAILABLE)
    assert home.log()[0].endswith("next try in 30 s")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120),
        (" 7 ", 7),
        ("0", 0),
        ("999999999", 86400),
        ("9" * 400, 86400),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("Sat, 21 Nov 2026 09:01:40 GMT", 100),
        ("Sat, 21 Nov 2026 08:00:00 GMT", 0),
        ("Sat, 21 Nov 2099 08:00:00 GMT", 86400),
        ("Sat, 41 Nov 2026 08:00:00 GMT", None),
    ],
)
def test_retry_after_values(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, date="Sat, 21 Nov 2026 09:00:00 GMT") == seconds


@pytest.mark.parametrize("date", [None, "", "yesterday", "Sat, 32 Nov 2026 09:00:00 GMT"])
def test_retry_after_counts_from_now(date: str | None) -> None:
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert 55 < (retry_after(header, date=date) or 0) <= 60


@pytest.mark.parametrize("hours", [-9, 9])
async def test_retry_after_counts_by_the_servers_clock(home: RestHome, hours: int) -> None:
    clock = datetime.now(UTC) + timedelta(hours=hours)
    headers = {
        "Date": format_datetime(clock, usegmt=True),
        "Retry-After": format_datetime(clock + timedelta(seconds=77), usegmt=True),
    }
    home.endpoint.set("/x", Answer(status=429, headers=headers))
    await home.set_up(ENTRY.format(path="/x"))
    await home.state(STATE_UNAVAILABLE)
    assert home.log()[0].endswith("status 429; next try in 77 s")


async def test_valid_status(home: RestHome) -> None:
    await home.set_up(
        ENTRY.format(path="/status/404")
        + "  valid_status: 404\n"
        + ENTRY.format(path="/values")
        + "  name: other\n  valid_status: [404, 301]\n"
    )
    await home.state('{"message": "status 404"}')
    await home.state(STATE_UNAVAILABLE, "sensor.other")


async def test_the_timeout_is_for_all_redirects_together(home: RestHome) -> None:
    """No hop alone takes as long."""
    hops = 4
    for hop in range(hops):
        to = {"Location": f"/hop/{hop + 1}"}
        home.endpoint.set(f"/hop/{hop}", Answer(status=302, headers=to, delay=0.4))
    home.endpoint.set(f"/hop/{hops}", "1")
    await home.set_up(ENTRY.format(path="/hop/0") + "  timeout: 1\n")
    await home.state(lambda state: state.state in ("1", STATE_UNAVAILABLE))
    assert "data: no complete reply within 1 s" in home.log()[0]
    assert home.endpoint.count("/hop/3") == 0


async def test_redirects_are_followed(home: RestHome) -> None:
    await home.set_up(
        ENTRY.format(path="/redirect/10")
        + ENTRY.format(path="/redirect/1")
        + "  name: posted\n  method: POST\n  payload: x\n"
    )
    await home.state(lambda state: "counter" in state.state)
    await home.state(lambda state: "counter" in state.state, "sensor.posted")
    posted = home.endpoint.received("/redirect/1")[-1]
    assert posted.method in ("GET", "POST")
    assert all(request.method == "GET" for request in home.endpoint.received("/values"))


@pytest.mark.parametrize("status", [307, 308])
async def test_a_payload_follows_to_the_same_origin_only(home: RestHome, status: int) -> None:
    async with Endpoint() as other:
        home.endpoint.set("/near", Answer(status=status, headers={"Location": "/values"}))
        far = {"Location": other.url + "/values"}
        home.endpoint.set("/far", Answer(status=status, headers=far))
        post = "  method: POST\n  payload: canary\n"
        await home.set_up(
            ENTRY.format(path="/near") + post + ENTRY.format(path="/far") + post + "  name: far\n"
        )
        await home.state(lambda state: "counter" in state.state)
        await home.state(STATE_UNAVAILABLE, "sensor.far")
        assert home.endpoint.received("/values")[0].body == b"canary"
        assert other.count() == 0
        assert "the payload is not sent" in home.log()[0]


async def test_a_mistake_of_ours_is_a_failure_and_polls_go_on(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistake(*_: object) -> None:
        raise KeyError("can" + "ary")  # the trace shows this line

    with monkeypatch.context() as patch:
        patch.setattr(client.Client, "_session", mistake)
        await home.set_up(ENTRY.format(path="/values"))
        await home.state(STATE_UNAVAILABLE)
    trace, message = home.log()
    assert "internal error, please report it: KeyError in mistake" in message
    assert trace.startswith("Unexpected error polling http://127.0.0.1")
    assert "in _exchange\n" in trace
    assert "canary" not in home.whole_log
    await home.passes(31)
    await home.state(lambda state: "counter" in state.state)


async def test_one_sensors_trouble_is_its_own(
    home: RestHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def picky(text: str, _: object) -> str:
        if text == "trouble":
            raise KeyError(text)
        return text

    monkeypatch.setattr(sensor, "native_value", picky)
    good = "  name: good\n  value_template: fine\n"
    await home.set_up(
        ENTRY.format(path="/x") + "  value_template: trouble\n" + ENTRY.format(path="/x") + good
    )
    home.endpoint.set("/x", "1")
    await home.state("fine", "sensor.good")
    await home.update("sensor.good")
    await home.state("fine", "sensor.good")


def test_a_redirect_that_home_assistant_refuses() -> None:
    # From another machine to this one: no test can play the other machine.
    reason = reason_of(SSRFRedirectError("canary"))
    assert reason == "redirected to Home Assistant's own machine, which it does not follow"


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a": NaN}',
        '{"a": -Infinity}',
        "1" * 300_000,
        '{"a": "\\ud800"}',
        '{"a": 1e999}',
        '{"a": 1' + "0" * 5000 + "}",
    ],
)
async def test_nasty_json_is_no_json_but_no_fault(home: RestHome, body: str) -> None:
    home.endpoint.set("/x", body)
    await home.set_up(
        ENTRY.format(path="/x")
        + "  value_template: '{{ value_json is mapping }}'\n  json_attributes: a\n"
    )
    state = await home.state(lambda state: state.state in ("True", "False"))
    assert state.state == "False" or "1000" in body


@pytest.mark.parametrize("host", ["missing.onion", f"{'a' * 64}.invalid"])
async def test_a_host_that_has_no_address(
    home: RestHome, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The resolver that tests are given was made in another event loop.
    zeroconf = AsyncMock(AsyncZeroconf)
    resolver = HassAsyncDNSResolver(async_zeroconf=zeroconf)
    monkeypatch.setattr(aiohttp_client, "_async_make_resolver", lambda _: resolver)
    await home.set_up(f"- platform: rest\n  resource: http://{host}/\n  scan_interval: 60\n")
    await home.state(STATE_UNAVAILABLE)
    (message,) = home.log()
    assert message.startswith(
        f"Error fetching http://{host} (sensor.rest_sensor) data: host name not found"
    )
