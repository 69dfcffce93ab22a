"""rest.request: send a configured or an ad-hoc request, and return the reply."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.const import ATTR_ENTITY_ID, CONF_RESOURCE
from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import ServiceValidationError, Unauthorized, UnknownUser
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.entity_platform import async_get_platforms
from homeassistant.util.json import JsonObjectType
import voluptuous as vol
from yarl import URL

from .browser.har import Recorded, requests_with_value
from .const import CONF_HAR, CONF_VALUE, DOMAIN
from .entity import RestEntity
from .reply.block import MAX_VALUES, block, leaves_out_values
from .reply.reply import Content, Reply
from .trying import Attempt, async_send, attempt_of

SERVICE_REQUEST = "request"
# A response is stored in the traces of automations, which must not contain a session.
_SECRET_HEADERS = frozenset({"set-cookie"})
MAX_HAR = 64 * 1024**2  # bytes
_HAR_SCHEMA = vol.Schema(
    {
        vol.Required(CONF_HAR): cv.string,
        vol.Required(CONF_VALUE): vol.All(cv.string, vol.Length(min=1)),
    }
)
_WEB_PAGE = (
    "the reply is a web page, of which no entities are proposed: give each a `select`, the CSS "
    "selector of the element that it shows; a page that asks to log in needs a `login`"
)
_LEFT_OUT = (
    f"the YAML leaves out values of the reply: it has the first {MAX_VALUES} of those that fit "
    "into a state; write the others like these"
)


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the action."""

    async def request(call: ServiceCall) -> ServiceResponse:
        if ATTR_ENTITY_ID not in call.data:
            return await _try(hass, call)
        if len(call.data) > 1:
            raise _invalid(f"{ATTR_ENTITY_ID} has a request already; leave out the rest")
        await _check_permission(hass, call)
        coordinator = _entity(hass, call.data[ATTR_ENTITY_ID]).coordinator
        reply = await coordinator.async_request()
        await coordinator.async_parse(reply)
        return _response_of(reply)

    hass.services.async_register(
        DOMAIN,
        SERVICE_REQUEST,
        request,
        schema=vol.Schema({vol.Optional(ATTR_ENTITY_ID): cv.entity_id}, extra=vol.ALLOW_EXTRA),
        supports_response=SupportsResponse.ONLY,
    )


async def _try(hass: HomeAssistant, call: ServiceCall) -> JsonObjectType:
    """Send an ad-hoc request; return the reply, and YAML that would read it.

    Only for administrators: it can reach any address that Home Assistant can reach.
    """
    if (user := await _user(hass, call)) and not user.is_admin:
        raise Unauthorized(context=call.context)
    if CONF_HAR in call.data:
        return await _recorded(hass, call.data)
    try:
        attempt = attempt_of(call.data)
    except ValueError as err:
        raise _invalid(str(err)) from None
    reply, problems = await async_send(hass, attempt)
    if reply.content.is_html:
        problems.append(_WEB_PAGE)
    elif leaves_out_values(reply.content):
        problems.append(_LEFT_OUT)
    response = _response_of(reply) | _yaml(attempt, reply.content)
    return response | {"warnings": [*problems]} if problems else response


async def _recorded(hass: HomeAssistant, data: Mapping[str, Any]) -> JsonObjectType:
    """Return YAML for the requests in a HAR file whose reply contains a value; send nothing."""
    try:
        name, value = _HAR_SCHEMA(dict(data)).values()
        recorded, warnings = await hass.async_add_executor_job(
            _search, hass.config.path(), name, value
        )
    except vol.Invalid as err:
        raise _invalid(str(err)) from None
    except ValueError as err:
        raise _invalid(f"{err} ({CONF_HAR})") from None
    requests: list[JsonObjectType] = []
    for record in recorded:
        try:
            attempt = attempt_of(record.keys, hides=True)
        except ValueError as err:  # for example another scheme
            warnings.append(f"{URL(record.keys[CONF_RESOURCE]).host}: {err}")
        else:
            requests.append(_yaml(attempt, record.content, search_text=value))
    response: JsonObjectType = {"requests": [*requests]}
    return response | {"warnings": [*warnings]} if warnings else response


def _search(folder: str, name: str, value: str) -> tuple[list[Recorded], list[str]]:
    """Search a file in the configuration folder. Raise ValueError with the reason."""
    path = Path(folder, name).resolve()
    if not path.is_relative_to(Path(folder).resolve()):
        raise ValueError("the file is not in the configuration folder")
    try:
        if not path.is_file() or path.stat().st_size > MAX_HAR:
            raise ValueError(f"there is no such file of at most {MAX_HAR // 1024**2} MiB")
        return requests_with_value(path.read_bytes(), value)
    except OSError as err:
        raise ValueError(err.strerror or "the file cannot be read") from None


def _yaml(attempt: Attempt, content: Content, *, search_text: str | None = None) -> JsonObjectType:
    """Return the YAML that would read a reply, and the secrets that it refers to."""
    yaml = attempt.yaml_of(lambda keys: block(keys, content, search_text=search_text))
    secrets: JsonObjectType = {
        name: " ".join(map(str, path)) for path, name in attempt.names.items()
    }
    return {"yaml": yaml, "secrets": secrets} if secrets else {"yaml": yaml}


def _response_of(reply: Reply) -> JsonObjectType:
    """Return a reply without session data: no `Set-Cookie` and no values of cookies."""
    variables = reply.variables()
    headers = {
        name: text
        for name, text in variables["headers"].items()
        if name.lower() not in _SECRET_HEADERS
    }
    return {**variables, "headers": headers, "cookies": list(reply.cookies)}


async def _user(hass: HomeAssistant, call: ServiceCall) -> User | None:
    """Return the calling user, None for an automation. Raise UnknownUser."""
    if (user_id := call.context.user_id) is None:
        return None
    if (user := await hass.auth.async_get_user(user_id)) is None:
        raise UnknownUser(context=call.context)
    return user


async def _check_permission(hass: HomeAssistant, call: ServiceCall) -> None:
    """Raise Unauthorized unless the user may control the entity, as `update_entity` does."""
    user = await _user(hass, call)
    entity_id = call.data[ATTR_ENTITY_ID]
    if user and not user.permissions.check_entity(entity_id, POLICY_CONTROL):
        raise Unauthorized(context=call.context, entity_id=entity_id, permission=POLICY_CONTROL)


def _invalid(error: str) -> ServiceValidationError:
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="request_invalid",
        translation_placeholders={"error": error},
    )


def _entity(hass: HomeAssistant, entity_id: str) -> RestEntity[Any]:
    for platform in async_get_platforms(hass, DOMAIN):
        entity = platform.entities.get(entity_id)
        if isinstance(entity, RestEntity):
            return entity
    raise ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key="no_rest_entity",
        translation_placeholders={"entity_id": entity_id},
    )
