"""Whatever is written into a REST sensor's YAML or comes over its wire: documented errors only."""

from contextlib import suppress
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.update_coordinator import UpdateFailed
from hypothesis import HealthCheck, example, given, settings, strategies as st
import pytest
import voluptuous as vol

from custom_components.rest.config import CONFIG_SCHEMA
from custom_components.rest.polling.errors import retry_after
from custom_components.rest.polling.request import ConfiguredRequest, is_header_value
from custom_components.rest.polling.urls import http_url
from custom_components.rest.reply.attributes import pick
from custom_components.rest.reply.reply import Content
from custom_components.rest.schema import (
    REQUEST_KEYS,
    SENSOR_KEYS,
    SENSOR_PLATFORM_SCHEMA,
    header_pairs,
)
from tests.rest.forms import FORMS

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
KEYS = [str(key) for key in {**REQUEST_KEYS, **SENSOR_KEYS}]
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
        config = SENSOR_PLATFORM_SCHEMA(GOOD | entry if is_complete else entry)
    except vol.Invalid:
        return
    request = ConfiguredRequest.from_config(config)
    assert hash(request) == hash(ConfiguredRequest.from_config(config))
    try:
        rendered = request.render(None, lambda _: None)
    except UpdateFailed:
        pass
    else:
        assert rendered.url.scheme in ("http", "https")
        assert all(is_header_value(value) for _, value in rendered.headers)


@IN_HASS
@given(st.dictionaries(st.sampled_from([*KEYS, "sensor", "binary_sensor"]), ANYTHING, max_size=5))
def test_blocks(hass: HomeAssistant, block: dict[str, Any]) -> None:  # noqa: ARG001  (templates need it)
    """A `rest:` block is refused with `vol.Invalid`, or makes a request."""
    resource = {"resource": "http://h/"}
    try:
        (config,) = CONFIG_SCHEMA({"rest": resource | block})["rest"]
    except vol.Invalid:
        return
    assert ConfiguredRequest.from_config(config).max_size > 0


@PLAIN
@given(ANYTHING | st.text(alphabet="aA:-\r\n\t \x00ü"))
def test_headers(value: object) -> None:
    """Headers in any form are pairs with valid names, or a `ValueError`."""
    try:
        found = header_pairs(value)
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
        found = header_pairs(text[:at] + data.draw(st.text(max_size=3)) + text[at:])
    except ValueError:
        return
    assert all(found)


@PLAIN
@given(st.text() | st.from_regex(r"https?://\S*", fullmatch=True))
def test_urls(text: str) -> None:
    """A URL is one of http or https with a host, or a `ValueError`."""
    try:
        url = http_url(text)
    except ValueError:
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
@example(b"\\\x00", "application/json", "unicode_escape")
@example(b"\\\n", "text/xml", "unicode_escape")
@example(b"\\777", "text/html", "unicode_escape")
def test_replies(body: bytes, content_type: str, charset: str | None) -> None:
    """Any bytes of any type and encoding are a text, and perhaps JSON."""
    reply = Content(body, content_type=content_type, charset=charset)
    reply.parse()
    assert isinstance(reply.value, str)
    with suppress(ValueError):
        assert isinstance(pick(reply.json, ["a"], None), dict)
