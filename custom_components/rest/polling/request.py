"""Requests: as configured, and as sent after their templates were rendered."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
import logging
import re
from typing import Any

from aiohttp import hdrs
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
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util.ssl import SSLCipherList
from multidict import CIMultiDict
from yarl import URL

from .._common.template_errors import reason, without_payload
from ..const import (
    CONF_CA_CERTIFICATE,
    CONF_CLIENT_CERTIFICATE,
    CONF_CLIENT_KEY,
    CONF_CONDITIONAL,
    CONF_ENCODING,
    CONF_EXPIRES_IN,
    CONF_FIELDS,
    CONF_FORM,
    CONF_LOGIN,
    CONF_LOGIN_PAGE,
    CONF_MAX_SIZE,
    CONF_PAYLOAD_TEMPLATE,
    CONF_SELECT,
    CONF_SSL_CIPHER_LIST,
    CONF_VALID_STATUS,
    CONF_VALUES,
)
from ..reply.encoding import is_encoding
from .tls import TlsFiles
from .urls import http_url

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

type Text = str | Template
type Pairs = tuple[tuple[str, Text], ...]
type Rendered = Callable[..., Any]
"""`_rendered` with its variables and its warning callback bound."""


@dataclass(frozen=True, kw_only=True)
class RenderedRequest:
    """An HTTP request as sent. Its `repr` shows nothing, since all of it may be secret."""

    method: str
    url: URL = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes | None = field(repr=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class ConfiguredRequest:
    """A request in the YAML. Entries with equal requests share one poll.

    `timeout` is in seconds, `max_size` in bytes. `valid_status` None means any 2xx, `encoding`
    None the encoding that the reply declares. `remarks` list keys of the YAML without effect.
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
    encoding: str | None
    valid_status: frozenset[int] | None
    max_size: int
    conditional: bool
    tls_files: TlsFiles | None
    login: ConfiguredLogin | None
    remarks: tuple[str, ...] = field(compare=False)

    @classmethod
    def from_config(cls, config: ConfigType) -> ConfiguredRequest:
        """Return the request of a validated platform entry or `rest:` block."""
        remarks: list[str] = []
        username, password = _credentials(config, remarks)
        payload = config.get(CONF_PAYLOAD_TEMPLATE, config.get(CONF_PAYLOAD))
        if config[CONF_METHOD] == hdrs.METH_GET and payload:
            remarks.append("payload ignored: a GET has no body; POST has one")
            payload = None
        valid_status = config.get(CONF_VALID_STATUS)
        login = ConfiguredLogin.from_config(config[CONF_LOGIN]) if CONF_LOGIN in config else None
        if login:
            remarks += [f"{CONF_LOGIN}: {remark}" for remark in login.request.remarks]
        return cls(
            method=config[CONF_METHOD],
            resource=_text(config[CONF_RESOURCE_TEMPLATE])
            if CONF_RESOURCE_TEMPLATE in config
            else config[CONF_RESOURCE],
            headers=tuple((k, _text(v)) for k, v in config.get(CONF_HEADERS, {}).items()),
            params=_params(config.get(CONF_PARAMS, {})),
            payload=None if payload is None else _text(payload),
            username=username,
            password=password,
            digest=username is not None
            and config.get(CONF_AUTHENTICATION) == HTTP_DIGEST_AUTHENTICATION,
            verify_ssl=config[CONF_VERIFY_SSL],
            ssl_cipher_list=SSLCipherList(config[CONF_SSL_CIPHER_LIST]),
            timeout=config[CONF_TIMEOUT],
            encoding=_encoding(config, remarks),
            valid_status=None if valid_status is None else frozenset(valid_status),
            max_size=config[CONF_MAX_SIZE],
            conditional=config[CONF_CONDITIONAL],
            tls_files=_tls_files(config, remarks),
            login=login,
            remarks=tuple(remarks),
        )

    @cached_property
    def is_templated(self) -> bool:
        """Return whether the request may differ from poll to poll."""
        texts = (self.resource, self.payload, *(text for _, text in self.headers + self.params))
        return any(isinstance(text, Template) for text in texts)

    @property
    def reads_states(self) -> bool:
        """Return whether it or its login has templates, and so waits for entities at start."""
        return self.is_templated or (self.login is not None and self.login.request.reads_states)

    @cached_property
    def shown(self) -> str:
        """Return a text for logs: scheme, host and port, or the key of a template.

        Paths may contain bot tokens or device ids, queries may contain API keys.
        """
        if isinstance(self.resource, Template):
            return CONF_RESOURCE_TEMPLATE
        return str(URL(self.resource).origin())

    def render(
        self, login: Mapping[str, str] | None, warn: Callable[[str], None]
    ) -> RenderedRequest:
        """Render all templates, with the values of a login as variable `login`.

        `warn` is called with undefined variables, which Home Assistant would log with each poll,
        together with the template, which may contain a secret. Raise UpdateFailed that names the
        key with an invalid result.
        """
        variables = None if login is None else {"login": login}
        rendered = partial(_rendered, variables=variables, warn=warn)
        url = self._url(rendered)
        headers = CIMultiDict((name, _header(name, text, rendered)) for name, text in self.headers)
        if hdrs.AUTHORIZATION not in headers and (basic := self._basic(url)):
            headers[hdrs.AUTHORIZATION] = basic
        body = None
        if self.payload and (text := rendered(CONF_PAYLOAD_TEMPLATE, self.payload)):
            body = text.encode("utf-8", "replace")
            headers.setdefault(hdrs.CONTENT_TYPE, "text/plain; charset=utf-8")  # as core sends it
        url = url.with_user(None)
        if params := self._rendered_params(rendered):
            url = url.extend_query(params)
        return RenderedRequest(
            method=self.method, url=url, headers=tuple(headers.items()), body=body
        )

    def _url(self, rendered: Rendered) -> URL:
        key = CONF_RESOURCE_TEMPLATE if isinstance(self.resource, Template) else CONF_RESOURCE
        text = rendered(key, self.resource)
        try:
            return http_url(text)
        except ValueError as err:
            raise UpdateFailed(f"{key} gives {err}") from None

    def _basic(self, url: URL) -> str | None:
        """Return the Authorization header of basic authentication."""
        if self.username is not None:
            return None if self.digest else _basic(self.username, self.password or "")
        if url.user is None and url.password is None:
            return None
        try:
            return _basic(url.user or "", url.password or "", "latin-1")  # as core sends it
        except UnicodeEncodeError:
            return _basic(url.user or "", url.password or "")

    def _rendered_params(self, rendered: Rendered) -> list[tuple[str, str]]:
        pairs = []
        for name, text in self.params:
            value = _param(rendered(f"params '{name}'", text, parse_result=True))
            if value is not None:
                pairs.append((name, value))
        return pairs


