"""Schemas of the YAML: core's keys and ours, with errors that never contain a secret."""

from collections.abc import Callable, Iterator, Mapping
import logging
import re
from typing import Any

from aiohttp import hdrs
from homeassistant.components.binary_sensor import (  # type: ignore[attr-defined]  # as core imports it
    DEVICE_CLASSES_SCHEMA as BINARY_SENSOR_DEVICE_CLASSES_SCHEMA,
    PLATFORM_SCHEMA as BINARY_SENSOR_BASE_SCHEMA,
)
from homeassistant.components.button import PLATFORM_SCHEMA as BUTTON_BASE_SCHEMA
from homeassistant.components.sensor import PLATFORM_SCHEMA as SENSOR_BASE_SCHEMA
from homeassistant.const import (
    CONF_ATTRIBUTE,
    CONF_AUTHENTICATION,
    CONF_CLIENT_ID,
    CONF_CLIENT_SECRET,
    CONF_DEVICE_CLASS,
    CONF_FORCE_UPDATE,
    CONF_HEADERS,
    CONF_ICON,
    CONF_METHOD,
    CONF_NAME,
    CONF_PARAMS,
    CONF_PASSWORD,
    CONF_PAYLOAD,
    CONF_RESOURCE,
    CONF_RESOURCE_TEMPLATE,
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    CONF_UNIQUE_ID,
    CONF_USERNAME,
    CONF_VALUE_TEMPLATE,
    CONF_VERIFY_SSL,
    HTTP_BASIC_AUTHENTICATION,
    HTTP_DIGEST_AUTHENTICATION,
    Platform,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.template import Template, is_template_string
from homeassistant.helpers.trigger_template_entity import (
    CONF_AVAILABILITY,
    TEMPLATE_ENTITY_BASE_SCHEMA,
    TEMPLATE_SENSOR_BASE_SCHEMA,
)
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.ssl import SSLCipherList
from multidict import CIMultiDict
import voluptuous as vol

from . import oauth2
from ._common.durations import period
from .const import (
    CONF_CA_CERTIFICATE,
    CONF_CLIENT_AUTHENTICATION,
    CONF_CLIENT_CERTIFICATE,
    CONF_CLIENT_KEY,
    CONF_CONDITIONAL,
    CONF_ENCODING,
    CONF_EXPIRES_IN,
    CONF_FIELDS,
    CONF_FOR_EACH,
    CONF_FORM,
    CONF_INDEX,
    CONF_JSON_ATTRS,
    CONF_JSON_ATTRS_PATH,
    CONF_JSON_ATTRS_TEMPLATE,
    CONF_KEY,
    CONF_LOGIN,
    CONF_LOGIN_PAGE,
    CONF_MAX_FAILURES,
    CONF_MAX_SIZE,
    CONF_PARAMETERS,
    CONF_PAYLOAD_TEMPLATE,
    CONF_RESTORE,
    CONF_SCOPE,
    CONF_SELECT,
    CONF_SSL_CIPHER_LIST,
    CONF_TOKEN_URL,
    CONF_VALID_STATUS,
    CONF_VALUES,
    DEFAULT_MAX_SIZE,
    DEFAULT_METHOD,
    DEFAULT_TIMEOUT,
    METHODS,
)
from .polling.request import is_header_value
from .polling.urls import http_url

# Their values may contain secrets, so no error shows them.
_SECRET_KEYS = frozenset(
    {
        CONF_HEADERS,
        CONF_LOGIN,
        CONF_PARAMS,
        CONF_PASSWORD,
        CONF_PAYLOAD,
        CONF_PAYLOAD_TEMPLATE,
        CONF_RESOURCE,
        CONF_RESOURCE_TEMPLATE,
        CONF_USERNAME,
    }
)
_LOGGER = logging.getLogger(__name__)

HIDDEN = "(value not shown)"

_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110, token
_SIZE = re.compile(r"([\d.]+)\s*([KMG]i?)?B?", re.IGNORECASE)
_SIZE_UNITS = {"": 1, "k": 1000, "ki": 1024, "m": 1000**2, "mi": 1024**2, "g": 1000**3} | {
    "gi": 1024**3
}


def header_pairs(value: object) -> dict[str, Any]:
    """Return name/value pairs from a map, a list of maps or lines, or lines of text.

    A line is "Name: value". Raise ValueError that identifies an invalid entry by its number, not
    by its text, which may be a token.
    """
    match value:
        case Mapping():
            entries: list[object] = [{name: text} for name, text in value.items()]
        case str():
            entries = [line for line in value.splitlines() if line.strip()]
        case list():
            entries = value
        case _:
            raise ValueError("expected a map, a list or lines of the form 'Name: value'")
    pairs: dict[str, Any] = {}
    for number, entry in enumerate(entries, 1):
        name, text = _header_pair(entry, number)
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"entry {number} has no valid header name before the colon")
        pairs[name] = text
    return pairs


