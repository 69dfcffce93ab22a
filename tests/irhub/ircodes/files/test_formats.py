"""Codes of other programs: what is read of each format, what is not, and back."""

from collections.abc import Callable
from itertools import batched
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest
import yaml

from custom_components.irhub.ircodes.files.reading import read_codes
from custom_components.irhub.ircodes.files.smartir import Maker
from custom_components.irhub.ircodes.files.writing import FORMATS, write_codes
from custom_components.irhub.ircodes.packet.packet import (
    TICK_US,
    from_bytes,
    from_timings,
    to_timings,
)
from custom_components.irhub.ircodes.packet.text_forms import to_base64
from custom_components.irhub.ircodes.packet.tuya import LONGEST_US
from custom_components.irhub.ircodes.protocols.protocols import encode
from custom_components.irhub.ircodes.states.state import State

from ..captured import FAN, HDMI, NEC, POWER, RC5
from .imported import commands_of, meaning_of, refusals

PRONTO = "0000 006D 0002 0000 0157 00AC 0015 0689"
RAW = [9000, -4500, 560, -560, 560, -40000]
PACKET = from_timings(RAW)


def close(packet: bytes, other: bytes, longest: int | None = None) -> bool:
    """Say if two packets transmit the same durations within a tick; the second may end later."""
    first, second = to_timings(packet) * (1 + packet[1]), to_timings(other) * (1 + other[1])
    if longest is not None:  # what a format cuts longer durations to
        first = [max(-longest, min(us, longest)) for us in first]
    return 0 <= len(second) - len(first) <= 1 and all(
        abs(a - b) <= TICK_US + 1 for a, b in zip(first, second, strict=False)
    )


FLIPPER = """Filetype: IR signals file
Version: 1
#
name: Power
type: parsed
protocol: NEC
address: 04 00 00 00
command: 08 00 00 00
#
name: Input
type: parsed
protocol: NECext
address: 86 6D 00 00
command: 12 34 00 00
#
name: Mute
type: raw
frequency: 38000
duty_cycle: 0.330000
data: 9000 4500 560 560 560 40000
#
name: Menu
type: parsed
protocol: Nobody's
address: 01 00 00 00
command: 02 00 00 00
#
name: Broken
type: raw
data: 9000 x
#
name: Neither
"""


def test_flipper() -> None:
    imported = read_codes(FLIPPER, device="tv")
    found = commands_of(imported)
    assert [*found] == ["Power", "Input", "Mute"]
    assert found["Mute"] == [PACKET]
    assert meaning_of(found["Power"][0]) == "NEC 0x04/0x08"
    # the fourth byte is the file's, and not the complement of the third
    assert len(to_timings(found["Input"][0])) == 68
    assert [*refusals(imported)] == ["tv → Menu", "tv → Broken", "tv → Neither"]
    assert "cannot be written: it is not in the table" in refusals(imported)["tv → Menu"]
    assert imported.format == "Flipper"
    with pytest.raises(ValueError, match="give the name of the device"):
        read_codes(FLIPPER)


LIRC = """
# a comment
begin remote
  name  amp
  bits           16
  flags SPACE_ENC|CONST_LENGTH
  eps 30
  aeps 100
  header       9000  4500
  one           562  1687
  zero          562   562
  ptrail        562
  pre_data_bits  16
  pre_data     0x20DF
  gap          108000
      begin codes
          KEY_POWER                0x10EF   # on and off
          KEY_UP                   0x40BF 0x40BF
          KEY_BAD                  nonsense
      end codes
end remote
begin remote
  name  lamp
  flags RAW_CODES
  gap 50000
      begin raw_codes
          name on
              9000 4500 560
              560 560
          name off
              9000
              4500 560 560 1120 30000
      end raw_codes
end remote
begin remote
  name  tuner
  bits 13
  flags RC5|CONST_LENGTH
  one 889 889
  zero 889 889
  plead 889
  gap 113792
  toggle_bit 2
      begin codes
          Standby 0x114C
      end codes
end remote
begin remote
  name  box
  bits 16
  flags RC6
  header 2667 889
  one 444 444
  zero 444 444
  pre_data_bits 5
  pre_data 0x0F
  rc6_mask 0x10000
  toggle_bit_mask 0x10000
  gap 100000
      begin codes
          Red 0xFB92
      end codes
end remote
begin remote
  NAME receiver
  BITS 15
  FLAGS SPACE_ENC
  ONE 264 1848
  ZERO 264 792
  PTRAIL 264
  GAP 43560
  toggle_mask 0x3FF
      begin codes
          Power 0x41A0
      end codes
end remote
begin remote
  name odd
  bits 8
  flags GRUNDIG
      begin codes
          a 0x01
      end codes
end remote
"""


