"""Codes packed or named by other programs: Tuya's blasters, Xiaomi, irplus, Homebridge, Tasmota."""

from base64 import b64encode
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.irhub.ircodes.files.imported import Imported
from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.files.writing import write_codes
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings
from custom_components.irhub.ircodes.packet.text_forms import from_packed, parse_text
from custom_components.irhub.ircodes.packet.tuya import LONGEST_US, to_tuya

from ..captured import FAN as RADIO, HDMI, POWER, RC5
from .imported import commands_of, meaning_of, refusals

BITS = [560, -560, 560, -1690]
TIMINGS = [9000, -4500, *BITS * 16, 560, -40000]
PACKET = from_timings(TIMINGS)
PACKED = "BTYjmxFDAsABAakG4AEL4AMBQBfAG8AL4AMD4Acr4A8/4A9DAT6b"
"""NEC 0x04/0x08, as Tuya's blasters take it."""


@given(st.lists(st.sampled_from([60, 560, 1690, 4500, 19_000]), min_size=8, max_size=600))
def test_a_packed_code_comes_back(durations: list[int]) -> None:
    timings = [-us if index % 2 else us for index, us in enumerate(durations)]
    text = to_tuya(timings)
    assert from_packed(text) == parse_text(text) == from_timings(timings)
    assert parse_text(f"tuya: {text.rstrip('=')}") == from_timings(timings)


def test_blocks_of_each_kind_are_unpacked() -> None:
    """Literal, short and long copies, one that copies what it has just written."""
    literal = bytes([3]) + (560).to_bytes(2, "little") + (565).to_bytes(2, "little")
    short, long = bytes([2 << 5, 3]), bytes([7 << 5, 3, 3])  # four and twelve, from four before
    text = b64encode(literal + short + long + bytes([1]) + (700).to_bytes(2, "little")).decode()
    assert parse_text(text) == from_timings([560, -565] * 5 + [700])


@pytest.mark.parametrize("text", ["H0oRAAA", "4ABBxyz", "CEsRORLbAd4", "BQAAAAAAAA=="])
def test_what_is_not_packed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a code in Tuya"):
        from_packed(text)
    with pytest.raises(ValueError, match="not a code in Base64/hex/Pronto/Tuya"):
        parse_text(text)


def test_a_device_is_written_for_blasters_and_read_again() -> None:
    gate = bytes.fromhex("b20004000a140a14")
    exported = write_codes("tuya", "tv", {"power": [PACKET], "gate": [gate]})
    assert exported.suffix == ".txt"
    assert {name: str(reason) for name, reason in exported.refused.items()} == {
        "gate": "radio cannot be written in this format"
    }
    assert commands_of(read_codes(exported.text, device="tv")) == {"power": [PACKET]}


def test_a_pause_is_as_long_as_a_blaster_can_say() -> None:
    back = to_timings(from_packed(to_tuya([9000, -100_000, *BITS, *BITS])))
    assert abs(back[1] + LONGEST_US) < 31


def smartir(controller: str, *texts: str) -> dict[str, Any]:
    """Return a code file whose commands are called 0, 1, …."""
    return {
        "manufacturer": "Acme",
        "supportedModels": ["A1"],
        "supportedController": controller,
        "commandsEncoding": "Raw",
        "commands": {str(number): text for number, text in enumerate(texts)},
    }


def test_smartir_for_tuyas_blasters() -> None:
    text = to_tuya(TIMINGS)
    imported = read_codes(smartir("UFOR11", text, "9000 4500 560 560", "9000,-4500,560"))
    assert commands_of(imported) == {
        "0": [PACKET],
        "1": [from_timings([9000, -4500, 560, -560])],
        "2": [from_timings([9000, -4500, 560])],
    }


@pytest.mark.parametrize("beginning", ["Z6WL", "mc0m", "mczm", "nE2m", "nMwm"])
def test_xiaomis_form_is_named(beginning: str) -> None:
    imported = read_codes(smartir("Xiaomi", beginning + "AAAABBBB" * 8))
    [reason] = refusals(imported).values()
    assert reason.startswith("packed for Xiaomi's own remote control (Chuangmi)")


