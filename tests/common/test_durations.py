"""Time periods."""

from datetime import timedelta

import pytest
import voluptuous as vol

from common.durations import period


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (30, timedelta(seconds=30)),
        (0.5, timedelta(seconds=0.5)),
        ("00:05", timedelta(minutes=5)),
        ({"minutes": 2}, timedelta(minutes=2)),
    ],
)
def test_a_period_in_every_form(value: object, result: timedelta) -> None:
    assert period(value) == result


@pytest.mark.parametrize("value", ["soon", None, [], 10**20, {"days": 10**12}, "99999999999:00"])
def test_an_invalid_period_is_refused(value: object) -> None:
    with pytest.raises(vol.Invalid):
        period(value)
