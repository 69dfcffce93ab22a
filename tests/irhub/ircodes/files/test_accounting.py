"""Every code of a file is a state, a command, or rejected with a reason: the sum is exact."""

from collections.abc import Mapping
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from custom_components.irhub.ircodes import read_codes, write_codes
from custom_components.irhub.ircodes.files import Imported
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.packet.text_forms import to_base64

from ..captured import NEC, RC5
from ..code_files import Codes, air_conditioner

CODES = Codes()
DEGREES = ["16", "17", "18"]
IRDB = "functionname,protocol,device,subdevice,function\n"
FLIPPER = """Filetype: IR signals file
Version: 1
#
name: a
type: raw
data: 9000 4500 560
#
name: b
type: raw
data: x
#
name: a
type: raw
data: 9000 4500 560
"""
SENTENCE = (
    "codes in the file: 17; for states of an air conditioner: 9; other commands: 3; not used: 5"
)
PUBLIC = Path(__file__).parents[5] / "shared" / "data" / "public"


def leaves(content: object) -> int:
    """Return how many codes stand in the commands of a file."""
    if isinstance(content, dict):
        return sum(map(leaves, content.values()))
    return int(content not in (None, "", []))


def check(imported: Imported) -> None:
    """Check that no code is lost, and none is counted twice."""
    account = imported.account
    assert account.codes == account.states + account.commands + account.unused
    assert account.used == imported.count
    assert account.states == sum(map(len, imported.states.values()))
    # What stands twice is no mistake; all others are named.
    unused = {reason.key: count for reason, count in account.rejected.items()}
    assert len(imported.refused) <= account.unused - unused.get("again", 0)
    assert bool(imported.refused) is bool({*unused} - {"again"})


def test_the_account_of_a_file() -> None:
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["low", "high"], DEGREES),
            "ifeel": CODES.nest(["low"], DEGREES),
            "broken": "nonsense!",
            "worse": "nonsense?",
            "_comment": "made by me",
            "": {"a": RC5, "b": NEC},
        },
        operationModes=["cool", "ifeel"],
        fanModes=["low", "high"],
    )
    file["commands"]["led"] = {"": {"a": RC5, "b": NEC}}
    account = read_codes(file).account
    assert (account.codes, account.states, account.commands) == (17, 9, 3)
    assert {str(reason): count for reason, count in account.rejected.items()} == {
        "character … in …": 2,
        "a remark, no code": 1,
        "a name is empty": 2,
    }
    assert account.presets == {"ifeel": 3}
    assert [*map(str, account.sentences)][:2] == [
        SENTENCE,
        "3 codes of *ifeel* are available as a preset",
    ]


@pytest.mark.parametrize(
    ("text", "codes", "used"),
    [
        # The same twice under one name is one command.
        ("tv: {power: " + RC5 + ", power: " + RC5 + ", power: " + NEC + "}", 3, 2),
        ("tv: {power: x!, power: y!}", 2, 0),
        ('{"tv": {"a": {"b": "x", "c": "y"}, "d": "' + RC5 + '"}}', 3, 1),
        ('{"tv": "' + RC5 + '", "fan": {"on": "' + RC5 + '"}}', 2, 1),
        (f"{IRDB}a,NEC1,4,-1,8\nb,NEC1,4,-1,8\nb,X,1,1,1", 3, 2),
        (FLIPPER, 3, 1),
    ],
    ids=range(6),
)  # fmt: skip
def test_what_stands_twice_is_wrong_or_nested_is_counted(text: str, codes: int, used: int) -> None:
    imported = read_codes(text, device="tv")
    check(imported)
    assert (imported.account.codes, imported.account.used) == (codes, used)


