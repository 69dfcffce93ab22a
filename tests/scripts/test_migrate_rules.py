"""What scripts/migrate knows of old keys, actions and blocks: what it says, and what it writes."""

import json
from pathlib import Path

import pytest

from .migrating import CODE, advise, make_home, migrate


@pytest.mark.parametrize("include", ["/config/remote.yaml", "/home/pi/.homeassistant/remote.yaml"])
def test_an_absolute_include_is_read_from_the_folder(tmp_path: Path, include: str) -> None:
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": f"remote: !include {include}\n",
            "remote.yaml": "platform: broadlink\nhost: rm\nmac: aabbccddeeff\n",
        },
    )
    done = advise(home)
    assert "remote.yaml:1  remote: platform: broadlink → irhub" in done
    assert (home / "remote.yaml").read_text().startswith("platform: irhub\n")


PACKET_ACTION = "broadlink.send_packet_10_0_0_1"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"- service: {PACKET_ACTION} # loud\n  data:\n    packet: {CODE}\n",
            f"- service: irhub.send # loud\n  data:\n    host: 10.0.0.1\n    packet: {CODE}\n",
        ),
        (
            f"- {{service: '{PACKET_ACTION}', data: {{packet: {CODE}}}}}\n",
            f"- {{service: 'irhub.send', data: {{host: 10.0.0.1, packet: {CODE}}}}}\n",
        ),
        (
            "- service: broadlink.learn_command_10_0_0_1 # now\n- delay: 1\n",
            "- service: irhub.learn # now\n  data: {host: 10.0.0.1}\n- delay: 1\n",
        ),
        (
            "- action: switch.broadlink_send_packet_rm_home\n  data_template: {packet: '{{x}}'}\n",
            "- action: irhub.send\n  data_template: {host: rm.home, packet: '{{x}}'}\n",
        ),
    ],
)
def test_actions_of_one_hub_get_its_host(tmp_path: Path, before: str, after: str) -> None:
    hub = "remote:\n" + "".join(
        f"  - {{platform: irhub, name: {name}, host: {host}, mac: {mac}}}\n"
        for name, host, mac in (("a", "rm.home", "aabbccddeeff"), ("b", "10.0.0.1", "aabbccddee00"))
    )
    home = make_home(
        tmp_path,
        {"configuration.yaml": f"{hub}automation: !include actions.yaml\n", "actions.yaml": before},
    )
    done = advise(home)
    assert "1 change made, 0 remarks for you" in done
    assert (home / "actions.yaml").read_text() == after


@pytest.mark.parametrize(
    ("actions", "advice"),
    [
        # a list is no data of an action; an alias serves another action too
        (
            f"- service: {PACKET_ACTION}\n  data:\n    - packet: x\n",
            "irhub.send with host: 10.0.0.1",
        ),
        (
            f"- alias: x\n  data: &d {{packet: {CODE}}}\n- service: {PACKET_ACTION}\n  data: *d\n",
            "irhub.send with host: 10.0.0.1 (by hand: ",
        ),
        (
            "- service: broadlink.send_packet_living_room\n",
            "irhub.send with host: the address of the hub\n    change this by hand: which hub",
        ),
        (
            "- service_template: '{% if x %}broadlink.send{% endif %}'\n",
            "service_template: broadlink.send\n    write irhub.send\n",
        ),
        (
            "- controller_send_service: switch.broadlink_send_packet_10_0_0_1\n",
            "write controller_data with the entity id of the hub's remote, in SmartIR of today",
        ),
    ],
)
def test_actions_that_are_not_certain_are_left(tmp_path: Path, actions: str, advice: str) -> None:
    hub = "remote: {platform: irhub, host: 10.0.0.1, mac: aabbccddeeff}\n"
    home = make_home(tmp_path, {"configuration.yaml": f"{hub}automation:\n{actions}"})
    done = advise(home)
    assert advice in done
    assert "0 changes made, 1 remark for you" in done
    assert (home / "configuration.yaml").read_text() == f"{hub}automation:\n{actions}"


