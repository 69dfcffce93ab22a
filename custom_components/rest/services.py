"""rest.request: sends a configured request now, and returns what came."""

from typing import Any

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
from homeassistant.util.json import JsonObjectType
import voluptuous as vol

from .const import DOMAIN
from .entity import RestEntity
from .reply.reply import Reply

SERVICE_REQUEST = "request"
# A response stands in the traces of automations, which is no place for a session.
_SECRET_HEADERS = frozenset({"set-cookie"})


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register the action."""

    async def request(call: ServiceCall) -> ServiceResponse:
        await _check_permission(hass, call)
        coordinator = _entity(hass, call.data[ATTR_ENTITY_ID]).coordinator
        reply = await coordinator.async_request()
        await coordinator.async_parse(reply)
        return _told(reply)

    hass.services.async_register(
        DOMAIN,
        SERVICE_REQUEST,
        request,
        schema=vol.Schema({vol.Required(ATTR_ENTITY_ID): cv.entity_id}),
        supports_response=SupportsResponse.ONLY,
    )


def _told(reply: Reply) -> JsonObjectType:
    """Return a reply without what opens a session."""
    variables = reply.variables()
    headers = {
        name: text
        for name, text in variables["headers"].items()
        if name.lower() not in _SECRET_HEADERS
    }
    return {**variables, "headers": headers, "cookies": list(reply.cookies)}


async def _check_permission(hass: HomeAssistant, call: ServiceCall) -> None:
    """Raise unless the user may control the entity, as `homeassistant.update_entity` does."""
    if (user_id := call.context.user_id) is None:
        return
    if (user := await hass.auth.async_get_user(user_id)) is None:
        raise UnknownUser(context=call.context)
    entity_id = call.data[ATTR_ENTITY_ID]
    if not user.permissions.check_entity(entity_id, POLICY_CONTROL):
        raise Unauthorized(context=call.context, entity_id=entity_id, permission=POLICY_CONTROL)


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