NAMELESS_SIGNALS = """Filetype: IR signals file
Version: 1
type: raw
data: 9000 4500 560
name: a
type: parsed
protocol: NEC
address: 04 00 00 00
command: 08 00 00 00
type: parsed
protocol: NEC
address: 04 00 00 00
command: 09 00 00 00
"""
LINES_OUTSIDE_OF_A_REMOTE = """flags SPACE_ENC
begin codes
  A 0x1
end codes
begin remote
  name tv
  begin raw_codes
    name a
    9000 4500
  end raw_codes
  begin more
    b 9000 4500
  end more
end remote
end
"""
RAW = to_base64(from_timings([9000, -4500]))
COMMANDS = [f"b64:{RC5}", "power"]
GIRR = """<remote name="tv"><commandSet><command name="a"><raw>
<intro>+9000 -4500 +560 -40000</intro><ending>+560 -20000</ending>
</raw></command></commandSet></remote>"""


@pytest.mark.parametrize(
    ("text", "timings"),
    [
        # A signal of a Flipper goes on in the next line.
        (FLIPPER.replace("9000 4500", "9000\n4500", 1), [9000, -4500, 560]),
        (GIRR, [9000, -4500, 560, -40000, 560, -20000]),
        # A damaged form does not hide another one of the same code.
        (
            GIRR.replace("<raw>", "<ccf>nonsense</ccf><raw>"),
            [9000, -4500, 560, -40000, 560, -20000],
        ),
        (
            json.dumps({"accessories": [{"name": "tv", "data": {"a": [
                {"data": RAW, "pause": 1.5}, {"data": RAW}, {"pause": "0.2"}, RAW, RAW,
            ]}}]}),
            [9000, -1_500_000, 9000, -200_000, 9000, -500_000, 9000, -500_000],
        ),
        (
            json.dumps({"sequence": [{
                "alias": "a", "action": "remote.send_command",
                "data": {"command": f"b64:{RAW}", "num_repeats": 3, "delay_secs": 0.25},
            }]}),
            [9000, -250_000, 9000, -250_000, 9000, -250_000],
        ),
        (
            json.dumps({"switch": [{"platform": "irhub", "switches": {
                "a": {"command_on": RAW, "repeats": 2},
            }}]}).replace('"a"', '"a"'),
            [9000, -500_000, 9000, -500_000],
        ),
    ],
    ids=["Flipper", "Girr", "Girr, two forms", "homebridge", "action", "switch"],
)  # fmt: skip
def test_all_of_a_code_is_used(text: str, timings: list[int]) -> None:
    [[packet]] = read_codes(text, device="tv").commands["tv"].values()
    assert to_timings(packet) == pytest.approx(timings, abs=20)


@pytest.mark.parametrize(
    ("text", "used", "refused"),
    [
        # One blank between name and packet, a packet that is damaged, and one without a name.
        (
            f"on\t{RC5}\noff {NEC}\nmute\n{RC5[:-5]}!\n\n{RC5}\n",
            ["on", "off"],
            ["tv → mute", "tv → ''"],
        ),
        (f"A remote control of a television\n# {NEC}\non\t{RC5}\n", ["on"], []),
        # Without a part, a sequence would be another one.
        (
            json.dumps(
                {"accessories": [{"name": "tv", "data": {
                    "a": [{"data": RC5}, {"pause": 1}, {"data": NEC}],
                    "b": [{"data": RC5}, {"dat": NEC}],
                    "c": [RC5, 7],
                }}]}
            ),
            ["a"],
            ["tv → b", "tv → c"],
        ),
        (
            json.dumps(
                {"sequence": [{"action": "remote.send_command", "data": {"command": COMMANDS}}]}
            ),
            [],
            ["tv → 1"],
        ),
        # The signal above one without a name is not mixed with it.
        (
            NAMELESS_SIGNALS,
            ["a"],
            ["tv → ''", "tv → '' (2)"],
        ),
        (
            json.dumps({
                "commandsEncoding": "Base64", "commands": {"on": RC5}, "off": NEC, "mute": "JgA!",
            }),
            ["on", "off"],
            [],
        ),
        (
            LINES_OUTSIDE_OF_A_REMOTE,
            ["a"],
            ["flags", "begin", "A", "end", "b", "end (2)"],
        ),
    ],
    ids=["list", "heading", "homebridge", "configuration", "Flipper", "SmartIR", "LIRC"],
)  # fmt: skip
def test_what_is_damaged_in_a_file_is_named(text: str, used: list[str], refused: list[str]) -> None:
    imported = read_codes(text, device="tv")
    check(imported)
    assert [*imported.commands.get("tv", {})] == used
    assert [*imported.refused] == refused


