"""WebSocket commands of the page, for administrators only.

rest/trial/start     {target, …}               → {reply} or {error}, once; the end ends the trial
rest/trial/children  {trial, path, start}      → {nodes, more}
rest/trial/search    {trial, text}             → {nodes, more}
rest/trial/propose   {trial, path}             → {entities}: one of the value, and one for each
rest/trial/result    {trial, entities}         → {rows, yaml, secrets, problems}

`trial` is the id of the message that started it. It lasts until the page unsubscribes or the
connection ends. Nothing of it is logged.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.components.websocket_api import async_register_command
from homeassistant.components.websocket_api.connection import ActiveConnection
from homeassistant.components.websocket_api.const import ERR_INVALID_FORMAT, ERR_NOT_FOUND
from homeassistant.components.websocket_api.decorators import (
    async_response,
    require_admin,
    websocket_command,
)
from homeassistant.const import (
    CONF_ENTITIES,
    CONF_HEADERS,
    CONF_METHOD,
    CONF_PASSWORD,
    CONF_PATH,
    CONF_PAYLOAD,
    CONF_SCAN_INTERVAL,
    CONF_USERNAME,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.hass_dict import HassKey
from homeassistant.util.yaml import dump
import voluptuous as vol

from ..browser.keys import part_at
from ..config import valid_blocks
from ..const import METHODS
from ..reply.block import yaml_of_block
from ..reply.proposals import CONF_PLATFORM
from ..trying import Attempt, async_send
from .entities import Tries
from .request import ATTR_MORE, ATTR_TARGET, async_attempt
from .tree import Tree, tree_of

MAX_ENTITIES: Final = 200
MAX_KEYS: Final = 20

ATTR_TRIAL: Final = "trial"
_PATH: Final = vol.All([vol.Any(str, int)], vol.Length(max=1000))


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A reply shown on a page, and its request."""

    attempt: Attempt
    tree: Tree
    tries: Tries


_TRIALS: HassKey[dict[tuple[ActiveConnection, int], Trial]] = HassKey("rest_trials")


async def async_setup(hass: HomeAssistant) -> None:
    """Register the commands."""
    hass.data[_TRIALS] = {}
    for command in (_start, _children, _search, _propose, _result):
        async_register_command(hass, command)


