"""The arithmetic behind the table."""

import json

import pytest

from benchmarks.report import as_json, table, targets
from benchmarks.summary import Row, summarise


def test_ratio_is_taken_pair_by_pair() -> None:
    row = Row(key="cpu", what="CPU", unit="ms", target={"core": 2.0})
    # The machine got ten times slower half-way: the ratio of the medians would say 1.1.
    rounds = [
        {"ours": {"cpu": 1.0}, "core": {"cpu": 2.0}},
        {"ours": {"cpu": 10.0}, "core": {"cpu": 20.0}},
        {"ours": {"cpu": 10.0}, "core": {"cpu": 11.0}},
    ]
    result = summarise(row, rounds)
    [core] = result.comparisons
    assert result.ours == 10.0
    assert core.median == 11.0
    assert (core.ratio, core.highest) == (2.0, 2.0)
    assert core.lowest == pytest.approx(1.1)
    assert core.met is True


def test_a_missed_target_is_reported() -> None:
    row = Row(key="cpu", what="CPU", unit="ms", target={"core": 2.0}, limit=0.5)
    result = summarise(row, [{"ours": {"cpu": 1.0}, "core": {"cpu": 1.5}}])
    assert result.comparisons[0].met is False
    assert result.within_limit is False
    assert table([result]).count("MISSED") == 2


@pytest.mark.parametrize(("core", "met"), [(9.96, True), (9.94, False)])
def test_a_target_is_met_to_the_decimals_shown(core: float, met: bool) -> None:
    row = Row(key="interval", what="interval", unit="s", target={"core": 1.0})
    result = summarise(row, [{"ours": {"interval": 10.0}, "core": {"interval": core}}])
    assert result.comparisons[0].met is met


def test_the_ratio_is_inverted_if_more_is_better() -> None:
    row = Row(key="rate", what="rate", unit="1/s", target={"core": 0.8}, more_is_better=True)
    [core] = summarise(row, [{"ours": {"rate": 90.0}, "core": {"rate": 100.0}}]).comparisons
    assert core.ratio == pytest.approx(0.9)
    assert core.met is True


def test_a_side_without_the_row_is_left_out() -> None:
    row = Row(key="cpu", what="CPU", unit="ms", target={"block": 1.0})
    rounds = [{"ours": {"cpu": 1.0}, "core": {"cpu": 3.0}, "block": {"other": 1.0}}]
    assert [comparison.side for comparison in summarise(row, rounds).comparisons] == ["core"]


@pytest.mark.parametrize(
    ("ours", "core", "ratio"), [(0.0, 0.0, 1.0), (0.0, 1.0, float("inf")), (1.0, 0.0, 0.0)]
)
def test_nothing_divides_by_zero(ours: float, core: float, ratio: float) -> None:
    row = Row(key="cpu", what="CPU", unit="ms")
    rounds = [{"ours": {"cpu": ours}, "core": {"cpu": core}}]
    result = summarise(row, rounds)
    assert result.comparisons[0].ratio == ratio
    assert table([result])
    assert json.dumps(as_json([result], rounds), allow_nan=False)


def test_targets_are_the_rows_that_have_one() -> None:
    values = {"cpu": 0.5, "memory": 2.0, "size": 1.0}
    rounds = [{"ours": values, "core": {"cpu": 1.5, "memory": 3.0}}]
    rows = (
        Row(key="cpu", what="CPU", unit="ms", target={"core": 4.0}),
        Row(key="memory", what="memory", unit="B"),
        Row(key="size", what="size", unit="B", limit=2.0),
    )
    assert targets({"rest": [summarise(row, rounds) for row in rows]}).splitlines() == [
        "|  | what | ours | beside | ratio | target |  |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| rest | CPU, ms | 0.5 | core 1.5 | 3.00 | 4 | MISSED |",
        "| rest | size, B | 1 |  |  | ≤ 2 | met |",
    ]


def test_table_is_aligned_markdown() -> None:
    row = Row(key="cpu", what="CPU per poll", unit="ms", target={"core": 2.5}, limit=1.0)
    lines = table([summarise(row, [{"ours": {"cpu": 0.5}, "core": {"cpu": 1.5}}])]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2].split("|")[1:-1] == [
        " CPU per poll, ms ",
        " 0.5  ",
        " core   ",
        " 1.5 ",
        " 3.00  ",
        " 3.00 to 3.00 ",
        " 2.5    ",
        " met ",
    ]