@pytest.mark.parametrize(
    ("host", "remark"),
    [
        ("10.0.0.9", "no entry names 10.0.0.9, and nothing is sent to a hub that is not set up"),
        ("!secret other", "no entry names !secret, and nothing is sent"),
        ("!secret same", None),
        ("'{{ states(\"input_text.hub\") }}'", None),
        ("10.0.0.7", None),
    ],
)
def test_an_action_for_a_hub_that_nobody_names(
    tmp_path: Path, host: str, remark: str | None
) -> None:
    actions = f"- service: broadlink.send\n  data: {{host: {host}, packet: {CODE}}}\n"
    hub = "remote: {platform: broadlink, host: 10.0.0.1, mac: aabbccddeeff}\n"
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": f"{hub}automation:\n{actions}",
            "secrets.yaml": "other: 10.0.0.8\nsame: 10.0.0.1\n",
            ".storage/core.config_entries": stored(("irhub", "10.0.0.7", "aabbccddee07")),
        },
    )
    done = advise(home)
    assert done.endswith(
        f"2 changes made, {1 if remark else 0} remark{'' if remark else 's'} for you"
    )
    assert remark is None or remark in done
    assert "10.0.0.8" not in done


def stored(*hubs: tuple[str, str, str]) -> str:
    """Return Home Assistant's store of config entries with these hubs in it."""
    entries = [{"domain": domain, "data": {"host": host, "mac": mac}} for domain, host, mac in hubs]
    return json.dumps({"data": {"entries": [{"domain": "sun", "data": {}}, *entries]}})


def test_other_texts_are_no_actions(tmp_path: Path) -> None:
    home = make_home(
        tmp_path,
        {"configuration.yaml": "automation:\n  - alias: broadlink.send is gone\nlogger:\n  x: y\n"},
    )
    assert "0 remarks for you" in advise(home)


def sensor(lines: str) -> str:
    return f"binary_sensor:\n  - platform: mqtt_binary\n    state_topic: a\n{lines}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (sensor("    sensor_class: 'motion'\n"), sensor("    device_class: 'motion'\n")),
        (
            sensor("    retain: true # no\n    qos: 1\n"),
            sensor("    # retain: true # no\n    qos: 1\n"),
        ),
        (
            sensor("    object_id: front\n"),
            sensor("    default_entity_id: binary_sensor.front\n"),
        ),
        (
            "mqtt:\n  light:\n    - object_id: 'lamp'\n      command_topic: a\n",
            "mqtt:\n  light:\n    - default_entity_id: 'light.lamp'\n      command_topic: a\n",
        ),
        (
            (
                "sensor:\n  platform: irhub\n  host: a\n  mac: aabbccddeeff\n"
                "  update_interval: 60\n  monitored_conditions: [temperature]\n"
            ),
            (
                "sensor:\n  platform: irhub\n  host: a\n  mac: aabbccddeeff\n  scan_interval: 60\n"
                "  monitored_conditions: [temperature]\n"
            ),
        ),
        (
            (
                "remote:\n  platform: irhub\n  host: rm\n  mac: AA:BB:CC:DD:EE:FF\n"
                "switch:\n  - platform: irhub\n    mac: aabbccddeeff\n"
            ),
            (
                "remote:\n  platform: irhub\n  host: rm\n  mac: AA:BB:CC:DD:EE:FF\n"
                "switch:\n  - platform: irhub\n    host: rm\n    mac: aabbccddeeff\n"
            ),
        ),
    ],
)
def test_old_keys(tmp_path: Path, before: str, after: str) -> None:
    home = make_home(tmp_path, {"configuration.yaml": before})
    done = advise(home)
    assert "1 change made, 0 remarks for you" in done
    assert (home / "configuration.yaml").read_text() == after


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        (
            sensor("    sensor_class: motion\n    device_class: door\n"),
            "    sensor_class: device_class says the same today, and is there: remove sensor_class",
        ),
        (
            sensor("    object_id: a\n    default_entity_id: binary_sensor.b\n"),
            "    object_id: default_entity_id takes its place, and is there: remove it",
        ),
        (
            "switch:\n  - platform: irhub\n    mac: aabbccddeeff\n",
            "    host: this key is required and missing: the hub's address stands in your router's",
        ),
        (
            "binary_sensor: [{platform: mqtt_binary, state_topic: a, retain: true}]\n",
            "    retain → commented out: it belongs to what publishes the messages (by hand: ",
        ),
    ],
)
def test_old_keys_that_are_not_certain_are_left(tmp_path: Path, content: str, advice: str) -> None:
    home = make_home(tmp_path, {"configuration.yaml": content})
    done = advise(home)
    assert advice in done
    assert "0 changes made, 1 remark for you" in done
    assert (home / "configuration.yaml").read_text() == content


