"""Which readings are believed."""

import math

import pytest

from custom_components.irhub.sensor.platform import CONDITIONS
from custom_components.irhub.sensor.readings import Reading


def after(condition: str, *values: float, **others: float) -> Reading:
    reading = Reading()
    for value in values:
        plausible = CONDITIONS[condition].plausible
        reading = reading.after(condition, {condition: value, **others}, plausible)
    return reading


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("temperature", (-50, -7.1, 0.1, 150), (-50.1, 150.1, 249, 249.7, math.nan, math.inf)),
        ("humidity", (0, 100), (-1, 100.1, 255)),
        ("light", (0, 3), (4, 255)),
        ("air_quality", (0, 3), (4, 255)),
        ("noise", (0, 2), (3, 255)),
        ("pm2_5", (0, 999), (-1, 65535)),
        ("power", (0, 3680.5), (-1, math.inf)),
        ("total_consumption", (0, 99_999_999.99), (-1, math.inf)),
    ],
)
def test_only_plausible_values_are_believed(
    condition: str, good: tuple[float, ...], bad: tuple[float, ...]
) -> None:
    for value in good:
        assert after(condition, value) == Reading(value=value)
    for value in bad:
        assert after(condition, good[1], value, value) == Reading(value=good[1], rejected=2)
        assert after(condition, good[1], value, good[0]) == Reading(value=good[0])
        assert after(condition, value).value is None


def test_minus_seven_is_believed_only_near_the_last_value() -> None:
    assert after("temperature", -7.0, -7.0, -7.0).value is None
    assert after("temperature", 20.0, -7.0, -7.0) == Reading(value=20.0, rejected=2)
    assert after("temperature", -4.0, -7.0) == Reading(value=-7.0)
    assert after("temperature", -3.9, -7.0) == Reading(value=-3.9, rejected=1)
    assert after("temperature", -10.0, -7.0, humidity=60) == Reading(value=-7.0)


def test_minus_seven_while_the_room_has_23_degrees_is_no_reason_for_doubt() -> None:
    assert after("temperature", 22.8, *[-7.0] * 10) == Reading(value=22.8)
    assert after("temperature", 24.1, -7.0) == Reading(value=24.1, rejected=1)


def test_zero_is_believed_only_near_the_last_value_where_there_may_be_no_thermometer() -> None:
    assert after("temperature", 0.0, 0.0).value is None
    assert after("temperature", 2.9, 0.0) == Reading(value=0.0)
    assert after("temperature", 12.0, 0.0) == Reading(value=12.0, rejected=1)
    assert after("temperature", 0.0, humidity=38) == Reading(value=0.0)
    assert after("temperature", 0.0, humidity=0, light=0, air_quality=0, noise=0).value == 0.0


def test_zeros_of_an_rm4_change_nothing() -> None:
    assert after("temperature", 0.0, humidity=0.0) == Reading()
    known = after("temperature", 19.5, humidity=40.0)
    zeros, plausible = {"temperature": 0.0, "humidity": 0.0}, CONDITIONS["temperature"].plausible
    assert known.after("temperature", zeros, plausible) is known


def test_a_condition_that_is_missing_is_doubted() -> None:
    assert after("temperature", 20.0).after(
        "temperature", {}, CONDITIONS["temperature"].plausible
    ) == Reading(value=20.0, rejected=1)
