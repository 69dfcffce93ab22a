"""The command line, as a person types it."""

from functools import cache
import json
from pathlib import Path

import pytest

from custom_components.irhub.ircodes import OFF, BitRule, parse_text, to_base64
from custom_components.irhub.ircodes.cli import main
from custom_components.irhub.ircodes.states.state import Off, State
from custom_components.irhub.ircodes.teaching.teacher import Teacher

from .captured import HDMI, NEC, POWER, RC5
from .teaching.remotes import clock_and_button

LIST = f"power\t{RC5}\nhdmi\t{NEC}\nbroken\t{NEC[:40]}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tv.txt").write_text(LIST)


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return the exit status, what was printed, and what was reported."""
    status = main(arguments)
    return status, *capsys.readouterr()


def test_a_packet_is_shown_in_all_notations(capsys: pytest.CaptureFixture[str]) -> None:
    status, printed, reported = typed(capsys, "read", RC5)
    assert (status, reported) == (0, "")
    first, *notations = printed.splitlines()
    assert first == "infrared, 125 ms, RC-5 0x00/0x3f"
    written = dict(line.strip().split(": ", 1) for line in notations)
    assert [*written] == ["base64", "hex", "pronto", "tuya", "microseconds"]
    for notation in ("base64", "hex", "microseconds"):
        assert parse_text(written[notation]) == POWER


def test_radio_is_shown_in_the_notations_that_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, printed, _ = typed(capsys, "read", "b200080018090819180909180000")
    assert status == 0
    assert "pronto" not in printed
    assert printed.startswith("radio, ")


def test_what_cannot_be_read_of_a_file_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    status, printed, reported = typed(capsys, "read", "tv.txt")
    assert status == 1
    assert "  power: infrared, 125 ms, RC-5 0x00/0x3f\n" in printed
    assert "  hdmi: infrared, " in printed
    assert reported.startswith("ircodes: tv → broken: incomplete")


def test_a_file_comes_back_in_another_format(capsys: pytest.CaptureFixture[str]) -> None:
    status, printed, reported = typed(capsys, "convert", "tv.txt", "smartir")
    assert (status, "broken" in reported) == (1, True)
    Path("tv.json").write_text(printed)
    status, printed, reported = typed(capsys, "convert", "tv.json", "flipper", "--device", "tv")
    assert (status, reported) == (0, "")
    assert printed.count("name: ") == 2


def test_of_several_devices_one_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("two.json").write_text(json.dumps({"tv": {"on": RC5}, "amp": {"mute": NEC}}))
    status, printed, reported = typed(capsys, "convert", "two.json", "pronto")
    assert (status, printed) == (1, "")
    assert reported == "ircodes: choose a device with --device: tv, amp\n"
    status, printed, _ = typed(capsys, "convert", "two.json", "pronto", "--device", "amp")
    assert (status, printed.partition("\t")[0]) == (0, "mute")


def test_which_file_holds_a_press(capsys: pytest.CaptureFixture[str]) -> None:
    Path("codes").mkdir()
    Path("codes/tv.json").write_text(json.dumps({"tv": {"power": RC5}}))
    Path("codes/amp.json").write_text(json.dumps({"amp": {"mute": NEC}}))
    where = ("--in", "codes")
    assert typed(capsys, "which", to_base64(HDMI), *where) == (0, "amp.json: mute\n", "")
    assert typed(capsys, "which", "9000 -4500 560 -560 560", *where) == (1, "", "")
    Path("codes/bad.json").write_text("{")
    status, printed, reported = typed(capsys, "which", RC5, *where)
    assert (status, printed) == (1, "tv.json: power\n")
    assert reported.startswith("ircodes: bad.json: ")


def test_without_a_folder_the_shipped_collection_is_searched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A packet of SmartIR's codes/media_player/1000.json."""
    packet = "JgAaABwePBwfHBweHB4dHR0eHDw9Gx0eHDwdAA0FAAAAAAAAAAAAAAAAAAA="
    status, printed, _ = typed(capsys, "which", packet)
    assert status == 0
    assert "media_player/1000.json: Philips, " in printed