def test_lirc() -> None:
    imported = read_codes(LIRC)
    of = imported.commands
    assert meaning_of(of["amp"]["KEY_POWER"][0]) == "NEC 0x04/0x08"
    power = to_timings(of["amp"]["KEY_POWER"][0])
    assert abs(sum(map(abs, power)) - 108_000) < len(power) * TICK_US / 2
    assert len(to_timings(of["amp"]["KEY_UP"][0])) == 2 * len(power)
    assert of["lamp"] == {
        "on": [from_timings([9000, -4500, 560, -560, 560, -50000])],
        "off": [from_timings([9000, -4500, 560, -560, 1120, -30000])],
    }
    [standby, again] = of["tuner"]["Standby"]
    assert meaning_of(standby) == meaning_of(again) == "RC-5 0x05/0x0c"
    assert standby != again
    [red, once_more] = of["box"]["Red"]
    assert meaning_of(red) == meaning_of(once_more) == "RC-6 0x04/0x6d"
    assert red != once_more
    # every second frame is the inverse
    assert meaning_of(of["receiver"]["Power"][0]) == "Denon 0x01/0x16"
    assert [*refusals(imported)] == ["amp → KEY_BAD", "odd → a"]
    assert refusals(imported)["odd → a"] == "the encoding GRUNDIG is not read"


def test_lirc_names_with_a_number_sign() -> None:
    text = LIRC.replace("KEY_UP ", "CD#1 ").replace("name on", "name A#")
    of = read_codes(text).commands
    assert [*of["amp"]] == ["KEY_POWER", "CD#1"]
    assert [*of["lamp"]] == ["A#", "off"]


def test_lirc_durations_without_a_name_and_other_files_are_named() -> None:
    nameless = "      begin raw_codes\n              9000 4500\n"
    text = f'include "tv.conf"\n{LIRC}'.replace("      begin raw_codes\n", nameless)
    again = "  begin raw_codes\n   9000 4500\n   name on\n   9000 4500 560\n  end raw_codes\n"
    text += f"begin remote\n include <fan.conf>\n name two\n{nameless}   name up\n   9000 4500\n"
    text += f"  end raw_codes\n{again}end remote\n"
    before, after = read_codes(LIRC), read_codes(text)
    assert after.commands == {
        **before.commands,
        "two": {
            "up": [from_timings([9000, -4500])],
            "on": [from_timings([9000, -4500, 560, -40000])],
        },
    }
    other_file = "the codes of another file, which is not read from here; import that one, too"
    nobody = "a name is empty"
    named = {
        place: reason for place, reason in refusals(after).items() if place not in refusals(before)
    }
    assert named == {
        "tv.conf": other_file,
        "fan.conf": other_file,
        "lamp → ''": nobody,
        "two → ''": nobody,
        "two → '' (2)": nobody,
    }
    assert after.account.codes == before.account.codes + 7


def test_a_file_of_lirc_that_only_includes_others() -> None:
    text = '# All remotes\n\ninclude "tv.conf"\n\n  include <fan.conf>\n'
    imported = read_codes(text, device="x")
    assert imported.format == "LIRC"
    other_file = "the codes of another file, which is not read from here; import that one, too"
    assert refusals(imported) == {"tv.conf": other_file, "fan.conf": other_file}
    with pytest.raises(ValueError, match="no devices"):
        read_codes(f"{text}listen 80;", device="x")


def test_lirc_of_a_receiver_that_tells_numbers_has_no_durations() -> None:
    text = (
        "begin remote\n name x\n bits 16\n eps 30\n one 0 0\n zero 0 0\n"
        " begin codes\n  PLAY 0x1\n end codes\nend remote\n"
    )
    assert refusals(read_codes(text)) == {"x → PLAY": "zero is missing"}


IRDB = """functionname,protocol,device,subdevice,function
POWER,NEC1,4,-1,8
INPUT,NEC1,4,0,9
TV,Sony12,1,-1,21
MENU,RC5,5,-1,12
SAT,NECx2,7,7,2
ODD,NECx2,7,8,2
WHAT,Nobody's,1,-1,2
BAD,NEC1,x,-1,2
,NEC1,1,-1,2
"""


