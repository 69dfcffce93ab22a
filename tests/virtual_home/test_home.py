"""The virtual home as a whole, and its remote control."""

import asyncio
import base64
from collections.abc import AsyncGenerator
import contextlib
import sys

import aiohttp
import broadlink_async
import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from tests.files import ROOT
from virtual_home.control import BUTTON, serve
from virtual_home.home import HUBS, Home
from virtual_home.hub import free_udp_port


@contextlib.asynccontextmanager
async def home_under_control() -> AsyncGenerator[tuple[Home, aiohttp.ClientSession]]:
    async with Home() as home, serve(home, 0) as url, aiohttp.ClientSession(url) as session:
        yield home, session


async def post(session: aiohttp.ClientSession, path: str, body: str = "") -> tuple[int, str]:
    async with session.post(path, data=body) as reply:
        return reply.status, await reply.text()


async def test_control_names_everything_there_is() -> None:
    async with home_under_control() as (home, session), session.get("/") as reply:
        listing = await reply.json()
        assert listing["endpoint"] == home.endpoint.url
        assert listing["hubs"].keys() == HUBS.keys()
        assert listing["hubs"]["lounge"]["port"] == home.hubs["lounge"].port


async def test_a_broadcast_finds_every_hub() -> None:
    port = free_udp_port()
    async with Home(discovery_port=port) as home:
        missing = {(hub.host, hub.port) for hub in home.hubs.values()}
        found = broadlink_async.xdiscover(20, "127.0.0.1", "127.255.255.255", port)
        async with contextlib.aclosing(found) as devices:
            while missing:
                missing.discard((await anext(devices)).host)


async def test_button_is_heard_only_while_learning() -> None:
    async with home_under_control() as (home, session):
        assert await post(session, "/press/lounge") == (200, "the hub was not listening\n")
        home.hubs["lounge"].quirks.noise = False
        home.hubs["lounge"].receiver.listen("ir")
        assert await post(session, "/press/lounge") == (200, "heard\n")
        assert home.hubs["lounge"].receiver.capture is not None


async def test_control_refuses_in_words() -> None:
    async with home_under_control() as (_, session):
        assert await post(session, "/press/cellar") == (
            404,
            "There is no such hub: lounge, air, lamp, strip, attic, bedroom exist.\n",
        )
        assert (await post(session, "/press/air"))[0] == 400
        assert (await post(session, "/press/lounge", "no base64"))[0] == 400
        assert (await post(session, "/fault/lounge/thunder"))[0] == 404
        assert (await post(session, "/fault/lounge/loss", "much"))[0] == 400


async def test_faults_come_and_go() -> None:
    async with home_under_control() as (home, session):
        assert await post(session, "/fault/air/loss", "0.5") == (200, "loss is 0.5\n")
        assert home.hubs["air"].faults.loss == 0.5
        assert await post(session, "/fault/air/silent", "1") == (200, "silent is True\n")
        await post(session, "/fault/air/silent")
        assert home.hubs["air"].faults.silent is False


async def test_contact_leaves_a_last_will() -> None:
    seen: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def hear(_client: mqtt.Client, _data: object, message: mqtt.MQTTMessage) -> None:
        loop.call_soon_threadsafe(seen.put_nowait, (message.topic, message.payload))

    async with Home() as home:
        listener = mqtt.Client(CallbackAPIVersion.VERSION2)
        listener.on_message = hear
        listener.connect(home.broker.host, home.broker.port)
        listener.subscribe("home/window/#", qos=1)
        listener.loop_start()
        try:
            async with asyncio.timeout(10):
                assert await seen.get() == ("home/window/availability", b"online")
                home.contact.report("ON")
                assert await seen.get() == ("home/window/state", b"ON")
                await home.contact.lose_power()
                assert await seen.get() == ("home/window/availability", b"offline")
                await home.contact.power_up()
                assert await seen.get() == ("home/window/availability", b"online")
        finally:
            listener.disconnect()
            listener.loop_stop()


async def run(*words: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "virtual_home", *words, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


async def test_command_line_presses_a_button() -> None:
    async with Home() as home, serve(home, 0) as url:
        home.hubs["lounge"].quirks.noise = False
        home.hubs["lounge"].receiver.listen("ir")
        packet = base64.b64encode(BUTTON).decode()
        assert await run("press", "lounge", packet, "--control", url) == (0, "heard\n")
        assert await run("sent", "lounge", "--control", url) == (0, "")
        assert (await run("press", "cellar", "--control", url))[0] == 1
        assert (await run("dance", "--control", url))[0] == 2


async def test_home_runs_by_itself_until_told_to_stop() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", "-m", "virtual_home", "--port", "0"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):  # two processes import all of it
            line = (await process.stdout.readline()).decode()
            url = line.split()[-1].rstrip(".")
            while b"Press a button" not in await process.stdout.readline():
                pass
            assert (await run("show", "--control", url))[0] == 0
            process.terminate()
            assert await process.wait() == 0
        code, output = await run("show", "--control", url)
        assert code == 1
        assert "start it" in output
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