BROKER = """\
mqtt:
  # the old box
  broker: 10.0.0.2

  password: !secret broker
  birth_message: {topic: a,
    payload: b}
  tls_version:
"""
COMMENTED_OUT = """\
# mqtt:
#   # the old box
#   broker: 10.0.0.2

#   password: !secret broker
#   birth_message: {topic: a,
#     payload: b}
#   tls_version:
"""
COMMENTED_OUT_PART = """\
mqtt:
  # the old box
  # broker: 10.0.0.2

  # password: !secret broker
  # birth_message: {topic: a,
  #   payload: b}
  # tls_version:
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("more", ["", "  sensor:\n    - state_topic: a\n"])
def test_the_broker_is_commented_out(tmp_path: Path, more: str, end: str) -> None:
    before = (BROKER + more).replace("\n", end)
    home = make_home(tmp_path, {"configuration.yaml": before, "secrets.yaml": "broker: hunter2\n"})
    done = advise(home)
    assert "configuration.yaml:1  mqtt: broker, password, birth_message, tls_version: " in done
    assert "Add integration → MQTT: Broker (broker), Password (password)\n" in done
    assert "once it is added, Configure: Birth message (birth_message)\n" in done
    assert "hunter2" not in done
    after = COMMENTED_OUT_PART + more if more else COMMENTED_OUT
    assert (home / "configuration.yaml").read_bytes().decode() == after.replace("\n", end)


@pytest.mark.parametrize(
    "content",
    [
        "mqtt: {broker: 10.0.0.2, sensor: []}\n",
        "mqtt:\n  broker: &host 10.0.0.2\nother: *host\n",
        "mqtt:\n  - broker: 10.0.0.2\n",
        "mqtt:\n  broker: |\n    10.0.0.2\nx: 1\n",
    ],
)
def test_a_broker_that_is_not_certain_is_left(tmp_path: Path, content: str) -> None:
    home = make_home(tmp_path, {"configuration.yaml": content})
    done = advise(home)
    assert "commented out (by hand: " in done
    assert (home / "configuration.yaml").read_text() == content


SMARTIR = """\
remote:
  - platform: broadlink
    name: Living room
    host: 192.168.1.20
    mac: AA:BB:CC:DD:EE:FF
climate:
  - platform: smartir
    name: Office AC
    unique_id: office_ac
    device_code: 1000
    controller_data: remote.living_room
    temperature_sensor: sensor.temperature
    power_sensor: binary_sensor.ac_power
  - platform: smartir # another maker's hub
    device_code: 1001
    controller_data: home/ir/send
media_player:
  - platform: smartir
    device_code: 1000
    controller_data:
      controller_type: Broadlink
      remote_entity: remote.living_room
      delay_secs: 0.5
"""
CODES = {
    "manufacturer": "X",
    "supportedModels": ["Y"],
    "supportedController": "Broadlink",
    "commandsEncoding": "Base64",
}


def test_smartir_changes_its_word_and_keeps_its_keys(tmp_path: Path) -> None:
    climate = {"minTemperature": 18, "maxTemperature": 19, "precision": 1}
    modes = {"operationModes": ["cool"], "fanModes": ["auto"]}
    states = {"off": CODE, "cool": {"auto": {"18": CODE, "19": CODE}}}
    player = {"off": CODE, "on": CODE, "volumeUp": CODE, "sources": {"HDMI": CODE}}
    codes = "custom_components/smartir/codes"
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": SMARTIR,
            f"{codes}/climate/1000.json": json.dumps(
                {**CODES, **climate, **modes, "commands": states}
            ),
            f"{codes}/media_player/1000.json": json.dumps({**CODES, "commands": player}),
        },
    )
    done = migrate(home, "--write", "--check").stdout
    assert "configuration.yaml:7  climate: platform: smartir → irhub\n" in done
    assert "configuration.yaml:14  climate: platform: smartir: stays with SmartIR\n" in done
    # Three that are there, and the remote of the player.
    assert "3 changes made, 1 remark for you; loaded: 4 entities, 0 failures." in done
    written = (home / "configuration.yaml").read_text()
    assert written == SMARTIR.replace("platform: broadlink", "platform: irhub").replace(
        "platform: smartir\n", "platform: irhub\n"
    )


CLASSIC_SMARTIR = """\
switch:
  - platform: broadlink
    host: 192.168.1.20
    mac: !secret rm_mac
    switches: {}
