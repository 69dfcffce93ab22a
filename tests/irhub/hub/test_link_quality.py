"""Which receiver hears which emitter, as far as normal use has taught it."""

import json
from random import Random

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.hub.link_quality import LIMITS, Limits, LinkQuality, Outcome

HUB, ATTIC, CELLAR = "34ea34000001", "34ea34000007", "infrared.cellar"


def taught(times: int, *receivers: str, limits: Limits = LIMITS) -> LinkQuality:
    """Return what is known when receivers have heard a hub so often."""
    links = LinkQuality(limits)
    for _ in range(times):
        links.learn(HUB, receivers, ())
    return links


def test_a_receiver_that_never_received_anything_proves_nothing() -> None:
    links = LinkQuality()
    assert links.chance(HUB, ATTIC) is None
    for _ in range(100):
        assert links.outcome(HUB, (), [ATTIC]) is None
        assert not links.learn(HUB, (), [ATTIC])
    assert len(links) == 0


def test_a_reception_confirms_at_once() -> None:
    assert LinkQuality().outcome(HUB, [ATTIC], [CELLAR]) is Outcome.CONFIRMED


def test_a_reliable_receiver_that_misses_it_puts_it_in_doubt() -> None:
    assert taught(10, ATTIC).outcome(HUB, (), [ATTIC]) is None
    links = taught(11, ATTIC)
    assert links.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT
    assert links.outcome(HUB, (), ()) is None, "it has not listened"
    assert links.outcome(ATTIC, (), [HUB]) is None, "that is the other direction"


def test_several_less_reliable_receivers_together_put_in_doubt() -> None:
    links, random = LinkQuality(), Random(1)
    for _ in range(200):
        heard = {receiver for receiver in (ATTIC, CELLAR) if random.random() < 0.8}
        links.learn(HUB, heard, {ATTIC, CELLAR} - heard)
    assert links.outcome(HUB, (), [ATTIC]) is None
    assert links.outcome(HUB, (), [CELLAR]) is None
    assert links.outcome(HUB, (), [ATTIC, CELLAR]) is Outcome.IN_DOUBT


def test_a_hub_that_was_moved_is_learned_anew() -> None:
    links = taught(1_000, ATTIC)
    doubts = 0
    for _ in range(200):
        doubts += links.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT
        links.learn(HUB, (), [ATTIC])
    assert doubts == 3
    assert links.chance(HUB, ATTIC) is None
    for _ in range(20):
        links.learn(HUB, [ATTIC], ())
    assert links.outcome(HUB, (), [ATTIC]) is Outcome.IN_DOUBT


def test_memory_is_bounded() -> None:
    links = LinkQuality(Limits(max_pairs=3))
    for number in range(10):
        links.learn(HUB, [f"infrared.{number}"], ())
        links.learn(HUB, [ATTIC], ())
    assert len(links) == 3
    assert links.chance(HUB, ATTIC) is not None
    assert links.chance(HUB, "infrared.0") is None


@given(st.lists(st.tuples(st.sampled_from([ATTIC, CELLAR]), st.booleans()), max_size=80))
def test_estimates_are_restored(transmissions: list[tuple[str, bool]]) -> None:
    links = LinkQuality()
    for receiver, is_heard in transmissions:
        links.learn(HUB, [receiver] if is_heard else (), () if is_heard else [receiver])
    again = LinkQuality()
    assert again.read(json.loads(json.dumps(links.as_data()))) == {}
    assert again.as_data() == links.as_data()


@pytest.mark.parametrize(
    "pair",
    [None, [], {"heard": 1}, {"heard": "1", "silent": 0}, {"heard": -1, "silent": 0}]
    + [{"heard": number, "silent": 0} for number in (float("nan"), float("inf"))],
)
def test_unknown_data_is_kept(pair: object) -> None:
    newer = {"heard": 9, "silent": 0, "by day": [1, 2]}
    links = LinkQuality()
    assert links.read({HUB: {ATTIC: pair, CELLAR: newer}, "newer": 5}) == {
        HUB: {ATTIC: pair},
        "newer": 5,
    }
    links.learn(HUB, [CELLAR], ())
    assert links.as_data()[HUB][CELLAR]["by day"] == [1, 2]
