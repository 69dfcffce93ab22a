"""No secret of the three integrations is ever told, whatever goes well or wrong."""

import asyncio
from collections.abc import Awaitable, Callable
import json
import logging
from pathlib import Path

from homeassistant.components import mqtt
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    MockConfigEntry,
)
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from custom_components.irhub.devices.store import DATA_DEVICES
from custom_components.irhub.diagnostics import (
    async_get_config_entry_diagnostics as irhub_diagnostics,
)
from custom_components.irhub.hub import learning
from custom_components.irhub.ircodes import parse_text, to_base64
from custom_components.irhub.ircodes.packet import to_hex
from custom_components.mqtt_binary.diagnostics import async_get_config_entry_diagnostics
from tests.home import until
from tests.irhub.dialogue import add
from tests.irhub.home import entry, our_hub, set_up
from tests.mqtt_binary.home import MqttHome
from virtual_home.broker import Broker
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.hub import VirtualHub

from .browser import OPTIONS, Browser, connect
from .witness import Witness

pytestmark = pytest.mark.reliability

WORD = "canary"

REST = """
  - platform: rest
    name: rest {number}
    resource: {url}{path}{mark}key=canary-query
    method: {method}
    username: canary-user
    password: canary-password
    authentication: {auth}
    headers: {{X-Token: canary-header, Authorization: Bearer canary-token}}
    params: {{p: canary-param}}
    payload: canary-payload
    timeout: 1
    value_template: "{{{{ value_json.a | int }}}}"
    json_attributes: [temperature]
"""
REST_WRONG = (
    "{headers: {X-Token: canary-header}, resource: 'ftp://u:canary@h/?k=canary', platform: rest}",
    "{headers: ['canary-header'], resource: 'http://h/?k=canary', platform: rest}",
    "{username: canary-user, resource: 'http://canary:canary@h/', platform: rest}",
    "{password: [canary-password], resource: 'http://h/?k=canary', platform: rest}",
    "{params: [canary-param], payload: {a: canary}, resource: 'http://h/', platform: rest}",
)
REST_PATHS = (
    "/good",
    "/body",
    "/text",
    "/long",
    "/digest",
    "/basic",
    "/status/401",
    "/status/503?retry_after=canary",
    "/slow/9",
    "/redirect?to=http://u:canary@127.0.0.1:1/canary",
    "/redirect?to=ftp://u:canary@h/canary",
    "/redirect/99",
    "/fault/reset",
    "/fault/half",
    "/fault/garbage",
    "/broken-xml",
)


def packet(name: str) -> bytes:
    """Return an infrared packet with a name for durations."""
    body = f"canary-{name}".encode()
    return b"\x26\x00" + len(body).to_bytes(2, "little") + body


PACKETS = {name: packet(name) for name in ("send", "switch", "import", "learned", "direct")}
SHOWN = parse_text("JgAcAB0dHB44HhweGx4cHR06HB0cHhwdHB8bHhwADQUAAAAAAAAAAAAAAAA=")
"""What irhub.learn shows in its notification, by design."""


def in_texts(secret: bytes) -> list[str]:
    """Return what a packet looks like in a text: its durations, not its header."""
    return [to_base64(secret)[8:-4], to_hex(secret)[8:]]


async def rest(hass: HomeAssistant, witness: Witness) -> None:
    """Poll every kind of good and bad reply, twice; reload wrong YAML, and none."""
    async with Endpoint() as endpoint:
        endpoint.set("/good", {"a": 1, "temperature": 2})
        endpoint.set("/body", {"a": "canary-body"})
        endpoint.set("/text", "canary-text " * 9)
        endpoint.set("/long", Answer.of("canary-text " * 99))
        entries = [
            REST.format(
                number=number,
                url=endpoint.url,
                path=path,
                mark="&" if "?" in path else "?",
                method=method,
                auth=auth,
            )
            for number, (path, method, auth) in enumerate(
                (path, method, auth)
                for path in REST_PATHS
                for method, auth in (("GET", "basic"), ("POST", "digest"))
            )
        ]
        witness.configure("sensor:" + "".join(entries))
        await witness.call("rest", "reload")
        states: list[str] = [f"sensor.rest_{number}" for number in range(len(entries))]
        asked = {path.partition("?")[0] for path in REST_PATHS}
        await asyncio.gather(*(endpoint.wait_for(path, 2) for path in asked))
        for _ in range(2):
            await witness.call("homeassistant", "update_entity", entity_id=states)
        assert (good := hass.states.get("sensor.rest_0"))
        assert (good.state, good.attributes["temperature"]) == ("1", 2)
    await witness.call("homeassistant", "update_entity", entity_id=states)
    for wrong in REST_WRONG:
        witness.configure(f"sensor:\n  - {wrong}\n")
        await witness.call("rest", "reload")
        await async_setup_component(hass, "rest", {})
    witness.configure("")
    await witness.call("rest", "reload")


