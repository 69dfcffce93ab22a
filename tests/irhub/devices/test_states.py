"""What an air conditioner can be set to; without Home Assistant."""

from collections.abc import Mapping
from dataclasses import replace
import json
from typing import Any

import pytest

from custom_components.irhub.devices.device import Device, Protocol
from custom_components.irhub.devices.importing import write_device
from custom_components.irhub.devices.rules import CommandRule, rule_of
from custom_components.irhub.devices.state_names import state_of_name, states_of_names
from custom_components.irhub.errors import UserError
from custom_components.irhub.ircodes import (
    OFF,
    Capabilities,
    Levels,
    Off,
    Rule,
    State,
    read_codes,
    write_codes,
)
from custom_components.irhub.ircodes.files import Imported
from custom_components.irhub.ircodes.protocols import PROTOCOLS
from custom_components.irhub.ircodes.states import Lacks, agreed_state

from ..ircodes.code_files import Codes, air_conditioner, temperatures

CODES = Codes()
FANS, SWINGS, PRESETS = ["auto", "low", "Level 1"], ["off", "auto"], ["none", "Eco mode"]
DEGREES = temperatures(18, 20)
SHAPES: dict[str, dict[str, Any]] = {
    "fan, temperature": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(FANS, DEGREES),
            "heat": CODES.nest(["auto"], temperatures(20, 30)),
        },
        operationModes=["cool", "heat"],
        fanModes=FANS,
    ),
    "fan, swing, temperature": air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(FANS, SWINGS, DEGREES)},
        operationModes=["cool"],
        fanModes=FANS,
        swingModes=SWINGS,
    ),
    "preset, fan, swing, temperature": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(PRESETS, FANS, SWINGS, DEGREES),
            "dry": CODES.nest(["-"], ["-"], SWINGS, DEGREES),
            "fan_only": CODES.nest(["-"], FANS, SWINGS, ["-"]),
        },
        operationModes=["cool", "dry", "fan_only"],
        presetModes=PRESETS,
        fanModes=FANS,
        swingModes=SWINGS,
    ),
    "whatever the temperature": air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(FANS, DEGREES),
            "fan_only": CODES.nest(FANS, ["-"]),
            "dry": CODES.nest(["-"], ["-"]),
        },
        operationModes=["cool", "fan_only", "dry"],
        fanModes=FANS,
    ),
    "swing alone": air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(SWINGS, DEGREES)},
        operationModes=["cool"],
        swingModes=SWINGS,
    ),
    "no fan": air_conditioner(
        {"off": CODES.packet(), "heat": CODES.nest(DEGREES)}, operationModes=["heat"]
    ),
    "half degrees and quarters": air_conditioner(
        {"off": CODES.packet(), "heat": CODES.nest(["low"], ["18", "18.25", "18.5", "19"])},
        operationModes=["heat"],
        fanModes=["low"],
        precision=0.25,
    ),
    "Fahrenheit": air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["low"], temperatures(61, 64))},
        operationModes=["cool"],
        fanModes=["low"],
        temperatureUnit="F",
    ),
    "on, and off of each mode": air_conditioner(
        {
            "on": CODES.packet(),
            "off_cool": CODES.packet(),
            "off_heat": CODES.packet(),
            "cool": CODES.nest(["low"], DEGREES),
            "heat": CODES.nest(["low"], DEGREES),
        },
        operationModes=["heat", "cool"],
        fanModes=["low"],
    ),
    "fans that are numbers": air_conditioner(
        {"off": CODES.packet(), "cool": CODES.nest(["1", "2"], DEGREES)},
        operationModes=["cool"],
        fanModes=["1", "2"],
    ),
}


def of_file(content: Mapping[str, Any]) -> tuple[Imported, Mapping[str, State]]:
    imported = read_codes(content)
    [(_, states)] = imported.states.items() or [("", {})]
    return imported, states


def capabilities_of(imported: Imported) -> Capabilities:
    assert imported.head is not None
    return imported.head.capabilities


@pytest.mark.parametrize("shape", SHAPES)
def test_a_code_file_comes_back_as_it_was(shape: str) -> None:
    file = SHAPES[shape]
    imported, states = of_file(file)
    assert not imported.refused
    [(device, commands)] = imported.commands.items()
    capabilities = capabilities_of(imported)
    written = write_codes("smartir", device, commands, states=states, capabilities=capabilities)
    back = json.loads(written.text)
    assert back["commands"] == file["commands"]
    heads = ("operationModes", "fanModes", "swingModes", "presetModes", "precision")
    assert {key: back[key] for key in heads if key in back} == {
        key: file[key] for key in heads if key in file
    }
    assert back["temperatureUnit"] == file.get("temperatureUnit", "C")
    again, states_again = of_file(back)
    assert (again.commands, states_again) == (imported.commands, states)


