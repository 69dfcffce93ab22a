"""Which cells of a file say another state than they are called, and which are left alone."""

from dataclasses import replace
import json

import pytest

from custom_components.irhub.ircodes import OFF, Off, State, read
from custom_components.irhub.ircodes.known import KnownAirConditioners, Misnaming
from custom_components.irhub.ircodes.known.table import TABLE
from custom_components.irhub.ircodes.states.rule_parts import bits_text

KNOWN = KnownAirConditioners.shipped()
ROW = next(row for row in KNOWN.rows if row.protocol == "COOLIX")
DEGREES = [float(degrees) for degrees in range(18, 28)]


def cool(degrees: float, fan: str = "low", mode: str = "cool") -> State:
    """Return a state of COOLIX."""
    return State(mode=mode, fan=fan, temperature=degrees)


def table(*modes: str) -> dict[State, bytes]:
    """Return a file without faults."""
    states = [
        cool(degrees, fan, mode)
        for mode in modes
        for fan in ("auto", "low", "medium", "high")
        for degrees in DEGREES
        if not (mode == "auto" and fan != "auto")
    ]
    return {state: ROW.rule.encode(state) for state in states if state in ROW.rule.states}


@pytest.mark.parametrize(
    ("says", "differs"),
    [
        (cool(23), ["temperature"]),
        (cool(24, "high"), ["fan"]),
        (cool(20, "high"), ["fan", "temperature"]),
        (cool(24, mode="heat"), ["mode"]),
        (OFF, ["mode"]),
    ],
)
def test_a_cell_of_another_state_is_named(says: State | Off, differs: list[str]) -> None:
    """With the packet that is right, made of one that stands beside it."""
    codes = table("cool", "heat")
    right = codes[cool(24)]
    off = ROW.rule.off
    assert off is not None
    codes[cool(24)] = off if isinstance(says, Off) else ROW.rule.encode(says)
    misnaming = Misnaming.of(codes, KNOWN)
    assert misnaming.protocol == "COOLIX"
    [(state, misnamed)] = misnaming.states.items()
    assert (state, misnamed.decoded, [*misnamed.contradicted]) == (cool(24), says, differs)
    assert misnamed.packet is not None
    assert read(misnamed.packet).key == read(right).key


def test_a_file_without_faults_is_left_alone() -> None:
    assert not Misnaming.of(table("cool", "heat", "auto"), KNOWN).states


def test_names_of_its_own_are_no_faults() -> None:
    """A column, a mode, a temperature that all say something else, or half of it."""
    codes = table("cool", "heat")
    other_fan = {
        replace(state, fan="high") if state.fan == "medium" else state: code
        for state, code in codes.items()
        if state.fan != "high"
    }
    other_mode = {replace(state, mode="dry"): code for state, code in table("heat").items()}
    half = {**codes}
    for fan in ("auto", "low"):
        half[cool(22, fan)] = half[cool(23, fan)]
    lowest = {**codes}
    for fan in ("auto", "low", "medium", "high"):
        lowest[cool(18, fan)] = lowest[cool(19, fan)]
    for own in (other_fan, other_mode | table("cool"), half, lowest):
        assert not Misnaming.of(own, KNOWN).states


def test_packets_of_no_known_protocol_say_nothing() -> None:
    codes = {state: read(code).signal for state, code in table("cool").items()}
    foreign = {
        state: replace(signal, frames=signal.frames[:1]).with_bits(
            [(*signal.frames[0].bits, 1, 0, 1)]
        )
        for state, signal in codes.items()
        if signal is not None
    }
    assert Misnaming.of({state: signal.packet() for state, signal in foreign.items()}, KNOWN) == (
        Misnaming()
    )


def test_a_fault_that_the_row_was_made_of_is_none_of_the_protocol() -> None:
    """A row may have the faults of a file as exceptions for single temperatures."""
    flips = ROW.rule.modes["cool"].tables["temperature"]
    exception = {
        "mode": "cool",
        "fan": ["low"],
        "temperature": "24",
        "flips": bits_text(flips[24] ^ flips[25]),
    }
    [line] = [line for line in TABLE.read_text().splitlines() if '"protocol":"COOLIX"' in line]
    row = json.loads(line)
    row["rule"]["more"] = [*row["rule"].get("more", ()), exception]
    known = KnownAirConditioners.from_lines([json.dumps(row, separators=(",", ":"))])
    codes = table("cool")
    codes[cool(24)] = ROW.rule.encode(cool(25))
    assert [reading.state for reading in known.identify(codes[cool(24)])] == [cool(24)]
    [(state, misnamed)] = Misnaming.of(codes, known).states.items()
    assert (state, misnamed.decoded) == (cool(24), cool(25))