async def mqtt_binary(hass: HomeAssistant, witness: Witness) -> None:
    """Send payloads that fit nothing, break templates and parsers, or describe no sensor."""
    async with Broker(username="canary-user", password="canary-password") as broker:
        home = MqttHome(hass, witness.caplog, broker)
        device = home.device
        device._client.username_pw_set("canary-user", "canary-password")  # noqa: SLF001  (a test double)
        await device.connect()
        broker_entry = MockConfigEntry(
            domain="mqtt",
            version=mqtt.CONFIG_ENTRY_VERSION,
            minor_version=mqtt.CONFIG_ENTRY_MINOR_VERSION,
            data={
                "broker": broker.host,
                "port": broker.port,
                "protocol": "3.1.1",
                "username": "canary-user",
                "password": "canary-password",
            },
            options={"discovery": False, "birth_message": {}},
        )
        broker_entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(broker_entry.entry_id)
        await until(lambda: mqtt.is_connected(hass))
        ours = MockConfigEntry(domain="mqtt_binary", options={"discovery_prefix": "found"})
        ours.add_to_hass(hass)
        assert await hass.config_entries.async_setup(ours.entry_id)
        templates = (
            "{{ value }}",
            "{{ value | int }}",
            "{{ value_json.a | float }}",
            "{{ value_json['a'] | from_json }}",
            "{{ value | as_datetime | as_timestamp }}",
            "{{ (value ~ [])[value] }}",
            "{{ value.nothing.of_the_kind }}",
        )
        sensors: list[dict[str, str]] = [
            {"name": "plain", "state_topic": "t", "availability_topic": "a"},
            *(
                {
                    "name": f"s{number}",
                    "state_topic": "t",
                    "value_template": template,
                    "json_attributes_topic": "j",
                    "json_attributes_template": template,
                    "availability_topic": "a",
                    "availability_template": template,
                }
                for number, template in enumerate(templates)
            ),
        ]
        witness.configure(
            "binary_sensor: "
            + json.dumps([{"platform": "mqtt_binary", **sensor} for sensor in sensors])
        )
        await witness.call("mqtt_binary", "reload")
        assert home.value("binary_sensor.plain") == home.value("binary_sensor.s6") == "unavailable"
        bodies: tuple[str | bytes, ...] = (
            "canary-payload",
            json.dumps({"a": "canary-payload"}),
            json.dumps(["canary-payload"]),
            json.dumps({"a": "canary' of \"many' quotes"}),
            "canary' of \"many' quotes",
            b"canary-payload \xff\xfe",
            "{broken: canary-payload",
            "ON",
        )
        for body in bodies:
            for topic in ("t", "a", "j"):
                device.publish(topic, body)
            await home.settled()
        device.publish(
            "found/binary_sensor/x/config",
            json.dumps(
                {
                    "stat_t": "x",
                    "uniq_id": "x",
                    "dev": {
                        "ids": "canary-id",
                        "cns": [["mac", "canary-mac"]],
                        "sn": "canary-sn",
                        "cu": "http://h/?key=canary",
                    },
                }
            ),
        )
        await until(lambda: ours.runtime_data.sensors.by_place)
        diagnostics = await async_get_config_entry_diagnostics(hass, ours)
        assert diagnostics["discovered"]
        witness.texts.append(("diagnostics", repr(diagnostics)))
        for body in ('{"stat_t": "x", "canary', '["canary"]', b"canary \xff"):
            device.publish("found/binary_sensor/y/config", body)
        await home.settled()
        witness.configure("binary_sensor:\n  - {platform: mqtt_binary, state_topic: t}\n")
        await witness.call("mqtt_binary", "reload")
        device.close()
        await broker.stop()
        await until(lambda: not mqtt.is_connected(hass))
        await hass.config_entries.async_unload(ours.entry_id)
        await hass.config_entries.async_unload(broker_entry.entry_id)


