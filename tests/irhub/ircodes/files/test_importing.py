"""Commands as people bring them: their own export, a packet, a code file of SmartIR."""

from collections.abc import Mapping, Sequence
import json
from typing import Any

import pytest
import yaml

from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings

from ..captured import HDMI, NEC, POWER, RC5
from .imported import refusals

CODES = {"tv": {"off": [POWER], "power": [POWER, HDMI]}, "fan": {"24": [HDMI]}}
AS_TEXTS = {"tv": {"off": RC5, "power": [RC5, NEC.rstrip("=")]}, "fan": {"24": HDMI.hex()}}
RAW = "9000 -4500 560 -560 560"


def good(content: object, **names: str) -> Mapping[str, Mapping[str, Sequence[bytes]]]:
    """Return the commands of what is good throughout."""
    imported = read_codes(content, **names)
    assert not imported.refused
    return imported.commands


@pytest.mark.parametrize(
    "content",
    [
        AS_TEXTS,
        {"codes": AS_TEXTS},
        json.dumps(AS_TEXTS),
        json.dumps({"codes": AS_TEXTS}, indent=2),
        json.dumps({"version": 1, "key": "broadlink_remote_…_codes", "data": AS_TEXTS}),
        yaml.safe_dump(AS_TEXTS),
        yaml.safe_dump({"codes": AS_TEXTS}),
        # as the browser shows a response: it sees no truth values in these names
        (
            f"codes:\n  tv:\n    off: {RC5}\n    power:\n      - {RC5}\n      - {NEC}\n"
            f"  fan:\n    24: {HDMI.hex()}\n"
        ),
    ],
)
def test_an_export_in_any_notation(content: object) -> None:
    assert good(content) == CODES


def test_names_that_yaml_takes_for_something_else() -> None:
    """Home Assistant has read the YAML of an action before we see it."""
    content = {"fan": {True: RC5, False: NEC, 2: RC5}}
    assert good(content) == {"fan": {"on": [POWER], "off": [HDMI], "2": [POWER]}}


@pytest.mark.parametrize(
    "text",
    [
        RC5,
        f" {RC5}\n",
        f"b64:{RC5}",
        POWER.hex(),
        f"hex: {POWER.hex(' ')}",
        POWER.hex(":"),
        f"[{RC5}]",
        f"- {RC5}",
        [RC5],
    ],
)
def test_one_packet_under_a_name(text: object) -> None:
    assert good(text, device="tv", command="off") == {"tv": {"off": [POWER]}}


@pytest.mark.parametrize("text", [RAW, f"raw: {RAW}", "[9000, -4500, 560, -560, 560]"])
def test_microseconds_under_a_name(text: str) -> None:
    packet = from_timings([9000, -4500, 560, -560, 560])
    assert good(text, device="tv", command="off") == {"tv": {"off": [packet]}}


def test_two_packets_under_a_name() -> None:
    text = f"- {RC5}\n- {NEC}"
    assert good(text, device="tv", command="off") == {"tv": {"off": [POWER, HDMI]}}


def test_commands_without_their_device() -> None:
    assert good(f"off: {RC5}\nhdmi: {NEC}", device="tv") == {"tv": {"off": [POWER], "hdmi": [HDMI]}}


def smartir(commands: object, **keys: object) -> dict[str, Any]:
    """Return a code file of SmartIR."""
    return {
        "manufacturer": "Acme",
        "supportedModels": ["X1", "X2"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "commands": commands,
        **keys,
    }


CLIMATE = {
    "off": RC5,
    "cool": {"auto": {"16": NEC, "17": RC5}, "low": {"swing": {"16": NEC}}},
    "heat": {"auto": {"16": ""}},
}
CLIMATE_NAMES = {
    "off": [POWER],
    "cool auto 16": [HDMI],
    "cool auto 17": [POWER],
    "cool low swing 16": [HDMI],
}


def test_a_climate_file_of_smartir() -> None:
    assert good(json.dumps(smartir(CLIMATE))) == {"Acme X1": CLIMATE_NAMES}
    assert good(smartir(CLIMATE), device="ac") == {"ac": CLIMATE_NAMES}


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (
            {"on": RC5, "volumeUp": NEC, "sources": {"Channel 1": RC5}},
            {"on": [POWER], "volumeUp": [HDMI], "sources Channel 1": [POWER]},
        ),
        (
            {"off": RC5, "forward": {"low": NEC}, "oscillate": NEC},
            {"off": [POWER], "forward low": [HDMI], "oscillate": [HDMI]},
        ),
        (
            {"on": RC5, "off": RC5, "brighten": NEC},
            {"on": [POWER], "off": [POWER], "brighten": [HDMI]},
        ),
    ],
    ids=["media player", "fan", "light"],
)
def test_other_files_of_smartir(commands: object, names: object) -> None:
    assert good(smartir(commands), device="x") == {"x": names}


