"""rest.request: sends a request now, a configured one or another, and returns what came."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.const import ATTR_ENTITY_ID
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
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import JsonObjectType, json_loads_object
import voluptuous as vol

from .const import DOMAIN
from .entity import RestEntity
from .polling.coordinator import async_coordinators
from .polling.request import ConfiguredRequest
from .reply.block import block
from .reply.reply import Reply
from .schema import BLOCK_SCHEMA

SERVICE_REQUEST = "request"
# A response stands in the traces of automations, which is no place for a session.
_SECRET_HEADERS = frozenset({"set-cookie"})
_WEB_PAGE = (
    "the reply is a web page, of which no entities are proposed: give each a `select`, the CSS "
    "selector of the element that it shows; a page that asks to log in needs a `login`"
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
    """Send a request that nobody configured; return the reply, and the YAML that would read it.

    For administrators alone: it reaches whatever Home Assistant can reach.
    """
    if (user := await _user(hass, call)) and not user.is_admin:
        raise Unauthorized(context=call.context)
    try:
        request = ConfiguredRequest.from_config(BLOCK_SCHEMA(dict(call.data)))
    except vol.MultipleInvalid as err:
        raise _invalid(
            "; ".join(f"{mistake.msg} ({mistake.path[0]})" for mistake in err.errors)
        ) from None
    problems = list(request.remarks)
    reply = await async_coordinators(hass).async_try(request, problems.append)
    if reply.content.is_html:
        problems.append(_WEB_PAGE)
    configured = json_loads_object(json_bytes(call.data))  # of a script's YAML, plain values
    response = _response_of(reply) | {"yaml": block(configured, reply.content)}
    return response | {"warnings": [*problems]} if problems else response


def _response_of(reply: Reply) -> JsonObjectType:
    """Return a reply without what opens a session."""
    variables = reply.variables()
    headers = {
        name: text
        for name, text in variables["headers"].items()
        if name.lower() not in _SECRET_HEADERS
    }
    return {**variables, "headers": headers, "cookies": list(reply.cookies)}


async def _user(hass: HomeAssistant, call: ServiceCall) -> User | None:
    """Return who calls, None for an automation. Raise UnknownUser."""
    if (user_id := call.context.user_id) is None:
        return None
    if (user := await hass.auth.async_get_user(user_id)) is None:
        raise UnknownUser(context=call.context)
    return user


async def _check_permission(hass: HomeAssistant, call: ServiceCall) -> None:
    """Raise unless the user may control the entity, as `homeassistant.update_entity` does."""
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
