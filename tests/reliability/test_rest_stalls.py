"""A reply of 8 MiB never stalls Home Assistant's loop longer than core would, whatever is in it."""

import asyncio
from collections.abc import Awaitable, Callable
import gc
import logging
import time

from homeassistant.components.rest import create_rest_data_from_config
from homeassistant.components.rest.sensor import PLATFORM_SCHEMA, RestSensor
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template
from homeassistant.helpers.typing import ConfigType
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import (  # type: ignore[import-untyped]  # it has no stubs
    MockEntityPlatform,
)

from tests.rest.home import RestHome, apart
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_documents import document

pytestmark = pytest.mark.reliability

SIZE = 8 * 1024 * 1024 - 64
LEAST = 0.04  # seconds: receiving alone takes some
TICK = 0.002  # seconds
TRIES = 3  # the best one counts: other programs take the processor, too
SENSOR = {
    "timeout": 200,
    "scan_interval": 3600,
    "value_template": "{{ value | length }}",
    "json_attributes": "temperature",
    "force_update": True,
}

TEXTS: dict[str, Callable[[], Answer]] = {
    "records": lambda: Answer(body=document(SIZE)),
    "records, deep inside": lambda: Answer(body=b"[" * 9 + document(SIZE - 18) + b"]" * 9),
    "short strings": lambda: Answer(body=b"[" + b'"ab",' * (SIZE // 5) + b"1]"),
    "one string": lambda: Answer(body=b'{"a":"' + b"x" * SIZE + b'"}'),
    "escapes": lambda: Answer(body=b'{"a":"' + b"\\n" * (SIZE // 2) + b'"}'),
    "digits": lambda: Answer(body=b"1" * SIZE),
    "digits in a list": lambda: Answer(body=b"[" + b"1" * SIZE + b"]"),
    "opening brackets": lambda: Answer(body=b"[" * SIZE),
    "five million dictionaries": lambda: Answer(body=b"[" + b"{}," * (SIZE // 3) + b"1]"),
    "punycode": lambda: Answer(
        body=b"a-" * (SIZE // 2), content_type="text/plain; charset=punycode"
    ),
    "XML": lambda: Answer(
        body=b"<a>" + b"<b>%b</b>" % (b"1" * 57) * (SIZE // 64) + b"</a>", content_type="text/xml"
    ),
}
BODIES: dict[str, Callable[[], Answer]] = {
    **TEXTS,
    "records with one bad byte": lambda: Answer(body=document(SIZE)[:-2] + b'\xff"}'),
    "no UTF-8": lambda: Answer(body=b"\xff" * SIZE),
    "no text of a slow encoding": lambda: Answer(
        body=b"\x81" * SIZE, content_type="text/plain; charset=cp1252"
    ),
}


async def longest_stall(hass: HomeAssistant, until: asyncio.Event) -> float:
    """Return the longest time in seconds that this process kept the event loop waiting.

    What the process did not compute meanwhile, it was the machine that kept it waiting.
    """
    longest = 0.0
    while not until.is_set():
        start, used = hass.loop.time(), time.process_time()
        await asyncio.sleep(TICK)
        waited = hass.loop.time() - start - TICK
        longest = max(longest, min(waited, time.process_time() - used))
    return longest


async def stall_of(
    home: RestHome, endpoint: Endpoint, answer: Answer, poll: Callable[[], Awaitable[None]]
) -> float:
    """Return the longest stall while a reply is fetched, shown, and replaced by another."""
    gc.collect()
    done = asyncio.Event()
    stall = asyncio.create_task(longest_stall(home.hass, done))
    for reply in (answer, Answer.of({"another": 1})):
        endpoint.set("/big", reply)
        await poll()
    done.set()
    return await stall


async def cores_poll(home: RestHome, entry: ConfigType) -> Callable[[], Awaitable[None]]:
    """Return a poll of core's own sensor."""
    config = PLATFORM_SCHEMA(entry)
    rest = create_rest_data_from_config(home.hass, config)
    sensor = RestSensor(home.hass, None, rest, config, {"name": Template("core", home.hass)})
    await MockEntityPlatform(home.hass, platform_name="core").async_add_entities([sensor])

    async def poll() -> None:
        await sensor.async_update()

    return poll


@pytest.mark.parametrize("kind", BODIES)
async def test_the_loop_goes_on(rest_home: RestHome, kind: str) -> None:
    """Fetched, parsed, shown, and let go of when the next reply comes.

    Where bytes fit no encoding, core gives up and has no value: what it takes for a reply of the
    same size that it can read is the measure.
    """
    # As in a real Home Assistant: debugging looks at a dozen files for each task and timer, gives
    # away Python's lock at each of them, and waits 5 ms for every return of it.
    rest_home.hass.loop.set_debug(False)
    logging.getLogger().setLevel(logging.WARNING)  # core's debug log holds whole replies
    answer: Answer = BODIES[kind]()
    readable = answer if kind in TEXTS else TEXTS["records"]()
    async with apart(Endpoint()) as endpoint:
        entry = {"platform": "rest", "resource": f"{endpoint.url}/big", **SENSOR}
        endpoint.set("/big", {"another": 0})
        assert await async_setup_component(rest_home.hass, "sensor", {"sensor": [entry]})
        await rest_home.state("14")
        cores = await cores_poll(rest_home, entry)
        pairs = []
        for _ in range(TRIES):
            core = await stall_of(rest_home, endpoint, readable, cores)
            ours = await stall_of(rest_home, endpoint, answer, rest_home.update)
            pairs.append((ours, core))
            if ours < max(core, LEAST):
                break
        else:
            pytest.fail(f"longest stalls in seconds, ours and core's: {pairs}")
    await rest_home.state("14")