def test_every_level_is_read_as_the_head_calls_it() -> None:
    _, states = of_file(SHAPES["preset, fan, swing, temperature"])
    assert states["cool Eco mode Level 1 off 18"] == State(
        mode="cool", preset="Eco mode", fan="Level 1", swing="off", temperature=18
    )
    assert states["dry - - auto 20"] == State(mode="dry", swing="auto", temperature=20)
    assert states["fan_only - low off -"] == State(mode="fan_only", fan="low", swing="off")
    _, quarters = of_file(SHAPES["half degrees and quarters"])
    assert quarters["heat low 18.25"].temperature == 18.25


def test_a_mode_that_has_swing_only() -> None:
    """A swing's name may be a fan's, too: the other names of the level say which it is."""
    file = air_conditioner(
        {
            "cool": CODES.nest(["auto", "low"], ["auto", "off"], DEGREES),
            "dry": CODES.nest(["auto", "off"], DEGREES),
        },
        operationModes=["cool", "dry"],
        fanModes=["auto", "low"],
        swingModes=["auto", "off"],
    )
    imported, states = of_file(file)
    assert states["dry auto 18"] == State(mode="dry", swing="auto", temperature=18)
    assert states["cool auto auto 18"] == State(
        mode="cool", fan="auto", swing="auto", temperature=18
    )
    [(device, commands)] = imported.commands.items()
    back = json.loads(write_codes("smartir", device, commands, states=states).text)
    # SmartIR itself wants each level in each mode.
    assert back["commands"] == file["commands"] | {"dry": {"-": file["commands"]["dry"]}}
    assert {*of_file(back)[1].values()} == {*states.values()}


def test_an_ambiguous_level_is_refused_with_its_reason() -> None:
    file = air_conditioner(
        {
            "off": CODES.packet(),
            "cool": CODES.nest(["auto", "low"], ["auto", "off"], DEGREES),
            "dry": CODES.nest(["auto"], ["18"]),
        },
        operationModes=["cool", "dry"],
        fanModes=["auto", "low"],
        swingModes=["auto", "off"],
    )
    imported, states = of_file(file)
    assert {name: str(reason) for name, reason in imported.refused.items()} == {
        "Acme A1 → dry auto 18": "a name is in several of the file's lists (presetModes,"
        " fanModes, swingModes), so it is not clear which of them is meant"
    }
    assert len(states) == 12
    assert "dry auto 18" not in imported.commands["Acme A1"]


def test_levels_in_another_case_and_odd_ones() -> None:
    file = air_conditioner(
        {"Cool": CODES.nest(["LOW", "unheard of"], ["20"]) | {"high": CODES.packet()}},
        operationModes=["cool", "sleep"],
        fanModes=["low", "high"],
    )
    file["commands"]["sleep"] = CODES.nest(["low"], ["20"])
    file["commands"]["led"] = CODES.packet()
    imported, states = of_file(file)
    assert states == {
        "Cool LOW 20": State(mode="cool", fan="low", temperature=20),
        "Cool unheard of 20": State(mode="cool", fan="unheard of", temperature=20),
        "Cool high": State(mode="cool", fan="high"),
        # A mode that Home Assistant does not have is a preset of the nearest one.
        "sleep low 20": State(mode="auto", preset="sleep", fan="low", temperature=20),
    }
    # What is no state is a command all the same.
    assert {"led"} < imported.commands["Acme A1"].keys()