def irplus(buttons: str, **attributes: str) -> str:
    """Return irplus's XML."""
    written = " ".join(f'{key.replace("_", "-")}="{text}"' for key, text in attributes.items())
    return f'<irplus>\n<device manufacturer="Acme" model="A1" {written}>{buttons}</device></irplus>'


NEC = {"header_pulse": "9000", "header_space": "4500", "one_pulse": "562", "one_space": "1687"}
NEC |= {"zero_pulse": "562", "zero_space": "562", "gap_pulse": "562", "gap_space": "40000"}


@pytest.mark.parametrize(
    ("format_name", "attributes", "code", "meaning_"),
    [
        ("WINLIRC_NEC1", {**NEC, "bits": "16", "pre_bits": "16"}, "0x20DF 0x10EF", "NEC 0x04/0x08"),
        ("WINLIRC_SPACEENC", {**NEC, "bits": "32"}, "0x20DF10EF", "NEC 0x04/0x08"),
        ("WINLIRC_NEC1", {}, "0x20DF 0x10EF", "NEC 0x04/0x08"),
        ("WINLIRC_RC5", {"bits": "13", "pre_bits": "13"}, "0x10CC", "RC-5 0x03/0x0c"),
    ],
)
def test_irplus(format_name: str, attributes: dict[str, str], code: str, meaning_: str) -> None:
    buttons = f'<button label="heading"> </button><button label="power">{code}</button>'
    imported = read_codes(irplus(buttons, format=format_name, **attributes))
    assert (imported.format, imported.manufacturer, imported.models) == ("irplus", "Acme", ["A1"])
    assert [*imported.commands] == ["Acme A1"]
    assert {meaning_of(packet) for packet in commands_of(imported)["power"]} == {meaning_}
    assert not imported.refused


def test_irplus_with_durations_and_what_it_is_not() -> None:
    pronto = "0000 006D 0002 0000 0157 00AC 0015 0689"
    buttons = f'<button label="a">{pronto}</button><button label="b">0x1</button>'
    imported = read_codes(irplus(buttons, format="PRONTO_HEX"))
    assert [*commands_of(imported)] == ["a"]
    assert refusals(imported) == {"Acme A1 → b": "not a code in Pronto: '0x1'"}
    raw = read_codes(irplus('<button label="a">9000 4500 560</button>', format="WINLIRC_RAW"))
    assert commands_of(raw) == {"a": [from_timings([9000, -4500, 560])]}
    for format_name, reason in {
        "BOSCH": "the encoding BOSCH is not read",
        "WINLIRC_RC6": "one-pulse is missing",
    }.items():
        other = read_codes(irplus('<button label="a">0x1</button>', format=format_name))
        assert refusals(other) == {"Acme A1 → a": reason}
    number = read_codes(irplus('<button label="a">x</button>', format="WINLIRC_NEC1"))
    assert refusals(number) == {"Acme A1 → a": "not a number: 'x'"}


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ('label="&#61457;" backgroundColor="FFC84334"', "power"),
        ('label="&#xf028;"', "volume up"),
        ('label="&#9208;&#65039;"', "pause"),
        ('label="&#xf4d2;"', "symbol F4D2"),
        ('label="MENU" backgroundColor="FFC84334"', "MENU"),
        ('label="" backgroundColor="FF2A4C94"', "blue"),
        ('backgroundColor="#C84334"', "red"),
        ('label=" " backgroundColor="ff3fae49"', "green"),
        ('label="" backgroundColor="-5317"', "yellow"),
        ('label="" textColor="FF808080"', "grey"),
    ],
)
def test_labels_of_irplus_that_are_no_names(attributes: str, name: str) -> None:
    code = "0000 006D 0002 0000 0157 00AC 0015 0689"
    imported = read_codes(irplus(f"<button {attributes}>{code}</button>", format="PRONTO_HEX"))
    assert [*commands_of(imported)] == [name]


def test_a_button_of_irplus_without_anything_is_named() -> None:
    code = "0000 006D 0002 0000 0157 00AC 0015 0689"
    buttons = f'<button label="" backgroundColor="x">{code}</button>'
    imported = read_codes(irplus(buttons, format="PRONTO_HEX"))
    assert refusals(imported) == {"Acme A1 → ''": "a name is empty"}