def _header_pair(entry: object, number: int) -> tuple[str, Any]:
    match entry:
        case Mapping() if len(entry) == 1:
            ((name, text),) = entry.items()
            return str(name).strip(), text
        case str() if ":" in entry:
            name, _, text = entry.partition(":")
            return name.strip(), text.strip()
        case str() if len(words := entry.split()) > 1:
            raise ValueError(f"entry {number} ('{words[0]} …') has no colon after the name")
    raise ValueError(f"entry {number} is not of the form 'Name: value'")


def _headers(value: object) -> dict[str, Any]:
    try:
        pairs = header_pairs(value)
    except ValueError as err:
        raise vol.Invalid(str(err)) from err
    headers = {}
    for name, text in pairs.items():
        headers[name] = cv.template(text)
        if not is_header_value(headers[name].template) and headers[name].is_static:
            raise vol.Invalid(f"header '{name}' has a line break or control code in its value")
    return headers


def _url(value: object) -> str:
    text = cv.string(value)
    if is_template_string(text):
        raise vol.Invalid(
            f"a URL with a template in it belongs under '{CONF_RESOURCE_TEMPLATE}'; "
            f"'{CONF_RESOURCE}' is sent as it stands"
        )
    try:
        http_url(text)
    except ValueError as err:
        raise vol.Invalid(
            f"{CONF_RESOURCE} gives {err}; expected http:// or https://, then a host"
        ) from err
    return text


def _url_template(value: object) -> Template:
    """Return a template of a URL; a static template must be a valid URL."""
    template: Template = cv.template(value)
    if template.is_static:
        try:
            http_url(template.template)
        except ValueError as err:
            raise vol.Invalid(
                f"{CONF_RESOURCE_TEMPLATE} gives {err}; expected http:// or https://, then a host"
            ) from err
    return template


def _names(value: object) -> list[str]:
    """Return names, flattened: `- a:`, which is a map, is read as `- a`."""
    listed = cv.ensure_list_csv(value)
    items = list(_flat(listed))
    names = [str(item) for item in items]
    if booleans := [str(item) for item in items if isinstance(item, bool)]:
        _LOGGER.warning(
            "json_attributes: a word such as on or yes is %s in YAML; write the key in quotes",
            " or ".join(dict.fromkeys(booleans)),
        )
    if len(names) != len(listed) or any(isinstance(name, Mapping | list) for name in listed):
        _LOGGER.warning(
            "json_attributes: read as the names %s; a list of names needs no colons and brackets",
            ", ".join(names),
        )
    return names


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, Mapping | list):
        for name in value:
            yield from _flat(name)
    elif value is not None:
        yield value


