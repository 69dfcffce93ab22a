"""Whatever is written into a REST sensor's YAML or comes over its wire: documented errors only."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from homeassistant.core import HomeAssistant
from hypothesis import HealthCheck, given, settings, strategies as st
import orjson
import pytest
import voluptuous as vol

from custom_components.rest import large_json
from custom_components.rest.attributes import pick
from custom_components.rest.failure import PollError, retry_after
from custom_components.rest.headers import is_header_value, pairs
from custom_components.rest.large_json import TooManyError
from custom_components.rest.reply import ABSENT, Reply
from custom_components.rest.request import Request, http_url
from custom_components.rest.schema import ENTRY_SCHEMA, PLATFORM_SCHEMA
from tests.rest.test_config import FORMS

pytestmark = pytest.mark.reliability

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(
        ["{{", "{{ x }}", "{{ 1/0 }}", "http://[", "//h", "http://h:99999/", "a\r\nb"]
    )
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=12,
)
KEYS = [str(key) for key in ENTRY_SCHEMA.schema]
GOOD: dict[str, Any] = {"platform": "rest", "resource": "http://h/", "name": "x"}
IN_HASS = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PLAIN = settings(max_examples=1000, deadline=None)


@IN_HASS
@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=5), st.booleans())
def test_yaml(hass: HomeAssistant, entry: dict[str, Any], is_complete: bool) -> None:  # noqa: ARG001  (templates need it)
    """An entry is refused with `vol.Invalid`, or makes a request that renders or says why not."""
    try:
        config = PLATFORM_SCHEMA(GOOD | entry if is_complete else entry)
    except vol.Invalid:
        return
    request = Request.from_config(config)
    assert hash(request) == hash(Request.from_config(config))
    try:
        call = request.render()
    except PollError:
        pass
    else:
        assert call.url.scheme in ("http", "https")
        assert all(is_header_value(value) for _, value in call.headers)


@PLAIN
@given(ANYTHING | st.text(alphabet="aA:-\r\n\t \x00ü"))
def test_headers(value: object) -> None:
    """Headers in any form are pairs with valid names, or a `ValueError`."""
    try:
        found = pairs(value)
    except ValueError:
        pass
    else:
        assert all(name.isascii() and not set(name) & set(" :\r\n\t\0") for name in found)


@PLAIN
@given(st.data())
def test_headers_as_people_write_them(data: st.DataObject) -> None:
    """A form of the documentation with something in the wrong place."""
    text = data.draw(st.sampled_from(FORMS))
    at = data.draw(st.integers(0, len(text)))
    try:
        found = pairs(text[:at] + data.draw(st.text(max_size=3)) + text[at:])
    except ValueError:
        return
    assert all(found)


@PLAIN
@given(st.text() | st.from_regex(r"https?://\S*", fullmatch=True))
def test_urls(text: str) -> None:
    """A URL is one of http or https with a host, or a `PollError`."""
    try:
        url = http_url("resource", text)
    except PollError:
        pass
    else:
        assert url.scheme in ("http", "https")
        assert url.host


@PLAIN
@given(st.text() | st.from_regex(r"\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ [+-]?\w+", fullmatch=True))
def test_retry_after(header: str) -> None:
    """A Retry-After is a number of seconds up to a day, or ignored."""
    seconds = retry_after(header)
    assert seconds is None or 0 <= seconds <= 86400


NAMES = st.sampled_from(
    [None, "utf-8", "utf-16", "utf-7", "cp1252", "idna", "punycode", "hex", "unicode_escape", ""]
)


@settings(max_examples=200, deadline=None)
@given(
    st.binary() | st.text().map(str.encode) | ANYTHING.map(lambda value: repr(value).encode()),
    st.sampled_from(["application/json", "text/xml", "", "text/html"]),
    NAMES,
)
def test_replies(body: bytes, content_type: str, charset: str | None) -> None:
    """Any bytes of any type and encoding are a text, and perhaps JSON."""
    reply = Reply(body=body, content_type=content_type, charset=charset)
    reply.parse(text=True)
    assert isinstance(reply.value, str)
    with suppress(ValueError):
        assert isinstance(pick(reply.json, ["a"], None), dict)


@PLAIN
@given(
    st.recursive(
        st.sampled_from(["1", '"a"', "null", '"\\""', "x"]),
        lambda inner: (
            st.lists(inner).map(lambda items: "[" + ",".join(items) + "]")
            | st.lists(inner).map(lambda items: "{" + ",".join(f'"k":{i}' for i in items) + "}")
        ),
        max_leaves=30,
    ),
    st.data(),
)
def test_large_json(text: str, data: st.DataObject) -> None:
    """Cut into pieces and damaged, a document is what orjson takes it for, or a `ValueError`."""
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(st.text(alphabet='[]{},:" \\1a', max_size=3))
    body = (text[:at] + put + text[at + data.draw(st.integers(0, 3)) :]).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_json, "WHOLE", 0)
        patch.setattr(large_json, "PIECE", data.draw(st.integers(1, 12)))
        patch.setattr(large_json, "WINDOW", data.draw(st.integers(2, 9)))
        assert _outcome(large_json.loads, body) == _outcome(orjson.loads, body)


def _outcome(loads: Callable[[bytes], object], body: bytes) -> object:
    try:
        return loads(body)
    except ValueError, TooManyError:
        return ABSENT