def test_irdb() -> None:
    imported = read_codes(IRDB, device="tv")
    found = commands_of(imported)
    assert [*found] == ["POWER", "INPUT", "TV", "MENU", "SAT", "ODD"]
    assert meaning_of(found["POWER"][0]) == "NEC 0x04/0x08"
    assert found["TV"] == [encode("Sony12", address=1, command=21)]
    assert found["SAT"] == [encode("Samsung32", address=7, command=2)]
    assert [meaning_of(packet) for packet in found["MENU"]] == ["RC-5 0x05/0x0c"] * 2
    assert [*refusals(imported)] == ["tv → WHAT", "tv → BAD", "tv → ''"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("NECx1,80,-1,9", (0x50, 0xAF, 0x09, 0xF6)),
        ("NECx2,80,-1,9", (0x50, 0xAF, 0x09, 0xF6)),
        ("Fujitsu,134,-1,5", (0x14, 0x63, 0x00, 0x86, 0x86, 0x05)),
        ("Fujitsu,134,0,5", (0x14, 0x63, 0x00, 0x86, 0x00, 0x05)),
    ],
)
def test_a_subdevice_that_irdb_omits(row: str, message: tuple[int, ...]) -> None:
    """DecodeIR, which made irdb, omits it if it is the complement (NEC) or the device (Fujitsu)."""
    imported = read_codes(f"{IRDB.splitlines()[0]}\na,{row}\n", device="tv")
    [packet] = imported.commands["tv"]["a"]
    spaces = [-us for us in to_timings(packet)[3::2]]
    bits = [space > 900 for space in spaces[: 8 * len(message)]]
    sent = [sum(bit << n for n, bit in enumerate(byte)) for byte in batched(bits, 8, strict=True)]
    assert tuple(sent) == message


def test_velleman_ends_with_a_mark_like_its_others() -> None:
    imported = read_codes(f"{IRDB.splitlines()[0]}\na,Velleman,0,-1,2\n", device="tv")
    for packet in imported.commands["tv"]["a"]:
        assert to_timings(packet)[::2] == pytest.approx([700] * 12, abs=TICK_US)


@pytest.mark.parametrize(
    "head",
    [
        "function,protocol,device,subdevice,function",
        "functionname\tprotocol,device,subdevice,function",
    ],
)
def test_other_heads_of_irdb(head: str) -> None:
    named = read_codes(IRDB, device="tv")
    other = read_codes(IRDB.replace(IRDB.splitlines()[0], head), device="tv")
    assert (other.format, other.commands, refusals(other)) == (
        "irdb",
        named.commands,
        refusals(named),
    )


def test_a_file_of_irdb_without_a_head() -> None:
    text = IRDB.partition("\n")[2]
    imported = read_codes(text, device="tv")
    assert (imported.format, imported.commands) == ("irdb", read_codes(IRDB, device="tv").commands)
    # The function of an action is no protocol.
    with pytest.raises(ValueError, match="no devices"):
        read_codes("function,name,call\n1,2,3", device="tv")


def flipper_signal(protocol: str, address: str, command: str) -> str:
    return (
        f"Filetype: IR signals file\nVersion: 1\n#\nname: a\ntype: parsed\n"
        f"protocol: {protocol}\naddress: {address}\ncommand: {command}\n"
    )


def irdb_code(protocol: str, device: int, subdevice: int, function: int) -> str:
    return f"{IRDB.splitlines()[0]}\na,{protocol},{device},{subdevice},{function}\n"


def bits_of(packet: bytes) -> str:
    """Return what the spaces of a packet say, up to the first pause."""
    spaces = [-us for us in to_timings(packet)[1::2]]
    pause = next(index for index, us in enumerate(spaces) if us > 5000)
    return "".join("1" if us > 1000 else "0" for us in spaces[:pause])


@pytest.mark.parametrize(
    "text",
    [
        flipper_signal("Kaseikyo", "80 02 20 00", "D0 03 00 00"),
        irdb_code("Panasonic", 128, 0, 61),
        "[x][D][remote.panasonic:072]: Received Panasonic: address=0x4004, command=0x100BCBD",
        json.dumps({"IrReceived": {"Protocol": "PANASONIC", "Bits": 48, "Data": "0x40040100BCBD"}}),
    ],
)
def test_a_television_of_panasonics(text: str) -> None:
    [[packet]] = commands_of(read_codes(text, device="tv")).values()
    frame = bits_of(packet)[1:]  # behind the leader's
    sent = bytes(int(frame[at : at + 8][::-1], 2) for at in range(0, 48, 8))
    assert sent == bytes.fromhex("02 20 80 00 3D BD")


def test_a_protocol_that_is_called_as_another_is() -> None:
    # Flipper's RC5X has a second start bit of 0, which others count as part of the command.
    [packet, _] = commands_of(
        read_codes(flipper_signal("RC5X", "05 00 00 00", "0C 00 00 00"), device="x")
    )["a"]
    assert meaning_of(packet) == "RC-5 0x05/0x4c"
    # That of irdb is a longer code with a subdevice.
    [longer, _] = commands_of(read_codes(irdb_code("RC5x", 5, 1, 12), device="x"))["a"]
    assert meaning_of(longer) == "RC-5x 0x25/0x0c"
    [why] = refusals(read_codes(irdb_code("Kaseikyo", 5, 0, 12), device="x")).values()
    assert why == "M is missing"
    # Sharp's frames end with the bits 1 and 0, Denon's with two of 0.
    bits = {
        name: bits_of(commands_of(read_codes(irdb_code(name, 1, -1, 22), device="x"))["a"][0])
        for name in ("Sharp", "Denon")
    }
    assert bits == {"Sharp": "100000110100010", "Denon": "100000110100000"}