@dataclass(frozen=True, kw_only=True, repr=False)
class ConfiguredForm:
    """The fields to fill in a login form; `select` None means the page's only or password form."""

    select: str | None
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def from_config(cls, config: ConfigType) -> ConfiguredForm:
        """Return the form of a validated `form`."""
        return cls(select=config.get(CONF_SELECT), fields=tuple(config[CONF_FIELDS].items()))


@dataclass(frozen=True, kw_only=True, repr=False)
class ConfiguredLogin:
    """A request sent before others, which read values of its reply.

    With a `form`, the request fetches the page of the form, and the reply is that to the form.

    `values` are templates on the reply; the template `expires_in` gives seconds. The template
    `login_page` is applied to replies to other requests: true means that the session has ended.
    """

    request: ConfiguredRequest
    form: ConfiguredForm | None
    values: tuple[tuple[str, Template], ...]
    expires_in: Template | None
    login_page: Template | None

    @classmethod
    def from_config(cls, config: ConfigType) -> ConfiguredLogin:
        """Return the login of a validated `login`."""
        return cls(
            # The last reply is useless: the server does not accept its values any more.
            request=ConfiguredRequest.from_config({**config, CONF_CONDITIONAL: False}),
            form=ConfiguredForm.from_config(config[CONF_FORM]) if CONF_FORM in config else None,
            values=tuple(config[CONF_VALUES].items()),
            expires_in=config.get(CONF_EXPIRES_IN),
            login_page=config.get(CONF_LOGIN_PAGE),
        )


