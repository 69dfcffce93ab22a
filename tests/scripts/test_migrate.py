"""scripts/migrate on homes as users have them: what it says, and every byte it writes."""

import contextlib
import json
from pathlib import Path
import socket
import subprocess

from homeassistant.util.yaml import Secrets, load_yaml_dict
import pytest

from tests.files import ROOT
from tests.irhub.ircodes.code_files import Codes, code_file

from .migrating import CODE, advise, make_home, migrate
from .run import files

CONFIGURATION = f"""\
# my home 🏠
homeassistant:
  packages: !include_dir_named packages

sensor: !include_dir_merge_list sensors
sensor kitchen:
  - platform:   'broadlink'   # the old RM2
    host: !secret rm_host
    mac: AA:BB:CC:DD:EE:FF
    monitored_conditions:
      - temperature
    color: blue

binary_sensor:
    -   {{platform: mqtt, state_topic: home/door}}   # door
    - platform: rest
      resource: http://localhost/

mqtt:
  binary_sensor:
    - name: platform mqtt stays
      state_topic: a/b

switch:
- platform: broadlink
  host: !secret rm_host
  mac: AA:BB:CC:DD:EE:FF
  switches:
    tv: {{command_on: {CODE}, command_off: JgAcAB0}}
- platform: broadlink
  host: !secret rm_host
  mac: AA:BB:CC:DD:EE:FF
  type: sp2

remote: !include remote.yaml
automation: !include automations.yaml
"""

FILES = {
    "configuration.yaml": CONFIGURATION,
    "secrets.yaml": "rm_host: 192.168.1.20\ntoken: hunter2-hunter2\n",
    "remote.yaml": (
        "platform: broadlink # one\nhost: !secret rm_host\nmac: aabb.ccdd.eeff\ntimeout: soon"
    ),
    "sensors/rest.yaml": (
        "- platform: rest\n  resource: http://localhost/\n"
        "  headers: {Authorization: !secret token}\n  gone: 1\n"
    ),
    "sensors/mqtt.yaml": "- platform: mqtt\r\n  state_topic: x\r\n",
    "packages/tv.yaml": 'binary_sensor:\r\n  platform: "mqtt"\r\n  state_topic: tv\r\n',
    "automations.yaml": f"""\
- triggers: [{{platform: mqtt, topic: x}}]
  actions:
    - service: broadlink.send
      data:
        host: 192.168.1.20
        packet:
          - {CODE}
          - 26001c001d1d1e1c1e1e1c1e1b1e1c1d1d3a1d1c1d1e1c1e1f1b1e1c1e000d05
          - "{{{{ states('input_text.code') }}}}"
          - JgAcAB0
    - action: broadlink.learn
      data: {{host: 192.168.1.21}}
    - service: switch.broadlink_send_packet_192_168_1_21
""",
}

WRITTEN = {
    "configuration.yaml": CONFIGURATION.replace("'broadlink'", "'irhub'")
    .replace("    color: blue", "    # color: blue")
    .replace("{platform: mqtt,", "{platform: mqtt_binary,")
    .replace("platform: broadlink", "platform: irhub"),
    "automations.yaml": FILES["automations.yaml"]
    .replace(": broadlink.", ": irhub.")
    .replace(
        "switch.broadlink_send_packet_192_168_1_21",
        "irhub.send\n      data: {host: 192.168.1.21}",
    ),
    "remote.yaml": FILES["remote.yaml"].replace("broadlink", "irhub"),
    "packages/tv.yaml": FILES["packages/tv.yaml"].replace('"mqtt"', '"mqtt_binary"'),
}

