"""Faults of a code file are found by what its other states say."""

from collections.abc import Sequence
from dataclasses import replace

from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.states import messages
from custom_components.irhub.ircodes.states.capabilities import Capabilities, Levels
from custom_components.irhub.ircodes.states.state import Off, State
from custom_components.irhub.ircodes.teaching.faults import find_faults

from . import remotes
from .remotes import COMMON, SWINGING, RemoteControl


def table_of(control: RemoteControl) -> dict[State, bytes]:
    """Return a code file's table: each state, captured."""
    every = [*control.capabilities.states()]
    return {state: control.packet(state, jitter_us=90) for state in every}


def test_a_right_table_has_no_faults() -> None:
    """Nothing is said of what is as it should be, whatever a mode ignores."""
    for make in (remotes.sum_over_two_frames, remotes.bytes_by_mode, remotes.crc_and_digits):
        found = find_faults(table_of(make()))
        assert (found.contradicting, found.missing) == ({}, {})


def test_a_neighbours_code_a_cut_frame_and_a_wrong_check_are_found() -> None:
    """Each is named, with what the others say in its place."""
    control = remotes.bytes_by_mode()
    table = table_of(control)
    neighbour = State(mode="cool", fan="low", swing="off", temperature=20.0)
    cut = State(mode="heat", fan="high", swing="on", temperature=25.0)
    check = State(mode="auto", fan="auto", swing="off", temperature=30.0)
    right = {state: table[state] for state in (neighbour, cut, check)}
    table[neighbour] = table[replace(neighbour, temperature=21.0)]
    length = 60
    table[cut] = table[cut][:2] + length.to_bytes(2, "little") + table[cut][4 : 4 + length]
    wrong = RemoteControl(
        control.remote,
        lambda state, presses: [[*control.says(state, presses)[0][:-1], 0x55]],
        msb=True,
    )
    table[check] = wrong.packet(check)
    found = find_faults(table)
    assert found.contradicting.keys() == right.keys()
    for state, packet in right.items():
        assert read(found.contradicting[state] or b"").key == read(packet).key
    assert found.missing == {}


def damaged(control: RemoteControl, state: State) -> bytes:
    """Return the packet of a state with a wrong bit in its last byte, which checks the others."""
    *frame, check = control.says(state, 1)[0]
    wrong = RemoteControl(control.remote, lambda *_: [[*frame, check ^ 1]], msb=control.msb)
    return wrong.packet(state)


def test_a_formula_that_holds_for_most_only_is_no_check() -> None:
    """The first byte is another at the lowest temperature, and counts in the sum."""

    def says(state: State | Off, _: int) -> list[Sequence[int]]:
        assert isinstance(state, State) and state.temperature is not None  # noqa: PT018 - mypy
        kept = [0x5A, 0x80 if state.temperature == COMMON.temperatures[0] else 0]
        fan = [*COMMON.fans].index(state.fan or "auto")
        said = [*kept, len(state.mode) << 4 | fan, round(state.temperature), state.swing == "on"]
        return [[*said, sum(said) & 0xFF]]

    control = RemoteControl(dict.fromkeys(("cool", "fan_only", "dry"), SWINGING), says)
    table = table_of(control)
    wrong = [[*table][index] for index in (12, 15, 18)]
    table |= {state: damaged(control, state) for state in wrong}
    assert {*find_faults(table).contradicting} == {*wrong}


def test_where_most_do_not_agree_the_others_are_looked_at() -> None:
    """At one temperature half of them say something else: what is right there is not known."""
    control = remotes.bytes_by_mode()
    table = table_of(control)
    odd = RemoteControl(
        control.remote,
        lambda state, presses: [[*control.says(state, presses)[0][:3], 0x11, 0xC0, 0x29]],
        msb=True,
    )
    for swing in ("off", "on"):
        for fan in ("auto", "high"):
            state = State(mode="cool", fan=fan, swing=swing, temperature=28.0)
            body = odd.says(state, 1)[0][:-1]
            check = sum((one >> 4) + (one & 15) for one in body) & 0xFF
            table[state] = RemoteControl(
                control.remote, lambda *_, said=(*body, check): [said], msb=True
            ).packet(state)
    neighbour = State(mode="cool", fan="low", swing="off", temperature=20.0)
    right = table[neighbour]
    table[neighbour] = table[replace(neighbour, temperature=21.0)]
    [(state, packet)] = find_faults(table).contradicting.items()
    assert state == neighbour
    assert packet is not None
    assert read(packet).key == read(right).key


