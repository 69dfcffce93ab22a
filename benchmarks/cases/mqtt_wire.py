"""1,000 MQTT sensors on a real broker: cost of a message in Home Assistant, from the socket on."""

from benchmarks.case import Case, Job, Peers
from benchmarks.messages import Kind, check_states, cost, ignore_all, listening
from benchmarks.summary import Row

SENSORS = 1_000
FLOOR_TOPICS = 100
ROUNDS = 2

PLAIN = Kind(name="plain", config={})
FLOOR = Kind(name="floor", config={})


async def _run(job: Job) -> dict[str, float]:
    count, floor_count = (10, 10) if job.tiny else (SENSORS, FLOOR_TOPICS)
    values: dict[str, float] = {}
    async with listening(job, [PLAIN], count) as (hass, wire):
        topics = PLAIN.topics(count)
        await wire.publish(topics, [PLAIN.off])
        check_states(hass, PLAIN, count, "off")
        values["unchanged"] = await cost(wire.publish, topics, [PLAIN.off] * ROUNDS)
        values["changed"] = await cost(wire.publish, topics, [PLAIN.on, PLAIN.off] * (ROUNDS // 2))
        await wire.publish(topics, [PLAIN.on])
        check_states(hass, PLAIN, count, "on")
        floor = FLOOR.topics(floor_count)
        await ignore_all(hass, floor)
        await wire.until_subscribed()
        rounds = ROUNDS * count // floor_count
        values["floor"] = await cost(wire.publish, floor, ["ON"] * rounds)
    return values


CASE = Case(
    name="mqtt-wire",
    what="1,000 MQTT binary sensors, CPU per message, from the broker's socket on",
    run=_run,
    rows=(
        Row(key="unchanged", what="message unchanged", unit="µs"),
        Row(key="changed", what="message changed", unit="µs"),
        Row(key="floor", what="floor: socket, paho and dispatch", unit="µs"),
    ),
    peers=Peers(broker=True),
)
