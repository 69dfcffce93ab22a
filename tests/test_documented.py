"""What the pages say of keys, defaults, bounds, limits and files is what the code does.

A default that changes in a schema, a key that is added, a limit that is raised: the page that names
it is compared. What a page says in words is listed here with what that stands for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
import re
from typing import Any, Final, NamedTuple

import pytest
import voluptuous as vol

from custom_components.irhub import (
    button,
    climate,
    cover,
    event,
    fan,
    infrared,
    light,
    media_player,
    radio_frequency,
    remote,
)
from custom_components.irhub.actions import services
from custom_components.irhub.const import DEFAULT_TIMEOUT_S
from custom_components.irhub.devices import journal
from custom_components.irhub.devices.deliveries import MAX_RESENDS
from custom_components.irhub.entities import batching, device_entity
from custom_components.irhub.errors import LISTED
from custom_components.irhub.hub import (
    connection,
    hub_receiver,
    learning,
    link_quality,
    polling,
    receiver,
    recent_signals,
)
from custom_components.irhub.ircodes.files import MAX_COMMANDS
from custom_components.irhub.ircodes.packet import MAX_PACKET
from custom_components.irhub.ircodes.teaching import PRESSES
from custom_components.irhub.schema import hub_schema
from custom_components.irhub.sensor import platform as irhub_sensor, readings
from custom_components.irhub.switch import schema as irhub_switch
from custom_components.mqtt_binary import connection as mqtt_connection, trial
from custom_components.mqtt_binary.discovery import message
from custom_components.mqtt_binary.payload import reader
from custom_components.mqtt_binary.schema import SENSOR_KEYS as MQTT_KEYS
from custom_components.mqtt_binary.settings import Settings as MqttSettings
from custom_components.mqtt_binary.watching import recording, watch
from custom_components.rest import const as rest, elements
from custom_components.rest.polling import client, hosts, login, outages
from custom_components.rest.reply import reply
from custom_components.rest.schema import BINARY_SENSOR_KEYS, REQUEST_KEYS, SENSOR_KEYS

from .documented import NOTHING, REQUIRED, defaults, documented, written
from .files import ROOT

REFERENCE: Final = "docs/irhub_reference.md"
APPLIANCES: Final = "docs/appliances.md"
REST: Final = "docs/rest.md"
MQTT: Final = "docs/mqtt_binary.md"

CORES: Final = {"platform", "entity_namespace", "scan_interval"}
"""Keys of each platform of Home Assistant's."""
EVERY: Final = {*map(str, hub_schema())}
"""Keys of each entry of irhub's."""


class Table(NamedTuple):
    """The tables of a section, and the schema of what they describe."""

    page: str
    heading: str
    schemas: tuple[Any, ...]
    elsewhere: frozenset[str] = frozenset()
    """Keys that another section describes."""
    in_words: Mapping[str, str] = {}
    """Key → what the page says in place of a default of the schema."""

    @property
    def keys(self) -> dict[str, str]:
        """Return the keys of all schemas, with what holds without them."""
        return {key: of for schema in self.schemas for key, of in defaults(keys_of(schema)).items()}


def keys_of(schema: Any) -> Mapping[Any, Any]:  # noqa: ANN401  (voluptuous knows no type)
    while isinstance(schema, vol.All):
        schema = schema.validators[0]
    keys: Mapping[Any, Any] = schema.schema if isinstance(schema, vol.Schema) else schema
    return keys


def entry(heading: str, *schemas: object, **in_words: str) -> Table:
    """Return the table of an entry in YAML, whose common keys another one describes."""
    named = documented(REFERENCE, heading)
    others = frozenset((EVERY | CORES) - named.keys())
    return Table(REFERENCE, heading, schemas, others, in_words)


