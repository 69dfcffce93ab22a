"""The JSON of a discovery message, without a broker."""

import contextlib
from typing import Any

from homeassistant.helpers.json import json_dumps
from hypothesis import given, settings as hypothesis_settings, strategies as st
import pytest

from custom_components.mqtt_binary.discovery.message import (
    BadPayloadError,
    components_of,
    config_of,
    is_migration,
    parse,
    settings_of,
    unknown_of_device,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "~",
        "state_topic",
        "stat_t",
        "avty",
        "avty_t",
        "device",
        "dev",
        "uniq_id",
        "unique_id",
        "qos",
        "payload_on",
        "pl_off",
        "val_tpl",
        "off_dly",
        "exp_aft",
        "name",
        "e",
        "dev_cla",
        "ic",
        "ent_cat",
        "ent_pic",
        "en",
        "grp",
        "json_attr_t",
        "json_attr_tpl",
        "avty_mode",
        "origin",
    ]
)


def test_the_base_stands_at_either_end_of_any_topic() -> None:
    settings, unknown = settings_of(parse('{"~": "a", "stat_t": "~/b~", "avty_t": "~"}'))
    assert settings.state_topic == "a/ba"
    assert settings.availability[0].topic == "a"
    assert unknown == []


def test_a_bad_key_is_named_where_it_stands() -> None:
    with pytest.raises(BadPayloadError, match=r"availability\.0\.topic"):
        settings_of(parse('{"stat_t": "a", "avty": {"t": "#/#"}}'))


@pytest.mark.usefixtures("hass")
@hypothesis_settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS, JSON | st.just("topic"), max_size=6))
def test_any_json_object_is_read_or_refused(config: dict[str, Any]) -> None:
    with contextlib.suppress(BadPayloadError):
        assert settings_of(parse(json_dumps(config)))[0].state_topic


PARTS = st.dictionaries(KEYS | st.sampled_from(["p", "platform"]), JSON | st.just("topic"))
CHILDREN = st.lists(
    st.dictionaries(st.sampled_from(["ids", "name", "cmps", "e"]), JSON | PARTS), max_size=3
)
MESSAGES = st.dictionaries(
    KEYS | st.sampled_from(["cmps", "components", "cdevs", "migr_discvry"]),
    JSON | PARTS | CHILDREN | st.dictionaries(st.text(), JSON | PARTS, max_size=3),
    max_size=6,
)


@pytest.mark.usefixtures("hass")
@hypothesis_settings(max_examples=300, deadline=None)
@given(MESSAGES)
def test_each_component_of_any_message_is_read_or_refused(config: dict[str, Any]) -> None:
    with contextlib.suppress(BadPayloadError):
        message = parse(json_dumps(config))
        if is_migration(message):
            return
        components = components_of(message)
        assert not {"device", "components"} & {*unknown_of_device(message)}
        for component in components.values():
            with contextlib.suppress(BadPayloadError):
                platform, merged = config_of(message, component)
                assert isinstance(platform, str)
                if merged and platform == "binary_sensor":
                    assert settings_of(merged)[0].device is not None
