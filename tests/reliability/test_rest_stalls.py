"""Home Assistant's loop never stalls over 100 ms at a reply of 16 MiB, whatever is in it."""

import asyncio
from collections.abc import Callable
import time

from homeassistant.core import HomeAssistant
import pytest

from tests.rest.conftest import Home, apart, endpoint_fixture, home_fixture  # noqa: F401  (fixtures)
from virtual_home.endpoint import Endpoint
from virtual_home.endpoint_answer import Answer
from virtual_home.endpoint_documents import document

pytestmark = pytest.mark.reliability

SIZE = 16 * 1024 * 1024 - 64
LIMIT = 0.1  # seconds
TICK = 0.002  # seconds
TRIES = 3  # the best one counts: other programs take the processor, too

BODIES: dict[str, Callable[[], Answer]] = {
    "records": lambda: Answer(body=document(SIZE)),
    "records, deep inside": lambda: Answer(body=b"[" * 9 + document(SIZE - 18) + b"]" * 9),
    "records with one bad byte": lambda: Answer(body=document(SIZE)[:-2] + b'\xff"}'),
    "short strings": lambda: Answer(body=b"[" + b'"ab",' * (SIZE // 5) + b"1]"),
    "one string": lambda: Answer(body=b'{"a":"' + b"x" * SIZE + b'"}'),
    "escapes": lambda: Answer(body=b'{"a":"' + b"\\n" * (SIZE // 2) + b'"}'),
    "digits": lambda: Answer(body=b"1" * SIZE),
    "digits in a list": lambda: Answer(body=b"[" + b"1" * SIZE + b"]"),
    "opening brackets": lambda: Answer(body=b"[" * SIZE),
    "five million dictionaries": lambda: Answer(body=b"[" + b"{}," * (SIZE // 3) + b"1]"),
    "no UTF-8": lambda: Answer(body=b"\xff" * SIZE),
    "no text of a slow encoding": lambda: Answer(
        body=b"\x81" * SIZE, content_type="text/plain; charset=cp1252"
    ),
    "punycode": lambda: Answer(
        body=b"a-" * (SIZE // 2), content_type="text/plain; charset=punycode"
    ),
    "XML": lambda: Answer(
        body=b"<a>" + b"<b>%b</b>" % (b"1" * 57) * (SIZE // 64) + b"</a>", content_type="text/xml"
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


@pytest.mark.parametrize("kind", BODIES)
async def test_the_loop_goes_on(home: Home, kind: str) -> None:
    """Fetched, parsed, shown, and let go of when the next reply comes."""
    # As in a real Home Assistant: debugging looks at a dozen files for each task and timer, gives
    # away Python's lock at each of them, and waits 5 ms for every return of it.
    home.hass.loop.set_debug(False)
    answer = BODIES[kind]()
    async with apart(Endpoint()) as endpoint:
        endpoint.set("/big", answer)
        await home.set_up(
            f"- platform: rest\n  resource: {endpoint.url}/big\n  timeout: 200\n"
            "  scan_interval: 3600\n  value_template: '{{ value | length }}'\n"
            "  json_attributes: temperature\n  force_update: true\n"
        )
        stalls = []
        for _ in range(TRIES):
            done = asyncio.Event()
            stall = asyncio.create_task(longest_stall(home.hass, done))
            await home.update()
            endpoint.set("/big", Answer.of({"another": 1}))
            await home.update()
            done.set()
            stalls.append(await stall)
            if stalls[-1] < LIMIT:
                break
            endpoint.set("/big", answer)
        assert endpoint.count("/big") == 2 * len(stalls)
    await home.state("14")
    assert min(stalls) < LIMIT, stalls