@websocket_command(
    {
        vol.Required("type"): "rest/trial/start",
        vol.Optional(CONF_METHOD): vol.In(METHODS),
        vol.Optional(CONF_SCAN_INTERVAL): vol.All(int, vol.Range(0, 86400)),
        **{
            vol.Optional(key): str
            for key in (
                *(ATTR_TARGET, ATTR_MORE),
                *(CONF_HEADERS, CONF_PAYLOAD, CONF_USERNAME, CONF_PASSWORD),
            )
        },
    }
)
@require_admin
@async_response
async def _start(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> None:
    """Send a request, and store the reply as a trial."""
    number: int = message["id"]
    try:
        attempt = await async_attempt(hass, message)
    except ValueError as err:
        connection.send_error(
            number,
            ERR_INVALID_FORMAT,
            str(err),
            translation_domain="rest",
            translation_key="request_invalid",
            translation_placeholders={"error": str(err)},
        )
        return
    trials = hass.data[_TRIALS]

    async def send() -> None:
        try:
            reply, warnings = await async_send(hass, attempt)
            tree = await hass.async_add_executor_job(tree_of, reply.content)
        except HomeAssistantError as err:
            connection.send_event(
                number,
                {
                    "error": {
                        "message": str(err),
                        "translation_key": err.translation_key,
                        "translation_placeholders": err.translation_placeholders,
                    }
                },
            )
            return
        except ValueError as err:
            connection.send_event(number, {"error": {"message": str(err)}})
            return
        tries = Tries(hass, attempt.request, reply)
        trials[connection, number] = Trial(attempt=attempt, tree=tree, tries=tries)
        nodes, more = tree.children((), 0)
        description = {
            "trial": number,
            "kind": tree.kind,
            "status": reply.status,
            "size": len(reply.content.body),
            "content_type": reply.content.content_type,
            "nodes": nodes,
            "more": more,
            "warnings": [*dict.fromkeys(warnings)],
        }
        connection.send_event(number, {"reply": description})

    task: asyncio.Task[None] = hass.async_create_background_task(send(), "rest: try a resource")

    @callback
    def end() -> None:
        task.cancel()
        trials.pop((connection, number), None)

    connection.subscriptions[number] = end
    connection.send_result(number)


_OF_TRIAL: Final[dict[str | vol.Marker, Any]] = {vol.Required(ATTR_TRIAL): int}


@websocket_command(
    {
        **_OF_TRIAL,
        vol.Required("type"): "rest/trial/children",
        vol.Required(CONF_PATH): _PATH,
        vol.Optional("start", default=0): vol.All(int, vol.Range(min=0)),
    }
)
@require_admin
@callback
def _children(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Send the nodes below a path."""
    if trial := _trial(hass, connection, message):
        try:
            nodes, more = trial.tree.children(message[CONF_PATH], message["start"])
        except LookupError, TypeError:
            _send_missing(connection, message)
            return
        connection.send_result(message["id"], {"nodes": nodes, "more": more})


@websocket_command(
    {**_OF_TRIAL, vol.Required("type"): "rest/trial/search", vol.Required("text"): str}
)
@require_admin
@async_response
async def _search(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> None:
    """Send the values that contain a text."""
    if trial := _trial(hass, connection, message):
        nodes = await hass.async_add_executor_job(trial.tree.with_text, message["text"])
        connection.send_result(message["id"], {"nodes": nodes, "more": 0})


@websocket_command(
    {**_OF_TRIAL, vol.Required("type"): "rest/trial/propose", vol.Required(CONF_PATH): _PATH}
)
@require_admin
@callback
def _propose(hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]) -> None:
    """Send the proposed entities for a value."""
    if trial := _trial(hass, connection, message):
        try:
            entities = trial.tree.proposals(message[CONF_PATH])
        except LookupError, TypeError:
            _send_missing(connection, message)
            return
        connection.send_result(message["id"], {CONF_ENTITIES: entities})


@websocket_command(
    {
        **_OF_TRIAL,
        vol.Required("type"): "rest/trial/result",
        vol.Required(CONF_ENTITIES): vol.All(
            [vol.All({str: str}, vol.Length(max=MAX_KEYS))], vol.Length(max=MAX_ENTITIES)
        ),
    }
)
@require_admin
@async_response
async def _result(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> None:
    """Send the current states of the entities, and the YAML of the valid ones."""
    if (trial := _trial(hass, connection, message)) is None:
        return
    outcomes = [await trial.tries.outcome_of(row) for row in message[CONF_ENTITIES]]
    valid = [
        row
        for row, outcome in zip(message[CONF_ENTITIES], outcomes, strict=True)
        if outcome.is_valid
    ]
    attempt = trial.attempt
    secrets = [
        {
            "name": name,
            "of": " ".join(map(str, path)),
            "line": dump({name: part_at(attempt.keys, path)}).strip(),
        }
        for path, name in attempt.names.items()
    ]
    connection.send_result(
        message["id"],
        {
            "rows": [
                {
                    "states": outcome.states,
                    "count": outcome.count,
                    "problems": outcome.problems,
                    "is_valid": outcome.is_valid,
                }
                for outcome in outcomes
            ],
            "yaml": attempt.yaml_of(lambda keys: yaml_of_block(keys, valid)),
            "secrets": secrets,
            "problems": _mistakes(attempt, valid),
        },
    )


def _mistakes(attempt: Attempt, rows: list[dict[str, str]]) -> list[str]:
    """Return Home Assistant's errors about the block; any would be a bug of this page."""
    block = dict(attempt.keys)
    for row in rows:
        keys = dict(row)
        block.setdefault(keys.pop(CONF_PLATFORM), []).append(keys)
    _, mistakes = valid_blocks([block])
    return [mistake.msg for mistake in mistakes]


def _trial(
    hass: HomeAssistant, connection: ActiveConnection, message: dict[str, Any]
) -> Trial | None:
    """Return the trial of a message; if there is none, send an error."""
    trial = hass.data[_TRIALS].get((connection, message[ATTR_TRIAL]))
    if trial is None:
        _send_missing(connection, message)
    return trial


def _send_missing(connection: ActiveConnection, message: dict[str, Any]) -> None:
    connection.send_error(
        message["id"], ERR_NOT_FOUND, "There is no such reply or part of it any more; try it again"
    )
