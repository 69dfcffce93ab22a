"""OAuth 2 client credentials (RFC 6749, section 4.4), as a preset of `login`."""

import base64
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode

from aiohttp import hdrs
from homeassistant.const import (
    CONF_CLIENT_ID,
    CONF_CLIENT_SECRET,
    CONF_HEADERS,
    CONF_METHOD,
    CONF_PAYLOAD,
    CONF_RESOURCE,
)

from .const import (
    CONF_CLIENT_AUTHENTICATION,
    CONF_EXPIRES_IN,
    CONF_PARAMETERS,
    CONF_SCOPE,
    CONF_TOKEN_URL,
    CONF_VALUES,
)

IN_HEADER = "header"
IN_BODY = "body"

AUTHORIZATION = "Bearer {{ login.token }}"
"""The `Authorization` header of requests after the login."""

_OWN_KEYS = frozenset(
    {
        CONF_CLIENT_AUTHENTICATION,
        CONF_CLIENT_ID,
        CONF_CLIENT_SECRET,
        CONF_PARAMETERS,
        CONF_SCOPE,
        CONF_TOKEN_URL,
    }
)


def login(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `login` that requests a token, for a validated configuration.

    If the server does not give an expiry, a token is requested hourly or when it is refused.
    """
    client = {"client_id": config[CONF_CLIENT_ID], "client_secret": config[CONF_CLIENT_SECRET]}
    form = {"grant_type": "client_credentials", **config[CONF_PARAMETERS]}
    if scope := config[CONF_SCOPE]:
        form["scope"] = " ".join(scope)
    headers = {
        hdrs.ACCEPT: "application/json",
        hdrs.CONTENT_TYPE: "application/x-www-form-urlencoded",
    }
    if config[CONF_CLIENT_AUTHENTICATION] == IN_BODY:
        form |= client
    else:
        pair = ":".join(map(quote_plus, client.values()))
        headers[hdrs.AUTHORIZATION] = "Basic " + base64.b64encode(pair.encode()).decode()
    return {
        **{key: value for key, value in config.items() if key not in _OWN_KEYS},
        CONF_RESOURCE: config[CONF_TOKEN_URL],
        CONF_METHOD: hdrs.METH_POST,
        CONF_HEADERS: headers,
        CONF_PAYLOAD: urlencode(form),
        CONF_VALUES: {"token": "{{ value_json.access_token }}"},  # nosec B105  (a template)
        CONF_EXPIRES_IN: "{{ value_json.expires_in | default(3600, true) }}",
    }
