"""Fuzzes one parser, guided by the code it reaches: `python -m tests.reliability.guided_child`.

Arguments: the parser's name, then libFuzzer's own. The exit status is 0 if only documented
errors were raised; else libFuzzer prints the traceback and the input.
"""

from collections.abc import Callable
from contextlib import suppress
import sys

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]  # not everywhere

with atheris.instrument_imports(
    include=[
        "custom_components.irhub.ircodes.packet.packet",
        "custom_components.irhub.ircodes.packet.text_forms",
        "custom_components.rest.schema",
    ]
):
    from custom_components.irhub.ircodes.packet import packet, text_forms
    from custom_components.rest import schema
    from custom_components.rest.polling import request


def texts(data: bytes) -> None:
    """Read a text as a packet: an accepted packet is the same in every format."""
    with suppress(ValueError):
        found = text_forms.parse_text(data.decode("latin-1"))
        base64, digits = text_forms.to_base64(found), text_forms.to_hex(found)
        for form in (base64, digits, f"hex:{found.hex(' ')}"):
            assert text_forms.parse_text(form) == found
        assert all(packet.to_timings(found))
        assert packet.kind(found) in ("ir", "rf")


def captures(data: bytes) -> None:
    """Check a capture of a device: an accepted packet is accepted again, byte for byte."""
    with suppress(ValueError):
        read = packet.from_bytes(data)
        assert packet.from_bytes(read) == read
        assert data.startswith(read)


def header_lines(data: bytes) -> None:
    """Read header lines: names that are tokens, and values that stay on their line."""
    with suppress(ValueError):
        for name, value in schema.header_pairs(data.decode("latin-1")).items():
            assert name.isascii()
            assert not set(name) & set(": \t\r\n")
            if request.is_header_value(value):
                assert len(value.encode().splitlines()) <= 1


@atheris.instrument_func  # type: ignore[untyped-decorator,unused-ignore]  # as it is not everywhere
def planted(data: bytes) -> None:
    """Fail on one input of four billion, which only guided fuzzing finds."""
    if data[:1] == b"P" and data[1:2] == b"l" and data[2:3] == b"u" and data[3:4] == b"m":
        raise LookupError("planted")


PARSERS: dict[str, Callable[[bytes], None]] = {
    parser.__name__: parser for parser in (texts, captures, header_lines, planted)
}

if __name__ == "__main__":
    atheris.Setup(sys.argv[1:], PARSERS[sys.argv[1]])
    atheris.Fuzz()