def test_no_command_is_lost_when_two_have_the_same_state() -> None:
    packet = read_codes(SHAPES["no fan"]).commands["Acme A1"]["heat 18"]
    commands = {"kühlen 24": packet, "cool 24": packet, "clean": packet}
    states = states_of_names(commands)
    back = json.loads(write_codes("smartir", "Acme X1", commands, states=states).text)
    assert [*back["commands"]] == ["cool", "cool 24", "clean"]
    assert [*back["commands"]["cool"]] == ["24"]


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("cool 24", State(mode="cool", temperature=24)),
        ("cool_24", State(mode="cool", temperature=24)),
        ("24 Cool", State(mode="cool", temperature=24)),
        ("heat 18.25", State(mode="heat", temperature=18.25)),
        ("cool auto 24", State(mode="cool", fan="auto", temperature=24)),
        ("dry auto 21,5", State(mode="dry", fan="auto", temperature=21.5)),
        ("cool fan low 24°C", State(mode="cool", fan="low", temperature=24)),
        ("cool Powerful 24", State(mode="cool", fan="turbo", temperature=24)),
        ("heat level1 on 24", State(mode="heat", fan="level 1 on", temperature=24)),
        (
            "heat_cool auto swing 24",
            State(mode="heat_cool", fan="auto", swing="on", temperature=24),
        ),
        (
            "cool auto vertical 24",
            State(mode="cool", fan="auto", swing="vertical", temperature=24),
        ),
        ("fan_only level3 -", State(mode="fan_only", fan="level 3")),
        ("fan low", State(mode="fan_only", fan="low")),
        ("auto 24", State(mode="auto", temperature=24)),
        ("kühlen 24 hoch", State(mode="cool", fan="high", temperature=24)),
        ("Heizen 20", State(mode="heat", temperature=20)),
        ("koelen laag 19", State(mode="cool", fan="low", temperature=19)),
        ("frío 24", State(mode="cool", temperature=24)),
        ("chaud fort 22", State(mode="heat", fan="high", temperature=22)),
    ],
)
def test_names_of_learned_states(name: str, state: State) -> None:
    assert state_of_name(name) == state


@pytest.mark.parametrize("name", ["power", "timer", "cool clean", "swing", "24", "sleep 8", ""])
def test_names_that_say_no_state(name: str) -> None:
    assert state_of_name(name) is None