GIRR = f"""<?xml version="1.0" encoding="UTF-8"?>
<remotes xmlns="http://www.harctoolbox.org/Girr" girrVersion="1.2">
  <remote name="Amp" manufacturer="Acme" model="A1">
    <commandSet name="all">
      <parameters protocol="nec1"><parameter name="D" value="4"/></parameters>
      <command name="power"><parameters><parameter name="F" value="0x8"/></parameters></command>
      <command name="ccf"><ccf>{PRONTO}</ccf></command>
      <command name="raw">
        <raw frequency="38400">
          <intro>+9000 -4500 +560 -560</intro><repeat>+560 -40000</repeat>
        </raw>
      </command>
      <command name="flashes">
        <raw frequency="38400">
          <intro>
            <flash>9000</flash><gap>4500</gap><flash>560</flash><gap>560</gap>
            <flash>560</flash><gap>40000</gap>
          </intro>
        </raw>
      </command>
      <command name="none"/>
      <command name="bad"><ccf>nonsense</ccf></command>
    </commandSet>
  </remote>
</remotes>
"""


def test_girr() -> None:
    imported = read_codes(GIRR)
    found = commands_of(imported)
    assert [*imported.commands] == ["Amp"]
    assert meaning_of(found["power"][0]) == "NEC 0x04/0x08"
    assert found["raw"] == found["flashes"] == [PACKET]
    assert len(to_timings(found["ccf"][0])) == 4
    assert [*refusals(imported)] == ["Amp → none", "Amp → bad"]
    assert (imported.manufacturer, imported.models) == ("Acme", ["A1"])


def test_variants_of_girr_by_toggle_are_sent_in_turn() -> None:
    forms = {
        "ccf": (PRONTO, PRONTO.replace("0157", "0158", 1)),
        "raw": ("<intro>+9000 -4500</intro>", "<intro>+9000 -5000</intro>"),
    }
    for form, (first, second) in forms.items():
        variants = "".join(
            f'<{form} toggle="{toggle}">{text}</{form}>'
            for toggle, text in enumerate((first, second, first))
        )
        text = f'<remote name="Amp"><command name="up">{variants}</command></remote>'
        [packets] = commands_of(read_codes(text)).values()
        lengths = [to_timings(packet)[:2] for packet in packets]
        assert len(lengths) == 2
        assert lengths[0] != lengths[1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]><remotes>&a;</remotes>', "a document type is not read"),
        ("<remotes>", "is not XML"),
        ("<remotes/>", "give the name of the device"),
        ("<remotes><remote name='a'/></remotes>", "there are no commands"),
        pytest.param(
            "<remote name='a'><x>" * 9999 + "</x></remote>" * 9999,
            "nested too deeply",
            id="remotes in remotes",
        ),
    ],
)
def test_xml_that_is_not_read(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_codes(text)


ESPHOME_LOG = """[12:00:01][I][remote.raw:042]: Received Raw: 9000, -4500, 560,
[12:00:01][I][remote.raw:042]:   -560, 560, -40000
\x1b[0;32m[12:00:02][I][remote.nec:070]: Received NEC: address=0xFB04, command=0xF708\x1b[0m
[12:00:03][I][remote.pronto:229]: Received Pronto: data=
[12:00:03][I][remote.pronto:231]: 0000 006D 0002 0000 0157 00AC
[12:00:03][I][remote.pronto:231]: 0015 0689
[12:00:04][I][remote.samsung:055]: Received Samsung: data=0xE0E040BF, nbits=32
[12:00:05][I][remote.jvc:048]: Received JVC: data=0xC1B8
"""


def test_esphome_log() -> None:
    imported = read_codes(ESPHOME_LOG, device="tv")
    found = commands_of(imported)
    assert [*found] == ["1 Raw", "2 NEC", "3 Pronto", "4 Samsung", "5 JVC"]
    assert found["1 Raw"] == [PACKET]
    assert meaning_of(found["2 NEC"][0]) == "NEC 0x04/0x08"
    assert len(to_timings(found["3 Pronto"][0])) == 4
    assert found["4 Samsung"] == [encode("Samsung32", address=7, command=2)]
    assert meaning_of(found["5 JVC"][0]) == "JVC 0x83/0x1d"
    imported = read_codes(ESPHOME_LOG.splitlines()[2], device="tv", command="power")
    assert [*commands_of(imported)] == ["power"]


ESPHOME = """
esphome:
  name: bedroom
switch:
  - platform: template
    name: TV
    turn_on_action:
      remote_transmitter.transmit_nec: {address: 0xFB04, command: 0xF708}
    turn_off_action:
      - remote_transmitter.transmit_raw:
          carrier_frequency: 38kHz
          code: [9000, -4500, 560, -560, 560, -40000]
button:
  - platform: template
    name: Mute
    on_press:
      - remote_transmitter.transmit_pronto: {data: "0000 006D 0002 0000 0157 00AC 0015 0689"}
  - platform: template
    name: Odd
    on_press:
      - remote_transmitter.transmit_lg: {data: 0x1, nbits: 28}
"""
ESPHOME_SCRIPT = """
script:
  - id: tv_power
    then:
      - remote_transmitter.transmit_nec: {address: 0xFB04, command: 0xF708}
"""


def test_esphome_configuration() -> None:
    imported = read_codes(ESPHOME)
    assert [*imported.commands] == ["bedroom"]
    found = commands_of(imported)
    assert [*found] == ["TV on", "TV off", "Mute"]
    assert meaning_of(found["TV on"][0]) == "NEC 0x04/0x08"
    assert found["TV off"] == [PACKET]
    assert [*refusals(imported)] == ["bedroom → Odd"]
    script = commands_of(read_codes(ESPHOME_SCRIPT, device="bedroom"))
    assert meaning_of(script["tv_power"][0]) == "NEC 0x04/0x08"


def transmitted(action: str) -> list[bytes]:
    """Return the packets of an action of ESPHome."""
    then = f"script:\n  - id: a\n    then:\n      - remote_transmitter.transmit_{action}"
    return next(iter(commands_of(read_codes(then, device="tv")).values()))


def test_esphome_numbers_are_sent_highest_bit_first() -> None:
    [samsung] = transmitted("samsung36: {address: 0x0400, command: 0x0E00FF}")
    known = tasmota(Protocol="SAMSUNG36", Bits=36, Data="0x400E00FF")
    assert [[samsung]] == [*commands_of(read_codes(known, device="tv")).values()]
    [canalsat] = transmitted("canalsat: {device: 0x25, address: 3, command: 10}")
    assert canalsat == encode("CanalSat", address=3 << 7 | 0x25, command=10)
    [canalsat] = transmitted("canalsatld: {device: 0x25, address: 3, command: 21}")
    assert canalsat == encode("CanalSatLD", address=3 << 7 | 0x25, command=10)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (
            "samsung36: {address: 0x10400, command: 1}",
            "address is 66560, which is not within 0 to 65535",
        ),
        ("samsung36: {command: 1}", "neither durations nor a protocol with its numbers"),
        ("panasonic: {command: 1}", "neither durations nor a protocol with its numbers"),
        ("canalsat: {command: 1}", "neither durations nor a protocol with its numbers"),
    ],
)
def test_an_esphome_number_that_is_too_long_or_missing(action: str, reason: str) -> None:
    then = f"script:\n  - id: a\n    then:\n      - remote_transmitter.transmit_{action}"
    imported = read_codes(then, device="tv")
    assert [*refusals(imported).values()] == [reason]