@cache
def lesson() -> str:
    """Return a file of presses of a remote control."""
    control = clock_and_button()
    teacher = Teacher(control.capabilities)
    taken: list[dict[str, str]] = []
    while (asked := teacher.ask) is not None:
        name = label(asked)
        packet = control.press(asked)
        teacher.take(packet)
        taken.append({name: to_base64(packet)})
    modes = {
        mode: {"fans": [*has.fans], "swings": [*has.swings], "temperatures": [*has.temperatures]}
        for mode, has in control.remote.items()
    }
    return json.dumps({"modes": modes, "presses": taken})


def label(asked: State | Off) -> str:
    return "off" if asked is OFF or isinstance(asked, Off) else asked.label


def test_presses_become_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    Path("presses.json").write_text(lesson())
    status, printed, reported = typed(capsys, "teach", "presses.json")
    assert status == 0, reported
    rule = BitRule.from_data(json.loads(printed))
    assert reported.startswith(f"ircodes: {len(rule.states)} states, taught by ")
    control = clock_and_button()
    for state in rule.states:
        assert rule.decode(control.press(state)) == state


def test_the_next_press_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(lesson())
    content["presses"], asked = content["presses"][:5], next(iter(content["presses"][5]))
    Path("presses.json").write_text(json.dumps(content))
    status, printed, reported = typed(capsys, "teach", "presses.json")
    assert (status, printed) == (1, "")
    assert reported == f"ircodes: press {asked}, and add it to the presses (5 are used)\n"


def test_a_press_that_is_not_asked_for_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(lesson())
    content["presses"].append({"cool  audible 24": RC5})
    Path("presses.json").write_text(json.dumps(content))
    status, printed, reported = typed(capsys, "teach", "presses.json")
    assert status == 1
    assert json.loads(printed)["signal"]
    assert reported.endswith("ircodes: cool audible 24: not used: 1 presses\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("presses: []", "expected `modes` and `presses`"),
        ("modes: {}\npresses: []", "modes: expected a mode such as `cool`"),
        ("modes: {freeze: {}}\npresses: []", "modes: freeze is none of cool, heat, "),
        ("modes: {cool: {wind: [a]}}\npresses: []", "modes: cool: wind is not understood"),
        ("modes: {cool: [a]}\npresses: []", "modes: cool: ['a'] is not understood"),
        ("modes: {cool: {temperatures: warm}}\npresses: []", "temperatures: expected `18-30`"),
        ("modes: {cool: {temperatures: 0-999999999}}\npresses: []", "not 0-999999999"),
        ("modes: {cool: {temperatures: [warm]}}\npresses: []", "temperatures: expected `18-30`"),
        ("modes: {cool: {}}\npresses: [a]", "presses: expected `cool auto 24: JgBQ…`, not a"),
    ],
)
def test_what_is_wrong_in_a_file_of_presses(
    capsys: pytest.CaptureFixture[str], content: str, problem: str
) -> None:
    Path("presses.yaml").write_text(content)
    status, printed, reported = typed(capsys, "teach", "presses.yaml")
    assert (status, printed) == (1, "")
    assert problem in reported


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["read", "nonsense"], "ircodes: not a code in Base64/hex/Pronto/Tuya"),
        (["convert", "none.ir", "tuya"], "ircodes: none.ir: No such file or directory"),
        (["which", RC5, "--in", "none"], "ircodes: none: No such file or directory"),
        (["which", RC5, "--in", "tv.txt"], "ircodes: no zip file"),
    ],
)
def test_one_sentence_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    status, printed, reported = typed(capsys, *arguments)
    assert (status, printed) == (1, "")
    assert reported.startswith(problem)
    assert reported.count("\n") == 1
