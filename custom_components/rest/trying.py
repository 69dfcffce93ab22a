"""A request that nobody has configured: what is sent, and the keys that are written for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import json_loads_object
import voluptuous as vol

from .browser.curl import request_of_curl
from .browser.keys import Path, secrets_of, with_secrets, written_secrets
from .const import CONF_CURL
from .polling.coordinator import async_coordinators
from .polling.request import ConfiguredRequest
from .reply.reply import Reply
from .schema import BLOCK_SCHEMA


@dataclass(frozen=True, kw_only=True, repr=False)
class Attempt:
    """A request, the keys of it as they stand in YAML, and its secrets there.

    `names` are those of secrets that the user has to write down, by the paths to the keys;
    `known` those that secrets.yaml has already.
    """

    request: ConfiguredRequest
    keys: Mapping[str, Any]
    names: Mapping[Path, str] = field(default_factory=dict)
    known: Mapping[Path, str] = field(default_factory=dict)

    def written(self, write: Callable[[dict[str, Any]], str]) -> str:
        """Return the YAML that `write` makes of the keys, with `!secret` where it belongs."""
        return written_secrets(write(with_secrets(self.keys, {**self.names, **self.known})))


def attempt_of(
    data: Mapping[str, Any], *, hides: bool = False, known: Mapping[Path, str] | None = None
) -> Attempt:
    """Return the request of these keys, `curl` among them.

    What came from a browser, or `hides`, has its secrets in secrets.yaml, as `known` ones have.
    Raise ValueError that says what is wrong.
    """
    keys = dict(data)
    if CONF_CURL in keys:
        hides = True
        try:
            keys = request_of_curl(str(keys.pop(CONF_CURL))) | keys
        except ValueError as err:
            raise ValueError(f"{err} ({CONF_CURL})") from None
    try:
        request = ConfiguredRequest.from_config(BLOCK_SCHEMA(dict(keys)))
    except vol.MultipleInvalid as err:
        mistakes = [f"{mistake.msg} ({mistake.path[0]})" for mistake in err.errors]
        raise ValueError("; ".join(mistakes)) from None
    plain = json_loads_object(json_bytes(keys))  # of a script's YAML, plain values
    known = known or {}
    names = secrets_of(plain) if hides else {}
    return Attempt(
        request=request,
        keys=plain,
        names={path: name for path, name in names.items() if path not in known},
        known=known,
    )


async def async_send(hass: HomeAssistant, attempt: Attempt) -> tuple[Reply, list[str]]:
    """Return the reply to a request, parsed, and what is to be said of the request.

    Raise HomeAssistantError with why there is none.
    """
    problems = list(attempt.request.remarks)
    reply = await async_coordinators(hass).async_try(attempt.request, problems.append)
    return reply, problems