@pytest.mark.parametrize(
    "text",
    ["<!DOCTYPE html>\n<html><body>", "<html lang=en>", "<!-- a --><!doctype HTML><p>"],
)
def test_a_web_page_is_called_one(text: str) -> None:
    with pytest.raises(ValueError, match="a web page, not a file of codes"):
        read_codes(text, device="tv")


def homebridge(**accessory: object) -> Imported:
    """Return what is read of an accessory."""
    return read_codes({"accessories": [{"name": "TV", **accessory}]})


def test_inputs_are_commands_by_their_names() -> None:
    inputs = [
        {"name": "HDMI 1", "type": "hdmi", "data": HDMI.hex()},
        {"name": "Tuner", "type": "tuner", "data": POWER.hex()},
        {"name": "Broken", "data": "zz"},
    ]
    imported = homebridge(type="tv", data={"on": POWER.hex(), "inputs": inputs})
    assert commands_of(imported) == {
        "on": [POWER],
        "inputs HDMI 1": [HDMI],
        "inputs Tuner": [POWER],
    }
    broken = "not a code in Base64/hex/Pronto/Tuya: 'zz'"
    assert refusals(imported) == {"TV → inputs Broken": broken}


def test_switches_that_send_several_packets() -> None:
    multi = homebridge(type="switch-multi", data=[POWER.hex(), HDMI.hex()])
    assert len(to_timings(commands_of(multi)["on"][0])) >= len(to_timings(POWER) + to_timings(HDMI))
    once = commands_of(homebridge(type="switch-repeat", data=POWER.hex()))
    assert once == {"on": [POWER]}
    both = homebridge(
        type="switch-repeat",
        data={"on": POWER.hex(), "off": HDMI.hex()},
        sendCount=2,
        offSendCount="3",
    )
    assert copies(both, "on", POWER) == 2
    assert copies(both, "off", HDMI) == 3
    within = homebridge(data={"up": [{"data": POWER.hex(), "sendCount": 4, "interval": 0.3}]})
    assert copies(within, "up", POWER) == 4
    for count, reason in {
        101: "sendCount is 101, which is not within 1 to 100",
        "many": "not a number: 'many'",
    }.items():
        refused = refusals(homebridge(data=POWER.hex(), sendCount=count))
        assert refused["TV → on"].startswith(reason)


def test_homebridge_takes_packets_in_any_form() -> None:
    pronto = "0000 006D 0002 0000 0157 00AC 0015 0689"
    forms = {"hex": POWER.hex(), "base64": RC5, "pronto": pronto, "tuya": PACKED}
    imported = homebridge(data=forms)
    assert not refusals(imported)
    found = commands_of(imported)
    assert found["hex"] == found["base64"] == [POWER]
    assert len(to_timings(found["pronto"][0])) == 4
    assert meaning_of(found["tuya"][0]) == "NEC 0x04/0x08"


def test_homebridge_repeats_radio_by_the_hub() -> None:
    imported = homebridge(
        data={
            "open": [{"data": RADIO.hex(), "sendCount": 2, "interval": 0.3}],
            "often": {"data": RADIO.hex(), "sendCount": 100},
        }
    )
    found = commands_of(imported)
    assert found["open"][0][1] + 1 == 2 * (RADIO[1] + 1)
    assert found["open"][0][2:] == RADIO[2:]
    assert found["often"][0][1] == 255


TWICE = {"data": POWER.hex(), "sendCount": 2}
GAP_US = -to_timings(POWER)[-1]
"""The packet's own pause, which is longer than 0.1 s."""


