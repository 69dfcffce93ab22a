"""Faults of a code file are found by what its other states say."""

from dataclasses import replace

from custom_components.irhub.codes import bits
from custom_components.irhub.codes.state import State
from custom_components.irhub.teaching.faults import find_faults
from custom_components.irhub.teaching.remote import states

from . import remotes
from .remotes import RemoteControl


def table_of(control: RemoteControl) -> dict[State, bytes]:
    """Return a code file's table: each state, captured."""
    every = [state for mode in control.remote for state in states(control.remote, mode)]
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
        assert bits.said(found.contradicting[state]) == bits.said(packet)
    assert found.missing == {}


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
        assert bits.said(packet) == bits.said(control.packet(state))


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
