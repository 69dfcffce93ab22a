"""`for_each`: an entity for each element of a reply, created and removed with it."""

import asyncio
import gc
import logging
import sys
from typing import Any

from aiohttp import web
from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import CoreState, State
from homeassistant.helpers import entity_registry as er
from homeassistant.util.async_ import get_scheduled_timer_handles
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    mock_restore_cache_with_extra_data,
)

from custom_components.rest.sensor import RestSensor
from tests.home import until
from tests.reliability.virtual_time import leaping
from virtual_home.endpoint_answer import Answer

from .home import Form, RestHome

ROOMS = [
    {"id": 7, "name": "Kitchen", "temp": 21.5, "window": True},
    {"id": 8, "name": "Bath", "temp": 23, "window": False},
    {"id": 9, "name": "Hall", "temp": None, "window": False},
]
GROWTH = 5_000
"""Blocks of memory that 20 minutes may take: one of 200 entities has hundreds."""
KEYS = {
    "for_each": "{{ value_json.rooms }}",
    "key": "{{ item.id }}",
    "name": "{{ item.name }}",
    "unique_id": "room",
    "value_template": "{{ item.temp }}",
}


def config(home: RestHome, form: Form, **keys: object) -> dict[str, Any]:
    """Return the YAML of an entity for each room, asked for on demand."""
    return form.config({**home.url("/x"), "scan_interval": 0}, **{**KEYS, **keys})


async def rooms(home: RestHome, rooms: object) -> None:
    """Let the server have these rooms from now on, and ask."""
    home.endpoint.set("/x", {"rooms": rooms})
    await home.hass.services.async_call(
        "homeassistant", "update_entity", {"entity_id": "sensor.poll"}, blocking=True
    )
    await home.hass.async_block_till_done()


async def begin(home: RestHome, form: Form, **keys: object) -> None:
    """Set up, with one sensor more that polls the same request."""
    await home.update("sensor.none")
    yaml = config(home, form, **keys)
    poll = {"name": "poll", "value_template": "ok"}
    if form.is_block:
        yaml["rest"][0].setdefault("sensor", []).append(poll)
    else:
        entry = {"platform": "rest", **home.url("/x"), "scan_interval": 0, **poll}
        yaml.setdefault("sensor", []).append(entry)
    await home.load(yaml)
    await rooms(home, ROOMS)


def states(home: RestHome, domain: str = "sensor") -> dict[str, str]:
    """Return the states of the rooms."""
    return {
        state.entity_id.removeprefix(f"{domain}."): state.state
        for state in home.hass.states.async_all(domain)
        if state.entity_id != "sensor.poll"
    }


async def test_an_entity_for_each_element(home: RestHome, form: Form) -> None:
    is_sensor = form.domain == "sensor"
    await begin(
        home,
        form,
        value_template="{{ item.temp if is_sensor else item.window }}".replace(
            "is_sensor", str(is_sensor)
        ),
    )
    wanted = (
        {"kitchen": "21.5", "bath": "23", "hall": STATE_UNKNOWN}
        if is_sensor
        else {"kitchen": "on", "bath": "off", "hall": "off"}
    )
    assert states(home, form.domain) == wanted
    assert home.endpoint.count("/x") == 1
    assert not home.log()
    entry = er.async_get(home.hass).async_get(f"{form.domain}.kitchen")
    assert entry
    assert entry.unique_id == "room::7"


@pytest.mark.parametrize("is_block", [False, True])
async def test_they_come_and_go_and_stay_themselves(home: RestHome, is_block: bool) -> None:
    form = Form("sensor", is_block=is_block)
    await begin(home, form)
    registry = er.async_get(home.hass)
    registry.async_update_entity("sensor.kitchen", name="My kitchen", new_entity_id="sensor.mine")
    await home.hass.async_block_till_done()
    kitchen, bath, _ = ROOMS
    await rooms(home, [bath | {"temp": 24}, kitchen | {"temp": 20, "name": "Cuisine"}])
    assert states(home) == {"mine": "20", "bath": "24"}
    assert not registry.async_get("sensor.hall")
    attic = {"id": 1, "name": "Attic", "temp": 5}
    await rooms(home, [attic])
    assert states(home) == {"attic": "5"}
    await rooms(home, [kitchen, attic])
    state = home.hass.states.get("sensor.mine")
    assert state
    assert (state.state, state.name) == ("21.5", "My kitchen")
    assert states(home) == {"mine": "21.5", "attic": "5"}
    assert not home.log()


