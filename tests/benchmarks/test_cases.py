"""One tiny round of each benchmark, in its own processes, on the real virtual home."""

from dataclasses import replace
import math

import pytest

from benchmarks import runner
from benchmarks.cases import CASES
from benchmarks.summary import OURS, summarise


# As a tiny round, the one of 10,000 sensors is part of the one of 1,000.
@pytest.mark.parametrize("name", [name for name in CASES if name != "mqtt-setup-10000"])
def test_one_tiny_round(name: str) -> None:
    case = CASES[name]
    rounds = list(runner.rounds(case, 1, tiny=True))
    for row in case.rows:
        result = summarise(row, rounds)
        assert math.isfinite(result.ours)
        # Each target is measured against something.
        assert set(row.target) <= {comparison.side for comparison in result.comparisons}
    measured = {key for side in rounds[0].values() for key in side}
    assert measured == {row.key for row in case.rows}
    assert case.sides[0] == OURS


def test_a_failing_run_is_reported() -> None:
    case = replace(CASES["rest"], name="unknown")
    with pytest.raises(runner.BenchmarkError, match="KeyError: 'unknown'"):
        list(runner.rounds(case, 1, tiny=True))