UNKNOWN = (
    "    host: no entry names 192.168.1.21, and nothing is sent to a hub that is not set up:"
    " add it, in YAML or in the user interface"
)
REPORT = f"""\
automations.yaml:3  broadlink.send → irhub.send
automations.yaml:11  broadlink.learn → irhub.learn
{UNKNOWN}
automations.yaml:13  switch.broadlink_send_packet_192_168_1_21 → irhub.send with host: 192.168.1.21
{UNKNOWN}
configuration.yaml:7  sensor: platform: broadlink → irhub
    color → commented out: it never had an effect
configuration.yaml:15  binary_sensor: platform: mqtt → mqtt_binary
configuration.yaml:16  binary_sensor: platform: rest: nothing to change
configuration.yaml:25  switch: platform: broadlink → irhub
configuration.yaml:30  switch: platform: broadlink → irhub
packages/tv.yaml:2  binary_sensor: platform: mqtt → mqtt_binary
remote.yaml:1  remote: platform: broadlink → irhub
sensors/mqtt.yaml:1  not ours: sensor: platform: mqtt (1)
    Home Assistant no longer loads these, nor do our integrations; MQTT's stand under `mqtt:` today
sensors/rest.yaml:1  sensor: platform: rest
    gone: this key no longer exists: remove it
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "home", FILES)


def backup_of(home: Path) -> Path:
    [backup] = home.glob("migration-backup-*")
    return backup


def test_report(home: Path) -> None:
    before = files(home)
    done = migrate(home)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    for line in REPORT.splitlines():
        assert line in lines, done.stdout
    # sentences of the schemas, with the key that is meant
    for start, word in (
        ("    timeout: ", "remote.yaml:1"),
        ("    switches → tv → command_off: ", "configuration.yaml:25"),
        ("    packet: incomplete", "automations.yaml:3"),
    ):
        [index] = [number for number, line in enumerate(lines) if line.startswith(start)]
        heading = next(line for line in reversed(lines[:index]) if not line.startswith(" "))
        assert heading.startswith(word)
    assert lines[-1] == "10 changes (--write makes them), 7 remarks for you."
    assert files(home) == before


def test_write_changes_the_words_and_no_other_byte(home: Path) -> None:
    (home / "remote.yaml").chmod(0o640)
    before = files(home)
    done = migrate(home, "--write")
    assert done.returncode == 0, done.stdout
    backup = backup_of(home)
    after = {name: content for name, content in files(home).items() if backup.name not in name}
    expected = before | {name: text.encode() for name, text in WRITTEN.items()}
    assert after == expected
    assert files(backup) == {name: before[name] for name in WRITTEN}
    assert (home / "remote.yaml").stat().st_mode & 0o777 == 0o640
    assert "10 changes made" in done.stdout

    again = migrate(home, "--write")
    assert "0 changes made" in again.stdout
    assert backup_of(home) == backup
    config = load_yaml_dict(home / "configuration.yaml", Secrets(home))
    assert config["remote"]["host"] == "192.168.1.20"


def test_no_secret_is_printed(home: Path) -> None:
    secrets = home / "secrets.yaml"
    secrets.write_text(secrets.read_text().replace("192.168.1.20", "http://user:pass@rm"))
    done = migrate(home)
    assert done.returncode == 0, done.stdout
    assert "!secret" in done.stdout
    assert "pass@rm" not in done.stdout
    assert "hunter2" not in done.stdout


@pytest.mark.parametrize(
    "content",
    [
        # the same word serves an entry that changes and one that stays
        (
            "sensor:\n  - platform: &p mqtt\n    state_topic: a\n"
            "binary_sensor:\n  - platform: *p\n    state_topic: b\n"
        ),
        # two words on the line, one of them a trigger's
        "binary_sensor: [{platform: mqtt, state_topic: a, x: {platform: mqtt}}]\n",
        # the word is not in any file
        "binary_sensor:\n  - platform: !env_var PLATFORM mqtt\n    state_topic: a\n",
        "binary_sensor:\n  - platform: !secret platform\n    state_topic: a\n",
    ],
)
def test_what_is_not_certain_is_left_to_the_user(tmp_path: Path, content: str) -> None:
    home = make_home(tmp_path, {"configuration.yaml": content, "secrets.yaml": "platform: mqtt\n"})
    before = files(home)
    done = advise(home)
    assert "(by hand: " in done
    assert "0 changes made" in done
    assert files(home) == before


@pytest.mark.parametrize(
    ("content", "changed"),
    [
        (
            (
                "x: &base\n  platform: mqtt\nbinary_sensor:\n"
                "  - <<: *base\n    state_topic: a\n  - <<: *base\n    state_topic: b\n"
            ),
            ("platform: mqtt\nb", "platform: mqtt_binary\nb"),
        ),
        (
            "binary_sensor: [{platform: mqtt, state_topic: a}, {platform: mqtt, state_topic: b}]\n",
            ("platform: mqtt", "platform: mqtt_binary"),
        ),
        (
            (
                "binary_sensor:\n  - platform: &p mqtt\n    state_topic: mqtt\n"
                "  - platform: *p\n    state_topic: b\n"
            ),
            ("&p mqtt", "&p mqtt_binary"),
        ),
        (
            "binary_sensor: !include same.yaml\nbinary_sensor 2: !include same.yaml\n",
            ("", ""),
        ),
    ],
)
def test_one_word_for_several_entries(
    tmp_path: Path, content: str, changed: tuple[str, str]
) -> None:
    same = "platform: mqtt\nstate_topic: a\n"
    home = make_home(tmp_path, {"configuration.yaml": content, "same.yaml": same})
    done = advise(home)
    assert "2 changes made" in done
    assert (home / "configuration.yaml").read_text() == content.replace(*changed)
    if "!include" in content:
        assert (home / "same.yaml").read_text() == same.replace("mqtt", "mqtt_binary")


def test_a_byte_order_mark_stays(tmp_path: Path) -> None:
    content = "\ufeffremote:\n  platform: broadlink\n  host: a\n  mac: aabbccddeeff\n"
    home = make_home(tmp_path, {"configuration.yaml": content})
    advise(home)
    assert (home / "configuration.yaml").read_bytes().decode() == content.replace(
        "broadlink", "irhub"
    )


def test_nothing_of_ours(tmp_path: Path) -> None:
    home = make_home(tmp_path, {"configuration.yaml": "default_config:\nsensor:\n"})
    assert advise(home).strip() == "0 changes made, 0 remarks for you"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("sensor:\n  - platform: [\n", "configuration.yaml"),
        ("- a list\n", "does not contain a dict"),
        ("a:\na:\nsensor: [\n", "configuration.yaml"),
    ],
)
def test_what_home_assistant_cannot_read(tmp_path: Path, content: str, sentence: str) -> None:
    with pytest.raises(SystemExit) as ended:
        advise(make_home(tmp_path, {"configuration.yaml": content}))
    assert str(ended.value).startswith("migrate: ")
    assert str(ended.value).count(sentence) == 1


def test_what_cannot_be_read_is_listed_at_once_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Such as a copy of a home without its secrets."""
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": (
                "homeassistant:\n  packages: !include_dir_named packages\n"
                "sensor: !include gone.yaml\n"
                "switch: !include linked.yaml\n"
                "light: !include_dir_list lights\n"
                "remote:\n  - platform: broadlink\n    host: !secret host\n    mac: !env_var MAC\n"
                "    timeout: soon\n"
            ),
            "packages/bad.yaml": "sensor: [\n",
            "packages/good.yaml": (
                "binary_sensor:\n  platform: mqtt\n  state_topic: !secret topic\n"
            ),
        },
    )
    (home / "linked.yaml").symlink_to("gone.yaml")
    done = advise(home)
    remarks = [line for line in done.splitlines() if "  !" in line]
    for line in (
        "configuration.yaml:3  !include gone.yaml: there is no such file",
        "configuration.yaml:4  !include linked.yaml: it is a link to gone.yaml, which is not there",
        "configuration.yaml:5  !include_dir_list lights: there is no such folder",
        "configuration.yaml:8  !secret host: secrets.yaml does not have it",
        "configuration.yaml:9  !env_var MAC: the environment does not have it",
        "packages/good.yaml:3  !secret topic: secrets.yaml does not have it",
    ):
        assert remarks.count(line) == 1, done
    [bad] = [line for line in remarks if line.startswith("configuration.yaml:2")]
    assert "packages/bad.yaml" in bad
    assert "line 2, column 1" in bad
    assert len(remarks) == 7, done
    # what of an entry is there is judged
    assert "timeout: expected float" in done
    assert "mac: " not in done.replace("!env_var", "")
    assert "    host" not in done
    assert done.endswith(
        "2 changes made, 1 remark for you; 7 things could not be read and were left out"
    )
    assert "platform: irhub" in (home / "configuration.yaml").read_text()
    assert "platform: mqtt_binary" in (home / "packages" / "good.yaml").read_text()