climate:
  - platform: smartir # by the address of its hub
    name: Office AC
    device_code: 1000
    controller_data: '192.168.1.20'
  - platform: smartir
    name: Bedroom AC
    device_code: 1001
    controller_data: !secret rm_host
  - platform: smartir
    name: Attic AC
    device_code: 1000
    controller_data: 192.168.1.21
  - platform: smartir
    name: Cellar AC
    device_code: 1000
    controller_data: 192.168.1.22
  - platform: smartir
    name: Garage AC
    device_code: 1000
    controller_data: 192.168.1.23
"""


def test_smartirs_entries_that_name_the_address_of_a_hub(tmp_path: Path) -> None:
    climate = {"minTemperature": 18, "maxTemperature": 18, "precision": 1}
    modes = {"operationModes": ["cool"], "fanModes": ["auto"]}
    states = {"off": CODE, "cool": {"auto": {"18": CODE}}}
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": CLASSIC_SMARTIR,
            "secrets.yaml": "rm_mac: AA:BB:CC:DD:EE:FF\nrm_host: 192.168.1.20\n",
            ".storage/core.config_entries": stored(
                ("broadlink", "192.168.1.21", "24dfa7000021"),
                # two hubs have had one address: which of them was it?
                ("broadlink", "192.168.1.23", "24dfa7000023"),
                ("irhub", "192.168.1.23", "24dfa7000024"),
            ),
            **{
                f"custom_components/smartir/codes/climate/{code}.json": json.dumps(
                    {**CODES, **climate, **modes, "commands": states}
                )
                for code in (1000, 1001)
            },
        },
    )
    done = migrate(home, "--write", "--check").stdout
    assert (
        "configuration.yaml:7  climate: platform: smartir → irhub\n"
        "    controller_data → host, mac → !secret rm_mac, which another entry has for this address"
    ) in done
    assert (
        'mac → "24:df:a7:00:00:21", which Home Assistant\'s own Broadlink integration has for this'
        " address"
    ) in done
    unknown = "its controller_data is the address of a hub whose MAC address is not known here"
    assert done.count(unknown) == 2
    assert "4 changes made, 2 remarks for you; loaded: 3 entities, 0 failures." in done
    assert "AA:BB" not in done
    written = (home / "configuration.yaml").read_text()
    before, _, after = CLASSIC_SMARTIR.partition("climate:\n")
    assert written.startswith(before.replace("platform: broadlink", "platform: irhub"))
    assert written.partition("climate:\n")[2] == (
        "  - platform: irhub # by the address of its hub\n"
        "    mac: !secret rm_mac\n"
        "    name: Office AC\n    device_code: 1000\n    host: '192.168.1.20'\n"
        "  - platform: irhub\n"
        "    mac: !secret rm_mac\n"
        "    name: Bedroom AC\n    device_code: 1001\n    host: !secret rm_host\n"
        "  - platform: irhub\n"
        '    mac: "24:df:a7:00:00:21"\n'
        "    name: Attic AC\n    device_code: 1000\n    host: 192.168.1.21\n"
        + after[after.index("  - platform: smartir\n    name: Cellar") :]
    )


def test_a_key_of_smartirs_that_two_entries_share_is_left(tmp_path: Path) -> None:
    content = (
        "remote: {platform: broadlink, host: 10.0.0.1, mac: aabbccddeeff}\n"
        "climate:\n"
        "  - &first\n    platform: smartir\n    device_code: 1\n    controller_data: 10.0.0.1\n"
        "  - <<: *first\n    platform: generic_thermostat\n"
    )
    home = make_home(tmp_path, {"configuration.yaml": content})
    done = advise(home)
    assert "controller_data → host, mac → " in done
    assert "(by hand: it could not be found for certain)" in done
    changed = content.replace("platform: broadlink", "platform: irhub")
    assert (home / "configuration.yaml").read_text() == changed


@pytest.mark.parametrize("content", ["{", "[]", '{"data": {"entries": [{"domain": "broadlink"}]}}'])
def test_a_store_that_cannot_be_read_tells_nothing(tmp_path: Path, content: str) -> None:
    files = {
        "configuration.yaml": "climate: {platform: smartir, controller_data: 10.0.0.1}\n",
        ".storage/core.config_entries": content,
    }
    assert "whose MAC address is not known here" in advise(make_home(tmp_path, files))


def test_keys_that_never_had_an_effect_are_commented_out(tmp_path: Path) -> None:
    content = """\
