"""The notation of protocols: what it writes, what it reads of that, and what it refuses."""

from random import Random
from time import process_time

import pytest

from custom_components.irhub.ircodes.packet.noise import is_noise
from custom_components.irhub.ircodes.packet.packet import from_timings
from custom_components.irhub.ircodes.protocols.irp import Irp
from custom_components.irhub.ircodes.protocols.irp_notation import NotationError, parse
from custom_components.irhub.ircodes.protocols.protocol_table import ProtocolRow, rows_of, table

from ..lines import READ, STEPS_TOO_SMALL, TEN_PERCENT, read, read_again, some


@pytest.mark.parametrize("row", READ, ids=lambda row: row.name)
def test_what_a_line_writes_it_reads(row: ProtocolRow) -> None:
    counted = read_again(row, 60)
    assert not counted["wrong"]
    assert counted["read"] >= (50 if row.label in STEPS_TOO_SMALL else 60)


@pytest.mark.parametrize("label", STEPS_TOO_SMALL)
def test_what_is_uncertain_is_not_read(label: str) -> None:
    for row in READ:
        if row.label == label:
            assert not read_again(row, 60, TEN_PERCENT)["wrong"]


def test_half_a_bit_is_not_lost_in_a_pause() -> None:
    """RC-5x: behind its pause of four halves a bit of zero begins with a mark, one with a fifth."""
    [row] = rows_of("RC5x")[0]
    values = {"D": 7, "S": 0, "F": 0, "T": 0}
    press = row.irp.encode(values).press()
    longer = [us + (116 if us > 0 else -306 if us == -3556 else 0) for us in press]
    reading = read(row.irp, longer)
    assert reading is not None
    assert reading.values == values


def test_a_long_pause_with_half_a_bit_may_be_longer() -> None:
    """RC-5x: nothing is longer than its pause of four halves with one before and one behind it."""
    [row] = rows_of("RC5x")[0]
    values = {"D": 16, "S": 100, "F": 23, "T": 0}
    longer = [us - 447 if us == -5334 else us for us in row.irp.encode(values).press()]
    reading = read(row.irp, longer)
    assert reading is not None
    assert reading.values == values


def test_a_pause_that_fills_a_length_up() -> None:
    """JVC: some remote controls send every 60 ms, so what is long leaves a pause of 13 ms."""
    [row] = rows_of("JVC")[0]
    values = {"D": 0xEF, "F": 0xF7}
    sent = [us if us > -20_000 else -13_275 for us in row.irp.encode(values).press()]
    reading = read(row.irp, sent)
    assert reading is not None
    assert reading.values == values


def line(text: str, **values: int) -> list[int]:
    """Return a press of the protocol of a line."""
    return parse(text).encode(values).press()


@pytest.mark.parametrize(
    ("text", "values", "sent"),
    [
        ("{38k,100}<1,-1|1,-3>(D:2,1,-90)[D:0..3]", {"D": 1}, [1, -3, 1, -1, 1, -90]),
        ("{38k,100,msb}<1,-1|1,-3>(D:2,1,-90)[D:0..3]", {"D": 1}, [1, -1, 1, -3, 1, -90]),
        ("{38k,100}<1,-1|1,-3>(D:-2,1,-90)[D:0..3]", {"D": 1}, [1, -1, 1, -3, 1, -90]),
        ("{38k,100}<1,-1|1,-3>(~D:1:1,1,-90)[D:0..3]", {"D": 2}, [1, -1, 1, -90]),
        ("{38k,100}<1,-1|1,-3>(~(D+1):1,1,-90)[D:0..3]", {"D": 2}, [1, -1, 1, -90]),
        ("{38k,100}<1,-1|-1,1>(1,D:2,^10)[D:0..3]", {"D": 1}, [1, -1, 2, -6]),
        ("{40k,10p}<1u,-1m|2,-25p>(D:1,1,-9m)[D:0..1]", {"D": 1}, [5, -6.25, 2.5, -90]),
        (
            "{38k,100,msb}<1,-1|1,-2|2,-1|2,-2>(D:4,1,-90)[D:0..15]",
            {"D": 6},
            [1, -2, 2, -1, 1, -90],
        ),
        ("{38k,100}<1,-1|1,-3>(2,(1,-9)2,3,-90)", {}, [2 + 1, -9, 1, -9, 3, -90]),
        ("{38k,100}<1,-1|1,-3>(2,-9,(1,-90)2+)", {}, [2, -9, 1, -90, 1, -90]),
        ("{38k,100}<1,-1|1,-3>(2,-9,(1,-90)*,3,-50)", {}, [2, -9, 3, -50]),
        (
            "{38k,100}<1,-1|1,-3>([T=0][T=1][T=0],C:1,T:1,1,-90)+{C=#D&1}[D:0..3]",
            {"D": 1},
            [1, -3, 1, -1, 1, -90, 1, -3, 1, -1, 1, -90],
        ),
        ("{38k,100}<1,-1|1,-3>(S:2,1,-90)[D:0..3,S:0..3=3-D]", {"D": 2}, [1, -3, 1, -1, 1, -90]),
    ],
)
def test_the_notation(text: str, values: dict[str, int], sent: list[float]) -> None:
    assert line(text, **values) == [round(units * 100) for units in sent]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{38k,100}<1,-1|1,-3>(D:8,1,-90)", "D is neither a parameter nor calculated"),
        ("{38k,100}<1,-1|1,-3>(D:8,1,-90)[D:0..255", "not read from here"),
        ("{38k,100}<1,-1>(D:8,1,-90)[D:0..255]", "1 symbols are not read"),
        ("{38k,100}<1,-1|1,last>(D:8,1,-90)[D:0..255]", "not read from here: last"),
        ("{38k,100}<1,-1|1,-3>((1,-9)*,(2,-9)*)", "two streams without end"),
        ("{38k,100}<1,-1|1,-3|2,-1|2,-3>(D:3,1,-90)[D:0..7]", "do not fill whole symbols"),
        ("{38k,100}<1,-1|1,-3>(C:8,1,-90){C=C+1}[D:0..255]", "does not end"),
        ("{38k,100}<1,-1|1,-3>(D:99,1,-90)[D:0..255]", "99 bits"),
        ("{38k,100}<1,-1|1,-3>(1,-99999)", "too long"),
        ("{38k,100}<1,-1|1,-3>((1,-9)99)", "99 times"),
        ("{100p}<1,-1|1,-3>(1,-9)", "periods of a carrier"),
        ("{38k,100,wrong}<1,-1|1,-3>(1,-9)", "wrong is not read"),
        ("{38k,100", "} is missing"),
        ("{38k,100}<1,-1|1,-3>((1,-9)+", "not read from here"),
    ],
)
def test_a_line_that_the_engine_cannot_do_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        parse(text)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"D": 4}, "F is missing"),
        ({"D": 256, "F": 1}, "D is 256, which is not within 0 to 255"),
        ({"D": 4, "F": 1, "X": 1}, "the protocol has no parameter X"),
    ],
)
def test_values_that_a_protocol_does_not_have(values: dict[str, int], sentence: str) -> None:
    [nec] = rows_of("NEC1")[0]
    with pytest.raises(ValueError, match=sentence):
        nec.irp.encode(values)


