"""A step that fails is told as one that was not seen, and the story goes on."""

from collections.abc import AsyncGenerator
import contextlib

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from demo.client import Client
from demo.story import Story


async def home_assistant(request: web.Request) -> web.WebSocketResponse:
    """Speak as Home Assistant does, refuse the service a.refuse, and go at a.go."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_json({"type": "auth_required"})
    await socket.receive_json()
    await socket.send_json({"type": "auth_ok"})
    async for frame in socket:
        message = frame.json()
        answer = {"id": message["id"], "type": "result", "success": True, "result": {}}
        match message:
            case {"type": "get_states"}:
                answer["result"] = []
            case {"service": "refuse"}:
                answer |= {"success": False, "error": {"message": "The hub is locked"}}
            case {"service": "go"}:
                break
        await socket.send_json(answer)
    return socket


@contextlib.asynccontextmanager
async def connected() -> AsyncGenerator[Client]:
    """Run a client of such a Home Assistant."""
    app = web.Application()
    app.router.add_get("/api/websocket", home_assistant)
    async with TestServer(app) as server, Client(str(server.make_url("/")), "token") as client:
        yield client


async def call(client: Client, service: str) -> str:
    await client.call(service)
    return "called"


async def test_a_refused_call_is_a_step_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    story = Story()
    async with connected() as client:
        await story.step("It obeys", call(client, "a.obey"))
        await story.step("It refuses", call(client, "a.refuse"))
        await story.step("It obeys again", call(client, "a.obey"))
    assert (story.seen, story.unseen) == (2, ["It refuses"])
    assert "NOT SEEN: The hub is locked" in capsys.readouterr().out


async def test_a_home_assistant_that_ended_is_reported_immediately(
    capsys: pytest.CaptureFixture[str],
) -> None:
    story = Story()
    async with connected() as client:
        await story.step("It goes", call(client, "a.go"))
        await story.step("It is gone", call(client, "a.obey"))
    assert story.unseen == ["It goes", "It is gone"]
    assert capsys.readouterr().out.count("NOT SEEN: Home Assistant closed the connection") == 2


async def test_any_failure_is_a_step_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    async def fail() -> str:
        raise ConnectionResetError

    story = Story()
    await story.step("It is there", fail())
    assert story.unseen == ["It is there"]
    assert "NOT SEEN: ConnectionResetError" in capsys.readouterr().out