async def pressed(virtual: VirtualHub, secret: bytes, call: Callable[[], Awaitable[None]]) -> None:
    """Run a call during which a button is pressed."""
    await asyncio.gather(call(), virtual.press_when_listening(secret))


async def irhub(hass: HomeAssistant, witness: Witness) -> None:
    """Learn, send, import and switch, on a hub that obeys, refuses, mumbles, or is gone."""
    text = {name: to_base64(secret) for name, secret in PACKETS.items()}
    async with VirtualHub() as hub:
        commands = {"tv": {"command_on": text["switch"], "command_off": text["switch"]}}
        await set_up(hass, "remote", entry(hub, name="hub"))
        await set_up(hass, "switch", entry(hub, switches=commands))
        await set_up(hass, "sensor", entry(hub, monitored_conditions=["temperature"]))
        await until(lambda: our_hub(hass, hub).available)
        remote = {"entity_id": "remote.hub", "device": "d"}
        host = {"host": hub.host}

        async def use() -> None:
            await witness.call("irhub", "send", packet=[text["send"]], **host)
            await witness.call("irhub", "send", packet=["wrong-canary-packet"], **host)
            await witness.call("irhub", "send", packet=[text["send"][:-6]], **host)
            await witness.call("irhub", "send", packet=[to_hex(PACKETS["send"]) + "0"], **host)
            await witness.call("irhub", "send", packet=[text["send"]], host="127.0.0.99")
            await witness.call("switch", "turn_on", entity_id="switch.tv")
            await witness.call("switch", "turn_off", entity_id="switch.tv")
            for codes in ({"tv": text["import"]}, {"tv": "wrong-canary-packet"}):
                await witness.call(
                    "irhub", "import_codes", entity_id="remote.hub", codes={"d": codes}
                )
            direct = text["direct"]
            for command in (
                *("tv", "none", f"b64:{direct}", "hex:" + "63616e617279" * 9),
                *(direct, direct[:-7], to_hex(PACKETS["direct"])),  # forgot the prefix
            ):
                for keys in (remote, {"entity_id": "remote.hub"}):
                    await witness.call("remote", "send_command", command=[command], **keys)
            await witness.call("irhub", "export_codes", entity_id="remote.hub")

        await use()
        await pressed(
            hub,
            PACKETS["learned"],
            lambda: witness.call("remote", "learn_command", command=["x"], timeout=5, **remote),
        )
        await pressed(hub, SHOWN, lambda: witness.call("irhub", "learn", **host))
        await witness.call("irhub", "learn", timeout=1, **host)
        assert {PACKETS[name] for name in ("send", "switch", "direct", "import")} <= set(
            hub.transmitted
        )
        hub.faults.errors = [-4] * 8
        await use()
        hub.faults.errors = []
        hub.faults.garbage = 1.0
        await use()
        hub.faults.clear()
        hub.faults.silent = True
        await use()
        hub.faults.clear()
        hub.locked = True
        await use()
        witness.configure(
            "switch:\n  - {platform: irhub, host: 127.0.0.1, mac: '34:EA:34:00:00:01',"
            " switches: {tv: {command_on: wrong-canary-packet, command_off: wrong-canary}}}\n"
        )
        await witness.call("irhub", "reload")
        hub.locked = False
        # A store that the user damaged, read at the next set-up.
        codes = {"d": {"x": 5, "y": "wrong-canary-packet"}}
        witness.store("irhub_remote_34ea34000001_codes", {"version": 1, "data": codes})
        hass.data[DATA_DEVICES].clear()  # as a restart does
        witness.configure(
            f"remote:\n  - {{platform: irhub, host: 127.0.0.1, port: {hub.port},"
            f" mac: '{hub.mac}', timeout: 1, name: hub}}\n"
        )
        await witness.call("irhub", "reload")
        await until(lambda: our_hub(hass, hub).available)
        for command in ("x", "y"):
            await witness.call("remote", "send_command", command=[command], **remote)
        witness.configure("")
        await witness.call("irhub", "reload")


