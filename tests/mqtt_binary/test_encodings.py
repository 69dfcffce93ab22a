"""Ours beside core's sensor and camera on one topic: core's see what they would beside core's own.

Core decodes a message once per topic, as the first of its subscribers asked for. So the measure
is core's own binary sensor in the place of ours, with the same encoding, in the same order.
"""

import contextlib
from http import HTTPStatus
import itertools
import json
import sys
from types import SimpleNamespace
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (  # type: ignore[import-untyped]
    ClientSessionGenerator,
)

from tests.home import until

from .home import MqttHome

ENCODINGS = {"utf8": "utf-8", "latin1": "latin-1", "utf16": "utf-16", "none": ""}
PAIRS = list(itertools.product(ENCODINGS, ENCODINGS))  # of core's entities, of their neighbour
PAYLOADS = [
    b"ON",
    "été".encode(),
    "été".encode("latin-1"),
    "été".encode("utf-16"),
    b"\xff\xfe",
    b"\x00\xd8",  # half a character, in UTF-16
    b"",
    b"OFF",
]
STARTS = 4

type Seen = dict[str, list[str]]
"""Entity → what it showed after each payload."""


@pytest.fixture(autouse=True)
def no_thumbnails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let core's camera be imported without its library for thumbnails, which nobody wants."""
    monkeypatch.setitem(sys.modules, "turbojpeg", SimpleNamespace(TurboJPEG=None))


type Yaml = dict[str, Any]


def core_yaml(suffix: str) -> Yaml:
    """Return core's sensor and camera for each pair."""
    sensors, cameras = [], []
    for theirs, other in PAIRS:
        name, topic = f"{theirs}_{other}", f"{theirs}/{other}/{suffix}"
        sensors.append({"name": name, "state_topic": topic, "encoding": ENCODINGS[theirs]})
        cameras.append({"name": name, "topic": topic, "encoding": ENCODINGS[theirs]})
    return {"sensor": sensors, "camera": cameras}


def binary_sensors(suffix: str) -> list[Yaml]:
    """Return the binary sensor for each pair, without what tells ours from core's."""
    return [
        {
            "name": f"{theirs}_{other}",
            "state_topic": f"{theirs}/{other}/{suffix}",
            "encoding": ENCODINGS[other],
        }
        for theirs, other in PAIRS
    ]


async def reload(home: MqttHome, core: Yaml | list[Yaml], ours: list[Yaml], *order: str) -> None:
    """Write the YAML, and reload the integrations in this order."""
    entries = [{"platform": "mqtt_binary", **sensor} for sensor in ours]
    home.yaml.write_text(json.dumps({"mqtt": core, "binary_sensor": entries}))
    assert await async_setup_component(home.hass, "mqtt_binary", {})
    for domain in order:
        await home.hass.services.async_call(domain, "reload", blocking=True)
        await home.hass.async_block_till_done()
    await home.settled()


async def see(home: MqttHome) -> Seen:
    """Send all payloads to each pair; return what core's sensors and cameras make of them."""
    seen: Seen = {}
    cameras = home.hass.data[DATA_INSTANCES]["camera"]
    for payload in PAYLOADS:
        for theirs, other in PAIRS:
            home.publish(f"{theirs}/{other}/x", payload)
        await home.settled()
        for theirs, other in PAIRS:
            name = f"{theirs}_{other}"
            assert home.value(f"binary_sensor.{name}")
            seen.setdefault(f"sensor.{name}", []).append(home.value(f"sensor.{name}"))
            camera: Any = cameras.get_entity(f"camera.{name}")
            image = await camera.async_camera_image()
            seen.setdefault(f"camera.{name}", []).append(repr(image))
    return seen


async def states_can_be_told(hass: HomeAssistant, client: ClientSessionGenerator) -> None:
    """Check that the API can send all states; a lone surrogate in one would prevent it."""
    assert await async_setup_component(hass, "api", {})
    response = await (await client()).get("/api/states")
    assert response.status == HTTPStatus.OK
    assert len(await response.json()) >= len(PAIRS)


async def seen_beside_cores(home: MqttHome, *, core_first: bool) -> Seen:
    """Return what core's entities see beside core's own binary sensor."""
    both, binary = core_yaml("+"), {"binary_sensor": binary_sensors("+")}
    first, second = (both, binary) if core_first else (binary, both)
    # Core sets up what it knows already before what is new.
    await reload(home, first, [], "mqtt")
    await reload(home, [first, second], [], "mqtt")
    seen = await see(home)
    await reload(home, [], [], "mqtt")
    return seen


@pytest.mark.parametrize("core_first", [True, False], ids=["core first", "ours first"])
async def test_every_pair_of_encodings_in_both_orders(
    home: MqttHome, hass_client: ClientSessionGenerator, *, core_first: bool
) -> None:
    """With wildcards core keeps the order of its subscriptions, so what it does is certain."""
    expected = await seen_beside_cores(home, core_first=core_first)
    order = ("mqtt", "mqtt_binary") if core_first else ("mqtt_binary", "mqtt")
    await reload(home, core_yaml("+"), binary_sensors("+"), *order)
    assert await see(home) == expected
    await states_can_be_told(home.hass, hass_client)


def readings(payload: bytes, *names: str) -> set[str]:
    """Return what the payload can be read as, by one who shows what he gets."""
    read = {repr(payload)}
    for name in names:
        with contextlib.suppress(UnicodeDecodeError):
            text = payload.decode(ENCODINGS[name] or "utf-8")
            read |= {text, repr(text)}
    return read


async def test_every_pair_of_encodings_over_several_starts(
    home: MqttHome, hass_client: ClientSessionGenerator
) -> None:
    """Without wildcards core's order is any: one of the three encodings on the topic it must be."""
    await reload(home, core_yaml("x"), binary_sensors("x"), "mqtt", "mqtt_binary")
    assert home.entry is not None
    for _ in range(STARTS):
        assert await home.hass.config_entries.async_reload(home.entry.entry_id)
        await until(lambda: home.value("binary_sensor.utf8_utf8") != "unavailable")
        await home.settled()
        for entity, shown in (await see(home)).items():
            pair = entity.partition(".")[2].split("_")
            # A state can also be that of before the payload, which was dropped.
            allowed = {"unknown", "None"}
            for payload, now in zip(PAYLOADS, shown, strict=True):
                allowed |= readings(payload, *pair)
                assert now in allowed, entity
        await states_can_be_told(home.hass, hass_client)


@pytest.mark.parametrize("encoding", ENCODINGS.values())
@pytest.mark.parametrize("topic", ["a/x", "a/+"])
@pytest.mark.parametrize("order", [("mqtt", "mqtt_binary"), ("mqtt_binary", "mqtt")], ids=str)
async def test_ours_read_their_own_encoding_beside_cores_of_the_same(
    home: MqttHome, encoding: str, topic: str, order: tuple[str, str]
) -> None:
    entity = {"state_topic": topic, "encoding": encoding}
    sensor = entity | {"name": "ours", "payload_on": "été"}
    await reload(home, {"sensor": entity | {"name": "core"}}, [sensor], *order)
    for payload, state in (("OFF", "off"), ("été", "on")):
        home.publish("a/x", payload.encode(encoding or "utf-8"))
        await home.wait_for("binary_sensor.ours", state)


async def test_nothing_of_ours_is_registered_in_the_process() -> None:
    with pytest.raises(LookupError):
        "".encode("mqtt_binary_utf8")