def test_a_configuration_that_is_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "configuration.yaml").symlink_to("gone.yaml")
    with pytest.raises(SystemExit, match=r"configuration\.yaml: it is a link to gone\.yaml, which"):
        advise(tmp_path)


def test_a_secret_as_a_key_is_not_printed(tmp_path: Path) -> None:
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": (
                "sensor:\n  - platform: rest\n    resource: http://localhost/\n"
                "    !secret word : 1\n    !secret word : 2\n"
            ),
            "secrets.yaml": "word: hunter2-hunter2\n",
        },
    )
    done = advise(home)
    assert 'contains duplicate key "!secret". Check lines 3 and 4' in done
    assert "    !secret: this key no longer exists: remove it" in done
    assert "hunter2" not in done


def test_a_secret_as_a_key_is_not_printed_where_the_rest_cannot_be_read(tmp_path: Path) -> None:
    twice = "x:\n  !secret word : 1\n  !secret word : 2\n"
    make_home(tmp_path, {"configuration.yaml": twice, "secrets.yaml": "word: hunter2\n"})
    make_home(tmp_path, {"a.yaml": f"{twice}y: !unknown z\n"})
    for content in f"{twice}y: !unknown z\n", "sensor: !include a.yaml\n":
        make_home(tmp_path, {"configuration.yaml": content})
        done = migrate(tmp_path).stdout
        assert done.count('contains duplicate key "!secret"') == 1
        assert "hunter2" not in done


