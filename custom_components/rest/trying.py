"""Ad-hoc requests: send them, and write YAML for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import json_loads_object
import voluptuous as vol

from .browser.curl import request_of_curl
from .browser.keys import Path, secrets_of, with_secret_tags, with_secrets
from .const import CONF_CURL
from .polling.coordinator import async_coordinators
from .polling.request import ConfiguredRequest
from .reply.reply import Reply
from .schema import BLOCK_SCHEMA


@dataclass(frozen=True, kw_only=True, repr=False)
class Attempt:
    """A request, its keys for the YAML, and its secrets.

    `names` maps the path of a key to the name of a secret that the user has to add to
    secrets.yaml; `existing_names` does so for secrets that are there already.
    """

    request: ConfiguredRequest
    keys: Mapping[str, Any]
    names: Mapping[Path, str] = field(default_factory=dict)
    existing_names: Mapping[Path, str] = field(default_factory=dict)

    def yaml_of(self, write: Callable[[dict[str, Any]], str]) -> str:
        """Return the YAML that `write` makes of the keys, with `!secret` for the secrets."""
        return with_secret_tags(
            write(with_secrets(self.keys, {**self.names, **self.existing_names}))
        )


def attempt_of(
    data: Mapping[str, Any],
    *,
    hides: bool = False,
    existing_names: Mapping[Path, str] | None = None,
) -> Attempt:
    """Return the request with these keys, which may include `curl`.

    Secrets are replaced by names in secrets.yaml if the request came from a browser or `hides` is
    set. Those in `existing_names` always are. Raise ValueError with the reason if the request is
    invalid.
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
    plain_keys = json_loads_object(json_bytes(keys))  # plain types instead of those of script YAML
    existing_names = existing_names or {}
    names = secrets_of(plain_keys) if hides else {}
    return Attempt(
        request=request,
        keys=plain_keys,
        names={path: name for path, name in names.items() if path not in existing_names},
        existing_names=existing_names,
    )


async def async_send(hass: HomeAssistant, attempt: Attempt) -> tuple[Reply, list[str]]:
    """Return the parsed reply to a request, and remarks and warnings about the request.

    Raise HomeAssistantError with the reason if it fails.
    """
    problems = list(attempt.request.remarks)
    reply = await async_coordinators(hass).async_try(attempt.request, problems.append)
    return reply, problems