POLLED_TIMEOUT_S: Final = irhub_sensor.DEFAULT_TIMEOUT_S
APPLIANCE_SCHEMAS: Final = tuple(
    platform.PLATFORM_SCHEMA for platform in (climate, cover, fan, light, media_player)
)
A_HUB: Final = {"hub": REQUIRED, "host": REQUIRED}
"""One of the two."""
TABLES: Final = (
    Table(
        REFERENCE,
        "## Keys of every entry",
        (hub_schema(),),
        frozenset(CORES),
        {
            "timeout": f"{DEFAULT_TIMEOUT_S}, sensors and switches {POLLED_TIMEOUT_S}",
            "listen_for_others": "always",
        },
    ),
    entry("## Remote", remote.PLATFORM_SCHEMA),
    entry("## Sensors", irhub_sensor.PLATFORM_SCHEMA),
    entry(
        "### Plugs and power strips",
        {key: of for key, of in keys_of(irhub_switch.PLATFORM_SCHEMA).items() if key != "switches"},
        type="mp1` with `slots`, else none",
        slots='"{friendly_name} slot {n}"',
    ),
    Table(
        REFERENCE,
        "### Commands",
        (irhub_switch.command_keys(), {vol.Optional("friendly_name"): str}),
        in_words={
            "command_on": "nothing is sent",
            "command_off": "nothing is sent",
            "friendly_name": "the switch's key",
            "unique_id": "MAC address and key",
        },
    ),
    entry(
        "## Infrared and radio",
        infrared.PLATFORM_SCHEMA,
        radio_frequency.PLATFORM_SCHEMA,
        name="Broadlink infrared, Broadlink radio",
    ),
    entry("## Followed remote controls", event.PLATFORM_SCHEMA, name="the device"),
    Table(REFERENCE, "### irhub.learn", (services.LEARN_SCHEMA,), in_words=A_HUB),
    Table(
        REFERENCE,
        "### irhub.send",
        (services.SEND_SCHEMA,),
        in_words=dict.fromkeys(A_HUB, "required with `packet"),
    ),
    Table(
        REFERENCE,
        "### irhub.import_codes and irhub.export_codes",
        (services.IMPORT_SCHEMA, services.EXPORT_SCHEMA),
        in_words={"codes": "required for the import"},
    ),
    Table(
        REFERENCE,
        "### irhub.rename_code, irhub.delete_codes and irhub.restore_codes",
        (services.RESTORE_SCHEMA, services.DELETE_SCHEMA, services.RENAME_SCHEMA),
        in_words={
            "command": "the whole device",
            "new_device": "the same",
            "new_command": "the same",
        },
    ),
    Table(
        REFERENCE,
        "### irhub.list_changes and irhub.undo_change",
        (services.LIST_CHANGES_SCHEMA, services.UNDO_SCHEMA),
        in_words={"device": "all"},
    ),
    Table(
        APPLIANCES, "## In YAML", APPLIANCE_SCHEMAS, frozenset((EVERY | CORES) - {"host", "mac"})
    ),
    Table(
        REST,
        "### The request",
        (REQUEST_KEYS,),
        frozenset({"max_failures"}),
        {
            "platform": "",
            "encoding": "as the document says, or UTF-8",
            "valid_status": "any 2xx",
            "max_size": f"{rest.DEFAULT_MAX_SIZE // 2**20} MiB",
            "scan_interval": f"{rest.PLATFORM_SCAN_INTERVAL.seconds} seconds; a block"
            f" {rest.BLOCK_SCAN_INTERVAL.seconds}",
        },
    ),
    Table(
        REST,
        "### Sensors and binary sensors",
        (SENSOR_KEYS, BINARY_SENSOR_KEYS),
        frozenset(
            {
                *("json_attributes", "json_attributes_path", "json_attributes_template"),
                *("state_class", "unit_of_measurement"),
            }
        ),
        {
            "name": f"{rest.DEFAULT_SENSOR_NAME}`, `{rest.DEFAULT_BINARY_SENSOR_NAME}",
            "max_failures": str(rest.DEFAULT_MAX_FAILURES),
            "entity_namespace": "",
        },
    ),
    Table(
        MQTT,
        "## Keys",
        (MQTT_KEYS,),
        in_words={
            **{
                field.name: ", ".join(field.default)
                if isinstance(field.default, tuple)
                else written(field.default)
                for field in fields(MqttSettings)
                if field.default not in (None, (), MISSING)
                and field.name in {str(key) for key in MQTT_KEYS}
            },
            "payload_available": "online",
            "payload_not_available": "offline",
            "availability_mode": "latest",
        },
    ),
)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.page}{table.heading}")
def test_keys_and_defaults_are_those_of_the_schema(table: Table) -> None:
    stated = {
        key: "" if cell in NOTHING else cell
        for key, cell in documented(table.page, table.heading).items()
    }
    assert stated == {
        key: of
        for key, of in {**table.keys, **table.in_words}.items()
        if key not in table.elsewhere
    }


BOUNDS: Final = re.compile(r"\((above )?([\d.]+)(?: to |, up to )([\d.]+)\)")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.page}{table.heading}")
def test_bounds_are_those_of_the_schema(table: Table) -> None:
    for key, meaning in documented(table.page, table.heading, column=2).items():
        if (bounds := BOUNDS.search(meaning)) is None:
            continue
        schema = next(of for of in map(keys_of, table.schemas) if key in of)
        validate = vol.Schema(schema[key])
        least, most = float(bounds[2]), float(bounds[3])
        outside = [most + 1, least if bounds[1] else least - 1]
        assert validate(most) == most
        assert bounds[1] or validate(least) == least
        for value in outside:
            with pytest.raises(vol.Invalid):
                validate(value)


