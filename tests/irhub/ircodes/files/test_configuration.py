"""YAML in which something sends codes: ESPHome's, and Home Assistant's actions and switches."""

import json
from textwrap import dedent, indent

import pytest

from custom_components.irhub.ircodes import read_codes
from custom_components.irhub.ircodes.files import Imported
from custom_components.irhub.ircodes.packet.packet import from_timings, to_timings

from ..captured import HDMI, NEC, POWER, RC5
from .imported import commands_of, meanings_of

PACKED = "BTYjmxFDAsABAakG4AEL4AMBQBfAG8AL4AMD4Acr4A8/4A9DAT6b"


def test_outputs_of_esphome() -> None:
    text = """
esphome:
  name: bedroom
output:
  - platform: template
    id: tv_power
    type: binary
    write_action:
      - remote_transmitter.transmit_nec: {address: 0xFB04, command: 0xF708}
  - platform: template
    id: raw
    type: float
    write_action:
      then:
        - remote_transmitter.transmit_raw:
            code: [9000, -4500, 560, -560, 560, -40000]
        - delay: 1s
switch:
  - platform: output
    output: tv_power
"""
    imported = read_codes(text)
    assert [*imported.commands] == ["bedroom"]
    assert meanings_of(imported) == {"tv_power": "NEC 0x04/0x08", "raw": ""}
    assert commands_of(imported)["raw"] == [from_timings([9000, -4500, 560, -560, 560, -40000])]


def repeated(action: str, settings: object) -> Imported:
    """Return what a button of ESPHome sends."""
    button = {"name": "B", "on_press": [{f"remote_transmitter.transmit_{action}": settings}]}
    return read_codes({"button": [button]}, device="tv")


@pytest.mark.parametrize(
    ("repeat", "copies", "gap_us"),
    [
        (1, 1, 0),
        (3, 3, 25_000),
        ({"times": 2}, 2, 25_000),
        ({"times": 2, "wait_time": "50ms"}, 2, 50_000),
        ({"times": 4, "wait_time": "0.1 s"}, 4, 100_000),
        ({"times": 100, "wait_time": "900us"}, 100, 900),
        ({"times": 2, "wait_time": "0us"}, 2, 1),
    ],
)
def test_repeats_of_esphome(repeat: object, copies: int, gap_us: int) -> None:
    once = [9000, -4500, 560]
    imported = repeated("raw", {"code": once, "repeat": repeat})
    expected = [*[*once, -gap_us] * (copies - 1), *once]
    [packet] = commands_of(imported)["B"]
    assert packet == from_timings([*expected, -gap_us] if copies > 1 else once)


def test_repeats_of_a_protocol_of_esphome() -> None:
    """A toggle stays for all copies; a press of Sony's has three frames by itself."""
    rc5 = {"address": 0, "command": 12}
    once = commands_of(repeated("rc5", rc5))["B"]
    both = commands_of(repeated("rc5", rc5 | {"repeat": 2}))["B"]
    assert [to_timings(packet) for packet in both] == [to_timings(packet) * 2 for packet in once]
    sony = {"data": 0xA90, "nbits": 12}
    assert commands_of(repeated("sony", sony | {"repeat": 3})) == commands_of(
        repeated("sony", sony)
    )
    longer = commands_of(repeated("sony", sony | {"repeat": 4}))["B"]
    assert len(to_timings(longer[0])) == 2 * 78


@pytest.mark.parametrize(
    ("repeat", "reason"),
    [
        ("x;", "not a number: 'x;'"),
        (0, "repeat is 0, which is not within 1 to 100"),
        ({"times": 101}, "repeat is 101, which is not within 1 to 100"),
        ({"times": 2, "wait_time": "soon"}, "not a number: 'soon'"),
        ({"times": 2, "wait_time": "99s"}, "is 99000000 µs, which is not within"),
    ],
)
def test_repeats_that_are_none(repeat: object, reason: str) -> None:
    imported = repeated("raw", {"code": [9000, -4500, 560], "repeat": repeat})
    [refused] = imported.refused.values()
    assert reason in str(refused)
    assert (imported.account.codes, imported.account.used) == (1, 0)


def test_a_frame_of_nec_with_several_commands_is_refused() -> None:
    nec = {"address": 0xFB04, "command": 0xF708}
    assert meanings_of(repeated("nec", nec | {"command_repeats": 1})) == {"B": "NEC 0x04/0x08"}
    [refused] = repeated("nec", nec | {"command_repeats": 3}).refused.values()
    assert str(refused) == "command_repeats is 3, which is not within 1 to 1"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"num_repeats": 0}, "num_repeats is 0, which is not within 1 to 100"),
        ({"num_repeats": "{{ n }}"}, "not a number: '{{ n }}'"),
        ({"num_repeats": 2, "delay_secs": "soon"}, "not a number: 'soon'"),
        ({"num_repeats": 2, "delay_secs": 9}, "is 9000000 µs, which is not within"),
    ],
)
def test_repeats_of_an_action_that_are_none(settings: dict[str, object], reason: str) -> None:
    action = {"action": "remote.send_command", "data": {"command": f"b64:{RC5}", **settings}}
    imported = read_codes(action, device="tv", command="power")
    [refused] = imported.refused.values()
    assert reason in str(refused)


