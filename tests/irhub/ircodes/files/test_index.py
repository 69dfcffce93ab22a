"""The code file that is for a remote control, found by a press of its button."""

from collections.abc import Sequence
from io import BytesIO
import json
from pathlib import Path
from random import Random
from time import process_time
import zipfile

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.files import index
from custom_components.irhub.ircodes.files.index import FileIndex
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.packet.reader import read
from custom_components.irhub.ircodes.packet.text_forms import to_base64
from custom_components.irhub.ircodes.protocols.protocols import encode, learned

from ..captured import NEC, POWER, RC5
from .indexes import FOLDER, file_of, heard, put, state, zipped


def found(files: FileIndex, *presses: bytes) -> list[tuple[str, Sequence[Sequence[str]]]]:
    """Return the paths of the files, and what the presses are in them."""
    return [(match.path, match.commands) for match in files.find(presses)]


def test_the_file_of_a_press_is_found(tmp_path: Path) -> None:
    put(tmp_path, {f"{FOLDER}/{maker}.json": file_of(maker) for maker in range(1000, 1040)})
    files = FileIndex.of_folders(tmp_path)
    assert (len(files), files.skipped) == (40, {})
    for seed, maker in enumerate((1000, 1017, 1039)):
        press = heard(state(maker, "cool", "auto", 24), seed)
        assert found(files, press) == [(f"{FOLDER}/{maker}.json", [["cool auto 24"]])]
    [match] = files.find([heard(state(1003, "heat", "low", 18), 5)])
    assert (match.manufacturer, match.models) == ("Maker 1003", ["A", "B"])
    assert match.commands == [["heat low 18"]]
    assert 0 < match.difference < 0.2
    assert not files.find([heard(state(1100, "cool", "auto", 24), 6)])
    assert json.loads(files.read(match.path))["manufacturer"] == "Maker 1003"


def test_one_frame_of_two_is_the_same_press(tmp_path: Path) -> None:
    put(tmp_path, {f"{FOLDER}/1.json": file_of(1)})
    press = heard(state(1, "dry", "low", 25, frames=1), 1)
    assert found(FileIndex.of_folders(tmp_path), press) == [(f"{FOLDER}/1.json", [["dry low 25"]])]
    cut = from_timings(to_timings(state(1, "dry", "low", 25))[:-40])
    assert found(FileIndex.of_folders(tmp_path), cut) == [(f"{FOLDER}/1.json", [["dry low 25"]])]


def test_a_second_press_narrows_it_down(tmp_path: Path) -> None:
    ours, theirs = file_of(1), file_of(2)
    theirs["commands"]["cool"]["auto"]["24"] = ours["commands"]["cool"]["auto"]["24"]  # type: ignore[index]
    put(tmp_path, {"irhub/codes/a.json": ours, "irhub/codes/b/b.json": theirs})
    files = FileIndex.of_folders(tmp_path)
    first, second = (heard(state(1, "cool", "auto", t), t) for t in (24, 25))
    paths = [path for path, _ in found(files, first)]
    assert paths == ["irhub/codes/a.json", "irhub/codes/b/b.json"]
    assert found(files, first, second) == [
        ("irhub/codes/a.json", [["cool auto 24"], ["cool auto 25"]])
    ]


def test_the_nearest_is_first(tmp_path: Path) -> None:
    exact, slower = file_of(1), file_of(1)
    press = state(1, "cool", "auto", 24)
    off = from_timings([round(us * 1.08) for us in to_timings(press)])
    slower["commands"] = {"cool": {"auto": {"24": to_base64(off)}}}
    put(tmp_path, {"irhub/codes/a.json": slower, "irhub/codes/b.json": exact})
    files = FileIndex.of_folders(tmp_path)
    assert [path for path, _ in found(files, press)] == ["irhub/codes/b.json", "irhub/codes/a.json"]
    assert [path for path, _ in found(files, off)] == ["irhub/codes/a.json", "irhub/codes/b.json"]


def test_files_of_every_format(tmp_path: Path) -> None:
    flipper = "Filetype: IR signals file\nVersion: 1\n#\nname: Power\ntype: parsed\n"
    nec = encode("NEC", address=4, command=8)
    rc5 = encode("RC5", address=5, command=12)
    assert nec is not None
    assert rc5 is not None
    put(
        tmp_path,
        {
            "irhub/codes/tv.ir": f"{flipper}protocol: NEC\naddress: 04 00 00 00\n"
            "command: 08 00 00 00",
            "irhub/codes/amp.csv": "functionname,protocol,device,subdevice,function\n"
            "Mute,RC5,5,-1,12",
            "custom_components/smartir/custom_codes/1.json": {
                **file_of(1),
                "commandsEncoding": "Hex",
                "commands": {"on": POWER.hex()},
            },
            "irhub/codes/ours.json": {"tv": {"input": NEC}},
            "irhub/codes/readme.md": "no codes",
            "irhub/codes/bad.json": "{",
            "irhub/codes/worse.ir": "nonsense",
        },
    )
    files = FileIndex.of_folders(tmp_path)
    assert len(files) == 4
    assert [*files.skipped] == ["irhub/codes/bad.json", "irhub/codes/worse.ir"]
    assert found(files, heard(nec, 1)) == [("irhub/codes/tv.ir", [["Power"]])]
    assert found(files, heard(rc5, 2, longer_us=30)) == [("irhub/codes/amp.csv", [["Mute"]])]
    assert found(files, POWER) == [("custom_components/smartir/custom_codes/1.json", [["on"]])]


