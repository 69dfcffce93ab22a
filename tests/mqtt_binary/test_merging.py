"""What comes of a new announcement, key by key."""

from typing import Any

import pytest

from custom_components.mqtt_binary.core_sensors.merging import apply_announcement, merge

type Config = dict[str, Any]

STATUS = {"availability_topic": "status"}
BOTH = {"availability": [{"topic": "status"}, {"topic": "bridge"}], "availability_mode": "all"}


@pytest.mark.parametrize(
    ("ours", "before", "now", "config", "overridden"),
    [
        ({"qos": 1}, {"qos": 1}, {"qos": 2}, {"qos": 2}, []),
        ({"qos": 1}, {"qos": 1}, {}, {}, []),
        ({}, {}, {"qos": 1}, {"qos": 1}, []),
        ({"qos": 2}, {"qos": 1}, {"qos": 1}, {"qos": 2}, []),
        ({"qos": 2}, {"qos": 1}, {"qos": 2}, {"qos": 2}, []),
        ({"qos": 2}, {}, {"qos": 1}, {"qos": 2}, ["qos"]),
        ({}, {"icon": "mdi:a"}, {"icon": "mdi:b"}, {}, ["icon"]),
        ({"name": "Mine"}, {"name": "A"}, {"name": "B"}, {"name": "Mine"}, []),
        ({"name": "A"}, {"name": "A"}, {"name": "B"}, {"name": "B"}, []),
        # A default says nothing, written out or not.
        ({}, {}, {"payload_on": ["ON"]}, {}, []),
        ({"off_delay": 5, "qos": 1}, {"qos": 1}, {"qos": 0}, {"off_delay": 5, "qos": 0}, []),
        # Availability is one thing: a list and a topic exclude each other.
        (STATUS, STATUS, BOTH, BOTH, []),
        (
            {"availability_topic": "mine"},
            STATUS,
            BOTH,
            {"availability_topic": "mine"},
            ["availability", "availability_mode", "availability_topic"],
        ),
    ],
)
def test_merge(
    ours: Config, before: Config, now: Config, config: Config, overridden: list[str]
) -> None:
    merged = merge(ours, before, now)
    assert (merged.config, merged.overridden) == (config, overridden)
    # What is settled is not reported again, the rest is.
    assert merge(merged.config, merged.announced, now).overridden == overridden
    assert merge(merged.config, merged.announced, now).config == config


def test_take_on() -> None:
    ours = {"name": "Mine", "availability_topic": "mine", "qos": 1, "off_delay": 5}
    now = {"name": "Theirs", "qos": 2, **BOTH}
    assert apply_announcement(ours, now) == {"name": "Mine", "qos": 2, "off_delay": 5, **BOTH}