@pytest.mark.parametrize(
    ("encoding", "controller", "text"),
    [
        ("Base64", "Broadlink", RC5),
        ("base64", "Broadlink", f"b64:{RC5}"),
        ("Hex", "Broadlink", POWER.hex()),
        ("Pronto", "Broadlink", "0000 006d 0001 0000 0020 0040"),
        ("Pronto", "Xiaomi", "0000006d0001000000200040"),
        ("Raw", "ESPHome", "[9000, -4500, 560]"),
        ("Raw", "ESPHome", [9000, -4500, 560]),
        ("Raw", "LOOKin", "9000 -4500 560"),
    ],
)
def test_encodings_of_smartir(encoding: str, controller: str, text: object) -> None:
    content = smartir({"off": text}, commandsEncoding=encoding, supportedController=controller)
    [[packet]] = good(content)["Acme X1"].values()
    assert to_timings(packet)


def test_a_sequence_of_smartir_is_one_packet() -> None:
    content = smartir({"sources": {"Channel 12": [RC5, NEC]}})
    [packet] = good(content)["Acme X1"]["sources Channel 12"]
    first, other, both = to_timings(POWER), to_timings(HDMI), to_timings(packet)
    assert both[: len(first) - 1] == first[:-1]
    assert -510_000 < both[len(first) - 1] < -490_000
    assert both[len(first) : -1] == other[:-1]


def many_times(content: dict[str, Any], levels: int) -> dict[str, Any]:
    """Return content that stands at 2 ** levels places, as aliases of a YAML file make it."""
    for _ in range(levels):
        content = {"x": content, "y": content}
    return content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "the text is empty"),
        (" \n", "the text is empty"),
        ({}, "there are no commands"),
        ({"tv": {}}, "there are no commands"),
        (smartir({}), "there are no commands"),
        # Without an id, the text itself is the name of the test, which workers report.
        pytest.param("x" * 17_000_000, "larger than 16777216 bytes", id="17 MB"),
        (RC5, "not a packet that has the name of a device and a command"),
        ([RC5], "not a packet that has the name of a device and a command"),
        (5, "not a packet that has the name of a device and a command"),
        ('{"tv": ', "neither a packet nor YAML nor JSON"),
        ("tv: [", "neither a packet nor YAML nor JSON"),
        (smartir({"off": RC5}, manufacturer="", supportedModels=[]), "give the name of the device"),
        pytest.param(
            "a: b\n" * 1_100_000,
            "5499999 characters that is not JSON is longer than 4194304",
            id="5 MB of YAML",
        ),
        (f"tv: &tv {{a: {RC5}}}\nfan: *tv", "aliases .* are not read"),
        ({"tv": {"a": ["x" * 9_000_000, "y" * 9_000_000]}}, "larger than 16777216 bytes"),
        (smartir(many_times({"a": ""}, 19)), "more than 20000 commands"),
        (smartir(json.loads('{"a":' * 21 + f'"{RC5}"' + "}" * 21)), "nested too deeply"),
        pytest.param(
            '{"tv": {"on": [' + '{"a":' * 60_000 + "1" + "}" * 60_000 + "]}}",
            "nested too deeply",
            id="60,000 levels",
        ),
    ],
)
def test_sentences(content: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        read_codes(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "refused"),
    [
        ({"tv": RC5}, {"tv": "there are no commands"}),
        ({"tv": {"a": {"b": RC5}}}, {"tv → a": "no packet"}),
        ({"tv": {"a": 5}}, {"tv → a": "no packet"}),
        ({"tv": {"a": [RC5, None]}}, {"tv → a": "no packet"}),
        ({"tv": {"a": []}}, {"tv → a": "no packet"}),
        ({"tv": {"": RC5}}, {"tv → ''": "a name is empty"}),
        ({None: {"a": RC5}}, {"None → a": "a name is empty"}),
        (smartir({"a": {None: RC5}}), {"Acme X1 → a None": "a name is empty"}),
        (
            {"tv": {"a" * 256: RC5}},
            {f"tv → {'a' * 60}…": "a name of 256 characters is longer than 255"},
        ),
        (
            '{"tv\\ud83d": {"a": "' + RC5 + '"}}',
            {"tv\\ud83d → a": "'tv\\ud83d' cannot be a name"},
        ),
    ],
)
def test_what_is_refused(content: object, refused: dict[str, str]) -> None:
    imported = read_codes(content)
    assert (refusals(imported), imported.commands) == (refused, {})
    if isinstance(content, dict) and "commands" not in content:
        # one wrong thing hurts only itself
        imported = read_codes({**content, "fan": {"on": RC5}})
        assert (refusals(imported), imported.commands) == (refused, {"fan": {"on": [POWER]}})


