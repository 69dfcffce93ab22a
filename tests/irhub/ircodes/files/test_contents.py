"""What somebody brings, and what that is."""

from io import BytesIO
import json
from pathlib import Path
import zipfile

import pytest

from custom_components.irhub.ircodes import RefusedError, identify
from custom_components.irhub.ircodes.files import ContentKind, NamelessError

from ..captured import NEC, POWER, RC5

SMARTIR = {
    "manufacturer": "Acme",
    "supportedModels": ["A1"],
    "supportedController": "Broadlink",
    "commandsEncoding": "Base64",
    "commands": {"off": RC5},
}
FLIPPER = (
    "Filetype: IR signals file\nVersion: 1\n#\nname: Power\ntype: parsed\nprotocol: NEC\n"
    "address: 04 00 00 00\ncommand: 08 00 00 00\n"
)
LOG = "[08:15:01][I][remote.nec:097]: Received NEC: address=0xFB04, command=0xF708"
TASMOTA = {"Protocol": "NEC", "Bits": 32, "Data": "0x20DF10EF"}
DEVICE = {"id": "a", "name": "tv", "commands": []}


def zipped(**files: str | bytes) -> bytes:
    """Return a zip of files, whose names have / for __ and . for _dot_."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("source", "kind", "format_name"),
    [
        ({"devices": [DEVICE]}, "device", "irhub"),
        (json.dumps({"devices": [DEVICE, DEVICE]}), "export", "irhub"),
        ({"version": 1, "data": {"tv": {"on": RC5}, "fan": {"on": RC5}}}, "export", "irhub"),
        ("tv:\n  on: " + RC5, "code_file", "irhub"),
        (json.dumps(SMARTIR), "code_file", "SmartIR"),
        (("\ufeff" + json.dumps(SMARTIR, indent=1)).encode(), "code_file", "SmartIR"),
        (json.dumps(SMARTIR, indent=1).replace("\n", "\r\n"), "code_file", "SmartIR"),
        (FLIPPER, "code_file", "Flipper"),
        (FLIPPER.encode("utf-16"), "code_file", "Flipper"),
        ("begin remote\nbegin codes\na 1\nend codes\nend remote", "code_file", "LIRC"),
        ("functionname,protocol,device,subdevice,function\na,NEC1,4,-1,8", "code_file", "irdb"),
        (f"power = {RC5}\nhdmi = {NEC}", "code_file", "list"),
        ([{"name": "TV", "data": {"on": POWER.hex()}}], "code_file", "homebridge-broadlink-rm"),
        (LOG, "log", "ESPHome or Tasmota"),
        (json.dumps({"IrReceived": TASMOTA}), "log", "ESPHome or Tasmota"),
        (json.dumps(TASMOTA), "packet", "irhub"),
        (RC5, "packet", "irhub"),
        (f"b64:{RC5}", "packet", "irhub"),
        (POWER.hex(" "), "packet", "irhub"),
    ],
    ids=range(19),
)
def test_what_a_text_is(source: object, kind: str, format_name: str) -> None:
    content = identify(source)
    assert (content.kind, content.format) == (kind, format_name)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "the text is empty"),
        ("hello", "not a code in "),
        ("2600ff00", "incomplete"),
        (b"\x89PNG\r\n\x1a\n\0\0", "this is no text file"),
        (b"PK\x03\x04 and then nothing", "no zip file"),
        ("<!DOCTYPE html>\n<html><body>404</body></html>", "a web page, not a file of codes"),
        (zipped(picture_dot_png=b"\x89PNG"), "there is no code file in it"),
        (zipped(readme_dot_txt="Read me first, please.", other_dot_txt="?"), "no code file in it"),
        (zipped(broken_dot_json='{"commands": {"a'), "neither a packet nor YAML nor JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
    ids=range(10),
)
def test_what_is_nothing(source: str | bytes, sentence: str) -> None:
    with pytest.raises(RefusedError, match=sentence):
        identify(source)


def test_a_zip_with_one_code_file_is_that_file() -> None:
    packed = zipped(
        codes__tv_dot_json=json.dumps(SMARTIR),
        readme_dot_txt="What this is.",
        __MACOSX__codes__x_dot_json="\0\5",
    )
    content = identify(packed, name="download.zip")
    assert (content.kind, content.name) == (ContentKind.CODE_FILE, "tv")
    assert content.read().commands == {"Acme A1": {"off": [POWER]}}


def test_a_collection_is_looked_through_and_opened(tmp_path: Path) -> None:
    files = {"a_dot_json": json.dumps(SMARTIR), "b__c_dot_ir": FLIPPER}
    (tmp_path / "b").mkdir()
    (tmp_path / "a.json").write_text(files["a_dot_json"])
    (tmp_path / "b" / "c.ir").write_text(FLIPPER)
    for source, format_name in ((zipped(**files), "zip"), (tmp_path, "folder")):
        content = identify(source)
        assert (content.kind, content.format) == (ContentKind.COLLECTION, format_name)
        assert [*content.paths] == ["a.json", "b/c.ir"]
        assert [match.path for match in content.index().find([POWER])] == ["a.json"]
        inner = content.open("b/c.ir")
        assert (inner.kind, inner.name) == (ContentKind.CODE_FILE, "c")
        with pytest.raises(RefusedError, match="2 code files, not one"):
            content.read()


def test_a_path_is_what_stands_there(tmp_path: Path) -> None:
    (path := tmp_path / "lounge.ir").write_text(FLIPPER)
    content = identify(path)
    assert (content.kind, content.name) == (ContentKind.CODE_FILE, "lounge")
    with pytest.raises(NamelessError):
        content.read()
    assert [*content.read(device=content.name).commands] == ["lounge"]
    with pytest.raises(OSError, match="nothing"):
        identify(tmp_path / "nothing.ir")
