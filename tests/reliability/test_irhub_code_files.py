"""A large collection of code files is read in bounded time."""

import base64
from io import BytesIO
import json
import time
from typing import Final
import zipfile

import pytest

from custom_components.irhub.ircodes import FileIndex
from tests.irhub.ircodes.files.indexes import heard, state

pytestmark = pytest.mark.reliability

FILES: Final = 400
STATES: Final = 250
"""Of one file; the median of the largest public collection has 261."""
LONGEST_S: Final = 3.0
"""Of processor time."""
BEGIN: Final = 4 + 2
"""Where the bits of a packet stand: behind its head and the header's pulse and space."""
TEMPLATE: Final = state(0, "cool", "auto", 16)
SHORT: Final = TEMPLATE[BEGIN + 1]
LONG: Final = 3 * SHORT
PRESSED: Final = (123, 45)


def packet(maker: int, number: int) -> bytes:
    """Return an air conditioner's packet, another one for each maker and number."""
    made = bytearray(TEMPLATE)
    for place, bit in enumerate(f"{maker:09b}{number:08b}"):
        made[BEGIN + 2 * place + 1] = LONG if bit == "1" else SHORT
    return bytes(made)


def collection() -> bytes:
    """Return a zip of code files."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for maker in range(FILES):
            codes = {
                str(number): base64.b64encode(packet(maker, number)).decode()
                for number in range(STATES)
            }
            file = {"commandsEncoding": "Base64", "commands": {"cool": codes}}
            archive.writestr(f"codes/{maker}.json", json.dumps(file))
    return content.getvalue()


def test_400_files_are_read_in_3_s() -> None:
    content = collection()
    shares: list[float] = []
    began = time.process_time()
    files = FileIndex.of_zip(content, shares.append)
    took = time.process_time() - began
    began = time.process_time()
    [match] = files.find([heard(packet(*PRESSED), 1)])
    asked = time.process_time() - began
    print(f"{FILES * STATES} packets in {took:.2f} s; a press found in {asked * 1000:.0f} ms")  # noqa: T201  (measured)
    assert len(files) == len(shares) == FILES
    assert shares == sorted(shares)
    assert (match.path, match.commands) == (f"codes/{PRESSED[0]}.json", [[f"cool {PRESSED[1]}"]])
    assert took < LONGEST_S