def test_names_that_came_from_a_code_file() -> None:
    """So a store of 0.3.0 has them, and the head's levels with them."""
    capabilities = Capabilities.alike(
        ("heat", "cool", "dry", "fan_only"),
        Levels(presets=("none", "Eco mode"), fans=("auto", "Level 1"), swings=("auto", "off")),
    )
    assert states_of_names(
        [
            "off",
            "cool none auto auto 24",
            "cool Eco mode Level 1 off 24.5",
            "cool level 1 23",
            "dry - auto - 25",
            "fan_only auto -",  # a fan, as it was: nothing says which
            "heat 20",
            "sleepy",
            "cool unheard of 24",
        ],
        capabilities,
    ) == {
        "cool none auto auto 24": State(
            mode="cool", preset="none", fan="auto", swing="auto", temperature=24
        ),
        "cool Eco mode Level 1 off 24.5": State(
            mode="cool", preset="Eco mode", fan="Level 1", swing="off", temperature=24.5
        ),
        "cool level 1 23": State(mode="cool", fan="Level 1", temperature=23),
        "dry - auto - 25": State(mode="dry", fan="auto", temperature=25),
        "fan_only auto -": State(mode="fan_only", fan="auto"),
        "heat 20": State(mode="heat", temperature=20),
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_names_of_a_stored_file_mean_its_states(shape: str) -> None:
    imported, states = of_file(SHAPES[shape])
    [commands] = imported.commands.values()
    assert states_of_names(commands, capabilities_of(imported)) == states


def named(*names: str, order: Capabilities | None = None) -> CommandRule:
    return CommandRule.of(states_of_names(names), order=order)


def test_what_there_is_in_each_mode() -> None:
    imported, states = of_file(SHAPES["preset, fan, swing, temperature"])
    found = CommandRule.of(states, {"off": "off", "off cool": "x"}, capabilities_of(imported))
    assert [*found.capabilities] == ["cool", "dry", "fan_only"]
    assert found.capabilities["cool"] == Levels(
        presets=(*PRESETS,), fans=(*FANS,), swings=(*SWINGS,), temperatures=(18, 19, 20)
    )
    assert found.capabilities["dry"] == Levels(swings=(*SWINGS,), temperatures=(18, 19, 20))
    assert found.capabilities["fan_only"].temperatures == ()
    assert [found.off_in(mode) for mode in ("cool", "dry", None)] == ["x", "off", "off"]
    assert found.used == {*states, "off", "x"}


def sent(rule: CommandRule, state: State) -> str:
    known = rule.find(state)
    assert known is not None
    return rule.encode(known)


def test_a_state_is_found_exactly_or_by_a_command_for_all_values() -> None:
    found = named("cool low 24", "cool low -", "dry -")
    cool = State(mode="cool", fan="low", temperature=24)
    assert sent(found, cool) == "cool low 24"
    assert sent(found, replace(cool, temperature=30)) == "cool low -"
    assert sent(found, replace(cool, mode="dry")) == "dry -"
    assert found.find(replace(cool, fan="high")) is None


def test_the_state_that_fits_and_those_next_to_it() -> None:
    found = named("cool low 18", "cool low 24", "cool high 24", "heat low 26", "dry -", "fan low")
    cool = State(mode="cool", fan="low", temperature=24)
    assert [
        str(nearest_state)
        for nearest_state in found.nearest(replace(cool, fan="high", temperature=18))
    ] == [
        "cool · high · 24°",
        "cool · low · 18°",
        "cool · low · 24°",
    ]
    fitting = State(mode="heat", fan="low", temperature=26)
    assert found.fit(replace(cool, mode="heat", fan="high")) == fitting
    # What a mode does not have is kept for the next one.
    assert found.fit(replace(cool, mode="dry")) == replace(cool, mode="dry")


def test_steps_and_units() -> None:
    assert named("cool 20", "cool 21.5", "cool 21").capabilities.step == 0.5
    assert named("cool 20").capabilities.step is None
    assert named("cool 20", "off").capabilities.unit == "C"
    assert named("cool 68", "cool 70").capabilities.unit == "F"
    assert named("cool 30", order=Capabilities(unit="F")).capabilities.unit == "F"
    assert named("cool 20", "cool 21", order=Capabilities(step=0.5)).capabilities.step == 1
    assert named("cool 20", order=Capabilities(step=0.5)).capabilities.step == 0.5


def test_what_several_states_agree_on_is_taken_over() -> None:
    before = State(mode="cool", fan="high", temperature=20)
    dry = [State(mode="dry", fan=fan, temperature=18) for fan in ("low", "high")]
    assert agreed_state(dry, before) == State(mode="dry", fan="high", temperature=18)
    assert agreed_state(
        [State(mode="dry", temperature=degrees) for degrees in (18, 19)], before
    ) == (replace(before, mode="dry"))
    both = [State(mode="auto"), State(mode="cool")]
    assert agreed_state(both, before) == before


class Plain(Rule[bytes]):
    """A rule: what a state looks like."""

    states = tuple(
        State(mode="cool", fan=fan, temperature=degrees)
        for fan, degrees in (("low", 18), ("low", 19), ("high", 18))
    )
    capabilities = Capabilities.of_states(
        states, Capabilities.alike(["cool"], Levels(fans=("high", "low")))
    )

    def encode(self, state: State) -> bytes:
        """Return what the state looks like."""
        return repr(state).encode()

    def decode(self, code: bytes) -> State | Off | None:
        """Know off alone."""
        return OFF if code == self.off else None


def test_a_rule_of_packets_is_used_like_a_rule_of_commands() -> None:
    rule = Plain(off=b"off")
    low = State(mode="cool", fan="low", temperature=19)
    assert rule.find(low) == low
    assert rule.find(replace(low, temperature=25)) is None
    assert rule.find(replace(low, fan="high")) is None
    assert rule.fit(replace(low, fan="high")) == replace(low, fan="high", temperature=18)
    levels = Levels(fans=("high", "low"), temperatures=(18, 19))
    assert rule.capabilities == Capabilities(modes={"cool": levels}, step=1, unit="C")
    assert [state.fan for state in rule.offered] == ["high", "low", "low"]
    assert (rule.off_in("cool"), rule.off_in(None)) == (b"off", b"off")
    assert rule.can_turn_off


def test_a_rule_says_what_it_lacks() -> None:
    """A user reads it on the page of a device."""
    assert named("cool low 18", "cool high 18").lacks == Lacks(off=True, attributes={}, states={})
    rule = CommandRule.of(
        states_of_names(["cool low 18", "cool low 19", "cool high 18", "fan low", "dry"]),
        {"toggle": "power"},
    )
    assert rule.lacks == Lacks(
        off=False,
        attributes={"fan_only": ["temperature"], "dry": ["fan", "temperature"]},
        states={"cool": 1},
    )


def test_what_a_rule_lacks_is_counted_before_it_is_listed() -> None:
    names = [f"cool fan {number} {degrees}" for number in range(1000) for degrees in (18, 19)]
    states = {
        name: State(mode="cool", fan=f"fan {number}", swing=f"swing {number}", temperature=number)
        for number, name in enumerate(names)
    }
    rule = CommandRule.of(states)
    assert rule.lacks.states == {"cool": 2000**3 - 2000}


@pytest.mark.parametrize("protocol", [*PROTOCOLS])
def test_what_a_rule_makes_is_exported(protocol: str) -> None:
    device = Device(id="1", name="Acme X1", rule=Protocol(name=protocol))
    try:
        rule = rule_of(device)
    except UserError:  # it has no "off"
        return
    assert rule is not None
    imported, states = of_file(json.loads(write_device("smartir", device).text))
    assert {*states.values()} == {*rule.states}
    [commands] = imported.commands.values()
    assert commands["off"] == [rule.off]
    some = [*states][::100]
    assert [commands[name] for name in some] == [[rule.encode(states[name])] for name in some]