@pytest.mark.parametrize(
    ("accessory", "pause_us"),
    [
        ({"data": {"on": {**TWICE, "interval": 0.2}}}, 200_000),
        ({"data": {"on": TWICE}}, GAP_US),
        ({"data": {"on": {**TWICE, "interval": "x"}}}, GAP_US),
        ({"data": {"on": {**TWICE, "interval": -1}}}, GAP_US),
        ({"type": "switch-repeat", **TWICE}, 1_000_000),
        ({"type": "switch-repeat", **TWICE, "interval": 0.4}, 400_000),
        ({"type": "switch-multi", "data": [POWER.hex()] * 2}, 1_000_000),
        ({"type": "switch-multi", "data": [POWER.hex()] * 2, "interval": 0.4}, 400_000),
        ({"type": "switch", "data": [POWER.hex()] * 2, "interval": 0.4}, 500_000),
    ],
)
def test_the_pause_between_packets(accessory: dict[str, Any], pause_us: int) -> None:
    [packet] = commands_of(homebridge(**accessory))["on"]
    spaces = [-us for us in to_timings(packet)[1::2] if us < -50_000]
    assert spaces[0] == pytest.approx(pause_us, abs=100)


@pytest.mark.parametrize("end", [{"data": HDMI.hex(), "pause": 5}, {"pause": 5}])
def test_nothing_waits_for_the_end_of_a_sequence(end: dict[str, object]) -> None:
    parts = [{"data": POWER.hex(), "pause": 0.2}, {"data": HDMI.hex()}]
    before = commands_of(homebridge(data={"on": parts}))
    parts[len(parts) - ("data" in end) :] = [end]
    assert commands_of(homebridge(data={"on": parts})) == before


@pytest.mark.parametrize(
    ("pause", "reason"),
    [
        (5, "pause is 5, which is not within 0 to 1.9"),
        ("nan", "pause is nan, which is not within 0 to 1.9"),
        ("soon", "not a number: 'soon'"),
    ],
)
def test_a_pause_that_a_packet_cannot_contain(pause: object, reason: str) -> None:
    parts = [{"data": POWER.hex()}, {"pause": pause}, {"data": HDMI.hex()}]
    assert refusals(homebridge(data={"on": parts, "off": POWER.hex()})) == {"TV → on": reason}


def copies(imported: Imported, name: str, packet: bytes) -> int:
    """Return how often a packet is in a command."""
    [sent] = commands_of(imported)[name]
    return round(len(to_timings(sent)) / len(to_timings(packet)))