async def test_without_a_unique_id(home: RestHome) -> None:
    await begin(home, Form("sensor", is_block=True), unique_id=None, name="Temperature")
    assert states(home) == {
        "temperature_7": "21.5",
        "temperature_8": "23",
        "temperature_9": STATE_UNKNOWN,
    }
    await rooms(home, ROOMS[1:])
    assert states(home) == {"temperature_8": "23", "temperature_9": STATE_UNKNOWN}


@pytest.mark.parametrize(
    ("reply", "keys", "result"),
    [
        (
            {"a": {"t": 1}, "b": {"t": 2}},
            {"key": None, "name": "{{ key }}", "value_template": "{{ item.t }}"},
            {"a": "1", "b": "2"},
        ),
        (
            {"a": 1, "b": "x"},
            {"key": None, "name": None, "value_template": None},
            {"rest_sensor_a": "1", "rest_sensor_b": "x"},
        ),
        (
            ["p", "q"],
            {"key": None, "name": "{{ item }}", "value_template": None},
            {"p": "p", "q": "q"},
        ),
        (
            [{"id": 1, "x": 5}],
            {"name": "n{{ key }}", "value_template": None},
            {"n1": '{"id":1,"x":5}'},
        ),
        (
            [{"id": 1, "on": 1}, {"id": 2, "on": 0}],
            {
                "for_each": "{{ value_json.rooms | selectattr('on') }}",
                "name": "n{{ key }}",
                "value_template": "{{ item.on }}",
            },
            {"n1": "1"},
        ),
        (
            [1, 2, 3],
            {
                "for_each": "{% set l = value_json.rooms[:2] %}{{ l }}",
                "key": None,
                "name": "n{{ key }}",
                "value_template": "{{ item * 10 }}",
            },
            {"n1": "10", "n2": "20"},
        ),
        (
            {"a": {"id": 1, "temp": 5}, "b": {"id": 2, "temp": 6}},
            {"for_each": "{{ value_json.rooms.values() }}", "name": "n{{ key }}"},
            {"n1": "5", "n2": "6"},
        ),
        (
            {"a": 5, "b": 6},
            {
                "for_each": "{{ value_json.rooms.items() }}",
                "key": "{{ item[0] }}",
                "name": "n{{ key }}",
                "value_template": "{{ item[1] }}",
            },
            {"na": "5", "nb": "6"},
        ),
        (
            ["p", "q", "p"],
            {
                "for_each": "{{ set(value_json.rooms) }}",
                "key": None,
                "name": "{{ item }}",
                "value_template": None,
            },
            {"p": "p", "q": "q"},
        ),
        ([], {}, {}),
    ],
    ids=[
        *("map", "scalars of a map", "texts", "whole", "filter", "statements"),
        *("values", "items", "set", "none"),
    ],
)
async def test_shapes(
    home: RestHome, reply: object, keys: dict[str, object], result: dict[str, str]
) -> None:
    await begin(home, Form("sensor", is_block=True), **keys)
    await rooms(home, reply)
    assert states(home) == result


async def test_attributes_icon_and_availability_are_of_the_element(home: RestHome) -> None:
    await begin(
        home,
        Form("sensor", is_block=False),
        json_attributes=["window", "temp"],
        json_attributes_template="{{ {'floor': key | int - 6} }}",
        icon="{{ 'mdi:window-open' if item.window else 'mdi:window-closed' }}",
        availability="{{ item.temp is not none and value_json.rooms | length > 1 }}",
    )
    kitchen = home.hass.states.get("sensor.kitchen")
    assert kitchen
    assert (
        kitchen.attributes.items()
        >= {
            "window": True,
            "temp": 21.5,
            "floor": 1,
            "icon": "mdi:window-open",
        }.items()
    )
    assert states(home) == {"kitchen": "21.5", "bath": "23", "hall": STATE_UNAVAILABLE}


