"""JSON as people write it: with remarks, a comma too much, a mark in front, and broken."""

import json
from time import process_time

import pytest

from custom_components.irhub.ircodes import RefusedError, read_codes
from custom_components.irhub.ircodes.files import read_notation, text_of

from ..captured import POWER, RC5


@pytest.mark.parametrize(
    "text",
    [
        '{"tv": {"power": "' + RC5 + '",},}',
        '{"tv": {"power": ["' + RC5 + '", ] } , }',
        '{\n\t"tv": {\n\t\t"power": "' + RC5 + '",\n\t},\n}',
        '{"tv": {"power": "' + RC5 + '"}, // the television\n}',
        '// mine\n{"tv": /* a remark */ {"power": "' + RC5 + '"}}',
        '{"tv": {"power": "' + RC5 + '", /* "off": 1, */ }}',
    ],
)
def test_what_json_does_not_allow(text: str) -> None:
    for content in (text, text.replace("\n", "\r\n"), text_of(b"\xef\xbb\xbf" + text.encode())):
        assert read_codes(content).commands == {"tv": {"power": [POWER]}}


def test_commas_and_slashes_in_texts_stay() -> None:
    value = {"a,]": "b // c", "d": ["/* e */", ",}"], "f\\": '"'}
    assert read_notation(json.dumps(value)[:-1] + ",}") == value


def test_where_json_is_broken() -> None:
    with pytest.raises(RefusedError, match="line 2, column 3"):
        read_notation('{"a": 1,\n  x}]')


@pytest.mark.parametrize(
    "text",
    [
        "{" + "/*" * 300_000,
        "{" + '\\"' * 300_000,
        "{" + ", /* " * 100_000,
        "{" + ("," + " " * 50) * 20_000,
        "[" + '"a",' * 100_000 + "}",
    ],
    ids=range(5),
)
def test_a_broken_text_is_refused_at_once(text: str) -> None:
    before = process_time()
    with pytest.raises(RefusedError):
        read_notation(text)
    assert process_time() - before < 5