async def test_no_secret_appears_after_success_or_failure(
    hass: HomeAssistant,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Passwords, tokens, headers, query values, packets and payloads stay where they belong.

    Looked for in the log (debug on), states, events, notifications, repairs, errors,
    diagnostics, system health and storage. Learned packets are in the store of learned
    commands, and in irhub.learn's notification, by design.
    """
    monkeypatch.setattr(learning, "BETWEEN_PRESSES_S", 0.1)
    monkeypatch.setattr(mqtt, "try_connection", lambda _config: False)
    hass.config.config_dir = str(tmp_path)
    witness = Witness(hass, caplog)
    witness.configure("")
    for domain in ("homeassistant", "system_health", "rest", "irhub"):
        assert await async_setup_component(hass, domain, {})
    witness.watch()
    for drive in (rest, mqtt_binary, irhub):
        await drive(hass, witness)
    await witness.look("rest", "mqtt_binary", "irhub")
    witness.stored(by_design="irhub_*_34ea34000001*")
    assert {place.split()[0] for place, _ in witness.texts} >= {
        *("error", "event", "notification", "state", "repair", "system", "diagnostics")
    }
    texts = [text for secret in PACKETS.values() for text in in_texts(secret)]
    leaks = witness.leaks(WORD, *texts)
    assert not leaks, "\n".join(leaks)


PATH_WORD = "kestrel"
"""Another canary: a path is no secret to `rest` unless somebody makes it one, as Telegram does."""
SECRET_URLS = (
    "http://{at}/bot123:kestrel/getMe",
    "http://{at}/nothing-at/bot123:kestrel",
    "http://{at}/fault/reset?kestrel",
    "http://kestrel@{at}/good",
    "http://kestrel@{at}/status/401",
    "http://kestrel@{at}/slow/9",
    "http://kestrel:@{at}/broken-xml",
    "http://127.0.0.1:9/bot123:kestrel/getMe",
    "http://kestrel@127.0.0.1:9/",
    "http://kestrel@nowhere.invalid/bot123:kestrel",
    "http://{at}/redirect?to=http://127.0.0.1:9/bot123:kestrel",
)


async def test_no_secret_of_a_url_appears(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """A bot's token in the path, a key as a user without a password: in sensors and blocks."""
    witness = Witness(hass, caplog)
    witness.configure("")
    for domain in ("homeassistant", "system_health", "rest"):
        assert await async_setup_component(hass, domain, {})
    witness.watch()
    async with Endpoint() as endpoint:
        endpoint.set("/good", {"a": 1})
        endpoint.set("/bot123:kestrel/getMe", {"a": 1})
        urls = [url.format(at=endpoint.url.removeprefix("http://")) for url in SECRET_URLS]
        sensors = [
            {"platform": "rest", "name": f"s{n}", "resource": url, "timeout": 1}
            for n, url in enumerate(urls)
        ]
        blocks = [
            {"resource_template": url, "timeout": 1, "binary_sensor": [{"name": f"b{n}"}]}
            for n, url in enumerate(urls)
        ]
        wrong = {"platform": "rest", "resource": "ftp://kestrel@h/bot123:kestrel", "name": "s"}
        for config in ({"sensor": sensors, "rest": blocks}, {"sensor": [*sensors, wrong]}):
            witness.configure(json.dumps(config))
            await witness.call("rest", "reload")
            await hass.async_block_till_done()
            for _ in range(2):
                entities = [*hass.states.async_entity_ids()]
                await witness.call("homeassistant", "update_entity", entity_id=entities)
        assert (good := hass.states.get("sensor.s0"))
        assert good.state == '{"a": 1}'
    await witness.call("homeassistant", "update_entity", entity_id=hass.states.async_entity_ids())
    await witness.look("rest")
    witness.configure("")
    await witness.call("rest", "reload")
    leaks = witness.leaks(PATH_WORD)
    assert not leaks, "\n".join(leaks)


async def test_pasted_text_appears_only_in_its_dialogue(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, caplog: pytest.LogCaptureFixture
) -> None:
    """Codes are imported, tried, exported or refused: their packets stand on the page alone."""
    witness = Witness(hass, caplog)
    witness.configure("")
    assert await async_setup_component(hass, "system_health", {})
    client = await connect(hass, hass_client)
    witness.watch()
    good, wrong = to_base64(packet("pasted")), f"{WORD}-packet"
    async with VirtualHub(name="Lounge") as hub:
        added = await add(hass, hub, timeout=0.5)
        browser = await Browser(client, OPTIONS).open(added.entry_id)
        await browser.answer("import_codes")
        for text in (wrong, f"tv: {{power: {wrong}}}", f'{{"tv": {{"{wrong}', f"tv: [{wrong}", "*"):
            await browser.answer({"text": text, "device": "tv", "command": "power"})
            if browser.name == "preview":
                _, *reasons = browser.texts["account"].splitlines()  # after the totals
                assert reasons
                await browser.answer("import_codes")
            else:
                assert browser.texts["error"]
            assert browser.name == "import_codes"
        await browser.answer({"text": json.dumps({"tv": {"power": good}})})
        await browser.answer("import_now")
        assert browser.name == "imported"
        await browser.answer("init")
        await browser.answer("try_command")  # one device: its commands
        for silent in (False, True):
            hub.faults.silent = silent
            await browser.answer({"command": "power"})
        assert hub.transmitted == [packet("pasted")]
        await browser.close()
        hub.faults.clear()
        await browser.open(added.entry_id)
        await browser.answer("export_codes")
        assert good in json.dumps(browser.page)
        await browser.close()
        await hass.async_block_till_done()
        await witness.look("irhub")
        witness.stored(by_design="irhub_*_34ea34000001*")
    leaks = witness.leaks(WORD, *in_texts(packet("pasted")))
    assert not leaks, "\n".join(leaks)


NAME_WORD = "osprey"
"""Another canary: the name and unique id of things for which the user has chosen an entity id."""
NAMES_BELONG = {"state", "event state_changed", "repair", "diagnostics of discovery"}
"""A repair says which sensor it is about; diagnostics repeat how a sensor was announced."""
HUB_WORD = "kestrel"
"""Another canary: the name of a hub of the user interface."""
HUB_BELONGS = {"state", "event state_changed", "repair", "error", "log"}
"""Errors call such a hub by its name; diagnostics and system health need none."""
TEMPLATES: tuple[dict[str, object], ...] = (
    {},
    {"value_template": "{{ value_json.a | int }}"},
    {"value_template": "{{ value.nothing.here }}"},
)


def named(hass: HomeAssistant, domain: str, platform: str, number: int) -> dict[str, object]:
    """Return the first keys of an entity that the registry knows by another entity id."""
    name = f"{NAME_WORD}-{number}"
    er.async_get(hass).async_get_or_create(
        domain, platform, name, suggested_object_id=f"{platform}_{number}"
    )
    return {"platform": platform, "name": name, "unique_id": name}


async def rest_with_names(hass: HomeAssistant, witness: Witness) -> None:
    """Poll sensors with names on good and bad replies."""
    async with Endpoint() as endpoint:
        endpoint.set("/good", {"a": 1})
        endpoint.set("/text", "text")
        endpoint.set("/long", Answer.of("text " * 99))
        paths = (
            "/good",
            "/text",
            "/long",
            "/status/503",
            "/fault/garbage",
            "/broken-xml",
            "/slow/9",
        )
        keys = [
            {"resource": endpoint.url + path, "timeout": 1, **of}
            for path in paths
            for of in TEMPLATES
        ]
        sensors = [named(hass, "sensor", "rest", n) | of for n, of in enumerate(keys)]
        witness.configure(json.dumps({"sensor": sensors}))
        assert await async_setup_component(hass, "rest", {})
        await witness.call("rest", "reload")
        entities = [f"sensor.rest_{n}" for n in range(len(sensors))]
        for _ in range(2):
            await witness.call("homeassistant", "update_entity", entity_id=entities)
        await witness.look("rest")
        witness.configure("")
        await witness.call("rest", "reload")


async def mqtt_binary_with_names(
    home: MqttHome, witness: Witness, discovery: MockConfigEntry
) -> None:
    """Send payloads that fit nothing to sensors with names, and announce some."""
    keys: list[dict[str, object]] = [*TEMPLATES, {"unknown_key": 1}]
    *sensors, announced = [
        named(home.hass, "binary_sensor", "mqtt_binary", n) | {"state_topic": "t", **of}
        for n, of in enumerate(keys)
    ]
    witness.configure(json.dumps({"binary_sensor": sensors}))
    await witness.call("mqtt_binary", "reload")
    announcements = {
        "good": announced,
        "wrong": announced | {"unique_id": "a", "state_topic": []},
        "bad": announced | {"unique_id": "b", "device_class": 5},
    }
    for name, announcement in announcements.items():
        topic = f"mqtt_binary/binary_sensor/{name}/config"
        home.publish(topic, json.dumps(announcement | {"platform": "mqtt"}))
    await until(lambda: discovery.runtime_data.sensors.by_place)
    for payload in ("on", '{"a": ', '{"a": "x"}', "[1]", b"\xff"):
        home.publish("t", payload)
    await home.settled()
    diagnostics = await async_get_config_entry_diagnostics(home.hass, discovery)
    witness.texts.append(("diagnostics of discovery", repr(diagnostics)))
    await witness.look("mqtt_binary")
    witness.configure("")
    await witness.call("mqtt_binary", "reload")


async def irhub_with_names(hass: HomeAssistant, witness: Witness) -> None:
    """Use a hub with a name that obeys, is silent, is locked."""
    async with VirtualHub("rm_mini", name=HUB_WORD) as hub:
        added = await add(hass, hub, timeout=0.5)
        registry = er.async_get(hass)
        for entity in er.async_entries_for_config_entry(registry, added.entry_id):
            new = entity.entity_id.replace(HUB_WORD, "hub")
            registry.async_update_entity(entity.entity_id, new_entity_id=new)
        witness.watch()
        remote = {"entity_id": "remote.hub"}
        for silent, locked in ((False, False), (True, False), (False, True)):
            hub.faults.silent, hub.locked = silent, locked
            for packet in (to_base64(SHOWN), "nonsense"):
                await witness.call("remote", "send_command", command=[f"b64:{packet}"], **remote)
            await witness.call("irhub", "learn", timeout=0.2, host=f"{hub.host}:{hub.port}")
        witness.texts.append(("diagnostics of a hub", repr(await irhub_diagnostics(hass, added))))
        await witness.look("irhub")


async def test_names_appear_only_where_they_are_shown(
    mqtt_home: MqttHome, discovery: MockConfigEntry, caplog: pytest.LogCaptureFixture
) -> None:
    """The names of entities and of a hub, and unique ids, in trouble and out of it."""
    hass = mqtt_home.hass
    witness = Witness(hass, caplog)
    for domain in ("homeassistant", "system_health"):
        assert await async_setup_component(hass, domain, {})
    witness.configure("")
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, er.__name__)  # it names the entity ids that it first makes
    await irhub_with_names(hass, witness)
    await mqtt_binary_with_names(mqtt_home, witness, discovery)
    await rest_with_names(hass, witness)
    leaks = witness.leaks(NAME_WORD)
    elsewhere = [leak for leak in leaks if leak.partition(":")[0] not in NAMES_BELONG]
    assert not elsewhere, "\n".join(elsewhere)
    assert {leak.partition(":")[0] for leak in leaks} == NAMES_BELONG
    of_hub = {leak.partition(":")[0].partition(" of ")[0] for leak in witness.leaks(HUB_WORD)}
    assert of_hub <= HUB_BELONGS, of_hub
