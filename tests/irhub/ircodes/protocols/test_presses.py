"""Which button was pressed, and what several presses have alike."""

from random import Random
from time import process_time

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.packet.packet import (
    from_radio_timings,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.protocols.presses import (
    Recognizer,
    is_reception,
    median_of,
    same_button,
)
from custom_components.irhub.ircodes.protocols.protocols import encode, press

from ...jitter import jittered
from ..captured import captured
from ..packet.spaces import rcmm, xmp

BITS = {
    name: [int(bit) for bit in f"{number:024b}"]
    for name, number in {"on": 0xA50F31, "off": 0xA50F32, "up": 0xA50F39, "down": 0x150F31}.items()
}
"""Of a protocol that no library knows."""


def frame(bits: list[int]) -> list[int]:
    """Return the microseconds of an unknown protocol."""
    return [3000, -1500, *(us for bit in bits for us in (400, -1200 if bit else -400)), 400]


def pressed(name: str, *, seed: int = 0, held: int = 0) -> bytes:
    """Return a press as it is heard; a button held down is heard several times."""
    timings = [*frame(BITS[name]), -50000] * (held + 1)
    return from_timings(jittered(timings, Random(seed)) if seed else timings)


REMOTE = Recognizer((name, pressed(name)) for name in BITS)


@given(name=st.sampled_from(list(BITS)), seed=st.integers(1, 999), held=st.integers(0, 3))
def test_a_button_is_known_by_its_durations(name: str, seed: int, held: int) -> None:
    assert REMOTE.recognize(pressed(name, seed=seed, held=held)) == [name]


def test_a_truncated_press_matches_no_command() -> None:
    heard = to_timings(pressed("on"))
    assert REMOTE.recognize(from_timings(heard[:30])) == []


@pytest.mark.parametrize("known", captured(), ids=lambda known: known.what)
def test_presses_of_other_remote_controls_match_no_command(known: object) -> None:
    assert REMOTE.recognize(known.packet) == []  # type: ignore[attr-defined]


def test_real_captures_are_told_apart() -> None:
    packets = {known.what: known.packet for known in captured()}
    remote = Recognizer(packets.items())
    alike = [set(names) for names in remote.alike()]
    for name, packet in packets.items():
        group = next((names for names in alike if name in names), {name})
        assert set(remote.recognize(packet)) <= group
        assert name in remote.recognize(packet)


def test_a_toggle_bit_is_no_difference() -> None:
    first, second = press("RC-5", {"D": 5, "F": 12}) or []
    assert Recognizer([("power", first)]).recognize(second) == ["power"]


def test_the_part_behind_an_equal_beginning_tells_them_apart() -> None:
    """Air conditioners' messages have several frames, the first of which are always the same."""
    beginning = [*frame(BITS["on"]), -20000]
    cool = from_timings([*beginning, *frame(BITS["up"]), -50000])
    heat = from_timings([*beginning, *frame(BITS["down"]), -50000])
    remote = Recognizer([("cool", cool), ("heat", heat)])
    assert remote.recognize(heat) == ["heat"]
    assert remote.recognize(from_timings(beginning)) == []
    assert remote.alike() == []


def test_a_second_frame_behind_a_long_pause_tells_them_apart() -> None:
    """A projector's buttons begin with one and the same frame of NEC."""
    common = encode("NEC", address=0x81, command=3) or b""
    buttons = {
        name: from_timings(
            [*to_timings(common), *to_timings(encode("NEC", address=1, command=n) or b"")]
        )
        for n, name in enumerate(["power", "zoom in", "zoom out"])
    }
    remote = Recognizer((name, packet) for name, packet in buttons.items())
    for name, packet in buttons.items():
        assert remote.recognize(from_timings(jittered(to_timings(packet), Random(2)))) == [name]
    assert not same_button(buttons["power"], buttons["zoom in"])
    assert remote.recognize(common) == []
    assert remote.alike() == []
    middle = median_of([buttons["zoom in"]] * 3)
    assert remote.recognize(middle) == ["zoom in"]


def test_equal_bits_behind_another_leader_are_another_code() -> None:
    """LG's air conditioners are of two kinds that differ in the leader alone."""
    data = frame(BITS["on"])[2:]
    old, new = (from_timings([*leader, *data, -50000]) for leader in ((8500, -4250), (3200, -9900)))
    remote = Recognizer([("old", old), ("new", new)])
    for name, packet in (("old", old), ("new", new)):
        assert remote.recognize(from_timings(jittered(to_timings(packet), Random(4)))) == [name]


def test_the_median_has_the_bits_of_all_presses() -> None:
    """A held button is heard more often, and a receiver may begin late."""
    presses = [pressed("down", seed=seed, held=seed % 3) for seed in (1, 2, 3)]
    late = from_timings([200, *to_timings(presses[2])[1:]])
    middle = median_of([*presses[:2], late])
    assert REMOTE.recognize(middle) == ["down"]
    assert len(to_timings(middle)) % len([*frame(BITS["down"]), -50000]) == 0


def test_what_cannot_be_told_apart_is_named() -> None:
    remote = Recognizer(
        [
            ("on", pressed("on")),
            ("power", pressed("on", seed=3)),
            ("off", pressed("off")),
            ("volume", encode("NEC", address=1, command=2) or b""),
            ("louder", encode("NEC", address=1, command=2, repeats=1) or b""),
        ]
    )
    assert sorted(map(sorted, remote.alike())) == [["louder", "volume"], ["on", "power"]]
    assert sorted(remote.recognize(pressed("on", seed=5))) == ["on", "power"]


@pytest.mark.thorough
def test_one_of_thousands_of_states_is_known_at_once() -> None:
    """It is recognized in the event loop."""
    common = Random(1).getrandbits(100)
    states = [
        from_timings([*frame([int(bit) for bit in f"{common:0100b}{state:012b}"]), -50000])
        for state in range(2689)
    ]
    remote = Recognizer(enumerate(states))
    heard = from_timings(jittered(to_timings(states[1777]), Random(3)))
    times: list[float] = []
    for _ in range(5):
        before = process_time()
        assert remote.recognize(heard) == [1777]
        times.append(process_time() - before)
    assert min(times) < 0.01
    assert remote.alike() == []


def test_an_alternating_command_is_one() -> None:
    remote = Recognizer([("power", pressed("on")), ("power", pressed("off"))])
    assert remote.recognize(pressed("off", seed=1)) == ["power"]
    assert remote.alike() == []


def test_radio_is_known_by_the_frame_that_it_repeats() -> None:
    whole = [us for bit in BITS["on"] for us in ((900, -300) if bit else (300, -900))]
    whole = [*whole, 300, -9000]
    known = from_radio_timings(whole * 5, frequency_hz=433_920_000)
    late = from_radio_timings([*whole[20:], *whole * 3], frequency_hz=433_920_000)
    remote = Recognizer([("bell", known), ("infrared", from_timings(whole))])
    assert remote.recognize(late) == ["bell"]


def test_the_median_of_presses_is_nearer_than_each() -> None:
    presses = [pressed("up", seed=seed, held=seed % 2) for seed in (1, 2, 3)]
    exact = frame(BITS["up"])

    def off(packet: bytes) -> float:
        return sum(abs(a - b) for a, b in zip(to_timings(packet), exact, strict=False))

    middle = median_of(presses)
    assert len(to_timings(middle)) == len(exact) + 1
    assert all(off(middle) < off(press) for press in presses)


def test_presses_of_different_codes_have_no_median() -> None:
    assert not same_button(pressed("on"), pressed("off"))
    with pytest.raises(ValueError, match="different codes"):
        median_of([pressed("on"), pressed("off")])


def test_halves_of_bits_are_not_taken_for_disturbed_marks() -> None:
    """RC-6 has marks of one half and of two, which are no pairs of a mark and a space."""
    random = Random(6)
    codes = [(0x38, 0x3D), *((random.randrange(256), random.randrange(256)) for _ in range(30))]
    for address, command in codes:
        for packet in press("RC6", {"D": address, "F": command}) or []:
            for longer_us in (0, 60, 100):
                timings = [us + longer_us for us in jittered(to_timings(packet), random)]
                heard = read(from_timings(timings)).key
                assert heard is None or heard.kind == "steps"
                assert same_button(packet, from_timings(timings))


def test_buttons_that_differ_in_one_of_four_spaces() -> None:
    """RC-MM of a length that no protocol of the table has."""
    buttons = {0x2512300 + number: rcmm(0x2512300 + number, bits=28) for number in range(85)}
    remote = Recognizer(buttons.items())
    assert remote.alike() == []
    for number in buttons:
        assert remote.recognize(rcmm(number, bits=28, longer_us=60)) == [number]


def test_buttons_of_sixteen_spaces_are_told_apart() -> None:
    """XMP, jittered by more than its protocol's line allows: nothing else tells its buttons."""
    buttons = {number: xmp(0x1234_5678_9A00_00 + number) for number in range(100)}
    remote = Recognizer(buttons.items())
    assert remote.alike() == []
    for number in (0, 17, 99):
        assert remote.recognize(xmp(0x1234_5678_9A00_00 + number, longer_us=60)) == [number]


def test_radio_full_of_noise_is_compared_quickly() -> None:
    random = Random(1)
    body = bytes(ticks for _ in range(4000) for ticks in (10, random.choice((182, 190, 200))))
    noise = b"\xb2\0" + len(body).to_bytes(2, "little") + body
    began = process_time()
    assert read(noise).difference(read(noise)) == 0
    assert process_time() - began < 2


@pytest.mark.parametrize(
    ("cut", "is_one"),
    [
        (slice(None), True),
        (slice(0, 30), True),  # it ended early
        (slice(21, None), True),  # it began within a bit
        (slice(0, 12), False),  # that is the beginning of each button
        (slice(4, 30), False),  # it began late, and ended early
    ],
)
def test_a_part_of_what_was_sent_is_a_reception(cut: slice, is_one: bool) -> None:
    timings = frame(BITS["on"])[cut]
    capture = from_timings(jittered(timings if timings[0] > 0 else timings[1:], Random(2)))
    assert is_reception(capture, pressed("on")) is is_one


@pytest.mark.parametrize("other", ["off", "up", "down"])
def test_another_button_is_no_reception(other: str) -> None:
    assert not is_reception(pressed(other, seed=3), pressed("on"))
    assert is_reception(pressed("on", seed=3, held=2), pressed("on"))