def _size(value: object) -> int:
    """Return a size in bytes; a text may have a unit."""
    match = _SIZE.fullmatch(str(value).strip()) if isinstance(value, int | float | str) else None
    try:
        size = int(float(match[1]) * _SIZE_UNITS[(match[2] or "").lower()]) if match else 0
    except ValueError:
        size = 0
    if size < 1:
        raise vol.Invalid("expected a number of bytes, or a size such as 16 MiB")
    return size


def _exclusive_keys(config: ConfigType) -> ConfigType:
    if (CONF_RESOURCE in config) == (CONF_RESOURCE_TEMPLATE in config):
        raise vol.Invalid(
            "exactly one of 'resource' and 'resource_template' is needed",
            path=[CONF_RESOURCE, HIDDEN],
        )
    if CONF_PAYLOAD in config and CONF_PAYLOAD_TEMPLATE in config:
        raise vol.Invalid(
            "only one of 'payload' and 'payload_template' can be sent", path=[CONF_PAYLOAD, HIDDEN]
        )
    if config.get(CONF_AUTHENTICATION) == HTTP_DIGEST_AUTHENTICATION and (
        ":" in config.get(CONF_USERNAME, "")
    ):
        raise vol.Invalid(
            "a user name for digest authentication has no colon", path=[CONF_USERNAME, HIDDEN]
        )
    if CONF_CLIENT_KEY in config and CONF_CLIENT_CERTIFICATE not in config:
        raise vol.Invalid(
            f"{CONF_CLIENT_KEY} needs {CONF_CLIENT_CERTIFICATE} beside it", path=[CONF_CLIENT_KEY]
        )
    return config


def _login(value: ConfigType) -> ConfigType:
    """Return a login; OAuth 2 is converted into the request that it stands for."""
    if not isinstance(value, Mapping) or CONF_TOKEN_URL not in value:
        login: ConfigType = _LOGIN_SCHEMA(value)
        if CONF_FORM in login and (
            login[CONF_METHOD] != hdrs.METH_GET or {CONF_PAYLOAD, CONF_PAYLOAD_TEMPLATE} & {*login}
        ):
            raise vol.Invalid(
                f"with {CONF_FORM}, {CONF_RESOURCE} is the page of the form, which says how it is "
                f"sent: leave out {CONF_METHOD} and {CONF_PAYLOAD}",
                path=[CONF_FORM, HIDDEN],
            )
        return login
    login = _LOGIN_SCHEMA(oauth2.login(_OAUTH2_SCHEMA(value)))
    return {**login, CONF_TOKEN_URL: value[CONF_TOKEN_URL]}


def _with_token(config: ConfigType) -> ConfigType:
    """Return a request with OAuth 2 login with its `Authorization` header, unless it has one."""
    headers = config.get(CONF_HEADERS, {})
    if CONF_TOKEN_URL not in config.get(CONF_LOGIN, ()) or hdrs.AUTHORIZATION in CIMultiDict(
        headers
    ):
        return config
    token = cv.template(oauth2.AUTHORIZATION)
    return {**config, CONF_HEADERS: {**headers, hdrs.AUTHORIZATION: token}}


def _selection(config: ConfigType) -> ConfigType:
    for key in (CONF_INDEX, CONF_ATTRIBUTE):
        if key in config and CONF_SELECT not in config:
            raise vol.Invalid(f"{key} needs {CONF_SELECT} beside it", path=[key])
    if CONF_KEY in config and CONF_FOR_EACH not in config:
        raise vol.Invalid(f"{CONF_KEY} needs {CONF_FOR_EACH} beside it", path=[CONF_KEY])
    if CONF_FOR_EACH in config and CONF_SELECT in config:
        raise vol.Invalid(
            f"{CONF_FOR_EACH} reads JSON, {CONF_SELECT} a web page: one of them", path=[CONF_SELECT]
        )
    return config


