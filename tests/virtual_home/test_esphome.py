"""The virtual ESPHome proxy, driven by the client that Home Assistant uses."""

import asyncio
from collections.abc import AsyncGenerator

from aioesphomeapi import InfraredInfo, InfraredRFReceiveEvent
from aioesphomeapi.client import APIClient
import pytest

from virtual_home.esphome import EMITTER_KEY, RECEIVER_KEY, EsphomeProxy

from ..home import until


@pytest.fixture
async def proxy() -> AsyncGenerator[EsphomeProxy]:
    async with EsphomeProxy("Attic proxy") as proxy:
        yield proxy


@pytest.fixture
async def client(proxy: EsphomeProxy) -> AsyncGenerator[APIClient]:
    client = APIClient(proxy.host, proxy.port, None)
    await client.connect(login=True)
    yield client
    await client.disconnect()


async def test_what_it_is(client: APIClient) -> None:
    info = await client.device_info()
    assert (info.name, info.friendly_name) == ("attic-proxy", "Attic proxy")
    entities, services = await client.list_entities_services()
    assert not services
    assert [
        (entity.key, entity.object_id, int(entity.capabilities))
        for entity in entities
        if isinstance(entity, InfraredInfo)
    ] == [(EMITTER_KEY, "emitter", 1), (RECEIVER_KEY, "receiver", 2)]


async def test_it_transmits_what_it_is_told_to(proxy: EsphomeProxy, client: APIClient) -> None:
    timings = [9000, -4500, *[560, -560] * 200, 560]
    client.infrared_rf_transmit_raw_timings(EMITTER_KEY, carrier_frequency=38_000, timings=timings)
    await until(lambda: proxy.transmitted)
    assert proxy.transmitted == [timings]


async def test_it_reports_a_reception_when_it_has_ended(
    proxy: EsphomeProxy, client: APIClient
) -> None:
    received: list[tuple[float, InfraredRFReceiveEvent]] = []
    loop = asyncio.get_running_loop()
    client.subscribe_infrared_rf_receive(lambda event: received.append((loop.time(), event)))
    frame = [3000, -3000, *[500, -1500] * 20, 500]
    start = loop.time()
    await proxy.press([*frame, -9_000, *frame, -30_000, *frame])
    await until(lambda: len(received) == 2)
    assert all(event.key == RECEIVER_KEY for _, event in received)
    assert [event.timings for _, event in received] == [
        [*frame, -9_000, *frame, -10_000],
        [*frame, -10_000],
    ]
    first, second = (at - start for at, _ in received)
    lasts = sum(map(abs, frame)) / 1e6
    assert first >= 2 * lasts + 0.019
    assert second >= 3 * lasts + 0.049
