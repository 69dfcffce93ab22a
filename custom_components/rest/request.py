"""What to request.

A configured `Request` is equal to every other that asks for the same; before each poll it is
rendered to a `Call`.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from homeassistant.const import (
    CONF_AUTHENTICATION,
    CONF_HEADERS,
    CONF_METHOD,
    CONF_PARAMS,
    CONF_PASSWORD,
    CONF_PAYLOAD,
    CONF_RESOURCE,
    CONF_RESOURCE_TEMPLATE,
    CONF_TIMEOUT,
    CONF_USERNAME,
    CONF_VERIFY_SSL,
    HTTP_DIGEST_AUTHENTICATION,
)
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template
from homeassistant.helpers.typing import ConfigType
from homeassistant.util.ssl import SSLCipherList
from yarl import URL

from .const import (
    CONF_ENCODING,
    CONF_PAYLOAD_TEMPLATE,
    CONF_SSL_CIPHER_LIST,
    CONF_VALID_STATUS,
)
from .failure import PollError
from .headers import is_header_value
from .rendering import reason_of_template

type Text = str | Template
type Pairs = tuple[tuple[str, Text], ...]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One HTTP request as it goes out. Its representation shows nothing: all of it may be secret.

    `basic` is the Authorization header of basic authentication, for the URL's origin only.
    """

    method: str
    url: URL = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes | None = field(repr=False)
    basic: str | None = field(repr=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Request:
    """A configured request. Two entries with equal requests share one poll.

    `timeout` is in seconds; `valid_status` None means any 2xx.
    """

    method: str
    resource: Text
    headers: Pairs
    params: Pairs
    payload: Text | None
    username: str | None
    password: str | None
    digest: bool
    verify_ssl: bool
    ssl_cipher_list: SSLCipherList
    timeout: float
    encoding: str
    valid_status: frozenset[int] | None

    @classmethod
    def from_config(cls, config: ConfigType) -> Request:
        """Read a validated platform entry."""
        payload = config.get(CONF_PAYLOAD_TEMPLATE, config.get(CONF_PAYLOAD))
        if config[CONF_METHOD] == "GET":
            payload = None  # a GET never carries a body
        valid_status = config.get(CONF_VALID_STATUS)
        return cls(
            method=config[CONF_METHOD],
            resource=_text(config[CONF_RESOURCE_TEMPLATE])
            if CONF_RESOURCE_TEMPLATE in config
            else config[CONF_RESOURCE],
            headers=_pairs(config.get(CONF_HEADERS, {})),
            params=_params(config.get(CONF_PARAMS, {})),
            payload=None if payload is None else _text(payload),
            username=config.get(CONF_USERNAME),
            password=config.get(CONF_PASSWORD),
            digest=config.get(CONF_AUTHENTICATION) == HTTP_DIGEST_AUTHENTICATION,
            verify_ssl=config[CONF_VERIFY_SSL],
            ssl_cipher_list=SSLCipherList(config[CONF_SSL_CIPHER_LIST]),
            timeout=config[CONF_TIMEOUT],
            encoding=config[CONF_ENCODING],
            valid_status=None if valid_status is None else frozenset(valid_status),
        )

    @cached_property
    def is_templated(self) -> bool:
        """Whether the call may differ from poll to poll."""
        texts = (self.resource, self.payload, *(text for _, text in self.headers + self.params))
        return any(isinstance(text, Template) for text in texts)

    @cached_property
    def shown(self) -> str:
        """The resource as a log may name it: no user, no query; rendered, only a template."""
        if isinstance(self.resource, Template):
            return "a resource_template"
        url = URL(self.resource)
        return str(url.with_user(None).with_query(None).with_fragment(None))

    def render(self) -> Call:
        """Render every template. PollError names the key that does not give a request."""
        url = self._url()
        user, password = url.user, url.password
        url = url.with_user(None)
        if params := self._rendered_params():
            url = url.extend_query(params)
        headers = tuple((name, _header(name, text)) for name, text in self.headers)
        payload = None if self.payload is None else _rendered("payload_template", self.payload)
        if self.username is not None and not self.digest:
            user, password = self.username, self.password
        has_own = any(name.lower() == "authorization" for name, _ in headers)
        return Call(
            method=self.method,
            url=url,
            headers=headers,
            body=payload.encode() if payload else None,
            basic=None if user is None or has_own else _basic(user, password or ""),
        )

    def _url(self) -> URL:
        key = "resource_template" if isinstance(self.resource, Template) else "resource"
        return http_url(key, _rendered(key, self.resource))

    def _rendered_params(self) -> list[tuple[str, str]]:
        pairs = []
        for name, text in self.params:
            value = _param(_rendered(f"params '{name}'", text, parse_result=True))
            if value is not None:
                pairs.append((name, value))
        return pairs


def http_url(key: str, text: str) -> URL:
    """Return the URL; PollError names the key, and scheme and host at most."""
    try:
        url = URL(text.strip())
        host, _ = url.host, url.port
    except ValueError:
        url, host = URL(), None
    if url.scheme not in ("http", "https") or not host:
        shown = f"{url.scheme or '(no scheme)'}://{host or '(no host)'}"
        raise PollError(f"{key} gives no http or https URL but {shown}")
    return url


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _text(value: Text) -> Text:
    """Unwrap a template without any template syntax in it."""
    return value.template if isinstance(value, Template) and value.is_static else value


def _pairs(config: Mapping[str, Template]) -> Pairs:
    return tuple((name, _text(value)) for name, value in config.items())


def _params(config: Mapping[str, Template]) -> Pairs:
    """As `_pairs`; a constant is normalised as a rendered one is ("True" becomes "true")."""
    found: list[tuple[str, Text]] = []
    for name, value in config.items():
        if not value.is_static:
            found.append((name, value))
        elif (text := _param(value.async_render())) is not None:
            found.append((name, text))
    return tuple(found)


def _param(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def _rendered(key: str, text: Text, *, parse_result: bool = False) -> Any:  # noqa: ANN401  (a parsed result is anything)
    if not isinstance(text, Template):
        return text
    try:
        return text.async_render(parse_result=parse_result)
    except TemplateError as err:
        raise PollError(f"{key} failed: {reason_of_template(err, text.template)}") from err


def _header(name: str, text: Text) -> str:
    value: str = _rendered(f"headers '{name}'", text)
    if not is_header_value(value):
        raise PollError(f"headers '{name}' rendered to a text with line breaks or control codes")
    return value
