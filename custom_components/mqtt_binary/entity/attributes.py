"""State attributes from JSON messages."""

from typing import Any

from homeassistant.helpers.json import json_bytes
from homeassistant.helpers.template import Template

from ..mqtt import BLOCKED_ATTRIBUTES, ReceiveMessage
from ..payload.problems import Problems
from ..payload.templates import NOT_JSON, Templates


def read_attributes(
    message: ReceiveMessage, template: Template | None, templates: Templates, problems: Problems
) -> dict[str, Any] | None:
    """Return the attributes of a message, without those that would shadow the state's own.

    Return None, and say why, if it is no JSON dictionary that Home Assistant can store.
    """
    if (text := templates.text("attributes", template, message)) is None:
        return None
    parsed = templates.parse(text)
    if not isinstance(parsed, dict):
        problems.ignored(
            "attributes",
            message,
            "Erroneous JSON" if parsed is NOT_JSON else "JSON result was not a dictionary",
        )
        return None
    attributes = {
        name: content for name, content in parsed.items() if name not in BLOCKED_ATTRIBUTES
    }
    try:
        # What is nested too deeply can be read, but the state machine cannot pass it on.
        json_bytes(attributes)
    except TypeError as err:
        problems.ignored("attributes", message, str(err))
        return None
    return attributes