def test_a_zip(tmp_path: Path) -> None:
    names = [f"SmartIR-main/codes/climate/{maker}.json" for maker in range(3)]
    content = zipped({name: file_of(maker) for maker, name in enumerate(names)})
    shares: list[float] = []
    files = FileIndex.of_zip(content, shares.append)
    press = heard(state(1, "heat", "auto", 24), 1)
    assert found(files, press) == [(names[1], [["heat auto 24"]])]
    assert shares == [0, 1 / 3, 2 / 3]
    assert not [*tmp_path.iterdir()]


def test_bounds_of_a_zip(monkeypatch: pytest.MonkeyPatch) -> None:
    good = file_of(1)
    content = zipped(
        {
            "../out.json": good,
            "/root.json": good,
            "a\\..\\..\\back.json": good,
            "a/" * 9 + "deep.json": good,
            "bomb.json": "0" * (index.MAX_FILE + 1),
            "good.json": good,
            "text.exe": "x",
        }
    )
    assert len(content) < 100_000
    files = FileIndex.of_zip(content)
    assert [*files._sources] == ["good.json"]  # noqa: SLF001  (what was read)
    assert {path: str(why) for path, why in files.skipped.items()} == {
        "../out.json": "the file is damaged, or cannot be read",
        "/root.json": "the file is damaged, or cannot be read",
        "a/../../back.json": "the file is damaged, or cannot be read",
        "a/" * 9 + "deep.json": "the file is in more than 8 folders within each other",
        "bomb.json": f"larger than {index.MAX_FILE} bytes",
    }
    with pytest.raises(ValueError, match="no zip file"):
        FileIndex.of_zip(b"nonsense")
    # what the directory says of the size is not believed
    lie = content.replace((index.MAX_FILE + 1).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert "bomb.json" in FileIndex.of_zip(lie).skipped
    monkeypatch.setattr(index, "MAX_ALL", len(json.dumps(good)) + 1)
    two = FileIndex.of_zip(zipped({"a.json": good, "b.json": good}))
    assert [*two.skipped] == ["b.json"]
    monkeypatch.setattr(index, "MAX_FILES", 1)
    two = FileIndex.of_zip(zipped({"a.json": good, "b.json": good}))
    assert str(two.skipped["b.json"]) == "more than 1 files"


def test_a_zip_packed_by_zstandard_is_as_good_as_others() -> None:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_ZSTANDARD) as archive:
        for name in ("a.json", "b.json"):
            archive.writestr(name, json.dumps(file_of(1)))
    packed = bytearray(content.getvalue())
    assert len(FileIndex.of_zip(bytes(packed))) == 2
    packed[30 + len("a.json") : 100] = bytes(64)
    files = FileIndex.of_zip(bytes(packed))
    assert [*files.skipped] == ["a.json"]
    assert len(files) == 1


def test_a_file_that_is_gone_meanwhile_fits_nothing(tmp_path: Path) -> None:
    names = [f"{FOLDER}/{maker}.json" for maker in (1, 2)]
    put(tmp_path, {name: file_of(1) for name in names})
    files = FileIndex.of_folders(tmp_path)
    (tmp_path / names[0]).unlink()
    assert [path for path, _ in found(files, state(1, "cool", "auto", 24))] == names[1:]