def test_temperatures_of_a_single_fan_speed_count() -> None:
    """No two states agree on what a temperature flips, but all others count: one is offered."""
    control = remotes.bytes_by_mode()
    cool = Levels(fans=("low",), swings=("off",), temperatures=COMMON.temperatures)
    table = {state: control.packet(state) for state in Capabilities(modes={"cool": cool}).states()}
    wrong = State(mode="cool", fan="low", swing="off", temperature=20.0)
    colder = State(mode="cool", fan="low", swing="off", temperature=19.0)
    for packet in (damaged(control, wrong), table[colder]):
        table[wrong] = packet
        [(state, offered)] = find_faults(table).contradicting.items()
        assert state == wrong
        assert offered is not None
        assert messages.read(offered) == messages.read(control.packet(wrong))


def test_a_wrong_state_of_the_first_temperature_hides_no_other_one() -> None:
    """With three fan speeds, two wrong ones leave no majority beside the first temperature."""
    control = remotes.bytes_by_mode()
    cool = Levels(fans=("low", "auto", "high"), swings=("off",), temperatures=COMMON.temperatures)
    table = {state: control.packet(state) for state in Capabilities(modes={"cool": cool}).states()}
    lowest, other = (
        State(mode="cool", fan=fan, swing="off", temperature=temperature)
        for fan, temperature in (("low", COMMON.temperatures[0]), ("auto", 20.0))
    )
    right = {state: table[state] for state in (lowest, other)}
    table[lowest] = table[replace(lowest, temperature=22.0)]
    table[other] = table[replace(other, temperature=21.0)]
    found = find_faults(table).contradicting
    assert {state: read(packet or b"").key for state, packet in found.items()} == {
        state: read(packet).key for state, packet in right.items()
    }


def test_a_temperature_with_the_code_of_another_one_is_found() -> None:
    """All fan speeds agree, but all other temperatures count; the lowest one may be a limit."""
    control = remotes.bytes_by_mode()
    right = table_of(control)
    lowest = COMMON.temperatures[0]
    for temperature, is_found in ((20.0, True), (lowest, False)):
        wrong = {s for s in right if s.mode == "cool" and s.temperature == temperature}
        others = {state: right[replace(state, temperature=temperature + 1)] for state in wrong}
        found = find_faults({**right, **others}).contradicting
        assert found.keys() == (wrong if is_found else set())
        for state, packet in found.items():
            assert read(packet or b"").key == read(right[state]).key


def test_nothing_is_offered_where_a_state_speaks_for_itself_alone() -> None:
    """Two temperatures of one fan speed do not count: each may be wrong, but all have a check."""
    control = remotes.bytes_by_mode()
    cool = Levels(fans=("low",), swings=("off",), temperatures=COMMON.temperatures)
    table = {state: control.packet(state) for state in Capabilities(modes={"cool": cool}).states()}
    wrong = [State(mode="cool", fan="low", swing="off", temperature=t) for t in (20.0, 26.0)]
    for state in wrong:
        table[state] = damaged(control, state)
    assert not any(find_faults(table).contradicting.values())
    for state in wrong:
        del table[state]
    assert find_faults(table).missing == {}


def test_gaps_are_filled_in_by_the_rule() -> None:
    """What the modes could have is said as the remote control says it."""
    control = remotes.sum_over_two_frames()
    table = table_of(control)
    gaps = [
        State(mode="cool", fan="low", temperature=20.5),
        State(mode="heat", fan="high", temperature=30.0),
    ]
    for state in gaps:
        del table[state]
    found = find_faults(table)
    assert found.contradicting == {}
    assert {*found.missing} == {*gaps}
    for state, packet in found.missing.items():
        assert read(packet).key == read(control.packet(state)).key


def test_nothing_is_said_of_what_follows_no_rule() -> None:
    """A clock in each packet, a handful of states, and packets that are none."""
    plain = remotes.bytes_by_mode()
    clock = RemoteControl(
        plain.remote,
        lambda state, presses: [[*plain.says(state, presses)[0], hash(state) & 0xFF]],
        msb=True,
    )
    assert find_faults(table_of(clock)).contradicting == {}
    few = dict([*table_of(plain).items()][:5])
    assert find_faults(few).contradicting == {}
    garbage = dict.fromkeys(table_of(plain), b"")
    assert find_faults(garbage).contradicting == {}
    assert find_faults({}).contradicting == {}
