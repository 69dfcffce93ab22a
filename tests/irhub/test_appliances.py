"""What commands are for, by their names and by a code file's head; without Home Assistant."""

from itertools import product
from typing import Any

import pytest

from custom_components.irhub.devices.climate_states import Levels, State, climate_states
from custom_components.irhub.devices.names import Kind, functions_of, slowest_first, values
from custom_components.irhub.devices.profile import kind_of, profile_of, read_head


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("cool 24", State("cool", temperature=24)),
        ("cool_24", State("cool", temperature=24)),
        ("24 Cool", State("cool", temperature=24)),
        ("cool auto 24", State("cool", fan="auto", temperature=24)),
        ("dry auto 21,5", State("dry", fan="auto", temperature=21.5)),
        ("cool fan low 24°C", State("cool", fan="low", temperature=24)),
        ("cool Powerful 24", State("cool", fan="turbo", temperature=24)),
        ("heat level1 on 24", State("heat", fan="level 1 on", temperature=24)),
        ("heat_cool auto swing 24", State("heat_cool", fan="auto", swing="on", temperature=24)),
        ("cool auto vertical 24", State("cool", fan="auto", swing="vertical", temperature=24)),
        ("fan_only level3 -", State("fan_only", fan="level 3")),
        ("fan low", State("fan_only", fan="low")),
        ("auto 24", State("auto", temperature=24)),
        ("kühlen 24 hoch", State("cool", fan="high", temperature=24)),
        ("Heizen 20", State("heat", temperature=20)),
        ("koelen laag 19", State("cool", fan="low", temperature=19)),
        ("frío 24", State("cool", temperature=24)),
        ("chaud fort 22", State("heat", fan="high", temperature=22)),
    ],
)
def test_names_of_an_air_conditioners_states(name: str, state: State) -> None:
    assert climate_states([name]).commands == {state: name}


@pytest.mark.parametrize("name", ["power", "timer", "cool clean", "swing", "24", "sleep 8"])
def test_names_that_say_no_state(name: str) -> None:
    assert not climate_states([name]).commands


def test_the_levels_of_a_code_file() -> None:
    levels = Levels(
        modes=["heat", "cool", "dry", "fan_only"],
        presets=["none", "Eco mode"],
        fans=["auto", "Level 1"],
        swings=["auto", "off"],
        step=0.5,
    )
    names = [
        "off",
        "on",
        "off_cool",
        "cool none auto auto 24",
        "cool Eco mode Level 1 off 24.5",
        "cool level 1 23",  # in another case, and without two levels
        "dry - auto - 25",  # whatever the preset and the swing
        "fan_only auto -",
        "heat 20",
        "sleepy",
        "cool unheard of 24",
    ]
    found = climate_states(names, levels)
    assert found.commands == {
        State("cool", "none", "auto", "auto", 24): names[3],
        State("cool", "Eco mode", "Level 1", "off", 24.5): names[4],
        State("cool", None, "Level 1", None, 23): names[5],
        State("dry", None, "auto", None, 25): names[6],
        State("fan_only", None, "auto"): names[7],
        State("heat", temperature=20): names[8],
    }
    assert found.off == {"": "off", "cool": "off_cool"}
    assert found.on == "on"
    assert [*found.modes] == ["heat", "cool", "dry", "fan_only"]
    assert found.modes["cool"].presets == ["none", "Eco mode"]
    assert found.modes["cool"].temperatures == [23, 24, 24.5]
    assert found.modes["fan_only"].temperatures == []
    assert found.modes["fan_only"].fans == ["auto"]


def test_a_swing_may_be_called_as_a_fan_is() -> None:
    levels = Levels(modes=["cool"], fans=["auto", "low"], swings=["auto", "on"])
    names = [
        f"cool {' '.join(path)}" for path in product(("auto", "low"), ("auto", "on"), ("24", "-"))
    ]
    found = climate_states(names, levels)
    assert len(found.commands) == 8
    assert found.find(State("cool", fan="low", swing="auto", temperature=24)) == "cool low auto 24"
    # Where the temperature does not matter, any will do.
    assert found.find(State("cool", fan="low", swing="on", temperature=30)) == "cool low on -"


