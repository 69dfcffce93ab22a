"""What receivers print: lines of one instant are one press, and a list has names."""

from pathlib import Path

import pytest

from custom_components.irhub.ircodes import read_codes
from custom_components.irhub.ircodes.packet.packet import from_timings

from .imported import meanings_of

PUBLIC = Path(__file__).parents[5] / "shared" / "data" / "public"
NEC = '{"Protocol":"NEC","Bits":32,"Data":"0x20DF10EF"}'
MUTE = '{"Protocol":"NEC","Bits":32,"Data":"0x20DF906F"}'


def test_one_press_that_four_decoders_read_is_one_command() -> None:
    imported = read_codes((PUBLIC / "esphome_one_press.log").read_text(), device="tv")
    assert meanings_of(imported) == {"1 NEC": "NEC 0x04/0x10"}
    assert imported.descriptions == {
        "tv → 1 NEC": "Pioneer rc_code_X=0x2010; LG data=0x20DF08F7, nbits=32; JVC data=0x20DF"
    }
    assert (imported.account.codes, imported.account.commands) == (1, 1)


def test_what_was_measured_is_the_code() -> None:
    log = """
[08:15:01.118][I][remote.nec:097]: Received NEC: address=0xFB04, command=0xEF10 command_repeats=1
[08:15:01.119][I][remote.raw:041]: Received Raw: 9000, -4500, 560,
[08:15:01.119][I][remote.raw:041]:   -560, 560, -40000
[08:15:01.120][I][remote.pronto:229]: Received Pronto: data=
[08:15:01.120][I][remote.pronto:231]: 0000 006D 0002 0000 0157 00AC 0015 0689
[08:15:03.400][I][remote.nec:097]: Received NEC: address=0xFB04, command=0xF708 command_repeats=1
"""
    imported = read_codes(log, device="tv")
    [of_device] = imported.commands.values()
    assert [*of_device] == ["1 NEC", "2 NEC"]
    assert of_device["1 NEC"] == [from_timings([9000, -4500, 560, -560, 560, -40000])]
    description = imported.descriptions["tv → 1 NEC"]
    assert description.startswith("Pronto; NEC address=0xFB04, command=0xEF10")


def test_a_press_whose_best_line_cannot_be_written_takes_the_next() -> None:
    log = """
[08:15:01.118][I][remote.nec:097]: Received NEC: address=0xFB04, command=0xF708
[08:15:01.119][I][remote.raw:041]: Received Raw: nonsense
"""
    assert meanings_of(read_codes(log, device="tv")) == {"1 NEC": "NEC 0x04/0x08"}


@pytest.mark.parametrize(
    ("times", "presses"),
    [
        (("08:15:01.118", "08:15:01.121"), 1),
        (("08:15:01.999", "08:15:02.001"), 1),
        (("23:59:59.990", "00:00:00.010"), 1),
        (("08:15:01", "08:15:01"), 1),
        (("2026-11-26 08:15:01,118", "2026-11-26 08:15:01,119"), 1),
        # A held button repeats after a tenth of a second.
        (("08:15:01.118", "08:15:01.226"), 2),
        (("08:15:01", "08:15:02"), 2),
        # Who has cut the times off has cut off what belongs together.
        (("", ""), 2),
    ],
)
def test_which_lines_are_one_press(times: tuple[str, str], presses: int) -> None:
    first, second = (f"[{time}][I][remote.x:1]:" if time else "" for time in times)
    log = (
        f"{first} Received NEC: address=0xFB04, command=0xF708\n"
        f"{second} Received LG: data=0x20DF10EF, nbits=32\n"
    )
    imported = read_codes(log, device="tv")
    assert imported.account.codes == presses


def test_two_presses_within_a_second_stay_two() -> None:
    line = "[08:15:01][I][remote.nec:1]: Received NEC: address=0xFB04, command=0x{:02X}{:02X}\n"
    log = line.format(0xF7, 0x08) + line.format(0xEF, 0x10)
    assert read_codes(log, device="tv").account.codes == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # names behind, before, above
        (f"IRsend {NEC}  Power\nIRsend {MUTE} // Mute", {"Power": "08", "Mute": "09"}),
        (f"{NEC} Power\n{MUTE}\tMute\n", {"Power": "08", "Mute": "09"}),
        (f"Power: IRsend {NEC}\nMute - {MUTE}\n", {"Power": "08", "Mute": "09"}),
        (f"Power\nIRsend {NEC}\n\nMute:\nIRSend1 {MUTE}\n", {"Power": "08", "Mute": "09"}),
        # rules
        (
            f"ON Power1#State=1 DO IRsend {NEC} ENDON ON Power1#State=0 DO IRsend {MUTE} ENDON",
            {"Power1#State=1": "08", "Power1#State=0": "09"},
        ),
        (
            f"Rule1 ON Button1#State=10 DO Backlog IRsend {NEC}; Delay 5; IRsend {MUTE} ENDON",
            {"Button1#State=10": "08", "Button1#State=10 2": "09"},
        ),
        # consoles
        (f"cmnd/ir/IRsend {NEC}\ncmnd/ir/IRsend {MUTE}", {"1 sent": "08", "2 sent": "09"}),
        (
            f'10:11:12.123 MQT: tele/ir/RESULT = {{"IrReceived": {NEC}}}',
            {"1 heard": "08"},
        ),
    ],
    ids=range(8),
)
def test_what_tasmota_sends_has_names(text: str, expected: dict[str, str]) -> None:
    imported = read_codes(text, device="tv")
    assert not imported.refused
    assert meanings_of(imported) == {
        name: f"NEC 0x04/0x{command}" for name, command in expected.items()
    }


def test_what_zigbee2mqtt_prints() -> None:
    packed = "BTYjmxFDAsABAakG4AEL4AMBQBfAG8AL4AMD4Acr4A8/4A9DAT6b"
    log = f"""
[2026-11-26 08:15:01] info: z2m:mqtt: MQTT publish: topic 'zigbee2mqtt/ir', payload '{{"learned_ir_code":"{packed}"}}'
"""  # noqa: E501  (as it is printed)
    imported = read_codes(log, device="tv")
    assert [*meanings_of(imported).values()] == ["NEC 0x04/0x08"]


def test_lines_that_are_wrong_hurt_only_themselves() -> None:
    text = f'IRsend {{"Protocol":"NEC"}} Odd\nIRsend {NEC} Power\nIRsend x,y Worse\n'
    imported = read_codes(text, device="tv")
    assert meanings_of(imported) == {"Power": "NEC 0x04/0x08"}
    assert [*imported.refused] == ["tv → Odd", "tv → Worse"]
    assert imported.account.codes == 3