def nec(**values: int) -> tuple[Irp, list[int], list[int]]:
    """Return NEC1, a frame of it, and the short one that a held button repeats."""
    [row] = rows_of("NEC1")[0]
    signal = row.irp.encode(values)
    return row.irp, signal.press(), [*signal.repeat]


def test_repeats_are_known_and_counted() -> None:
    irp, frame, ditto = nec(D=4, F=8)
    for timings, copies in (
        (frame, 1),
        (frame[:-1], 1),
        (frame + ditto * 3, 1),
        (frame + ditto + ditto[:2], 1),
        (frame * 3, 3),
        (frame * 2 + frame[:20], 2),
    ):
        reading = read(irp, timings)
        assert reading is not None
        assert reading.values == {"D": 4, "S": 251, "F": 8}
        assert reading.copies == copies


def test_what_another_frame_follows_has_no_meaning() -> None:
    """Buttons of a projector begin with one frame and differ in the second."""
    irp, frame, _ = nec(D=4, F=8)
    _, other, _ = nec(D=4, F=9)
    assert read(irp, frame + other) is None
    assert read(irp, [*frame, 3000, -1500, 500, -40000]) is None


def test_a_frame_that_is_cut_off_or_has_a_wrong_check_is_not_read() -> None:
    irp, frame, _ = nec(D=4, F=8)
    assert read(irp, frame[:40]) is None
    wrong = [*frame]
    wrong[-4] = -564 if wrong[-4] < -1000 else -1692  # the last bit
    assert read(irp, wrong) is None
    assert read(irp, []) is None
    assert read(irp, [-500]) is None


def test_each_row_has_names_that_tell_it_from_others() -> None:
    for row in table():
        assert row in rows_of(row.name)[0]
    assert rows_of("Tivo unit=3")[1] == {"U": 3}
    assert rows_of("nobody's") == ((), {})


@pytest.mark.parametrize("row", table(), ids=lambda row: row.name)
def test_no_protocol_sends_what_is_taken_for_noise(row: ProtocolRow) -> None:
    random = Random(row.name)
    for _ in range(20):
        assert not is_noise(from_timings(row.irp.encode(some(row.irp, random)).press()))


def chained(operator: str) -> str:
    """Return a line that calculates as many numbers as it can of two each."""
    links = ",".join(f"A{link}=A{link + 1}{operator}A{link + 1}" for link in range(60))
    return f"{{38k,564}}<1,-1|1,-3>(A0:8,1,-9){{{links},A60=D}}[D:2..255]"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f"{{38k,564}}<1,-1|1,-3>({'(' * 8}1,-1{')20' * 8})", "more than 10000 durations"),
        (f"{{38k,564}}<1,-1|1,-3>({'(' * 5}5:64,1,-1{')20' * 5})", "more than 10000 durations"),
        (f"{{38k,564}}<1,-1|1,-3>({'1,-1,' * 100_000}1)", "more than 2000 characters"),
        (chained("*"), "a number is too large"),
        (chained("+"), "too much is calculated"),
        (
            "{38k,564}<1,-1|1,-3>(A:8,1,-9){A=D:99999999999}[D:2..255]",
            "a field of 99999999999",
        ),
        ("{38k,564}<1,-1|1,-3>(A:8,1,-9){A=D::99999999999}[D:2..255]", "a field of 99999999999"),
        (f"{{38k,564}}<1,-1|1,-3>(A:8,1,-9){{A={'9' * 1500}}}", "too large a number"),
        (f"{{38k,564}}<1,-1|1,-3>{'(' * 900}1,-1{')' * 900}", "nested too deeply"),
        ("{38.4.1k,564}<1,-1|1,-3>(1:8,1,-9)", "38.4.1 is not a number"),
        ("{38k,564}<1,-1|1,-3>(1,-9)1.5", "1.5 is not a whole number"),
    ],
    ids=lambda text: text[:30],
)
def test_a_line_is_refused_before_it_takes_long(line: str, problem: str) -> None:
    began = process_time()
    with pytest.raises(NotationError, match=problem):
        parse(line)
    assert process_time() - began < 1
