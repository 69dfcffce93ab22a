"""Repair issues: states that are too long for Home Assistant."""

import logging

from homeassistant.const import MAX_LENGTH_STATE_STATE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ._common.markdown import escaped
from .const import DOMAIN

_LOGGER = logging.getLogger(__name__)


@callback
def report_too_long(hass: HomeAssistant, entity_id: str, name: str, length: int) -> None:
    """Log and show as repair issue that a state is too long, without its text, which is private."""
    _LOGGER.warning(
        "%s: the state would be %d characters long, %d are allowed; it is unknown until a "
        "value_template picks one value out of the reply",
        entity_id,
        length,
        MAX_LENGTH_STATE_STATE,
    )
    ir.async_create_issue(
        hass,
        DOMAIN,
        _issue_id(entity_id),
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key="state_too_long",
        translation_placeholders={
            "entity_id": entity_id,
            "name": escaped(name),  # a template may read it from a reply
            "length": str(length),
            "limit": str(MAX_LENGTH_STATE_STATE),
        },
    )


@callback
def clear_too_long(hass: HomeAssistant, entity_id: str) -> None:
    """Delete the issue."""
    ir.async_delete_issue(hass, DOMAIN, _issue_id(entity_id))


def _issue_id(entity_id: str) -> str:
    return f"state_too_long_{entity_id}"