@given(st.data())
def test_a_broken_zip_costs_only_what_is_broken(data: st.DataObject) -> None:
    content = bytearray(zipped({"a.json": file_of(1), "b.json": {"tv": {"power": RC5}}}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        files = FileIndex.of_zip(bytes(content))
    except ValueError:
        return
    assert len(files) + len(files.skipped) <= 2
    try:
        files.find([POWER])
    except ValueError:
        return


def test_no_folder_is_no_file(tmp_path: Path) -> None:
    assert len(FileIndex.of_folders(tmp_path)) == 0


def test_base64_without_padding_is_found(tmp_path: Path) -> None:
    """An import takes it, and real files have it."""
    packets = [state(1, "cool", "auto", 18, frames=frames) for frames in (1, 2, 3)]
    texts = {str(number): to_base64(packet).rstrip("=") for number, packet in enumerate(packets)}
    texts["safe"] = to_base64(state(1, "heat", "low", 24)).translate(str.maketrans("+/", "-_"))
    put(tmp_path, {"irhub/codes/a.json": file_of(1, commands=texts, commandsEncoding="base64")})
    files = FileIndex.of_folders(tmp_path)
    for packet in (*packets, state(1, "heat", "low", 24)):
        assert [path for path, _ in found(files, packet)] == ["irhub/codes/a.json"]


def test_a_press_whose_beginning_was_not_heard(tmp_path: Path) -> None:
    put(tmp_path, {f"irhub/codes/{maker}.json": file_of(maker) for maker in range(1, 20)})
    files = FileIndex.of_folders(tmp_path)
    for frames in (1, 2):
        whole = to_timings(state(7, "cool", "auto", 25, frames=frames))
        for lost in (2, 4, 12):
            press = from_timings([150, *whole[lost + 1 :]])
            assert "irhub/codes/7.json" in [path for path, _ in found(files, press)]


def quads(number: int) -> bytes:
    """Return a packet whose bits come in twos, in four spaces that are not far apart."""
    spaces = (518, 800, 1096, 1390)
    frame = [1066, -518]
    for place in range(5):
        frame += [660, -spaces[number >> 2 * place & 3]]
    return from_timings([*frame, 660, -12_100] * 2)


def test_what_has_no_certain_bits_is_found_by_its_durations(tmp_path: Path) -> None:
    names = {f"key {number}": to_base64(quads(number)) for number in (27, 228, 390)}
    put(tmp_path, {f"{FOLDER}/1.json": file_of(1, commands=names), f"{FOLDER}/2.json": file_of(2)})
    files = FileIndex.of_folders(tmp_path)
    for number in (27, 228, 390):
        for seed in range(10):
            press = heard(quads(number), seed, percent=5, longer_us=30)
            assert found(files, press) == [(f"{FOLDER}/1.json", [[f"key {number}"]])]
    assert not files.find([quads(1)])


def test_a_press_too_noisy_for_bits_is_found_by_its_durations(tmp_path: Path) -> None:
    """A mark that is much too short is too short to be one when a receiver shortens it."""
    disturbed = to_timings(state(1, "cool", "auto", 24))
    disturbed[20] = 150
    known = from_timings(disturbed)
    put(tmp_path, {f"{FOLDER}/1.json": file_of(1, commands={"on": to_base64(known)})})
    press = heard(known, 1, percent=0, longer_us=-60)
    assert read(known).key is not None
    assert read(press).key != read(known).key
    assert found(FileIndex.of_folders(tmp_path), press) == [(f"{FOLDER}/1.json", [["on"]])]


def test_a_second_press_that_was_heard_badly_loses_nothing(tmp_path: Path) -> None:
    put(tmp_path, {f"irhub/codes/{maker}.json": file_of(maker) for maker in range(1, 5)})
    files = FileIndex.of_folders(tmp_path)
    noise = from_timings([300, -7000, 90, -4000, 1200, -300, 800, -200, 90, -5000] * 3)
    assert found(files, state(2, "cool", "auto", 24), noise) == [
        ("irhub/codes/2.json", [["cool auto 24"], []])
    ]


def test_the_button_that_tells_the_files_apart(tmp_path: Path) -> None:
    """Remote controls of one maker share most codes."""
    alike = [file_of(1) for _ in range(3)]
    for number, file in enumerate(alike):
        commands = file["commands"]
        assert isinstance(commands, dict)
        commands["heat"]["low"]["24"] = to_base64(state(20 + number, "heat", "low", 24))
    put(tmp_path, {f"irhub/codes/{number}.json": file for number, file in enumerate(alike)})
    files = FileIndex.of_folders(tmp_path)
    matches = files.find([state(1, "cool", "auto", 24)])
    assert len(matches) == 3
    best = files.next_button(matches)
    assert best is not None
    assert (best.name, best.groups) == ("heat low 24", 3)
    assert files.next_button(matches[:1]) is None


def test_rc5_is_found_with_either_toggle_bit(tmp_path: Path) -> None:
    put(tmp_path, {"irhub/codes/a.json": {"tv": {"power": RC5}}})
    files = FileIndex.of_folders(tmp_path)
    first, other = learned([POWER])
    assert first != other
    assert found(files, first) == found(files, other) == [("irhub/codes/a.json", [["power"]])]


@pytest.mark.thorough
def test_thousands_of_codes_without_bits_are_compared_quickly(tmp_path: Path) -> None:
    """They are alike in all that an index keeps: each is compared, none is read once more."""
    random, durations = Random(1), (305, 426, 609, 853)

    def code() -> bytes:
        marks_and_spaces = [random.choice(durations) * sign for _ in range(100) for sign in (1, -1)]
        return from_timings([*marks_and_spaces, 305, -40_000])

    codes = {f"key {number}": code() for number in range(1000)}
    texts = {name: to_base64(packet) for name, packet in codes.items()}
    put(tmp_path, {"irhub/codes/a.json": file_of(1, commands=texts, commandsEncoding="Base64")})
    began = process_time()
    files = FileIndex.of_folders(tmp_path)
    indexed = process_time()
    assert found(files, codes["key 7"]) == [("irhub/codes/a.json", [["key 7"]])]
    assert process_time() - indexed < (indexed - began) / 2