def test_the_state_that_fits_and_those_next_to_it() -> None:
    found = climate_states(
        ["cool low 18", "cool low 24", "cool high 24", "heat low 26", "dry -", "fan low"]
    )
    cool = State("cool", fan="low", temperature=24)
    assert found.find(cool) == "cool low 24"
    assert found.find(cool._replace(fan="high", temperature=18)) is None
    assert [str(one) for one in found.nearest(cool._replace(fan="high", temperature=18))] == [
        "cool · high · 24°",
        "cool · low · 18°",
        "cool · low · 24°",
    ]
    assert found.fit(cool._replace(mode="heat", fan="high")) == State(
        "heat", fan="low", temperature=26
    )
    # What a mode does not have is kept for the next one.
    assert found.fit(cool._replace(mode="dry")) == cool._replace(mode="dry")
    assert found.find(cool._replace(mode="dry")) == "dry -"


def test_steps_and_units() -> None:
    assert climate_states(["cool 20", "cool 21.5", "cool 21"]).step == 0.5
    assert climate_states(["cool 20"]).step == 1
    assert climate_states(["cool 20", "off"]).unit == "C"
    assert climate_states(["cool 68", "cool 70"]).unit == "F"
    assert climate_states(["cool 30"], Levels(modes=["cool"], unit="F")).unit == "F"
    assert climate_states(["cool 61", "cool 62"], Levels(modes=["cool"])).unit == "F"
    assert climate_states(["cool 20", "cool 21"], Levels(modes=["cool"], step=0.5)).step == 1
    assert climate_states(["cool 20"], Levels(modes=["cool"], step=0.5)).step == 0.5


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            Kind.MEDIA_PLAYER,
            {
                "toggle": ["power", "On/Off", "POWER_TOGGLE", "ein/aus", "Marche-Arrêt"],
                "on": ["on", "Power On", "einschalten", "aan", "encender", "allumer"],
                "volume_up": ["volumeUp", "Volume+", "vol up", "VOL +", "lauter", "subir volumen"],
                "volume_down": ["volumeDown", "Volume-", "Vol -", "leiser", "moins fort"],
                "mute": ["mute", "stumm", "silencio"],
                "next": ["nextChannel", "CH+", "channel up", "siguiente", "chaîne suivante"],
                "previous": ["previousChannel", "Ch-", "vorige"],
                "source hdmi 2": ["hdmi 2"],
                "source HDMI2": ["HDMI2"],
                "source Xbox": ["sources Xbox", "input Xbox"],
                "digit 5": ["5", "digit 5", "sources Channel 5", "Taste 5"],
                "sound_mode Movie": ["sound_modes Movie"],
            },
        ),
        (
            Kind.FAN,
            {
                "off": ["off", "aus", "uit", "apagar", "éteindre"],
                "speed low": ["default low", "low"],
                "speed speed 3": ["speed 3"],
                "speed Stufe 2": ["Stufe 2"],
                "forward high": ["forward high"],
                "reverse high": ["reverse high"],
                "oscillate": ["oscillate", "swing", "schwenken"],
                "reverse": ["direction", "reverse"],
                "preset natural": ["natural"],
            },
        ),
        (
            Kind.LIGHT,
            {
                "brighten": ["brighten", "brightness up", "heller", "plus clair"],
                "dim": ["dim", "dunkler"],
                "colder": ["colder", "plus froid"],
                "warmer": ["warmer", "más cálido"],
                "night": ["night", "nachtlicht", "veilleuse"],
            },
        ),
        (
            Kind.COVER,
            {
                "open": ["open", "UP", "hoch", "öffnen", "omhoog", "abrir", "monter"],
                "close": ["close", "down", "zu", "omlaag", "bajar", "fermer"],
                "stop": ["stop", "anhalten", "arrêter"],
            },
        ),
    ],
)
def test_names_say_what_a_command_does(kind: Kind, names: dict[str, list[str]]) -> None:
    for function, commands in names.items():
        for command in commands:
            assert functions_of(kind, [command]) == {function: command}