@pytest.mark.parametrize("path", sorted(PUBLIC.iterdir()), ids=lambda path: path.name)
def test_public_files(path: Path) -> None:
    if path.suffix == ".md":
        return
    imported = read_codes(path.read_text(), device="tv")
    check(imported)
    assert imported.account.used == imported.account.codes


def mutated(random: Random, file: dict[str, Any]) -> dict[str, Any]:
    """Return a code file in which something has another name, form or place."""
    text = json.dumps(file)
    for _ in range(random.randint(1, 4)):
        old, new = random.choice(
            [
                ('"cool"', '"ifeel"'),
                ('"low"', '"unheard of"'),
                ('"low"', '""'),
                ('"16"', '"17"'),
                ('"18"', '"18°C"'),
                ('"fanModes": ["low", "high"]', '"fanModes": []'),
                ("JgA", "!"),
                ('"off": "', '"off": ["x", "'),
                ('"dry"', '"cool"'),
                ('"heat"', '"_note"'),
            ]
        )
        if new.startswith('"off"'):
            continue
        text = text.replace(old, new, random.choice((1, 1, 3, 1000)))
    return dict(json.loads(text))


def test_whatever_is_wrong_no_code_disappears() -> None:
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["low", "high"], ["on", "off"], DEGREES),
            "heat": CODES.nest(DEGREES, ["low", "high"]),
            "dry": CODES.nest(["low"], DEGREES),
            "clean": CODES.packet(),
        },
        fanModes=["low", "high"],
        swingModes=["on", "off"],
    )
    random = Random(1)
    for _ in range(300):
        changed = mutated(random, file)
        imported = read_codes(changed, device="ac")
        check(imported)
        assert imported.account.codes == leaves(changed["commands"])


def states(imported: Imported) -> Mapping[str, str]:
    """Return command → state of the one device."""
    [of] = imported.states.values()
    return {name: str(state) for name, state in of.items()}


def test_a_mode_that_home_assistant_does_not_have_is_a_preset() -> None:
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["low"], DEGREES[:1]),
            "cool_econo": CODES.nest(["low"], DEGREES[:1]),
            "ion": CODES.nest(["low"], DEGREES[:1]),
            "humidity": CODES.nest(["low"], DEGREES[:1]),
            "ai": CODES.nest(["low"], DEGREES[:1]),
            "money_saver": CODES.nest(["low"], DEGREES[:1]),
            "fan": CODES.nest(["low"], DEGREES[:1]),
        },
        operationModes=["cool", "cool_econo", "ion", "humidity", "ai", "money_saver", "fan"],
        fanModes=["low"],
    )
    imported = read_codes(file)
    assert states(imported) == {
        "cool low 16": "cool · none · low · 16°",
        "cool_econo low 16": "cool · cool_econo · low · 16°",
        "ion low 16": "fan_only · ion · low · 16°",
        "humidity low 16": "dry · humidity · low · 16°",
        "ai low 16": "auto · ai · low · 16°",
        "money_saver low 16": "cool · money_saver · low · 16°",
        "fan low 16": "fan_only · none · low · 16°",
    }
    check(imported)


def test_a_level_without_a_name_is_none_of_those_beside_it() -> None:
    file = air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["low", "high", ""], DEGREES)},
        operationModes=["cool"],
        fanModes=["low", "high", ""],
    )
    imported = read_codes(file)
    check(imported)
    assert (imported.account.codes, imported.account.states) == (10, 9)
    assert states(imported)["cool - 16"] == "cool · 16°"
    assert states(imported)["cool low 16"] == "cool · low · 16°"


