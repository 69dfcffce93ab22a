"""1,000 MQTT sensors of each kind: cost of a message, starting at core's MQTT client.

Two fresh processes differ by more than the sides do. All sensors are therefore in one process, and
the sides take turns in blocks of 1,000 messages. Ours are measured twice: the difference between
both is the uncertainty of the comparison with core.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
import time

from homeassistant.components.binary_sensor import BinarySensorEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.util import slugify

from benchmarks.case import Case, Job, Peers, Round
from benchmarks.messages import (
    CORE,
    Kind,
    all_listening,
    check_states,
    cost,
    hand_over,
    ignore_all,
)
from benchmarks.summary import OURS, Row

SENSORS = 1_000
BLOCKS = 40
AGAIN = "ours again"
SIDES = (OURS, CORE, AGAIN)

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
    """A minimal entity."""

    _attr_should_poll = False

    def __init__(self, number: int) -> None:
        self.entity_id = f"binary_sensor.toggle_{number}"
        self._attr_is_on = False

    @callback
    def toggle(self) -> None:
        """Write the opposite state."""
        self._attr_is_on = not self._attr_is_on
        self.async_write_ha_state()


async def _toggles(hass: HomeAssistant, count: int) -> list[Toggle]:
    entities = [Toggle(number) for number in range(count)]
    await hass.data[DATA_INSTANCES]["binary_sensor"].async_add_entities(entities)
    return entities


async def _write(toggles: Sequence[Toggle]) -> float:
    """Return microseconds of CPU per state written by a minimal entity."""
    start = time.process_time()
    for toggle in toggles:
        toggle.toggle()
    await asyncio.sleep(0)
    return (time.process_time() - start) / len(toggles) * 1e6


async def _run(job: Job) -> list[Round]:
    """Measure each kind with the sensors of all sides in one process, in blocks of messages."""
    count, blocks = (10, 2) if job.tiny else (SENSORS, BLOCKS)
    rounds: list[dict[str, dict[str, float]]]
    rounds = [{side: {} for side in SIDES} for _ in range(blocks)]
    for kind in KINDS:
        sides = {side: replace(kind, name=f"{slugify(side)}_{kind.name}") for side in SIDES}
        async with all_listening(job.inside(kind.name), sides, count) as (hass, wire):
            feed = partial(hand_over, hass)
            before, after = kind.on, kind.off
            for number, values in enumerate(rounds):
                for what, payload in ("unchanged", before), ("changed", after):
                    for side in SIDES[:: -1 if number % 2 else 1]:
                        topics = sides[side].topics(count)
                        values[side][f"{kind.name} {what}"] = await cost(feed, topics, [payload])
                before, after = after, before
            for side_kind in sides.values():
                check_states(hass, side_kind, count, "off" if blocks % 2 else "on")
            if kind is KINDS[0]:
                await ignore_all(hass, FLOOR.topics(count))
                await wire.until_subscribed()
                toggles = await _toggles(hass, count)
                for values in rounds:
                    values[OURS]["dispatch"] = await cost(feed, FLOOR.topics(count), ["ON"])
                    values[OURS]["write"] = await _write(toggles)
    return list(rounds)


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
    sides=SIDES,
    one_process=True,
    peers=Peers(broker=True),
    most_pairs=3,
)