def test_what_home_assistant_no_longer_loads_is_told_once(tmp_path: Path) -> None:
    entries = "".join(f"- {{platform: mqtt, state_topic: t/{number}}}\n" for number in range(9))
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": "sensor: !include mqtt.yaml\nswitch: !include switches.yaml\n",
            "mqtt.yaml": entries,
            "switches.yaml": entries,
        },
    )
    done = advise(home)
    assert "mqtt.yaml:1  not ours: sensor: platform: mqtt (9), switch: platform: mqtt (9)\n" in done
    assert "under `mqtt:` today. Here, and in 1 other file\n" in done
    assert done.endswith("0 changes made, 1 remark for you")


def test_a_switch_of_cores_own_form_stays(tmp_path: Path) -> None:
    """A MAC address and no host is what core's Broadlink integration reads since 2020.9."""
    content = "switch:\n  - platform: broadlink\n    mac: aabbccddeeff\n    switches: []\n"
    home = make_home(tmp_path, {"configuration.yaml": content})
    done = migrate(home, "--write", "--check").stdout
    assert "2  switch: platform: broadlink: stays with Home Assistant's own integration" in done
    assert "0 changes made, 1 remark for you; loaded: 0 entities, 0 failures." in done
    assert (home / "configuration.yaml").read_text() == content


def test_a_code_file_that_is_none_is_a_failure_of_its_own(tmp_path: Path) -> None:
    codes = (ROOT / "demo" / "codes" / "office.json").read_text()
    files = ["codes", "", "codes/of[1].json"]
    entries = [
        {"platform": "irhub", "host": "192.0.2.5", "mac": "AA:BB:CC:DD:EE:FF", "file": file}
        for file in files
    ]
    configuration = json.dumps({"climate": entries})  # JSON is YAML
    home = make_home(tmp_path, {"configuration.yaml": configuration, "codes/of[1].json": codes})
    assert migrate(home, "--check").stdout.endswith("loaded: 1 entity, 2 failures.\n")