def _discreet(schema: Callable[[ConfigType], ConfigType]) -> Callable[[ConfigType], ConfigType]:
    """Return a schema of a configuration with a request, whose errors do not show secrets.

    Home Assistant shows the value at an error's path. A path with an additional step leads to no
    value.
    """
    with_request = vol.All(schema, _exclusive_keys, _with_token)

    def validate(config: ConfigType) -> ConfigType:
        try:
            valid: ConfigType = with_request(config)
        except vol.Invalid as err:
            raise vol.MultipleInvalid(
                [_without_value(mistake) for mistake in getattr(err, "errors", [err])]
            ) from None
        return valid

    return validate


def _without_value(err: vol.Invalid) -> vol.Invalid:
    path = list(err.path)
    if path and str(path[0]) in _SECRET_KEYS and HIDDEN not in path:
        err.path.append(HIDDEN)
    return err


_CONNECTION_KEYS = {
    vol.Optional(CONF_VERIFY_SSL, default=True): cv.boolean,
    vol.Optional(CONF_SSL_CIPHER_LIST, default=SSLCipherList.PYTHON_DEFAULT): vol.In(
        [cipher.value for cipher in SSLCipherList]
    ),
    vol.Optional(CONF_TIMEOUT, default=DEFAULT_TIMEOUT): cv.positive_float,
    vol.Optional(CONF_CA_CERTIFICATE): cv.string,
    vol.Optional(CONF_CLIENT_CERTIFICATE): cv.string,
    vol.Optional(CONF_CLIENT_KEY): cv.string,
}
_EXCHANGE_KEYS = {
    vol.Optional(CONF_RESOURCE): _url,
    vol.Optional(CONF_RESOURCE_TEMPLATE): _url_template,
    vol.Optional(CONF_METHOD, default=DEFAULT_METHOD): vol.All(
        cv.string, vol.Upper, vol.In(METHODS)
    ),
    vol.Optional(CONF_PAYLOAD): cv.string,
    vol.Optional(CONF_PAYLOAD_TEMPLATE): cv.template,
    vol.Optional(CONF_AUTHENTICATION): vol.In(
        [HTTP_BASIC_AUTHENTICATION, HTTP_DIGEST_AUTHENTICATION]
    ),
    vol.Optional(CONF_USERNAME): cv.string,
    vol.Optional(CONF_PASSWORD): cv.string,
    vol.Optional(CONF_HEADERS): _headers,
    vol.Optional(CONF_PARAMS): vol.Schema({cv.string: cv.template}),
    vol.Optional(CONF_ENCODING): cv.string,
    vol.Optional(CONF_VALID_STATUS): vol.All(
        cv.ensure_list, vol.Length(min=1), [vol.All(vol.Coerce(int), vol.Range(100, 599))]
    ),
    vol.Optional(CONF_MAX_SIZE, default=DEFAULT_MAX_SIZE): _size,
    vol.Optional(CONF_CONDITIONAL, default=True): cv.boolean,
    **_CONNECTION_KEYS,
}
_LOGIN_KEYS = {
    **_EXCHANGE_KEYS,
    vol.Optional(CONF_VALUES, default=dict): vol.Schema({cv.slug: cv.template}),
    vol.Optional(CONF_EXPIRES_IN): cv.template,
}
_LOGIN_SCHEMA = _discreet(
    vol.Schema(
        {
            **_LOGIN_KEYS,
            vol.Optional(CONF_FORM): vol.Schema(
                {
                    vol.Optional(CONF_SELECT): vol.All(cv.string, vol.Length(min=1)),
                    vol.Required(CONF_FIELDS, default=dict): vol.All(
                        vol.Schema({cv.string: cv.string}),
                        vol.Length(min=1, msg="expected the fields of the form and their values"),
                    ),
                }
            ),
            vol.Optional(CONF_LOGIN): _discreet(vol.Schema(_LOGIN_KEYS)),
            vol.Optional(CONF_LOGIN_PAGE): cv.template,
        }
    )
)
_OAUTH2_SCHEMA = vol.Schema(
    {
        **_CONNECTION_KEYS,
        vol.Required(CONF_TOKEN_URL): _url,
        vol.Required(CONF_CLIENT_ID): cv.string,
        vol.Required(CONF_CLIENT_SECRET): cv.string,
        vol.Optional(CONF_SCOPE, default=list): vol.All(cv.ensure_list, [cv.string]),
        vol.Optional(CONF_PARAMETERS, default=dict): vol.Schema({cv.string: cv.string}),
        vol.Optional(CONF_CLIENT_AUTHENTICATION, default=oauth2.IN_HEADER): vol.In(
            [oauth2.IN_HEADER, oauth2.IN_BODY]
        ),
        vol.Optional(CONF_LOGIN_PAGE): cv.template,
    }
)
REQUEST_KEYS = {
    **_EXCHANGE_KEYS,
    vol.Optional(CONF_SCAN_INTERVAL): period,
    vol.Optional(CONF_LOGIN): _login,
    vol.Optional(CONF_MAX_FAILURES): vol.All(vol.Coerce(int), vol.Range(min=1)),
}
_ENTITY_KEYS = {
    vol.Optional(CONF_FOR_EACH): cv.template,
    vol.Optional(CONF_KEY): cv.template,
    vol.Optional(CONF_SELECT): vol.All(cv.string, vol.Length(min=1)),
    vol.Optional(CONF_INDEX): cv.positive_int,
    vol.Optional(CONF_ATTRIBUTE): cv.string,
    vol.Optional(CONF_VALUE_TEMPLATE): cv.template,
    vol.Optional(CONF_AVAILABILITY): cv.template,
    vol.Optional(CONF_FORCE_UPDATE, default=False): cv.boolean,
    vol.Optional(CONF_RESTORE, default=False): cv.boolean,
    vol.Optional(CONF_MAX_FAILURES): vol.All(vol.Coerce(int), vol.Range(min=1)),
}
SENSOR_KEYS = {
    **TEMPLATE_SENSOR_BASE_SCHEMA.schema,
    **_ENTITY_KEYS,
    vol.Optional(CONF_JSON_ATTRS, default=list): _names,
    vol.Optional(CONF_JSON_ATTRS_PATH): cv.string,
    vol.Optional(CONF_JSON_ATTRS_TEMPLATE): cv.template,
}
BINARY_SENSOR_KEYS = {
    **TEMPLATE_ENTITY_BASE_SCHEMA.schema,
    **_ENTITY_KEYS,
    vol.Optional(CONF_DEVICE_CLASS): BINARY_SENSOR_DEVICE_CLASSES_SCHEMA,
}
BUTTON_KEYS = {
    vol.Optional(CONF_NAME): cv.string,
    vol.Optional(CONF_UNIQUE_ID): cv.string,
    vol.Optional(CONF_ICON): cv.icon,
}

SENSOR_PLATFORM_SCHEMA = _discreet(
    vol.All(SENSOR_BASE_SCHEMA.extend({**REQUEST_KEYS, **SENSOR_KEYS}), _selection)
)
BINARY_SENSOR_PLATFORM_SCHEMA = _discreet(
    vol.All(BINARY_SENSOR_BASE_SCHEMA.extend({**REQUEST_KEYS, **BINARY_SENSOR_KEYS}), _selection)
)
BUTTON_PLATFORM_SCHEMA = _discreet(BUTTON_BASE_SCHEMA.extend({**REQUEST_KEYS, **BUTTON_KEYS}))
BLOCK_SCHEMA = _discreet(vol.Schema(REQUEST_KEYS))
ENTITY_SCHEMAS: dict[Platform, Callable[[Any], ConfigType]] = {
    Platform.SENSOR: vol.All(vol.Schema(SENSOR_KEYS), _selection),
    Platform.BINARY_SENSOR: vol.All(vol.Schema(BINARY_SENSOR_KEYS), _selection),
    Platform.BUTTON: vol.Schema(BUTTON_KEYS),
}
