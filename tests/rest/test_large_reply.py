"""A large reply does not stop Home Assistant."""

import asyncio
from datetime import timedelta
import weakref

from homeassistant.core import HomeAssistant

from custom_components.rest.coordinators import async_coordinators
from custom_components.rest.reply import Reply
from custom_components.rest.request import Request
from custom_components.rest.schema import PLATFORM_SCHEMA
from virtual_home.endpoint_documents import document

from .conftest import Home

SIZE = 16 * 1024 * 1024 - 1
TICK = 0.005  # seconds


async def longest_stall(hass: HomeAssistant, until: asyncio.Event) -> float:
    """Return the longest time in seconds that the event loop was away."""
    longest = 0.0
    while not until.is_set():
        start = hass.loop.time()
        await asyncio.sleep(TICK)
        longest = max(longest, hass.loop.time() - start - TICK)
    return longest


async def test_the_loop_goes_on(home: Home) -> None:
    home.endpoint.set("/big", document(SIZE))
    done = asyncio.Event()
    stall = asyncio.create_task(longest_stall(home.hass, done))
    await home.set_up(
        "- platform: rest\n  resource: URL/big\n  timeout: 60\n"
        "  value_template: '{{ value_json.records | length }}'\n  json_attributes: temperature\n"
    )
    state = await home.state(lambda state: state.state.isdigit(), timeout=60)
    done.set()
    assert state.attributes["temperature"] == 21.5
    assert await stall < 0.5  # parsing alone would take it away for a second


class Listener:
    """A sensor that remembers what was worked out already when a reply came."""

    entity_id = "sensor.listener"

    def __init__(self, *, wants_text: bool) -> None:
        self.wants_text = wants_text
        self.heard: list[tuple[Reply, bool, bool]] = []

    def on_reply(self, reply: Reply) -> None:
        """Remember."""
        self.heard.append((reply, reply.is_parsed(text=False), reply.is_parsed(text=True)))

    def on_failure(self, failures: int) -> None:
        """Fail."""
        raise AssertionError(failures)


async def test_text_is_worked_out_for_those_who_want_it_and_never_in_the_loop(home: Home) -> None:
    home.endpoint.set("/big", document(1_000_000))
    config = PLATFORM_SCHEMA({"platform": "rest", "resource": f"{home.endpoint.url}/big"})
    coordinator = async_coordinators(home.hass).get(Request.from_config(config), timedelta(hours=1))
    first, second = Listener(wants_text=False), Listener(wants_text=False)
    late = Listener(wants_text=True)
    leave = [coordinator.listen(first)]
    await home.until(lambda: first.heard)
    leave.append(coordinator.listen(second))
    assert [heard[1:] for heard in (first.heard[0], second.heard[0])] == [(True, False)] * 2
    leave.append(coordinator.listen(late))
    assert not late.heard
    await home.until(lambda: late.heard)
    assert late.heard[0] == (first.heard[0][0], True, True)
    assert home.endpoint.count("/big") == 2
    for each in leave:
        each()


async def test_the_former_reply_is_let_go_of_before_the_next_is_parsed(home: Home) -> None:
    class Tree(dict[str, object]):
        """A dictionary that can be watched."""

    home.endpoint.set("/x", {"a": 1})
    config = PLATFORM_SCHEMA({"platform": "rest", "resource": f"{home.endpoint.url}/x"})
    coordinator = async_coordinators(home.hass).get(Request.from_config(config), timedelta(hours=1))
    listener = Listener(wants_text=False)
    leave = coordinator.listen(listener)
    await home.until(lambda: listener.heard)
    former = listener.heard[0][0]
    tree = former.json = Tree(a=1)
    watched = weakref.ref(tree)
    del tree
    home.endpoint.set("/x", {"a": 2})
    await coordinator.poll()
    assert watched() is None
    assert listener.heard[1][0].json == {"a": 2}
    assert former.json == {"a": 1}  # again, from the body
    leave()
