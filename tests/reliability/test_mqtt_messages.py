"""Nothing is lost, doubled or overtaken on the way from the broker to the state machine."""

import asyncio
from collections import defaultdict
import json
import time

from homeassistant.const import EVENT_STATE_CHANGED
from homeassistant.core import Event, EventStateChangedData, callback
import pytest

from tests.mqtt_binary.home import MqttHome

pytestmark = pytest.mark.reliability

SENSORS = 1_000
PER_SENSOR = 100
# Published before waiting for the broker and Home Assistant to catch up.
BATCH = 5
DEADLINE_S = 240.0


async def test_100_000_messages_are_all_seen_each_once_and_in_order(mqtt_home: MqttHome) -> None:
    """1,000 sensors show 100 messages each: every one, once, in the order of sending."""
    await mqtt_home.set_up(
        *(
            {
                "state_topic": f"s/{n}",
                "name": f"s{n}",
                "value_template": "{{ value_json.state }}",
                "json_attributes_topic": f"s/{n}",
            }
            for n in range(SENSORS)
        )
    )
    shown: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    count = 0

    @callback
    def changed(event: Event[EventStateChangedData]) -> None:
        nonlocal count
        state = event.data["new_state"]
        assert state is not None
        shown[state.entity_id].append((state.state, state.attributes["n"]))
        count += 1

    mqtt_home.hass.bus.async_listen(EVENT_STATE_CHANGED, changed)
    deadline = time.monotonic() + DEADLINE_S
    for number in range(PER_SENSOR):
        payload = json.dumps({"state": "OFF" if number % 3 else "ON", "n": number})
        for sensor in range(SENSORS):
            mqtt_home.publish(f"s/{sensor}", payload)
        if number % BATCH == BATCH - 1:
            while count < (number + 1) * SENSORS:
                assert time.monotonic() < deadline, f"{count} of {(number + 1) * SENSORS}"
                await asyncio.sleep(0.02)
    sent = [("off" if number % 3 else "on", number) for number in range(PER_SENSOR)]
    assert len(shown) == SENSORS
    assert all(seen == sent for seen in shown.values())
