"""Which readings are believed."""

from collections.abc import Mapping
import math

import pytest

from custom_components.irhub.readings import Readings


def after(*replies: Mapping[str, float]) -> Readings:
    readings = Readings()
    for reply in replies:
        readings = readings.after(reply)
    return readings


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("temperature", (-50, -7.1, 0, 150), (-50.1, 150.1, 249, 249.7, math.nan, math.inf)),
        ("humidity", (0, 100), (-1, 100.1, 255)),
        ("light", (0, 3), (4, 255)),
        ("air_quality", (0, 3), (4, 255)),
        ("noise", (0, 2), (3, 255)),
    ],
)
def test_only_plausible_values_are_believed(
    condition: str, good: tuple[float, ...], bad: tuple[float, ...]
) -> None:
    for value in good:
        assert after({condition: value}).believed == {condition: value}
    for value in bad:
        readings = after({condition: good[1]}, {condition: value}, {condition: value})
        assert readings.believed == {condition: good[1]}
        assert readings.doubted == {condition: 2}
        assert after({condition: good[1]}, {condition: value}, {condition: good[0]}).doubted == {
            condition: 0
        }


def test_minus_seven_is_believed_when_the_next_reply_says_the_same() -> None:
    assert after({"temperature": -7.0}).believed == {}
    assert after({"temperature": 20.0}, {"temperature": -7.0}).believed == {"temperature": 20.0}
    twice = after({"temperature": 20.0}, {"temperature": -7.0}, {"temperature": -7.0})
    assert twice.believed == {"temperature": -7.0}
    assert twice.after({"temperature": -7.0}).doubted == {"temperature": 0}
    apart = after({"temperature": -7.0}, {"temperature": 20.0}, {"temperature": -7.0})
    assert apart.believed == {"temperature": 20.0}


def test_one_bad_value_does_not_reject_the_others() -> None:
    readings = after({"temperature": 249.0, "humidity": 45.0, "light": 9, "noise": 1})
    assert readings.believed == {"humidity": 45.0, "noise": 1}
    assert readings.doubted == {"temperature": 1, "humidity": 0, "light": 1, "noise": 0}
    assert readings.offered == {"temperature", "humidity", "light", "noise"}


def test_zeros_of_an_rm4_change_nothing() -> None:
    zeros = {"temperature": 0.0, "humidity": 0.0}
    assert after(zeros).believed == {}
    assert not after(zeros).cable
    known = {"temperature": 19.5, "humidity": 40.0}
    unplugged = after(known, zeros, zeros)
    assert unplugged.believed == known
    assert unplugged.doubted == {"temperature": 0, "humidity": 0}
    assert not unplugged.cable
    assert unplugged.after(known).cable


def test_zero_degrees_are_believed_where_they_can_be_measured() -> None:
    assert after({"temperature": 0.0}).believed == {"temperature": 0.0}
    assert after({"temperature": 0.0, "humidity": 38.0}).believed["temperature"] == 0.0
    five = {"temperature": 0.0, "humidity": 0.0, "light": 0, "air_quality": 0, "noise": 0}
    assert after(five).believed == five


def test_what_is_no_condition_is_ignored() -> None:
    assert after({"pm10": 12, "temperature": 20.0}).believed == {"temperature": 20.0}
