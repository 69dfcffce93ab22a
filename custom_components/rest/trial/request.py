"""Convert the input on the page to the keys of a request."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotatedyaml import YAMLException
from homeassistant.const import (
    CONF_HEADERS,
    CONF_METHOD,
    CONF_PASSWORD,
    CONF_PAYLOAD,
    CONF_RESOURCE,
    CONF_RESOURCE_TEMPLATE,
    CONF_SCAN_INTERVAL,
    CONF_USERNAME,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import is_template_string
from homeassistant.util.yaml import Secrets
import yaml

from ..browser.keys import Path as Keys, mark, marks_in, part_at
from ..const import CONF_CURL, CONF_PAYLOAD_TEMPLATE, DEFAULT_METHOD, DOMAIN
from ..schema import ENTITY_SCHEMAS, header_pairs
from ..trying import Attempt, attempt_of

ATTR_TARGET = "target"
ATTR_MORE = "more"


async def async_attempt(hass: HomeAssistant, typed: Mapping[str, Any]) -> Attempt:
    """Return the request. Raise ValueError with the reason if the input is invalid."""
    folder = Path(hass.config.config_dir)
    keys, secrets = await hass.async_add_executor_job(_read, typed.get(ATTR_MORE, ""), folder)
    keys |= _target(typed.get(ATTR_TARGET, "").strip(), keys)
    if (method := typed.get(CONF_METHOD, DEFAULT_METHOD)) != DEFAULT_METHOD:
        keys[CONF_METHOD] = method
    if headers := typed.get(CONF_HEADERS, "").strip():
        try:
            keys[CONF_HEADERS] = {**keys.get(CONF_HEADERS, {}), **header_pairs(headers)}
        except (ValueError, TypeError) as err:
            raise ValueError(f"{err} ({CONF_HEADERS})") from None
    if payload := typed.get(CONF_PAYLOAD):
        keys[CONF_PAYLOAD_TEMPLATE if is_template_string(payload) else CONF_PAYLOAD] = payload
    for key in (CONF_USERNAME, CONF_PASSWORD, CONF_SCAN_INTERVAL):
        if typed.get(key) not in (None, ""):
            keys[key] = typed[key]
    return attempt_of(keys, hides=True, existing_names=secrets)


def _target(target: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the key of a URL or cURL command; empty if there is none but a resource in `keys`."""
    if not target and {CONF_RESOURCE, CONF_RESOURCE_TEMPLATE} & {*keys}:
        return {}
    if target.removeprefix("$ ").startswith(("curl ", "curl.exe ")):
        return {CONF_CURL: target}
    if is_template_string(target):
        return {CONF_RESOURCE_TEMPLATE: target}
    return {CONF_RESOURCE: target if "://" in target or not target else f"http://{target}"}


def _read(text: str, folder: Path) -> tuple[dict[str, Any], dict[Keys, str]]:
    """Return the keys in YAML with their secrets, and the paths of these. Raise ValueError."""
    try:
        keys = _more(text)
        secrets = dict(marks_in(keys))
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    _fill_in(keys, secrets, folder)
    return keys, secrets


class _Loader(yaml.SafeLoader):
    """YAML loader that does not log; Home Assistant's would log the line with the error."""


def _secret(_: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return mark(str(node.value))


_Loader.add_constructor("!secret", _secret)


def _more(text: str) -> dict[str, Any]:
    """Return the keys of a request in YAML, which may also be a whole block or entry."""
    try:
        parsed: Any = yaml.load(text, _Loader)  # noqa: S506  # nosec B506  (a SafeLoader)
    except yaml.YAMLError as err:
        problem = getattr(err, "problem", None) or "a character is not allowed"
        place = getattr(err, "problem_mark", None)
        line = f" (line {place.line + 1})" if place else ""
        raise ValueError(f"it is no YAML: {problem}{line}") from None
    if isinstance(parsed, dict) and len(parsed) == 1:
        ((domain, inside),) = parsed.items()
        if domain in (DOMAIN, *map(str, ENTITY_SCHEMAS)) and isinstance(inside, dict | list):
            parsed = inside
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    if not parsed:
        return {}
    if not isinstance(parsed, dict):
        raise ValueError("expected the keys of a request, such as `timeout: 20`")  # noqa: TRY004
    ignored_keys = {"platform", *map(str, ENTITY_SCHEMAS)}
    return {str(key): value for key, value in parsed.items() if key not in ignored_keys}


def _fill_in(keys: dict[str, Any], names: Mapping[Keys, str], folder: Path) -> None:
    """Fill in secrets from secrets.yaml. Raise ValueError if one is missing."""
    secrets = Secrets(folder)
    for path, name in names.items():
        try:
            part_at(keys, path[:-1])[path[-1]] = secrets.get(str(folder / "rest.yaml"), name)
        except YAMLException as err:
            raise ValueError(str(err)) from None
