"""What a code file says of itself: what it is for, modes and levels."""

from typing import Any

import pytest

from custom_components.irhub.ircodes.states.head import read_head


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ({"operationModes": ["cool"], "temperatureUnit": "°F", "precision": "0.5"}, "climate"),
        ({"speed": ["low", "high"]}, "fan"),
        ({"brightness": [1, 255]}, "light"),
        ({"supportedController": "Broadlink"}, "media_player"),
        ({"precision": "coarse"}, None),
    ],
)
def test_the_head_of_a_code_file(file: dict[str, Any], kind: str | None) -> None:
    head = read_head({**file, "commands": {"off": "…"}})
    assert (None if head is None else head.platform) == kind
    if head is not None and kind == "climate":
        assert [*head.capabilities] == ["cool"]
        assert (head.capabilities.unit, head.capabilities.step) == ("F", 0.5)


@pytest.mark.parametrize(
    ("written", "unit"),
    [("Fahrenheit", "F"), ("°C", "C"), ("celsius", "C"), (None, None), (1, None)],
)
def test_the_unit_of_a_code_file(written: object, unit: str | None) -> None:
    head = read_head({"operationModes": ["cool"], "temperatureUnit": written, "commands": {}})
    assert head is not None
    assert head.capabilities.unit == unit


def test_modes_that_home_assistant_does_not_have() -> None:
    head = read_head({"operationModes": ["cool", "sleep", "Heat"], "commands": {}})
    assert head is not None
    assert [*head.capabilities] == ["cool", "heat"]


def test_names_of_levels_that_yaml_takes_for_something_else() -> None:
    head = read_head({"operationModes": ["cool"], "swingModes": [True, False], "commands": {}})
    assert head is not None
    assert head.capabilities.levels.swings == ("on", "off")


def test_what_is_no_code_file() -> None:
    assert read_head({"operationModes": ["cool"]}) is None