async def test_a_failed_poll_removes_nothing(home: RestHome) -> None:
    await begin(home, Form("sensor", is_block=True), max_failures=2)
    for answer, state in (
        (Answer(status=500), "23"),
        (Answer(status=500), STATE_UNAVAILABLE),
        (Answer.of("no JSON"), STATE_UNAVAILABLE),
        (Answer.of({"rooms": 5}), STATE_UNAVAILABLE),
        (Answer.of({}), STATE_UNAVAILABLE),
    ):
        home.endpoint.set("/x", answer)
        await home.update("sensor.poll")
        assert states(home)["bath"] == state
    assert any("for_each gives neither a list nor a dictionary" in line for line in home.log())
    assert any("for_each failed: " in line for line in home.log())
    await rooms(home, ROOMS)
    assert states(home) == {"kitchen": "21.5", "bath": "23", "hall": STATE_UNKNOWN}


async def test_elements_without_a_key_are_left_out_and_named(home: RestHome) -> None:
    await begin(home, Form("sensor", is_block=True))
    kitchen, bath, hall = ROOMS
    long = {"id": "canary" * 50, "name": "long"}
    await rooms(home, [kitchen, {"name": "none"}, kitchen | {"temp": 1}, bath, long, 5, hall])
    assert states(home) == {"kitchen": "21.5", "bath": "23", "hall": STATE_UNKNOWN}
    lines = "\n".join(home.log())
    for number in (2, 5, 6):
        assert f"key: element {number} has none" in lines
    assert "key: element 3 has the key of one before it" in lines
    assert "canary" not in lines


@pytest.mark.parametrize("for_each", [KEYS["for_each"], "{{ value_json.rooms[0] | dictsort }}"])
async def test_what_changes_is_no_key(home: RestHome, for_each: str) -> None:
    """A dictionary or a pair has values in it: as a key, it would be another with each poll."""
    await begin(home, Form("sensor", is_block=True), key=None, for_each=for_each)
    assert states(home) == {}
    assert "give a template such as {{ item.id }}" in home.log()[0]


async def test_more_than_a_home_can_have(home: RestHome) -> None:
    await begin(
        home,
        Form("sensor", is_block=True),
        key=None,
        name=None,
        value_template=None,
        unique_id=None,
    )
    await rooms(home, [*range(1100)])
    assert len(states(home)) == 1000
    assert any("more than 1000 elements" in line for line in home.log())


@pytest.mark.parametrize("is_block", [False, True])
async def test_a_reload(home: RestHome, is_block: bool) -> None:
    """What is unchanged stays as it is; a change keeps what the registry knows."""
    form = Form("sensor", is_block=is_block)
    home.endpoint.set("/x", {"rooms": ROOMS})
    yaml = form.config(home.url("/x"), **KEYS)
    await home.load(yaml)
    await home.state("21.5", "sensor.kitchen")
    er.async_get(home.hass).async_update_entity("sensor.bath", name="My bath")
    await home.hass.async_block_till_done()
    before = home.hass.states.get("sensor.kitchen")
    await home.reload(yaml)
    await home.hass.async_block_till_done()
    assert home.hass.states.get("sensor.kitchen") is before
    await home.reload(
        form.config(home.url("/x"), **KEYS | {"value_template": "{{ item.temp * 2 }}"})
    )
    state = await home.state("46", "sensor.bath")
    assert state.name == "My bath"
    await home.state("43.0", "sensor.kitchen")
    await home.reload({"sensor": []})
    assert {state.state for state in home.hass.states.async_all("sensor")} == {STATE_UNAVAILABLE}
    polls = home.endpoint.count("/x")
    await home.passes(61)
    await asyncio.sleep(0.2)
    assert home.endpoint.count("/x") == polls


async def test_what_is_enabled_again_comes_with_a_reload(home: RestHome) -> None:
    registry = er.async_get(home.hass)
    registry.async_get_or_create(
        "sensor",
        "rest",
        "room::8",
        disabled_by=er.RegistryEntryDisabler.USER,
        suggested_object_id="bath",
    )
    home.endpoint.set("/x", {"rooms": ROOMS})
    yaml = Form("sensor", is_block=True).config(home.url("/x"), **KEYS)
    await home.load(yaml)
    await home.state("21.5", "sensor.kitchen")
    assert "bath" not in states(home)
    registry.async_update_entity("sensor.bath", disabled_by=None)
    await home.reload(yaml)
    await home.state("23", "sensor.bath")


