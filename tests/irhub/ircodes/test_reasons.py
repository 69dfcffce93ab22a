"""The reason why a file is refused is the file's: no words of Python or of a library."""

from io import BytesIO
import json
from pathlib import Path
from time import process_time
import zipfile

import pytest

from custom_components.irhub.ircodes.files import index
from custom_components.irhub.ircodes.files.imported import MAX_COMMANDS
from custom_components.irhub.ircodes.files.index import MAX_DEPTH, FileIndex
from custom_components.irhub.ircodes.files.notation import text_of
from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.reasons import Reason, RefusedError

from .code_files import Codes, code_file

CODES = json.dumps(code_file({"off": Codes().packet()}))
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def test_what_is_no_text() -> None:
    with pytest.raises(RefusedError, match=r"^this is no text file$"):
        text_of(PNG)
    with pytest.raises(RefusedError, match=r"^this is no text file$"):
        read_codes("tv:\x01 a", device="tv")


def test_texts_of_other_encodings() -> None:
    assert text_of("# Lautstärke".encode("latin-1")) == "# Lautstärke"
    assert text_of("# Lautstärke".encode("utf-16")).lstrip("\ufeff") == "# Lautstärke"
    assert text_of("\ufeff# Lautstärke".encode()) == "# Lautstärke"
    assert text_of(b"\x1b[0;36m[C]\x1b[0m\n") == "\x1b[0;36m[C]\x1b[0m\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"tv": {"on": 1,}}\n{', "neither a packet nor YAML nor JSON: line 1, column 16"),
        ("tv:\n  on: {a", "neither a packet nor YAML nor JSON: line 3, column 1"),
        ("tv: &a {on: 1}\nhall: *a", "aliases (*) are not read; write out what they stand for"),
        ("? [a]\n: b", "[…] cannot be a name"),
        pytest.param('{"a":' * 100_000, "nested too deeply", id="deep"),
        ("<remotes>\n<remote", "line 2 is not XML"),
        pytest.param(
            'functionname,protocol\n"' + "a" * 200_000, "line 1 is not CSV", id="a long field"
        ),
    ],
)
def test_where_a_text_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(RefusedError) as raised:
        read_codes(text, device="tv")
    assert str(raised.value) == reason


def test_a_number_that_is_none() -> None:
    text = "begin remote\n bits 8\n one 1 2\n zero 1 1\n begin codes\n a b\n end codes\nend remote"
    assert {str(reason) for reason in read_codes(text).refused.values()} == {"not a number: 'b'"}


@pytest.mark.thorough
def test_a_limit_is_named_before_the_work_is_done() -> None:
    rows = "\n".join(f"name{number},NEC1,4,-1,{number % 256}" for number in range(600_000))
    before = process_time()
    with pytest.raises(RefusedError, match=f"more than {MAX_COMMANDS} commands"):
        read_codes(f"functionname,protocol,device,subdevice,function\n{rows}", device="tv")
    assert process_time() - before < 2


def zip_of(**files: str | bytes) -> bytes:
    """Return a zip of files, whose names have / for __."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".json", text)
    return content.getvalue()


def reasons_by_file(files: FileIndex) -> dict[str, str]:
    """Return why files are not in the index."""
    assert all(isinstance(reason, Reason) for reason in files.skipped.values())
    return {path: str(reason) for path, reason in files.skipped.items()}


def test_files_of_a_zip_that_are_left_out() -> None:
    deep = "a__" * MAX_DEPTH + "deep"
    files = FileIndex.of_zip(zip_of(good=CODES, picture=PNG, broken="{", **{deep: CODES}))
    assert len(files) == 1
    assert reasons_by_file(files) == {
        "picture.json": "this is no text file",
        "broken.json": "neither a packet nor YAML nor JSON: line 1, column 2",
        deep.replace("__", "/") + ".json": "the file is in more than 8 folders within each other",
    }


def test_a_zip_that_is_encrypted_or_none() -> None:
    content = bytearray(zip_of(good=CODES))
    for signature, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        content[content.index(signature) + flags] |= 1
    assert reasons_by_file(FileIndex.of_zip(bytes(content))) == {
        "good.json": "the file in the zip is encrypted"
    }
    with pytest.raises(RefusedError, match=r"^no zip file$"):
        FileIndex.of_zip(b"PK")


def test_reading_has_an_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(index, "MAX_S", -1.0)
    (tmp_path / "tv.json").write_text(CODES)
    assert reasons_by_file(FileIndex.of_collection(tmp_path)) == {
        "tv.json": "reading the files took longer than -1 s; this one was left out"
    }
