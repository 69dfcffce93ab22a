"""What a log says that a packet sets an air conditioner to."""

import json

import pytest

from custom_components.irhub.ircodes import State, read_codes

RAW = [9000, -4500, 560, -560, 560, -40000]


def received(number: int, **hvac: object) -> str:
    """Return what Tasmota tells of a press of its own."""
    raw = [*RAW[:4], 560 + number * 200, *RAW[5:]]
    press = {"Protocol": "X", "RawData": raw, "IRHVAC": {"Vendor": "X", **hvac}}
    return "RESULT = " + json.dumps({"IrReceived": press}) + "\n"


def test_off_has_its_name_and_states_have_one_unit() -> None:
    log = (
        received(0, Power="Off", Mode="Off", Temp=24, Celsius="On")
        + received(1, Power="On", Mode="Fan", Temp=70, Celsius="Off", FanSpeed="Low")
        + received(2, Power="On", Mode="Cool", Temp=22, Celsius="On", FanSpeed="Low")
        + received(3, Power="On", Mode="Unknown")
    )
    imported = read_codes(log, device="ac")
    assert imported.states == {
        "ac": {"fan_only low 70": State(mode="fan_only", fan="low", temperature=70)}
    }
    assert [*imported.commands["ac"]] == ["off", "fan_only low 70", "3 heard", "4 heard"]
    assert imported.head is not None
    assert imported.head.capabilities.unit == "F"
    assert "Mode: Cool, Temp: 22" in imported.descriptions["ac → 3 heard"]


@pytest.mark.parametrize(
    ("swings", "names"),
    [
        (("Off", "Off"), ["cool 24", "cool 25"]),
        (("Off", "Auto"), ["cool off 24", "cool auto 25"]),
    ],
    ids=["alike", "different"],
)
def test_a_swing_that_all_have_is_none(swings: tuple[str, str], names: list[str]) -> None:
    log = "".join(
        received(number, Mode="Cool", Temp=24 + number, SwingV=swing)
        for number, swing in enumerate(swings)
    )
    assert [*read_codes(log, device="ac").states["ac"]] == names


def test_a_command_for_tasmota_and_a_state_at_the_end_have_no_packet() -> None:
    log = (
        'IRHVAC {"Vendor":"X","Power":"On","Mode":"Cool","Temp":24}\n'
        'stat/ir/RESULT = {"IRHVAC":{"Vendor":"X","Power":"On","Mode":"Cool","Temp":25}}\n'
        "Mesg Desc.: Power: On, Swing: Toggle\n"
        f"Mesg Desc.: Power: Off\nuint16_t rawData[6] = {{{', '.join(map(str, RAW))}}};\n"
        "Mesg Desc.: Power: On, Mode: 1 (Heat), Temp: 21.5C"
    )
    imported = read_codes(log, device="ac")
    assert {name: str(reason)[:27] for name, reason in imported.refused.items()} == {
        f"ac → {name}": "a state, but not its packet"
        for name in ("cool 24", "cool 25", "3 described", "heat 21.5")
    }
    assert [*imported.commands["ac"]] == ["off"]


def test_a_state_without_its_packet_makes_no_air_conditioner_of_a_television() -> None:
    log = (
        f"uint16_t rawData[6] = {{{', '.join(map(str, RAW))}}};\n"
        "Mesg Desc.: Power: On, Mode: 1 (Heat), Temp: 21.5C"
    )
    imported = read_codes(log, device="tv")
    assert [*imported.commands["tv"]] == ["1 Raw"]
    assert imported.head is None
