"""What a packet means, with the infrared library that core of this version brings."""

from importlib.util import find_spec
import re
import subprocess
import sys

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.packets.describe import describe
from custom_components.irhub.packets.packet import from_bytes, from_timings
from custom_components.irhub.packets.text_forms import parse_text

from .captured import Captured, captured

CAPTURED = captured()
NEC = [known for known in CAPTURED if known.decoded.startswith("NEC")]


@pytest.mark.parametrize("known", NEC, ids=[known.what for known in NEC])
def test_nec(known: Captured) -> None:
    numbers = [int(number, 16) for number in re.findall("0x([0-9a-f]+)", known.decoded)]
    match numbers:
        case [address, command]:
            assert describe(known.packet) == f"NEC address 0x{address:02x} command 0x{command:02x}"
        case [low, high, command]:
            address = high << 8 | low
            assert describe(known.packet) == f"NEC address 0x{address:04x} command 0x{command:02x}"


@pytest.mark.parametrize("known", CAPTURED, ids=[known.what for known in CAPTURED])
def test_nothing_is_taken_for_another_protocol(known: Captured) -> None:
    """Where a version of the library reads a protocol, it is the right one."""
    words = {"NEC": "NEC", "Samsung": "Samsung", "Sony": "Sony", "RC-5": "RC5", "RC-6": "RC6"}
    if text := describe(known.packet):
        assert known.decoded.startswith(words[text.split()[0]])


def test_infrared_of_no_known_protocol() -> None:
    assert describe(from_timings([9000, -4500, 560])) is None
    assert describe(parse_text("26000200 1122")) is None


def test_radio_has_no_description() -> None:
    assert describe(parse_text("b2000200 1122")) is None


@given(st.binary(min_size=1, max_size=200))
def test_any_packet_can_be_described(body: bytes) -> None:
    try:
        packet = from_bytes(b"\x26\0" + len(body).to_bytes(2, "little") + body)
    except ValueError:
        return
    describe(packet)


def test_without_the_library() -> None:
    """An installation whose core lacks it loads the module and describes nothing."""
    assert find_spec("infrared_protocols")
    program = (
        "import sys; sys.modules['infrared_protocols'] = None\n"
        "from custom_components.irhub.packets.describe import describe\n"
        "from custom_components.irhub.packets.text_forms import from_base64\n"
        f"print(describe(from_base64({NEC[0].base64!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "None"