def test_an_address_that_esphome_takes_for_0() -> None:
    assert transmitted("canalsat: {device: 1, command: 2}") == transmitted(
        "canalsat: {device: 1, address: 0, command: 2}"
    )


def tasmota(**heard: object) -> str:
    return "tele/ir/RESULT = " + json.dumps({"IrReceived": heard})


@pytest.mark.parametrize(
    ("heard", "known"),
    [
        (
            {"Protocol": "NEC", "Bits": 32, "Data": "0x20DF10EF"},
            encode("NECext", address=0xFB04, command=0xF708),
        ),
        (
            {"Protocol": "SONY", "Bits": 12, "Data": "0xA90"},
            encode("SIRC", address=1, command=21),
        ),
        (
            {"Protocol": "SAMSUNG", "Bits": 32, "Data": "0xE0E040BF"},
            encode("Samsung32", address=7, command=2),
        ),
    ],
    ids=["NEC", "Sony", "Samsung"],
)
def test_tasmota_protocols(heard: dict[str, object], known: bytes) -> None:
    [[packet]] = commands_of(read_codes(tasmota(**heard), device="tv")).values()
    assert packet == known
    content = json.dumps(heard)
    assert commands_of(read_codes(content, device="tv", command="a")) == {"a": [packet]}


@pytest.mark.parametrize(
    ("protocol", "bits", "data", "known"),
    [
        ("LG", 32, "0x202010EF", encode("Samsung", address=4, command=8)),
        ("RC5", 12, "0x94C", encode("RC5", address=5, command=12)),
        ("RC5X", 13, "0x114C", encode("RC5", address=5, command=76)),
        ("RC6", 20, "0x1040C", encode("RC6", address=4, command=12)),
        ("RC6", 24, "0xC0450C", encode("RC6-6-20", address=0x504, command=12)),
        ("RC6", 28, "0xC04050C", encode("Replay", address=0x504, command=12)),
        ("RC6", 36, "0xC800F840C", encode("MCE", address=0x784, command=12)),
        ("RC6", 36, "0xD000F040C", encode("RC6-6-32", address=0xF00, command=0x40C)),
        ("BOSE", 16, "0xCD32", encode("Bose", address=0, command=76)),
        ("DENON", 15, "0xB0C", encode("Denon", address=8, command=195)),
        ("SHARP", 15, "0x41A2", encode("Sharp", address=1, command=22)),
        ("DENON", 48, "0x2A4C048320A7", encode("Denon-K", address=0x12, command=76)),
        ("NIKAI", 24, "0xD5F2A", encode("RCA", address=15, command=42)),
        ("DISH", 16, "0x2618", encode("Dish_Network", address=0x23, command=9)),
        ("MITSUBISHI2", 16, "0x28E0", encode("Proton", address=20, command=7)),
    ],
)
def test_tasmota_numbers_are_those_of_irremoteesp8266(
    protocol: str, bits: int, data: str, known: bytes
) -> None:
    """The data are what IRremoteESP8266 reads in these packets."""
    text = tasmota(Protocol=protocol, Bits=bits, Data=data)
    [packets] = commands_of(read_codes(text, device="tv")).values()
    assert known in packets