def test_radio_is_repeated_by_the_hub() -> None:
    radio = "hex:b2030800 10 20 10 20 10 20 10 20"
    switches = {"door": {"command_on": radio, "repeats": 2}}
    [packet] = commands_of(read_codes({"switch": [{"switches": switches}]}, device="x"))["door on"]
    assert packet[:2] == bytes([0xB2, 2 * (3 + 1) - 1])
    # The second byte of a capture with a carrier is no count.
    switches["door"]["command_on"] = "hex:b1c00a00 a8 9d 06 00 10 20 10 20 10 20"
    [refused] = read_codes({"switch": [{"switches": switches}]}, device="x").refused.values()
    assert str(refused) == "a sequence with radio packets cannot be one command"


def test_switches_of_core_in_classic_yaml() -> None:
    text = f"""
switch:
  - platform: broadlink
    mac: 34:EA:34:00:00:01
    switches:
      - name: TV
        command_on: {RC5}
        command_off: '{NEC}'
      - name: Fan
        command_on: nonsense!
"""
    imported = read_codes(text, device="lounge")
    assert commands_of(imported) == {"TV on": [POWER], "TV off": [HDMI]}
    assert [*imported.refused] == ["lounge → Fan on"]
    older = {"switch": [{"platform": "broadlink", "switches": {"tv": {"command_on": RC5}}}]}
    assert commands_of(read_codes(older, device="lounge")) == {"tv on": [POWER]}


@pytest.mark.parametrize(
    "action",
    [
        {"action": "remote.send_command", "data": {"command": f"b64:{RC5}"}},
        {"service": "remote.send_command", "data": {"command": [f"b64:{RC5}"]}},
        {"service": "broadlink.send", "data": {"host": "192.0.2.1", "packet": [RC5]}},
    ],
)
def test_packets_in_actions(action: dict[str, object]) -> None:
    script = {"script": {"tv_power": {"alias": "TV power", "sequence": [action]}}}
    assert commands_of(read_codes(script, device="tv")) == {"TV power": [POWER]}
    automation = [{"alias": "Evening", "actions": [action]}]
    assert commands_of(read_codes(json.dumps(automation), device="tv")) == {"Evening": [POWER]}
    assert commands_of(read_codes(action, device="tv", command="power")) == {"power": [POWER]}


def test_a_sequence_of_packets_is_one_command() -> None:
    action = {"action": "remote.send_command", "data": {"command": [f"b64:{RC5}", f"b64:{NEC}"]}}
    [packet] = commands_of(read_codes({"sequence": [action]}, device="tv", command="both"))["both"]
    assert len(packet) > len(POWER) + len(HDMI) - 20


@pytest.mark.parametrize(
    "action",
    [
        f"""
        action: mqtt.publish
        data:
          topic: zigbee2mqtt/ir/set
          payload: '{{"ir_code_to_send": "{PACKED}"}}'
        """,
        f"""
        action: mqtt.publish
        data:
          topic: zigbee2mqtt/ir/set/ir_code_to_send
          payload: {{ir_code_to_send: {PACKED}}}
        """,
        """
        action: mqtt.publish
        data:
          topic: cmnd/ir/IRsend
          payload: '{"Protocol": "NEC", "Bits": 32, "Data": "0x20DF10EF"}'
        """,
        f"""
        action: zha.issue_zigbee_cluster_command
        data:
          cluster_id: 57348
          command: 2
          params: {{code: {PACKED}}}
        """,
    ],
    ids=["text", "mapping", "Tasmota", "ZHA"],
)
def test_what_other_programs_are_sent(action: str) -> None:
    step = indent(dedent(action), "    ").strip()
    imported = read_codes(f"tv_power:\n  sequence:\n  - {step}\n", device="tv")
    assert meanings_of(imported) == {"tv_power": "NEC 0x04/0x08"}


@pytest.mark.parametrize(
    "content",
    [
        {"tv": {"power": {"ir_code_to_send": PACKED}}},
        {"tv": {"power": json.dumps({"ir_code_to_send": PACKED})}},
        json.dumps({"tv": {"power": {"ir_code_to_send": PACKED}}}),
        "tv:\n  power: '" + json.dumps({"ir_code_to_send": PACKED}) + "'\n",
        f"tv:\n  power:\n    ir_code_to_send: {PACKED}\n",
        f"tv:\n  power: tuya:{PACKED}\n",
    ],
)
def test_codes_of_zigbee2mqtt_in_texts_and_yaml(content: object) -> None:
    imported = read_codes(content)
    assert [*imported.commands] == ["tv"]
    assert meanings_of(imported) == {"power": "NEC 0x04/0x08"}


def test_a_packed_code_that_is_none() -> None:
    imported = read_codes({"tv": {"power": {"ir_code_to_send": "?!"}}})
    assert {name: str(reason) for name, reason in imported.refused.items()} == {
        "tv → power": "character '?' in '?!'"
    }


def test_names_of_commands_are_no_codes() -> None:
    """What sends a command by its name has no code in it, and says so."""
    action = {"action": "remote.send_command", "data": {"device": "tv", "command": "power"}}
    with pytest.raises(ValueError, match="there are no commands"):
        read_codes({"script": [{"id": "a", "sequence": [action]}]}, device="tv")