@pytest.mark.parametrize(
    ("fans", "codes"),
    [
        ({"": CODES.nest(DEGREES)}, 3),
        ({"": CODES.nest(DEGREES), "low": CODES.packet()}, 3),
        ({"": CODES.nest(["a", "b"], DEGREES), "low": CODES.nest(DEGREES)}, 6),
        ({"": CODES.nest(DEGREES), "-": CODES.nest(DEGREES)}, 3),
        ({"": CODES.packet(), "low": CODES.nest(DEGREES)}, 1),
    ],
    ids=("alone", "beside a code", "of another depth", "beside -", "a code"),
)
def test_what_an_empty_name_is_for_is_not_guessed(fans: dict[str, Any], codes: int) -> None:
    imported = read_codes(air_conditioner({"cool": fans}, operationModes=["cool"]), device="ac")
    check(imported)
    assert {str(reason): count for reason, count in imported.account.rejected.items()} == {
        "a name is empty": codes
    }
    assert {where: str(reason) for where, reason in imported.refused.items()} == {
        "ac → cool ''": "a name is empty"
    }


@pytest.mark.parametrize(
    ("commands", "head", "expected"),
    [
        # a mode that the head does not name
        (
            {"cool": {"low": {"16": RC5}}, "auto": {"low": {"16": NEC}}},
            {"operationModes": ["cool"], "fanModes": ["low"]},
            {"cool low 16": "cool · low · 16°", "auto low 16": "auto · low · 16°"},
        ),
        # no level is in the head
        (
            {"cool": {"eco": {"quiet": {"vertical": {"16": RC5}}}}},
            {"operationModes": ["cool"], "fanModes": []},
            {"cool eco quiet vertical 16": "cool · eco · quiet · vertical · 16°"},
        ),
        (
            {"cool": {"16": {"off": {"turbo": RC5}}}},
            {"operationModes": [], "fanModes": []},
            {"cool 16 off turbo": "cool · turbo · off · 16°"},
        ),
        # names that repeat what stands above them
        (
            {"heat": {"auto": {"heat_auto_16": RC5}}, "fan_only": {"fan_quiet": NEC}},
            {"operationModes": ["heat", "fan_only"], "fanModes": ["auto", "quiet"]},
            {
                "heat auto heat_auto_16": "heat · auto · 16°",
                "fan_only fan_quiet": "fan_only · quiet",
            },
        ),
        # one brace too early
        (
            {"cool": {"low": {"16": RC5}}},
            {"operationModes": ["cool"], "fanModes": ["low"], "ion": {"low": {"16": NEC}}},
            {"cool low 16": "cool · low · 16°", "ion low 16": "fan_only · ion · low · 16°"},
        ),
    ],
    ids=range(5),
)
def test_levels_are_inferred(
    commands: dict[str, Any], head: dict[str, Any], expected: dict[str, str]
) -> None:
    assert states(read_codes(air_conditioner(commands, **head))) == expected


def test_whatever_comes_in_goes_out_the_same() -> None:
    """Codes of modes that Home Assistant does not have come back as the same states."""
    imported = read_codes(
        air_conditioner(
            {"off": RC5, "cool": CODES.nest(["low"], DEGREES), "ai": CODES.nest(["low"], DEGREES)},
            operationModes=["cool", "ai"],
            fanModes=["low"],
        )
    )
    [(device, commands)] = imported.commands.items()
    written = write_codes("smartir", device, commands, states=imported.states[device])
    again = read_codes(written.text)
    [of] = again.states.values()
    assert {*of.values()} == {*imported.states[device].values()}
    by_state = {state: again.commands[device][name] for name, state in of.items()}
    for name, state in imported.states[device].items():
        assert by_state[state] == commands[name]


@pytest.mark.parametrize(("named", "models"), [(["A", 7], ["A", "7"]), ("A", ["A"]), (None, [])])
def test_the_models_of_a_file_are_a_list_or_one_text(named: object, models: list[str]) -> None:
    file = air_conditioner({"off": RC5})
    file["supportedModels"] = named
    assert read_codes(file, device="ac").models == models
