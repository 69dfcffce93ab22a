"""Text decoded in pieces is the text decoded at once."""

import gc

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.rest import decoding
from custom_components.rest.decoding import decode, encode, is_encoding
from custom_components.rest.no_collection import no_collection
from custom_components.rest.reply import Reply

NAMES = ["utf-8", "utf-8-sig", "utf-16", "utf-32-be", "utf-7", "cp1252", "gb18030", "shift_jis"]


@settings(max_examples=200, deadline=None)
@given(st.text(), st.sampled_from(NAMES), st.sampled_from([1, 2, 5]))
def test_text_comes_back(text: str, name: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "PIECE", piece)
        data = text.encode(name, "ignore")
        assert decode(data, [name]) == data.decode(name).removeprefix("\ufeff")
        assert encode(text) == text.encode("utf-8", "replace")


@settings(max_examples=200, deadline=None)
@given(st.binary(), st.sampled_from(NAMES), st.sampled_from([1, 2, 5]))
def test_anything_becomes_text(data: bytes, name: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoding, "PIECE", piece)
        text = decode(data, [name, "utf-8"])
    for candidate in (name, "utf-8"):
        try:
            assert text == data.decode(candidate).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        break
    else:
        assert "\ufffd" in text


@pytest.mark.parametrize("name", ["punycode", "idna", "hex", "rot13", "none", "", "a\0b"])
def test_what_is_no_encoding_of_replies(name: str) -> None:
    assert not is_encoding(name)


@pytest.mark.parametrize(
    ("size", "charset", "encoding", "is_large"),
    [
        (131072, None, "UTF-8", False),
        (131073, None, "UTF-8", True),
        (131072, "utf-8", "utf-7", False),
        (8192, "utf-7", "UTF-8", False),
        (8193, "utf-7", "UTF-8", True),
        (8193, None, "cp1252", True),
    ],
)
def test_slow_encodings_are_large_earlier(
    size: int, charset: str | None, encoding: str, is_large: bool
) -> None:
    assert Reply(body=bytes(size), charset=charset, encoding=encoding).is_large is is_large


def test_collections_are_held_off_until_the_last_is_done() -> None:
    assert gc.isenabled()
    one, other = no_collection(), no_collection()
    with one:
        assert not gc.isenabled()
        with other:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_home_assistant_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with no_collection():
            pass
        assert gc.get_freeze_count() > frozen / 2
    finally:
        gc.unfreeze()