def listed(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


LAST_RETRY_S: Final = connection.BACK_OFF_S[-1]


SENTENCES: Final = (
    ("docs/irhub.md", f"more than {button.MAX_BUTTONS} commands gets no new buttons"),
    ("docs/irhub.md", f"for the next {journal.KEPT_WRITES:,} changes and as far as 1 MB"),
    ("docs/irhub.md", f"anything else for the next {journal.KEPT_CHANGES} changes"),
    ("docs/irhub.md", f"and {recent_signals.ECHO_S:g} s after it"),
    ("docs/irhub.md", f"heard again within {recent_signals.ONE_PRESS_S:g} s is held"),
    (
        "docs/irhub.md",
        f"Retries after {listed(connection.BACK_OFF_S[:-1])}, then every {LAST_RETRY_S} seconds",
    ),
    ("docs/irhub.md", f"Every {connection.KEEP_ALIVE_S} seconds | The hub is asked"),
    ("docs/irhub.md", f"tried again every {connection.LOCKED_RETRY_S} seconds"),
    (
        "docs/delivery.md",
        f"all miss at most {100 * link_quality.LIMITS.max_miss_probability:g} % of the commands",
    ),
    ("docs/delivery.md", f"{link_quality.LIMITS.max_pairs} pairs of emitter and receiver are kept"),
    (REFERENCE, f"more than {MAX_PACKET // 1024} KiB"),
    (REFERENCE, f"one packet or a list of up to {services.MAX_PACKETS}"),
    (REFERENCE, f"| `timeout` | {learning.LEARN_WINDOW_S} | seconds for each press |"),
    (REFERENCE, f"believed only within {readings.NEAR_CELSIUS:g} °C of the last value"),
    (APPLIANCES, f"more than {button.MAX_BUTTONS} commands gets no buttons unasked"),
    (APPLIANCES, f"idle below {climate.RUNNING_W} W"),
    (APPLIANCES, f"within {batching.BATCH_S:g} s, in one context"),
    (APPLIANCES, f"drew nothing for less than {device_entity.BY_HAND_S} s"),
    (APPLIANCES, f"*Teach it by at most {PRESSES} presses*"),
    ("docs/codes.md", f"{MAX_COMMANDS:,} commands; more is refused"),
    (REST, f"gets {hosts.REQUESTS_AT_A_TIME} requests at a time"),
    (REST, f"At most {client.MAX_REDIRECTS} redirects"),
    (REST, f"Replies above {reply.LARGE // 1024} KiB are parsed outside the event loop"),
    (REST, f"At most {elements.MAX_ELEMENTS:,} elements"),
    (MQTT, f"to {trial.TRY_S} seconds for a message"),
    (MQTT, f"{watch.WATCH_S:g} seconds, everywhere or below one topic"),
    (MQTT, f"{recording.MAX_TOPICS:,} topics, {recording.MAX_MESSAGES} messages each"),
    (MQTT, f"ones than {recording.MAX_CHARACTERS:,} characters"),
    (MQTT, f"Payloads over {reader.MAX_LENGTH // 2**20} MiB are ignored"),
    (MQTT, f"A message over {message.MAX_CONFIG_CHARACTERS:,} characters"),
    (MQTT, f"{message.MAX_TEMPLATE_CHARACTERS:,} characters or one that Python"),
    (MQTT, f"down for more than {mqtt_connection.GRACE_S:g} seconds"),
)
"""What a page says of limits and times, made of the constants."""
IN_WORDS: Final = (
    ("docs/irhub.md", "if there are at most a dozen", button.MAX_SHOWN, 12),
    ("docs/irhub.md", "Two unanswered questions mean offline", connection.UNANSWERED_HELLOS, 2),
    ("docs/irhub.md", "turns of ten seconds", hub_receiver.TURN_S, 10),
    ("docs/irhub.md", "it is tried again every minute", hub_receiver.RETRY_S, 60),
    ("docs/delivery.md", "Only the last thirty or so", link_quality.LIMITS.memory, 30),
    ("docs/delivery.md", "sends a command again that is in doubt, at most twice", MAX_RESENDS, 2),
    (
        "docs/irhub.md",
        "two minutes after the button *Listen for others*",
        hub_receiver.OTHERS_S,
        120,
    ),
    ("docs/irhub.md", "the last ten presses", receiver.REMEMBERED, 10),
    ("docs/irhub.md", "as far as 1 MB of the hub's file", journal.KEPT_BYTES, 2**20),
    (REFERENCE, "the reasons for up to ten of the refused ones", LISTED, 10),
    (REFERENCE, "stays through three readings", irhub_sensor.TOLERATED_MISSES, 3),
    (REFERENCE, "read again two seconds after a command", polling.SETTLE_S, 2),
    (REST, "waits longer than a second for its answer", hosts.PATIENCE_S, 1),
    (REST, "within ten minutes is called unstable", outages.CALM_S, 600),
    (REST, "`0` means five minutes", client.UNLIMITED_S, 300),
    ("docs/rest_login.md", "six hours", login.LONGEST_WAIT_S, 6 * 3600),
)


def page(name: str) -> str:
    """Return a page, without the breaks of its lines."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
def test_limits_are_those_of_the_code(name: str, sentence: str) -> None:
    assert sentence in page(name)


@pytest.mark.parametrize(("name", "sentence", "constant", "value"), IN_WORDS)
def test_numbers_in_words_are_those_of_the_code(
    name: str, sentence: str, constant: float, value: float
) -> None:
    assert sentence in page(name)
    assert constant == value
