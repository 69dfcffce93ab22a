"""A known protocol in the words of a code file."""

from dataclasses import replace

from custom_components.irhub.ircodes import OFF, State, read
from custom_components.irhub.ircodes.known import Dialects, KnownAirConditioners, Row, dialects_of

KNOWN = KnownAirConditioners.shipped()


def row_of(protocol: str) -> Row:
    """Return a row of the table."""
    return next(row for row in KNOWN.rows if row.protocol == protocol)


def packet(protocol: str, state: State) -> bytes:
    """Return what a remote control of a protocol sends."""
    return row_of(protocol).rule.encode(state)


def cool(degrees: float, fan: str) -> State:
    """Return a state of COOLIX."""
    return State(mode="cool", fan=fan, temperature=degrees)


def coolix(mode: str = "cool", **words: str) -> dict[State, bytes]:
    """Return a file that calls fan speeds as it likes: its word → that of the protocol."""
    return {
        State(mode=mode, fan=word, temperature=degrees): packet("COOLIX", cool(degrees, fan))
        for word, fan in words.items()
        for degrees in (20.0, 21.0, 22.0)
    }


def test_words_are_those_of_the_file() -> None:
    dialects = Dialects.of(coolix(quiet="low", strong="high"), KNOWN)
    assert dialects.read(read(packet("COOLIX", cool(27, "high")))) == [cool(27, "strong")]
    assert dialects.read(read(packet("COOLIX", cool(27, "medium")))) == [cool(27, "medium")]
    off = row_of("COOLIX").rule.off
    assert off is not None
    assert dialects.read(read(off)) == [OFF]


def test_a_word_that_means_something_else_is_none() -> None:
    """The file says "medium" for what the protocol calls "high"."""
    dialects = Dialects.of(coolix(medium="high", low="low"), KNOWN)
    assert dialects.read(read(packet("COOLIX", cool(27, "medium")))) == [
        State(mode="cool", temperature=27)
    ]


def test_a_mode_of_another_name_is_the_files() -> None:
    """So does one for which it has no word of its own."""
    dialects = Dialects.of(coolix("heat", auto="auto"), KNOWN)
    assert dialects.read(read(packet("COOLIX", cool(27, "auto")))) == [
        State(mode="heat", fan="auto", temperature=27)
    ]
    heat = next(state for state in row_of("COOLIX").rule.offered if state.mode == "heat")
    assert dialects.read(read(packet("COOLIX", heat))) == []


def test_other_temperatures_than_the_packets_say_are_no_dialect() -> None:
    table = coolix(auto="auto")
    shifted = {
        replace(state, temperature=(state.temperature or 0) + 2): code
        for state, code in table.items()
    }
    assert dialects_of(table, KNOWN)
    assert not dialects_of(shifted, KNOWN)


def test_one_state_proves_nothing() -> None:
    [(state, code), *_] = coolix(auto="auto").items()
    assert not dialects_of({state: code}, KNOWN)
