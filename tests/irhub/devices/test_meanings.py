"""What commands are for, by their names; without Home Assistant."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from custom_components.irhub.devices.device import Command, Device
from custom_components.irhub.devices.kinds import Kind
from custom_components.irhub.devices.meanings import with_meanings
from custom_components.irhub.devices.name_parsing import slowest_first, values
from custom_components.irhub.devices.names import functions_of
from custom_components.irhub.devices.profile import profile_of
from custom_components.irhub.ircodes.states import Steps

NO_STEPS = Steps()


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            Kind.TELEVISION,
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
            Kind.AIR_CONDITIONER,
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


def test_the_first_of_two_commands_for_a_function_counts() -> None:
    assert functions_of(Kind.COVER, ["up", "open", "down"]) == {"open": "up", "close": "down"}


def device_of(kind: Kind, packets: Mapping[str, bytes], steps: Steps = NO_STEPS) -> Device:
    """Return a device whose commands, each known by its name, have just come in."""
    named = [Command(id=name, name=name, packets=(of,)) for name, of in packets.items()]
    device = Device(id="x", name="x", kind=kind, steps=steps).with_commands(*named)
    return with_meanings(device, named)


def test_equal_codes_for_on_and_off_are_a_toggle() -> None:
    same = device_of(Kind.TELEVISION, {"on": b"b", "off": b"b", "mute": b"c"})
    assert same.functions == {"toggle": "on", "mute": "mute"}
    other = device_of(Kind.TELEVISION, {"on": b"a", "off": b"b"})
    assert other.functions == {"on": "on", "off": "off"}


def test_known_functions_stay_when_commands_are_added() -> None:
    device = replace(device_of(Kind.COVER, {"a": b"1", "up": b"2"}), functions={"open": "a"})
    late = (
        Command(id="late", name="open", packets=(b"3",)),
        Command(id="down", name="down", packets=(b"4",)),
    )
    grown = with_meanings(device.with_commands(*late), late)
    assert grown.functions == {"open": "a", "close": "down"}
    assert profile_of(grown).used == {"a", "down"}
    # What is gone does nothing.
    assert grown.only(["down"]).functions == {"close": "down"}


def test_a_device_of_unknown_kind_has_no_functions() -> None:
    assert device_of(Kind.OTHER, {"on": b"a", "mute": b"b"}).functions == {}


def test_speeds_in_order() -> None:
    assert slowest_first(["high", "Low", "mid"]) == ["Low", "mid", "high"]
    assert slowest_first(["speed 10", "speed 2"]) == ["speed 2", "speed 10"]
    names = ("forward b", "forward a", "reverse a", "off")
    fan = device_of(Kind.FAN, {name: name.encode() for name in names}, Steps(speeds=("b", "a")))
    assert profile_of(fan).speeds == ("b", "a")
    assert values(fan.functions, "reverse") == {"a": "reverse a"}