@pytest.mark.parametrize("content", [{"platforms": [{"accessories": 5}]}, {"platforms": ["a"]}])
def test_a_configuration_without_accessories(content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no commands"):
        read_codes(json.dumps(content))


SENT = ",".join(str(abs(us)) for us in to_timings(POWER))


@pytest.mark.parametrize(
    ("line", "meanings"),
    [
        ('IRsend {"Protocol":"NEC","Bits":32,"Data":"0x20DF10EF"}', "NEC 0x04/0x08"),
        ('cmnd/blaster/IRSend1 {"Protocol":"NEC","Bits":32,"Data":551489775}', "NEC 0x04/0x08"),
        (f"IRsend 0,{SENT}", None),
        (f"IRsend 38,{SENT}", None),
        (f"IRsend 38000,{SENT}", None),
        (f"IRsend raw,0,9000,4500,560,560,1690,{0x20DF10EF:032b}", "NEC 0x04/0x08"),
        (f"IRsend raw,38,9000,4500,560,560,1690,{0x20DF10EF:032b}", "NEC 0x04/0x08"),
    ],
)
def test_what_tasmota_sends(line: str, meanings: str | None) -> None:
    imported = read_codes(f"# my codes\n{line}\n", device="tv")
    [(name, [packet])] = commands_of(imported).items()
    assert name == "1 sent"
    assert meaning_of(packet) == meanings if meanings else packet == POWER


SEND_NEC = '"Protocol":"NEC","Bits":32,"Data":"0x20DF10EF"'
REPEAT_OF_NEC = (8960, 2240, 560, 96320)
SEND_SONY = '"Protocol":"SONY","Bits":12,"Data":"0xA90"'
SEND_RC5 = '"Protocol":"RC5","Bits":12,"Data":"0x175"'


@pytest.mark.parametrize(
    ("line", "marks", "end"),
    [
        (f"IRsend {{{SEND_NEC}}}", 34, ()),
        (f'IRsend {{{SEND_NEC},"Repeat":2}}', 38, REPEAT_OF_NEC * 2),
        (f'IRsend {{{SEND_NEC},"repeat":"1"}}', 36, REPEAT_OF_NEC),
        (f"IRsend3 {{{SEND_NEC}}}", 38, REPEAT_OF_NEC * 2),
        (f'IRsend2 {{{SEND_NEC},"Repeat":2}}', 38, REPEAT_OF_NEC * 2),
        (f'{{"IrReceived":{{{SEND_NEC},"Repeat":1}}}}', 34, ()),
        (f"IRsend {{{SEND_SONY}}}", 39, ()),
        (f'IRsend {{{SEND_SONY},"Repeat":1}}', 39, ()),
        (f'IRsend {{{SEND_SONY},"Repeat":4}}', 65, ()),
        (f'IRsend {{{SEND_RC5},"Repeat":1}}', 20, ()),
        ("IRsend2 0,900,450,560,560,560,20000", 6, (40000, 900, 450, 560, 560, 560, 40000)),
        ("IRsend2 0,900,450,560,560,560,50000", 6, (50000, 900, 450, 560, 560, 560, 50000)),
        ("IRsend2 0,900,450,560", 4, (40000, 900, 450, 560, 40000)),
        ("IRsend1 0,9000,4500,560", 2, ()),
    ],
)
def test_how_often_tasmota_sends(line: str, marks: int, end: tuple[int, ...]) -> None:
    """As Tasmota and IRremoteESP8266 do: a repeat of NEC is a frame of its own."""
    commands = commands_of(read_codes(line, device="tv", command="on"))
    packet = commands["on"][0]
    durations = [abs(us) for us in to_timings(packet)]
    assert len(durations[::2]) == marks
    assert durations[len(durations) - len(end) :] == pytest.approx(end, rel=0.05)


def test_a_toggle_stays_during_repeats() -> None:
    line = f'IRsend {{{SEND_RC5},"Repeat":1}}'
    for packet in commands_of(read_codes(line, device="tv", command="on"))["on"]:
        timings = to_timings(packet)
        half = len(timings) // 2
        assert timings[: half - 1] == timings[half:-1]


def test_repeats_that_tasmota_does_not_have() -> None:
    text = "\n".join(
        (
            f'IRsend {{{SEND_NEC},"Repeat":100}}',
            f"IRsend101 {{{SEND_NEC}}}",
            f'IRsend {{{SEND_NEC},"Repeat":"x"}}',
        )
    )
    assert refusals(read_codes(text, device="tv")) == {
        "tv → 1 sent": "Repeat is 100, which is not within 0 to 99",
        "tv → 2 sent": "IRsend is 101, which is not within 1 to 100",
        "tv → 3 sent": "not a number: 'x'",
    }


def test_what_tasmota_cannot_send() -> None:
    text = 'IRsend {"Protocol":"NEC","Bits":"many","Data":"0x1"}\nIRsend raw,0,1\nIRsend {"a": 1}'
    assert refusals(read_codes(text, device="tv")) == {
        "tv → 1 sent": "not a number: 'many'",
        "tv → 2 sent": "not microseconds such as 9000 -4500 560: 'raw,0,1'",
        "tv → 3 sent": "neither durations nor a protocol with its numbers",
    }


@pytest.mark.parametrize(
    ("said_", "expected"),
    [
        ("LG: data=0x88C0051, nbits=28", "LG 0x88/0xc005"),
        ("LG: data=0x20DF10EF, nbits=32", "NEC 0x04/0x08"),
        ("JVC: data=0xC0E8", "JVC 0x03/0x17"),
        ("Panasonic: address=0x4004, command=0x0100BCBD", "Panasonic 0x80/0x3d"),
    ],
)
def test_what_esphome_tells_of_bits(said_: str, expected: str) -> None:
    imported = read_codes(f"[I][remote.x:042]: Received {said_}", device="tv", command="power")
    [packet] = commands_of(imported)["power"]
    assert meaning_of(packet) == expected
    what, _, settings = said_.partition(": ")
    values = dict(part.split("=") for part in settings.split(", "))
    button = {"name": "power", "on_press": {f"remote_transmitter.transmit_{what.lower()}": values}}
    configured = read_codes({"button": [button]}, device="tv")
    assert commands_of(configured) == {"power": [packet]}