def test_a_number_of_bits_that_no_code_has() -> None:
    for protocol in ("NEC", "SONY"):
        text = tasmota(Protocol=protocol, Bits=10**10, Data="0x1")
        [why] = refusals(read_codes(text, device="tv")).values()
        assert f"{protocol} (10000000000 bits) cannot be written" in why


def test_tasmota_raw() -> None:
    for raw in ("+9000-4500+560-560C-40000", [9000, 4500, 560, 560, 560, 40000]):
        text = tasmota(Protocol="UNKNOWN", Bits=3, Data="0x1", RawData=raw)
        assert commands_of(read_codes(text, device="tv", command="a")) == {"a": [PACKET]}
    imported = read_codes(tasmota(Protocol="XYZ", Bits=3, Data="0x1"), device="tv")
    [why] = refusals(imported).values()
    assert why.startswith("XYZ (3 bits) cannot be written")


def test_homebridge() -> None:
    content = {
        "platforms": [
            {
                "platform": "BroadlinkRM",
                "hosts": [],
                "accessories": [
                    {
                        "name": "TV",
                        "type": "switch",
                        "data": {
                            "on": POWER.hex(),
                            "off": [{"data": POWER.hex(), "pause": 0.2}, {"data": HDMI.hex()}],
                            "volume": {"up": HDMI.hex(), "down": "zz"},
                        },
                    },
                    {
                        "name": "AC",
                        "type": "air-conditioner",
                        "data": {
                            "off": POWER.hex(),
                            "temperature24": {"pseudo-mode": "cool", "data": HDMI.hex()},
                            "none": "",
                        },
                    },
                ],
            }
        ]
    }
    for text in (content, json.dumps(content), json.dumps(content["platforms"][0])):
        imported = read_codes(text)
        assert imported.commands["AC"] == {"off": [POWER], "temperature24": [HDMI]}
        assert [*imported.commands["TV"]] == ["on", "off", "volume up"]
        assert refusals(imported) == {
            "TV → volume down": "not a code in Base64/hex/Pronto/Tuya: 'zz'"
        }


@pytest.mark.parametrize(
    "text",
    [
        f"[Commands]\npower = {POWER.hex()}\nmute={PRONTO}\n",
        f"power {POWER.hex()}\n".replace(" ", "\t") + f"mute {PRONTO}\n",
        f"power\n{POWER.hex()}\n\nmute\n{PRONTO}\n",
        f"power;{to_base64(POWER)}\nmute;{PRONTO}\n",
        f"power: {POWER.hex()}\nmute: {PRONTO}\n",
        f"power\t{POWER.hex()}\nmute: {PRONTO}\n",
    ],
)
def test_lists(text: str) -> None:
    found = commands_of(read_codes(text, device="tv"))
    assert [*found] == ["power", "mute"]
    assert found["power"] == [POWER]
    assert len(to_timings(found["mute"][0])) == 4


def smartir(controller: str, encoding: str, value: object) -> dict[str, Any]:
    return {
        "manufacturer": "Acme",
        "supportedModels": ["X1"],
        "supportedController": controller,
        "commandsEncoding": encoding,
        "commands": {"off": value},
    }


@pytest.mark.parametrize(
    "content",
    [
        smartir("ESPHome", "Raw", "[9000, -4500, 560, -560, 560, -40000]"),
        smartir("ESPHome", "Raw", RAW),
        smartir("ESPHome", "Raw", [9000, 4500, 560, 560, 560, 40000]),
        smartir("LOOKin", "Raw", "9000 -4500 560 -560 560 -40000"),
        smartir("MQTT", "Raw", "0,+9000-4500+560-560C-40000"),
        smartir("MQTT", "Raw", json.dumps({"RawData": "+9000-4500+560-560C-40000"})),
    ],
)
def test_smartir_for_other_controllers(content: object) -> None:
    assert commands_of(read_codes(content)) == {"off": [PACKET]}


