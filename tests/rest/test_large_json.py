"""A large document parsed in pieces is the document parsed at once."""

import json
import threading
import time

from hypothesis import given, settings, strategies as st
import orjson
import pytest

from custom_components.rest import large_json
from virtual_home.endpoint_documents import document

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(0, 1),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=60,
)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "WHOLE", 0)
    monkeypatch.setattr(large_json, "PIECE", 20)
    monkeypatch.setattr(large_json, "WINDOW", 7)
    monkeypatch.setattr(large_json, "WINDOW", 7)


@settings(max_examples=100, deadline=None)
@given(JSON, st.sampled_from([None, 1]))
def test_pieces_make_the_whole(value: object, indent: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_json, "WHOLE", 0)
        patch.setattr(large_json, "PIECE", 20)
        patch.setattr(large_json, "WINDOW", 7)
        for ascii_only in (True, False):
            text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
            try:
                data = text.encode()
                expected = orjson.loads(data)
            except ValueError:  # a lone surrogate
                continue
            assert large_json.loads(data) == expected


@settings(max_examples=150, deadline=None)
@given(JSON, st.data())
def test_what_is_no_json_stays_none(value: object, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_json, "WHOLE", 0)
        patch.setattr(large_json, "PIECE", 20)
        patch.setattr(large_json, "WINDOW", 7)
        text = json.dumps(value).encode()
        at = data.draw(st.integers(0, len(text)))
        broken = text[:at] + data.draw(st.sampled_from([b"", b",", b"]", b'"', b"}", b"[", b":"]))
        broken += text[at + data.draw(st.integers(0, 2)) :]
        try:
            expected = orjson.loads(broken)
        except ValueError:
            with pytest.raises(ValueError):  # noqa: PT011  (any of them)
                large_json.loads(broken)
        else:
            assert large_json.loads(broken) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "0123456789012345678901234567890", "b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}',
        '["01234567890123456789012345678", {"a": [], "b": {}}, [], "\\"\\\\", "[,]"]',
        "[" + "1," * 40 + "1]",
        "[                                    ]",
        '{"a": 1, "a": 22222222222222222222222222, "a": 3}',
        '{"a": [' + "1," * 20 + '1], "a": {"b": [' + "2," * 20 + '2]}, "c": 3}',
        "[1, [" + "1," * 20 + "1], 2, [" + "1," * 20 + "1] , [], [" + "1," * 20 + "1]]",
        "[" * 1000 + "1234567890" * 4 + "]" * 1000,
    ],
)
def test_shapes(text: str) -> None:
    assert large_json.loads(text.encode()) == orjson.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1," * 40 + "]",
        "[" + "1," * 20 + "," + "1," * 20 + "1]",
        "[" + "1," * 40 + "1",
        "[" + "1," * 40 + "1]]",
        "[" + "1," * 40 + "NaN]",
        '{"01234567890123456789" "01234567890123456789"}',
        '{01234567890123456789: "01234567890123456789"}',
        '{[01234567890123456789, "01234567890123456789"]}',
        '["0123456789, 0123456789, 0123456789]',
        '["0123456789, 0123456789, 0123456789\\',
        '["0123456789, 0123456789, 0123456789\\"]',
        "[" + "1," * 40 + "1}",
        "[[" + "1," * 40 + "1]",
        "[[" + "1," * 40 + "1],]",
        "[[" + "1," * 40 + "1] [" + "1," * 40 + "1]]",
        "[[" + "1," * 40 + "1] 2, 3]",
        "[1 [" + "1," * 40 + "1]]",
        "[" + " " * 40 + ", [" + "1," * 40 + "1]]",
        "[" + " " * 40 + ", 1]",
        "[[" + "1," * 40 + "1], , 1]",
        '{"a" [' + "1," * 40 + "1]}",
        "{[" + "1," * 40 + "1]}",
        "{1: [" + "1," * 40 + "1]}",
        "[" + "1," * 40 + "1], 2",
        "," + "1," * 40 + "1",
        "]" + "1," * 40 + "1",
        "[" * 100_000 + "]" * 100_000,
    ],
)
def test_broken(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (any of them)
        large_json.loads(text.encode())


def test_too_many_containers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "MAX_CONTAINERS", 10)
    assert large_json.loads(b"[[],[],[],[],[],[],[],[],[]         ]") == [[]] * 9
    with pytest.raises(large_json.TooManyError, match="more than 10 lists and dictionaries"):
        large_json.loads(b"[[],[],[],[],[],[],[],[],[],[]]")


def test_other_threads_get_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_json, "WHOLE", 2 * 1024 * 1024)
    monkeypatch.setattr(large_json, "PIECE", 512 * 1024)
    monkeypatch.setattr(large_json, "WINDOW", 64 * 1024)
    data = document(6 * 1024 * 1024)
    turns = 0
    parsed: list[object] = []
    thread = threading.Thread(target=lambda: parsed.append(large_json.loads(data)))
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    thread.join()
    assert parsed[0] == orjson.loads(data)
    assert turns > 10
