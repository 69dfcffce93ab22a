"""Which receiver hears which emitter, as far as normal use has taught it."""

import json
from random import Random

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.hub.reach import LIMITS, Limits, Outcome, Reach

HUB, ATTIC, CELLAR = "34ea34000001", "34ea34000007", "infrared.cellar"


def taught(times: int, *receivers: str, limits: Limits = LIMITS) -> Reach:
    """Return what is known when receivers have heard a hub so often."""
    reach = Reach(limits)
    for _ in range(times):
        reach.learn(HUB, receivers, ())
    return reach


def test_what_was_never_heard_says_nothing() -> None:
    reach = Reach()
    assert reach.chance(HUB, ATTIC) is None
    for _ in range(100):
        assert reach.outcome(HUB, (), [ATTIC]) is None
        assert not reach.learn(HUB, (), [ATTIC])
    assert len(reach) == 0


def test_who_hears_it_confirms_it_at_once() -> None:
    assert Reach().outcome(HUB, [ATTIC], [CELLAR]) is Outcome.CONFIRMED


def test_who_hears_nearly_everything_puts_in_doubt_what_is_missing() -> None:
    assert taught(10, ATTIC).outcome(HUB, (), [ATTIC]) is None
    reach = taught(11, ATTIC)
    assert reach.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT
    assert reach.outcome(HUB, (), ()) is None, "it has not listened"
    assert reach.outcome(ATTIC, (), [HUB]) is None, "that is the other direction"


def test_several_who_hear_much_know_together_what_none_of_them_knows() -> None:
    reach, random = Reach(), Random(1)
    for _ in range(200):
        heard = {receiver for receiver in (ATTIC, CELLAR) if random.random() < 0.8}
        reach.learn(HUB, heard, {ATTIC, CELLAR} - heard)
    assert reach.outcome(HUB, (), [ATTIC]) is None
    assert reach.outcome(HUB, (), [CELLAR]) is None
    assert reach.outcome(HUB, (), [ATTIC, CELLAR]) is Outcome.IN_DOUBT


def test_a_hub_that_was_moved_is_learned_anew() -> None:
    reach = taught(1_000, ATTIC)
    doubts = 0
    for _ in range(200):
        doubts += reach.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT
        reach.learn(HUB, (), [ATTIC])
    assert doubts == 3
    assert reach.chance(HUB, ATTIC) is None
    for _ in range(20):
        reach.learn(HUB, [ATTIC], ())
    assert reach.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT


def test_memory_is_bounded() -> None:
    reach = Reach(Limits(pairs=3))
    for number in range(10):
        reach.learn(HUB, [f"infrared.{number}"], ())
        reach.learn(HUB, [ATTIC], ())
    assert len(reach) == 3
    assert reach.chance(HUB, ATTIC) is not None
    assert reach.chance(HUB, "infrared.0") is None


@given(st.lists(st.tuples(st.sampled_from([ATTIC, CELLAR]), st.booleans()), max_size=80))
def test_what_is_kept_comes_back(transmissions: list[tuple[str, bool]]) -> None:
    reach = Reach()
    for receiver, is_heard in transmissions:
        reach.learn(HUB, [receiver] if is_heard else (), () if is_heard else [receiver])
    again = Reach()
    assert again.read(json.loads(json.dumps(reach.as_data()))) == {}
    assert again.as_data() == reach.as_data()


@pytest.mark.parametrize(
    "pair",
    [None, [], {"heard": 1}, {"heard": "1", "silent": 0}, {"heard": -1, "silent": 0}]
    + [{"heard": number, "silent": 0} for number in (float("nan"), float("inf"))],
)
def test_what_is_not_understood_is_kept(pair: object) -> None:
    newer = {"heard": 9, "silent": 0, "by day": [1, 2]}
    reach = Reach()
    assert reach.read({HUB: {ATTIC: pair, CELLAR: newer}, "newer": 5}) == {
        HUB: {ATTIC: pair},
        "newer": 5,
    }
    reach.learn(HUB, [CELLAR], ())
    assert reach.as_data()[HUB][CELLAR]["by day"] == [1, 2]
