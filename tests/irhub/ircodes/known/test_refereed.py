"""What a row calls otherwise than an independent decoder reads it is left out of the table.

The decoder is a program that says of each packet what the test has written for it.
"""

from collections.abc import Iterable
import json
from pathlib import Path
from typing import Any

from benchmarks.referee import Opinion, Referee
from custom_components.irhub.ircodes import State, to_timings
from custom_components.irhub.ircodes.known.row import Row
from custom_components.irhub.ircodes.known.table import TABLE
from custom_components.irhub.ircodes.states import messages
from known_rows.refereed import refereed

_PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
said = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())
for line in sys.stdin:
    print(said.get(line.strip(), "UNKNOWN\\t0\\t-"))
"""


def opinion(state: State, **changed: str) -> str:
    """Return what IRremoteESP8266 prints of a state."""
    fields = {
        "on": "1",
        "mode": {"fan_only": "Fan"}.get(state.mode, state.mode.capitalize()),
        "degrees": str(state.temperature or 25),
        "celsius": "1",
        "fan": "Auto",
        **changed,
    }
    return "\t".join(["MIRAGE", "120", *fields.values(), "Off", "Off"])


def referee_with(folder: Path, opinions: Iterable[tuple[bytes, str]]) -> Referee:
    """Return a referee with an opinion on each of these packets."""
    program = folder / "referee"
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    texts = {" ".join(str(abs(us)) for us in to_timings(packet)): text for packet, text in opinions}
    program.with_suffix(".json").write_text(json.dumps(texts))
    return Referee(program)


def mirage() -> tuple[str, Row]:
    """Return a line of the table, and its row."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if '"protocol":"MIRAGE"' in line:
            return line, Row.from_data(json.loads(line))
    raise AssertionError("no MIRAGE")


def changed(line: str, folder: Path, **modes: dict[str, str]) -> dict[str, Any]:
    """Return the rule of a line when the referee says something else of some modes."""
    row = Row.from_data(json.loads(line))
    opinions = (
        (row.rule.encode(state), opinion(state, **modes.get(state.mode, {})))
        for state in row.rule.offered
    )
    [refereed_line] = refereed([line], referee_with(folder, opinions))
    rule: dict[str, Any] = json.loads(refereed_line)["rule"]
    return rule


def test_what_is_read_as_it_is_called_stays(tmp_path: Path) -> None:
    """The line is the same, byte for byte, also if nothing is known of its packets."""
    line, row = mirage()
    agreeing = [(row.rule.encode(state), opinion(state)) for state in row.rule.offered]
    assert [*refereed([line], referee_with(tmp_path, agreeing))] == [line]
    assert [*refereed([line], referee_with(tmp_path, []))] == [line]


def test_a_mode_that_is_read_as_another_one_is_left_out(tmp_path: Path) -> None:
    """The other modes send what they sent before."""
    line, row = mirage()
    rule = changed(line, tmp_path, dry={"mode": "Cool"})
    assert set(rule["mode"]["values"]) == row.rule.modes.keys() - {"dry"}
    left = Row.from_data({**json.loads(line), "rule": rule}).rule
    for state in left.offered:
        assert messages.read(left.encode(state)) == messages.read(row.rule.encode(state))


def test_nothing_is_left_out_of_a_protocol_that_the_referee_does_not_know(tmp_path: Path) -> None:
    """It may take packets for those of another protocol, with other temperatures."""
    line, row = mirage()
    every = {mode: {"mode": "Dry", "degrees": "7"} for mode in row.rule.modes}
    assert changed(line, tmp_path, **every)["mode"] == json.loads(line)["rule"]["mode"]


def test_an_automatic_fan_speed_that_is_a_certain_one_gets_its_name(tmp_path: Path) -> None:
    """Encoders send the middle fan speed for *auto* where there is none."""
    line, _ = mirage()
    data = json.loads(line)
    data["rule"]["fan"]["values"] = ["auto", "low", "other", "high"]
    every = {mode: {"fan": "Medium"} for mode in data["rule"]["mode"]["values"]}
    rule = changed(json.dumps(data), tmp_path, **every)
    assert "auto" not in rule["fan"]["values"] or "medium" in rule["fan"]["values"]
    left = Row.from_data({**data, "rule": rule}).rule
    assert {state.fan for state in left.offered if state.fan} == {"medium", "low", "other", "high"}


def test_an_opinion_is_compared_by_what_it_says() -> None:
    """A toggle says nothing of the power, half degrees are left out, °F become °C."""
    reading = Opinion(protocol="X", is_on=None, mode="cool", degrees=75.0, unit="F", fan="Min")
    state = State(mode="cool", fan="low", temperature=24.0)
    assert reading.agrees_on(state, "C")
    assert not reading.agrees_on(State(mode="heat", fan="low", temperature=24.0), "C")
    assert not reading.agrees_on(State(mode="cool", fan="auto", temperature=24.0), "C")
    half = Opinion(protocol="X", is_on=True, mode="auto", degrees=24.0, unit="C", fan="Auto")
    assert half.agrees_on(State(mode="heat_cool", fan="auto", temperature=24.5), "C")
    assert not half.agrees_on(State(mode="heat_cool", fan="auto", temperature=25.0), "C")
