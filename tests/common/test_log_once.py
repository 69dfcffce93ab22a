"""A problem is told once, and again when it is news."""

import logging

from freezegun.api import FrozenDateTimeFactory
import pytest

from common.log_once import MAX_PROBLEMS, QUIET_S, LogOnce


@pytest.fixture(name="log")
def log_fixture(caplog: pytest.LogCaptureFixture) -> LogOnce:
    caplog.set_level(logging.DEBUG)
    return LogOnce(logging.getLogger("test"))


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno == logging.WARNING]


def test_a_problem_is_logged_once(log: LogOnce, caplog: pytest.LogCaptureFixture) -> None:
    assert [log.report("value", "no JSON") for _ in range(3)] == [True, False, False]
    assert warnings(caplog) == ["no JSON"]
    assert len(caplog.records) == 3


def test_another_problem_and_another_subject_are_logged(log: LogOnce) -> None:
    assert log.report("value", "no JSON")
    assert log.report("value", "too long")
    assert log.report("attributes", "no JSON")
    assert not log.report("value", "no JSON")


def test_a_solved_problem_is_logged_when_it_returns(log: LogOnce) -> None:
    assert not log.settle("value")
    log.report("value", "no JSON")
    assert log.settle("value")
    assert log.report("value", "no JSON")


def test_a_problem_is_logged_again_after_an_hour_without_one(
    log: LogOnce, freezer: FrozenDateTimeFactory
) -> None:
    log.report("value", "no JSON")
    for _ in range(3):
        freezer.tick(QUIET_S - 1)
        assert not log.report("value", "no JSON")
    freezer.tick(QUIET_S + 1)
    assert log.report("value", "no JSON")


def test_a_peer_that_invents_problems_does_not_fill_the_log(log: LogOnce) -> None:
    logged = sum(log.report("value", f"problem {number}") for number in range(1000))
    assert logged == MAX_PROBLEMS


def test_another_detail_is_not_logged(log: LogOnce, caplog: pytest.LogCaptureFixture) -> None:
    assert log.report("value", "no number", detail=" (length 3)")
    assert not log.report("value", "no number", detail=" (length 4)")
    assert "no number (length 3)" in caplog.text
