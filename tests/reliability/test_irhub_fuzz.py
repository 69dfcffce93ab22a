"""Whatever is written in YAML, sent to an action or captured: only documented errors come out."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from homeassistant.exceptions import HomeAssistantError
from hypothesis import given, settings, strategies as st
import pytest
import voluptuous as vol

from custom_components.irhub import (
    infrared,
    radio_frequency,
    remote,
    sensor,
    switch,
)
from custom_components.irhub.actions import services
from custom_components.irhub.ircodes import from_timings, parse_text, to_base64, to_timings
from custom_components.irhub.ircodes.packet import from_bytes, kind, to_hex
from custom_components.irhub.schema import hub_settings

pytestmark = pytest.mark.reliability

many = settings(max_examples=500, deadline=None, derandomize=True, database=None)

texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="0123456789abcdefABCDEF :,xX", max_size=120),
    st.text(alphabet="+-0123456789 ,[]", max_size=120),
    st.binary(max_size=80).map(lambda data: to_base64(b"\x26\x00" + data)),
    st.tuples(
        st.sampled_from(["b64:", "hex:", "pronto:", "raw:", "HEX:"]), st.text(max_size=60)
    ).map("".join),
    st.lists(st.integers(0, 0xFFFF), max_size=20).map(
        lambda words: "0000 " + " ".join(f"{word:04x}" for word in words)
    ),
)
values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=5), texts,
        st.sampled_from(["127.0.0.1", "34:EA:34:00:00:01", "rm", "mp1", "temperature", 80, 5]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(texts, st.integers()), inner, max_size=3),
    ),
    max_leaves=8,
)  # fmt: skip
GOOD = {"platform": "irhub", "host": "127.0.0.1", "mac": "34:EA:34:00:00:01"}
KEYS = [
    "host", "mac", "port", "timeout", "min_gap", "name", "type", "retry", "scan_interval",
    "friendly_name", "switches", "slots", "monitored_conditions", "unique_id", "platform",
]  # fmt: skip
SWITCH_KEYS = ["command_on", "command_off", "repeats", "friendly_name", "name", "unique_id"]
switches = st.dictionaries(st.sampled_from(SWITCH_KEYS), values, max_size=4)
entries = st.builds(
    lambda odd, more: {**GOOD, "monitored_conditions": ["temperature"], **odd, **more},
    st.dictionaries(st.sampled_from(KEYS), values, max_size=3),
    st.one_of(
        st.just({}),
        st.fixed_dictionaries({"switches": st.dictionaries(texts, switches, max_size=2)}),
        st.fixed_dictionaries({"switches": st.lists(switches, max_size=2)}),
    ),
)


@many
@given(texts)
def test_texts_are_packets_or_mistakes(text: str) -> None:
    try:
        parsed = parse_text(text)
    except ValueError as err:
        assert str(err)  # noqa: PT017  (what it says)
        return
    assert from_bytes(parsed) == parsed
    assert parse_text(to_base64(parsed)) == parsed
    assert parse_text("hex:" + to_hex(parsed)) == parsed
    assert to_timings(parsed)


@many
@given(st.one_of(st.binary(max_size=100), st.binary(max_size=80).map(lambda b: b"\x26\0" + b)))
def test_captures_are_packets_or_mistakes(data: bytes) -> None:
    try:
        checked = from_bytes(data)
    except ValueError as err:
        assert str(err)  # noqa: PT017
        return
    assert kind(checked) in ("ir", "rf")
    assert parse_text(to_base64(checked)) == checked


@many
@given(st.lists(st.integers(-(10**7), 10**7), max_size=50), st.integers(-5, 300))
def test_timings_are_packets_or_mistakes(timings: list[int], repeats: int) -> None:
    try:
        made = from_timings(timings, repeats=repeats)
    except ValueError as err:
        assert str(err)  # noqa: PT017
        return
    assert from_bytes(made) == made


@pytest.mark.parametrize("platform", [infrared, radio_frequency, remote, sensor, switch])
def test_entries_are_valid_or_mistakes(platform: Any) -> None:  # noqa: ANN401  (modules)
    @many
    @given(entries)
    def fuzz(entry: dict[str, Any]) -> None:
        with suppress(vol.Invalid):
            assert hub_settings(platform.PLATFORM_SCHEMA(entry)).label

    fuzz()


@pytest.mark.parametrize(
    ("schema", "keys"),
    [
        (services.LEARN_SCHEMA, ["host", "timeout", "command_type", "frequency"]),
        (services.SEND_SCHEMA, ["host", "packet"]),
        (services.EXPORT_SCHEMA, ["entity_id"]),
        (services.IMPORT_SCHEMA, ["entity_id", "codes"]),
    ],
)
def test_action_data_is_valid_or_a_mistake(schema: Callable[[Any], Any], keys: list[str]) -> None:
    good = {
        "host": "127.0.0.1",
        "packet": "JgA=",
        "entity_id": "remote.x",
        "codes": {"a": {"b": "c"}},
    }

    @many
    @given(st.dictionaries(st.sampled_from(keys), values, max_size=len(keys)))
    def fuzz(data: dict[str, Any]) -> None:
        with suppress(vol.Invalid, HomeAssistantError):
            schema({**{key: good[key] for key in keys if key in good}, **data})

    fuzz()