def test_the_program_ends_with_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    done = migrate(make_home(tmp_path, {"configuration.yaml": "sensor: [\n"}))
    assert done.returncode == 1
    assert done.stdout.startswith("migrate: ")
    assert "Traceback" not in done.stdout


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "configuration.yaml"
    path.write_bytes("name: Küche\n".encode("latin-1"))
    with pytest.raises(SystemExit, match=f"^migrate: Unable to read file {path}: 'utf-8' codec"):
        advise(tmp_path)


def test_a_key_that_stands_twice(tmp_path: Path) -> None:
    make_home(tmp_path, {"configuration.yaml": "sensor:\nsensor:\n"})
    assert "contains duplicate key" in advise(tmp_path)


def test_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=f"{tmp_path / 'configuration.yaml'}: no such file"):
        advise(tmp_path)


@pytest.mark.e2e
def test_the_script_itself_from_the_users_folder(home: Path) -> None:
    """In the environment of the newest host, beside a `custom_components` of the user's own.

    And beside a Home Assistant that runs: core's `mqtt` asks for the HTTP server, whose port
    is taken, and which a check must not open.
    """
    make_home(home, {"custom_components/__init__.py": "1 / 0\n", "migrate.py": "1 / 0\n"})
    with contextlib.closing(socket.socket()) as taken:
        with contextlib.suppress(OSError):  # by another, then
            taken.bind(("0.0.0.0", 8123))  # noqa: S104  (as Home Assistant does)
            taken.listen()
        done = subprocess.run(
            [ROOT / "scripts" / "migrate", ".", "--check"],
            cwd=home,
            check=False,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stderr
    assert "10 changes (--write makes them)" in done.stdout
    assert "8123" not in done.stdout
    assert "mqtt:" not in done.stdout.partition("\n\n")[2]


def test_a_secret_hides_where_it_stands_and_nowhere_else(tmp_path: Path) -> None:
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": (
                "binary_sensor:\n  platform: mqtt\n  state_topic: a\n  name: !secret word\n"
                "remote:\n  platform: broadlink\n  host: !secret word\n  mac: !secret number\n"
            ),
            "secrets.yaml": "word: mqtt\nnumber: 112233445566\n",
        },
    )
    done = advise(home)
    assert "binary_sensor: platform: mqtt → mqtt_binary\n" in done
    assert "mac: !secret is not text; write the MAC address in quotes" in done
    assert "112233445566" not in done


def test_a_home_is_tried_out(tmp_path: Path) -> None:
    """On virtual devices, before anything of the user's is touched."""
    home = make_home(
        tmp_path,
        {
            "configuration.yaml": f"""\
remote:
  - platform: broadlink
    host: 192.168.1.20
    mac: AA:BB:CC:DD:EE:FF
    name: Lounge
switch:
  - platform: broadlink
    host: 192.168.1.20
    mac: AA:BB:CC:DD:EE:FF
    switches:
      good: {{command_on: {CODE}, command_off: {CODE}}}
  - platform: broadlink
    host: 192.168.1.21
    mac: AA:BB:CC:DD:EE:21
    type: sp2
    friendly_name: Plug
  - platform: broadlink
    host: 192.168.1.22
    mac: AA:BB:CC:DD:EE:22
    switches:
      broken: {{command_on: JgAcAB0}}
binary_sensor:
  - platform: mqtt
    name: Door
    state_topic: home/door
    payload_on: open
    payload_off: closed
    availability_topic: home/door/available
  - platform: mqtt
    name: Window
    state_topic: home/window
    availability_topic: home/window/available
    payload_available: here
    value_template: "{{{{ value_json.window }}}}"
sensor:
  - platform: rest
    name: Boiler
    resource: http://192.168.1.30/status
    value_template: "{{{{ value_json.value }}}}"
script:
  one: {{sequence: [{{service: broadlink.send, data: {{host: 192.168.1.20, packet: {CODE}}}}}]}}
  two: {{sequence: [{{service: broadlink.send, data: {{host: 192.168.1.99, packet: {CODE}}}}}]}}
  three: {{sequence: [{{service: broadlink.send, data: {{host: "{{{{ x }}}}", packet: {CODE}}}}}]}}
""",
        },
    )
    before = files(home)
    done = migrate(home, "--try")
    assert done.returncode == 0, done.stdout
    assert files(home) == before
    tried = done.stdout.partition("\n\n")[2].splitlines()
    assert len(tried) == 4
    assert tried[0].startswith("configuration.yaml:42  irhub.send: No irhub hub is configured at ")
    assert tried[1].startswith("not loaded: Invalid config for 'switch' from integration ")
    assert "configuration.yaml, line 21: incomplete" in tried[1]
    assert "127.0.0." not in done.stdout
    assert tried[-1] == "Tried out: 15 of 17 things work."


