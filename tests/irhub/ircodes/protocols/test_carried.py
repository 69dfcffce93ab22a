"""What a press of an air conditioner says besides its state, carried to other states."""

from custom_components.irhub.ircodes.protocols.carried import agreed, carried, carry

FRAME = [3000, -1500, 400, -400, 400, -1200, 400, -1200, 400, -400, 400, -40000]


def changed(**places: int) -> list[int]:
    """Return the frame with other durations: `at5=-400`."""
    timings = [*FRAME]
    for place, us in places.items():
        timings[int(place.removeprefix("at"))] = us
    return timings


def test_an_equal_press_carries_nothing() -> None:
    assert carried(FRAME, [round(us * 1.05) for us in FRAME]) == ""
    assert carried(FRAME, FRAME * 3) == ""
    assert carry(FRAME, "") == FRAME[:-1]


def test_another_leader_is_carried() -> None:
    heard = changed(at0=8000, at1=-4000)
    text = carried(FRAME, heard)
    assert text == "8000@0 -4000@1"
    other = changed(at5=-400, at3=-1200)
    assert carry(other, text) == [8000, -4000, *other[2:-1]]


def test_a_bit_of_the_remotes_own_is_carried() -> None:
    text = carried(FRAME, changed(at5=-400))
    assert text == "~5"
    assert carry(FRAME, text) == changed(at5=-400)[:-1]


def test_two_bits_are_read_and_carried_no_further_since_one_may_be_a_check() -> None:
    text = carried(FRAME, changed(at5=-400, at7=-400))
    assert text == "~5 ~7"
    assert carry(FRAME, text) == changed(at5=-400, at7=-400)[:-1]
    assert agreed(text, text) is None
    assert agreed(text, "") == agreed("", text) == ""
    assert agreed("~5 ~7", "~5 ~9") is None
    assert carried(FRAME, changed(at3=-1200, at5=-400, at7=-400, at9=-1200)) is None


def test_what_two_presses_carry_alike_is_heard_a_little_differently() -> None:
    block = "+3000 -1500 400 -1200 400 -50000"
    again = "+3050 -1480 420 -1230 380 -50000"
    assert agreed(f"8000@0 ~5 {block}", f"8100@0 ~5 {again}") == f"8000@0 ~5 {block}"
    assert agreed("8000@0 -4000@1", "8100@0 -4100@1 ~5 ~7") == "8000@0 -4000@1"
    assert agreed("8000@0", "3000@0") is None
    assert agreed(block, "+3000 -1500 400 -400 400 -50000") is None
    assert agreed("~5", "~7") is None


def test_a_second_block_is_carried() -> None:
    block = [3000, -1500, 400, -1200, 400, -50000]
    between = [*FRAME[:-1], -30000]
    text = carried(between, between + block)
    assert text == "+3000 -1500 400 -1200 400 -50000"
    assert carry(between, text) == between + block


def test_what_differs_otherwise_is_not_carried() -> None:
    assert carried(FRAME, changed(at4=900)) is None
    assert carried(FRAME, FRAME[:6]) is None
    assert carried(FRAME, [400, -400]) is None
