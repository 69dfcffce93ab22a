"""A client of Home Assistant over HTTP and WebSocket, like the frontend."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
import contextlib
from http import HTTPStatus
from itertools import count
from typing import Any, Self

import aiohttp

type Json = dict[str, Any]

DEFAULT_TIMEOUT_S = 15
ANSWER_TIMEOUT_S = 60
PROGRESS_S = 0.2
GONE = "Home Assistant closed the connection"


class CallError(Exception):
    """Home Assistant refused a command; the text is the message for the user."""


class Client:
    """States, notifications and service calls of one Home Assistant."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token
        self._ids = count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._events: dict[int, Callable[[Json], None]] = {}
        self._changed = asyncio.Condition()
        self.states: dict[str, Json] = {}
        self.notifications: dict[str, Json] = {}

    async def __aenter__(self) -> Self:
        """Log in, read all states, follow their changes."""
        self._session = aiohttp.ClientSession(
            self._url, headers={"Authorization": f"Bearer {self._token}"}
        )
        self._socket = await self._session.ws_connect("/api/websocket", max_msg_size=0)
        await self._socket.receive_json()
        await self._socket.send_json({"type": "auth", "access_token": self._token})
        answer = await self._socket.receive_json()
        if answer["type"] != "auth_ok":
            await self._session.close()
            raise CallError(f"Login refused: {answer}")
        self._reader = asyncio.create_task(self._read())
        await self.subscribe(
            {"type": "subscribe_events", "event_type": "state_changed"}, self._on_state
        )
        await self.subscribe({"type": "persistent_notification/subscribe"}, self._on_notification)
        for state in await self.command({"type": "get_states"}):
            self.states.setdefault(state["entity_id"], state)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Log out."""
        self._reader.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reader
        await self._socket.close()
        await self._session.close()

    async def command(self, message: Json) -> Any:  # noqa: ANN401  (each command has its own shape)
        """Send a WebSocket command and return its result."""
        number = next(self._ids)
        return await self._send(number, message)

    async def subscribe(self, message: Json, listener: Callable[[Json], None]) -> None:
        """Send a WebSocket command whose events go to `listener`."""
        number = next(self._ids)
        self._events[number] = listener
        await self._send(number, message)

    async def call(self, service: str, data: Json | None = None, *, response: bool = False) -> Any:  # noqa: ANN401  (each service has its own response)
        """Call a service ("domain.name") and return its response, if it gives one."""
        domain, name = service.split(".")
        result = await self.command(
            {
                "type": "call_service",
                "domain": domain,
                "service": name,
                "service_data": data or {},
                "return_response": response,
            }
        )
        return result.get("response")

    async def config_flow(
        self,
        handler: str | Sequence[str],
        *answers: Json,
        between: Mapping[str, Json] | None = None,
        path: str = "/api/config/config_entries/flow",
    ) -> Json:
        """Go through a config flow with these answers; return its last step.

        `between` answers optional steps: step id → answer. Parts of an answer that this version
        of Home Assistant does not ask for are left out: `next_step_id`, a field, or a section.
        """
        step = await self._post(path, {"handler": handler, "show_advanced_options": False})
        for answer in answers:
            step = await self._done(path, step)
            if (more := (between or {}).get(step["step_id"])) is not None:
                step = await self._post(f"{path}/{step['flow_id']}", more)
            if step["type"] == "menu":
                fields = {"next_step_id"}
            else:
                fields = {field["name"] for field in step.get("data_schema") or ()}
            user_input = {name: value for name, value in answer.items() if name in fields}
            if user_input or not answer:
                step = await self._post(f"{path}/{step['flow_id']}", user_input)
        return await self._done(path, step)

    async def _done(self, path: str, step: Json) -> Json:
        """Wait while a dialogue shows progress; return the step after it."""
        while step["type"] in ("progress", "progress_done"):
            await asyncio.sleep(PROGRESS_S)
            async with self._session.get(f"{path}/{step['flow_id']}") as reply:
                if reply.status != HTTPStatus.OK:
                    raise CallError(f"{path}: {reply.status} {await reply.text()}")
                step = await reply.json()
        return step

    async def options_flow(self, entity_id: str, *answers: Json) -> Json:
        """Go through *Configure* of an entity's config entry; return the last step."""
        path = "/api/config/config_entries/options/flow"
        return await self.config_flow(await self._entry_of(entity_id), *answers, path=path)

    async def subentry_flow(self, entity_id: str, kind: str, *answers: Json) -> Json:
        """Add a subentry to an entity's config entry; return the last step."""
        path = "/api/config/config_entries/subentries/flow"
        return await self.config_flow([await self._entry_of(entity_id), kind], *answers, path=path)

    async def entries(self, domain: str) -> set[str]:
        """Return the ids of an integration's entries."""
        entries = await self.command({"type": "config_entries/get", "domain": domain})
        return {entry["entry_id"] for entry in entries}

    async def remove_entry_of(self, entity_id: str) -> None:
        """Remove the config entry of an entity."""
        await self.remove_entry(await self._entry_of(entity_id))

    async def remove_entry(self, entry_id: str) -> None:
        """Remove an entry with all its devices and entities."""
        path = f"/api/config/config_entries/entry/{entry_id}"
        async with self._session.delete(path) as reply:
            if reply.status != HTTPStatus.OK:
                raise CallError(f"{path}: {reply.status} {await reply.text()}")

    async def _entry_of(self, entity_id: str) -> str:
        entity = await self.command({"type": "config/entity_registry/get", "entity_id": entity_id})
        entry_id: str = entity["config_entry_id"]
        return entry_id

    async def ignore_issue(self, domain: str, issue_id: str) -> None:
        """Ignore an issue on the Repairs page."""
        command = {"type": "repairs/ignore_issue", "domain": domain, "issue_id": issue_id}
        await self.command({**command, "ignore": True})

    async def wait(
        self, seen: Callable[[], Any], *, within: float = DEFAULT_TIMEOUT_S, what: str = ""
    ) -> Any:  # noqa: ANN401  (as the caller's function)
        """Return the result of `seen` as soon as it is true; evaluated at every change."""
        result = None
        try:
            async with asyncio.timeout(within), self._changed:
                while not (result := seen()):
                    await self._changed.wait()
        except TimeoutError:
            raise CallError(f"not seen within {within:g} s: {what}") from None
        return result

    async def wait_state(
        self,
        entity_id: str,
        expected: str | Callable[[Json], Any],
        *,
        within: float = DEFAULT_TIMEOUT_S,
    ) -> Json:
        """Wait until an entity's state is `expected`: a text, or a function of the state."""

        def seen() -> Json | None:
            state = self.states.get(entity_id)
            if state is None:
                return None
            is_reached = (
                state["state"] == expected if isinstance(expected, str) else expected(state)
            )
            return state if is_reached else None

        try:
            result: Json = await self.wait(seen, within=within)
        except CallError:
            now = self.states.get(entity_id)
            what = "it does not exist" if now is None else f"it is {now['state']!r}"
            expected_text = repr(expected) if isinstance(expected, str) else "another state"
            raise CallError(
                f"{entity_id}: {what}, not {expected_text}, after {within:g} s"
            ) from None
        return result

    async def _post(self, path: str, body: Json) -> Json:
        async with self._session.post(path, json=body) as reply:
            if reply.status != HTTPStatus.OK:
                raise CallError(f"{path}: {reply.status} {await reply.text()}")
            answer: Json = await reply.json()
            if answer.get("errors"):
                raise CallError(f"{path}: {answer['errors']}")
            return answer

    async def _send(self, number: int, message: Json) -> Any:  # noqa: ANN401  (see command)
        if self._reader.done():
            raise CallError(GONE)
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send_json({**message, "id": number})
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await future
        except aiohttp.ClientError as err:
            raise CallError(f"{GONE}: {err}") from err
        except TimeoutError:
            text = f"no answer within {ANSWER_TIMEOUT_S} s to {message['type']}"
            raise CallError(text) from None
        finally:
            del self._pending[number]

    async def _read(self) -> None:
        async for frame in self._socket:
            message = frame.json()
            number = message["id"]
            if message["type"] == "event":
                self._events[number](message["event"])
                async with self._changed:
                    self._changed.notify_all()
            elif (future := self._pending.get(number)) and not future.done():
                if message.get("success", True):
                    future.set_result(message.get("result"))
                else:
                    future.set_exception(CallError(message["error"]["message"]))
        for future in self._pending.values():
            if not future.done():
                future.set_exception(CallError(GONE))

    def _on_state(self, event: Json) -> None:
        entity_id, new = event["data"]["entity_id"], event["data"]["new_state"]
        if new is None:
            self.states.pop(entity_id, None)
        else:
            self.states[entity_id] = new

    def _on_notification(self, event: Json) -> None:
        if event["type"] == "removed":
            for name in event["notifications"]:
                self.notifications.pop(name, None)
        else:
            self.notifications.update(event["notifications"])
