"""What commands are for, by their names and by a code file's head; without Home Assistant."""

from typing import Any

import pytest

from custom_components.irhub.devices.names import Kind, functions_of, slowest_first, values
from custom_components.irhub.devices.profile import kind_of, profile_of
from custom_components.irhub.formats.head import Levels, read_head


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
            Kind.CLIMATE,
            {
                "off": ["off", "aus"],
                "on": ["on"],
                "toggle": ["power"],
                "off cool": ["off_cool"],
                "off fan_only": ["off_fan_only"],
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
        levels=Levels(speeds=("b", "a")),
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
    assert (None if head is None else head.platform) == kind
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


def test_names_of_levels_that_yaml_takes_for_something_else() -> None:
    head = read_head({"operationModes": ["cool"], "swingModes": [True, False], "commands": {}})
    assert head is not None
    assert head.levels.swings == ("on", "off")


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