@pytest.mark.parametrize(
    ("controller", "value"),
    [
        ("Xiaomi", "Z6VHABcCAAA2AQAAeQ=="),
        ("ZHA", "B+cj5xFoAuURAQ=="),
        ("MQTT", json.dumps({"ir_code_to_send": "B+cj5xFoAuURAQ=="})),
        ("MQTT", "{nonsense"),
    ],
)
def test_smartir_that_holds_no_durations(controller: str, value: str) -> None:
    imported = read_codes(smartir(controller, "Raw", value))
    assert not imported.commands
    assert [*imported.refused] == ["Acme X1 → off"]


NAMES = st.text(
    st.characters(categories=["Lu", "Ll", "Nd"], include_characters="+-. "), min_size=1, max_size=20
).map(lambda name: "a" + " ".join(name.split()))
DURATIONS = st.lists(st.integers(100, 900_000), min_size=3, max_size=60)


def packet_of(durations: list[int], repeats: int) -> bytes:
    durations = durations[: len(durations) // 2 * 2]  # ends with a pause, as what was heard does
    timings = [value * (-1 if index % 2 else 1) for index, value in enumerate(durations)]
    return from_timings(timings, repeats=repeats)


PACKETS = st.builds(packet_of, DURATIONS, st.integers(0, 3))


@pytest.mark.parametrize("name", FORMATS)
@given(codes=st.dictionaries(NAMES, PACKETS, min_size=1, max_size=4))
def test_what_is_exported_comes_back(name: str, codes: dict[str, bytes]) -> None:
    exported = write_codes(name, "Acme X1", {key: [packet] for key, packet in codes.items()})
    assert not exported.refused
    back = commands_of(read_codes(exported.text, device="Acme X1"))
    assert [*back] == [*codes]
    longest = LONGEST_US if name == "tuya" else None
    assert all(close(packet, back[key][0], longest) for key, packet in codes.items())


@given(codes=st.dictionaries(NAMES, PACKETS, min_size=1, max_size=4))
def test_what_others_write_of_it_comes_back(codes: dict[str, bytes]) -> None:
    def raw(packet: bytes) -> list[int]:
        return to_timings(packet) * (1 + packet[1])

    lirc = "".join(
        f"name {name.replace(' ', '_')}\n{' '.join(str(abs(us)) for us in raw(packet))}\n"
        for name, packet in codes.items()
    )
    girr = "".join(
        f'<command name="{name}"><raw><intro>{" ".join(f"{us:+}" for us in raw(packet))}'
        "</intro></raw></command>"
        for name, packet in codes.items()
    )
    accessory = {"name": "x", "data": {key: packet.hex() for key, packet in codes.items()}}
    written: dict[str, tuple[str, Callable[[str], str]]] = {
        "lirc": (
            f"begin remote\nname x\nbegin raw_codes\n{lirc}end raw_codes\nend remote",
            lambda name: name.replace(" ", "_"),
        ),
        "girr": (f'<remote name="x">{girr}</remote>', str),
        "homebridge": (json.dumps({"accessories": [accessory]}), str),
    }
    for text, renamed in written.values():
        back = commands_of(read_codes(text))
        for name, packet in codes.items():
            assert close(packet, back[renamed(name)][0])


@given(st.integers(0, 255), st.integers(0, 255))
def test_a_number_comes_back(address: int, command: int) -> None:
    reverse = [int(f"{value:08b}"[::-1], 2) for value in (address, command)]
    data = int.from_bytes(bytes([reverse[0], reverse[0] ^ 255, reverse[1], reverse[1] ^ 255]))
    numbers = f"address: {address:02X} 00 00 00\ncommand: {command:02X} 00 00 00"
    flipper = f"{FLIPPER.partition('#')[0]}name: a\ntype: parsed\nprotocol: NEC\n{numbers}"
    texts = (
        f"functionname,protocol,device,subdevice,function\na,NEC1,{address},-1,{command}",
        flipper,
        tasmota(Protocol="NEC", Bits=32, Data=f"0x{data:08X}"),
    )
    read = [[*commands_of(read_codes(text, device="x")).values()] for text in texts]
    assert read == [[[encode("NEC", address=address, command=command)]]] * 3


def test_states_of_an_air_conditioner_are_nested() -> None:
    names = {"off": [POWER], "cool low 24": [HDMI], "cool low 25": [POWER]}
    names |= {"heat high 20.5": [HDMI]}
    states = {
        "cool low 24": State(mode="cool", fan="low", temperature=24),
        "cool low 25": State(mode="cool", fan="low", temperature=25),
        "heat high 20.5": State(mode="heat", fan="high", temperature=20.5),
    }
    content = json.loads(write_codes("smartir", "Acme X1", names, states=states).text)
    assert content["commands"]["cool"]["low"] == {"24": to_base64(HDMI), "25": to_base64(POWER)}
    assert (content["minTemperature"], content["maxTemperature"]) == (20.5, 25)
    assert content["operationModes"] == ["cool", "heat"]
    assert content["fanModes"] == ["low", "high"]
    assert (content["manufacturer"], content["supportedModels"]) == ("", ["Acme X1"])


def test_a_maker_is_written_as_far_as_it_is_known() -> None:
    """The first word of what its owner calls a device is no maker."""
    maker = Maker(name="Acme", models=["X1", "X2"])
    text = write_codes("smartir", "Taught one", {"on": [POWER]}, maker=maker).text
    assert json.loads(text)["manufacturer"] == "Acme"
    assert json.loads(text)["supportedModels"] == ["X1", "X2"]
    nobodys = write_codes("smartir", "Taught one", {"on": [POWER]}).text
    assert "Taught" not in json.loads(nobodys)["manufacturer"]
    assert [*read_codes(nobodys).commands] == ["Taught one"]


def test_names_alone_are_not_nested() -> None:
    """What a command is for is known, or it is not: its name does not say it again."""
    names = {"cool 24": [POWER], "cool": [HDMI], "cool 24 low": [POWER], "sources a": [HDMI]}
    text = write_codes("smartir", "x", names).text
    assert commands_of(read_codes(text)) == names


def test_a_name_that_is_a_mode_too() -> None:
    names = {"cool 24": [POWER], "cool": [HDMI]}
    states = {"cool 24": State(mode="cool", temperature=24)}
    text = write_codes("smartir", "x", names, states=states).text
    assert commands_of(read_codes(text)) == names


def test_packets_that_alternate_get_names_of_their_own() -> None:
    text = write_codes("flipper", "tv", {"a": [POWER, HDMI], "a 2": [HDMI]}).text
    assert [*commands_of(read_codes(text, device="tv"))] == ["a", "a 2'", "a 2"]


def test_what_a_format_cannot_hold_is_told() -> None:
    long = from_timings([9000, -1_900_000])
    for name in ("flipper", "pronto", "esphome"):
        exported = write_codes(name, "tv", {"fan": [FAN], "power": [POWER]})
        assert [*exported.refused] == ["fan"]
        assert [*commands_of(read_codes(exported.text, device="tv"))] == ["power"]
    assert [*write_codes("pronto", "tv", {"a": [long]}).refused] == ["a"]
    assert not write_codes("smartir", "tv", {"fan": [FAN]}).refused


@given(st.text(max_size=300))
def test_any_text_behind_a_beginning_is_codes_or_a_sentence(text: str) -> None:
    for beginning in (FLIPPER[:60], LIRC[:300], IRDB[:60], GIRR[:200], ESPHOME_LOG[:60], "a="):
        try:
            imported = read_codes(beginning + text, device="x")
        except ValueError:
            continue
        for packets in imported.commands.get("x", {}).values():
            assert [from_bytes(packet) for packet in packets] == [*packets]


def test_yaml_of_another_program_is_not_taken_for_a_code() -> None:
    with pytest.raises(ValueError, match=r"there are no commands|no devices"):
        read_codes(yaml.safe_dump({"button": [{"platform": "x"}]}), device="x")
    assert read_codes(f"a: {RC5}\nb: {NEC}", device="x").format == "irhub"


@pytest.mark.parametrize(
    ("signal", "problem"),
    [
        (f"type: raw\ndata: 9000 {'9' * 400} 560", "not a number: "),
        (f"type: raw\ndata: 9000 0x{'f' * 400} 560", "not a number: "),
        ("type: raw\ndata: 9000 18446744073709551615 560", "duration 2 is 1000000000000 µs"),
        (f"type: parsed\nprotocol: NEC\naddress: {'FF ' * 400}\ncommand: 08", "not a number: "),
        (f"type: parsed\nprotocol: NEC\naddress: 04\ncommand: {'FF ' * 400}", "not a number: "),
    ],
    ids=["decimal", "hex", "64 bits", "address", "command"],
)
def test_a_number_of_hundreds_of_digits_hurts_only_its_command(signal: str, problem: str) -> None:
    good = "name: b\ntype: raw\ndata: 9000 4500 560"
    text = f"Filetype: IR signals file\nVersion: 1\n#\nname: a\n{signal}\n#\n{good}\n"
    imported = read_codes(text, device="tv")
    assert [*commands_of(imported)] == ["b"]
    [reason] = map(str, imported.refused.values())
    assert reason.startswith(problem)
    assert len(reason) < 100


def test_a_duration_of_hundreds_of_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="duration 2 is 1000000000000 µs"):
        from_timings([9000, -(10**400), 560])
