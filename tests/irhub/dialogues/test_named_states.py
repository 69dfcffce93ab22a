"""States that a log names beside the packets: the log becomes an air conditioner."""

from collections.abc import Mapping
import json
import re
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.irhub.ircodes import to_timings
from virtual_home.hub import VirtualHub

from ..dialogue import add, configure
from ..home import known
from ..remotes_of_protocols import shows
from .appliances import act, begin, finish

COOL = shows("COOLIX", "cool", 24)
HEAT = shows("COOLIX", "heat", 22)
HVAC = {
    "Vendor": "COOLIX",
    "Power": "On",
    "Mode": "Cool",
    "Celsius": "On",
    "Temp": 24,
    "FanSpeed": "Auto",
    "SwingV": "Off",
}


def tasmota(packet: bytes | None, **hvac: object) -> str:
    """Return what Tasmota tells of a press, with durations if there is a packet."""
    received: dict[str, Any] = {"Protocol": "COOLIX", "Bits": 24, "Data": "0xB2BF40"}
    if packet is not None:
        received["RawData"] = [round(duration) for duration in to_timings(packet)]
    received["IRHVAC"] = {**HVAC, **hvac}
    return f"12:00:01.250 RSL: tele/ir/RESULT = {json.dumps({'IrReceived': received})}\n"


def dump(packet: bytes | None, state: str) -> str:
    """Return what IRrecvDumpV3 prints of a press."""
    lines = [
        "Timestamp : 000012.345",
        "Library   : v2.8.6",
        "",
        "Protocol  : COOLIX",
        "Code      : 0xB2BF40 (24 Bits)",
        f"Mesg Desc.: {state}",
    ]
    if packet is not None:
        durations = [abs(round(duration)) for duration in to_timings(packet)]
        raw = ", ".join(map(str, durations))
        lines.append(f"uint16_t rawData[{len(durations)}] = {{{raw}}};  // COOLIX B2BF40")
    return "\n".join([*lines, "uint32_t data = 0xB2BF40;", "", ""])


DESCRIBED = "Power: On, Mode: 0 (Cool), Fan: 5 (Auto), Temp: 24C, Zone Follow: Off, Sensor Temp: 9C"
LOGS: Mapping[str, str] = {
    "Tasmota": tasmota(COOL) + tasmota(HEAT, Mode="Heat", Temp=22),
    "Tasmota, a line of JSON each": "\n".join(
        line.partition(" = ")[2]
        for line in (tasmota(COOL) + tasmota(HEAT, Mode="Heat", Temp=22)).splitlines()
    ),
    "IRrecvDumpV3": dump(COOL, DESCRIBED)
    + dump(HEAT, "Power: On, Mode: 3 (Heat), Fan: 5 (Auto), Temp: 22C, Sensor Temp: Off"),
    "beside": f"{DESCRIBED} {json.dumps({'RawData': [round(t) for t in to_timings(COOL)]})}\n"
    + dump(HEAT, "Model: 1 (A), Power: On, Mode: 3 (Heat), Temp: 22C/72F, Fan: 5 (Auto)"),
}


@pytest.mark.parametrize("log", LOGS)
async def test_a_log_becomes_an_air_conditioner(
    hass: HomeAssistant, lounge: VirtualHub, log: str
) -> None:
    config_entry = await add(hass, lounge)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=LOGS[log])
    assert dialogue.step == "ready"
    assert "for states of an air conditioner: 2; other commands: 0" in dialogue.texts["account"]
    assert "known protocol" not in dialogue.texts["note"]
    await finish(hass, dialogue, "climate.air_conditioner", name="Air conditioner")
    data = {"entity_id": "climate.air_conditioner", "hvac_mode": "heat", "temperature": 22}
    await act(hass, "climate", "set_temperature", **data)
    [device] = known(hass).values()
    assert {command.name for command in device.commands.values()} == {
        "cool auto 24",
        "heat auto 22",
    }
    command = device.named("heat auto 22")
    assert command is not None
    assert lounge.transmitted[-1] == command.packets[0]


@pytest.mark.parametrize(
    ("language", "text", "packet"),
    [
        ("en", "says “Heat, 24 °C, Fan mode: Auto”", "says “Cool, 24 °C, Fan mode: Auto”"),
        ("de", "„Heizbetrieb, 24 °C, Lüftermodus: Auto“", "aber „Kühlbetrieb, 24 °C"),
        ("fr", "« Chauffage, 24 °C, Mode de ventilation: Auto »", "« Climatisation, 24 °C"),
    ],
)
async def test_a_state_that_contradicts_its_packet_is_reported(
    hass: HomeAssistant, lounge: VirtualHub, language: str, text: str, packet: str
) -> None:
    hass.config.language = language
    config_entry = await add(hass, lounge)
    log = tasmota(COOL, Mode="Heat") + tasmota(HEAT, Mode="Heat", Temp=22)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=log)
    assert dialogue.step == "ready"
    note = dialogue.texts["note"]
    assert (note.count(text), note.count(packet)) == (1, 1)
    assert "22 °C" not in note, "that state has its own packet"
    dialogue = await (await configure(hass, config_entry)).choose("import_codes")
    await dialogue.submit(text=log, device="copy")
    assert dialogue.step == "preview"
    [line] = [line for line in dialogue.texts["account"].splitlines() if text in line]
    assert line.startswith("- copy → heat auto 24: ")
    assert packet in line


@pytest.mark.parametrize("log", [tasmota(None), dump(None, DESCRIBED)], ids=["Tasmota", "dump"])
async def test_a_state_without_a_packet_is_rejected_with_advice(
    hass: HomeAssistant, lounge: VirtualHub, log: str
) -> None:
    config_entry = await add(hass, lounge)
    dialogue = await (await begin(hass, config_entry)).choose("file")
    await dialogue.submit(text=log)
    assert dialogue.step == "file"
    assert "RawData of Tasmota after SetOption58 1, rawData of" in dialogue.texts["error"]
    await dialogue.submit(text=tasmota(COOL) + log)
    assert dialogue.step == "ready"
    assert "not used: 1\n" in dialogue.texts["account"]
    assert re.search(
        r"Air conditioner → cool.*: a state, but not its packet", dialogue.texts["account"]
    )