def is_header_value(value: str) -> bool:
    """Return whether the value is a valid header, without line breaks and control characters."""
    return not _CONTROL.search(value)


def _credentials(config: ConfigType, remarks: list[str]) -> tuple[str | None, str | None]:
    """Return user and password, or two None. As in core, both are required and not empty."""
    username, password = config.get(CONF_USERNAME), config.get(CONF_PASSWORD)
    if username and password:
        return username, password
    keys = [k for k in (CONF_USERNAME, CONF_PASSWORD, CONF_AUTHENTICATION) if k in config]
    if keys:
        remarks.append(
            f"{' and '.join(keys)} ignored: authentication needs both username and password"
        )
    return None, None


def _encoding(config: ConfigType, remarks: list[str]) -> str | None:
    encoding: str | None = config.get(CONF_ENCODING)
    if encoding is None or is_encoding(encoding):
        return encoding
    remarks.append(f"encoding ignored: Python knows no '{encoding}', an example is UTF-8")
    return None


def _tls_files(config: ConfigType, remarks: list[str]) -> TlsFiles | None:
    certificate, authority = config.get(CONF_CLIENT_CERTIFICATE), config.get(CONF_CA_CERTIFICATE)
    if certificate and config.get(CONF_RESOURCE, "").strip().lower().startswith("http:"):
        remarks.append(f"{CONF_CLIENT_CERTIFICATE} ignored: it is shown to https servers only")
        certificate = None
    if authority and not config[CONF_VERIFY_SSL]:
        remarks.append(f"{CONF_CA_CERTIFICATE} ignored: {CONF_VERIFY_SSL} is false")
        authority = None
    if certificate is None and authority is None:
        return None
    return TlsFiles(certificate=certificate, key=config.get(CONF_CLIENT_KEY), authority=authority)


def _basic(user: str, password: str, encoding: str = "utf-8") -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode(encoding)).decode()


def _text(value: Text) -> Text:
    """Return a static template as text."""
    return value.template if isinstance(value, Template) and value.is_static else value


def _params(config: Mapping[str, Template]) -> Pairs:
    """Return the parameters; constants are normalised like rendered ones ("True" → "true")."""
    pairs: list[tuple[str, Text]] = []
    for name, value in config.items():
        if not value.is_static:
            pairs.append((name, value))
        elif (text := _param(value.async_render())) is not None:
            pairs.append((name, text))
    return tuple(pairs)


def _param(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def _rendered(
    key: str,
    text: Text,
    *,
    variables: Mapping[str, Any] | None,
    warn: Callable[[str], None],
    parse_result: bool = False,
) -> Any:  # noqa: ANN401  (a parsed result is anything)
    if not isinstance(text, Template):
        return text

    def undefined(level: int, message: str) -> None:
        if level < logging.ERROR:  # errors are raised, too
            warn(f"{key} warns: {without_payload(message, text.template)}")

    try:
        return text.async_render(variables, parse_result=parse_result, log_fn=undefined)
    except TemplateError as err:
        raise UpdateFailed(f"{key} failed: {reason(err, text.template)}") from None


def _header(name: str, text: Text, rendered: Rendered) -> str:
    value: str = rendered(f"headers '{name}'", text)
    if not is_header_value(value):
        raise UpdateFailed(f"headers '{name}' rendered to a text with line breaks or control codes")
    return value