def test_one_wrong_command_of_a_file_hurts_only_itself() -> None:
    content = smartir(CLIMATE | {"dry": {"auto": {"16": "nonsense!"}}, "off_dry": [RC5, "JgA"]})
    imported = read_codes(json.dumps(content))
    assert imported.commands == {"Acme X1": CLIMATE_NAMES}
    assert [*refusals(imported)] == ["Acme X1 → dry auto 16", "Acme X1 → off_dry"]
    assert imported.count == len(CLIMATE_NAMES)
    assert (imported.format, imported.manufacturer) == ("SmartIR", "Acme")
    assert imported.models == ["X1", "X2"]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"tv": {{"a": "{RC5}", "a": "{POWER.hex()}"}}}}',
        f"tv:\n  a: {RC5}\n  a: hex:{POWER.hex()}",
        f"tv: {{a: {RC5}}}\ntv: {{a: {RC5}}}",
    ],
)
def test_the_same_command_twice_is_one(text: str) -> None:
    assert good(text) == {"tv": {"a": [POWER]}}


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ({"tv": {1: RC5, "1": NEC}}, ["1", "1 2"]),
        (
            smartir({"a": {"b": RC5}, "a b": NEC}, manufacturer="tv", supportedModels=[]),
            ["a b", "a b 2"],
        ),
        (f'{{"tv": {{"a": "{RC5}", "a": "{NEC}"}}}}', ["a", "a 2"]),
        (f"tv:\n  a: {RC5}\n  a: {NEC}\n  a: {RC5}", ["a", "a 2"]),
        (f"tv:\n  a 2: {RC5}\n  a: {RC5}\n  a: {NEC}", ["a", "a 3"]),
    ],
)
def test_another_code_of_a_name_is_a_second_command(content: object, names: list[str]) -> None:
    first, second = names
    found = good(content)["tv"]
    assert {name: found[name] for name in names} == {first: [POWER], second: [HDMI]}


def test_a_second_name_is_not_too_long() -> None:
    [first, second] = good(f'{{"tv": {{"{"a" * 255}": "{RC5}", "{"a" * 255}": "{NEC}"}}}}')["tv"]
    assert (first, second) == ("a" * 255, "a" * 253 + " 2")


def test_a_device_that_stands_twice_has_the_commands_of_both() -> None:
    text = f"tv: {{a: {RC5}}}\ntv: {{b: {NEC}}}"
    assert good(text) == {"tv": {"a": [POWER], "b": [HDMI]}}


def test_any_number_of_packets_alternates() -> None:
    assert good({"tv": {"a": [RC5, NEC, RC5]}}) == {"tv": {"a": [POWER, HDMI, POWER]}}


def test_a_packet_that_is_wrong_is_not_called_bad_yaml() -> None:
    assert refusals(read_codes("hex: zz", device="tv", command="off")) == {
        "tv → off": "not a code in hex: 'zz'"
    }


def test_a_text_that_multiplies_itself_ends() -> None:
    bomb = "a: &a {x: JgA=, y: JgA=}\n" + "".join(
        f"{name}: &{name} {{x: *{before}, y: *{before}}}\n"
        for before, name in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
    )
    content = yaml.safe_load(bomb)
    with pytest.raises(ValueError, match="more than 20000 commands"):
        read_codes(smartir(content), device="x")


def test_what_a_file_says_of_itself_can_be_stored() -> None:
    file = {
        "manufacturer": "Acme \ud83d",
        "supportedModels": ["X1 \udc00"],
        "supportedController": "Broadlink",
        "commandsEncoding": "Base64",
        "operationModes": ["cool"],
        "fanModes": ["low", "\ud800"],
        "commands": {"off": f"hex:{from_timings([9000, -4500, 560, -40_000]).hex()}"},
    }
    imported = read_codes(file, device="ac")
    assert (imported.manufacturer, imported.models) == ("Acme \ufffd", ["X1 \ufffd"])
    assert imported.head is not None
    assert imported.head.capabilities.levels.fans == ("low",)