def test_each_platform_is_tried_out(tmp_path: Path) -> None:
    """SmartIR's entries among them, code files and learned commands from where they are."""
    codes = Codes()
    smartir = "custom_components/smartir/codes"
    stored = {"version": 1, "data": {"television": {"power": CODE}, "bell": {"ring": CODE}}}
    content = {
        f"{smartir}/climate/1000.json": (ROOT / "demo" / "codes" / "office.json").read_text(),
        **{
            name: json.dumps(code_file(codes.nest(commands), speed=["low", "high"]))
            for name, commands in (
                (f"{smartir}/fan/1000.json", ["off", "low", "high"]),
                (f"{smartir}/media_player/1000.json", ["on", "off", "volumeUp", "volumeDown"]),
                (f"{smartir}/light/1000.json", ["on", "off", "brighten", "dim"]),
                ("screens/blind.json", ["up", "down", "stop"]),
            )
        },
        ".storage/broadlink_remote_aabbccddeeff_codes": json.dumps(stored),
        "configuration.yaml": """\
remote: {platform: broadlink, host: 192.168.1.20, mac: &mac AA:BB:CC:DD:EE:FF, name: Lounge}
climate:
  - platform: smartir
    name: Office
    device_code: 1000
    controller_data: remote.lounge
    temperature_sensor: sensor.lounge_temperature
    power_sensor: binary_sensor.air_conditioner
fan: {platform: smartir, name: Fan, device_code: 1000, controller_data: 192.168.1.20}
light: {platform: smartir, name: Lamp, device_code: 1000, controller_data: 192.168.1.20}
media_player:
  - {platform: smartir, name: Player, device_code: 1000, controller_data: 192.168.1.20}
  - {platform: irhub, host: 192.168.1.20, mac: *mac, name: Television, device: television}
cover: {platform: irhub, host: 192.168.1.20, mac: *mac, name: Blind, file: screens/blind.json}
button: {platform: irhub, host: 192.168.1.20, mac: *mac}
event: {platform: irhub, host: 192.168.1.20, mac: *mac, device: television}
infrared: {platform: irhub, host: 192.168.1.20, mac: *mac, name: Infrared}
radio_frequency: {platform: irhub, host: 192.168.1.20, mac: *mac, name: Radio}
sensor: {platform: broadlink, host: 192.168.1.20, mac: *mac, name: Lounge,
  monitored_conditions: [temperature, humidity]}
switch:
  - {platform: broadlink, type: mp1, host: 192.168.1.23, mac: AA:BB:CC:DD:EE:23}
  - {platform: rest, name: Garage, resource: http://192.168.1.30/garage}
binary_sensor: {platform: rest, name: Gate, resource: http://192.168.1.30/gate}
notify: {platform: rest, name: Telephone, resource: http://192.168.1.30/say}
""",
    }
    home = make_home(tmp_path, content)
    before = files(home)
    done = migrate(home, "--try")
    assert done.returncode == 0, done.stdout
    assert files(home) == before
    assert done.stdout.partition("\n\n")[2].splitlines() == [
        "7 changes (--write makes them), 0 remarks for you.",
        "Tried out: 31 of 31 things work.",  # 22 entities, 9 actions
    ]