switch:
  - platform: broadlink
    host: 10.0.0.1
    mac: AA:BB:CC:DD:EE:FF
    name: Hub # of the switches
    switches:
      tv__on:
        name: Television
        command_on: ''
        optimistic: true
      tv_off: {command_off: '', optimistic: true}
binary_sensor:
  - platform: mqtt
    state_topic: a
    optimistic: true
  - platform: mqtt_binary
    state_topic: b
    optimistic: true
"""
    home = make_home(tmp_path, {"configuration.yaml": content})
    done = advise(home)
    for line in (
        "name → commented out: it never had an effect",
        "switches → tv__on → tv_on, as Home Assistant has it in entity ids today",
        "switches → tv_on → name → commented out: it never had an effect",
        "switches → tv_on → optimistic → commented out: it never had an effect",
        "switches → tv_off → optimistic → commented out: it never had an effect (by hand: ",
        "optimistic → commented out: it never had an effect",
        "optimistic: this key no longer exists: remove it",  # somebody wrote it for ours
    ):
        assert f"    {line}" in done
    assert (home / "configuration.yaml").read_text() == (
        content.replace("platform: broadlink", "platform: irhub")
        .replace("platform: mqtt\n", "platform: mqtt_binary\n")
        .replace("    name: Hub", "    # name: Hub")
        .replace("tv__on", "tv_on")
        .replace("        name: Tele", "        # name: Tele")
        .replace("        optimistic", "        # optimistic")
        .replace("    state_topic: a\n    optimistic", "    state_topic: a\n    # optimistic")
    )


def test_two_names_of_switches_that_would_be_one_are_left(tmp_path: Path) -> None:
    hub = "  platform: irhub\n  host: a\n  mac: aabbccddeeff\n"
    content = f"switch:\n{hub}  switches:\n    tv__on: {{}}\n    tv_on: {{}}\n"
    home = make_home(tmp_path, {"configuration.yaml": content})
    assert "switches: invalid slug tv__on (try tv_on)" in advise(home)
    assert (home / "configuration.yaml").read_text() == content


def test_no_part_of_a_secret_is_told(tmp_path: Path) -> None:
    """A packet that cannot be read is shown by its first characters."""
    content = f"""\
switch:
  - platform: broadlink
    host: 10.0.0.1
    mac: AA:BB:CC:DD:EE:FF
    switches:
      tv: {{command_on: !secret token, command_off: {CODE}}}
automation:
  - service: broadlink.send
    data: {{host: 10.0.0.1, packet: [!secret token, !secret token2]}}
"""
    secrets = "token: Hunter2hunter2hunter2\ntoken2: 26001c00 2600abcd2600abcd\n"
    home = make_home(tmp_path, {"configuration.yaml": content, "secrets.yaml": secrets})
    done = migrate(home, "--write", "--check").stdout
    assert done.count("packet: ") == 2
    assert "tv → command_on: " in done
    assert "1 failure." in done
    assert "hunter" not in done.lower()
    assert "26001c" not in done