def test_names_that_say_nothing() -> None:
    for kind in Kind:
        assert functions_of(kind, ["", "teletext", "xyz 12 34", "☕"]) == {}


def test_the_first_of_two_commands_for_one_function_counts() -> None:
    assert functions_of(Kind.COVER, ["up", "open", "down"]) == {"open": "up", "close": "down"}


def test_on_that_is_off_toggles() -> None:
    same = profile_of(Kind.MEDIA_PLAYER, {"on": ["b"], "off": ["b"], "mute": ["c"]})
    assert same.functions == {"toggle": "on", "mute": "mute"}
    other = profile_of(Kind.MEDIA_PLAYER, {"on": ["a"], "off": ["b"]})
    assert other.functions == {"on": "on", "off": "off"}


def test_what_the_user_says_counts_and_what_is_gone_does_not() -> None:
    commands = {"a": 1, "b": 2, "power": 3}
    said = profile_of(Kind.COVER, commands, functions={"open": "a", "close": "gone"})
    assert said.functions == {"open": "a"}
    assert said.used == {"a"}


def test_speeds_in_order() -> None:
    assert slowest_first(["high", "Low", "mid"]) == ["Low", "mid", "high"]
    assert slowest_first(["speed 10", "speed 2"]) == ["speed 2", "speed 10"]
    fan = profile_of(
        Kind.FAN,
        dict.fromkeys(("forward b", "forward a", "reverse a", "off")),
        levels=Levels(speeds=["b", "a"]),
    )
    assert fan.speeds == ("b", "a")
    assert values(fan.functions, "reverse") == {"a": "reverse a"}


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ({"operationModes": ["cool"], "temperatureUnit": "°F", "precision": "0.5"}, Kind.CLIMATE),
        ({"speed": ["low", "high"]}, Kind.FAN),
        ({"brightness": [1, 255]}, Kind.LIGHT),
        ({"supportedController": "Broadlink"}, Kind.MEDIA_PLAYER),
        ({"precision": "coarse"}, None),
    ],
)
def test_the_head_of_a_code_file(file: dict[str, Any], kind: Kind | None) -> None:
    head = read_head({**file, "commands": {"off": "…"}})
    assert (None if head is None else head.kind) == kind
    if head is not None and kind is Kind.CLIMATE:
        assert head.levels.modes == ("cool",)
        assert (head.levels.unit, head.levels.step) == ("F", 0.5)


@pytest.mark.parametrize(
    ("said", "unit"), [("Fahrenheit", "F"), ("°C", "C"), ("celsius", "C"), (None, None), (1, None)]
)
def test_the_unit_of_a_code_file(said: object, unit: str | None) -> None:
    head = read_head({"operationModes": ["cool"], "temperatureUnit": said, "commands": {}})
    assert head is not None
    assert head.levels.unit == unit


def test_modes_that_home_assistant_does_not_have() -> None:
    head = read_head({"operationModes": ["cool", "sleep", "Heat"], "commands": {}})
    assert head is not None
    assert head.levels.modes == ("cool", "heat")
    states = climate_states(["cool 20", "sleep 20", "Heat 20"], head.levels)
    assert [*states.commands.values()] == ["cool 20", "Heat 20"]  # the other may get a button


def test_what_is_no_code_file() -> None:
    assert read_head({"operationModes": ["cool"]}) is None


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["off", "cool 20", "cool 21", "heat 20"], Kind.CLIMATE),
        (["power", "vol up", "vol down", "hdmi 1"], Kind.MEDIA_PLAYER),
        (["off", "low", "medium", "high"], Kind.FAN),
        (["up", "down", "stop"], Kind.COVER),
        (["on", "off", "brighter", "darker"], Kind.LIGHT),
        (["garage", "garden"], None),
        ([], None),
    ],
)
def test_what_commands_seem_to_be_for(names: list[str], kind: Kind | None) -> None:
    assert kind_of(dict.fromkeys(names)) == kind