async def test_they_are_restored(home: RestHome) -> None:
    """Before the first reply nobody knows which elements there are but the registry."""
    registry = er.async_get(home.hass)
    for key, name in ((7, "kitchen"), (5, "gone")):
        registry.async_get_or_create("sensor", "rest", f"room::{key}", suggested_object_id=name)
    stored = [
        (
            State(f"sensor.{name}", "19"),
            {"value": "19", "attributes": {}, "look": {"name": f"The {name}"}},
        )
        for name in ("kitchen", "gone")
    ]
    mock_restore_cache_with_extra_data(home.hass, stored)
    home.hass.set_state(CoreState.running)
    home.endpoint.set("/x", Answer.of({"rooms": ROOMS}, delay=0.5))
    await home.load(Form("sensor", is_block=False).config(home.url("/x"), **KEYS, restore=True))
    assert states(home) == {"kitchen": "19", "gone": "19"}
    state = home.hass.states.get("sensor.kitchen")
    assert state
    assert state.name == "The kitchen"
    await home.state("21.5", "sensor.kitchen")
    await until(lambda: "gone" not in states(home))
    assert registry.async_get("sensor.gone") is None
    assert states(home) == {"kitchen": "21.5", "bath": "23", "hall": STATE_UNKNOWN}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"key": "{{ item.id }}"}, "key needs for_each beside it"),
        ({"for_each": "{{ value_json }}", "select": "p"}, "for_each reads JSON, select a web page"),
    ],
)
async def test_a_mistake_is_named(
    home: RestHome, form: Form, keys: dict[str, object], message: str
) -> None:
    await home.load(form.config(home.url("/x"), **keys))
    (error,) = home.log(40, "homeassistant.config")
    assert message in error


async def test_200_changing_elements_for_an_hour(
    home: RestHome, caplog: pytest.LogCaptureFixture
) -> None:
    """With each poll of 30 s some come, some go, all change their places and values."""
    polls = 0

    async def answer(_: web.BaseRequest) -> web.StreamResponse:
        nonlocal polls
        polls += 1
        order = sorted(present(polls), key=lambda room: (room * 37 + polls) % 101)
        rooms = [{"id": room, "temp": room + polls, "more": [polls]} for room in order]
        return web.json_response({"rooms": rooms})

    def present(poll: int) -> set[int]:
        return {(poll * 7 + number) % 300 for number in range(200)}

    def is_right() -> bool:
        return states(home) == {f"room_{room}": str(room + polls) for room in present(polls)}

    home.endpoint.set("/x", answer)
    sensor = {**KEYS, "name": "room {{ key }}", "json_attributes": "more"}
    with leaping(home.hass) as clock:
        start = clock.now
        await home.load({"rest": [{**home.url("/x"), "scan_interval": 30, "sensor": [sensor]}]})
        counts: list[tuple[int, int, int, int]] = []
        for minute in range(1, 61):
            await asyncio.sleep(start + minute * 60 + 15 - clock.now)
            assert is_right(), minute
            if minute % 20 == 0:
                caplog.set_level(logging.CRITICAL)  # the records would count as memory
                caplog.clear()
                home.endpoint.requests.clear()
                counts.append(in_memory(home))
    _, (*before, memory_before), (*after, memory_after) = counts
    assert all(now <= then for now, then in zip(after, before, strict=True)), counts
    assert memory_after - memory_before < GROWTH, counts
    assert 119 <= polls <= 123, polls
    registry = er.async_get(home.hass)
    assert {entry.unique_id for entry in registry.entities.values()} == {
        f"room::{room}" for room in present(polls)
    }
    assert len(home.hass.states.async_all()) == 200
    assert {state.attributes["more"][0] for state in home.hass.states.async_all()} == {polls}


def in_memory(home: RestHome) -> tuple[int, int, int, int]:
    """Return how many tasks, timers, entities and blocks of memory there are."""
    gc.collect()
    timers = [
        timer for timer in get_scheduled_timer_handles(home.hass.loop) if not timer.cancelled()
    ]
    entities = [thing for thing in gc.get_objects() if isinstance(thing, RestSensor)]
    count = len(entities)
    del entities
    gc.collect()
    return len(asyncio.all_tasks()), len(timers), count, sys.getallocatedblocks()
