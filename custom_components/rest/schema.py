"""The REST sensor's YAML: core's keys and ours, with errors that never repeat a secret."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from homeassistant.components.sensor import PLATFORM_SCHEMA as SENSOR_PLATFORM_SCHEMA
from homeassistant.const import (
    CONF_AUTHENTICATION,
    CONF_FORCE_UPDATE,
    CONF_HEADERS,
    CONF_METHOD,
    CONF_PARAMS,
    CONF_PASSWORD,
    CONF_PAYLOAD,
    CONF_RESOURCE,
    CONF_RESOURCE_TEMPLATE,
    CONF_SCAN_INTERVAL,
    CONF_TIMEOUT,
    CONF_USERNAME,
    CONF_VALUE_TEMPLATE,
    CONF_VERIFY_SSL,
    HTTP_BASIC_AUTHENTICATION,
    HTTP_DIGEST_AUTHENTICATION,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.trigger_template_entity import (
    CONF_AVAILABILITY,
    TEMPLATE_SENSOR_BASE_SCHEMA,
)
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.ssl import SSLCipherList
import voluptuous as vol

from .const import (
    CONF_ENCODING,
    CONF_JSON_ATTRS,
    CONF_JSON_ATTRS_PATH,
    CONF_JSON_ATTRS_TEMPLATE,
    CONF_MAX_FAILURES,
    CONF_PAYLOAD_TEMPLATE,
    CONF_SSL_CIPHER_LIST,
    CONF_VALID_STATUS,
    DEFAULT_ENCODING,
    DEFAULT_METHOD,
    DEFAULT_TIMEOUT,
    METHODS,
)
from .decoding import is_encoding
from .failure import PollError
from .headers import is_header_value, pairs
from .request import http_url

# Their values may be or hold a secret: no error repeats them.
_SECRET_KEYS = frozenset(
    {
        CONF_HEADERS,
        CONF_PARAMS,
        CONF_PASSWORD,
        CONF_PAYLOAD,
        CONF_PAYLOAD_TEMPLATE,
        CONF_RESOURCE,
        CONF_RESOURCE_TEMPLATE,
        CONF_USERNAME,
    }
)
HIDDEN = "(value not shown)"


def _url(value: object) -> str:
    text = cv.string(value)
    try:
        http_url(CONF_RESOURCE, text)
    except PollError as err:
        raise vol.Invalid(f"{err}; expected http:// or https://, then a host") from err
    return text


def _interval(value: object) -> timedelta:
    try:
        period: timedelta = cv.time_period(value)
    except OverflowError as err:
        raise vol.Invalid("the time is too long; an example is 30, in seconds") from err
    return period


def _headers(value: object) -> dict[str, Any]:
    try:
        found = pairs(value)
    except ValueError as err:
        raise vol.Invalid(str(err)) from err
    headers = {}
    for name, text in found.items():
        headers[name] = cv.template(text)
        if not is_header_value(headers[name].template) and headers[name].is_static:
            raise vol.Invalid(f"header '{name}' has a line break or control code in its value")
    return headers


def _encoding(value: object) -> str:
    text = cv.string(value)
    if not is_encoding(text):
        raise vol.Invalid(f"unknown encoding '{text}'; an example is UTF-8")
    return text


def _one_resource(config: ConfigType) -> ConfigType:
    if (CONF_RESOURCE in config) == (CONF_RESOURCE_TEMPLATE in config):
        raise vol.Invalid(
            "exactly one of 'resource' and 'resource_template' is needed",
            path=[CONF_RESOURCE, HIDDEN],
        )
    if CONF_PAYLOAD in config and CONF_PAYLOAD_TEMPLATE in config:
        raise vol.Invalid(
            "only one of 'payload' and 'payload_template' can be sent", path=[CONF_PAYLOAD, HIDDEN]
        )
    return config


def _both_credentials(config: ConfigType) -> ConfigType:
    for given, missing in (
        (CONF_USERNAME, CONF_PASSWORD),
        (CONF_PASSWORD, CONF_USERNAME),
    ):
        if given in config and missing not in config:
            raise vol.Invalid(
                f"'{given}' is given without '{missing}'; authentication needs both",
                path=[missing, HIDDEN],
            )
    if CONF_AUTHENTICATION in config and CONF_USERNAME not in config:
        raise vol.Invalid(
            "'authentication' needs 'username' and 'password'", path=[CONF_USERNAME, HIDDEN]
        )
    if config.get(CONF_AUTHENTICATION) == HTTP_DIGEST_AUTHENTICATION and (
        ":" in config[CONF_USERNAME]
    ):
        raise vol.Invalid(
            "a user name for digest authentication has no colon", path=[CONF_USERNAME, HIDDEN]
        )
    return config


def _discreet(schema: Callable[[ConfigType], ConfigType]) -> Callable[[ConfigType], ConfigType]:
    """Validate, and lead errors on secret keys past the value, which Home Assistant would show."""

    def validate(config: ConfigType) -> ConfigType:
        try:
            return schema(config)
        except vol.Invalid as err:
            raise vol.MultipleInvalid(
                [_hidden(each) for each in getattr(err, "errors", [err])]
            ) from None

    return validate


def _hidden(err: vol.Invalid) -> vol.Invalid:
    path = list(err.path)
    if path and str(path[0]) in _SECRET_KEYS and HIDDEN not in path and len(path) == 1:
        err.path.append(HIDDEN)
    return err


ENTRY_SCHEMA = SENSOR_PLATFORM_SCHEMA.extend(
    {
        vol.Optional(CONF_RESOURCE): _url,
        vol.Optional(CONF_RESOURCE_TEMPLATE): cv.template,
        vol.Optional(CONF_SCAN_INTERVAL): _interval,
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
        vol.Optional(CONF_VERIFY_SSL, default=True): cv.boolean,
        vol.Optional(CONF_SSL_CIPHER_LIST, default=SSLCipherList.PYTHON_DEFAULT): vol.In(
            [cipher.value for cipher in SSLCipherList]
        ),
        vol.Optional(CONF_TIMEOUT, default=DEFAULT_TIMEOUT): cv.positive_int,
        vol.Optional(CONF_ENCODING, default=DEFAULT_ENCODING): _encoding,
        vol.Optional(CONF_VALID_STATUS): vol.All(
            cv.ensure_list, vol.Length(min=1), [vol.All(vol.Coerce(int), vol.Range(100, 599))]
        ),
        vol.Optional(CONF_MAX_FAILURES, default=1): vol.All(vol.Coerce(int), vol.Range(min=1)),
        **TEMPLATE_SENSOR_BASE_SCHEMA.schema,
        vol.Optional(CONF_VALUE_TEMPLATE): cv.template,
        vol.Optional(CONF_AVAILABILITY): cv.template,
        vol.Optional(CONF_JSON_ATTRS, default=list): cv.ensure_list_csv,
        vol.Optional(CONF_JSON_ATTRS_PATH): cv.string,
        vol.Optional(CONF_JSON_ATTRS_TEMPLATE): cv.template,
        vol.Optional(CONF_FORCE_UPDATE, default=False): cv.boolean,
    }
)

PLATFORM_SCHEMA = _discreet(vol.All(ENTRY_SCHEMA, _one_resource, _both_credentials))
