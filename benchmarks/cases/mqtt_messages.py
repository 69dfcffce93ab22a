"""1,000 MQTT sensors of each kind: what a message costs from core's MQTT client on."""

import asyncio
from collections.abc import Sequence
from functools import partial
import time

from homeassistant.components.binary_sensor import BinarySensorEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_component import DATA_INSTANCES

from benchmarks.case import Case, Job, Peers
from benchmarks.messages import Kind, check_states, cost, hand_over, ignore_all, listening
from benchmarks.summary import Row

SENSORS = 1_000
ROUNDS = 12

KINDS = (
    Kind(name="plain", config={}),
    Kind(name="expiring", config={"expire_after": 3600}),
    Kind(
        name="templated",
        config={"value_template": "{{ value_json.state }}"},
        on='{"state": "ON", "battery": 87, "linkquality": 120}',
        off='{"state": "OFF", "battery": 87, "linkquality": 120}',
    ),
)
FLOOR = Kind(name="floor", config={})


class Toggle(BinarySensorEntity):
    """As little as an entity can be."""

    _attr_should_poll = False

    def __init__(self, number: int) -> None:
        self.entity_id = f"binary_sensor.toggle_{number}"
        self._attr_is_on = False

    @callback
    def toggle(self) -> None:
        """Write the other state."""
        self._attr_is_on = not self._attr_is_on
        self.async_write_ha_state()


async def _state_write(hass: HomeAssistant, count: int, rounds: int) -> float:
    """Return microseconds of CPU per state that a minimal entity writes."""
    entities = [Toggle(number) for number in range(count)]
    await hass.data[DATA_INSTANCES]["binary_sensor"].async_add_entities(entities)
    start = time.process_time()
    for _ in range(rounds):
        for entity in entities:
            entity.toggle()
        await asyncio.sleep(0)
    return (time.process_time() - start) / (count * rounds) * 1e6


async def _run(job: Job) -> dict[str, float]:
    count, rounds = (10, 2) if job.tiny else (SENSORS, ROUNDS)
    values: dict[str, float] = {}
    async with listening(job, KINDS, count) as (hass, wire):
        feed = partial(hand_over, hass)
        for kind in KINDS:
            topics = kind.topics(count)
            values[f"{kind.name} unchanged"] = await cost(feed, topics, [kind.on] * rounds)
            check_states(hass, kind, count, "on")
            changes = [kind.off, kind.on] * (rounds // 2)
            values[f"{kind.name} changed"] = await cost(feed, topics, changes)
            await feed(topics, [kind.off])
            check_states(hass, kind, count, "off")
        await ignore_all(hass, FLOOR.topics(count))
        await wire.until_subscribed()
        values["dispatch"] = await cost(feed, FLOOR.topics(count), ["ON"] * rounds)
        values["write"] = await _state_write(hass, count, rounds)
    return values


def _row(key: str, what: str, target: float) -> Row:
    return Row(key=key, what=f"message {what}", unit="µs", target={"core": target})


_ROWS: Sequence[Row] = (
    _row("plain unchanged", "unchanged", 1.3),
    _row("plain changed", "changed", 1.15),
    _row("expiring unchanged", "with expire_after, unchanged", 1.5),
    _row("expiring changed", "with expire_after, changed", 1.5),
    _row("templated unchanged", "with a value_json template, unchanged", 1.1),
    _row("templated changed", "with a value_json template, changed", 1.1),
    Row(key="dispatch", what="floor: the client's dispatch to a callback", unit="µs"),
    Row(key="write", what="floor: a minimal entity's state write", unit="µs"),
)

CASE = Case(
    name="mqtt",
    what="1,000 MQTT binary sensors, CPU per message, from core's MQTT client on",
    run=_run,
    rows=_ROWS,
    peers=Peers(broker=True),
)
